package docs_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/pluginpb"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/plugin/plugintest"
)

// careless has what warnings are about, in comments of all sorts.
const careless = `// A file.
// [gone](#nowhere)
syntax = "proto3";
package p;

// # Sign in
//
// See [above](#sign-in), [M](#p.M), [a page](other.md), [the web](https://example.com/#x),
// [No.Such][] and [that][p.M.a].
message M {
  /* In a block:
   * [dead](#p.Q) */
  string a = 1;
  /**
   * [Also.Dead][]
   */
  string b = 2;
  string c = 3; // see [x](#p.M.a) and [y](#p.M.z)
  string d = 4;
}

  /* [Short.One][] */
  message N {}

// [order](reference.md#p.M) [order](reference.md#p.X)
enum E { ZERO = 0; } // zero
`

func TestWarnings(t *testing.T) {
	req := plugintest.Compile(t, map[string]string{"a.proto": careless})
	run := func(parameter string) plugintest.Result {
		r := proto.CloneOf(req)
		r.Parameter = proto.String(parameter)
		return plugintest.RunBytes(t, docsPlugin, plugintest.Marshal(t, r))
	}
	lines := func(text string) []string {
		text = strings.TrimSuffix(strings.ReplaceAll(text, "protoc-gen-skaffold-docs: warning: ", ""), "\n")
		return strings.Split(text, "\n")
	}
	deadLinks := []string{
		`a.proto:2:11: the link to #nowhere is dead: reference.md has no such anchor (dead-link)`,
		`a.proto:8:47: the link to other.md is dead: no page has this name (dead-link)`,
		`a.proto:12:3: the link to #p.Q is dead: reference.md has no such anchor (dead-link)`,
		`a.proto:18:3: the link to #p.M.z is dead: reference.md has no such anchor (dead-link)`,
		`a.proto:25:38: the link to reference.md#p.X is dead: reference.md has no such anchor (dead-link)`,
	}
	got := run("template=markdown,warnings=on,warn_about=dead-link")
	if diff := cmp.Diff(deadLinks, lines(got.Stderr)); diff != "" {
		t.Errorf("dead links (-want +got)\n%s", diff)
	}
	if len(got.Response.GetFile()) != 1 {
		t.Error("with warnings there is no page")
	}
	got = run("template=markdown,warnings=on,warn_about=missing-comment")
	want := []string{
		`a.proto:19:3: d has no comment: say what it is for (missing-comment)`,
		`a.proto:26:10: ZERO has no comment: say what it is for (missing-comment)`,
	}
	if diff := cmp.Diff(want, lines(got.Stderr)); diff != "" {
		t.Errorf("missing comments (-want +got)\n%s", diff)
	}
	got = run("template=markdown,warnings=on,warn_about=comment")
	const nothing = "here; write the full name of a message, enum, field, value, service or method (comment)"
	want = []string{
		`a.proto:9:4: nothing is called "No.Such" ` + nothing,
		`a.proto:15:3: nothing is called "Also.Dead" ` + nothing,
		`a.proto:22:6: nothing is called "Short.One" ` + nothing,
	}
	if diff := cmp.Diff(want, lines(got.Stderr)); diff != "" {
		t.Errorf("comments (-want +got)\n%s", diff)
	}
	got = run("template=markdown,warnings=error")
	if got.Stderr != "" || len(got.Response.GetFile()) != 0 || strings.Count(got.Response.GetError(), "\n") != 9 {
		t.Errorf("warnings=error gives\n%s\n%s", got.Stderr, got.Response.GetError())
	}
	if got = run("template=markdown"); got.Stderr != "" {
		t.Errorf("without the option there are warnings:\n%s", got.Stderr)
	}
	if got = run("template=html,warnings=on,warn_about=dead-link"); !strings.Contains(got.Stderr, "#sign-in is dead") {
		t.Errorf("a page of HTML has no anchors of words, and nothing says so:\n%s", got.Stderr)
	}
}

// The comments of a package declaration are comments of the file, at whose place
// their problems are.
func TestWarningsOfPackageComments(t *testing.T) {
	req := plugintest.Compile(t, map[string]string{
		"a.proto": "\n\nsyntax = \"proto3\";\n\n// # Sign in\n// [No.Such][], [here](#sign-in), [x](#gone)\npackage p;",
		"b.proto": "syntax = \"proto3\";\npackage p; // what it is for",
		"c.proto": "syntax = \"proto3\";\n\n// [No.Such][]\n\npackage p;",
		"d.proto": "// [No.Such][]\npackage p;",
	})
	const nothing = `nothing is called "No.Such" here; ` +
		`write the full name of a message, enum, field, value, service or method (comment)`
	want := []string{
		"a.proto:3:1: " + nothing,
		"a.proto:3:1: the link to #gone is dead: reference.md has no such anchor (dead-link)",
		"c.proto:1:1: c.proto has no comment: say what it is for (missing-comment)", // the comment is detached
		"d.proto: " + nothing,
	}
	req.Parameter = proto.String("template=markdown,warnings=error")
	got := plugintest.RunBytes(t, docsPlugin, plugintest.Marshal(t, req))
	if diff := cmp.Diff(want, strings.Split(got.Response.GetError(), "\n")); diff != "" {
		t.Errorf("errors (-want +got)\n%s", diff)
	}
}

// Without source info nobody can tell which comments there are.
func TestWarningsWithoutSourceInfo(t *testing.T) {
	const problem = "the request has no source info, so that no comments show: make the image with `buf build` " +
		"without --exclude-source-info, or with `protoc --include_source_info` (missing-comment)"
	for _, c := range []struct {
		name, a, b string
		keep       bool // the source info of b.proto
		want       string
	}{
		{name: "two files", a: `syntax = "proto3"; message M {}`, b: `syntax = "proto3"; message N {}`, want: problem},
		{name: "a syntax alone", a: `syntax = "proto3";`, b: ``, want: problem},
		{name: "no syntax", a: `enum E { A = 0; }`, b: ``, want: problem},
		{
			name: "extension", a: `import "b.proto"; extend N { optional int32 x = 1; }`, b: `message N { extensions 1; }`,
			want: problem,
		},
		{name: "nothing is declared", a: ``, b: ``},
		{name: "one file has it", a: `syntax = "proto3";`, b: "// b\nmessage N {}", keep: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			req := plugintest.Compile(t, map[string]string{"a.proto": c.a, "b.proto": c.b})
			for _, f := range req.ProtoFile {
				if f.GetName() == "a.proto" || !c.keep {
					f.SourceCodeInfo = nil
				}
			}
			run := func(parameter string) plugintest.Result {
				req.Parameter = proto.String("template=markdown," + parameter)
				return plugintest.RunBytes(t, docsPlugin, plugintest.Marshal(t, req))
			}
			warning := ""
			if c.want != "" {
				warning = "protoc-gen-skaffold-docs: warning: " + c.want + "\n"
			}
			if got := run("warnings=on").Stderr; got != warning {
				t.Errorf("warnings=on: got  %q\nwant %q", got, warning)
			}
			if got := run("warnings=error").Response.GetError(); got != c.want {
				t.Errorf("warnings=error: got  %q\nwant %q", got, c.want)
			}
			if got := run("warnings=on,warn_about=comment").Stderr; got != "" {
				t.Errorf("warn_about=comment: got %q", got)
			}
		})
	}
}

// Two declarations of a page can have one anchor only in a request that no compiler
// lets pass.
func TestDuplicateAnchors(t *testing.T) {
	req := plugintest.Compile(t, map[string]string{
		"a.proto": `syntax = "proto3"; package p; message M {} /* one */ service S {}`,
		"b.proto": `syntax = "proto3"; package p; message N {} /* two */ service T {}`,
	})
	req.ProtoFile[1].Service[0].Name = proto.String("S")
	req.Parameter = proto.String("template=markdown,warnings=on,warn_about=duplicate-anchor")
	got := plugintest.RunBytes(t, docsPlugin, plugintest.Marshal(t, req))
	const want = "protoc-gen-skaffold-docs: warning: b.proto:1:54: p.S has the anchor #p.S on reference.md, which what is declared at a.proto:1:54 has too: give one of them another name (duplicate-anchor)\n"
	if got.Stderr != want {
		t.Errorf("got  %s\nwant %s", got.Stderr, want)
	}
	req.Parameter = proto.String("template=markdown,warnings=on,warn_about=duplicate-anchor,layout=file")
	if got := plugintest.RunBytes(t, docsPlugin, plugintest.Marshal(t, req)); got.Stderr != "" {
		t.Errorf("on two pages: %s", got.Stderr)
	}
}

// What the options of the reference formats cannot be.
func TestBadContentOptions(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	missing, garbage, json, empty := filepath.Join(dir, "missing.binpb"), write("garbage.binpb", "\xff\xff\xff"), write("image.json", `{"file": []}`), write("empty.binpb", "")
	files := map[string]string{"a.proto": `syntax = "proto3"; message M {}`, "index/index.proto": `syntax = "proto3"; package index;`, "a+b.proto": `syntax = "proto3";`}
	for _, c := range []struct{ parameter, error string }{
		{"template=html,flavor=mdx", `options "flavor" and "front_matter" are for template=markdown`},
		{"template=docbook,front_matter=a:b", `options "flavor" and "front_matter" are for template=markdown`},
		{"template=markdown,flavor=github", `option "flavor=github": the value has to be gfm or mdx or hugo`},
		{"template=markdown,front_matter=title", `option "front_matter=title": write it as key:value, with a key of letters, digits, _, . and -`},
		{"template=markdown,front_matter=a b:c", `option "front_matter=a b:c": write it as key:value, with a key of letters, digits, _, . and -`},
		{"template=markdown,front_matter=a:b,front_matter=a:c", `option "front_matter=a:c": a is given twice`},
		{"template=markdown,http_address=localhost:80", `option "http_address=localhost:80": `},
		{"template=markdown,http_address=ftp://x", `option "http_address=ftp://x": `},
		{"template=markdown,grpc_address=", `option "grpc_address" is empty: give it a value or leave it out`},
		{"template=markdown,internal_comments=1", `option "internal_comments=1": the value has to be true or false`},
		{"template=markdown,warnings=yes", `option "warnings=yes": the value has to be off or on or error`},
		{"template=markdown,warn_about=dead-link", `option "warn_about" does nothing without warnings=on or warnings=error`},
		{"template=markdown,warnings=off,warn_about=comment", `option "warn_about" does nothing without warnings=on or warnings=error`},
		{"template=markdown,warnings=on,warn_about=links", `option "warn_about=links": the value has to be missing-comment or comment or dead-link or duplicate-anchor`},
		{"template=page.tmpl,output=x,against=" + missing, `option "against" is for the built-in formats: a template of your own does not see what it says`},
		{"template=page.tmpl,output=x,warnings=on", `option "warnings" is for the built-in formats: a template of your own does not see what it says`},
		{"template=markdown,against=" + missing, `option "against=` + missing + `": open ` + missing + `: no such file or directory`},
		{"template=markdown,against=" + garbage, `option "against=` + garbage + `": this is not an image`},
		{"template=markdown,against=" + json, `option "against=` + json + `": the image is JSON, and it has to be binary`},
		{"template=markdown,against=" + empty, `option "against=` + empty + `": the image is empty`},
		{"template=markdown,flavor=hugo,layout=file,include=a+b.proto", `a+b.md: Hugo changes the address of a page with other characters`},
		{"template=markdown,flavor=hugo,layout=package,include=index/**", `index.md: a page of this name takes the place of its folder in Hugo`},
	} {
		req := plugintest.Compile(t, files)
		req.Parameter = proto.String(c.parameter)
		got := responseOf(t, req)
		if message := got.GetError(); !strings.HasPrefix(message, c.error) || message == "" {
			t.Errorf("%s:\n got: %s\nwant: %s", c.parameter, message, c.error)
		}
		if len(got.GetFile()) > 0 {
			t.Errorf("%s: there are files beside the error", c.parameter)
		}
	}
}

func responseOf(t *testing.T, req *pluginpb.CodeGeneratorRequest) *pluginpb.CodeGeneratorResponse {
	t.Helper()
	got := plugintest.RunBytes(t, docsPlugin, plugintest.Marshal(t, req))
	if got.Status != 0 {
		t.Fatalf("exit status %d: %s", got.Status, got.Stderr)
	}
	return got.Response
}
