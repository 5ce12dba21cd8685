package rules_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/api"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/rules"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/plugin"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/plugin/plugintest"
)

// vocabulary declares the parts of the options that the tests use, with the
// names and numbers of the originals.
var vocabulary = map[string]string{
	"google/api/field_behavior.proto": `
syntax = "proto3"; package google.api; import "google/protobuf/descriptor.proto";
extend google.protobuf.FieldOptions { repeated FieldBehavior field_behavior = 1052; }
enum FieldBehavior { FIELD_BEHAVIOR_UNSPECIFIED = 0; OPTIONAL = 1; REQUIRED = 2; OUTPUT_ONLY = 3; INPUT_ONLY = 4; IMMUTABLE = 5; UNORDERED_LIST = 6; NON_EMPTY_DEFAULT = 7; IDENTIFIER = 8; }`,
	"google/api/resource.proto": `
syntax = "proto3"; package google.api; import "google/protobuf/descriptor.proto";
extend google.protobuf.FieldOptions { ResourceReference resource_reference = 1055; }
extend google.protobuf.MessageOptions { ResourceDescriptor resource = 1053; }
message ResourceDescriptor { string type = 1; repeated string pattern = 2; string name_field = 3; History history = 4; string plural = 5; string singular = 6;
  enum History { HISTORY_UNSPECIFIED = 0; ORIGINALLY_SINGLE_PATTERN = 1; } }
message ResourceReference { string type = 1; string child_type = 2; }`,
	"buf/validate/validate.proto": `
syntax = "proto2"; package buf.validate; import "google/protobuf/descriptor.proto"; import "google/protobuf/duration.proto"; import "google/protobuf/timestamp.proto";
extend google.protobuf.MessageOptions { optional MessageRules message = 1159; }
extend google.protobuf.OneofOptions { optional OneofRules oneof = 1159; }
extend google.protobuf.FieldOptions { optional FieldRules field = 1159; }
message Rule { optional string id = 1; optional string message = 2; optional string expression = 3; }
message MessageRules { repeated Rule cel = 3; repeated MessageOneofRule oneof = 4; repeated string cel_expression = 5; optional bool disabled = 1; }
message MessageOneofRule { repeated string fields = 1; optional bool required = 2; }
message OneofRules { optional bool required = 1; }
enum Ignore { IGNORE_UNSPECIFIED = 0; IGNORE_IF_ZERO_VALUE = 1; IGNORE_ALWAYS = 3; IGNORE_NEW = 9; }
message FieldRules { repeated Rule cel = 23; optional bool required = 25; optional Ignore ignore = 27;
  oneof type { FloatRules float = 1; Int32Rules int32 = 3; StringRules string = 14; BytesRules bytes = 15; EnumRules enum = 16; RepeatedRules repeated = 18; MapRules map = 19; DurationRules duration = 21; TimestampRules timestamp = 22; } }
message FloatRules { optional float const = 1; optional float lt = 2; optional float lte = 3; optional float gt = 4; optional float gte = 5; repeated float in = 6; optional bool finite = 8; }
message Int32Rules { optional int32 const = 1; optional int32 lt = 2; optional int32 lte = 3; optional int32 gt = 4; optional int32 gte = 5; repeated int32 in = 6; repeated int32 not_in = 7; optional int32 brand_new = 99; }
message StringRules { optional string const = 1; optional uint64 len = 19; optional uint64 min_len = 2; optional uint64 max_len = 3; optional string pattern = 6; optional string prefix = 7; repeated string in = 10; optional bool email = 12; optional bool uuid = 22; optional KnownRegex well_known_regex = 24; optional bool strict = 25; }
enum KnownRegex { KNOWN_REGEX_UNSPECIFIED = 0; KNOWN_REGEX_HTTP_HEADER_NAME = 1; }
message BytesRules { optional uint64 max_len = 3; optional bytes prefix = 5; }
message EnumRules { optional bool defined_only = 2; repeated int32 in = 3; }
message RepeatedRules { optional uint64 min_items = 1; optional uint64 max_items = 2; optional bool unique = 3; optional FieldRules items = 4; }
message MapRules { optional uint64 min_pairs = 1; optional FieldRules keys = 4; optional FieldRules values = 5; }
message DurationRules { optional google.protobuf.Duration lte = 4; optional google.protobuf.Duration gt = 5; }
message TimestampRules { optional google.protobuf.Timestamp lt = 3; optional bool lt_now = 7; optional google.protobuf.Duration within = 9; }`,
	"validate/validate.proto": `
syntax = "proto2"; package validate; import "google/protobuf/descriptor.proto";
extend google.protobuf.MessageOptions { optional bool disabled = 1071; }
extend google.protobuf.OneofOptions { optional bool required = 1071; }
extend google.protobuf.FieldOptions { optional FieldRules rules = 1071; }
message FieldRules { optional MessageRules message = 17; oneof type { StringRules string = 14; } }
message StringRules { optional uint64 min_bytes = 4; optional uint64 max_bytes = 5; optional bool uri_ref = 18; }
message MessageRules { optional bool skip = 1; optional bool required = 2; }`,
	"other.proto": `
syntax = "proto3"; package other; import "google/protobuf/descriptor.proto";
extend google.protobuf.FieldOptions { string color = 50000; }`,
}

func TestOf(t *testing.T) {
	tests := []struct {
		options string
		want    []string
		rest    []string
	}{
		{`[deprecated = true]`, nil, nil},
		{`[(other.color) = "red"]`, nil, []string{"other.color"}},
		{`[(google.api.field_behavior) = REQUIRED, (google.api.field_behavior) = IMMUTABLE]`, []string{"required", "immutable: not changed once it is set"}, nil},
		{`[(google.api.resource_reference).type = "a.example.com/Book"]`, []string{"the name of a `a.example.com/Book`"}, nil},
		{`[(google.api.resource_reference).child_type = "a.example.com/Book"]`, []string{"the name of a parent of `a.example.com/Book`"}, nil},
		{`[(google.api.resource_reference).type = "*"]`, []string{"the name of a resource of any type"}, nil},
		{`[(buf.validate.field).required = true]`, []string{"required"}, nil},
		{`[(buf.validate.field).ignore = IGNORE_ALWAYS]`, []string{"not validated"}, nil},
		{`[(buf.validate.field).ignore = IGNORE_NEW]`, nil, []string{"buf.validate.field"}},
		{`[(buf.validate.field).int32 = {gte: 1, lte: 100}]`, []string{"at least `1` and at most `100`"}, nil},
		{`[(buf.validate.field).int32 = {gt: 0}]`, []string{"greater than `0`"}, nil},
		{`[(buf.validate.field).int32 = {lt: 0, gt: 10}]`, []string{"less than `0` or greater than `10`"}, nil},
		{`[(buf.validate.field).int32 = {in: [1, 2], not_in: 3}]`, []string{"one of `1`, `2`", "none of `3`"}, nil},
		{`[(buf.validate.field).int32 = {gt: 0, brand_new: 7}]`, []string{"greater than `0`"}, []string{"buf.validate.field"}},
		{`[(buf.validate.field).float = {const: 1.5, finite: true}]`, []string{"is `1.5`", "a finite number"}, nil},
		{`[(buf.validate.field).string = {min_len: 1, max_len: 64}]`, []string{"1 to 64 characters"}, nil},
		{`[(buf.validate.field).string = {len: 1}]`, []string{"exactly 1 character"}, nil},
		{`[(buf.validate.field).string = {pattern: "^[a|b]\\d+$"}]`, []string{"matches `^[a|b]\\d+$`"}, nil},
		{`[(buf.validate.field).string = {const: "", prefix: " x"}]`, []string{"is `\"\"`", "begins with `\" x\"`"}, nil},
		{`[(buf.validate.field).string.email = true]`, []string{"an email address"}, nil},
		{`[(buf.validate.field).string = {uuid: false}]`, nil, nil},
		{`[(buf.validate.field).string = {well_known_regex: KNOWN_REGEX_HTTP_HEADER_NAME}]`, []string{"the name of an HTTP header"}, nil},
		{`[(buf.validate.field).string = {well_known_regex: KNOWN_REGEX_HTTP_HEADER_NAME, strict: false}]`, []string{"the name of an HTTP header"}, []string{"buf.validate.field"}},
		{`[(buf.validate.field).bytes = {max_len: 3, prefix: "\x00a"}]`, []string{"at most 3 bytes", "begins with `\"\\x00a\"`"}, nil},
		{`[(buf.validate.field).enum = {defined_only: true}]`, []string{"a value that the enum defines"}, nil},
		{`[(buf.validate.field).repeated = {min_items: 1, unique: true, items: {string: {min_len: 3}}}]`, []string{"at least 1 element", "no element twice", "each element: at least 3 characters"}, nil},
		{`[(buf.validate.field).map = {min_pairs: 2, keys: {string: {uuid: true}}, values: {int32: {brand_new: 1}}}]`, []string{"at least 2 entries", "each key: a UUID"}, []string{"buf.validate.field"}},
		{`[(buf.validate.field).duration = {gt: {}, lte: {seconds: 3600, nanos: 500000000}}]`, []string{"greater than `0s` and at most `3600.5s`"}, nil},
		{`[(buf.validate.field).timestamp = {lt: {seconds: 1000000000}}]`, []string{"less than `2001-09-09T01:46:40Z`"}, nil},
		{`[(buf.validate.field).timestamp = {lt_now: true, within: {seconds: 60}}]`, []string{"no further from now than `60s`", "in the past"}, nil},
		{`[(buf.validate.field).cel = {id: "x", message: "has to be even.", expression: "this % 2 == 0"}]`, []string{"has to be even"}, nil},
		{`[(buf.validate.field).cel = {id: "x", expression: "this % 2 == 0"}]`, []string{"holds: `this % 2 == 0`"}, nil},
		{`[(validate.rules).string = {min_bytes: 1, max_bytes: 1, uri_ref: true}]`, []string{"exactly 1 byte", "a URI or a relative reference"}, nil},
		{`[(validate.rules).message.required = true]`, []string{"required"}, nil},
	}
	for _, test := range tests {
		t.Run(test.options, func(t *testing.T) {
			model := build(t, `message M { string f = 1 `+test.options+`; }`)
			list, rest := rules.Of(model.Message("m.M").Fields[0].Options())
			check(t, list, rest, test.want, test.rest)
		})
	}
}

func TestOfMessage(t *testing.T) {
	model := build(t, `
		message Book {
		  option (google.api.resource) = {type: "a.example.com/Book", pattern: "shelves/{shelf}/books/{book}", pattern: "books/{book}", singular: "book", plural: "books", name_field: "id"};
		  option (buf.validate.message).cel = {message: "begins before it ends"};
		  option (buf.validate.message).oneof = {fields: ["a", "b"], required: true};
		  option (validate.disabled) = true;
		  oneof pick { option (buf.validate.oneof).required = true; string a = 1; string b = 2; }
		  oneof other { option (validate.required) = true; string c = 3; }
		  oneof free { string d = 4; }
		}`)
	m := model.Message("m.Book")
	list, rest := rules.Of(m.Options())
	check(t, list, rest, []string{
		"begins before it ends",
		"exactly one is set of `a`, `b`",
		"resource `a.example.com/Book`, with names like `shelves/{shelf}/books/{book}` or `books/{book}`, its name in `id`; one is a `book`, several are `books`",
		"not validated",
	}, nil)
	var required []bool
	for _, o := range m.Oneofs {
		required = append(required, rules.Requires(o.Options()))
	}
	if want := []bool{true, true, false}; !slices.Equal(required, want) {
		t.Errorf("Requires: got %v, want %v", required, want)
	}
}

func check(t *testing.T, list []rules.Rule, rest []api.Option, want, wantRest []string) {
	t.Helper()
	var got, gotRest []string
	for _, r := range list {
		got = append(got, r.String())
	}
	for _, o := range rest {
		gotRest = append(gotRest, o.Name)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rules (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(wantRest, gotRest); diff != "" {
		t.Errorf("rest (-want +got):\n%s", diff)
	}
}

func build(t *testing.T, declarations string) *api.Model {
	t.Helper()
	files := map[string]string{}
	source := "syntax = \"proto3\";\npackage m;\n"
	for name, text := range vocabulary {
		files[name] = text
	}
	for _, name := range []string{"google/api/field_behavior.proto", "google/api/resource.proto", "buf/validate/validate.proto", "validate/validate.proto", "other.proto"} {
		source += "import \"" + name + "\";\n"
	}
	files["m.proto"] = source + declarations
	req, err := plugin.ReadRequest(bytes.NewReader(plugintest.Marshal(t, plugintest.Compile(t, files, "m.proto"))))
	if err != nil {
		t.Fatal(err)
	}
	model, err := api.Build(req)
	if err != nil {
		t.Fatal(err)
	}
	return model
}
