package example_test

import (
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bufbuild/protocompile"
	"github.com/bufbuild/protocompile/linker"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"
	_ "google.golang.org/protobuf/types/known/durationpb" // what the examples of Any hold

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/api"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/example"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/plugin"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/plugin/plugintest"
)

// load compiles files, and returns them as the model and as descriptors.
func load(t *testing.T, files map[string]string) (*api.Model, linker.Resolver) {
	t.Helper()
	req := plugintest.Compile(t, files)
	read, err := plugin.ReadRequest(strings.NewReader(string(plugintest.Marshal(t, req))))
	if err != nil {
		t.Fatal(err)
	}
	model, err := api.Build(read)
	if err != nil {
		t.Fatal(err)
	}
	compiler := protocompile.Compiler{
		Resolver: protocompile.WithStandardImports(&protocompile.SourceResolver{Accessor: protocompile.SourceAccessorFromMap(files)}),
	}
	compiled, err := compiler.Compile(t.Context(), slices.Sorted(maps.Keys(files))...)
	if err != nil {
		t.Fatal(err)
	}
	return model, compiled.AsResolver()
}

// sources are the .proto files below folders, by import path.
func sources(t *testing.T, roots ...string) map[string]string {
	t.Helper()
	files := make(map[string]string)
	for _, root := range roots {
		err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".proto") {
				return err
			}
			text, err := os.ReadFile(path)
			name, _ := filepath.Rel(root, path)
			files[filepath.ToSlash(name)] = string(text)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// hostile has what makes instances hard: recursion of all sorts, required
// fields, defaults, oneofs, maps, groups, well-known types.
const hostile = `
syntax = "proto2";
package hostile;
import "google/protobuf/any.proto";
import "google/protobuf/duration.proto";
import "google/protobuf/empty.proto";
import "google/protobuf/field_mask.proto";
import "google/protobuf/struct.proto";
import "google/protobuf/timestamp.proto";
import "google/protobuf/wrappers.proto";

message Tree { repeated Tree children = 1; optional Tree parent = 2; map<string, Tree> by_name = 3; oneof pick { Tree one = 4; string two = 5; } }
message Self { required Self self = 1; }
message A { required B b = 1; }
message B { optional A a = 1; required int32 n = 2; }
message HasSelf { optional Self self = 1; repeated Self list = 2; map<int32, Self> all = 3; oneof x { Self s = 4; bytes raw = 5; } }
message Deep { optional D1 d = 1; } message D1 { optional D2 d = 1; } message D2 { optional D3 d = 1; }
message D3 { required D4 d = 1; } message D4 { required D5 d = 1; optional D1 up = 2; } message D5 { required int32 leaf = 1; }
message Known {
  optional google.protobuf.Any any = 1; optional google.protobuf.Duration duration = 2; optional google.protobuf.Empty empty = 3;
  optional google.protobuf.FieldMask mask = 4; optional google.protobuf.Struct struct = 5; optional google.protobuf.Value value = 6;
  optional google.protobuf.ListValue list = 7; optional google.protobuf.NullValue null = 8; repeated google.protobuf.NullValue nulls = 9;
  optional google.protobuf.Timestamp time = 10; optional google.protobuf.BoolValue b = 11; optional google.protobuf.StringValue s = 12;
  optional google.protobuf.BytesValue y = 13; optional google.protobuf.DoubleValue d = 14; optional google.protobuf.FloatValue f = 15;
  optional google.protobuf.Int32Value i = 16; optional google.protobuf.UInt32Value u = 17; optional google.protobuf.Int64Value l = 18;
  optional google.protobuf.UInt64Value ul = 19; map<string, google.protobuf.Any> anys = 20; repeated google.protobuf.Timestamp times = 21;
}
message Scalars {
  optional double a = 1 [default = inf]; optional float b = 2 [default = -inf]; optional double c = 3 [default = nan]; optional double d = 4 [default = 1e300];
  optional int32 e = 5 [default = -5]; optional int64 f = 6 [default = -9223372036854775808]; optional uint64 g = 7 [default = 18446744073709551615];
  optional bool h = 8 [default = false]; optional string i = 9 [default = "a'b\"c\n<&>\\"]; optional bytes j = 10 [default = "\x00\xff"];
  optional Kind k = 11; optional Kind l = 12 [default = GONE]; optional string m = 13 [json_name = "@odd"]; optional string n = 14 [deprecated = true];
  optional group Grp = 15 { optional sint32 x = 1; } repeated fixed64 o = 16; map<bool, bytes> p = 17; map<fixed64, Zero> q = 18;
  optional string __odd__name_2x = 19; optional string r = 20 [default = ""]; optional float s = 21; optional sfixed64 t = 22;
}
enum Kind { GONE = 1; NOT = 0; OLD = 2 [deprecated = true]; }
enum Zero { ONLY = 0; }
message WithZero { optional Zero zero = 1; }
message Nothing {}
`

// TestMessagesParse reads each example back.
func TestMessagesParse(t *testing.T) {
	files := sources(t, "../../../proto/skaffold", "../../../proto/buildkit", "../../../proto/rkt", "../../../proto/third_party", "../../../testdata/language")
	files["hostile.proto"] = hostile
	model, registry := load(t, files)
	without := map[string]bool{"hostile.Self": true}
	seen := 0
	for _, f := range model.Files {
		for x := range f.AllMessages() {
			if x.IsMapEntry() {
				continue
			}
			seen++
			text := example.Maker{}.Message(x)
			if none := text == ""; none != without[x.FullName] && !x.Desc.GetOptions().GetMessageSetWireFormat() {
				t.Errorf("%s: has no example: %t, want %t", x.FullName, none, without[x.FullName])
			}
			if text != "" {
				parse(t, registry, x.FullName, text)
			}
			if n := strings.Count(text, "\n"); n > 300 {
				t.Errorf("%s: an example of %d lines is not one to read", x.FullName, n)
			}
		}
	}
	if seen < 150 {
		t.Errorf("only %d messages were tried", seen)
	}
}

func parse(t *testing.T, registry linker.Resolver, name, text string) {
	t.Helper()
	d, err := registry.FindDescriptorByName(protoreflect.FullName(name))
	if err != nil {
		t.Fatal(err)
	}
	msg := dynamicpb.NewMessage(d.(protoreflect.MessageDescriptor))
	if err := protojson.Unmarshal([]byte(text), msg); err != nil {
		t.Errorf("%s: %v\n%s", name, err, text)
	}
	if err := proto.CheckInitialized(msg); err != nil {
		t.Errorf("%s: %v\n%s", name, err, text)
	}
}

func TestMessage(t *testing.T) {
	model, _ := load(t, map[string]string{"hostile.proto": hostile})
	tests := []struct{ message, want string }{
		{"Nothing", "{}"},
		{"Self", ""},
		{"A", "{\n  \"b\": {\n    \"n\": 1\n  }\n}"},
		{"HasSelf", "{\n  \"raw\": \"Ynl0ZXM=\"\n}"},
		{"WithZero", "{\n  \"zero\": \"ONLY\"\n}"},
		{"Tree", "{\n  \"two\": \"string\"\n}"},
		{"Deep", `{
  "d": {
    "d": {
      "d": {
        "d": {
          "d": {
            "leaf": 1
          }
        }
      }
    }
  }
}`},
	}
	for _, test := range tests {
		if got := (example.Maker{}).Message(model.Message("hostile." + test.message)); got != test.want {
			t.Errorf("%s: got\n%s\nwant\n%s", test.message, got, test.want)
		}
	}
}

func TestHooks(t *testing.T) {
	model, registry := load(t, map[string]string{"hostile.proto": hostile})
	m := example.Maker{
		Value: func(f *api.Field) string {
			if f.Name == "n" {
				return "7"
			}
			return ""
		},
		Skip: func(f *api.Field) bool { return f.Name == "parent" },
	}
	text := m.Message(model.Message("hostile.B"))
	parse(t, registry, "hostile.B", text)
	if !strings.Contains(text, `"n": 7`) {
		t.Errorf("Value was not asked: %s", text)
	}
}

const books = `
syntax = "proto3";
package books.v1;
import "google/api/annotations.proto";
service Books {
  rpc Get(GetRequest) returns (Book) { option (google.api.http) = { get: "/v1/{name=shelves/*/books/*}" }; }
  rpc Count(GetRequest) returns (Book) { option (google.api.http) = { get: "/v1/count/{page}/{kind}:total" }; }
  rpc Update(UpdateRequest) returns (stream Book) { option (google.api.http) = { patch: "/v1/{book.name=shelves/*/books/*}" body: "book" }; }
  rpc Create(UpdateRequest) returns (Book) { option (google.api.http) = { post: "/v1/{book.name=**}:do" body: "*" }; }
  rpc Head(GetRequest) returns (Book) { option (google.api.http) = { custom: { kind: "HEAD" path: "/v1/companies/*/boss" } }; }
  rpc Any(GetRequest) returns (Book) { option (google.api.http) = { custom: { kind: "*" path: "/v1/any" } }; }
  rpc Drop(Nothing) returns (Nothing) { option (google.api.http) = { delete: "/v1/it's" body: "*" }; }
}
message Nothing {}
enum Kind { KIND_UNSPECIFIED = 0; PAPER = 1; }
message GetRequest { string name = 1; int32 page = 2; Kind kind = 3; }
message UpdateRequest { Book book = 1; bool force = 2; }
message Book { string name = 1; string title = 2; }
`

func TestCommands(t *testing.T) {
	files := sources(t, "../../../proto/third_party")
	files["books.proto"] = books
	model, _ := load(t, files)
	curl := map[string]string{
		"Get":   "curl http://localhost:8080/v1/shelves/shelve-1/books/book-1",
		"Count": "curl http://localhost:8080/v1/count/1/PAPER:total",
		"Update": `curl --no-buffer --request PATCH http://localhost:8080/v1/shelves/shelve-1/books/book-1 \
  --header 'Content-Type: application/json' \
  --data '{
  "name": "string",
  "title": "string"
}'`,
		"Create": `curl --request POST http://localhost:8080/v1/name:do \
  --header 'Content-Type: application/json' \
  --data '{
  "book": {
    "title": "string"
  },
  "force": true
}'`,
		"Head": "curl --head http://localhost:8080/v1/companies/company-1/boss",
		"Any":  "",
		"Drop": `curl --request DELETE 'http://localhost:8080/v1/it'\''s' \
  --header 'Content-Type: application/json' \
  --data '{}'`,
	}
	grpcurl := map[string]string{
		"Drop": "grpcurl -plaintext localhost:50051 books.v1.Books/Drop",
		"Update": `grpcurl -plaintext -d '{
  "book": {
    "name": "string",
    "title": "string"
  },
  "force": true
}' \
  localhost:50051 books.v1.Books/Update`,
	}
	for _, x := range model.File("books.proto").Services[0].Methods {
		if got, want := (example.Maker{}).Curl(x, x.Routes[0], "http://localhost:8080/"), curl[x.Name]; got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", x.Name, got, want)
		}
		if want, ok := grpcurl[x.Name]; ok {
			if got := (example.Maker{}).Grpcurl(x, "localhost:50051"); got != want {
				t.Errorf("%s: got\n%s\nwant\n%s", x.Name, got, want)
			}
		}
	}
}

// TestShell lets a shell read a command whose body has all that shells take for
// something else.
func TestShell(t *testing.T) {
	model, registry := load(t, map[string]string{"hostile.proto": hostile + `
		service S { rpc Put(Scalars) returns (Nothing); }`})
	x := model.File("hostile.proto").Services[0].Methods[0]
	curl := example.Maker{}.Curl(x, api.Route{Verb: "PUT", Path: "/put", Body: "*"}, "http://localhost")
	out, err := exec.Command("sh", "-c", `curl() { for last; do :; done; printf %s "$last"; }; `+curl).Output()
	if err != nil {
		t.Fatal(err)
	}
	parse(t, registry, "hostile.Scalars", string(out))
	grpcurl := example.Maker{}.Grpcurl(x, "localhost:50051")
	out, err = exec.Command("sh", "-c", `grpcurl() { printf %s "$3"; }; `+grpcurl).Output()
	if err != nil {
		t.Fatal(err)
	}
	parse(t, registry, "hostile.Scalars", string(out))
}
