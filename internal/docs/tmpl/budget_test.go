package tmpl

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

// A template takes a step for each call of a template, and for each round of a
// range.
func TestSteps(t *testing.T) {
	tests := []struct {
		name, text string
		steps      int64
	}{
		{"nothing", "", 0},
		{"text", "text", 0},
		{"actions", "{{.Name}}{{if .Name}}{{else}}{{end}}{{with .Books}}{{end}}", 0},
		{"range", "{{range .Books}}{{.}}{{end}}", 2},
		{"range over a number", "{{range 5}}{{end}}", 5},
		{"range over a map", "{{range .Notes}}{{end}}", 1},
		{"range over nothing", "{{range 0}}{{else}}none{{end}}", 0},
		{"range in an else", "{{range 0}}{{else}}{{range 3}}{{end}}{{end}}", 3},
		{"two ranges", "{{range 2}}{{end}}{{range 3}}{{end}}", 2 + 3},
		{"range in a range", "{{range 3}}{{range 2}}x{{end}}{{end}}", 3 * (1 + 2)},
		{"range in if, with and their else", "{{if .Name}}{{range 2}}{{end}}{{end}}{{if not .Name}}{{else}}{{range 3}}{{end}}{{end}}{{with .Name}}{{range 4}}{{end}}{{end}}{{with 0}}{{else}}{{range 5}}{{end}}{{end}}", 2 + 3 + 4 + 5},
		{"range in an else if", "{{if not .Name}}{{else if .Name}}{{range 2}}{{end}}{{end}}", 2},
		{"break", "{{range 9}}{{break}}{{end}}", 1},
		{"continue", "{{range 9}}{{continue}}x{{end}}", 9},
		{"template", `{{define "a"}}x{{end}}{{template "a"}}{{template "a"}}`, 2},
		{"template in a range", `{{define "a"}}x{{end}}{{range 3}}{{template "a"}}{{end}}`, 3 * (1 + 1)},
		{"range in a template in a range", `{{define "a"}}{{range 4}}x{{end}}{{end}}{{range 3}}{{template "a"}}{{end}}`, 3 * (1 + 1 + 4)},
		{"template in a template", `{{define "a"}}{{template "b"}}{{template "b"}}{{end}}{{define "b"}}x{{end}}{{template "a"}}`, 1 + 2},
		{"block", `{{block "a" .}}{{range 2}}{{end}}{{end}}`, 1 + 2},
		{"template that calls itself", `{{define "a"}}{{if .}}{{template "a" (slice . 1)}}{{end}}{{end}}{{template "a" "four"}}`, 5},
		{"text itself", `{{if eq (printf "%T" .) "string"}}{{else}}{{template "Text Template" "x"}}{{end}}`, 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			parsed, err := parsePage(test.text)
			if err != nil {
				t.Fatal(err)
			}
			parsed.limit.steps = test.steps
			if _, err := parsed.Execute(someLibrary); err != nil {
				t.Errorf("with %d steps: %v", test.steps, err)
			}
			if test.steps == 0 {
				return
			}
			parsed.limit.steps--
			if _, err := parsed.Execute(someLibrary); err == nil {
				t.Errorf("with %d steps: no error, want one", test.steps-1)
			}
		})
	}
}

func TestTooManySteps(t *testing.T) {
	tests := []struct {
		name, text, place string
	}{
		{"range", "one\n {{range 1000000000}}{{end}}", "page.tmpl:2:10"},
		{"range in a definition", "{{define \"a\"}}\n{{range 1000000000}}x{{end}}{{end}}{{template \"a\"}}", "page.tmpl:2:9"},
		{"ranges in ranges", "{{range 9}}{{range 9}}{{range 9}}\n{{range 9}}{{end}}{{end}}{{end}}{{end}}", "page.tmpl:2:9"},
		{"templates that double", "{{define \"a\"}}{{if .}}{{template \"a\" (slice . 1)}}{{template \"a\" (slice . 1)}}{{end}}{{end}}\n{{template \"a\" \"0123456789abcdef\"}}", "page.tmpl:1:34"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			parsed, err := parsePage(test.text)
			if err != nil {
				t.Fatal(err)
			}
			parsed.limit.steps = 1000
			pieces, err := parsed.Execute(someLibrary)
			want := test.place + ": the template does not come to an end: it was stopped after 1000 rounds of its range actions and calls of its templates; this is where it was"
			if err == nil || err.Error() != want {
				t.Errorf("error %v, want %s", err, want)
			}
			if pieces != nil {
				t.Errorf("output of %d pieces, want none", len(pieces))
			}
		})
	}
}

// A template that never stops calling itself is stopped soon, also where a range
// is among the calls: text/template alone takes hours there.
func TestTooDeep(t *testing.T) {
	tests := []struct {
		name, text, place string
	}{
		{"call", "{{define \"a\"}}\n {{template \"a\"}}{{end}}{{template \"a\"}}", "page.tmpl:2:13"},
		{"calls in turn", "{{define \"a\"}}{{template \"b\"}}{{end}}{{define \"b\"}}{{template \"a\"}}{{end}}\n{{template \"a\"}}", "page.tmpl:1:63"},
		{"call in a range", "{{define \"a\"}}{{range 2}}\n{{template \"a\"}}{{end}}{{end}}{{template \"a\"}}", "page.tmpl:2:12"},
		{"call in ranges and blocks", "{{define \"a\"}}{{range 2}}{{with 1}}{{if 1}}{{range 2}}\n{{template \"a\"}}{{end}}{{end}}{{end}}{{end}}{{end}}{{template \"a\"}}", "page.tmpl:2:12"},
		{"call of the text itself", "{{range 2}}\n{{template \"Text Template\"}}{{end}}", "page.tmpl:2:12"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := run(test.text)
			want := test.place + ": the template calls itself without end: it was stopped when 10000 calls were open; this is the last one"
			if err == nil || err.Error() != want {
				t.Errorf("error %v, want %s", err, want)
			}
		})
	}
}

// Calls that have returned do not count.
func TestDepth(t *testing.T) {
	tests := []struct {
		name, text string
		depth      int64
	}{
		{"calls one after the other", `{{define "a"}}x{{end}}{{range 5}}{{template "a"}}{{template "a"}}{{end}}`, 1},
		{"calls left by break and continue", `{{define "a"}}{{range 2}}{{break}}{{end}}{{end}}{{range 5}}{{template "a"}}{{continue}}{{end}}`, 1},
		{"call in a call", `{{define "a"}}{{template "b"}}{{template "b"}}{{end}}{{define "b"}}x{{end}}{{template "a"}}{{template "a"}}`, 2},
		{"template that calls itself", `{{define "a"}}{{if .}}{{template "a" (slice . 1)}}{{end}}{{end}}{{template "a" "four"}}`, 5},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			parsed, err := parsePage(test.text)
			if err != nil {
				t.Fatal(err)
			}
			parsed.limit.depth = test.depth
			if _, err := parsed.Execute(someLibrary); err != nil {
				t.Errorf("with a depth of %d: %v", test.depth, err)
			}
			parsed.limit.depth--
			if _, err := parsed.Execute(someLibrary); err == nil {
				t.Errorf("with a depth of %d: no error, want one", test.depth-1)
			}
		})
	}
}

// The number of steps is that of one execution, not of all.
func TestStepsOfEachExecution(t *testing.T) {
	parsed, err := parsePage("{{range 3}}x{{end}}")
	if err != nil {
		t.Fatal(err)
	}
	parsed.limit.steps = 3
	for range 3 {
		if _, err := parsed.Execute(someLibrary); err != nil {
			t.Error(err)
		}
	}
}

func TestTooMuchText(t *testing.T) {
	parsed, err := parsePage("{{range 4}}abcd{{end}}12345")
	if err != nil {
		t.Fatal(err)
	}
	parsed.limit.output = 4*4 + 5
	if _, err := parsed.Execute(someLibrary); err != nil {
		t.Errorf("as much text as there can be: %v", err)
	}
	parsed.limit.output--
	_, err = parsed.Execute(someLibrary)
	if want := "page.tmpl: the output is larger than the 2 GiB that a response can carry"; err == nil || err.Error() != want {
		t.Errorf("one byte more: error %v, want %s", err, want)
	}
}

// A page is kept in pieces that double up to the largest size and are never
// moved.
func TestWritePieces(t *testing.T) {
	sizes := []int{4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10, 128 << 10, 256 << 10, 256 << 10, 256 << 10}
	text := make([]byte, 900<<10)
	for i := range text {
		text[i] = byte(i % 251)
	}
	for _, step := range []int{1, 1000, 4 << 10, 100_000, len(text)} {
		p := &page{budget: newBudget(limits{output: maxOutput})}
		var first *byte
		for rest := text; len(rest) > 0; {
			part := rest[:min(step, len(rest))]
			rest = rest[len(part):]
			if n, err := p.Write(part); n != len(part) || err != nil {
				t.Fatalf("in steps of %d: Write wrote %d of %d bytes, error %v", step, n, len(part), err)
			}
			if first == nil {
				first = &p.pieces[0][0]
			}
		}
		if got := bytes.Join(p.pieces, nil); !bytes.Equal(got, text) {
			t.Errorf("in steps of %d: the pieces are not the text", step)
		}
		if first != &p.pieces[0][0] {
			t.Errorf("in steps of %d: the first piece was moved", step)
		}
		left := len(text)
		for i, piece := range p.pieces {
			if want := min(left, sizes[i]); len(piece) != want || cap(piece) != sizes[i] {
				t.Errorf("in steps of %d: piece %d has %d of %d bytes, want %d of %d", step, i, len(piece), cap(piece), want, sizes[i])
			}
			left -= len(piece)
		}
	}
}

func TestWriteNothing(t *testing.T) {
	p := &page{budget: newBudget(limits{output: 1})}
	if n, err := p.Write(nil); n != 0 || err != nil || len(p.pieces) != 0 {
		t.Errorf("Write of nothing: %d, %v, %d pieces; want nothing", n, err, len(p.pieces))
	}
}

// A write that goes over the limit writes nothing.
func TestWriteOverTheLimit(t *testing.T) {
	p := &page{budget: newBudget(limits{output: 5})}
	if _, err := p.Write([]byte("abc")); err != nil {
		t.Fatal(err)
	}
	if n, err := p.Write([]byte("def")); n != 0 || !errors.Is(err, errTooMuchText) {
		t.Errorf("Write over the limit: %d, %v; want 0 and %v", n, err, errTooMuchText)
	}
	if got := string(bytes.Join(p.pieces, nil)); got != "abc" {
		t.Errorf("the page is %q, want abc", got)
	}
}

// What is written behind a hole never lands in a piece before it.
func TestHoles(t *testing.T) {
	p := &page{budget: newBudget(limits{output: maxOutput})}
	p.hole()
	_, _ = p.Write([]byte("a"))
	p.hole()
	p.hole()
	_, _ = p.Write([]byte(strings.Repeat("b", 3)))
	_, _ = p.Write([]byte("c"))
	p.hole()
	var got strings.Builder
	for i := range len(p.pieces) + 1 {
		for _, before := range p.holes {
			if before == i {
				got.WriteByte('_')
			}
		}
		if i < len(p.pieces) {
			got.Write(p.pieces[i])
		}
	}
	if want := "_a__bbbc_"; got.String() != want {
		t.Errorf("pieces and holes are %s, want %s", got.String(), want)
	}
}
