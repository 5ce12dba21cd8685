package changes_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/api"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/changes"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/plugin"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/plugin/plugintest"
)

func TestCompare(t *testing.T) {
	tests := []struct {
		name          string
		before, after string
		want          []string
	}{
		{"nothing", `message M { int32 a = 1; }`, `message M { int32 a = 1; }`, nil},
		{"comments and order", `message M { int32 a = 1; } message N {}`, `message N {} /* new */ message M { /* new */ int32 a = 1; }`, nil},
		{"message", `message M { int32 a = 1; message In {} }`, `message N { int32 a = 1; oneof o { int32 b = 2; } enum E { ZERO = 0; } }`, []string{"added message m.N", "removed message m.M"}},
		{"nested", `message M { message Old { int32 a = 1; } }`, `message M { message New { int32 a = 1; } }`, []string{"added message m.M.New in m.M", "removed message m.M.Old in m.M"}},
		{"field", `message M { int32 a = 1; }`, `message M { int32 b = 2; }`, []string{"added field m.M.b in m.M", "removed field m.M.a in m.M"}},
		{"field renamed", `message M { int32 a_b = 1; }`, `message M { int32 c_d = 1; }`, []string{"changed field m.M.c_d in m.M: name was `a_b`; JSON name was `aB`"}},
		{"fields swapped", `message M { int32 a = 1; int32 b = 2; }`, `message M { int32 a = 2; int32 b = 1; }`, []string{"changed field m.M.a in m.M: number was `1`", "changed field m.M.b in m.M: number was `2`"}},
		{"type", `message M { int32 a = 1; map<string, M> b = 2; M c = 3; }`, `message M { repeated string a = 1; map<int32, M> b = 2; M c = 3; }`, []string{"changed field m.M.a in m.M: type was `int32`; presence was `implicit`", "changed field m.M.b in m.M: type was `map<string, m.M>`"}},
		{"presence", `message M { int32 a = 1; }`, `message M { optional int32 a = 1; }`, []string{"changed field m.M.a in m.M: presence was `implicit`"}},
		{"into a oneof", `message M { string a = 1; }`, `message M { oneof o { string a = 1; } }`, []string{"added oneof m.M.o in m.M", "changed field m.M.a in m.M: presence was `implicit`; was not in a oneof"}},
		{"JSON name", `message M { string a = 1; }`, `message M { string a = 1 [json_name = "b"]; }`, []string{"changed field m.M.a in m.M: JSON name was `a`"}},
		{"deprecated", `message M { string a = 1; string b = 2 [deprecated = true]; string c = 3; }`, `message M { string a = 1 [deprecated = true]; string b = 2; int32 c = 3 [deprecated = true]; }`, []string{"deprecated field m.M.a in m.M", "changed field m.M.b in m.M: deprecated was `true`", "deprecated field m.M.c in m.M: type was `string`"}},
		{"enum", `enum E { A = 0; B = 1; C = 2; }`, `enum E { A = 0; BB = 1; D = 3; }`, []string{"changed value m.E.BB in m.E: name was `B`", "added value m.E.D in m.E", "removed value m.E.C in m.E"}},
		{"alias", `enum E { A = 0; B = 1; }`, `enum E { option allow_alias = true; A = 0; B = 1; C = 1; }`, []string{"added value m.E.C in m.E"}},
		{"kind", `message M {} enum E { A = 0; }`, `enum M { B = 0; } enum E { A = 0; }`, []string{"added enum m.M", "removed message m.M"}},
		{"RPC", `service S { rpc A(M) returns (M); rpc Old(M) returns (M); } message M {} message N {}`, `service S { rpc A(stream M) returns (N) { option idempotency_level = IDEMPOTENT; } rpc New(M) returns (M); } message M {} message N {}`, []string{
			"changed RPC m.S.A in m.S: request was `m.M`; response was `m.M`; idempotency was not set", "added RPC m.S.New in m.S", "removed RPC m.S.Old in m.S"}},
		{"routes", `service S { rpc A(M) returns (M) { option (google.api.http) = { get: "/a" }; } } message M {}`, `service S { rpc A(M) returns (M) { option (google.api.http) = { post: "/a" body: "*" additional_bindings { get: "/b" } }; } } message M {}`, []string{
			"changed RPC m.S.A in m.S: HTTP route was `GET /a`; HTTP route 2 was not set"}},
		{"options", `message M { int32 a = 1 [(color) = "red"]; int32 b = 2 [(color) = "red"]; int32 c = 3; }`, `message M { int32 a = 1 [(color) = "blue"]; int32 b = 2; int32 c = 3 [(color) = ""]; }`, []string{
			"changed field m.M.a in m.M: option (m.color) was `\"red\"`", "changed field m.M.b in m.M: option (m.color) was `\"red\"`", "changed field m.M.c in m.M: option (m.color) was not set"}},
		{"extension", `extend google.protobuf.MessageOptions { int32 x = 50100; }`, `extend google.protobuf.FileOptions { int32 x = 50101; }`, []string{"changed extension m.x: number was `50100`; extended message was `google.protobuf.MessageOptions`"}},
		{"service", `service S { rpc A(M) returns (M); } message M {}`, `service T { rpc A(M) returns (M); } message M {}`, []string{"added service m.T", "removed service m.S"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			list := changes.Compare(model(t, test.before), model(t, test.after), func(path string) bool { return path == "m.proto" })
			var got []string
			for _, c := range list.All {
				got = append(got, line(c))
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func line(c *changes.Change) string {
	text := c.Kind.String() + " " + c.What + " " + c.Name
	if c.In != "" {
		text += " in " + c.In
	}
	if len(c.Details) > 0 {
		details := make([]string, len(c.Details))
		for i, d := range c.Details {
			details[i] = d.String()
		}
		text += ": " + strings.Join(details, "; ")
	}
	return text
}

func TestOf(t *testing.T) {
	list := changes.Compare(model(t, `message M {}`), model(t, `enum M { A = 0; } message N {}`), func(string) bool { return true })
	if c := list.Of("m.M"); c == nil || c.Kind != changes.Added || c.What != "enum" {
		t.Errorf("a name that lives on as something else: %+v", c)
	}
	if c := list.Of("m.O"); c != nil {
		t.Errorf("a name that is not there has changed: %+v", c)
	}
	var none *changes.List
	if none.Of("m.M") != nil {
		t.Error("without a comparison something has changed")
	}
}

// TestMoved moves a message to another file, of which one alone is wanted.
func TestMoved(t *testing.T) {
	before := models(t, map[string]string{"a.proto": `syntax = "proto3"; package m; message M {}`, "b.proto": `syntax = "proto3"; package m;`})
	after := models(t, map[string]string{"a.proto": `syntax = "proto3"; package m;`, "b.proto": `syntax = "proto3"; package m; message M {}`})
	for _, path := range []string{"a.proto", "b.proto"} {
		if list := changes.Compare(before, after, func(p string) bool { return p == path }); len(list.All) > 0 {
			t.Errorf("%s: %s", path, line(list.All[0]))
		}
	}
}

// TestFiles adds a file and removes one.
func TestFiles(t *testing.T) {
	before := models(t, map[string]string{"a.proto": `syntax = "proto3"; package m; message M {}`})
	after := models(t, map[string]string{"b.proto": `syntax = "proto3"; package n; message M {}`})
	var got []string
	for _, c := range changes.Compare(before, after, func(string) bool { return true }).All {
		got = append(got, c.File.Path+": "+line(c))
	}
	want := []string{"a.proto: removed file a.proto", "a.proto: removed message m.M", "b.proto: added file b.proto", "b.proto: added message n.M"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func model(t *testing.T, declarations string) *api.Model {
	t.Helper()
	return models(t, map[string]string{
		"m.proto": `syntax = "proto3"; package m; import "google/protobuf/descriptor.proto"; import "google/api/http.proto";
			extend google.protobuf.FieldOptions { string color = 50000; } ` + declarations,
		"google/api/http.proto": `syntax = "proto3"; package google.api; import "google/protobuf/descriptor.proto";
			extend google.protobuf.MethodOptions { HttpRule http = 72295728; }
			message HttpRule { oneof pattern { string get = 2; string post = 4; } string body = 7; repeated HttpRule additional_bindings = 11; }`,
	})
}

func models(t *testing.T, files map[string]string) *api.Model {
	t.Helper()
	req, err := plugin.ReadRequest(bytes.NewReader(plugintest.Marshal(t, plugintest.Compile(t, files))))
	if err != nil {
		t.Fatal(err)
	}
	m, err := api.Build(req)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestIs lists what changed and was deprecated at once under both kinds, with the
// details under one.
func TestIs(t *testing.T) {
	before := model(t, `message M { int32 a = 1; int32 b = 2; int32 c = 3; }`)
	after := model(t, `message M { int64 a = 1 [deprecated = true]; int32 b = 2 [deprecated = true]; int64 c = 3; }`)
	list := changes.Compare(before, after, func(string) bool { return true })
	got := make(map[string][]string)
	for _, c := range list.All {
		for _, kind := range []changes.Kind{changes.Added, changes.Changed, changes.Deprecated, changes.Removed} {
			if !c.Is(kind) {
				continue
			}
			text := kind.String()
			for _, d := range c.DetailsOf(kind) {
				text += ": " + d.String()
			}
			got[c.Name] = append(got[c.Name], text)
		}
	}
	want := map[string][]string{
		"m.M.a": {"changed: type was `int32`", "deprecated"},
		"m.M.b": {"deprecated"},
		"m.M.c": {"changed: type was `int32`"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
