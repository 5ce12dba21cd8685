package docs_test

import (
	"bytes"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/plugin/plugintest"
)

// badInput is something that cannot work, and what the user is told.
type badInput struct {
	name string
	// parameter is page.tmpl,out.txt where it is empty.
	parameter string
	// template is the text of page.tmpl. There is always such a file, and a folder
	// named folder.tmpl.
	template string
	// proto is the source of a.proto; files are sources by name. The file without
	// anything is taken where there is neither.
	proto string
	files map[string]string
	// edit changes the request, mangle its encoded form.
	edit   func(*pluginpb.CodeGeneratorRequest)
	mangle func([]byte) []byte
	// error is the text of the response's error: the user's mistakes. stderr is
	// all that is written to standard error, with exit status 1 and without a
	// response: bytes that are no request, which no user has made.
	error  string
	stderr string
}

func TestBadInput(t *testing.T) {
	groups := []struct {
		name  string
		cases []badInput
	}{
		{"options", badOptions},
		{"template", badTemplates},
		{"output", badOutputs},
		{"proto", badProtos},
		{"request", badRequests},
	}
	for _, group := range groups {
		t.Run(group.name, func(t *testing.T) {
			for _, c := range group.cases {
				t.Run(c.name, func(t *testing.T) { c.check(t) })
			}
		})
	}
}

func (c badInput) check(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("page.tmpl", []byte(c.template), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir("folder.tmpl", 0o700); err != nil {
		t.Fatal(err)
	}
	got := plugintest.RunBytes(t, docsPlugin, c.request(t))
	wantStatus := 0
	if c.stderr != "" {
		wantStatus = 1
	}
	if got.Status != wantStatus {
		t.Errorf("exit status %d, want %d", got.Status, wantStatus)
	}
	if got.Stderr != c.stderr {
		t.Errorf("standard error:\n got: %s\nwant: %s", got.Stderr, c.stderr)
	}
	// Errors of the protobuf module have now a space, now a non-breaking one.
	if message := strings.ReplaceAll(got.Response.GetError(), "\u00a0", " "); message != c.error {
		t.Errorf("error of the response:\n got: %s\nwant: %s", message, c.error)
	}
	if n := len(got.Response.GetFile()); n > 0 {
		t.Errorf("the response has %d files, want none", n)
	}
	if wantStatus == 1 && got.Response != nil {
		t.Errorf("there is a response, want none")
	}
}

func (c badInput) request(t *testing.T) []byte {
	t.Helper()
	files := c.files
	if files == nil {
		files = map[string]string{"a.proto": c.proto}
	}
	req := plugintest.Compile(t, files)
	if c.parameter == "" {
		c.parameter = "page.tmpl,out.txt"
	}
	req.Parameter = proto.String(c.parameter)
	if c.edit != nil {
		c.edit(req)
	}
	b := plugintest.Marshal(t, req)
	if c.mangle != nil {
		b = c.mangle(b)
	}
	return b
}

// optionNames are the named options, as errors list them.
const optionNames = "template, output, include, exclude, layout, order, source_url, title, flavor, front_matter, against, http_address, grpc_address, internal_comments, warnings, warn_about, config, allow, camel_case_fields"

var badOptions = []badInput{
	{
		name:      "nothing left",
		parameter: "template=markdown,exclude=**",
		error:     `no file is left to show: check the options include and exclude; under buf, set strategy: all, without which a plugin gets one folder at a time`,
	},
	{
		name:      "source_url that is a script",
		parameter: "template=html,source_url=javascript:{path}",
		error:     `option "source_url=javascript:{path}": javascript: is not the start of a page's address; use http or https`,
	},
	{
		name:      "config for a template",
		parameter: "template=page.tmpl,output=a.md,config=skaffold-gen.yaml",
		error:     `option "config" is for the built-in formats: a template of your own does not see what it says`,
	},
	{
		name:      "unknown option",
		parameter: "template=markdown,titel=X",
		error:     `unknown option "titel": the options are ` + optionNames,
	},
	{
		name:      "no value",
		parameter: "template=markdown,title",
		error:     `option "title" has no value: write name=value, without a comma in the value; the options are ` + optionNames,
	},
	{
		name:      "empty value",
		parameter: "template=markdown,title=",
		error:     `option "title" is empty: give it a value or leave it out`,
	},
	{
		name:      "twice",
		parameter: "template=markdown,title=A,title=B",
		error:     `option "title" is given twice: it takes one value`,
	},
	{
		name:      "no template",
		parameter: "output=a.md",
		error:     `option "template" is missing: give it markdown, html, json, docbook or the path of a template`,
	},
	{
		name:      "no output",
		parameter: "template=page.tmpl",
		error:     `option "output" is missing: a template of your own needs the name of the file that it writes`,
	},
	{
		name:      "layout",
		parameter: "template=markdown,layout=pages",
		error:     `option "layout=pages": the value has to be single or package or file`,
	},
	{
		name:      "order",
		parameter: "template=markdown,order=size",
		error:     `option "order=size": the value has to be name or source`,
	},
	{
		name:      "bool",
		parameter: "template=markdown,camel_case_fields=yes",
		error:     `option "camel_case_fields=yes": the value has to be true or false`,
	},
	{
		name:      "include pattern",
		parameter: "template=markdown,include=[a",
		error:     `option "include=[a": "[a" is not a pattern: use *, **, ?, [a-z] or a plain path`,
	},
	{
		name:      "exclude pattern",
		parameter: "template=markdown,exclude={a",
		error:     `option "exclude={a": "{a" is not a pattern: use *, **, ?, [a-z] or a plain path`,
	},
	{
		name:      "placeholder of a single page",
		parameter: "template=markdown,output={package}.md",
		error:     `option "output={package}.md": {package} has no meaning with layout=single; use layout=package or layout=file`,
	},
	{
		name:      "placeholder of another layout",
		parameter: "template=markdown,layout=package,output={file}.md",
		error:     `option "output={file}.md": {file} is not known with layout=package; use {package}`,
	},
	{
		name:      "no placeholder",
		parameter: "template=markdown,layout=file,output=all.md",
		error:     `option "output=all.md": all pages of layout=file would have this name; use {package}, {dir}, {file} in it`,
	},
	{
		name:      "placeholder of source_url",
		parameter: "template=markdown,source_url=https://example.com/{file}",
		error:     `option "source_url=https://example.com/{file}": {file} is not known; use {path}, {line}, {end}`,
	},
	{
		name:      "source_url without a path",
		parameter: "template=markdown,source_url=https://example.com/",
		error:     `option "source_url=https://example.com/": the address has no {path}, so all links would be the same`,
	},
	{
		name:      "allow",
		parameter: "template=markdown,allow=clock+disk",
		error:     `option "allow=clock+disk": "disk" cannot be allowed; use clock, environment, network or random, joined with +`,
	},
	{
		name:      "json in a flavor",
		parameter: "template=json,flavor=hugo",
		error:     `options "flavor" and "front_matter" are for template=markdown`,
	},
	{
		name:      "named option after protoc-gen-doc's",
		parameter: "markdown,out.md,title=X",
		error:     `Invalid parameter: markdown,out.md,title=X (title=X is a named option, the first one is protoc-gen-doc's: write template=markdown)`,
	},
	{
		name:      "protoc-gen-doc's option after a named one",
		parameter: "template=markdown,out.md",
		error:     `option "out.md" has no value: write name=value, without a comma in the value; the options are ` + optionNames,
	},
	{
		name:      "type alone",
		parameter: "markdown",
		error:     `Invalid parameter: markdown (want TYPE,OUTPUT or TEMPLATE,OUTPUT, and after them at most default or source_relative; or named options such as template=markdown)`,
	},
	{
		name:      "four words",
		parameter: "markdown,a.md,default,b.md:c",
		error:     `Invalid parameter: markdown,a.md,default,b.md (want TYPE,OUTPUT or TEMPLATE,OUTPUT, and after them at most default or source_relative; or named options such as template=markdown)`,
	},
	{
		name:      "third word",
		parameter: "markdown,a.md,relative",
		error:     `Invalid parameter: markdown,a.md,relative ("relative" is neither default nor source_relative)`,
	},
	{
		name:      "no type",
		parameter: ",a.md",
		error:     `Invalid parameter: ,a.md (it names neither a type nor a template)`,
	},
	{
		name:      "no file to write",
		parameter: "markdown,",
		error:     `Invalid parameter: markdown, (it does not name the file to write)`,
	},
	{
		name:      "exclude expression",
		parameter: "markdown,a.md:ok,a(b",
		error:     "exclude pattern \"a(b\" is not a regular expression: error parsing regexp: missing closing ): `a(b` (patterns such as google/** are for the named option exclude)",
	},
	{
		name:      "pattern as an exclude expression",
		parameter: "markdown,a.md:google/**",
		error:     "exclude pattern \"google/**\" is not a regular expression: error parsing regexp: invalid nested repetition operator: `**` (patterns such as google/** are for the named option exclude)",
	},
	{
		name:      "option after the second colon",
		parameter: "markdown,a.md:b:camelcase=true",
		error:     `Invalid additional options after second colon separator: camelcase=true (only camel_case_fields and allow can stand here)`,
	},
	{
		name:      "value after the second colon",
		parameter: "markdown,a.md:b:camel_case_fields=1",
		error:     `Invalid additional options after second colon separator: camel_case_fields=1 (the value has to be true or false)`,
	},
	{
		name:      "allow after the second colon",
		parameter: "markdown,a.md:b:allow=disk",
		error:     `Invalid additional options after second colon separator: allow=disk ("disk" cannot be allowed; use clock, environment, network or random, joined with +)`,
	},
	{
		name:      "invalid UTF-8",
		parameter: "markdown\xff",
		error:     "Invalid parameter: markdown\uFFFD (want TYPE,OUTPUT or TEMPLATE,OUTPUT, and after them at most default or source_relative; or named options such as template=markdown)",
	},
}

var badTemplates = []badInput{
	{
		name:      "no such file",
		parameter: "nowhere/page.tmpl,out.txt",
		error:     "cannot read the template: open nowhere/page.tmpl: no such file or directory (it is neither markdown, html, json nor docbook, so it is a path, relative to where buf or protoc runs)",
	},
	{
		name:      "a folder",
		parameter: "folder.tmpl,out.txt",
		error:     "cannot read the template: read folder.tmpl: is a directory (it is neither markdown, html, json nor docbook, so it is a path, relative to where buf or protoc runs)",
	},

	// What does not parse.
	{
		name:     "unclosed action",
		template: "{{/* one */}}\n{{.Files}} {{range .Files\n",
		error:    "page.tmpl:2:12: unclosed action: it needs }}",
	},
	{
		name:     "action that goes on in the next line",
		template: "one\n{{range .Files\n  two}} {{end}}",
		error:    `page.tmpl:3:3: there is no function "two"`,
	},
	{
		name:     "single brace",
		template: "{{.Files}}\n {{.Files}} {{.Files}\n",
		error:    "page.tmpl:2:21: bad character U+007D '}': an action ends with }}",
	},
	{
		name:     "unknown function",
		template: "\n\n  {{.Files | uper}}",
		error:    `page.tmpl:3:14: there is no function "uper"; did you mean upper?`,
	},
	{
		name:     "no end of a range",
		template: "{{range .Files}}\n  {{if .Name}}\n{{end}}\n",
		error:    "page.tmpl:1:1: {{range .Files}} has no {{end}}",
	},
	{
		name:     "no end in a define",
		template: "{{define \"row\"}}\n  {{- with .Name}}x{{end}}\n",
		error:    `page.tmpl:1:1: {{define "row"}} has no {{end}}`,
	},
	{
		name:     "an end too many",
		template: "{{range .Files}}{{end}}\nx {{.Files}} {{end}}",
		error:    "page.tmpl:2:14: unexpected {{end}}: there is no if, range, with, define or block to end",
	},
	{
		name:     "else alone",
		template: "{{if .Files}}{{end}}\n{{else}}",
		error:    "page.tmpl:2:1: unexpected {{else}}: there is no if, range or with that it belongs to",
	},
	{
		name:     "number in a pipeline",
		template: "\n{{.Files | 3}}",
		error:    "page.tmpl:2:1: non executable command in pipeline stage 2: only a function or a method can stand behind a |",
	},
	{
		name:     "unterminated string",
		template: "one\n {{\"two}}\n",
		error:    `page.tmpl:2:2: unterminated quoted string: it needs another "`,
	},
	{
		name:     "unclosed comment",
		template: "one\n{{/* two }}",
		error:    "page.tmpl:2:1: unclosed comment: it needs */}}",
	},
	{
		name:     "variable that is not declared",
		template: "{{range $f := .Files}}{{end}}\n{{$f.Name}}",
		error:    `page.tmpl:2:3: undefined variable "$f": declare it with := before, in the same block or around it`,
	},
	{
		name:     "number",
		template: "\n{{ 1x }}",
		error:    `page.tmpl:2:4: bad number syntax: "1x"`,
	},
	{
		name:     "break outside of a range",
		template: "\n{{break}}",
		error:    "page.tmpl:2:1: {{break}} outside {{range}}",
	},
	{
		name:     "if of nothing",
		template: "\n{{if}}x\n{{end}}",
		error:    "page.tmpl:2:1: missing value for if",
	},
	{
		name:     "empty action",
		template: "\n {{ }}",
		error:    "page.tmpl:2:2: missing value for command: the action, or a part of it, is empty",
	},
	{
		name:     "character",
		template: "\n {{.Files ? 1}}",
		error:    `page.tmpl:2:11: unexpected "?" in operand`,
	},
	{
		name:     "two definitions",
		template: "{{define \"row\"}}1{{end}}\n{{define \"row\"}}2{{end}}",
		error:    `page.tmpl:2:11: multiple definition of template "row": give one of them another name`,
	},

	// What cannot be executed.
	{
		name:     "unknown field",
		template: "{{range .Files}}\n  {{.Nmae}}\n{{end}}",
		error:    "page.tmpl:2:5: {{.Nmae}}: a File has no field Nmae; did you mean Name?",
	},
	{
		name:     "unknown field in a define",
		template: "{{define \"row\"}}\n<{{.Lable}}>{{end}}\n{{range .Files}}{{range .Messages}}{{range .Fields}}{{template \"row\" .}}{{end}}{{end}}{{end}}",
		proto:    "message M { optional int32 a = 1; }",
		error:    "page.tmpl:2:4: {{.Lable}}: a MessageField has no field Lable; did you mean Label?",
	},
	{
		name:     "unknown field like no other",
		template: "{{range .Scalars}}{{.RustCrate}}{{end}}",
		error:    "page.tmpl:1:21: {{.RustCrate}}: a ScalarValue has no field RustCrate; it has CSharp, CppType, GoType, JavaType, Notes, PhpType, ProtoType, PythonType, RubyType",
	},
	{
		name:     "field of a list",
		template: "{{.Files.Name}}",
		error:    "page.tmpl:1:9: {{.Files.Name}}: a list has no field Name: its elements may, so use {{range}} or index",
	},
	{
		name:     "field of a text",
		template: "{{range .Files}}{{.Name.First}}{{end}}",
		error:    "page.tmpl:1:24: {{.Name.First}}: a string has no field First",
	},
	{
		name:     "field of nil",
		template: "{{range .Files}}{{range .Messages}}{{range .Fields}}\n{{.MapKey.Type}}{{end}}{{end}}{{end}}",
		proto:    "message M { optional int32 a = 1; }",
		error:    "page.tmpl:2:10: {{.MapKey.Type}}: Type cannot be read of a value that is nil here: put {{with}} around it",
	},
	{
		name:     "range over a text",
		template: "{{range .Files}}{{range .Name}}{{end}}{{end}}",
		error:    "page.tmpl:1:25: {{.Name}}: range needs a list or a map, and this is neither",
	},
	{
		name:     "index out of range",
		template: "{{(index .Files 5).Name}}",
		error:    "page.tmpl:1:4: {{index .Files 5}}: index out of range: 5",
	},
	{
		name:     "index of another type",
		template: `{{index .Files "a"}}`,
		error:    `page.tmpl:1:3: {{index .Files "a"}}: cannot index slice/array with type string`,
	},
	{
		name:     "length of nil",
		template: "{{len nil}}",
		error:    "page.tmpl:1:3: {{len nil}}: a value that it is given is nil",
	},
	{
		name:     "error of the template's own",
		template: `{{range .Files}}{{fail (printf "%s: >: no text" .Name)}}{{end}}`,
		error:    `page.tmpl:1:19: {{fail (printf "%s: >: no text" .Name)}}: a.proto: >: no text`,
	},
	{
		name:     "error of a function",
		template: `{{mustRegexMatch "(" "a"}}`,
		error:    "page.tmpl:1:3: {{mustRegexMatch \"(\" \"a\"}}: error parsing regexp: missing closing ): `(`",
	},
	{
		name:     "panic in a function",
		template: `one {{substr 3 2 "abc"}}`,
		error:    `page.tmpl:1:7: {{substr 3 2 "abc"}}: runtime error: slice bounds out of range [3:2]`,
	},
	{
		name:     "division by zero",
		template: `{{div 1 0}}`,
		error:    `page.tmpl:1:3: {{div 1 0}}: runtime error: integer divide by zero`,
	},
	{
		name:     "too few arguments",
		template: "{{upper}}",
		error:    "page.tmpl:1:3: {{upper}}: wrong number of args for upper: want 1 got 0",
	},
	{
		name:     "too few arguments of a method",
		template: "{{range .Files}}{{.Option}}{{end}}",
		error:    "page.tmpl:1:19: {{.Option}}: wrong number of args for Option: want 1 got 0",
	},
	{
		name:     "argument of another type",
		template: "{{range .Files}}{{upper .}}{{end}}",
		error:    "page.tmpl:1:25: {{.}}: wrong type for value; expected string; got *gendoc.File",
	},
	{
		name:     "comparison of different types",
		template: `{{eq 1 "a"}}`,
		error:    `page.tmpl:1:3: {{eq 1 "a"}}: incompatible types for comparison: int and string`,
	},
	{
		name:     "nil as an action",
		template: "{{nil}}",
		error:    "page.tmpl:1:3: {{nil}}: nil is not a command",
	},
	{
		name:     "template that is not defined",
		template: "{{define \"row\"}}{{end}}\n{{range .Files}}{{template \"rows\" .}}{{end}}",
		error:    `page.tmpl:2:28: {{template "rows" .}}: there is no template "rows"; did you mean row?`,
	},
	{
		name:     "endless recursion",
		template: "{{define \"row\"}}\n{{template \"row\" .}}{{end}}{{template \"row\" .}}",
		error:    `page.tmpl:2:12: the template calls itself without end: it was stopped when 10000 calls were open; this is the last one`,
	},
	{
		name:     "endless recursion in a range",
		template: "{{range .Files}}\n{{template \"Text Template\" $}}{{end}}",
		error:    `page.tmpl:2:12: the template calls itself without end: it was stopped when 10000 calls were open; this is the last one`,
	},
	{
		name:     "dictionary in itself",
		template: "{{$d := dict}}\n{{set $d \"self\" (list $d)}}",
		error:    `page.tmpl:2:3: {{set $d "self" (list $d)}}: the dictionary would contain itself`,
	},
	{
		name:     "huge text",
		template: `{{repeat 100000000 "x"}}`,
		error:    `page.tmpl:1:3: {{repeat 100000000 "x"}}: a count of 100000000 is out of bounds: 0 to 16777216`,
	},
	{
		name:     "huge list",
		template: "{{range until 100000000}}{{end}}",
		error:    "page.tmpl:1:9: {{until 100000000}}: a count of 100000000 is out of bounds: 0 to 16777216",
	},
	{
		name:     "clock",
		template: "one\n{{now | date \"2006\"}}",
		error:    "page.tmpl:2:3: {{now}}: now reads the clock or the time zone, so that the page could differ from run to run; the option allow=clock permits it",
	},
	{
		name:     "environment",
		template: `{{env "HOME"}}`,
		error:    `page.tmpl:1:3: {{env "HOME"}}: env reads the environment, so that the page could differ from run to run; the option allow=environment permits it`,
	},
	{
		name:     "network",
		template: `{{getHostByName "localhost"}}`,
		error:    `page.tmpl:1:3: {{getHostByName "localhost"}}: getHostByName reads the network, so that the page could differ from run to run; the option allow=network permits it`,
	},
	{
		name:     "random numbers",
		template: "{{range .Files}}\n{{uuidv4}}{{end}}",
		error:    "page.tmpl:2:3: {{uuidv4}}: uuidv4 reads random numbers, so that the page could differ from run to run; the option allow=random permits it",
	},
}

var badOutputs = []badInput{
	{
		name:      "two files with one page",
		parameter: "template=markdown,layout=file,output={file}.md",
		files:     map[string]string{"a/x.proto": "", "b/x.proto": ""},
		error:     "a/x.proto and b/x.proto would both be written to x.md: tell them apart in the option output ({package}, {dir}, {file}), or leave one out",
	},
	{
		name:      "two packages that differ in case",
		parameter: "template=markdown,layout=package,output={package}.md",
		files: map[string]string{
			"a.proto": `syntax = "proto3"; package Api.V1;`, "b.proto": `syntax = "proto3"; package api.v1;`,
		},
		error: "a.proto and b.proto would be written to Api.V1.md and api.v1.md, which differ in case alone and are one page on Windows, " +
			"on macOS and in Hugo: rename a package, use layout=file, or leave one out with the option exclude",
	},
	{
		name:      "two files that differ in case",
		parameter: "template=json,layout=file,output={file}.json",
		files:     map[string]string{"a/X.proto": "", "b/x.proto": ""},
		error: "a/X.proto and b/x.proto would be written to X.json and x.json, which differ in case alone and are one page on Windows, " +
			"on macOS and in Hugo: tell them apart in the option output ({package}, {dir}, {file}), rename a file, or leave one out with the option exclude",
	},
	{
		name:      "two folders that differ in case",
		parameter: "html,a.html,source_relative",
		files:     map[string]string{"A/x.proto": "", "a/x.proto": ""},
		error: "A/x.proto and a/x.proto would be written to A/a.html and a/a.html, which differ in case alone and are one page on Windows, " +
			"on macOS and in Hugo: rename a folder, or leave one out with the option exclude",
	},
	{
		name:      "outside of the folder",
		parameter: "template=markdown,output=../a.md",
		error:     `output file name "../a.md" leaves the output folder: write it without '..'`,
	},
	{
		name:      "outside of the folder by a placeholder",
		parameter: "template=markdown,layout=file,output={dir}/../../{file}.md",
		error:     `output file name "../../a.md" leaves the output folder: write it without '..'`,
	},
	{
		name:      "outside of the folder by a .proto file",
		parameter: "markdown,a.md,source_relative",
		edit: func(req *pluginpb.CodeGeneratorRequest) {
			req.FileToGenerate = []string{"../a.proto"}
			lastFile(req).Name = new("../a.proto")
		},
		error: `output file name "../a.md" leaves the output folder: write it without '..'`,
	},
	{
		name:      "parent folder",
		parameter: "markdown,docs/..",
		error:     `output file name ".." leaves the output folder: write it without '..'`,
	},
	{
		name:      "absolute path",
		parameter: "template=markdown,output=/tmp/a.md",
		error:     `output file name "/tmp/a.md" is absolute: it has to be relative to the output folder`,
	},
	{
		name:      "drive",
		parameter: "template=markdown,output=C:/a.md",
		error:     `output file name "C:/a.md" is absolute: it has to be relative to the output folder`,
	},
	{
		name:      "backslash",
		parameter: `template=markdown,output=docs\a.md`,
		error:     `output file name "docs\\a.md" has a backslash: use forward slashes`,
	},
	{
		name:      "folder",
		parameter: "template=markdown,output=docs/",
		error:     `output file name "docs/" is a folder: name a file in it`,
	},
	{
		name:      "two slashes",
		parameter: "template=markdown,output=docs//a.md",
		error:     `output file name "docs//a.md" is not clean: write "docs/a.md"`,
	},
	{
		name:      "line break",
		parameter: "template=markdown,output=a\nb.md",
		error:     `output file name "a\nb.md" has a control character: leave it out`,
	},
	{
		name:      "nothing included",
		parameter: "template=markdown,include=b/**,include=*.txt",
		error:     "no file is left to show: check the options include and exclude; under buf, set strategy: all, without which a plugin gets one folder at a time",
	},
}

// small is a file with a field in its fourth line and an RPC in its seventh.
const small = `syntax = "proto2";
import "google/protobuf/descriptor.proto";
message M {
  optional M a = 1;
}
service S {
  rpc R(M) returns (M);
}`

// lastFile is the file of the request that imports the others.
func lastFile(req *pluginpb.CodeGeneratorRequest) *descriptorpb.FileDescriptorProto {
	return req.ProtoFile[len(req.ProtoFile)-1]
}

// firstField is the field of small.
func firstField(req *pluginpb.CodeGeneratorRequest) *descriptorpb.FieldDescriptorProto {
	return lastFile(req).MessageType[0].Field[0]
}

// withRules gives the field of small an option whose value is the given bytes.
func withRules(number protowire.Number, value string) func(*pluginpb.CodeGeneratorRequest) {
	return func(req *pluginpb.CodeGeneratorRequest) {
		firstField(req).Options = new(descriptorpb.FieldOptions)
		b := protowire.AppendTag(nil, number, protowire.BytesType)
		firstField(req).Options.ProtoReflect().SetUnknown(protowire.AppendString(b, value))
	}
}

// edition makes the request's file one of an edition.
func edition(e descriptorpb.Edition) func(*pluginpb.CodeGeneratorRequest) {
	return func(req *pluginpb.CodeGeneratorRequest) {
		lastFile(req).Syntax = new("editions")
		lastFile(req).Edition = e.Enum()
	}
}

var badProtos = []badInput{
	{
		name:  "import that is missing",
		proto: small,
		edit:  func(req *pluginpb.CodeGeneratorRequest) { lastFile(req).Dependency[0] = "lib/missing.proto" },
		error: `a.proto:2:1: import "lib/missing.proto" is not in the request: let protoc or buf send all imports`,
	},
	{
		name:  "type of a field",
		proto: small,
		edit:  func(req *pluginpb.CodeGeneratorRequest) { firstField(req).TypeName = new(".lib.Gone") },
		error: "a.proto:4:3: field M.a has the type lib.Gone, which no file of the request declares",
	},
	{
		name:  "type without source info",
		proto: small,
		edit: func(req *pluginpb.CodeGeneratorRequest) {
			firstField(req).TypeName = new(".lib.Gone")
			lastFile(req).SourceCodeInfo = nil
		},
		error: "a.proto: field M.a has the type lib.Gone, which no file of the request declares",
	},
	{
		name:  "all types",
		proto: small,
		edit: func(req *pluginpb.CodeGeneratorRequest) {
			firstField(req).TypeName = new(".lib.Gone")
			rpc := lastFile(req).Service[0].Method[0]
			rpc.InputType, rpc.OutputType = new(".lib.Input"), new(".lib.Output")
		},
		error: `a.proto:4:3: field M.a has the type lib.Gone, which no file of the request declares
a.proto:7:3: RPC S.R takes lib.Input, which no file of the request declares
a.proto:7:3: RPC S.R returns lib.Output, which no file of the request declares`,
	},
	{
		name:  "no type",
		proto: small,
		edit:  func(req *pluginpb.CodeGeneratorRequest) { firstField(req).Type, firstField(req).TypeName = nil, nil },
		error: "a.proto:4:3: field M.a has neither a type nor a type name",
	},
	{
		name: "extended message",
		proto: `syntax = "proto2";
message M { extensions 1; }
extend M {
  optional int32 x = 1;
}`,
		edit:  func(req *pluginpb.CodeGeneratorRequest) { lastFile(req).Extension[0].Extendee = new(".lib.Gone") },
		error: "a.proto:4:3: extension x extends lib.Gone, which no file of the request declares",
	},
	{
		name:  "extension of nothing",
		proto: "message M { extensions 1; }\nextend M { optional int32 x = 1; }",
		edit:  func(req *pluginpb.CodeGeneratorRequest) { lastFile(req).Extension[0].Extendee = nil },
		error: "a.proto:2:12: extension x does not say which message it extends",
	},
	{
		name:  "message twice",
		files: map[string]string{"a.proto": "\nmessage M {}", "b.proto": "\n\n message N {}"},
		edit:  func(req *pluginpb.CodeGeneratorRequest) { lastFile(req).MessageType[0].Name = new("M") },
		error: "b.proto:3:2: M is already declared at a.proto:2:1",
	},
	{
		name:  "message and enum of one name",
		files: map[string]string{"a.proto": "\nmessage M {}", "b.proto": "\n\nenum N { A = 0; }"},
		edit:  func(req *pluginpb.CodeGeneratorRequest) { lastFile(req).EnumType[0].Name = new("M") },
		error: "b.proto:3:1: M is already declared at a.proto:2:1",
	},
	{
		name:  "comment that is not UTF-8",
		proto: "\n// Coffee\nmessage M {}",
		edit: func(req *pluginpb.CodeGeneratorRequest) {
			for _, l := range lastFile(req).SourceCodeInfo.Location {
				if l.LeadingComments != nil {
					l.LeadingComments = new(" Caf\xe9 au lait\n")
				}
			}
		},
		error: `a.proto:3:1: a comment of this declaration is not valid UTF-8 (" Caf\xe9"): save the file as UTF-8`,
	},
	{
		name:  "name that is not UTF-8",
		proto: "\nmessage M {}",
		edit:  func(req *pluginpb.CodeGeneratorRequest) { lastFile(req).MessageType[0].Name = new("M\xff") },
		error: `a.proto:2:1: type name "M\xff" is not valid UTF-8`,
	},
	{
		name:  "syntax",
		proto: "// License\n" + small,
		edit:  func(req *pluginpb.CodeGeneratorRequest) { lastFile(req).Syntax = new("proto4") },
		error: `a.proto:2:1: syntax "proto4" is not known: use proto2, proto3 or an edition`,
	},
	{
		name:  "edition for tests",
		proto: small,
		edit:  edition(descriptorpb.Edition_EDITION_99997_TEST_ONLY),
		error: "a.proto:1:1: edition 99997_TEST_ONLY is newer than 2024, the newest that this plugin can read",
	},
	{
		name:  "edition after 2024",
		proto: small,
		edit:  edition(descriptorpb.Edition_EDITION_2024 + 1),
		error: "a.proto:1:1: edition 2026 is newer than 2024, the newest that this plugin can read",
	},
	{
		name:  "edition without a number",
		proto: small,
		edit:  edition(descriptorpb.Edition_EDITION_UNKNOWN),
		error: "a.proto:1:1: edition UNKNOWN is not known: use 2023 or 2024",
	},
	{
		name:  "truncated validate.rules",
		proto: small,
		edit:  withRules(1071, "\x72\x05\x10"), // string, with 5 bytes
		error: "a.proto:4:3: option (validate.rules) of a is broken: unexpected EOF",
	},
	{
		name:  "wire type of validate.rules",
		proto: small,
		edit:  withRules(1071, "\x72\x02\x12\x00"), // string.min_len as a text
		error: "a.proto:4:3: option (validate.rules) of a is broken: string.min_len: the value has another wire type than its field",
	},
	{
		name:  "truncated validator.field",
		proto: small,
		edit:  withRules(65020, "\x10"),
		error: "a.proto:4:3: option (validator.field) of a is broken: unexpected EOF",
	},
	{
		name:  "truncated google.api.http",
		proto: small,
		edit: func(req *pluginpb.CodeGeneratorRequest) {
			rpc := lastFile(req).Service[0].Method[0]
			rpc.Options = new(descriptorpb.MethodOptions)
			b := protowire.AppendTag(nil, 72295728, protowire.BytesType)
			rpc.Options.ProtoReflect().SetUnknown(protowire.AppendString(b, "\x12\x05a"))
		},
		error: "a.proto:7:3: option (google.api.http) of S.R is broken: unexpected EOF",
	},
}

// noRequest is how the message about bytes that are no request starts.
const noRequest = "protoc-gen-skaffold-docs: cannot read the CodeGeneratorRequest on standard input: "

// bytesOf takes the place of the request.
func bytesOf(text string) func([]byte) []byte { return func([]byte) []byte { return []byte(text) } }

// first keeps the first bytes of the request; a negative number leaves out the
// last ones.
func first(n int) func([]byte) []byte {
	return func(b []byte) []byte {
		if n < 0 {
			n += len(b)
		}
		return b[:n]
	}
}

var badRequests = []badInput{
	{
		name:   "no bytes",
		mangle: bytesOf(""),
		error:  "the request names no file to generate: give protoc or buf at least one .proto file",
	},
	{
		name:  "no file to generate",
		edit:  func(req *pluginpb.CodeGeneratorRequest) { req.FileToGenerate = nil },
		error: "the request names no file to generate: give protoc or buf at least one .proto file",
	},
	{
		name:  "file to generate that is missing",
		edit:  func(req *pluginpb.CodeGeneratorRequest) { req.FileToGenerate = []string{"b.proto"} },
		error: "b.proto: the request asks for output for this file but does not contain it",
	},
	{
		name: "file without a descriptor", // the request ends behind the parameter
		mangle: func(b []byte) []byte {
			return b[:bytes.Index(b, []byte("out.txt"))+len("out.txt")]
		},
		error: "a.proto: the request asks for output for this file but does not contain it",
	},
	{
		name:   "file twice",
		edit:   func(req *pluginpb.CodeGeneratorRequest) { req.ProtoFile = append(req.ProtoFile, req.ProtoFile[0]) },
		stderr: noRequest + "file \"a.proto\" is contained twice\n",
	},
	{
		name:   "file without a name",
		edit:   func(req *pluginpb.CodeGeneratorRequest) { req.ProtoFile[0].Name = nil },
		stderr: noRequest + "a file descriptor has no name\n",
	},
	{
		name:   "truncated before its first name",
		mangle: first(1),
		stderr: noRequest + "truncated: the input ends inside a number\n",
	},
	{
		name:   "truncated in its first name",
		mangle: first(4),
		stderr: noRequest + "truncated: field 1 should have 7 bytes, the input ends after 2\n",
	},
	{
		name:   "truncated before its last byte",
		mangle: func([]byte) []byte { return []byte("\x0a\x01a\x7a\x09\x0a\x07a.prot") },
		stderr: noRequest + "truncated: field 15 should have 9 bytes, the input ends after 8\n",
	},
	{
		name:   "huge length",
		mangle: func([]byte) []byte { return protowire.AppendVarint([]byte("\x7a"), 1<<60) },
		stderr: noRequest + "truncated: field 15 should have 1152921504606846976 bytes, the input ends after 0\n",
	},
	{
		name:   "huge length of an unknown field",
		mangle: func([]byte) []byte { return protowire.AppendVarint([]byte("\x62"), 1<<63) },
		stderr: noRequest + "truncated: field 12 should have 9223372036854775808 bytes, the input ends after 0\n",
	},
	{
		name:   "text",
		mangle: bytesOf("hello, world\n"),
		stderr: noRequest + "field 13 has wire type 4, which no CodeGeneratorRequest contains\n",
	},
	{
		name:   "JSON",
		mangle: bytesOf(`{"file_to_generate": []}`),
		stderr: noRequest + "field 15 has wire type 3, want 2\n",
	},
	{
		name:   "zeros",
		mangle: bytesOf("\x00\x00\x00\x00"),
		stderr: noRequest + "byte sequence is not a protobuf message (field number 0)\n",
	},
	{
		name:   "long number",
		mangle: bytesOf(strings.Repeat("\xff", 20)),
		stderr: noRequest + "byte sequence is not a protobuf message (a number has more than 10 bytes)\n",
	},
	{
		name:   "number for a name",
		mangle: bytesOf("\x08\x01"),
		stderr: noRequest + "field 1 has wire type 0, want 2\n",
	},
	{
		name:   "truncated descriptor",
		mangle: bytesOf("\x0a\x01a\x7a\x03\x0a\x05a"),
		stderr: noRequest + "broken file descriptor: unexpected EOF\n",
	},
	{
		name:   "broken message in a descriptor",
		mangle: bytesOf("\x0a\x01a\x12\x0ajson,a.txt\x7a\x06\x0a\x01a\x22\x01\x0a"),
		error:  "a: broken file descriptor: proto: cannot parse invalid wire-format data",
	},
	{
		name:   "broken source info",
		mangle: bytesOf("\x0a\x01a\x12\x0ajson,a.txt\x7a\x07\x0a\x01a\x4a\x02\x0a\x05"),
		error:  "a: broken source info: unexpected EOF",
	},
}

// Wherever a request is cut, the plugin says that it is, or where it is cut
// between two fields, that a file is missing or asks for nothing.
func TestTruncatedRequest(t *testing.T) {
	t.Chdir(t.TempDir())
	whole := badInput{parameter: "json,out.json", proto: "// A comment.\nmessage M { optional M a = 1; }"}.request(t)
	for n := range whole {
		got := plugintest.RunBytes(t, docsPlugin, whole[:n])
		switch {
		case got.Status == 1 && got.Response == nil && strings.HasPrefix(got.Stderr, noRequest+"truncated: "):
		case got.Status == 0 && got.Stderr == "" && got.Response.GetError() != "" && got.Response.File == nil:
		default:
			t.Errorf("of %d bytes %d: status %d, response %v, standard error %q", len(whole), n, got.Status, got.Response, got.Stderr)
		}
	}
}

// A few forged bytes cannot make the plugin ask for much memory.
func TestHugeLengthTakesNoMemory(t *testing.T) {
	for _, field := range []byte{0x0a, 0x12, 0x1a, 0x62, 0x7a} { // with a length: 1, 2, 3, 12 and 15
		request := protowire.AppendVarint([]byte{field}, 1<<40)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		plugintest.RunBytes(t, docsPlugin, slices.Concat(request, make([]byte, 1000)))
		runtime.ReadMemStats(&after)
		if got, most := after.TotalAlloc-before.TotalAlloc, uint64(16<<20); got > most {
			t.Errorf("tag %#x with a length of 1 TiB: %d bytes were allocated, want at most %d", field, got, most)
		}
	}
}
