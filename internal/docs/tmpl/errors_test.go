package tmpl

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"text/template"

	"github.com/google/go-cmp/cmp"
)

// library, book and author are what the templates of these tests meet.
type (
	library struct {
		Name  string
		Books []*book
		Notes map[string]any
	}
	book struct {
		Title  string
		Pages  int
		Author *author
	}
	author struct{ Name string }
)

// Shelf is a method that a template can call.
func (l *library) Shelf(name string) string { return l.Name + "/" + name }

// String is for printing and not what a template's author is told about.
func (b *book) String() string { return b.Title }

var someLibrary = &library{
	Name: "City",
	Books: []*book{
		{Title: "One", Pages: 3, Author: &author{Name: "Ann"}},
		{Title: "Two", Pages: 5},
	},
	Notes: map[string]any{"open": true},
}

var testFunctions = template.FuncMap{
	"upper": strings.ToUpper,
	"refuse": func(text string) (string, error) {
		return "", errors.New(text)
	},
	"crash": func() string { panic("out of order") },
}

func parsePage(text string) (*Template, error) {
	return Parse("page.tmpl", text, testFunctions, new(library), new(book), new(author))
}

// run parses and executes a template on someLibrary.
func run(text string) (string, error) {
	t, err := parsePage(text)
	if err != nil {
		return "", err
	}
	pieces, err := t.Execute(someLibrary)
	var out strings.Builder
	for _, piece := range pieces {
		out.Write(piece)
	}
	return out.String(), err
}

// Lines and columns count from 1, columns in bytes, and over the whole text,
// whatever is defined in it.
func TestErrors(t *testing.T) {
	tests := []struct {
		name, text string
		want       Error
	}{
		{
			"unknown field in the first line",
			"{{.Nmae}}",
			Error{Line: 1, Column: 3, Expression: ".Nmae", Message: "a library has no field Nmae; did you mean Name?"},
		},
		{
			"unknown field after other lines",
			"one\n\ntwo {{.Name}} {{.Nmae}}\n",
			Error{Line: 3, Column: 17, Expression: ".Nmae", Message: "a library has no field Nmae; did you mean Name?"},
		},
		{
			"unknown field behind bytes that are no characters of their own",
			"é {{.Nmae}}",
			Error{Line: 1, Column: 6, Expression: ".Nmae", Message: "a library has no field Nmae; did you mean Name?"},
		},
		{
			"unknown field in a definition",
			"{{define \"row\"}}\n  {{.Title}} {{.Page}}\n{{end}}\n{{range .Books}}{{template \"row\" .}}{{end}}",
			Error{Line: 2, Column: 16, Expression: ".Page", Message: "a book has no field Page; did you mean Pages?"},
		},
		{
			"unknown field in the second definition",
			"{{define \"a\"}}{{end}}\n{{- define \"b\"}}{{template \"a\"}}\n{{.X}}{{end}}{{range .Books}}\n{{template \"b\" .}}{{end}}",
			Error{Line: 3, Column: 3, Expression: ".X", Message: "a book has no field X; it has Author, Pages, Title"},
		},
		{
			"unknown field behind definitions",
			"{{define \"a\"}}\n{{end}}\n{{.X}}",
			Error{Line: 3, Column: 3, Expression: ".X", Message: "a library has no field X; it has Books, Name, Notes, Shelf"},
		},
		{
			"unknown field in an action of several lines",
			"{{\n  .Name |\n  printf \"%s %s\" .Nmae }}",
			Error{Line: 3, Column: 18, Expression: ".Nmae", Message: "a library has no field Nmae; did you mean Name?"},
		},
		{
			"unknown field of a field",
			"{{range .Books}}{{.Author.Nmae}}{{end}}",
			Error{Line: 1, Column: 26, Expression: ".Author.Nmae", Message: "an author has no field Nmae; did you mean Name?"},
		},
		{
			"unknown field of a variable",
			"{{range $b := .Books}}\n{{$b.Titel}}{{end}}",
			Error{Line: 2, Column: 5, Expression: "$b.Titel", Message: "a book has no field Titel; did you mean Title?"},
		},
		{
			"unknown field of a condition",
			"\n{{if and .Name .Open}}{{end}}",
			Error{Line: 2, Column: 16, Expression: ".Open", Message: "a library has no field Open; it has Books, Name, Notes, Shelf"},
		},
		{
			"field of a list",
			"{{.Books.Title}}",
			Error{Line: 1, Column: 9, Expression: ".Books.Title", Message: "a list has no field Title: its elements may, so use {{range}} or index"},
		},
		{
			"field of a number",
			"{{range .Books}}{{.Pages.Count}}{{end}}",
			Error{Line: 1, Column: 25, Expression: ".Pages.Count", Message: "an int has no field Count"},
		},
		{
			"field of nil",
			"{{range .Books}}\n{{.Author.Name}}{{end}}",
			Error{Line: 2, Column: 10, Expression: ".Author.Name", Message: "Name cannot be read of a value that is nil here: put {{with}} around it"},
		},
		{
			"error of a function",
			"\n {{refuse \"no more\"}}",
			Error{Line: 2, Column: 4, Expression: `refuse "no more"`, Message: "no more"},
		},
		{
			"error that looks like an end",
			`{{refuse ">: at <x>: \">: "}}`,
			Error{Line: 1, Column: 3, Expression: `refuse ">: at <x>: \">: "`, Message: `>: at <x>: ">: `},
		},
		{
			"error in a definition that has an odd name",
			`{{define "a\" at <b>: "}}{{refuse "c"}}{{end}}{{template "a\" at <b>: "}}`,
			Error{Line: 1, Column: 28, Expression: `refuse "c"`, Message: "c"},
		},
		{
			"panic in a function",
			"{{crash}}",
			Error{Line: 1, Column: 3, Expression: "crash", Message: "out of order"},
		},
		{
			"argument",
			"{{upper .Books}}",
			Error{Line: 1, Column: 9, Expression: ".Books", Message: "wrong type for value; expected string; got []*tmpl.book"},
		},
		{
			"range over a number of a field",
			"{{range .Name}}{{end}}",
			Error{Line: 1, Column: 9, Expression: ".Name", Message: "range needs a list or a map, and this is neither"},
		},
		{
			"template",
			"{{define \"rows\"}}{{end}}\n {{template \"row\"}}",
			Error{Line: 2, Column: 13, Expression: `{{template "row"}}`, Message: `there is no template "row"; did you mean rows?`},
		},

		{
			"unknown function",
			"\n{{.Name}} {{.Name | uper}}",
			Error{Line: 2, Column: 21, Message: `there is no function "uper"; did you mean upper?`},
		},
		{
			"unknown function in a definition",
			"{{define \"uper\"}}\n{{uper .Name}}{{end}}",
			Error{Line: 2, Column: 3, Message: `there is no function "uper"; did you mean upper?`},
		},
		{
			"unknown function in an action of several lines",
			"{{printf \"%s\"\n\n (uper .Name)}}",
			Error{Line: 3, Column: 3, Message: `there is no function "uper"; did you mean upper?`},
		},
		{
			"function that text/template has",
			"{{prinft 1}}",
			Error{Line: 1, Column: 3, Message: `there is no function "prinft"; did you mean print?`},
		},
		{
			"function like no other",
			"{{toYaml .}}",
			Error{Line: 1, Column: 3, Message: `there is no function "toYaml"; it has and, call, crash, eq, ge, gt, html, index, js, le, len, lt, ne, not, or, print, printf, println, refuse, slice, upper, urlquery`},
		},
		{
			"no end",
			"{{range .Books}}\n {{- if .Title -}}\n{{end}}\n",
			Error{Line: 1, Column: 1, Message: "{{range .Books}} has no {{end}}"},
		},
		{
			"no end of the inner block",
			"{{range .Books}}{{end}}\n{{with .Name}}{{else}}\n {{- if .Title -}}\n",
			Error{Line: 3, Column: 2, Message: "{{if .Title}} has no {{end}}"},
		},
		{
			"no end, and one in a comment and in a text",
			"{{if .Name}} end {{/* end */}} {{\"end\"}}",
			Error{Line: 1, Column: 1, Message: "{{if .Name}} has no {{end}}"},
		},
		{
			"an end too many",
			"{{if .Name}}{{end}}\n{{end}}{{range .Books}}{{end}}",
			Error{Line: 2, Column: 1, Message: "unexpected {{end}}: there is no if, range, with, define or block to end"},
		},
		{
			"unclosed action",
			"{{.Name}}\n{{.Name}} {{.Name\n\n",
			Error{Line: 2, Column: 11, Message: "unclosed action: it needs }}"},
		},
		{
			"unterminated string",
			"\n  {{upper \"a}}\n",
			Error{Line: 2, Column: 3, Message: `unterminated quoted string: it needs another "`},
		},
		{
			"unterminated string in one of several actions: the line alone is known",
			"{{.Name}}{{upper \"a}}\n",
			Error{Line: 1, Message: `unterminated quoted string: it needs another "`},
		},
		{
			"variable",
			"{{range $b := .Books}}{{end}}\n{{.Name}}{{$b}}",
			Error{Line: 2, Column: 12, Message: `undefined variable "$b": declare it with := before, in the same block or around it`},
		},
		{
			"two definitions",
			"{{define \"a\"}}x{{end}}\n{{define \"a\"}}y{{end}}",
			Error{Line: 2, Column: 11, Message: `multiple definition of template "a": give one of them another name`},
		},
		{
			"percent sign",
			"{{uper%d .Name}}",
			Error{Line: 1, Column: 7, Message: "bad character U+0025 '%'"},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			out, err := run(test.text)
			var got *Error
			if !errors.As(err, &got) {
				t.Fatalf("got %q and error %v, want an *Error", out, err)
			}
			if out != "" {
				t.Errorf("output %q, want none", out)
			}
			test.want.Path = "page.tmpl"
			if diff := cmp.Diff(&test.want, got); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
		})
	}
}

func TestErrorText(t *testing.T) {
	tests := []struct {
		err  Error
		want string
	}{
		{Error{Path: "a.tmpl", Line: 3, Column: 7, Expression: ".X", Message: "wrong"}, "a.tmpl:3:7: {{.X}}: wrong"},
		{Error{Path: "a.tmpl", Line: 3, Column: 7, Expression: `{{template "x"}}`, Message: "wrong"}, `a.tmpl:3:7: {{template "x"}}: wrong`},
		{Error{Path: "a.tmpl", Line: 3, Message: "wrong"}, "a.tmpl:3: wrong"},
		{Error{Path: "a.tmpl", Message: "wrong"}, "a.tmpl: wrong"},
		{Error{Path: `C:\a b%d.tmpl`, Line: 1, Column: 1, Message: "100%"}, `C:\a b%d.tmpl:1:1: 100%`},
	}
	for _, test := range tests {
		if got := test.err.Error(); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}

// A path can hold what text/template's messages take for something else.
func TestOddPath(t *testing.T) {
	const path = `C:\100%d: "x" at <y>.tmpl`
	_, err := Parse(path, "\n{{x}}", testFunctions)
	if got, want := fmt.Sprint(err), path+`:2:3: there is no function "x"`; !strings.HasPrefix(got, want) {
		t.Errorf("got %s, want it to start with %s", got, want)
	}
}

func TestSuggest(t *testing.T) {
	known := []string{"Fields", "FullName", "LongName", "Name", "HasFields"}
	tests := []struct {
		word, want string
	}{
		{"Field", "; did you mean Fields?"},
		{"field", "; did you mean Fields?"}, // case does not count
		{"name", "; did you mean Name?"},
		{"Nmae", "; did you mean Name?"},
		{"LongNames", "; did you mean LongName?"},
		{"HasFeilds", "; did you mean HasFields?"},
		{"N", "; it has Fields, FullName, HasFields, LongName, Name"},
		{"Zzz", "; it has Fields, FullName, HasFields, LongName, Name"},
	}
	for _, test := range tests {
		if got := suggest(test.word, known); got != test.want {
			t.Errorf("suggest(%q) = %q, want %q", test.word, got, test.want)
		}
	}
	if got := suggest("Zzz", nil); got != "" {
		t.Errorf("suggest of nothing = %q, want nothing", got)
	}
	many := strings.Fields(strings.Repeat("aaaaaaaa ", 61))
	if got := suggest("Zzz", many); got != "" {
		t.Errorf("suggest of too many names to list = %q, want nothing", got)
	}
}
