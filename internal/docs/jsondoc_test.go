package docs_test

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"google.golang.org/protobuf/proto"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/plugin/plugintest"
)

// referenceSchema compiles the schema of template=json.
func referenceSchema(t testing.TB) *jsonschema.Schema {
	t.Helper()
	schema, err := jsonschema.NewCompiler().Compile(filepath.Join(root, "docs", "reference.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func parseJSON(t testing.TB, text string) any {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// What template=json writes is valid against its schema, for the APIs and for the
// golden cases, and all of its links lead somewhere.
func TestJSONIsValid(t *testing.T) {
	schema := referenceSchema(t)
	req := allProtos(t)
	for _, parameter := range []string{
		"template=json", "template=json,layout=package", "template=json,layout=file,order=source",
		"template=json,source_url=https://example.com/{path}#L{line}",
	} {
		t.Run(parameter, func(t *testing.T) {
			req.Parameter = proto.String(parameter)
			files := plugintest.Files(t, plugintest.Run(t, docsPlugin, req))
			checkJSON(t, schema, files)
			if links := checkJSONLinks(t, files); links < 100 {
				t.Errorf("only %d links were found: the test does not see them", links)
			}
		})
	}
	for name, files := range goldens(t, ".json") {
		t.Run(name, func(t *testing.T) {
			checkJSON(t, schema, files)
			checkJSONLinks(t, files)
		})
	}
}

// goldens are the files with an extension that golden cases expect, by case.
func goldens(t *testing.T, extension string) map[string]map[string]string {
	t.Helper()
	cases, err := filepath.Glob(filepath.Join(root, "testdata", "*", "want"))
	if err != nil {
		t.Fatal(err)
	}
	out := make(map[string]map[string]string)
	for _, dir := range cases {
		files := readTree(t, dir)
		for name := range files {
			if filepath.Ext(name) != extension {
				delete(files, name)
			}
		}
		if len(files) > 0 {
			out[filepath.Base(filepath.Dir(dir))] = files
		}
	}
	if len(out) < 2 {
		t.Fatalf("only %d cases have files: the test does not see them", len(out))
	}
	return out
}

func checkJSON(t *testing.T, schema *jsonschema.Schema, files map[string]string) {
	t.Helper()
	for name, text := range files {
		if err := schema.Validate(parseJSON(t, text)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		var again bytes.Buffer
		if err := json.Indent(&again, []byte(text), "", "  "); err != nil || again.String() != text {
			t.Errorf("%s is not indented like one document: %v", name, err)
		}
		if !strings.HasSuffix(text, "}\n") {
			t.Errorf("%s does not end with one line end", name)
		}
	}
}

// checkJSONLinks checks that anchors are unique and that links lead to them.
func checkJSONLinks(t *testing.T, files map[string]string) int {
	t.Helper()
	anchors := make(map[string]bool)
	links := make(map[string][]string)
	for name, text := range files {
		eachObject(parseJSON(t, text), "", func(in string, o map[string]any) {
			if anchor, ok := o["anchor"].(string); ok && in != "kinds" && in != "events" {
				key := name + "#" + anchor
				if anchors[key] {
					t.Errorf("anchor %s stands twice", key)
				}
				anchors[key] = true
			}
			if link, ok := o["link"].(string); ok && !strings.Contains(link, "://") {
				links[name] = append(links[name], link)
			}
			if page, ok := o["path"].(string); ok && in == "pages" {
				if _, ok := files[beside(name, page)]; !ok {
					t.Errorf("%s: there is no page %s", name, page)
				}
			}
		})
	}
	n := 0
	for name, list := range links {
		for _, link := range list {
			page, anchor, _ := strings.Cut(link, "#")
			key := beside(name, page) + "#" + anchor
			if page == "" {
				key = name + "#" + anchor
			}
			if !anchors[key] {
				t.Errorf("%s: link to %s leads nowhere", name, key)
			}
			n++
		}
	}
	return n
}

func beside(page, link string) string {
	return filepath.ToSlash(filepath.Join(filepath.Dir(page), link))
}

// eachObject visits the objects of a document with the name of the property that
// they are in.
func eachObject(v any, in string, visit func(in string, o map[string]any)) {
	switch v := v.(type) {
	case map[string]any:
		visit(in, v)
		for name, e := range v {
			if name != "example" && !(in == "options" || in == "properties") { // which hold what they like
				eachObject(e, name, visit)
			}
		}
	case []any:
		for _, e := range v {
			eachObject(e, in, visit)
		}
	}
}

// The schema refuses what is not described in it.
func TestJSONSchemaRefuses(t *testing.T) {
	schema := referenceSchema(t)
	text := readFile(t, "testdata", "language", "want", "single.json")
	if err := schema.Validate(parseJSON(t, text)); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(page map[string]any){
		"another version":             func(p map[string]any) { p["schemaVersion"] = json.Number("2") },
		"another kind":                func(p map[string]any) { p["kind"] = "book" },
		"no files":                    func(p map[string]any) { delete(p, "files") },
		"an unknown property":         func(p map[string]any) { p["author"] = "nobody" },
		"a file without an anchor":    func(p map[string]any) { delete(at(p, "files", 0), "anchor") },
		"an unknown property of file": func(p map[string]any) { at(p, "files", 0)["size"] = json.Number("1") },
		"a syntax that is none":       func(p map[string]any) { at(p, "files", 0)["syntax"] = "proto4" },
		"a field without a number": func(p map[string]any) {
			delete(at(at(at(p, "files", 0), "messages", 0), "fields", 0), "number")
		},
		"a number that is too large": func(p map[string]any) {
			at(at(at(p, "files", 0), "messages", 0), "fields", 0)["number"] = json.Number("2147483648")
		},
		"a presence that is none": func(p map[string]any) {
			at(at(at(p, "files", 0), "messages", 0), "fields", 0)["presence"] = "maybe"
		},
		"null for a list": func(p map[string]any) { at(p, "files", 0)["services"] = nil },
		"an empty link": func(p map[string]any) {
			at(at(at(p, "files", 0), "messages", 0), "fields", 0)["type"].(map[string]any)["link"] = ""
		},
	} {
		page := parseJSON(t, text).(map[string]any)
		spoil(page)
		if err := schema.Validate(page); err == nil {
			t.Errorf("%s is valid", name)
		}
	}
}

// at is an element of a list of objects.
func at(o map[string]any, list string, i int) map[string]any {
	return o[list].([]any)[i].(map[string]any)
}

// The example in docs/json.md is what comes out.
func TestJSONGuide(t *testing.T) {
	guide := readFile(t, "docs", "json.md")
	req := plugintest.Compile(t, map[string]string{"acme.proto": fenced(t, guide, "proto")})
	req.Parameter = proto.String("template=json")
	files := plugintest.Files(t, plugintest.Run(t, docsPlugin, req))
	if diff := cmp.Diff(fenced(t, guide, "json"), files["reference.json"]); diff != "" {
		t.Errorf("docs/json.md (-guide +plugin)\n%s", diff)
	}
	checkJSON(t, referenceSchema(t), files)
}

// fenced is the first block of code in a language.
func fenced(t *testing.T, text, language string) string {
	t.Helper()
	_, rest, ok := strings.Cut(text, "\n```"+language+"\n")
	block, _, closed := strings.Cut(rest, "```\n")
	if !ok || !closed {
		t.Fatalf("there is no block of %s", language)
	}
	return block
}
