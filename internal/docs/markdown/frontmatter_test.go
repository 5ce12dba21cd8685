package markdown

import (
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
)

func TestNewEntry(t *testing.T) {
	for value, want := range map[string]any{
		"text":                "text",
		"Two words":           "Two words",
		"All of it: the rest": "All of it: the rest",
		"# no comment":        "# no comment",
		"a #b":                "a #b",
		"true":                true,
		"3":                   uint64(3),
		"-3":                  int64(-3),
		"1.5":                 1.5,
		"null":                nil,
		"[a]":                 []any{"a"},
		"{a: b}":              map[string]any{"a": "b"},
		"[a":                  "[a",
		"{{ .X }}":            "{{ .X }}",
		`"quoted"`:            "quoted",
		"'quoted'":            "quoted",
		`"quoted": text`:      `"quoted": text`,
		`it's "both"`:         `it's "both"`,
		"&anchor":             "&anchor",
		"*alias":              "*alias",
		"!tag x":              "!tag x",
		"| block":             "| block",
		"> block":             "> block",
		"- item":              "- item",
		"-":                   "-",
		"? key":               "? key",
		"a:":                  "a:",
		"@at":                 "@at",
		"`tick`":              "`tick`",
		"%percent":            "%percent",
		`back\slash`:          `back\slash`,
		"漢字":                  "漢字",
		"a\nb":                "a\nb",
		"---":                 "---",
		"":                    "",
	} {
		e := NewEntry("key", value)
		if got := readEntry(t, e); cmp.Diff(want, got) != "" {
			t.Errorf("%q is written as %s, which reads as %#v", value, e.Value, got)
		}
	}
}

func readEntry(t testing.TB, e Entry) any {
	t.Helper()
	if strings.Contains(e.Value, "\n") {
		t.Errorf("%q is not one line", e.Value)
	}
	var read map[string]any
	if err := yaml.Unmarshal([]byte(e.Key+": "+e.Value+"\nnext: 1\n"), &read); err != nil {
		t.Errorf("%s is not YAML: %v", e.Value, err)
	}
	if len(read) != 2 {
		t.Errorf("%s is more than a value: %v", e.Value, read)
	}
	return read[e.Key]
}

// A title is text, whatever its words.
func TestTitleIsText(t *testing.T) {
	for _, title := range []string{"API reference", "3", "true", "On", "No", "null", "1.5", "a: b", `"q"`, `it's "both"`, "[a]", "2024-01-01", "~", "x #y", "漢", "a\tb", "\\", "C++ & <b>"} {
		if got := readEntry(t, textEntry("title", title)); got != title {
			t.Errorf("%q reads as %#v", title, got)
		}
	}
}

// FuzzFrontMatter: every value is YAML in one line, and text reads as itself.
func FuzzFrontMatter(f *testing.F) {
	for _, s := range []string{"a: b", "'", `"`, "[", "\u2028", "\ufeff", "\x7f", "- a", "a\u0085b", "=", "<<"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, value string) {
		value = strings.TrimSpace(strings.ToValidUTF8(value, "?"))
		if got := readEntry(t, textEntry("key", value)); got != value {
			t.Errorf("the text %q reads as %#v", value, got)
		}
		e := NewEntry("key", value)
		got := readEntry(t, e)
		if text, ok := got.(string); ok && text != value && e.Value != value {
			t.Errorf("%q is written as %s, which reads as %q", value, e.Value, text)
		}
	})
}
