package tmpl

import (
	"bytes"
	"fmt"
	"testing"
)

// folder has what the ranges that can be run in parts are over.
type folder struct {
	Name  string
	Files []*file
}

type file struct {
	Name  string
	Lines []string
}

func someFolder(files int) *folder {
	f := &folder{Name: "docs"}
	for i := range files {
		f.Files = append(f.Files, &file{Name: fmt.Sprintf("f%02d", i), Lines: make([]string, i%3)})
	}
	return f
}

// Whatever is run in parts has to give what running the whole does.
func TestParallel(t *testing.T) {
	tests := []struct {
		name, text string
		loops      int // how many ranges are run in parts
	}{
		{"no files", "{{.Name}}", 0},
		{"files", "{{range .Files}}{{.Name}};{{end}}", 1},
		{"text around", "<{{.Name}}{{range .Files}}{{.Name}};{{end}}{{.Name}}>", 1},
		{"two ranges", "{{range .Files}}{{.Name}};{{end}}-{{range $.Files}}{{.Name}},{{end}}", 2},
		{"file as a variable", "{{range $f := .Files}}{{$f.Name}}{{.Name}};{{end}}", 1},
		{"number and file", "{{range $i, $f := .Files}}{{$i}}{{$f.Name}}{{.Name}};{{end}}", 1},
		{"variables of its own", "{{range .Files}}{{$n := .Name}}{{range .Lines}}{{$n}}{{end}};{{end}}", 1},
		{"the whole in a round", "{{range .Files}}{{$.Name}}{{len $.Files}}{{end}}", 1},
		{"definition", `{{define "row"}}{{range .Lines}}x{{end}}{{.Name}};{{end}}{{range .Files}}{{template "row" .}}{{end}}`, 1},
		{"continue", "{{range .Files}}{{if .Lines}}{{continue}}{{end}}{{.Name}};{{end}}", 1},
		{"else", "{{range .Files}}{{.Name}}{{else}}none{{end}}", 1},

		{"break", "{{range .Files}}{{if .Lines}}{{break}}{{end}}{{.Name}};{{end}}", 0},
		{"variable from outside", "{{$n := .Name}}{{range .Files}}{{$n}}{{.Name}};{{end}}", 0},
		{"variable that is changed", `{{$n := ""}}{{range .Files}}{{$n = printf "%s%s" $n .Name}}{{end}}{{$n}}`, 0},
		{"range inside of another block", "{{if .Name}}{{range .Files}}{{.Name}};{{end}}{{end}}", 0},
		{"part of the files", "{{range slice .Files 1}}{{.Name}};{{end}}", 0},
		{"the template itself", `{{if len .Name | lt 3}}{{range .Files}}{{.Name}};{{end}}{{else}}{{range .Files}}{{template "Text Template" .}}{{end}}{{end}}`, 0},
		{"the template itself behind a range", `{{range .Files}}{{if .Lines}}{{template "Text Template" $}}{{end}}{{end}}`, 0},
		// The variable of the inner block is gone where the name stands again: no
		// part of the template can be run alone, and the whole is.
		{"variable of an inner block", "{{$n := .Name}}{{range .Files}}{{if .Lines}}{{$n := .Name}}{{$n}}{{end}}{{end}}", 1},
		{"variable behind an inner block", "{{$n := .Name}}{{range .Files}}{{if .Lines}}{{$n := .Name}}{{end}}{{$n}}{{end}}", 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			parallel, err := parsePage(test.text)
			if err != nil {
				t.Fatal(err)
			}
			if len(parallel.loops) != test.loops {
				t.Errorf("%d ranges are run in parts, want %d", len(parallel.loops), test.loops)
			}
			whole := *parallel
			whole.loops = nil
			for _, files := range []int{1, 2, 7, 50} {
				got, gotErr := parallel.Execute(someFolder(files))
				want, wantErr := whole.Execute(someFolder(files))
				if !bytes.Equal(bytes.Join(got, nil), bytes.Join(want, nil)) || fmt.Sprint(gotErr) != fmt.Sprint(wantErr) {
					t.Errorf("%d files: got %q, error %v; want %q, error %v", files, got, gotErr, want, wantErr)
				}
			}
		})
	}
}

// The error is that of the first round that fails, with its place, whatever
// order the rounds were run in.
func TestParallelError(t *testing.T) {
	parsed, err := parsePage("{{.Name}}\n{{range .Files}}\n{{if .Lines}}{{refuse .Name}}{{end}}{{end}}")
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		out, err := parsed.Execute(someFolder(50))
		if want := "page.tmpl:3:16: {{refuse .Name}}: f01"; fmt.Sprint(err) != want || out != nil {
			t.Fatalf("output %q, error %v; want the error %s", out, err, want)
		}
	}
}

// All parts of an execution share its limits.
func TestParallelLimits(t *testing.T) {
	parsed, err := parsePage("{{range .Files}}{{range 10}}x{{end}}{{end}}")
	if err != nil {
		t.Fatal(err)
	}
	parsed.limit = limits{steps: 50 + 500, output: 500}
	if _, err := parsed.Execute(someFolder(50)); err != nil {
		t.Errorf("as much text as there can be: %v", err)
	}
	parsed.limit.output = 499
	if _, err := parsed.Execute(someFolder(50)); err == nil {
		t.Error("one byte more: no error, want one")
	}
	parsed.limit = limits{steps: 50 + 499, output: 500}
	if _, err := parsed.Execute(someFolder(50)); err == nil {
		t.Error("too many steps: no error, want one")
	}
}
