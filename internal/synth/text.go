package synth

import (
	"math/rand/v2"
	"strings"
)

// chance is true with probability p.
func chance(rng *rand.Rand, p float64) bool { return rng.Float64() < p }

// pick draws one item.
func pick[T any](rng *rand.Rand, items []T) T { return items[rng.IntN(len(items))] }

// Pieces of hostile comments. A comment is a first line, which decides what a
// reader that trims and scrubs makes of the whole, and further lines.
var (
	firstLines = []string{
		" ", "", " * ", "*", " **bold** start", " /healthz", "/ a", "/ ", "// x", " @exclude", "@exclude internal", " @excluded word",
		"\t@exclude", " *@exclude", " x @exclude", "\n", "\n\n @exclude", " - item", " # Heading", "\u00a0nbsp", "\u2003em space", "\ufeffbom",
		"\v\f odd", " | a | b |", "***", "*/ end", " / * / *", "\r", "\r\n text", " 1. one", "\u0085nel",
	}
	lines = []string{
		"", "plain words of a comment", "* item", "- bullet", "/ a", "/// b", "/healthz", "**bold** text", "@exclude later", "@deprecated",
		"| a | b |", "`a|b`", "{braces} projects/{project}", "{{.Name}}", "{{`raw`}} {{/* c */}}", "{{< hugo >}}", "{% raw %}",
		"<b>tag</b> <project-id>", "<script>alert(1)</script>", "<!-- c -->", "&amp; & \" '", `back\slash \n`, `"quoted" 'single'`,
		"naïve café 日本語 🎉", "a\u00a0b\u2028c\u202ed", "```go", "```", "# Heading", "1. one", "a_b *c* __d__", "https://example.com/x?y=1&z=2",
		"[Foo][a.b.Foo] [Bar][]", "buf:lint:ignore X", "*/ /*", "+plus", "%d %s %!", "$1 ${x}", "a\tb\tc", "(-- hidden --)", "a  b   c",
		"İstanbul ß ﬁ", "é combining e\u0301", "\x01\x7f",
	}
	indents   = []string{"", " ", " ", " ", "  ", "    ", "\t", " \t", " * "}
	trailers  = []string{"", "", "", "", " ", "  ", "\t", `\`}
	lineEnds  = []string{"\n", "\n", "\n", "\n", "\r\n", "\r", "\n\n", "\n \n", "\r\n\r\n", "\n\r", "\r\r", "\n\n\n"}
	sentences = []string{
		" Returns the state.\n", " The name of the resource.\n Must be unique in its project.\n", " Deprecated: use `other`.\n",
		" First paragraph.\n\n Second paragraph,\n with two lines.\n", " One line, block comment ", " Values:\n  - a\n  - b\n",
	}
)

// comment draws a comment as source info holds it: often a plain one, often a
// hostile one, rarely a very long one.
func comment(rng *rand.Rand) string {
	switch {
	case chance(rng, 0.3):
		return pick(rng, sentences)
	case chance(rng, 0.02):
		return " " + strings.Repeat("very long line with | and {x} ", 100+rng.IntN(200)) + "\n"
	case chance(rng, 0.03):
		return " " + strings.Repeat("unbroken", 200+rng.IntN(200)) + "\n"
	default:
		return hostileComment(rng)
	}
}

func hostileComment(rng *rand.Rand) string {
	var b strings.Builder
	end := pick(rng, lineEnds)
	b.WriteString(pick(rng, firstLines))
	for range rng.IntN(6) {
		if chance(rng, 0.3) {
			end = pick(rng, lineEnds)
		}
		b.WriteString(end)
		b.WriteString(pick(rng, indents))
		b.WriteString(pick(rng, lines))
		b.WriteString(pick(rng, trailers))
	}
	if chance(rng, 0.9) {
		b.WriteString(end)
	}
	return b.String()
}

// defaultValues are default_value texts as protoc writes them into a
// descriptor: numbers in its own notation, strings as they are, bytes
// C-escaped.
var defaultValues = map[string][]string{
	"double":   {"0", "-0", "1.5", "-2.25", "inf", "-inf", "nan", "1e+300", "-1e-300", "1.7976931348623157e+308"},
	"float":    {"0", "-0", "1.5", "-2.25", "inf", "-inf", "nan", "1e+20", "3.40282347e+38", "1e-07"},
	"int32":    {"0", "-1", "42", "2147483647", "-2147483648"},
	"int64":    {"0", "-1", "42", "9223372036854775807", "-9223372036854775808"},
	"uint32":   {"0", "42", "4294967295"},
	"uint64":   {"0", "42", "18446744073709551615"},
	"sint32":   {"0", "-7", "2147483647", "-2147483648"},
	"sint64":   {"0", "-7", "9223372036854775807", "-9223372036854775808"},
	"fixed32":  {"0", "42", "4294967295"},
	"fixed64":  {"0", "42", "18446744073709551615"},
	"sfixed32": {"0", "-7", "2147483647", "-2147483648"},
	"sfixed64": {"0", "-7", "9223372036854775807", "-9223372036854775808"},
	"bool":     {"true", "false"},
	"string": {
		"", "hello", `with "double" and 'single' quotes`, "tab\there", "line\nbreak", "cr\r\nlf", "naïve 日本語 🎉", `back\slash`, "{{.Name}}",
		"a|b", "<b>&amp;</b>", "  spaced  ", "@exclude", "*/", "`code`",
	},
	"bytes": {``, `abc`, `\000\001\377`, `\"quoted\"`, `\'single\'`, `\\`, `\n\t\r`, `\303\251`, `a|b<c>`},
}
