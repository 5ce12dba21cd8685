package tmpl_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/api"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/gendoc"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/tmpl"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/plugin"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/plugin/plugintest"
)

// FuzzTemplate: no text of a template makes the program panic, or run on. That
// a template cannot use up the memory is not promised: print can double a text
// again and again.
func FuzzTemplate(f *testing.F) {
	for _, text := range []string{
		"",
		"text",
		"{{range .Files}}{{.Name}} {{len .Messages}}{{range .Messages}}{{.FullName}}{{end}}{{else}}none{{end}}",
		"{{define \"row\"}}| {{.Name | upper | printf \"%-20s\"}} |{{end}}{{range $i, $f := .Files}}{{template \"row\" $f}}{{end}}",
		"{{block \"a\" .}}{{with .Scalars}}{{(index . 0).ProtoType}}{{end}}{{end}}",
		"{{range .Files}}{{template \"Text Template\" $}}{{end}}",
		"{{define \"a\"}}{{template \"a\" .}}{{end}}{{template \"a\" .}}",
		"{{$x := 1}}{{range .Files}}{{$x = add $x 1}}{{if gt $x 3}}{{break}}{{else}}{{continue}}{{end}}{{end}}{{$x}}",
		"{{- /* comment */ -}} {{`raw`}} {{'c'}} {{0x1p-2}} {{1i}} {{nil | print}}",
		"{{$d := dict \"a\" 1}}{{$_ := set $d \"b\" (list 1 2)}}{{$d | toPrettyJson | nindent 2}}{{keys $d | sortAlpha | join \",\"}}",
		"{{regexReplaceAll \"(a+)\" \"baaa\" \"${1}x\"}}{{slice \"abc\" 1}}{{repeat 3 \"x\"}}{{until 3}}{{seq 1 2 9}}",
		"{{p \"a\\nb\"}}{{para \"a\"}}{{nobr \"a\\n\\nb\"}}{{anchor \"a/b.c\"}}",
		"{{range .Files}", "{{.X}}", "{{uper 1}}", "{{end}}", "{{if}}", "{{\"", "{{/*", "{{(", "{{.A.B.C}}", "{{fail \">: \"}}", "{{now}}",
	} {
		f.Add(text)
	}
	functions := gendoc.Functions()
	// These can take seconds, or much memory, for a short text.
	for _, slow := range []string{"derivePassword", "decryptAES", "buildCustomCert"} {
		delete(functions, slow)
	}
	data := someModel(f)
	f.Fuzz(func(t *testing.T, text string) {
		parsed, err := tmpl.Parse("page.tmpl", text, functions, gendoc.Types...)
		if err != nil {
			checkError(t, err)
			return
		}
		parsed.Limit(10_000, 1<<20)
		if _, err := parsed.Execute(data); err != nil {
			checkError(t, err)
		}
	})
}

// someModel is what the templates are executed on.
func someModel(f *testing.F) *gendoc.Template {
	f.Helper()
	req, err := plugin.ReadRequest(bytes.NewReader(plugintest.Marshal(f, plugintest.Compile(f, map[string]string{
		"a.proto": `
			// Comment.
			syntax = "proto3";
			package p;
			option deprecated = true;
			message M { map<string, M> a = 1; oneof o { E e = 2; } }
			enum E { Z = 0; }
			service S { rpc R(M) returns (M); }`,
		"b.proto": "",
	}))))
	if err != nil {
		f.Fatal(err)
	}
	model, err := api.Build(req)
	if err != nil {
		f.Fatal(err)
	}
	data, err := gendoc.Build(model, model.Files, gendoc.Settings{})
	if err != nil {
		f.Fatal(err)
	}
	return data
}

// checkError fails for what is no mistake of the template.
func checkError(t *testing.T, err error) {
	t.Helper()
	if text := err.Error(); !strings.HasPrefix(text, "page.tmpl:") || strings.Contains(text, "template panics") {
		t.Errorf("error %s", text)
	}
}
