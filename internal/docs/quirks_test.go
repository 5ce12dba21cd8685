package docs_test

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/pluginpb"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/plugin"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/plugin/plugintest"
)

// docsPlugin is the plugin as its program runs it.
var docsPlugin = plugin.Plugin{Name: "protoc-gen-skaffold-docs", Usage: docs.Usage, Generate: docs.Generate}

// quirk is something that protoc-gen-doc v1.5.1 does and that a template may
// count on.
type quirk struct {
	name string
	// proto is the source of a.proto; files are sources by name. Output is asked
	// for generate, or for all of these files in the order of their names.
	proto    string
	files    map[string]string
	generate []string
	// edit changes the request, where no source compiles to what is wanted.
	edit func(*pluginpb.CodeGeneratorRequest)
	// template is the text of the file page.tmpl in the current folder, or of
	// the file that templateFile names.
	template     string
	templateFile string
	// parameter is page.tmpl,out.txt unless it is given.
	parameter *string
	// normalize takes out of the content what the case is not about.
	normalize func(string) string
	// want is the content of out.txt; wantFiles are all files, where there may be
	// none or several.
	want      string
	wantFiles map[string]string
}

// The cases are grouped, and their comments numbered, like this:
//
//	1.1 the parameter        1.4 what the fields are filled with
//	1.2 rendering            1.5 comments
//	1.3 the fields and methods of the model
//
// Where a result differs from protoc-gen-doc's on purpose, the comment says so.
func TestQuirks(t *testing.T) {
	groups := []struct {
		name  string
		cases []quirk
	}{
		{"parameter", parameterQuirks},
		{"rendering", renderingQuirks},
		{"model", modelQuirks},
		{"names", nameQuirks},
		{"options", optionQuirks},
		{"json", jsonQuirks},
		{"comments", commentQuirks},
	}
	for _, group := range groups {
		t.Run(group.name, func(t *testing.T) {
			for _, c := range group.cases {
				t.Run(c.name, func(t *testing.T) { c.check(t) })
			}
		})
	}
}

func (c quirk) check(t *testing.T) {
	t.Chdir(t.TempDir())
	if c.templateFile == "" {
		c.templateFile = "page.tmpl"
	}
	if err := os.WriteFile(c.templateFile, []byte(c.template), 0o600); err != nil {
		t.Fatal(err)
	}
	req := c.request(t)
	got := plugintest.Files(t, plugintest.Run(t, docsPlugin, req))
	want := c.wantFiles
	if want == nil {
		want = map[string]string{"out.txt": c.want}
	}
	if c.normalize != nil {
		for name, content := range got {
			got[name] = c.normalize(content)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the output differs (-want +got):\n%s", diff)
	}
}

func (c quirk) request(t *testing.T) *pluginpb.CodeGeneratorRequest {
	t.Helper()
	files := maps.Clone(c.files)
	if files == nil {
		files = map[string]string{"a.proto": c.proto}
	}
	if c.generate == nil {
		c.generate = slices.Sorted(maps.Keys(files))
	}
	for path, source := range libraries {
		files[path] = source
	}
	req := plugintest.Compile(t, files, c.generate...)
	if c.parameter == nil {
		c.parameter = new("page.tmpl,out.txt")
	}
	req.Parameter = c.parameter
	if c.edit != nil {
		c.edit(req)
	}
	return req
}

// Templates that many cases share.
const (
	fileNames    = `{{range .Files}}{{.Name}};{{end}}`
	messageNames = `{{range .Files}}{{range .Messages}}{{.LongName}};{{end}}{{end}}`
	fieldNames   = `{{range .Files}}{{range .Messages}}{{range .Fields}}{{.Name}};{{end}}{{end}}{{end}}`
	fieldTypes   = `{{range .Files}}{{range .Messages}}{{range .Fields}}{{.Name}}: {{.Type}} {{.LongType}} {{.FullType}}
{{end}}{{end}}{{end}}`
	labels = `{{range .Files}}{{range .Messages}}{{range .Fields}}{{.Name}}={{.Label}};{{end}}{{end}}{{end}}`
	maps_  = `{{range .Files}}{{range .Messages}}{{range .Fields}}{{.Name}}={{.IsMap}};{{end}}{{end}}{{end}}`
	oneofs = `{{range .Files}}{{range .Messages}}{{.HasOneofs}}:{{range .Fields}} {{.Name}}={{.IsOneof}},{{.OneofDecl}};{{end}}{{end}}{{end}}`

	extensionNames = `{{range .Files}}{{range .Extensions}}{{.LongName}} {{.FullName}} {{.ContainingType}} {{.ContainingLongType}} {{.ContainingFullType}}
{{end}}{{end}}`
	methodTypes = `{{range .Files}}{{range .Services}}{{range .Methods}}{{.Name}}: {{.RequestType}} {{.RequestLongType}} {{.RequestFullType}}; {{.ResponseType}} {{.ResponseLongType}} {{.ResponseFullType}}
{{end}}{{end}}{{end}}`
	rules = `{{range .Files}}{{range .Messages}}{{range .Fields}}{{.Name}}:{{range (index .Options "validate.rules").Rules}} {{.Name}}={{.Value}}{{end}}
{{end}}{{end}}{{end}}`
	routes = `{{range .Files}}{{range .Services}}{{range .Methods}}{{.Name}}:{{range (index .Options "google.api.http").Rules}} {{.Method}} {{.Pattern}} [{{.Body}}];{{end}}
{{end}}{{end}}{{end}}`

	// descriptions shows a description between bars, so that blanks count.
	descriptions = `{{range .Files}}{{range .Messages}}{{.Name}}|{{.Description}}|
{{range .Fields}}{{.Name}}|{{.Description}}|
{{end}}{{end}}{{end}}`
	methodDescriptions = `{{range .Files}}{{range .Services}}{{.Name}}|{{.Description}}|
{{range .Methods}}{{.Name}}|{{.Description}}|
{{end}}{{end}}{{end}}`
	valueDescriptions = `{{range .Files}}{{range .Enums}}{{.Name}}|{{.Description}}|
{{range .Values}}{{.Name}}|{{.Description}}|
{{end}}{{end}}{{end}}`
	fileDescription = `{{range .Files}}|{{.Description}}|{{end}}`
)

// empty is a file with one message.
const empty = `syntax = "proto3"; message M {}`

// library is a file that is imported and of no interest itself.
const library = `syntax = "proto3"; package lib; message Thing {} message LogEntry {}`

// libraries are the files that protoc-gen-doc's own options come from, reduced
// to what the cases use. The plugins know the options by their numbers.
var libraries = map[string]string{
	"google/api/annotations.proto": `
		syntax = "proto3";
		package google.api;
		import "google/protobuf/descriptor.proto";
		extend google.protobuf.MethodOptions { HttpRule http = 72295728; }
		message HttpRule {
			oneof pattern {
				string get = 2;
				string put = 3;
				string post = 4;
				string delete = 5;
				string patch = 6;
				CustomHttpPattern custom = 8;
			}
			string body = 7;
			repeated HttpRule additional_bindings = 11;
			string response_body = 12;
		}
		message CustomHttpPattern { string kind = 1; string path = 2; }`,
	"validate/validate.proto": `
		syntax = "proto2";
		package validate;
		import "google/protobuf/descriptor.proto";
		import "google/protobuf/duration.proto";
		extend google.protobuf.FieldOptions { optional FieldRules rules = 1071; }
		message FieldRules {
			optional MessageRules message = 17;
			oneof type {
				Int32Rules int32 = 3;
				StringRules string = 14;
				BytesRules bytes = 15;
				RepeatedRules repeated = 18;
				MapRules map = 19;
				DurationRules duration = 21;
			}
		}
		message MessageRules { optional bool skip = 1; optional bool required = 2; }
		message Int32Rules { optional int32 gte = 5; repeated int32 in = 6; }
		message StringRules {
			optional string const = 1;
			optional uint64 min_len = 2;
			optional string pattern = 6;
			oneof well_known { bool email = 12; }
		}
		message BytesRules { optional bytes const = 1; }
		message RepeatedRules { optional uint64 min_items = 1; optional FieldRules items = 4; }
		message MapRules { optional uint64 min_pairs = 1; optional FieldRules keys = 4; }
		message DurationRules { optional google.protobuf.Duration gt = 5; }`,
	"validator.proto": `
		syntax = "proto2";
		package validator;
		import "google/protobuf/descriptor.proto";
		extend google.protobuf.FieldOptions { optional FieldValidator field = 65020; }
		message FieldValidator {
			optional string regex = 1;
			optional int64 int_gt = 2;
			optional bool msg_exists = 4;
			optional double float_gte = 9;
		}`,
}

var parameterQuirks = []quirk{
	{ // 1.1 empty: html into index.html
		name:      "empty",
		proto:     empty,
		parameter: new(""),
		normalize: nameOnly,
		wantFiles: map[string]string{"index.html": ""},
	},
	{ // 1.1 :pat alone: the defaults, and files left out
		name:      "excludes alone",
		files:     map[string]string{"a.proto": empty, "b.proto": ""},
		parameter: new(":b.proto"),
		normalize: func(page string) string {
			return strings.Join(regexp.MustCompile(`\b[ab]\.proto\b`).FindAllString(page, 1), "")
		},
		wantFiles: map[string]string{"index.html": "a.proto"},
	},
	{ // 1.1 anything but the four types is the path of a template
		name:         "template without a suffix",
		proto:        empty,
		template:     fileNames,
		templateFile: "markdown.tmpl",
		parameter:    new("markdown.tmpl,out.txt"),
		want:         "a.proto;",
	},
	{ // 1.1 OUTPUT is reduced to its last part
		name:      "folder of the output",
		proto:     empty,
		template:  fileNames,
		parameter: new("page.tmpl,v1/index.md"),
		wantFiles: map[string]string{"index.md": "a.proto;"},
	},
	{ // 1.1 the third word default changes nothing
		name:      "default",
		files:     map[string]string{"x/a.proto": empty, "y/b.proto": ""},
		template:  fileNames,
		parameter: new("page.tmpl,docs/out.txt,default"),
		want:      "x/a.proto;y/b.proto;",
	},
	{ // 1.1 source_relative: one page for each folder
		name: "source_relative",
		files: map[string]string{
			"root.proto": "", "x/a.proto": empty, "x/b.proto": "", "x/deep/c.proto": "", "y/d.proto": "",
		},
		generate:  []string{"x/b.proto", "y/d.proto", "x/deep/c.proto", "x/a.proto", "root.proto"},
		template:  fileNames,
		parameter: new("page.tmpl,docs/out.txt,source_relative"),
		wantFiles: map[string]string{
			"out.txt":        "root.proto;",
			"x/out.txt":      "x/b.proto;x/a.proto;",
			"x/deep/out.txt": "x/deep/c.proto;",
			"y/out.txt":      "y/d.proto;",
		},
	},
	{ // 1.1 source_relative: a folder whose files are all left out has no page
		name:      "source_relative with excludes",
		files:     map[string]string{"x/a.proto": empty, "x/b.proto": "", "y/c.proto": ""},
		template:  fileNames,
		parameter: new("page.tmpl,out.txt,source_relative:y/,b"),
		wantFiles: map[string]string{"x/out.txt": "x/a.proto;"},
	},
	{ // 1.1 excludes are regular expressions that match anywhere in the path
		name:      "unanchored exclude",
		files:     map[string]string{"a.proto": empty, "sub/label.proto": "", "x.proto": ""},
		template:  fileNames,
		parameter: new("page.tmpl,out.txt:b"),
		want:      "a.proto;x.proto;",
	},
	{ // 1.1 the dot of an exclude matches any character
		name:      "dot in an exclude",
		files:     map[string]string{"a.proto": empty, "my_proto/b.proto": "", "c.proto": ""},
		template:  fileNames,
		parameter: new("page.tmpl,out.txt:y.proto"),
		want:      "a.proto;c.proto;",
	},
	{ // 1.1 google/* is "google" and any number of slashes, and no glob
		name:      "google star",
		files:     map[string]string{"a.proto": empty, "google/b.proto": "", "googles/c.proto": "", "my_google.proto": "", "goo/gle.proto": ""},
		template:  fileNames,
		parameter: new("page.tmpl,out.txt:google/*"),
		want:      "a.proto;goo/gle.proto;",
	},
	{ // 1.1 several excludes; ^ and $ work
		name:      "several excludes",
		files:     map[string]string{"a.proto": empty, "b.proto": "", "c/a.proto": "", "d.proto": ""},
		template:  fileNames,
		parameter: new("page.tmpl,out.txt:^a,d.proto$"),
		want:      "b.proto;c/a.proto;",
	},
	{ // 1.1 an empty exclude leaves out nothing; v1.5.1 takes it for the empty expression, which excludes everything
		name:      "comma after an exclude",
		files:     map[string]string{"a.proto": empty, "b.proto": ""},
		template:  fileNames,
		parameter: new("page.tmpl,out.txt:b,"),
		want:      "a.proto;",
	},
	{ // 1.1 excludes filter the files to generate alone: types of an excluded file resolve
		name: "types of an excluded file",
		files: map[string]string{
			"a.proto":   `syntax = "proto3"; package a; import "lib.proto"; message M { lib.Thing thing = 1; }`,
			"lib.proto": library,
		},
		template:  fieldTypes,
		parameter: new("page.tmpl,out.txt:lib"),
		want:      "thing: Thing lib.Thing lib.Thing\n",
	},
	{ // 1.1 all files left out: no output and no error
		name:      "all excluded",
		proto:     empty,
		template:  fileNames,
		parameter: new("page.tmpl,out.txt:.*"),
		wantFiles: map[string]string{},
	},
	{ // 1.1 a colon at the end; v1.5.1 takes it for the empty expression, which excludes everything
		name:      "colon at the end",
		proto:     empty,
		template:  fileNames,
		parameter: new("page.tmpl,out.txt:"),
		want:      "a.proto;",
	},
	{ // 1.1 of four parts and more, the third and the rest are ignored
		name:      "further colons",
		files:     map[string]string{"a.proto": empty, "b.proto": "", "c.proto": ""},
		template:  fileNames,
		parameter: new("page.tmpl,out.txt:b:c:a"),
		want:      "a.proto;c.proto;",
	},
	{ // 1.1 the drive of a Windows path; v1.5.1 takes its colon for the end of the file part
		name:         "Windows drive",
		files:        map[string]string{"a.proto": empty, "b.proto": ""},
		template:     fileNames,
		templateFile: `C:\page.tmpl`,
		parameter:    new(`C:\page.tmpl,out.txt:b`),
		want:         "a.proto;",
	},
	{ // 1.1 camel_case_fields; v1.5.1 ignores it, later revisions stop with a panic at a__b and b_
		name: "camel_case_fields",
		proto: `syntax = "proto2"; message M {
			optional int32 task_id = 1; optional int32 URL_path = 2; optional int32 HTTPCode = 3; optional int32 x_Y_zed = 4;
			optional int32 _lead = 5; optional int32 a__b = 6; optional int32 b_ = 7; optional int32 c_2d = 8;
			oneof some_choice { int32 one_way = 9; }
		}`,
		template:  fieldNames + `{{range .Files}}{{range .Messages}}{{range .Fields}}{{.OneofDecl}}{{end}}{{end}}{{end}}`,
		parameter: new("page.tmpl,out.txt::camel_case_fields=true"),
		want:      "taskId;urlPath;httpcode;xYZed;Lead;aB;b;c2d;oneWay;some_choice",
	},
	{ // 1.1 camel_case_fields=false
		name:      "camel_case_fields off",
		proto:     `syntax = "proto3"; message M { int32 task_id = 1; }`,
		template:  fieldNames,
		parameter: new("page.tmpl,out.txt:b:camel_case_fields=false"),
		want:      "task_id;",
	},
	{ // 1.4 a file that is asked for twice
		name:  "file twice",
		files: map[string]string{"a.proto": empty, "b.proto": ""},
		edit: func(req *pluginpb.CodeGeneratorRequest) {
			req.FileToGenerate = []string{"b.proto", "a.proto", "b.proto"}
		},
		template: fileNames,
		want:     "b.proto;a.proto;b.proto;",
	},
	{ // 1.4 files keep the order in which output is asked for
		name:     "order of files",
		files:    map[string]string{"a.proto": empty, "b.proto": "", "c.proto": ""},
		generate: []string{"c.proto", "a.proto", "b.proto"},
		template: fileNames,
		want:     "c.proto;a.proto;b.proto;",
	},
}

var renderingQuirks = []quirk{
	{ // 1.2 an empty template gives an empty page; v1.5.1 takes it for no template and makes its HTML
		name:     "empty template",
		proto:    empty,
		template: "",
		want:     "",
	},
	{ // 1.2 a custom template escapes nothing, whatever its name ends in
		name: "no escaping",
		proto: `syntax = "proto3";
			// <b>a</b> & "b" + 'c'
			message M {}`,
		template:     `<!-- kept --><i title="{{range .Files}}{{range .Messages}}{{.Description}}{{end}}{{end}}">`,
		templateFile: "page.html",
		parameter:    new("page.html,out.txt"),
		want:         `<!-- kept --><i title="<b>a</b> & "b" + 'c'">`,
	},
	{ // 1.2 a missing key of a map is <no value>
		name:     "missing key",
		proto:    `syntax = "proto3"; message M { option deprecated = true; }`,
		template: `{{range .Files}}{{range .Messages}}{{.Options.deprecated}} {{.Options.nope}} {{index .Options "nope"}}{{end}}{{end}}`,
		want:     "true <no value> <no value>",
	},
	{ // 1.2 the template is named Text Template, so that it can call itself
		name:     "template name",
		proto:    empty,
		template: `{{if eq (printf "%T" .) "string"}}inner {{.}}{{else}}outer {{template "Text Template" "dot"}}{{end}}`,
		want:     "outer inner dot",
	},
	{ // 1.2 the same where the files are a range of their own, which is run in parts
		name:     "template name and files",
		proto:    empty,
		template: `{{range .Files}}[{{.Name}}]{{end}}{{if .Scalars}}{{template "Text Template" (dict "Files" (list (dict "Name" "x")))}}{{end}}`,
		want:     "[a.proto][x]",
	},
	{ // 1.2 define, template and block work inside one file
		name:     "define",
		proto:    empty,
		template: `{{define "row"}}<{{.Name}}>{{end}}{{range .Files}}{{template "row" .}}{{block "tail" .}}[{{.Name}}]{{end}}{{end}}`,
		want:     "<a.proto>[a.proto]",
	},
	{ // 1.2 Go's own functions
		name:     "builtins",
		proto:    empty,
		template: `{{html "<"}} {{js "'"}} {{urlquery "a b"}} {{printf "%03d" 7}} {{index (list "x" "y") 1}} {{len "abc"}} {{and true 0}} {{not 1}}`,
		want:     `&lt; \' a+b 007 y 3 0 false`,
	},
	{ // 1.2 sprig
		name:     "sprig",
		proto:    empty,
		template: `{{"a-b" | replace "-" "_" | upper | quote}} {{default "d" ""}} {{trunc 2 "abc"}} {{list 3 1 2 | sortAlpha | join ","}} {{dict "k" "v" | toJson}} {{ternary "y" "n" true}}`,
		want:     `"A_B" d ab 1,2,3 {"k":"v"} y`,
	},
	{ // 1.2 sprig 3, as later versions of sprig 2; v1.5.1 has Foobar, Foo-bar, http2xx and "<nil>"
		name:     "sprig 3",
		proto:    empty,
		template: `{{camelcase "FooBar"}} {{camelcase "foo-bar"}} {{snakecase "http2xx"}} [{{quote nil}}]`,
		want:     "FooBar FooBar http_2xx []",
	},
	{ // 1.2 keys and values (which v1.5.1 does not have) are sorted by key, where sprig's order is random; none is an empty list
		name:     "keys and values",
		proto:    empty,
		template: `{{$d := dict "c" 1 "a" 3 "d" 0 "b" 2}}{{keys $d}} {{values $d}} {{keys dict | toJson}} {{values dict | toJson}}`,
		want:     "[a b c d] [3 2 1 0] [] []",
	},
	{ // 1.2 slice cuts a string, as the builtin that v1.5.1 has
		name:     "slice of a string",
		proto:    empty,
		template: `{{slice "abc" 0 1}}{{slice "abc" 2}}{{slice "abc"}}`,
		want:     "acabc",
	},
	{ // 1.2 p: a paragraph for each line; white space at the start of a line goes, the rest stays
		name:     "p",
		proto:    empty,
		template: `{{p "a <b>\n\n  c \rd\r\ne"}} {{p ""}} {{p "x\n"}} {{p "\n\nx"}}`,
		want:     `<p>a <b></p><p>c </p><p>d</p><p>e</p> <p></p> <p>x</p><p></p> <p></p><p>x</p>`,
	},
	{ // 1.2 para: the same for DocBook
		name:     "para",
		proto:    empty,
		template: `{{para "a & b\n\tc"}} {{para ""}}`,
		want:     `<para>a & b</para><para>c</para> <para></para>`,
	},
	{ // 1.2 nobr: lines of a paragraph are joined, blank lines between paragraphs stay
		name:     "nobr",
		proto:    empty,
		template: `[{{nobr "a\nb\r\nc\rd"}}] [{{nobr "a  \n  b"}}] [{{nobr "a\n\n\nb\r\n\r\nc"}}] [{{nobr " a \n"}}] [{{nobr "a\tb"}}] [{{nobr "a\n \nb"}}] [{{nobr "\n\na"}}]`,
		want:     "[a b c d] [a b] [a\n\nb\n\nc] [ a ] [a\tb] [a b] [\n\na]",
	},
	{ // 1.2 anchor: / becomes _, all but letters, digits, _ and - becomes -, one for each character
		name:     "anchor",
		proto:    empty,
		template: `{{anchor "v1/My.Type_2-x"}} {{anchor "é日 ."}} {{anchor ""}} {{anchor "a.b"}} {{anchor "a-b"}}`,
		want:     "v1_My-Type_2-x ----  a-b a-b",
	},
}

var modelQuirks = []quirk{
	{ // 1.4 enums, extensions, messages and services are sorted by the bytes of their names
		name: "sorting",
		proto: `syntax = "proto2"; package p;
			message alpha { extensions 1 to 10; } message Zed {} message Beta {} message B_x {} message B2 {}
			enum y { Y0 = 0; } enum X { X0 = 0; }
			extend alpha { optional int32 z = 2; optional int32 A = 1; }
			service s {} service R {}`,
		template: `{{range .Files}}{{range .Messages}}{{.Name}};{{end}} {{range .Enums}}{{.Name}};{{end}} {{range .Extensions}}{{.Name}};{{end}} {{range .Services}}{{.Name}};{{end}}{{end}}`,
		want:     "B2;B_x;Beta;Zed;alpha; X;y; A;z; R;s;",
	},
	{ // 1.4 fields, values, methods and extensions in a message keep their order
		name: "declaration order",
		proto: `syntax = "proto2"; package p;
			message M { optional int32 z = 1; optional int32 a = 3; optional int32 m = 2; extensions 10 to 20; }
			message N { extend M { optional int32 y = 11; optional int32 b = 10; } }
			enum E { TWO = 2; ONE = 1; }
			service S { rpc Z(M) returns (M); rpc A(M) returns (M); }`,
		template: `{{range .Files}}{{range .Messages}}{{range .Fields}}{{.Name}};{{end}}{{range .Extensions}}{{.Name}};{{end}}{{end}} {{range .Enums}}{{range .Values}}{{.Name}};{{end}}{{end}} {{range .Services}}{{range .Methods}}{{.Name}};{{end}}{{end}}{{end}}`,
		want:     "z;a;m;y;b; TWO;ONE; Z;A;",
	},
	{ // 1.4 nested messages and enums, map entries and groups stand in the file's lists
		name: "flattening",
		proto: `syntax = "proto2"; package p;
			message Outer {
				message Inner { enum Deep { D = 0; } }
				enum Kind { K = 0; }
				map<string, int32> labels = 1;
				optional group Result = 2 { optional int32 n = 3; }
			}
			enum Top { T = 0; }`,
		template: messageNames + ` {{range .Files}}{{range .Enums}}{{.LongName}};{{end}}{{end}}`,
		want:     "Outer;Outer.Inner;Outer.LabelsEntry;Outer.Result; Outer.Inner.Deep;Outer.Kind;Top;",
	},
	{ // 1.4 the fields of a map entry
		name:     "map entry",
		proto:    `syntax = "proto3"; package p; message M { map<string, M> by_name = 1; }`,
		template: fieldTypes,
		want: `by_name: ByNameEntry M.ByNameEntry p.M.ByNameEntry
key: string string string
value: M M p.M
`,
	},
	{ // 1.4 Has… look at the top level alone
		name:     "nested only",
		proto:    `syntax = "proto2"; package p; message M { extensions 1 to 5; enum E { A = 0; } extend M { optional int32 x = 1; } }`,
		template: `{{range .Files}}{{.HasEnums}} {{len .Enums}} {{.HasExtensions}} {{len .Extensions}} {{.HasMessages}} {{.HasServices}}{{range .Messages}} {{.HasExtensions}} {{len .Extensions}}{{end}}{{end}}`,
		want:     "false 1 false 0 true false true 1",
	},
	{ // 1.4 Has… of a file with one of each
		name:     "all present",
		proto:    `syntax = "proto2"; message M { extensions 1 to 5; } enum E { A = 0; } extend M { optional int32 x = 1; } service S {}`,
		template: `{{range .Files}}{{.HasEnums}} {{.HasExtensions}} {{.HasMessages}} {{.HasServices}}{{range .Messages}} {{.HasExtensions}} {{.HasFields}} {{.HasOneofs}}{{end}}{{end}}`,
		want:     "true true true true false false false",
	},
	{ // 1.4 labels: proto2 says all of them
		name:     "labels of proto2",
		proto:    `syntax = "proto2"; message M { optional int32 a = 1; required int32 b = 2; repeated int32 c = 3; oneof o { int32 d = 4; } map<int32, int32> e = 5; }`,
		template: labels,
		want:     "a=optional;b=required;c=repeated;d=optional;e=repeated;key=optional;value=optional;",
	},
	{ // 1.4 labels: proto3 says repeated, and optional where the source does
		name:     "labels of proto3",
		proto:    `syntax = "proto3"; message M { int32 a = 1; optional int32 b = 2; repeated int32 c = 3; oneof o { int32 d = 4; } map<int32, int32> e = 5; M f = 6; }`,
		template: labels,
		want:     "a=;b=optional;c=repeated;d=;e=repeated;f=;key=;value=;",
	},
	{ // 1.4 labels in an edition, whose files v1.5.1 refuses: by the field's presence
		name: "labels of an edition",
		proto: `edition = "2023"; message M {
			int32 a = 1; int32 b = 2 [features.field_presence = IMPLICIT]; int32 c = 3 [features.field_presence = LEGACY_REQUIRED]; repeated int32 d = 4;
		}`,
		template: labels,
		want:     "a=optional;b=;c=required;d=repeated;",
	},
	{ // 1.4 an extension is optional also in proto3
		name: "labels of extensions",
		proto: `syntax = "proto3"; import "google/protobuf/descriptor.proto";
			extend google.protobuf.FileOptions { string a = 50001; optional string b = 50002; repeated string c = 50003; }`,
		template: `{{range .Files}}{{range .Extensions}}{{.Name}}={{.Label}};{{end}}{{end}}`,
		want:     "a=;b=optional;c=repeated;",
	},
	{ // 1.4 oneofs
		name:     "oneof",
		proto:    `syntax = "proto3"; message M { int32 a = 1; oneof choice { int32 b = 2; M c = 3; } }`,
		template: oneofs,
		want:     "true: a=false,; b=true,choice; c=true,choice;",
	},
	{ // 1.4 the oneof that an optional field of proto3 is compiled to counts as one
		name:     "synthetic oneof",
		proto:    `syntax = "proto3"; message M { optional int32 x = 1; }`,
		template: oneofs,
		want:     "true: x=true,_x;",
	},
	{ // 1.4 a template may compare the oneof's name with the field's; camel_case_fields makes them differ
		name:      "synthetic oneof in camel case",
		proto:     `syntax = "proto3"; message M { optional int32 an_x = 1; }`,
		template:  oneofs,
		parameter: new("page.tmpl,out.txt::camel_case_fields=true"),
		want:      "true: anX=true,_an_x;",
	},
	{ // 1.4 IsMap: real maps
		name:     "IsMap",
		proto:    `syntax = "proto3"; package p; message M { map<string, M> a = 1; repeated M b = 2; M c = 3; }`,
		template: maps_,
		want:     "a=true;b=false;c=false;key=false;value=false;",
	},
	{ // 1.4 IsMap goes by names: a nested message FakeEntry
		name:     "IsMap of a nested message",
		proto:    `syntax = "proto3"; package p; message M { message FakeEntry {} repeated FakeEntry a = 1; FakeEntry b = 2; }`,
		template: maps_,
		want:     "a=true;b=false;",
	},
	{ // 1.4 IsMap goes by names: a message LogEntry of another package, not of one's own
		name: "IsMap of a foreign message",
		files: map[string]string{
			"a.proto":   `syntax = "proto3"; package p; import "lib.proto"; message OwnEntry {} message M { repeated lib.LogEntry a = 1; repeated OwnEntry b = 2; }`,
			"lib.proto": library,
		},
		generate: []string{"a.proto"},
		template: maps_,
		want:     "a=true;b=false;",
	},
	{ // 1.4 DefaultValue is the descriptor's text
		name: "default values",
		proto: `syntax = "proto2"; enum E { A = 0; B = 1; } message M {
			optional string a = 1 [default = "say \"x\"\n"]; optional bytes b = 2 [default = "\001a\377"]; optional E c = 3 [default = B];
			optional double d = 4 [default = inf]; optional float e = 5 [default = -nan]; optional double f = 6 [default = 1e3]; optional bool g = 7 [default = true];
			optional int32 h = 8 [default = 0x10]; optional int32 i = 9;
		}`,
		template: `{{range .Files}}{{range .Messages}}{{range .Fields}}{{.Name}}=[{{.DefaultValue}}]{{end}}{{end}}{{end}}`,
		want:     "a=[say \"x\"\n]" + `b=[\001a\377]c=[B]d=[inf]e=[nan]f=[1000]g=[true]h=[16]i=[]`,
	},
	{ // 1.3 the number of a value is text; aliases and negative numbers
		name:     "enum values",
		proto:    `syntax = "proto3"; enum E { option allow_alias = true; A = 0; B = 0; C = -1; }`,
		template: `{{range .Files}}{{range .Enums}}{{range .Values}}{{.Name}}={{printf "%q" .Number}};{{end}}{{end}}{{end}}`,
		want:     `A="0";B="0";C="-1";`,
	},
	{ // 1.3 the number of an extension is a number
		name:     "extension number",
		proto:    `syntax = "proto2"; message M { extensions 1 to 5; } extend M { repeated int32 x = 3; }`,
		template: `{{range .Files}}{{range .Extensions}}{{printf "%T" .Number}} {{add .Number 1}} {{.Label}}{{end}}{{end}}`,
		want:     "int 4 repeated",
	},
	{ // 1.3 the message that an extension is declared in
		name:     "extension scope",
		proto:    `syntax = "proto2"; package p; message M { extensions 1 to 5; } message A { message B { extend M { optional string x = 3 [default = "d"]; } } }`,
		template: `{{range .Files}}{{range .Messages}}{{range .Extensions}}{{.Name}} {{.LongName}} {{.FullName}} {{.ScopeType}} {{.ScopeLongType}} {{.ScopeFullType}} {{.Type}} {{.DefaultValue}}{{end}}{{end}}{{end}}`,
		want:     "x M.x p.M.x B A.B p.A.B string d",
	},
	{ // 1.3 streaming
		name: "streaming",
		proto: `syntax = "proto3"; message M {} service S {
			rpc A(M) returns (M); rpc B(stream M) returns (M); rpc C(M) returns (stream M); rpc D(stream M) returns (stream M);
		}`,
		template: `{{range .Files}}{{range .Services}}{{range .Methods}}{{.Name}} {{.RequestStreaming}} {{.ResponseStreaming}};{{end}}{{end}}{{end}}`,
		want:     "A false false;B true false;C false true;D true true;",
	},
	{ // 1.3 the fifteen scalars, in their order
		name:     "scalars",
		proto:    empty,
		template: `{{range .Scalars}}{{.ProtoType}} {{end}}{{with index .Scalars 13}}{{.Notes}} {{.CppType}} {{.CSharp}} {{.GoType}} {{.JavaType}} {{.PhpType}} {{.PythonType}} {{.RubyType}}{{end}}`,
		want: "double float int32 int64 uint32 uint64 sint32 sint64 fixed32 fixed64 sfixed32 sfixed64 bool string bytes " +
			"A string must always contain UTF-8 encoded or 7-bit ASCII text. string string string String string str/unicode String (UTF-8)",
	},
	{ // 1.3 the types have the names that a template's author knows, and elements are pointers
		name:     "Go types",
		proto:    `syntax = "proto2"; message M { optional int32 a = 1; } enum E { A = 0; } service S { rpc R(M) returns (M); }`,
		template: `{{printf "%T" .}}{{range .Files}} {{printf "%T" .}}{{range .Messages}} {{printf "%T" .}}{{range .Fields}} {{printf "%T" .}}{{end}}{{end}}{{range .Enums}} {{printf "%T" .}}{{end}}{{range .Services}} {{printf "%T" .}}{{end}}{{end}}`,
		want:     "*gendoc.Template *gendoc.File *gendoc.Message *gendoc.MessageField *gendoc.Enum *gendoc.Service",
	},
}

var nameQuirks = []quirk{
	{ // 1.4 LongName is the path inside the package, FullName has the package too
		name:     "names",
		proto:    `syntax = "proto3"; package a.b; message M { message N {} enum E { A = 0; } } service S {}`,
		template: `{{range .Files}}{{.Package}}{{range .Messages}} {{.Name}} {{.LongName}} {{.FullName}};{{end}}{{range .Enums}} {{.Name}} {{.LongName}} {{.FullName}};{{end}}{{range .Services}} {{.Name}} {{.LongName}} {{.FullName}};{{end}}{{end}}`,
		want:     "a.b M M a.b.M; N M.N a.b.M.N; E M.E a.b.M.E; S S a.b.S;",
	},
	{ // 1.4 without a package a FullName starts with a dot, the type of a field does not
		name:     "no package",
		proto:    `syntax = "proto3"; message M { message N {} N n = 1; } enum E { A = 0; } service S {}`,
		template: `{{range .Files}}[{{.Package}}]{{range .Messages}} {{.LongName}} {{.FullName}};{{end}}{{range .Enums}} {{.FullName}};{{end}}{{range .Services}} {{.FullName}};{{end}} {{end}}` + fieldTypes,
		want:     "[] M .M; M.N .M.N; .E; .S; n: N M.N M.N\n",
	},
	{ // 1.4 a scalar has its keyword as Type, LongType and FullType
		name: "scalar types",
		proto: `syntax = "proto3"; message M { double a = 1; float b = 2; int32 c = 3; int64 d = 4; uint32 e = 5; uint64 f = 6; sint32 g = 7; sint64 h = 8;
			fixed32 i = 9; fixed64 j = 10; sfixed32 k = 11; sfixed64 l = 12; bool m = 13; string n = 14; bytes o = 15; }`,
		template: fieldTypes,
		want: `a: double double double
b: float float float
c: int32 int32 int32
d: int64 int64 int64
e: uint32 uint32 uint32
f: uint64 uint64 uint64
g: sint32 sint32 sint32
h: sint64 sint64 sint64
i: fixed32 fixed32 fixed32
j: fixed64 fixed64 fixed64
k: sfixed32 sfixed32 sfixed32
l: sfixed64 sfixed64 sfixed64
m: bool bool bool
n: string string string
o: bytes bytes bytes
`,
	},
	{ // 1.4 the types of messages, enums and groups, of one's own package, one below it, and another
		name: "field types",
		files: map[string]string{
			"a.proto": `syntax = "proto2"; package edge.v1; import "lib.proto"; import "sub.proto";
				enum E { A = 0; } message M { message N {} optional N own = 1; optional E kind = 2; optional group Result = 3 {} optional sub.X below = 4; optional lib.Thing foreign = 5; }`,
			"sub.proto": `syntax = "proto3"; package edge.v1.sub; message X {}`,
			"lib.proto": library,
		},
		generate: []string{"a.proto"},
		template: fieldTypes,
		want: `own: N M.N edge.v1.M.N
kind: E E edge.v1.E
result: Result M.Result edge.v1.M.Result
below: X sub.X edge.v1.sub.X
foreign: Thing lib.Thing lib.Thing
`,
	},
	{ // 1.4 a method's foreign types keep a leading dot in the LongType
		name: "method types",
		files: map[string]string{
			"a.proto": `syntax = "proto3"; package edge.v1; import "lib.proto"; import "sub.proto";
				message M { message N {} } service S { rpc Own(M) returns (M.N); rpc Other(lib.Thing) returns (sub.X); }`,
			"sub.proto": `syntax = "proto3"; package edge.v1.sub; message X {}`,
			"lib.proto": library,
		},
		generate: []string{"a.proto"},
		template: methodTypes,
		want: `Own: M M edge.v1.M; N M.N edge.v1.M.N
Other: Thing .lib.Thing lib.Thing; X sub.X edge.v1.sub.X
`,
	},
	{ // 1.4 without a package all types of methods keep the dot in the LongType
		name:     "method types without a package",
		proto:    `syntax = "proto3"; message M { message N {} } service S { rpc R(M) returns (M.N); }`,
		template: methodTypes,
		want:     "R: M .M M; N .M.N M.N\n",
	},
	{ // 1.4 an extension of one's own package is named from its base
		name:     "extension",
		proto:    `syntax = "proto2"; package p2pkg; message Base { extensions 1 to 9; message In { extensions 1 to 9; } } extend Base { optional int32 fe = 1; } extend Base.In { optional int32 ge = 1; }`,
		template: extensionNames,
		want: `Base.fe p2pkg.Base.fe Base Base p2pkg.Base
In.ge p2pkg.In.ge In Base.In p2pkg.Base.In
`,
	},
	{ // 1.4 an extension of another package has the same LongName and FullName, with a leading dot
		name:     "foreign extension",
		proto:    `syntax = "proto3"; package mine; import "google/protobuf/descriptor.proto"; extend google.protobuf.FieldOptions { string my_opt = 50001; }`,
		template: extensionNames,
		want:     ".google.protobuf.FieldOptions.my_opt .google.protobuf.FieldOptions.my_opt FieldOptions .google.protobuf.FieldOptions google.protobuf.FieldOptions\n",
	},
	{ // 1.4 a package that is part of the extendee's name, wherever, counts as one's own
		name:     "package inside of the extendee",
		proto:    `syntax = "proto3"; package proto; import "google/protobuf/descriptor.proto"; extend google.protobuf.FieldOptions { string my_opt = 50001; }`,
		template: extensionNames,
		want:     "FieldOptions.my_opt proto.FieldOptions.my_opt FieldOptions .google.protobuf.FieldOptions google.protobuf.FieldOptions\n",
	},
	{ // 1.4 no package is part of every name
		name:     "extension without a package",
		proto:    `syntax = "proto2"; message Base { extensions 1 to 9; } extend Base { optional int32 fe = 1; }`,
		template: extensionNames,
		want:     "Base.fe .Base.fe Base .Base Base\n",
	},
}

var optionQuirks = []quirk{
	{ // 1.3 Options is nil without options, and can be looked into all the same
		name:     "no options",
		proto:    `syntax = "proto3"; message M { int32 a = 1; } service S { rpc R(M) returns (M); }`,
		template: `{{range .Files}}{{.Options}} {{len .Options}} {{index .Options "x"}} {{.Options.x}} {{if .Options}}yes{{end}}{{range .Services}}{{range .Methods}}{{.Options}}{{end}}{{end}}{{end}}`,
		want:     "map[] 0 <no value> <no value> map[]",
	},
	{ // 1.4 deprecated stands in the map only where it is true
		name: "deprecated",
		proto: `syntax = "proto3"; option deprecated = true;
			message M { option deprecated = true; int32 a = 1 [deprecated = true]; int32 b = 2 [deprecated = false]; }
			enum E { option deprecated = false; A = 0 [deprecated = true]; B = 1; }
			service S { option deprecated = true; rpc R(M) returns (M) { option deprecated = true; } }`,
		template: `{{range .Files}}{{.Options}}{{range .Messages}} {{.Name}}={{.Options}}{{range .Fields}} {{.Name}}={{.Options}}{{end}}{{end}}
{{range .Enums}}{{.Name}}={{.Options}}{{range .Values}} {{.Name}}={{.Options}}{{end}}{{end}}
{{range .Services}}{{.Name}}={{.Options}}{{range .Methods}} {{.Name}}={{.Options}}{{end}}{{end}}{{end}}`,
		want: `map[deprecated:true] M=map[deprecated:true] a=map[deprecated:true] b=map[]
E=map[] A=map[deprecated:true] B=map[]
S=map[deprecated:true] R=map[deprecated:true]`,
	},
	{ // 1.4 deprecated = false is no option to Option and FieldsWithOption either
		name:     "deprecated false",
		proto:    `syntax = "proto3"; message M { int32 a = 1 [deprecated = false]; int32 b = 2 [deprecated = true]; }`,
		template: `{{range .Files}}{{range .Messages}}{{range .Fields}}{{.Option "deprecated"}} {{end}}{{range .FieldsWithOption "deprecated"}}{{.Name}}{{end}}{{end}}{{end}}`,
		want:     "<no value> true b",
	},
	{ // 1.4 idempotency_level is the name of the value, and there only if it is set
		name: "idempotency_level",
		proto: `syntax = "proto3"; message M {} service S {
			rpc A(M) returns (M); rpc B(M) returns (M) { option idempotency_level = NO_SIDE_EFFECTS; } rpc C(M) returns (M) { option idempotency_level = IDEMPOTENCY_UNKNOWN; }
		}`,
		template: `{{range .Files}}{{range .Services}}{{range .Methods}}{{.Options}} {{.Option "idempotency_level"}};{{end}}{{end}}{{end}}`,
		want:     "map[] <no value>;map[idempotency_level:NO_SIDE_EFFECTS] NO_SIDE_EFFECTS;map[idempotency_level:IDEMPOTENCY_UNKNOWN] IDEMPOTENCY_UNKNOWN;",
	},
	{ // 1.3 a missing option prints as <no value> and counts as false
		name:     "missing option",
		proto:    `syntax = "proto3"; message M { int32 a = 1; } enum E { A = 0; } service S { rpc R(M) returns (M); }`,
		template: `{{range .Files}}{{.Option "x"}}{{range .Messages}} {{.Option "x"}}{{range .Fields}} {{if .Option "x"}}yes{{else}}no{{end}}{{end}}{{end}}{{range .Enums}} {{.Option "x"}}{{range .Values}} {{.Option "x"}}{{end}}{{end}}{{range .Services}} {{.Option "x"}}{{range .Methods}} {{.Option "x"}}{{end}}{{end}}{{end}}`,
		want:     "<no value> <no value> no <no value> <no value> <no value> <no value>",
	},
	{ // 1.3 names of options are sorted and each there once; the lists are nil, not empty
		name: "FieldOptions and FieldsWithOption",
		proto: `syntax = "proto3"; import "validate/validate.proto"; message M {
			int32 a = 1 [(validate.rules).int32.gte = 1, deprecated = true]; int32 b = 2; int32 c = 3 [deprecated = true];
		} message N { int32 a = 1; }`,
		template: `{{range .Files}}{{range .Messages}}{{.Name}} {{.FieldOptions}} {{range .FieldsWithOption "deprecated"}}{{.Name}}{{end}} {{kindIs "slice" .FieldOptions}} {{.FieldOptions | toJson}} {{.FieldsWithOption "x" | toJson}};{{end}}{{end}}`,
		want:     `M [deprecated validate.rules] ac true ["deprecated","validate.rules"] null;N []  true null null;`,
	},
	{ // 1.3 the same of values and methods
		name: "ValueOptions and MethodOptions",
		proto: `syntax = "proto3"; import "google/api/annotations.proto";
			message M {} enum E { A = 0; B = 1 [deprecated = true]; }
			service S {
				rpc Q(M) returns (M) { option (google.api.http).get = "/q"; option idempotency_level = IDEMPOTENT; } rpc R(M) returns (M);
			}`,
		template: `{{range .Files}}{{range .Enums}}{{.ValueOptions}} {{range .ValuesWithOption "deprecated"}}{{.Name}}{{end}}{{.ValuesWithOption "x" | toJson}}{{end}} {{range .Services}}{{.MethodOptions}} {{range .MethodsWithOption "google.api.http"}}{{.Name}}{{end}} {{.MethodsWithOption "x" | toJson}}{{end}}{{end}}`,
		want:     "[deprecated] Bnull [google.api.http idempotency_level] Q null",
	},
	{ // 1.4 google.api.http: the rule, then its additional bindings; response_body is dropped
		name: "http",
		proto: `syntax = "proto3"; import "google/api/annotations.proto"; message M {} service S {
			rpc A(M) returns (M) { option (google.api.http) = {
				post: "/v1/a" body: "*" response_body: "r"
				additional_bindings { get: "/v1/b" additional_bindings { get: "/never" } }
				additional_bindings { custom { kind: "HEAD" path: "/v1/c" } body: "b" }
			}; }
			rpc B(M) returns (M) { option (google.api.http) = { put: "/p" }; }
			rpc C(M) returns (M) { option (google.api.http) = { delete: "/d" }; }
			rpc D(M) returns (M) { option (google.api.http) = { patch: "/t" }; }
		}`,
		template: routes,
		want: `A: POST /v1/a [*]; GET /v1/b []; HEAD /v1/c [b];
B: PUT /p [];
C: DELETE /d [];
D: PATCH /t [];
`,
	},
	{ // 1.4 the value of google.api.http prints as a struct of strings
		name:     "http printed",
		proto:    `syntax = "proto3"; import "google/api/annotations.proto"; message M {} service S { rpc A(M) returns (M) { option (google.api.http) = { post: "/v1/a" body: "*" }; } }`,
		template: `{{range .Files}}{{range .Services}}{{range .Methods}}{{index .Options "google.api.http"}} {{printf "%+v" (.Option "google.api.http")}} {{.Options | toJson}}{{end}}{{end}}{{end}}`,
		want:     `{[{POST /v1/a *}]} {Rules:[{Method:POST Pattern:/v1/a Body:*}]} {"google.api.http":{"rules":[{"method":"POST","pattern":"/v1/a","body":"*"}]}}`,
	},
	{ // 1.4 validate.rules: names from validate.proto, dotted where rules nest; lists and bytes keep their type
		name: "validate.rules",
		proto: `syntax = "proto3"; import "validate/validate.proto"; import "google/protobuf/duration.proto"; message M {
			string a = 1 [(validate.rules).string = { min_len: 2 pattern: "^a" }];
			repeated string b = 2 [(validate.rules).repeated = { min_items: 1 items { string { email: true } } }];
			int32 c = 3 [(validate.rules).int32 = { gte: -1 in: [5, 6] }];
			google.protobuf.Duration d = 4 [(validate.rules).duration.gt.seconds = 3];
			map<string, int32> e = 5 [(validate.rules).map = { min_pairs: 1 keys { string { const: "" } } }];
			M f = 6 [(validate.rules).message.required = true];
			bytes g = 7 [(validate.rules).bytes.const = "hi"];
		}`,
		template: `{{range .Files}}{{with index .Messages 0}}{{range .Fields}}{{.Name}}:{{range (index .Options "validate.rules").Rules}} {{.Name}}={{.Value}} ({{printf "%T" .Value}}){{end}}
{{end}}{{end}}{{end}}`,
		want: `a: string.min_len=2 (uint64) string.pattern=^a (string)
b: repeated.min_items=1 (uint64) repeated.items.string.email=true (bool)
c: int32.gte=-1 (int32) int32.in=[5 6] ([]int32)
d: duration.gt.seconds=3 (int64) duration.gt.nanos=0 (int32)
e: map.min_pairs=1 (uint64) map.keys.string.const= (string)
f: message.required=true (bool)
g: bytes.const=[104 105] ([]uint8)
`,
	},
	{ // 1.4 rules that say nothing
		name:     "validate.rules without rules",
		proto:    `syntax = "proto3"; import "validate/validate.proto"; message M { string a = 1 [(validate.rules) = {}]; string b = 2 [(validate.rules).string = {}]; }`,
		template: rules + `{{range .Files}}{{range .Messages}}{{range .Fields}}{{.Options | toJson}}{{end}}{{end}}{{end}}`,
		want:     "a:\nb:\n" + `{"validate.rules":null}{"validate.rules":null}`,
	},
	{ // 1.4 validator.field
		name: "validator.field",
		proto: `syntax = "proto3"; import "validator.proto"; message M {
			string a = 1 [(validator.field) = { regex: "^x$" }]; int32 b = 2 [(validator.field) = { int_gt: 0 }];
			M c = 3 [(validator.field).msg_exists = true]; double d = 4 [(validator.field).float_gte = 0.5];
		}`,
		template: `{{range .Files}}{{range .Messages}}{{range .Fields}}{{.Name}}:{{range (.Option "validator.field").Rules}} {{.Name}}={{.Value}} ({{printf "%T" .Value}}){{end}} {{.Options | toJson}}
{{end}}{{end}}{{end}}`,
		want: `a: regex=^x$ (string) {"validator.field":[{"name":"regex","value":"^x$"}]}
b: int_gt=0 (int64) {"validator.field":[{"name":"int_gt","value":0}]}
c: msg_exists=true (bool) {"validator.field":[{"name":"msg_exists","value":true}]}
d: float_gte=0.5 (float64) {"validator.field":[{"name":"float_gte","value":0.5}]}
`,
	},
	{ // 1.4 all other options are left out of the map
		name: "other options",
		proto: `syntax = "proto3"; import "google/protobuf/descriptor.proto"; option java_package = "j";
			extend google.protobuf.FieldOptions { string mine = 50001; }
			message M { repeated int32 a = 1 [packed = true, json_name = "b", (mine) = "x"]; }
			enum E { option allow_alias = true; A = 0; B = 0; }`,
		template: `{{range .Files}}{{.Options}}{{range .Messages}} {{.Options}}{{range .Fields}} {{.Options}}{{end}} {{.FieldOptions}}{{end}}{{range .Enums}} {{.Options}}{{end}}{{end}}`,
		want:     "map[] map[] map[] [] map[]",
	},
	{ // 1.4 the entry of a map has the option map_entry, which is left out too
		name:     "options of a map entry",
		proto:    `syntax = "proto3"; message M { map<int32, int32> a = 1; }`,
		template: `{{range .Files}}{{range .Messages}}{{.Name}} {{.Options}};{{end}}{{end}}`,
		want:     "M map[];AEntry map[];",
	},
}

var jsonQuirks = []quirk{
	{ // 1.2 two spaces, <, > and & as escapes, no line break at the end; 1.3 null for no methods, [] for all other lists
		name: "JSON",
		proto: `syntax = "proto2";
			// a <b> & "c"
			message M {}
			service S {}`,
		parameter: new("json,out.txt"),
		normalize: withoutScalars,
		want: `{
  "files": [
    {
      "name": "a.proto",
      "description": "",
      "package": "",
      "hasEnums": false,
      "hasExtensions": false,
      "hasMessages": true,
      "hasServices": true,
      "enums": [],
      "extensions": [],
      "messages": [
        {
          "name": "M",
          "longName": "M",
          "fullName": ".M",
          "description": "a \u003cb\u003e \u0026 \"c\"",
          "hasExtensions": false,
          "hasFields": false,
          "hasOneofs": false,
          "extensions": [],
          "fields": []
        }
      ],
      "services": [
        {
          "name": "S",
          "longName": "S",
          "fullName": ".S",
          "description": "",
          "methods": null
        }
      ]
    }
  ],
  "scalarValueTypes": []
}`,
	},
	{ // 1.3 the keys of fields, values, methods and extensions
		name: "JSON keys",
		proto: `syntax = "proto2"; package p; import "google/api/annotations.proto"; import "validate/validate.proto";
			enum E { A = 0; }
			message M { extensions 5; optional int32 a = 1 [default = 4, (validate.rules).int32 = { gte: 1 in: 2 in: 3 }]; extend M { optional E x = 5; } }
			service S { rpc R(M) returns (stream M) { option (google.api.http).get = "/r"; } }`,
		parameter: new("json,docs/out.txt"),
		normalize: withoutScalars,
		want: `{
  "files": [
    {
      "name": "a.proto",
      "description": "",
      "package": "p",
      "hasEnums": true,
      "hasExtensions": false,
      "hasMessages": true,
      "hasServices": true,
      "enums": [
        {
          "name": "E",
          "longName": "E",
          "fullName": "p.E",
          "description": "",
          "values": [
            {
              "name": "A",
              "number": "0",
              "description": ""
            }
          ]
        }
      ],
      "extensions": [],
      "messages": [
        {
          "name": "M",
          "longName": "M",
          "fullName": "p.M",
          "description": "",
          "hasExtensions": true,
          "hasFields": true,
          "hasOneofs": false,
          "extensions": [
            {
              "name": "x",
              "longName": "M.x",
              "fullName": "p.M.x",
              "description": "",
              "label": "optional",
              "type": "E",
              "longType": "E",
              "fullType": "p.E",
              "number": 5,
              "defaultValue": "",
              "containingType": "M",
              "containingLongType": "M",
              "containingFullType": "p.M",
              "scopeType": "M",
              "scopeLongType": "M",
              "scopeFullType": "p.M"
            }
          ],
          "fields": [
            {
              "name": "a",
              "description": "",
              "label": "optional",
              "type": "int32",
              "longType": "int32",
              "fullType": "int32",
              "ismap": false,
              "isoneof": false,
              "oneofdecl": "",
              "defaultValue": "4",
              "options": {
                "validate.rules": [
                  {
                    "name": "int32.gte",
                    "value": 1
                  },
                  {
                    "name": "int32.in",
                    "value": [
                      2,
                      3
                    ]
                  }
                ]
              }
            }
          ]
        }
      ],
      "services": [
        {
          "name": "S",
          "longName": "S",
          "fullName": "p.S",
          "description": "",
          "methods": [
            {
              "name": "R",
              "description": "",
              "requestType": "M",
              "requestLongType": "M",
              "requestFullType": "p.M",
              "requestStreaming": false,
              "responseType": "M",
              "responseLongType": "M",
              "responseFullType": "p.M",
              "responseStreaming": true,
              "options": {
                "google.api.http": {
                  "rules": [
                    {
                      "method": "GET",
                      "pattern": "/r"
                    }
                  ]
                }
              }
            }
          ]
        }
      ]
    }
  ],
  "scalarValueTypes": []
}`,
	},
	{ // 1.3 the scalars
		name:      "JSON of scalars",
		proto:     `syntax = "proto3";`,
		parameter: new("json,out.txt"),
		normalize: func(page string) string {
			_, page, _ = strings.Cut(page, `"scalarValueTypes": `)
			page, _, _ = strings.Cut(page, "    },")
			return page
		},
		want: `[
    {
      "protoType": "double",
      "notes": "",
      "cppType": "double",
      "csType": "double",
      "goType": "float64",
      "javaType": "double",
      "phpType": "float",
      "pythonType": "float",
      "rubyType": "Float"
`,
	},
}

var commentQuirks = []quirk{
	{ // 1.5 one space at the start of a line goes; white space around the comment goes
		name: "indentation",
		proto: `syntax = "proto3";
//   first
//   second
//third
//
//	tab
message M {}`,
		template: descriptions,
		want:     "M|first\n  second\nthird\n\n\ttab|\n",
	},
	{ // 1.5 the characters */, line breaks and spaces are cut off at the start
		name: "cutset",
		proto: `syntax = "proto3";
message M {
  // **bold** text
  int32 a = 1;
  // /healthz answers
  int32 b = 2;
  // * item
  // * item
  int32 c = 3;
  /// three
  /// slashes
  int32 d = 4;
  // - dash
  int32 e = 5;
}`,
		template: descriptions,
		want:     "M||\na|bold** text|\nb|healthz answers|\nc|item\n* item|\nd|three\n/ slashes|\ne|- dash|\n",
	},
	{ // 1.5 block comments: protoc cuts the space and the star at the start of each line
		name: "block comment",
		proto: `syntax = "proto3";
/**
 * One
 *   two
 *
 * three
 */
message M {}`,
		template: descriptions,
		want:     "M|One\n  two\n\nthree|\n",
	},
	{ // 1.5 @exclude at the start empties the text, and @excluded as well; the element stays
		name: "@exclude",
		proto: `syntax = "proto3";
message M {
  // @exclude hidden
  int32 a = 1;
  // @excluded hidden too
  int32 b = 2;
  /* @exclude */
  int32 c = 3;
  // ** @exclude
  int32 d = 4;
  // See @exclude here
  int32 e = 5;
  // First
  // @exclude second
  int32 f = 6;
}`,
		template: descriptions,
		want:     "M||\na||\nb||\nc||\nd||\ne|See @exclude here|\nf|First\n@exclude second|\n",
	},
	{ // 1.5 leading and trailing comment, with a blank line between them; @exclude in the trailing one is text
		name: "leading and trailing",
		proto: `syntax = "proto3";
message M {
  // Leading.
  int32 a = 1; // Trailing.
  int32 b = 2; // Only trailing.
  // Shown.
  int32 c = 3; // @exclude x
  // @exclude
  int32 d = 4; // Gone too.
}`,
		template: descriptions,
		want:     "M||\na|Leading.\n\nTrailing.|\nb|Only trailing.|\nc|Shown.\n\n@exclude x|\nd||\n",
	},
	{ // 1.5 the second line of a trailing comment belongs to the next element
		name: "two lines of a trailing comment",
		proto: `syntax = "proto3";
message M {
  int32 a = 1; // one
               // two
  int32 b = 2;
}`,
		template: descriptions,
		want:     "M||\na|one|\nb|two|\n",
	},
	{ // 1.5 detached comments are ignored
		name: "detached",
		proto: `syntax = "proto3";

// Detached.

// Leading.
message M {
  // Detached too.

  int32 a = 1;
}`,
		template: descriptions,
		want:     "M|Leading.\n\nDetached too.|\na||\n",
	},
	{ // 1.5 the \r of a line's end stays inside of the text
		name:     "CRLF",
		proto:    "syntax = \"proto3\";\r\n// One\r\n// two\r\nmessage M {}\r\n",
		template: descriptions,
		want:     "M|One\r\ntwo|\n",
	},
	{ // 1.5 the comment after the braces of an RPC is lost, after its semicolon it is not
		name: "RPC",
		proto: `syntax = "proto3";
message M {}
// The service.
service S { // Inside.
  rpc A(M) returns (M) {} // lost
  rpc B(M) returns (M); // kept
  // Leading.
  rpc C(M) returns (M) {
    // Inside of C.
  }
}`,
		template: methodDescriptions,
		want:     "S|The service.\n\nInside.|\nA||\nB|kept|\nC|Leading.\n\nInside of C.|\n",
	},
	{ // 1.5 a comment behind the brace of a message is its trailing comment
		name: "behind a brace",
		proto: `syntax = "proto3";
message M { // Trailing.
  int32 a = 1;
}
// Leading.
enum E { // Trailing.
  A = 0; // Zero.
  // One.
  B = 1;
}`,
		template: descriptions + valueDescriptions,
		want:     "M|Trailing.|\na||\nE|Leading.\n\nTrailing.|\nA|Zero.|\nB|One.|\n",
	},
	{ // 1.5 the comment of a group is on its message and not on its field
		name: "group",
		proto: `syntax = "proto2";
message M {
  // About the group.
  optional group Result = 1 {
    // A field.
    optional int32 n = 2;
  }
}`,
		template: descriptions,
		want:     "M||\nresult||\nResult|About the group.|\nn|A field.|\n",
	},
	{ // 1.5 the file's description is the comment on its syntax, never the one on its package
		name: "syntax and package",
		proto: `// About the file.
syntax = "proto3"; // Behind it.

// About the package.
package p;`,
		template: fileDescription,
		want:     "|About the file.\n\nBehind it.|",
	},
	{ // 1.5 a comment that is detached from the syntax, as a license is, is ignored
		name: "license",
		proto: `// License.

// About the file.
syntax = "proto3";`,
		template: fileDescription,
		want:     "|About the file.|",
	},
	{ // 1.5 @exclude on the syntax
		name: "@exclude of a file",
		proto: `// @exclude License.
syntax = "proto3";`,
		template: fileDescription,
		want:     "||",
	},
	{ // 1.5 the comment on an edition
		name: "edition",
		proto: `// About the file.
edition = "2023";

// About the package.
package p;`,
		template: fileDescription,
		want:     "|About the file.|",
	},
	{ // 1.5 protoc records the edition's comment under the number of the field edition, buf under that of syntax
		name: "edition as buf records it",
		proto: `// About the file.
edition = "2023";`,
		edit: func(req *pluginpb.CodeGeneratorRequest) {
			for _, l := range req.ProtoFile[0].SourceCodeInfo.Location {
				if slices.Equal(l.Path, []int32{14}) {
					l.Path = []int32{12}
				}
			}
		},
		template: fileDescription,
		want:     "|About the file.|",
	},
	{ // 1.5 the comment of a oneof is shown nowhere, those of its fields are
		name: "oneof",
		proto: `syntax = "proto3";
message M {
  // About the choice.
  oneof choice {
    // About a.
    int32 a = 1;
  }
}`,
		template: descriptions,
		want:     "M||\na|About a.|\n",
	},
	{ // 1.5 comments of extensions, at the top level and in a message
		name: "extensions",
		proto: `syntax = "proto2";
message M {
  extensions 1 to 5;
  extend M {
    // About a.
    optional int32 a = 1;
  }
}
// About the extend block.
extend M {
  // About b.
  optional int32 b = 2; // Behind b.
}`,
		template: `{{range .Files}}{{range .Extensions}}{{.Name}}|{{.Description}}|{{end}}{{range .Messages}}{{range .Extensions}}{{.Name}}|{{.Description}}|{{end}}{{end}}{{end}}`,
		want:     "b|About b.\n\nBehind b.|a|About a.|",
	},
	{ // 1.5 a request without source info has no comments
		name: "no source info",
		proto: `syntax = "proto3";
// Gone.
message M {}`,
		edit:     func(req *pluginpb.CodeGeneratorRequest) { req.ProtoFile[0].SourceCodeInfo = nil },
		template: descriptions,
		want:     "M||\n",
	},
}

// nameOnly empties a file whose name alone counts.
func nameOnly(string) string { return "" }

var scalarTable = regexp.MustCompile(`(?s)("scalarValueTypes": \[).*\]`)

// withoutScalars empties the table of scalars at the end of a page.
func withoutScalars(page string) string { return scalarTable.ReplaceAllString(page, "$1]") }
