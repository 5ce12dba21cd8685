package rules

import (
	"encoding/base64"
	"encoding/json"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/api"
)

// Value is a value in JSON that keeps the rules of a field, or those of its
// elements: for examples. It is empty where no rule asks for more than the type
// does, and where no simple value keeps the rules.
func Value(f *api.Field) string {
	for _, o := range f.Options().Custom() {
		if o.Name != "buf.validate.field" && o.Name != "validate.rules" {
			continue
		}
		fields, _ := o.Value.(map[string]any)
		if text := valueOf(f, fields); text != "" {
			return text
		}
	}
	return ""
}

func valueOf(f *api.Field, fields map[string]any) string {
	for kind, of := range fields {
		rules, ok := of.(map[string]any)
		if !ok || len(rules) == 0 {
			continue
		}
		switch kind {
		case "repeated":
			items, _ := rules["items"].(map[string]any)
			return valueOf(f, items)
		case "string":
			return quoted(stringValue(rules))
		case "bytes":
			return bytesValue(rules)
		case "bool":
			if v, ok := rules["const"].(bool); ok {
				return strconv.FormatBool(v)
			}
		case "enum":
			return enumValue(f, rules)
		case "duration":
			return quoted(durationValue(rules))
		case "timestamp":
			return quoted(timestampValue(rules))
		case "float":
			return floatValue(rules, 32)
		case "double":
			return floatValue(rules, 64)
		case "int64", "uint64", "sint64", "fixed64", "sfixed64":
			return quoted(intValue(rules)) // as protobuf's JSON writes 64 bits
		case "int32", "uint32", "sint32", "fixed32", "sfixed32":
			return intValue(rules)
		}
	}
	return ""
}

func quoted(text string) string {
	if text == "" {
		return ""
	}
	b, err := json.Marshal(text)
	if err != nil {
		return ""
	}
	return string(b)
}

// wellKnownStrings are values of the formats that a string can have to have.
var wellKnownStrings = map[string]string{
	"email": "name@example.com", "hostname": "example.com", "address": "example.com",
	"ip": "192.0.2.1", "ipv4": "192.0.2.1", "ipv6": "2001:db8::1",
	"uri": "https://example.com/", "uri_ref": "/path", "host_and_port": "example.com:443",
	"uuid": "123e4567-e89b-42d3-a456-426614174000", "tuuid": "123e4567e89b42d3a456426614174000",
}

func stringValue(rules map[string]any) string {
	text, _ := rules["const"].(string)
	if list, ok := rules["in"].([]any); ok && text == "" {
		text, _ = list[0].(string)
	}
	for _, name := range wellKnownNames {
		if rules[name] == true {
			text = wellKnownStrings[name]
		}
	}
	if text == "" {
		text = madeString(rules)
	}
	if !keeps(text, rules) {
		return ""
	}
	return text
}

var wellKnownNames = slices.Sorted(maps.Keys(wellKnownStrings))

// maxString bounds the strings of examples: nobody reads longer ones.
const maxString = 100

// madeString is the text "string" with what it has to begin with, contain and end
// in, cut or filled up to its length.
func madeString(rules map[string]any) string {
	prefix, _ := rules["prefix"].(string)
	middle, _ := rules["contains"].(string)
	suffix, _ := rules["suffix"].(string)
	text := prefix + middle
	if text+suffix == "" {
		text = "string"
	}
	low, high := lengths(rules)
	if low > maxString {
		return ""
	}
	for n := utf8.RuneCountInString(text + suffix); n < low; n++ {
		text += "x"
	}
	if text == "string" && high < len(text) {
		text = text[:high]
	}
	return text + suffix
}

func lengths(rules map[string]any) (low, high int) {
	high = math.MaxInt
	bound := func(name string) (int, bool) {
		n, ok := rules[name].(uint64)
		return int(min(n, math.MaxInt32)), ok
	}
	for _, name := range []string{"min_len", "min_bytes", "len", "len_bytes"} {
		if n, ok := bound(name); ok {
			low = max(low, n)
		}
	}
	for _, name := range []string{"max_len", "max_bytes", "len", "len_bytes"} {
		if n, ok := bound(name); ok {
			high = min(high, n)
		}
	}
	return low, high
}

// keeps tells whether a text keeps the rules that can contradict each other.
func keeps(text string, rules map[string]any) bool {
	low, high := lengths(rules)
	if n := utf8.RuneCountInString(text); n < low || n > high || text == "" {
		return false
	}
	if pattern, ok := rules["pattern"].(string); ok {
		expr, err := regexp.Compile(pattern)
		if err != nil || !expr.MatchString(text) {
			return false
		}
	}
	if list, ok := rules["not_in"].([]any); ok && slices.Contains(list, any(text)) {
		return false
	}
	if not, ok := rules["not_contains"].(string); ok && strings.Contains(text, not) {
		return false
	}
	return true
}

func bytesValue(rules map[string]any) string {
	if b, ok := rules["const"].([]byte); ok {
		return quoted(base64.StdEncoding.EncodeToString(b))
	}
	prefix, _ := rules["prefix"].([]byte)
	low, high := lengths(rules)
	b := append([]byte(nil), prefix...)
	if len(b) == 0 {
		b = []byte("bytes")[:min(high, len("bytes"))]
	}
	for len(b) < low && len(b) < maxString {
		b = append(b, 'x')
	}
	if len(b) < low || len(b) > high || rules["pattern"] != nil || rules["suffix"] != nil || rules["in"] != nil {
		return ""
	}
	return quoted(base64.StdEncoding.EncodeToString(b))
}

// enumValue is the first value of the enum that is not zero and keeps the rules.
func enumValue(f *api.Field, rules map[string]any) string {
	if f.Enum == nil {
		return ""
	}
	in, _ := rules["in"].([]any)
	not, _ := rules["not_in"].([]any)
	zero := ""
	for _, v := range f.Enum.Values {
		n := any(v.Desc.GetNumber())
		if c, ok := rules["const"]; ok && c != n {
			continue
		}
		if in != nil && !slices.Contains(in, n) || slices.Contains(not, n) {
			continue
		}
		if v.Desc.GetNumber() != 0 {
			return quoted(v.Name)
		}
		zero = v.Name
	}
	return quoted(zero)
}

// number is a bound or a value as a float and as an integer.
func number(value any) (float64, bool) {
	switch v := value.(type) {
	case int32:
		return float64(v), true
	case int64:
		return float64(v), true
	case uint32:
		return float64(v), true
	case uint64:
		return float64(v), true
	case float32:
		return float64(v), true
	case float64:
		return v, true
	case map[string]any:
		seconds, nanos := parts(v)
		return float64(seconds) + float64(nanos)/1e9, true
	}
	return 0, false
}

// maxExact is the largest integer up to which a float64 is exact.
const maxExact = 1 << 53

// within is a number that keeps bounds, and differs from what is left out; the
// usual one if that does. Steps are how far apart numbers are.
func within(rules map[string]any, usual, step float64) (float64, bool) {
	if v, ok := number(rules["const"]); ok {
		return v, true
	}
	if list, ok := rules["in"].([]any); ok && len(list) > 0 {
		return number(list[0])
	}
	candidates := []float64{usual}
	for _, name := range []string{"gte", "lte", "gt", "lt"} {
		if v, ok := number(rules[name]); ok {
			candidates = append(candidates, v, v+step, v-step, v+2*step, v-2*step)
		}
	}
	low, isLow := number(rules["gte"])
	if v, ok := number(rules["gt"]); ok {
		low, isLow = v, true
	}
	high, isHigh := number(rules["lte"])
	if v, ok := number(rules["lt"]); ok {
		high, isHigh = v, true
	}
	if isLow && isHigh && step != 1 {
		candidates = append(candidates, (low+high)/2)
	}
	fits := func(v float64) bool {
		over := !isLow || v > low || v == low && rules["gte"] != nil
		under := !isHigh || v < high || v == high && rules["lte"] != nil
		if isLow && isHigh && low > high {
			return over || under // what lies between them is ruled out
		}
		return over && under
	}
	not, _ := rules["not_in"].([]any)
	for _, v := range candidates {
		left := slices.ContainsFunc(not, func(n any) bool { x, _ := number(n); return x == v })
		if fits(v) && !left && math.Abs(v) <= maxExact {
			return v, true
		}
	}
	return 0, false
}

func intValue(rules map[string]any) string {
	v, ok := within(rules, 1, 1)
	if !ok || v != math.Trunc(v) {
		return ""
	}
	return strconv.FormatInt(int64(v), 10)
}

func floatValue(rules map[string]any, bits int) string {
	v, ok := within(rules, 1.5, 0.5)
	if !ok || math.IsInf(v, 0) || math.IsNaN(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', -1, bits)
}

func durationValue(rules map[string]any) string {
	v, ok := within(rules, 1.5, 0.5)
	if !ok {
		return ""
	}
	return strconv.FormatFloat(v, 'f', -1, 64) + "s"
}

func timestampValue(rules map[string]any) string {
	const usual = 1136214245 // 2006-01-02T15:04:05Z
	if rules["gt_now"] == true || rules["within"] != nil {
		return ""
	}
	v, ok := within(rules, usual, 1)
	if !ok {
		return ""
	}
	return time.Unix(int64(v), 0).UTC().Format(time.RFC3339)
}
