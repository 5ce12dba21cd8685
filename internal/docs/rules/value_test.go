package rules_test

import (
	"bytes"
	"maps"
	"testing"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/api"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/rules"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/plugin"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/plugin/plugintest"
)

func TestValue(t *testing.T) {
	for _, c := range []struct{ field, want string }{
		{`string x = 1`, ``},
		{`string x = 1 [(buf.validate.field).required = true]`, ``},
		{`string x = 1 [(buf.validate.field).string.const = "a\"b"]`, `"a\"b"`},
		{`string x = 1 [(buf.validate.field).string.in = "b"]`, `"b"`},
		{`string x = 1 [(buf.validate.field).string.min_len = 8]`, `"stringxx"`},
		{`string x = 1 [(buf.validate.field).string.max_len = 3]`, `"str"`},
		{`string x = 1 [(buf.validate.field).string.len = 2]`, `"st"`},
		{`string x = 1 [(buf.validate.field).string.max_len = 0]`, ``},
		{`string x = 1 [(buf.validate.field).string.min_len = 5000]`, ``},
		{`string x = 1 [(buf.validate.field).string.prefix = "a/"]`, `"a/"`},
		{`string x = 1 [(buf.validate.field).string = {prefix: "a/", min_len: 4}]`, `"a/xx"`},
		{`string x = 1 [(buf.validate.field).string = {prefix: "long", max_len: 2}]`, ``},
		{`string x = 1 [(buf.validate.field).string.pattern = "^s"]`, `"string"`},
		{`string x = 1 [(buf.validate.field).string.pattern = "^[0-9]+$"]`, ``},
		{`string x = 1 [(buf.validate.field).string.pattern = "("]`, ``},
		{`string x = 1 [(buf.validate.field).string.email = true]`, `"name@example.com"`},
		{`string x = 1 [(buf.validate.field).string.uuid = true]`, `"123e4567-e89b-42d3-a456-426614174000"`},
		{`string x = 1 [(validate.rules).string = {min_bytes: 2, max_bytes: 4}]`, `"stri"`},
		{`string x = 1 [(validate.rules).string.uri_ref = true]`, `"/path"`},
		{`repeated string x = 1 [(buf.validate.field).repeated.items.string.email = true]`, `"name@example.com"`},
		{`repeated string x = 1 [(buf.validate.field).repeated.min_items = 1]`, ``},
		{`bytes x = 1 [(buf.validate.field).bytes.max_len = 2]`, `"Ynk="`},
		{`int32 x = 1 [(buf.validate.field).int32 = {gte: 1, lte: 100}]`, `1`},
		{`int32 x = 1 [(buf.validate.field).int32.gt = 1]`, `2`},
		{`int32 x = 1 [(buf.validate.field).int32.lt = -4]`, `-5`},
		{`int32 x = 1 [(buf.validate.field).int32 = {gt: 5, lt: 7}]`, `6`},
		{`int32 x = 1 [(buf.validate.field).int32 = {gt: 5, lt: 6}]`, ``},
		{`int32 x = 1 [(buf.validate.field).int32 = {gt: 10, lt: 0}]`, `11`},
		{`int32 x = 1 [(buf.validate.field).int32.in = 7]`, `7`},
		{`int32 x = 1 [(buf.validate.field).int32 = {gte: 1, not_in: 1}]`, `2`},
		{`int32 x = 1 [(buf.validate.field).int32.const = 0]`, `0`},
		{`float x = 1 [(buf.validate.field).float = {gt: 0, lt: 0.25}]`, `0.125`},
		{`float x = 1 [(buf.validate.field).float.const = 0.1]`, `0.1`},
		{`float x = 1 [(buf.validate.field).float.gte = 3]`, `3`},
		{`float x = 1 [(buf.validate.field).float.gte = inf]`, ``},
		{`Kind x = 1 [(buf.validate.field).enum.in = 2]`, `"TWO"`},
		{`Kind x = 1 [(buf.validate.field).enum.defined_only = true]`, `"ONE"`},
		{`Kind x = 1 [(buf.validate.field).enum.in = 0]`, `"ZERO"`},
		{`Kind x = 1 [(buf.validate.field).enum.in = 9]`, ``},
		{`google.protobuf.Duration x = 1 [(buf.validate.field).duration.gt = {seconds: 60}]`, `"60.5s"`},
		{`google.protobuf.Duration x = 1 [(buf.validate.field).duration.lte = {nanos: 500000000}]`, `"0.5s"`},
		{`google.protobuf.Timestamp x = 1 [(buf.validate.field).timestamp.lt_now = true]`, `"2006-01-02T15:04:05Z"`},
		{`google.protobuf.Timestamp x = 1 [(buf.validate.field).timestamp.lt = {seconds: 10}]`, `"1970-01-01T00:00:09Z"`},
		{`google.protobuf.Timestamp x = 1 [(buf.validate.field).timestamp.within = {seconds: 10}]`, ``},
	} {
		t.Run(c.field, func(t *testing.T) {
			if got := rules.Value(fieldOf(t, c.field)); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func fieldOf(t *testing.T, declaration string) *api.Field {
	t.Helper()
	files := maps.Clone(vocabulary)
	files["x.proto"] = `syntax = "proto3"; package x; import "buf/validate/validate.proto"; import "validate/validate.proto";
		import "google/protobuf/duration.proto"; import "google/protobuf/timestamp.proto";
		enum Kind { ZERO = 0; ONE = 1; TWO = 2; } message M { ` + declaration + `; }`
	delete(files, "other.proto")
	req, err := plugin.ReadRequest(bytes.NewReader(plugintest.Marshal(t, plugintest.Compile(t, files))))
	if err != nil {
		t.Fatal(err)
	}
	model, err := api.Build(req)
	if err != nil {
		t.Fatal(err)
	}
	return model.Message("x.M").Fields[0]
}
