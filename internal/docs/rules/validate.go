package rules

import (
	"slices"
	"strings"
)

// fieldRules are buf.validate.FieldRules and validate.FieldRules. They name most
// of their rules alike: a field of the message for each type, in which each rule
// is a field of its own.
func fieldRules(value any) (list []phrase, whole bool) {
	fields := newTree(value)
	if fields.is("required") {
		list = append(list, words("required"))
	}
	if message := fields.tree("message"); message != nil { // of validate alone
		if message.is("required") {
			list = append(list, words("required"))
		}
		if message.is("skip") {
			list = append(list, words("its fields are not validated"))
		}
		fields.keep("message", message)
	}
	if how := ignoreWords[fields.text("ignore")]; how != "" {
		list = append(list, words(how))
	} else {
		fields.unread("ignore")
	}
	list = append(list, celRules(fields)...)
	for _, kind := range fields.names() {
		if rules := fields.tree(kind); rules != nil {
			rules.times = kind == "timestamp"
			list = append(list, typeRules(rules, kind)...)
			fields.keep(kind, rules)
		}
	}
	return list, fields.empty()
}

// ignoreWords are the values of buf.validate.Ignore.
var ignoreWords = map[string]string{
	"IGNORE_IF_ZERO_VALUE":    "the rules hold unless it is zero",
	"IGNORE_IF_UNPOPULATED":   "the rules hold if it is set",
	"IGNORE_IF_DEFAULT_VALUE": "the rules hold unless it is the default",
	"IGNORE_ALWAYS":           "not validated",
}

// celRules are rules in the Common Expression Language: in words where their
// author gave some.
func celRules(fields *tree) (list []phrase) {
	for _, rule := range fields.trees("cel") {
		message, expression := rule.text("message"), rule.text("expression")
		_ = rule.text("id")
		if message != "" {
			list = append(list, words(strings.TrimSuffix(message, ".")))
		} else {
			list = append(list, phrase{{Text: "holds: "}, code(expression)})
		}
	}
	for _, expression := range fields.list("cel_expression") {
		list = append(list, phrase{{Text: "holds: "}, code(expression)})
	}
	return list
}

// oneofRules are buf.validate.OneofRules.
func oneofRules(value any) (list []phrase, whole bool) {
	fields := newTree(value)
	if fields.is("required") {
		list = append(list, words("one of them has to be set"))
	}
	return list, fields.empty()
}

// messageRules are buf.validate.MessageRules.
func messageRules(value any) (list []phrase, whole bool) {
	fields := newTree(value)
	if fields.is("disabled") {
		list = append(list, words("not validated"))
	}
	list = append(list, celRules(fields)...)
	for _, rule := range fields.trees("oneof") {
		p := words("at most one is set of ")
		if rule.is("required") {
			p = words("exactly one is set of ")
		}
		list = append(list, alternatives(p, rule.list("fields")))
	}
	return list, fields.empty()
}

// typeRules are the rules for one type of field.
func typeRules(rules *tree, kind string) (list []phrase) {
	list = append(list, celRules(rules)...)
	list = append(list, bounds(rules)...)
	for _, c := range counts {
		if kind == "bytes" && c.exact == "len" {
			c.one, c.many = "byte", "bytes"
		}
		list = append(list, c.say(rules)...)
	}
	for _, s := range single {
		if value := rules.text(s.name); value != "" {
			list = append(list, phrase{{Text: s.words}, code(value)})
		}
	}
	for _, m := range many {
		if values := rules.list(m.name); len(values) > 0 {
			list = append(list, alternatives(words(m.words), values))
		}
	}
	for _, name := range rules.names() {
		if text, ok := formats[name]; ok && rules.is(name) {
			list = append(list, words(text))
		}
	}
	if expression := wellKnownRegex[rules.text("well_known_regex")]; expression != "" {
		list = append(list, words(expression))
	} else {
		rules.unread("well_known_regex")
	}
	for _, part := range inner {
		of := rules.tree(part.name)
		if of == nil {
			continue
		}
		phrases, whole := fieldRules(of.fields)
		for _, p := range phrases {
			list = append(list, append(words(part.words), p...))
		}
		if !whole && len(of.fields) > 0 {
			rules.unread(part.name)
		}
	}
	return list
}

// single are rules with one value.
var single = []struct{ name, words string }{
	{"const", "is "},
	{"pattern", "matches "},
	{"prefix", "begins with "},
	{"suffix", "ends in "},
	{"contains", "contains "},
	{"not_contains", "does not contain "},
	{"within", "no further from now than "},
}

// many are rules with several values.
var many = []struct{ name, words string }{
	{"in", "one of "},
	{"not_in", "none of "},
}

// inner are rules for the parts of a value.
var inner = []struct{ name, words string }{
	{"items", "each element: "},
	{"keys", "each key: "},
	{"values", "each value: "},
}

// formats are rules that are on or off.
var formats = map[string]string{
	"email":               "an email address",
	"hostname":            "a host name",
	"ip":                  "an IP address",
	"ipv4":                "an IPv4 address",
	"ipv6":                "an IPv6 address",
	"uri":                 "a URI",
	"uri_ref":             "a URI or a relative reference",
	"address":             "a host name or an IP address",
	"uuid":                "a UUID",
	"tuuid":               "a UUID without hyphens",
	"ulid":                "a ULID",
	"ip_with_prefixlen":   "an IP address with the length of its prefix",
	"ipv4_with_prefixlen": "an IPv4 address with the length of its prefix",
	"ipv6_with_prefixlen": "an IPv6 address with the length of its prefix",
	"ip_prefix":           "an IP prefix",
	"ipv4_prefix":         "an IPv4 prefix",
	"ipv6_prefix":         "an IPv6 prefix",
	"host_and_port":       "a host and a port",
	"protobuf_fqn":        "a full name of protobuf",
	"protobuf_dot_fqn":    "a full name of protobuf with a leading dot",
	"finite":              "a finite number",
	"unique":              "no element twice",
	"no_sparse":           "every value is set",
	"defined_only":        "a value that the enum defines",
	"lt_now":              "in the past",
	"gt_now":              "in the future",
	"required":            "required",
	"ignore_empty":        "the rules hold unless it is empty",
}

// wellKnownRegex are the values of KnownRegex.
var wellKnownRegex = map[string]string{
	"KNOWN_REGEX_HTTP_HEADER_NAME":  "the name of an HTTP header",
	"KNOWN_REGEX_HTTP_HEADER_VALUE": "the value of an HTTP header",
	"HTTP_HEADER_NAME":              "the name of an HTTP header",
	"HTTP_HEADER_VALUE":             "the value of an HTTP header",
}

// count is a rule about how many of something a value has.
type count struct{ exact, low, high, one, many string }

var counts = []count{
	{"len", "min_len", "max_len", "character", "characters"},
	{"len_bytes", "min_bytes", "max_bytes", "byte", "bytes"},
	{"", "min_items", "max_items", "element", "elements"},
	{"", "min_pairs", "max_pairs", "entry", "entries"},
}

func (c count) say(rules *tree) []phrase {
	of := func(n string) Word {
		if n == "1" {
			return Word{Text: n + " " + c.one}
		}
		return Word{Text: n + " " + c.many}
	}
	if n := rules.text(c.exact); n != "" {
		return []phrase{{{Text: "exactly "}, of(n)}}
	}
	switch low, high := rules.text(c.low), rules.text(c.high); {
	case low == "" && high == "":
		return nil
	case high == "":
		return []phrase{{{Text: "at least "}, of(low)}}
	case low == "":
		return []phrase{{{Text: "at most "}, of(high)}}
	case low == high:
		return []phrase{{{Text: "exactly "}, of(low)}}
	default:
		return []phrase{{{Text: low + " to "}, of(high)}}
	}
}

// bounds are a lower and an upper bound. Where the lower one is the larger, the
// values between them are ruled out (buf.validate, "gt" and "lt").
func bounds(rules *tree) []phrase {
	lower, upper := phrase(nil), phrase(nil)
	low, high := rules.raw("gt"), rules.raw("lt")
	if v := rules.text("gt"); v != "" {
		lower = phrase{{Text: "greater than "}, code(v)}
	}
	if v := rules.raw("gte"); v != nil {
		low = v
		lower = phrase{{Text: "at least "}, code(rules.text("gte"))}
	}
	if v := rules.text("lt"); v != "" {
		upper = phrase{{Text: "less than "}, code(v)}
	}
	if v := rules.raw("lte"); v != nil {
		high = v
		upper = phrase{{Text: "at most "}, code(rules.text("lte"))}
	}
	switch {
	case lower == nil && upper == nil:
		return nil
	case upper == nil:
		return []phrase{lower}
	case lower == nil:
		return []phrase{upper}
	case compare(low, high) > 0:
		return []phrase{slices.Concat(upper, phrase{{Text: " or "}}, lower)}
	}
	return []phrase{slices.Concat(lower, phrase{{Text: " and "}}, upper)}
}

func words(text string) phrase { return phrase{{Text: text}} }

func code(text string) Word { return Word{Text: text, Code: true} }

// alternatives appends values to a phrase.
func alternatives(p phrase, values []string) phrase {
	for i, v := range values {
		if i > 0 {
			p = append(p, Word{Text: ", "})
		}
		p = append(p, code(v))
	}
	return p
}
