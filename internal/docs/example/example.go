// Package example makes instances of messages in protobuf's JSON, and the
// commands that send them: what a reader of a reference copies to try an API.
package example

import (
	"slices"
	"strconv"

	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/api"
)

// Maker makes examples. The zero value is ready for use, by any number of
// goroutines.
type Maker struct {
	// Value gives a field's value as JSON, where the field's options ask for more
	// than its type does. It is asked for the elements of lists and for single
	// fields, never for maps. Nil, and an empty text, leave it to the type.
	Value func(*api.Field) string
	// Skip leaves optional fields out; nil for none. Deprecated ones are left out
	// anyway.
	Skip func(*api.Field) bool
}

const (
	// maxDepth is how deep messages nest before optional fields with messages are
	// left out: what lies deeper has an example of its own.
	maxDepth = 3
	// maxFields is how many fields an example has before optional ones are left
	// out, and the point where a message that requires more has no example.
	maxFields, maxRequired = 60, 1000
)

// Message is an instance of a message, over several lines, indented by two
// spaces; empty if there can be none, because the message requires itself or is
// a message set. The protobuf library reads it back (protojson).
func (m Maker) Message(x *api.Message) string {
	v := m.message(x)
	if v == nil {
		return ""
	}
	return textOf(v)
}

func (m Maker) message(x *api.Message) value {
	b := builder{Maker: m}
	return b.message(x)
}

// builder makes one example.
type builder struct {
	Maker
	stack  []*api.Message
	fields int
}

// message returns nil where a message cannot be made.
func (b *builder) message(x *api.Message) value {
	if make, ok := wellKnown[x.FullName]; ok {
		return make()
	}
	if x.Desc.GetOptions().GetMessageSetWireFormat() || slices.Contains(b.stack, x) {
		return nil
	}
	b.stack = append(b.stack, x)
	defer func() { b.stack = b.stack[:len(b.stack)-1] }()
	out := make(object, 0, min(len(x.Fields), maxFields))
	var filled map[*api.Oneof]bool
	for _, f := range x.Fields {
		required := f.Presence() == api.PresenceRequired
		if !required && b.leftOut(f) || f.Oneof != nil && filled[f.Oneof] {
			continue
		}
		b.fields++
		if b.fields > maxRequired {
			return nil
		}
		v := b.field(f)
		switch {
		case v != nil:
			out = append(out, member{f.JSONName(), v})
			if f.Oneof != nil {
				if filled == nil {
					filled = make(map[*api.Oneof]bool)
				}
				filled[f.Oneof] = true
			}
		case required:
			return nil
		}
	}
	return out
}

func (b *builder) leftOut(f *api.Field) bool {
	return f.Options().Deprecated() || b.fields >= maxFields || f.Message != nil && len(b.stack) > maxDepth ||
		b.Skip != nil && b.Skip(f)
}

func (b *builder) field(f *api.Field) value {
	if key := f.MapKey(); key != nil {
		element := b.single(f.MapValue())
		if element == nil {
			return nil
		}
		return object{{mapKey(key), element}}
	}
	v := b.single(f)
	if f.IsRepeated() && v != nil {
		return list{v}
	}
	return v
}

// single is the value of a field, or of an element of a list.
func (b *builder) single(f *api.Field) value {
	if b.Value != nil {
		if text := b.Value(f); text != "" {
			return literal(text)
		}
	}
	switch {
	case f.Message != nil:
		return b.message(f.Message)
	case f.Enum != nil:
		return enumValue(f)
	}
	return scalar(f.Desc)
}

// enumValue is a field's default or the first value that says something: not
// zero, which stands for unset, and not deprecated.
func enumValue(f *api.Field) value {
	if f.Enum.FullName == "google.protobuf.NullValue" {
		return literal("null")
	}
	if name := f.Desc.GetDefaultValue(); name != "" {
		return quoted(name)
	}
	for _, v := range f.Enum.Values {
		if v.Desc.GetNumber() != 0 && !v.Options().Deprecated() {
			return quoted(v.Name)
		}
	}
	return quoted(f.Enum.Values[0].Name)
}

// scalar is a field's default, or a value of its type.
func scalar(d *descriptorpb.FieldDescriptorProto) value {
	given := d.GetDefaultValue()
	switch d.GetType() {
	case descriptorpb.FieldDescriptorProto_TYPE_STRING:
		if d.DefaultValue != nil {
			return quoted(given)
		}
		return quoted("string")
	case descriptorpb.FieldDescriptorProto_TYPE_BYTES:
		return quoted("Ynl0ZXM=")
	case descriptorpb.FieldDescriptorProto_TYPE_BOOL:
		return literal(or(given, "true"))
	case descriptorpb.FieldDescriptorProto_TYPE_DOUBLE, descriptorpb.FieldDescriptorProto_TYPE_FLOAT:
		return float(or(given, "1.5"))
	case descriptorpb.FieldDescriptorProto_TYPE_INT64, descriptorpb.FieldDescriptorProto_TYPE_UINT64,
		descriptorpb.FieldDescriptorProto_TYPE_SINT64, descriptorpb.FieldDescriptorProto_TYPE_FIXED64,
		descriptorpb.FieldDescriptorProto_TYPE_SFIXED64:
		return quoted(or(given, "1")) // 64 bits do not fit into the numbers of many readers of JSON
	}
	return literal(or(given, "1"))
}

func or(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// float is a number as descriptor.proto writes a default.
func float(text string) value {
	switch text {
	case "inf":
		return quoted("Infinity")
	case "-inf":
		return quoted("-Infinity")
	case "nan":
		return quoted("NaN")
	}
	if _, err := strconv.ParseFloat(text, 64); err != nil {
		return literal("1.5")
	}
	return literal(text)
}

func mapKey(key *api.Field) string {
	switch key.Desc.GetType() {
	case descriptorpb.FieldDescriptorProto_TYPE_STRING:
		return "key"
	case descriptorpb.FieldDescriptorProto_TYPE_BOOL:
		return "true"
	}
	return "1"
}

// wellKnown are the messages that have a JSON of their own (protobuf.dev,
// "ProtoJSON Format"). An Any holds a Duration: a type that every reader knows.
var wellKnown = map[string]func() value{
	"google.protobuf.Timestamp":   func() value { return quoted("2006-01-02T15:04:05Z") },
	"google.protobuf.Duration":    func() value { return quoted("1.500s") },
	"google.protobuf.FieldMask":   func() value { return quoted("field") },
	"google.protobuf.Empty":       func() value { return object{} },
	"google.protobuf.Struct":      func() value { return object{{"key", quoted("value")}} },
	"google.protobuf.Value":       func() value { return quoted("value") },
	"google.protobuf.ListValue":   func() value { return list{quoted("value")} },
	"google.protobuf.BoolValue":   func() value { return literal("true") },
	"google.protobuf.StringValue": func() value { return quoted("string") },
	"google.protobuf.BytesValue":  func() value { return quoted("Ynl0ZXM=") },
	"google.protobuf.DoubleValue": func() value { return literal("1.5") },
	"google.protobuf.FloatValue":  func() value { return literal("1.5") },
	"google.protobuf.Int32Value":  func() value { return literal("1") },
	"google.protobuf.UInt32Value": func() value { return literal("1") },
	"google.protobuf.Int64Value":  func() value { return quoted("1") },
	"google.protobuf.UInt64Value": func() value { return quoted("1") },
	"google.protobuf.Any": func() value {
		return object{{"@type", quoted("type.googleapis.com/google.protobuf.Duration")}, {"value", quoted("1.500s")}}
	},
}
