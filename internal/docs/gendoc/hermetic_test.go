package gendoc

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"text/template"

	"github.com/Masterminds/sprig/v3"
	"github.com/google/go-cmp/cmp"
)

// pure are sprig's functions whose result depends on their arguments alone.
// Those that take a time need the permission to read the clock all the same,
// because no other function makes one; durationRound reads the clock if it is
// given a time. The os functions go by the rules for paths of the system that
// the program is built for.
const pure = `
	abbrev abbrevboth add add1 add1f addf adler32sum all any append atoi
	b32dec b32enc b64dec b64enc base biggest buildCustomCert
	camelcase cat ceil chunk clean coalesce compact concat contains
	dateModify date_modify decryptAES deepCopy deepEqual default derivePassword
	dict dig dir div divf duration durationRound
	empty ext fail first float64 floor fromJson get
	has hasKey hasPrefix hasSuffix hello
	indent initial initials int int64 isAbs join
	kebabcase keys kindIs kindOf last list lower
	max maxf merge mergeOverwrite min minf mod mul mulf
	mustAppend mustChunk mustCompact mustDateModify must_date_modify mustDeepCopy
	mustFirst mustFromJson mustHas mustInitial mustLast mustMerge
	mustMergeOverwrite mustPrepend mustPush mustRegexFind mustRegexFindAll
	mustRegexMatch mustRegexReplaceAll mustRegexReplaceAllLiteral mustRegexSplit
	mustRest mustReverse mustSlice mustToJson mustToPrettyJson mustToRawJson
	mustUniq mustWithout
	nindent nospace omit osBase osClean osDir osExt osIsAbs
	pick pluck plural prepend push quote
	regexFind regexFindAll regexMatch regexQuoteMeta regexReplaceAll
	regexReplaceAllLiteral regexSplit repeat replace rest reverse round
	semver semverCompare seq set sha1sum sha256sum sha512sum slice snakecase
	sortAlpha split splitList splitn squote sub subf substr swapcase
	ternary title toDecimal toJson toPrettyJson toRawJson toString toStrings
	trim trimAll trimPrefix trimSuffix trimall trunc tuple
	typeIs typeIsLike typeOf
	uniq unixEpoch unset until untilStep untitle upper urlJoin urlParse
	values without wrap wrapWith`

// gated are calls of the functions that read more than their arguments, by what
// they read.
var gated = map[Source]map[string]string{
	Clock: {
		"now":            `{{now}}`,
		"ago":            `{{ago now}}`,
		"date":           `{{date "2006" 0}}`,
		"dateInZone":     `{{dateInZone "2006" 0 "UTC"}}`,
		"date_in_zone":   `{{date_in_zone "2006" 0 "UTC"}}`,
		"htmlDate":       `{{htmlDate 0}}`,
		"htmlDateInZone": `{{htmlDateInZone 0 "UTC"}}`,
		"toDate":         `{{toDate "2006" "2001"}}`,
		"mustToDate":     `{{mustToDate "2006" "2001"}}`,
	},
	Environment: {
		"env":       `{{env "GENDOC_TEST"}}`,
		"expandenv": `{{expandenv "$GENDOC_TEST"}}`,
	},
	Network: {
		"getHostByName": `{{getHostByName "127.0.0.1"}}`, // an address needs no network
	},
	Random: {
		"bcrypt":                   `{{bcrypt "a"}}`,
		"encryptAES":               `{{encryptAES "0123456789abcdef" "a"}}`,
		"genCA":                    `{{(genCA "a" 1).Cert}}`,
		"genCAWithKey":             `{{(genCAWithKey "a" 1 (genPrivateKey "ed25519")).Cert}}`,
		"genPrivateKey":            `{{genPrivateKey "ed25519"}}`,
		"genSelfSignedCert":        `{{(genSelfSignedCert "a" nil nil 1).Cert}}`,
		"genSelfSignedCertWithKey": `{{(genSelfSignedCertWithKey "a" nil nil 1 (genPrivateKey "ed25519")).Cert}}`,
		"genSignedCert":            `{{(genSignedCert "a" nil nil 1 (genCAWithKey "a" 1 (genPrivateKey "ed25519"))).Cert}}`,
		"genSignedCertWithKey":     `{{(genSignedCertWithKey "a" nil nil 1 (genCAWithKey "a" 1 (genPrivateKey "ed25519")) (genPrivateKey "ed25519")).Cert}}`,
		"htpasswd":                 `{{htpasswd "a" "b"}}`,
		"randAlpha":                `{{randAlpha 3}}`,
		"randAlphaNum":             `{{randAlphaNum 3}}`,
		"randAscii":                `{{randAscii 3}}`,
		"randBytes":                `{{randBytes 3}}`,
		"randInt":                  `{{randInt 0 9}}`,
		"randNumeric":              `{{randNumeric 3}}`,
		"shuffle":                  `{{shuffle "abc"}}`,
		"uuidv4":                   `{{uuidv4}}`,
	},
}

// A function that a newer sprig adds has to be classified before a template can
// call it unnoticed.
func TestFunctionsAreClassified(t *testing.T) {
	classified := strings.Fields(pure)
	for source, calls := range gated {
		names := slices.Sorted(maps.Keys(calls))
		classified = append(classified, names...)
		if diff := cmp.Diff(names, slices.Sorted(slices.Values(reads[source]))); diff != "" {
			t.Errorf("functions that read %s (-test +code):\n%s", source, diff)
		}
	}
	slices.Sort(classified)
	if diff := cmp.Diff(classified, slices.Sorted(maps.Keys(sprig.TxtFuncMap()))); diff != "" {
		t.Errorf("classified functions are not sprig's (-classified +sprig):\n%s", diff)
	}
}

func TestFunctionsHaveAllNames(t *testing.T) {
	want := []string{
		"anchor", "nobr", "p", "para", // protoc-gen-doc's
		"html", "js", "print", "printf", "println", "urlquery", // text/template's, with a bound
	}
	want = append(want, slices.Collect(maps.Keys(sprig.TxtFuncMap()))...)
	slices.Sort(want)
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(Functions()))); diff != "" {
		t.Errorf("names of the functions (-want +got):\n%s", diff)
	}
}

func TestGatedFunctions(t *testing.T) {
	t.Setenv("GENDOC_TEST", "value")
	refusals := map[Source]string{
		Clock:       "reads the clock or the time zone, so that the page could differ from run to run; the option allow=clock permits it",
		Environment: "reads the environment, so that the page could differ from run to run; the option allow=environment permits it",
		Network:     "reads the network, so that the page could differ from run to run; the option allow=network permits it",
		Random:      "reads random numbers, so that the page could differ from run to run; the option allow=random permits it",
	}
	for source, calls := range gated {
		others := slices.DeleteFunc(slices.Clone(Sources), func(s Source) bool { return s == source })
		for name, call := range calls {
			t.Run(name, func(t *testing.T) {
				for _, allowed := range [][]Source{nil, others} {
					_, err := execute(call, allowed...)
					if want := refusals[source]; err == nil || !strings.HasSuffix(err.Error(), want) {
						t.Errorf("with %v allowed: error %v, want it to end in %q", allowed, err, want)
					}
				}
				out, err := execute(call, source)
				if err != nil || out == "" || out == "<no value>" {
					t.Errorf("with %s allowed: %q, error %v", source, out, err)
				}
			})
		}
	}
}

// A template that asks first what it can call is no error.
func TestGatedFunctionInBranchNotTaken(t *testing.T) {
	if out, err := execute(`{{if false}}{{now}}{{end}}ok`); out != "ok" || err != nil {
		t.Errorf("got %q, error %v", out, err)
	}
}

func TestReplacedFunctions(t *testing.T) {
	const limit = 16777216
	tests := []struct {
		name, template string
		want, err      string // err is the end of the error
	}{
		{"keys", `{{keys (dict "b" 1 "c" 2 "a" 3)}}`, "[a b c]", ""},
		{"keys of several", `{{keys (dict "b" 1 "a" 2) (dict "a" 3 "0" 4)}}`, "[a b 0 a]", ""},
		{"keys of none", `{{keys dict | toJson}}{{keys | toJson}}`, "[][]", ""},
		{"values", `{{values (dict "b" 1 "c" 2 "a" 3)}}`, "[3 1 2]", ""},
		{"values of none", `{{values dict | toJson}}`, "[]", ""},

		{"slice of a string", `{{slice "abcd" 1 3}} {{slice "abcd" 1}} {{slice "abcd"}} {{slice "é" 0 1 | printf "%x"}}`, "bc bcd abcd c3", ""},
		{"slice of a string at its ends", `[{{slice "abc" 3}}][{{slice "abc" 0 0}}]`, "[][]", ""},
		{"slice with other integers", `{{slice "abcd" (int64 1) (len "abc")}}`, "bc", ""},
		{"slice of a list", `{{slice (list 1 2 3) 1}} {{slice (list 1 2 3) 0 2}} {{slice (list 1 2)}}`, "[2 3] [1 2] [1 2]", ""},
		{"slice past the end", `{{slice "abc" 4}}`, "", "index out of range: 4"},
		{"slice before the start", `{{slice "abc" -1}}`, "", "index out of range: -1"},
		{"slice backwards", `{{slice "abc" 2 1}}`, "", "invalid slice index: 2 > 1"},
		{"slice by text", `{{slice "abc" "1"}}`, "", "cannot index slice with type string"},
		{"slice by three", `{{slice "abc" 0 1 2}}`, "", "cannot 3-index slice a string"},

		{"repeat", `{{repeat 3 "ab"}}[{{repeat 0 "ab"}}]`, "ababab[]", ""},
		{"repeat at the limit", `{{repeat 16777216 "" }}{{repeat 8388608 "ab" | len}}`, "16777216", ""},
		{"repeat too often", `{{repeat 16777217 ""}}`, "", "a count of 16777217 is out of bounds: 0 to 16777216"},
		{"repeat too long", `{{repeat 8388609 "ab"}}`, "", "a result of so many bytes: 16777218 is out of bounds: 0 to 16777216"},
		{"repeat backwards", `{{repeat -1 "a"}}`, "", "a count of -1 is out of bounds: 0 to 16777216"},

		{"until", `{{until 3}} {{until 0}} {{until -2}}`, "[0 1 2] [] [0 -1]", ""},
		{"until too far", `{{until 16777217}}`, "", "a count of 16777217 is out of bounds: 0 to 16777216"},
		{"until too far back", `{{until -16777217}}`, "", "a count of 16777217 is out of bounds: 0 to 16777216"},

		{"untilStep", `{{untilStep 2 9 3}} {{untilStep 3 0 -1}} {{untilStep 0 5 0}}`, "[2 5 8] [3 2 1] []", ""},
		{"untilStep between large numbers", `{{untilStep 1000000000000 1000000000003 2}}`, "[1000000000000 1000000000002]", ""},
		{"untilStep at the limit", `{{untilStep -8388608 8388608 8388608}}`, "[-8388608 0]", ""},
		{"untilStep too far", `{{untilStep -8388608 8388609 8388608}}`, "", "a distance of 16777217 is out of bounds: 0 to 16777216"},
		{"untilStep too far back", `{{untilStep 16777217 0 -1}}`, "", "a distance of 16777217 is out of bounds: 0 to 16777216"},
		{"untilStep over all integers", `{{untilStep -9223372036854775808 9223372036854775807 1}}`, "", "a distance of 18446744073709551615 is out of bounds: 0 to 16777216"},

		{"seq", `{{seq 3}} {{seq 2 4}} {{seq 0 2 6}} {{seq 3 1}}`, "1 2 3 2 3 4 0 2 4 6 3 2 1", ""},
		{"seq too far", `{{seq 16777217}}`, "", "a number of 16777217 is out of bounds: 0 to 16777216"},
		{"seq too far back", `{{seq 0 -16777217}}`, "", "a number of 16777217 is out of bounds: 0 to 16777216"},

		{"indent", "{{indent 2 \"a\\nb\"}}", "  a\n  b", ""},
		{"nindent", "{{nindent 1 \"a\\nb\"}}", "\n a\n b", ""},
		{"indent backwards", `{{indent -1 "a"}}`, "", "an indentation of -1 is out of bounds: 0 to 16777216"},
		{"indent too far", `{{indent 16777217 "a"}}`, "", "an indentation of 16777217 is out of bounds: 0 to 16777216"},
		{"indent of too many lines", `{{indent 8388608 "a\nb\nc"}}`, "", "a result of so many bytes: 25165824 is out of bounds: 0 to 16777216"},
		{"nindent too far", `{{nindent 16777217 "a"}}`, "", "an indentation of 16777217 is out of bounds: 0 to 16777216"},

		{"set", `{{$d := dict "a" 1}}{{set $d "b" 2}} {{$d}}`, "map[a:1 b:2] map[a:1 b:2]", ""},
		{"set what many share", `{{$x := dict}}{{$d := dict "l" (list $x $x)}}{{set $d "x" (list $x (dict "y" $x))}}`, "map[l:[map[] map[]] x:[map[] map[y:map[]]]]", ""},
		{"set to itself", `{{$d := dict}}{{set $d "d" $d}}`, "", "the dictionary would contain itself"},
		{"set to what contains it", `{{$d := dict}}{{set $d "d" (list 1 (dict "e" (chunk 1 (list $d))))}}`, "", "the dictionary would contain itself"},
		{"merge", `{{merge (dict "a" 1) (dict "a" 2 "b" 3)}} {{mustMerge (dict "a" 1) (dict "a" 2)}}`, "map[a:1 b:3] map[a:1]", ""},
		{"mergeOverwrite", `{{mergeOverwrite (dict "a" 1) (dict "a" 2 "b" 3)}} {{mustMergeOverwrite (dict "a" 1) (dict "a" 2)}}`, "map[a:2 b:3] map[a:2]", ""},
		{"merge into itself", `{{$d := dict}}{{merge $d (dict "d" $d)}}`, "", "the dictionary would contain itself"},
		{"merge into a part of itself", `{{$n := dict}}{{$d := dict "n" $n}}{{mustMergeOverwrite $d (dict "n" (dict "m" $n))}}`, "", "the dictionary would contain itself"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := execute(test.template)
			if test.err == "" && err != nil || test.err != "" && (err == nil || !strings.HasSuffix(err.Error(), ": "+test.err)) {
				t.Errorf("error %v, want %q", err, test.err)
			}
			if err == nil && got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
	if maxMade != limit {
		t.Errorf("the limit is %d, but these cases are about %d", maxMade, limit)
	}
}

func execute(text string, allowed ...Source) (string, error) {
	parsed, err := template.New("").Funcs(Functions(allowed...)).Parse(text)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	err = parsed.Execute(&out, nil)
	return out.String(), err
}

// What a function returns is bounded; the bound is not in the way of what is
// below it.
func TestLimitedFunctions(t *testing.T) {
	half := strings.Repeat("x", maxText/2)
	print := Functions()["print"].(func(...any) (string, error))
	if got, err := print(half, 1, "y"); err != nil || len(got) != len(half)+2 {
		t.Errorf("a long text has %d bytes and the error %v", len(got), err)
	}
	if _, err := print(half, half, "y"); err == nil || err.Error() != "the text has become longer than 256 MiB" {
		t.Errorf("too long a text has the error %v", err)
	}
	concat := Functions()["concat"].(func(...any) (any, error))
	list := make([]any, maxList/2+1)
	if _, err := concat(list, list); err == nil || err.Error() != "the list has become longer than 16777216 elements" {
		t.Errorf("too long a list has the error %v", err)
	}
}
