package api_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/api"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/plugin/plugintest"
)

// optionSource defines an option of each type, and of each kind of declaration.
// None of these is linked into the program: the request alone says what the
// bytes of an option mean.
const optionSource = `
	syntax = "proto2";
	package opt;
	import "google/protobuf/descriptor.proto";
	enum Color { RED = 0; GREEN = 5; DARK = -1; }
	message Shape {
		optional string name = 1;
		repeated int32 sides = 2;
		optional Shape inner = 3;
		map<string, int32> weights = 4;
		map<int64, Shape> parts = 5;
		map<bool, Color> colors = 6;
		optional Color color = 7;
		repeated bytes raw = 8;
		optional group Box = 9 { optional int32 width = 1; }
		extensions 100;
		extend google.protobuf.MessageOptions { optional int32 nested = 60100; }
	}
	extend Shape { optional string more = 100; }
	extend google.protobuf.MessageOptions {
		optional double f64 = 60001; optional float f32 = 60002;
		optional int32 i32 = 60003; optional int64 i64 = 60004; optional uint32 u32 = 60005; optional uint64 u64 = 60006;
		optional sint32 s32 = 60007; optional sint64 s64 = 60008;
		optional fixed32 x32 = 60009; optional fixed64 x64 = 60010; optional sfixed32 y32 = 60011; optional sfixed64 y64 = 60012;
		optional bool flag = 60013; optional string text = 60014; optional bytes raw = 60015;
		optional Color color = 60016; optional Shape shape = 60017;
		repeated int32 numbers = 60018; repeated int32 packed = 60019 [packed = true];
		repeated string texts = 60020; repeated Shape shapes = 60021; repeated Color colors = 60022;
	}
	extend google.protobuf.FileOptions { optional string of_file = 60000; }
	extend google.protobuf.FieldOptions { optional string of_field = 60000; }
	extend google.protobuf.OneofOptions { optional string of_oneof = 60000; }
	extend google.protobuf.EnumOptions { optional string of_enum = 60000; }
	extend google.protobuf.EnumValueOptions { optional string of_value = 60000; }
	extend google.protobuf.ServiceOptions { optional string of_service = 60000; }
	extend google.protobuf.MethodOptions { optional string of_method = 60000; }`

func TestOptions(t *testing.T) {
	tests := []struct {
		option string
		name   string
		want   any
	}{
		{`(opt.f64) = 1.5`, "opt.f64", 1.5},
		{`(opt.f64) = -inf`, "opt.f64", math.Inf(-1)},
		{`(opt.f64) = nan`, "opt.f64", math.NaN()},
		{`(opt.f32) = 0.25`, "opt.f32", float32(0.25)},
		{`(opt.i32) = -2147483648`, "opt.i32", int32(math.MinInt32)},
		{`(opt.i64) = -9223372036854775808`, "opt.i64", int64(math.MinInt64)},
		{`(opt.u32) = 4294967295`, "opt.u32", uint32(math.MaxUint32)},
		{`(opt.u64) = 18446744073709551615`, "opt.u64", uint64(math.MaxUint64)},
		{`(opt.s32) = -7`, "opt.s32", int32(-7)},
		{`(opt.s64) = -8`, "opt.s64", int64(-8)},
		{`(opt.x32) = 9`, "opt.x32", uint32(9)},
		{`(opt.x64) = 10`, "opt.x64", uint64(10)},
		{`(opt.y32) = -11`, "opt.y32", int32(-11)},
		{`(opt.y64) = -12`, "opt.y64", int64(-12)},
		{`(opt.flag) = true`, "opt.flag", true},
		{`(opt.flag) = false`, "opt.flag", false}, // set, though to the zero value
		{`(opt.text) = "é\n\"x\""`, "opt.text", "é\n\"x\""},
		{`(opt.text) = ""`, "opt.text", ""},
		{`(opt.raw) = "\000\377"`, "opt.raw", []byte{0, 255}},
		{`(opt.color) = GREEN`, "opt.color", "GREEN"},
		{`(opt.color) = DARK`, "opt.color", "DARK"},
		{`(opt.numbers) = 3, (opt.numbers) = -4`, "opt.numbers", []any{int32(3), int32(-4)}},
		{`(opt.packed) = 3, (opt.packed) = 4`, "opt.packed", []any{int32(3), int32(4)}},
		{`(opt.texts) = "a", (opt.texts) = ""`, "opt.texts", []any{"a", ""}},
		{`(opt.colors) = RED, (opt.colors) = DARK`, "opt.colors", []any{"RED", "DARK"}},
		{`(opt.shape) = {}`, "opt.shape", map[string]any{}},
		{`(opt.shape) = { name: "n" sides: [1, 2] color: GREEN raw: "\001" }`, "opt.shape", map[string]any{
			"name": "n", "sides": []any{int32(1), int32(2)}, "color": "GREEN", "raw": []any{[]byte{1}},
		}},
		{`(opt.shape).inner.inner.name = "deep"`, "opt.shape", map[string]any{
			"inner": map[string]any{"inner": map[string]any{"name": "deep"}},
		}},
		{`(opt.shape) = { weights { key: "b" value: 2 } weights { key: "a" value: 1 } }`, "opt.shape", map[string]any{
			"weights": map[string]any{"a": int32(1), "b": int32(2)},
		}},
		{`(opt.shape) = { parts { key: -5 value { name: "p" } } colors { key: true value: GREEN } }`, "opt.shape", map[string]any{
			"parts":  map[string]any{"-5": map[string]any{"name": "p"}},
			"colors": map[string]any{"true": "GREEN"},
		}},
		{`(opt.shape) = { Box { width: 3 } [opt.more]: "x" }`, "opt.shape", map[string]any{
			"box": map[string]any{"width": int32(3)}, "opt.more": "x",
		}},
		{`(opt.shapes) = { name: "a" }, (opt.shapes) = {}`, "opt.shapes", []any{
			map[string]any{"name": "a"}, map[string]any{},
		}},
		{`(opt.Shape.nested) = 6`, "opt.Shape.nested", int32(6)},
	}
	for _, test := range tests {
		t.Run(test.option, func(t *testing.T) {
			source := `syntax = "proto3"; package p; import "opt.proto"; message M {`
			for _, option := range splitOptions(test.option) {
				source += " option " + option + ";"
			}
			options := buildWithOptions(t, source+" }", nil).Message("p.M").Options()
			want := []api.Option{{Name: test.name, Value: test.want}}
			if diff := cmp.Diff(want, options.Custom(), cmpopts.EquateNaNs()); diff != "" {
				t.Errorf("custom options (-want +got):\n%s", diff)
			}
			value, ok := options.Value(test.name)
			if diff := cmp.Diff(test.want, value, cmpopts.EquateNaNs()); diff != "" || !ok {
				t.Errorf("value, found %t (-want +got):\n%s", ok, diff)
			}
		})
	}
}

// splitOptions splits at the commas before another option.
func splitOptions(text string) []string {
	var out []string
	start := 0
	for i := range len(text) - 2 {
		if text[i:i+3] == ", (" {
			out = append(out, text[start:i])
			start = i + 2
		}
	}
	return append(out, text[start:])
}

func buildWithOptions(t *testing.T, source string, edit func(*pluginpb.CodeGeneratorRequest)) *api.Model {
	t.Helper()
	req := plugintest.Compile(t, map[string]string{"a.proto": source, "opt.proto": optionSource}, "a.proto")
	if edit != nil {
		edit(req)
	}
	return build(t, req)
}

func TestOptionsOfAllDeclarations(t *testing.T) {
	f := buildWithOptions(t, `
		syntax = "proto2";
		package p;
		import "opt.proto";
		option (opt.of_file) = "file";
		message M {
			option (opt.text) = "message";
			optional int32 a = 1 [(opt.of_field) = "field"];
			oneof o { option (opt.of_oneof) = "oneof"; int32 b = 2; }
			extensions 100;
		}
		extend M { optional int32 x = 100 [(opt.of_field) = "extension"]; }
		enum E { option (opt.of_enum) = "enum"; A = 0 [(opt.of_value) = "value"]; }
		service S { option (opt.of_service) = "service"; rpc R(M) returns (M) { option (opt.of_method) = "method"; } }`, nil).Files[0]
	m := f.Messages[0]
	for _, test := range []struct {
		options    api.Options
		name, want string
	}{
		{f.Options(), "opt.of_file", "file"},
		{m.Options(), "opt.text", "message"},
		{m.Fields[0].Options(), "opt.of_field", "field"},
		{m.Oneofs[0].Options(), "opt.of_oneof", "oneof"},
		{f.Extensions[0].Options(), "opt.of_field", "extension"},
		{f.Enums[0].Options(), "opt.of_enum", "enum"},
		{f.Enums[0].Values[0].Options(), "opt.of_value", "value"},
		{f.Services[0].Options(), "opt.of_service", "service"},
		{f.Services[0].Methods[0].Options(), "opt.of_method", "method"},
	} {
		if diff := cmp.Diff([]api.Option{{Name: test.name, Value: test.want}}, test.options.Custom()); diff != "" {
			t.Errorf("options (-want +got):\n%s", diff)
		}
	}
	if got := m.Fields[1].Options().Custom(); got != nil {
		t.Errorf("a field without options has %v", got)
	}
}

func TestOptionsAreSorted(t *testing.T) {
	options := buildWithOptions(t, `syntax = "proto3"; package p; import "opt.proto";
		message M { option (opt.text) = "t"; option (opt.Shape.nested) = 1; option (opt.flag) = true; option (opt.color) = RED; }`, nil).Message("p.M").Options()
	want := []api.Option{
		{Name: "opt.Shape.nested", Value: int32(1)},
		{Name: "opt.color", Value: "RED"},
		{Name: "opt.flag", Value: true},
		{Name: "opt.text", Value: "t"},
	}
	if diff := cmp.Diff(want, options.Custom()); diff != "" {
		t.Errorf("custom options (-want +got):\n%s", diff)
	}
}

// Options of descriptor.proto itself go by their plain names.
func TestPlainOptions(t *testing.T) {
	options := buildFile(t, `syntax = "proto3"; message M { int64 a = 1 [deprecated = true, jstype = JS_STRING, packed = false]; }`).Message("M").Fields[0].Options()
	for _, test := range []struct {
		name      string
		want      any
		wantFound bool
	}{
		{"deprecated", true, true},
		{"jstype", "JS_STRING", true},
		{"packed", false, true},
		{"ctype", nil, false}, // not set
		{"nothing", nil, false},
		{"", nil, false},
	} {
		if got, found := options.Value(test.name); got != test.want || found != test.wantFound {
			t.Errorf("Value(%q) = %v, %t; want %v, %t", test.name, got, found, test.want, test.wantFound)
		}
	}
	if !options.Deprecated() {
		t.Error("the field is not deprecated")
	}
}

func TestNoOptions(t *testing.T) {
	options := buildFile(t, `syntax = "proto3"; message M {}`).Message("M").Options()
	if _, found := options.Value("deprecated"); found || options.Deprecated() || options.Custom() != nil || options.Unknown() != nil || options.Message() != nil {
		t.Error("a message without options has some")
	}
}

// A number that the enum has no name for stays a number.
func TestOptionOfUnknownEnumValue(t *testing.T) {
	model := buildWithOptions(t, `syntax = "proto3"; package p; import "opt.proto"; message M { option (opt.color) = RED; }`,
		withOption(60016, protowire.VarintType, protowire.AppendVarint(nil, 77)))
	got, _ := model.Message("p.M").Options().Value("opt.color")
	if want := int32(77); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

// withOption replaces the options of the message with one.
func withOption(number protowire.Number, typ protowire.Type, value []byte) func(*pluginpb.CodeGeneratorRequest) {
	return func(req *pluginpb.CodeGeneratorRequest) {
		options := new(descriptorpb.MessageOptions)
		options.ProtoReflect().SetUnknown(append(protowire.AppendTag(nil, number, typ), value...))
		req.ProtoFile[len(req.ProtoFile)-1].MessageType[0].Options = options
	}
}

// An option that no file of the request defines cannot be read, and neither can
// one whose bytes are not of its type. Both are left out.
func TestUnreadableOptions(t *testing.T) {
	for _, test := range []struct {
		name string
		edit func(*pluginpb.CodeGeneratorRequest)
	}{
		{"no definition", withOption(61234, protowire.VarintType, []byte{1})},
		{"truncated message", withOption(60017, protowire.BytesType, []byte{2, 0x0a, 5})},
		{"definition that is not in the request", func(req *pluginpb.CodeGeneratorRequest) {
			withOption(60014, protowire.BytesType, []byte{1, 'a'})(req)
			last := req.ProtoFile[len(req.ProtoFile)-1]
			last.Dependency = nil
			req.ProtoFile = []*descriptorpb.FileDescriptorProto{last}
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			options := buildWithOptions(t, `syntax = "proto3"; package p; import "opt.proto"; message M { option (opt.flag) = true; }`, test.edit).Message("p.M").Options()
			if got := options.Custom(); got != nil {
				t.Errorf("got %v, want nothing", got)
			}
		})
	}
}

// A file that the runtime refuses costs the options that it defines, and nothing of
// those of other files: not of those that import it, nor of those that see another
// file through it.
func TestOptionsBesideRefusedFile(t *testing.T) {
	const messageSet = "message Set { option message_set_wire_format = true; extensions 4 to max; }"
	for _, test := range []struct {
		name, source string
		edit         func(*descriptorpb.FileDescriptorProto)
	}{
		{name: "message set", source: messageSet},
		{
			name:   "map of a closed enum without zero",
			source: "enum E { ZERO = 0; ONE = 1; } message Map { map<bool, E> m = 1; }",
			edit:   func(f *descriptorpb.FileDescriptorProto) { f.EnumType[0].Value = f.EnumType[0].Value[1:] },
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			req := plugintest.Compile(t, map[string]string{
				"base.proto": `syntax = "proto2"; package base; message Base { optional string text = 1; }`,
				"odd.proto": `syntax = "proto2"; package odd;
					import public "base.proto"; import "google/protobuf/descriptor.proto";
					message Odd { optional string text = 1; } ` + test.source + `
					extend google.protobuf.MessageOptions { optional string lost = 60100; }`,
				"user.proto": `syntax = "proto2"; package user;
					import "odd.proto"; import "google/protobuf/descriptor.proto";
					message Mixed {
						optional base.Base base = 1; optional odd.Odd odd = 2; repeated odd.Odd odds = 3; map<int32, odd.Odd> map = 4;
						optional string text = 5;
					}
					extend google.protobuf.MessageOptions {
						optional string plain = 60200; optional base.Base base = 60201;
						optional odd.Odd odd = 60202; optional Mixed mixed = 60203;
					}`,
				"far.proto": `syntax = "proto2"; package far; import "google/protobuf/descriptor.proto";
					extend google.protobuf.MessageOptions { optional string far = 60300; }`,
				"p.proto": `syntax = "proto2"; package p; import "odd.proto"; import "user.proto"; import "far.proto";
					message M {
						option (odd.lost) = "l"; option (far.far) = "f"; option (user.plain) = "p";
						option (user.base).text = "b"; option (user.odd).text = "o";
						option (user.mixed) = {
							base { text: "in" } odd { text: "x" } odds { text: "y" } map { key: 1 value { text: "z" } } text: "t"
						};
					}`,
			}, "p.proto")
			for _, f := range req.ProtoFile {
				if f.GetName() == "odd.proto" && test.edit != nil {
					test.edit(f)
				}
			}
			want := []api.Option{
				{Name: "far.far", Value: "f"},
				{Name: "user.base", Value: map[string]any{"text": "b"}},
				{Name: "user.mixed", Value: map[string]any{"base": map[string]any{"text": "in"}, "text": "t"}},
				{Name: "user.plain", Value: "p"},
			}
			if diff := cmp.Diff(want, build(t, req).Message("p.M").Options().Custom()); diff != "" {
				t.Errorf("custom options (-want +got):\n%s", diff)
			}
		})
	}
}

// The options that are kept in the source only are in the copy of a file that
// protoc sends for this purpose.
func TestOptionsOfTheSourceCopy(t *testing.T) {
	model := buildWithOptions(t, `syntax = "proto3"; package p; import "opt.proto"; message M { option (opt.flag) = true; }`,
		func(req *pluginpb.CodeGeneratorRequest) {
			last := req.ProtoFile[len(req.ProtoFile)-1]
			req.SourceFileDescriptors = []*descriptorpb.FileDescriptorProto{proto.CloneOf(last)}
			last.MessageType[0].Options = nil
		})
	if got, _ := model.Message("p.M").Options().Value("opt.flag"); got != true {
		t.Errorf("got %v, want true", got)
	}
}
