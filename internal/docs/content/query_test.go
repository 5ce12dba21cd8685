package content

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/api"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/plugin"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/plugin/plugintest"
)

// TestQuery lists the query parameters of routes of Request.
func TestQuery(t *testing.T) {
	const kinds = `
		enum E { ZERO = 0; }
		message Deep { int32 deepest = 1; }
		message Sub {
			string name = 1; int32 n = 2; Deep deep = 3; repeated string tags = 4; repeated Sub subs = 5;
			google.protobuf.Duration age = 6; map<string, string> map = 7;
		}`
	tests := []struct {
		name   string
		fields string
		route  api.Route
		want   []string
	}{
		{"scalars", `string id = 1; E e = 2; repeated int32 ids = 3; optional bytes data = 4; repeated E es = 5;`,
			api.Route{Path: "/x"}, []string{"id", "e", "ids", "data", "es"}},
		{"whole body", `string id = 1;`, api.Route{Path: "/x", Body: "*"}, nil},
		{"body", `string id = 1; Sub sub = 2;`, api.Route{Path: "/x", Body: "sub"}, []string{"id"}},
		{"path", `string id = 1; string idx = 2; string i = 3;`, api.Route{Path: "/x/{id}"}, []string{"idx", "i"}},
		{"path with patterns", `string a = 1; string b = 2; string c = 3;`,
			api.Route{Path: "/v1/{a=x/*/y/*}/{b=**}:do"}, []string{"c"}},
		{"message", `Sub sub = 1; string id = 2;`, api.Route{Path: "/x"},
			[]string{"sub.name", "sub.n", "sub.tags", "sub.age", "id"}},
		{"below a path variable", `Sub sub = 1; Sub other = 2;`, api.Route{Path: "/x/{sub.name=a/*}/{other}"},
			[]string{"sub.n", "sub.tags", "sub.age"}},
		{"forbidden", `repeated Sub subs = 1; map<string, int32> map = 2; repeated google.protobuf.Timestamp times = 3;`,
			api.Route{Path: "/x"}, nil},
		{"well-known types", `
			google.protobuf.Timestamp t = 1; google.protobuf.FieldMask mask = 2; google.protobuf.Int64Value i = 3;
			google.protobuf.Any any = 4; google.protobuf.Struct s = 5; google.protobuf.Value v = 6;
			google.protobuf.ListValue l = 7; google.protobuf.Empty none = 8;`,
			api.Route{Path: "/x"}, []string{"t", "mask", "i"}},
		{"recursion", `Request parent = 1; int32 n = 2;`, api.Route{Path: "/x"}, []string{"parent.n", "n"}},
		{"oneof", `oneof o { string a = 1; Sub sub = 2; }`, api.Route{Path: "/{sub.tags}"},
			[]string{"a", "sub.name", "sub.n", "sub.age"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			request := requestOf(t, kinds+"message Request {"+test.fields+"}")
			if diff := cmp.Diff(test.want, query(request, test.route)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func requestOf(t *testing.T, declarations string) *api.Message {
	t.Helper()
	text := `syntax = "proto3"; package m;`
	for _, name := range []string{"any", "duration", "empty", "field_mask", "struct", "timestamp", "wrappers"} {
		text += ` import "google/protobuf/` + name + `.proto";`
	}
	compiled := plugintest.Compile(t, map[string]string{"m.proto": text + declarations})
	req, err := plugin.ReadRequest(bytes.NewReader(plugintest.Marshal(t, compiled)))
	if err != nil {
		t.Fatal(err)
	}
	model, err := api.Build(req)
	if err != nil {
		t.Fatal(err)
	}
	for m := range model.File("m.proto").AllMessages() {
		if m.Name == "Request" {
			return m
		}
	}
	t.Fatal("there is no Request")
	return nil
}
