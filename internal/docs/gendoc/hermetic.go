package gendoc

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig/v3"
)

// Source is something outside of the request that a sprig function reads. A page
// that depends on one changes from run to run, or from machine to machine.
type Source string

// The sources, by the names under which a user allows them.
const (
	Clock       Source = "clock"       // the time, or the machine's time zone
	Environment Source = "environment" // environment variables
	Network     Source = "network"
	Random      Source = "random"
)

// Sources lists all sources.
var Sources = []Source{Clock, Environment, Network, Random}

var reads = map[Source][]string{
	Clock: {
		"ago", "date", "dateInZone", "date_in_zone", "htmlDate", "htmlDateInZone",
		"mustToDate", "now", "toDate",
	},
	Environment: {"env", "expandenv"},
	Network:     {"getHostByName"},
	Random: {
		"bcrypt", "encryptAES", "genCA", "genCAWithKey", "genPrivateKey",
		"genSelfSignedCert", "genSelfSignedCertWithKey", "genSignedCert",
		"genSignedCertWithKey", "htpasswd", "randAlpha", "randAlphaNum", "randAscii",
		"randBytes", "randInt", "randNumeric", "shuffle", "uuidv4",
	},
}

// Functions are the functions that a template can call: protoc-gen-doc's own and
// sprig's. A function that reads a source which is not allowed is an error when
// it is called; it is no error to have it in a branch that is not taken.
func Functions(allowed ...Source) template.FuncMap {
	out := maps.Clone(builtins)
	maps.Copy(out, sprig.TxtFuncMap())
	maps.Copy(out, replaced)
	for name, function := range out {
		out[name] = limited(name, function)
	}
	maps.Copy(out, functions) // whose results are not much longer than their argument
	for source, names := range reads {
		if slices.Contains(allowed, source) {
			continue
		}
		for _, name := range names {
			if out[name] != nil {
				out[name] = refuse(name, source)
			}
		}
	}
	return out
}

func refuse(name string, source Source) func(...any) (string, error) {
	what := map[Source]string{
		Clock: "the clock or the time zone", Environment: "the environment",
		Network: "the network", Random: "random numbers",
	}[source]
	return func(...any) (string, error) {
		return "", fmt.Errorf("%s reads %s, so that the page could differ from run to run; the option allow=%s permits it", name, what, source)
	}
}

// replaced are sprig's functions that are not used as they are.
var replaced = template.FuncMap{
	"keys":      sortedKeys,
	"values":    sortedValues,
	"slice":     sliceOf,
	"repeat":    repeat,
	"until":     until,
	"untilStep": untilStep,
	"seq":       seq,
	"indent":    indent,
	"nindent":   nindent,

	"set":                set,
	"merge":              merge("merge"),
	"mergeOverwrite":     merge("mergeOverwrite"),
	"mustMerge":          merge("mustMerge"),
	"mustMergeOverwrite": merge("mustMergeOverwrite"),
}

// sortedKeys are the keys of dictionaries, sorted within each: sprig's come in
// Go's map order, which changes from run to run.
func sortedKeys(dicts ...map[string]any) []string {
	out := []string{} // toJson tells it from nil
	for _, d := range dicts {
		out = append(out, slices.Sorted(maps.Keys(d))...)
	}
	return out
}

// sortedValues are the values of a dictionary in the order of its keys.
func sortedValues(dict map[string]any) []any {
	out := []any{} // toJson tells it from nil
	for _, k := range slices.Sorted(maps.Keys(dict)) {
		out = append(out, dict[k])
	}
	return out
}

// sliceOf cuts strings as text/template's own slice does, which
// protoc-gen-doc v1.5.1 calls, and lists as sprig's does too.
func sliceOf(list any, indices ...any) (any, error) {
	text, ok := list.(string)
	if !ok {
		return sprigSlice(list, indices...)
	}
	bounds := []int{0, len(text)}
	if len(indices) > 2 {
		return nil, fmt.Errorf("cannot 3-index slice a string")
	}
	for i, index := range indices {
		n := reflect.ValueOf(index)
		switch {
		case n.CanInt():
			bounds[i] = int(n.Int())
		case n.CanUint():
			bounds[i] = int(n.Uint())
		default:
			return nil, fmt.Errorf("cannot index slice with type %T", index)
		}
		if bounds[i] < 0 || bounds[i] > len(text) {
			return nil, fmt.Errorf("index out of range: %d", bounds[i])
		}
	}
	if bounds[0] > bounds[1] {
		return nil, fmt.Errorf("invalid slice index: %d > %d", bounds[0], bounds[1])
	}
	return text[bounds[0]:bounds[1]], nil
}

// sprigFunctions are what the replacements call.
var sprigFunctions = sprig.TxtFuncMap()

var (
	sprigSet       = sprigFunctions["set"].(func(map[string]any, string, any) map[string]any)
	sprigSlice     = sprigFunctions["mustSlice"].(func(any, ...any) (any, error))
	sprigUntil     = sprigFunctions["until"].(func(int) []int)
	sprigUntilStep = sprigFunctions["untilStep"].(func(int, int, int) []int)
	sprigSeq       = sprigFunctions["seq"].(func(...int) string)
	sprigIndent    = sprigFunctions["indent"].(func(int, string) string)
)

// maxMade bounds how much one call can make out of a number alone, so that a
// slip of the pen is an error and not a machine without memory.
const maxMade = 1 << 24

func bounded(what string, n int) error {
	if n < 0 || n > maxMade {
		return fmt.Errorf("%s %d is out of bounds: 0 to %d", what, n, maxMade)
	}
	return nil
}

func repeat(count int, text string) (string, error) {
	if err := bounded("a count of", count); err != nil {
		return "", err
	}
	if err := bounded("a result of so many bytes:", count*len(text)); err != nil {
		return "", err
	}
	return strings.Repeat(text, count), nil
}

func until(count int) ([]int, error) {
	if err := bounded("a count of", max(count, -count)); err != nil {
		return nil, err
	}
	return sprigUntil(count), nil
}

func untilStep(start, stop, step int) ([]int, error) {
	distance := uint64(max(start, stop)) - uint64(min(start, stop)) // a difference of ints can overflow
	if distance > maxMade {
		return nil, fmt.Errorf("a distance of %d is out of bounds: 0 to %d", distance, maxMade)
	}
	return sprigUntilStep(start, stop, step), nil
}

func seq(numbers ...int) (string, error) {
	for _, n := range numbers {
		if err := bounded("a number of", max(n, -n)); err != nil {
			return "", err
		}
	}
	return sprigSeq(numbers...), nil
}

func indent(spaces int, text string) (string, error) {
	if err := bounded("an indentation of", spaces); err != nil {
		return "", err
	}
	if err := bounded("a result of so many bytes:", (strings.Count(text, "\n")+1)*spaces); err != nil {
		return "", err
	}
	return sprigIndent(spaces, text), nil
}

func nindent(spaces int, text string) (string, error) {
	text, err := indent(spaces, text)
	return "\n" + text, err
}
