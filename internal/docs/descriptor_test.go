package docs_test

import (
	"fmt"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/plugin/plugintest"
)

// everyKind has a declaration of each kind.
const everyKind = `syntax = "proto2"; package p;
message M { optional string f = 1; oneof o { string g = 2; int32 h = 4; } optional M m = 3; repeated int32 list = 5; reserved 50 to 60; reserved "gone"; extensions 100 to 199; extend M { optional string inner = 101; } message In {} enum Inner { ZERO = 0; } }
enum E { A = 0; B = 1; reserved 9; reserved "GONE"; }
service S { rpc R(M) returns (M); }
extend M { optional string x = 100; }`

func everyKindRequest(t *testing.T) *pluginpb.CodeGeneratorRequest {
	return plugintest.Compile(t, map[string]string{"p.proto": everyKind, "dep.proto": `syntax = "proto3";`}, "p.proto", "dep.proto")
}

// pageOf is the page of a request; refused tells that it is not valid.
func pageOf(t *testing.T, req *pluginpb.CodeGeneratorRequest) (page string, refused string) {
	t.Helper()
	req.Parameter = proto.String("template=markdown,include=p.proto")
	result := plugintest.RunBytes(t, docsPlugin, plugintest.Marshal(t, req))
	if result.Status != 0 {
		return "", result.Stderr
	}
	if result.Response.Error != nil {
		return "", result.Response.GetError()
	}
	return plugintest.Files(t, result.Response)["reference.md"], ""
}

// options are the messages of descriptor.proto with options, each at a declaration
// that can have them.
var optionMessages = map[string]func(*descriptorpb.FileDescriptorProto) proto.Message{
	"FileOptions": func(f *descriptorpb.FileDescriptorProto) proto.Message {
		f.Options = new(descriptorpb.FileOptions)
		return f.Options
	},
	"MessageOptions": func(f *descriptorpb.FileDescriptorProto) proto.Message {
		f.MessageType[0].Options = new(descriptorpb.MessageOptions)
		return f.MessageType[0].Options
	},
	"FieldOptions": func(f *descriptorpb.FileDescriptorProto) proto.Message {
		f.MessageType[0].Field[0].Options = new(descriptorpb.FieldOptions)
		return f.MessageType[0].Field[0].Options
	},
	"FieldOptions of an extension": func(f *descriptorpb.FileDescriptorProto) proto.Message {
		f.Extension[0].Options = new(descriptorpb.FieldOptions)
		return f.Extension[0].Options
	},
	"OneofOptions": func(f *descriptorpb.FileDescriptorProto) proto.Message {
		f.MessageType[0].OneofDecl[0].Options = new(descriptorpb.OneofOptions)
		return f.MessageType[0].OneofDecl[0].Options
	},
	"ExtensionRangeOptions": func(f *descriptorpb.FileDescriptorProto) proto.Message {
		f.MessageType[0].ExtensionRange[0].Options = new(descriptorpb.ExtensionRangeOptions)
		return f.MessageType[0].ExtensionRange[0].Options
	},
	"EnumOptions": func(f *descriptorpb.FileDescriptorProto) proto.Message {
		f.EnumType[0].Options = new(descriptorpb.EnumOptions)
		return f.EnumType[0].Options
	},
	"EnumValueOptions": func(f *descriptorpb.FileDescriptorProto) proto.Message {
		f.EnumType[0].Value[1].Options = new(descriptorpb.EnumValueOptions)
		return f.EnumType[0].Value[1].Options
	},
	"ServiceOptions": func(f *descriptorpb.FileDescriptorProto) proto.Message {
		f.Service[0].Options = new(descriptorpb.ServiceOptions)
		return f.Service[0].Options
	},
	"MethodOptions": func(f *descriptorpb.FileDescriptorProto) proto.Message {
		f.Service[0].Method[0].Options = new(descriptorpb.MethodOptions)
		return f.Service[0].Method[0].Options
	},
}

// notShown are the options that no reader of a page could ask for.
var notShown = map[string]string{
	"uninterpreted_option": "a compiler's own: it leaves none",
	"map_entry":            "a map is shown as one",
}

// Every option of descriptor.proto shows on the page, and every text of one.
func TestEveryOptionShows(t *testing.T) {
	before, refused := pageOf(t, everyKindRequest(t))
	if refused != "" {
		t.Fatal(refused)
	}
	checked := 0
	for kind, at := range optionMessages {
		fields := at(everyKindRequest(t).ProtoFile[0]).ProtoReflect().Descriptor().Fields()
		for i := range fields.Len() {
			if notShown[string(fields.Get(i).Name())] != "" {
				continue
			}
			for _, leaf := range leaves(fields.Get(i), nil) {
				req := everyKindRequest(t)
				marker := setLeaf(at(fileNamed(req, "p.proto")).ProtoReflect(), leaf)
				after, refused := pageOf(t, req)
				checked++
				switch name := fmt.Sprintf("%s: %s", kind, leafName(leaf)); {
				case refused != "":
					t.Errorf("%s is refused: %s", name, refused)
				case after == before:
					t.Errorf("%s does not show", name)
				case marker != "" && !strings.Contains(after, marker):
					t.Errorf("the text of %s does not show", name)
				}
			}
		}
	}
	if checked < 100 {
		t.Errorf("only %d options are checked: the test does not see them", checked)
	}
}

func fileNamed(req *pluginpb.CodeGeneratorRequest, name string) *descriptorpb.FileDescriptorProto {
	for _, f := range req.ProtoFile {
		if f.GetName() == name {
			return f
		}
	}
	return nil
}

// leaves are the ways to the values below a field.
func leaves(f protoreflect.FieldDescriptor, way []protoreflect.FieldDescriptor) [][]protoreflect.FieldDescriptor {
	way = append(way[:len(way):len(way)], f)
	if f.Message() == nil {
		return [][]protoreflect.FieldDescriptor{way}
	}
	var out [][]protoreflect.FieldDescriptor
	for i := range f.Message().Fields().Len() {
		out = append(out, leaves(f.Message().Fields().Get(i), way)...)
	}
	return out
}

func leafName(way []protoreflect.FieldDescriptor) string {
	names := make([]string, len(way))
	for i, f := range way {
		names[i] = string(f.Name())
	}
	return strings.Join(names, ".")
}

// setLeaf sets the value at the end of a way, and returns the text of one that is
// text.
func setLeaf(m protoreflect.Message, way []protoreflect.FieldDescriptor) string {
	f := way[0]
	if len(way) > 1 {
		if f.IsList() {
			return setLeaf(m.Mutable(f).List().AppendMutable().Message(), way[1:])
		}
		return setLeaf(m.Mutable(f).Message(), way[1:])
	}
	value, marker := protoreflect.Value{}, ""
	switch f.Kind() {
	case protoreflect.BoolKind:
		value = protoreflect.ValueOfBool(true)
	case protoreflect.EnumKind:
		values := f.Enum().Values()
		value = protoreflect.ValueOfEnum(values.Get(min(2, values.Len()-1)).Number())
	case protoreflect.Int32Kind:
		value = protoreflect.ValueOfInt32(110)
	default:
		marker = "Marked"
		value = protoreflect.ValueOfString(marker)
	}
	if f.IsList() {
		m.Mutable(f).List().Append(value)
	} else {
		m.Set(f, value)
	}
	return marker
}

// mutations change a declaration in one field of descriptor.proto. An empty reason
// means that the change has to show.
var mutations = map[string]struct {
	change func(*descriptorpb.FileDescriptorProto)
	reason string // why it need not
}{
	"FileDescriptorProto.name": {reason: "the request names the file, too"},
	"FileDescriptorProto.package": {change: func(f *descriptorpb.FileDescriptorProto) {
		f.Package = proto.String("p.q")
		f.Service = nil
		f.Extension = nil
		f.MessageType = nil
	}},
	"FileDescriptorProto.dependency": {change: func(f *descriptorpb.FileDescriptorProto) { f.Dependency = []string{"dep.proto"} }},
	"FileDescriptorProto.public_dependency": {change: func(f *descriptorpb.FileDescriptorProto) {
		f.Dependency = []string{"dep.proto"}
		f.PublicDependency = []int32{0}
	}},
	"FileDescriptorProto.weak_dependency": {change: func(f *descriptorpb.FileDescriptorProto) {
		f.Dependency = []string{"dep.proto"}
		f.WeakDependency = []int32{0}
	}},
	"FileDescriptorProto.option_dependency": {change: func(f *descriptorpb.FileDescriptorProto) { f.OptionDependency = []string{"dep.proto"} }},
	"FileDescriptorProto.message_type": {change: func(f *descriptorpb.FileDescriptorProto) {
		f.MessageType = append(f.MessageType, &descriptorpb.DescriptorProto{Name: proto.String("N")})
	}},
	"FileDescriptorProto.enum_type":        {change: func(f *descriptorpb.FileDescriptorProto) { f.EnumType = nil }},
	"FileDescriptorProto.service":          {change: func(f *descriptorpb.FileDescriptorProto) { f.Service = nil }},
	"FileDescriptorProto.extension":        {change: func(f *descriptorpb.FileDescriptorProto) { f.Extension = nil }},
	"FileDescriptorProto.options":          {reason: "by TestEveryOptionShows"},
	"FileDescriptorProto.source_code_info": {reason: "comments, which many tests show"},
	"FileDescriptorProto.syntax":           {change: func(f *descriptorpb.FileDescriptorProto) { f.Syntax = proto.String("proto3") }},
	"FileDescriptorProto.edition": {change: func(f *descriptorpb.FileDescriptorProto) {
		f.Syntax = proto.String("editions")
		f.Edition = descriptorpb.Edition_EDITION_2023.Enum()
	}},

	"DescriptorProto.name": {change: func(f *descriptorpb.FileDescriptorProto) {
		f.MessageType[0].NestedType[0].Name = proto.String("Marked")
	}},
	"DescriptorProto.field":           {change: func(f *descriptorpb.FileDescriptorProto) { f.MessageType[0].Field = f.MessageType[0].Field[:3] }},
	"DescriptorProto.extension":       {change: func(f *descriptorpb.FileDescriptorProto) { f.MessageType[0].Extension = nil }},
	"DescriptorProto.nested_type":     {change: func(f *descriptorpb.FileDescriptorProto) { f.MessageType[0].NestedType = nil }},
	"DescriptorProto.enum_type":       {change: func(f *descriptorpb.FileDescriptorProto) { f.MessageType[0].EnumType = nil }},
	"DescriptorProto.extension_range": {change: func(f *descriptorpb.FileDescriptorProto) { f.MessageType[0].ExtensionRange[0].End = proto.Int32(190) }},
	"DescriptorProto.oneof_decl":      {change: func(f *descriptorpb.FileDescriptorProto) { f.MessageType[0].OneofDecl[0].Name = proto.String("marked") }},
	"DescriptorProto.options":         {reason: "by TestEveryOptionShows"},
	"DescriptorProto.reserved_range":  {change: func(f *descriptorpb.FileDescriptorProto) { f.MessageType[0].ReservedRange[0].End = proto.Int32(55) }},
	"DescriptorProto.reserved_name":   {change: func(f *descriptorpb.FileDescriptorProto) { f.MessageType[0].ReservedName[0] = "marked" }},
	"DescriptorProto.visibility": {change: func(f *descriptorpb.FileDescriptorProto) {
		f.MessageType[0].Visibility = descriptorpb.SymbolVisibility_VISIBILITY_LOCAL.Enum()
	}},

	"FieldDescriptorProto.name":   {change: func(f *descriptorpb.FileDescriptorProto) { f.MessageType[0].Field[0].Name = proto.String("marked") }},
	"FieldDescriptorProto.number": {change: func(f *descriptorpb.FileDescriptorProto) { f.MessageType[0].Field[0].Number = proto.Int32(30) }},
	"FieldDescriptorProto.label": {change: func(f *descriptorpb.FileDescriptorProto) {
		f.MessageType[0].Field[0].Label = descriptorpb.FieldDescriptorProto_LABEL_REQUIRED.Enum()
	}},
	"FieldDescriptorProto.type": {change: func(f *descriptorpb.FileDescriptorProto) {
		f.MessageType[0].Field[0].Type = descriptorpb.FieldDescriptorProto_TYPE_BYTES.Enum()
	}},
	"FieldDescriptorProto.type_name": {change: func(f *descriptorpb.FileDescriptorProto) {
		f.MessageType[0].Field[3].TypeName = proto.String(".p.M.In")
	}},
	"FieldDescriptorProto.extendee": {change: func(f *descriptorpb.FileDescriptorProto) { f.Extension[0].Extendee = proto.String(".p.M.In") }},
	"FieldDescriptorProto.default_value": {change: func(f *descriptorpb.FileDescriptorProto) {
		f.MessageType[0].Field[0].DefaultValue = proto.String("marked")
	}},
	"FieldDescriptorProto.oneof_index":     {change: func(f *descriptorpb.FileDescriptorProto) { f.MessageType[0].Field[0].OneofIndex = proto.Int32(0) }},
	"FieldDescriptorProto.json_name":       {change: func(f *descriptorpb.FileDescriptorProto) { f.MessageType[0].Field[0].JsonName = proto.String("marked") }},
	"FieldDescriptorProto.options":         {reason: "by TestEveryOptionShows"},
	"FieldDescriptorProto.proto3_optional": {reason: "shown as optional, which proto2 has without it"},

	"OneofDescriptorProto.name":    {change: func(f *descriptorpb.FileDescriptorProto) { f.MessageType[0].OneofDecl[0].Name = proto.String("marked") }},
	"OneofDescriptorProto.options": {reason: "by TestEveryOptionShows"},

	"EnumDescriptorProto.name":           {change: func(f *descriptorpb.FileDescriptorProto) { f.EnumType[0].Name = proto.String("Marked") }},
	"EnumDescriptorProto.value":          {change: func(f *descriptorpb.FileDescriptorProto) { f.EnumType[0].Value = f.EnumType[0].Value[:1] }},
	"EnumDescriptorProto.options":        {reason: "by TestEveryOptionShows"},
	"EnumDescriptorProto.reserved_range": {change: func(f *descriptorpb.FileDescriptorProto) { f.EnumType[0].ReservedRange[0].End = proto.Int32(20) }},
	"EnumDescriptorProto.reserved_name":  {change: func(f *descriptorpb.FileDescriptorProto) { f.EnumType[0].ReservedName[0] = "MARKED" }},
	"EnumDescriptorProto.visibility": {change: func(f *descriptorpb.FileDescriptorProto) {
		f.EnumType[0].Visibility = descriptorpb.SymbolVisibility_VISIBILITY_EXPORT.Enum()
	}},

	"EnumValueDescriptorProto.name":    {change: func(f *descriptorpb.FileDescriptorProto) { f.EnumType[0].Value[1].Name = proto.String("MARKED") }},
	"EnumValueDescriptorProto.number":  {change: func(f *descriptorpb.FileDescriptorProto) { f.EnumType[0].Value[1].Number = proto.Int32(77) }},
	"EnumValueDescriptorProto.options": {reason: "by TestEveryOptionShows"},

	"ServiceDescriptorProto.name":    {change: func(f *descriptorpb.FileDescriptorProto) { f.Service[0].Name = proto.String("Marked") }},
	"ServiceDescriptorProto.method":  {change: func(f *descriptorpb.FileDescriptorProto) { f.Service[0].Method = nil }},
	"ServiceDescriptorProto.options": {reason: "by TestEveryOptionShows"},

	"MethodDescriptorProto.name":             {change: func(f *descriptorpb.FileDescriptorProto) { f.Service[0].Method[0].Name = proto.String("Marked") }},
	"MethodDescriptorProto.input_type":       {change: func(f *descriptorpb.FileDescriptorProto) { f.Service[0].Method[0].InputType = proto.String(".p.M.In") }},
	"MethodDescriptorProto.output_type":      {change: func(f *descriptorpb.FileDescriptorProto) { f.Service[0].Method[0].OutputType = proto.String(".p.M.In") }},
	"MethodDescriptorProto.options":          {reason: "by TestEveryOptionShows"},
	"MethodDescriptorProto.client_streaming": {change: func(f *descriptorpb.FileDescriptorProto) { f.Service[0].Method[0].ClientStreaming = proto.Bool(true) }},
	"MethodDescriptorProto.server_streaming": {change: func(f *descriptorpb.FileDescriptorProto) { f.Service[0].Method[0].ServerStreaming = proto.Bool(true) }},
}

// Every field of a declaration in descriptor.proto shows on the page.
func TestEveryFieldOfDescriptorsShows(t *testing.T) {
	before, _ := pageOf(t, everyKindRequest(t))
	for _, m := range []proto.Message{
		new(descriptorpb.FileDescriptorProto), new(descriptorpb.DescriptorProto), new(descriptorpb.FieldDescriptorProto),
		new(descriptorpb.OneofDescriptorProto), new(descriptorpb.EnumDescriptorProto), new(descriptorpb.EnumValueDescriptorProto),
		new(descriptorpb.ServiceDescriptorProto), new(descriptorpb.MethodDescriptorProto),
	} {
		d := m.ProtoReflect().Descriptor()
		for i := range d.Fields().Len() {
			name := fmt.Sprintf("%s.%s", d.Name(), d.Fields().Get(i).Name())
			mutation, ok := mutations[name]
			if !ok {
				t.Errorf("%s is new: say how it shows", name)
			}
			if mutation.change == nil {
				continue
			}
			req := everyKindRequest(t)
			mutation.change(fileNamed(req, "p.proto"))
			after, refused := pageOf(t, req)
			if refused != "" {
				t.Errorf("%s is refused: %s", name, refused)
			} else if after == before {
				t.Errorf("%s does not show", name)
			}
		}
	}
}
