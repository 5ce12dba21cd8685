package synth

import "google.golang.org/protobuf/types/descriptorpb"

// Short names of the descriptor enums: the generators are tables of them.
const (
	typeDouble   = descriptorpb.FieldDescriptorProto_TYPE_DOUBLE
	typeFloat    = descriptorpb.FieldDescriptorProto_TYPE_FLOAT
	typeInt64    = descriptorpb.FieldDescriptorProto_TYPE_INT64
	typeUint64   = descriptorpb.FieldDescriptorProto_TYPE_UINT64
	typeInt32    = descriptorpb.FieldDescriptorProto_TYPE_INT32
	typeFixed64  = descriptorpb.FieldDescriptorProto_TYPE_FIXED64
	typeFixed32  = descriptorpb.FieldDescriptorProto_TYPE_FIXED32
	typeBool     = descriptorpb.FieldDescriptorProto_TYPE_BOOL
	typeString   = descriptorpb.FieldDescriptorProto_TYPE_STRING
	typeGroup    = descriptorpb.FieldDescriptorProto_TYPE_GROUP
	typeMessage  = descriptorpb.FieldDescriptorProto_TYPE_MESSAGE
	typeBytes    = descriptorpb.FieldDescriptorProto_TYPE_BYTES
	typeUint32   = descriptorpb.FieldDescriptorProto_TYPE_UINT32
	typeEnum     = descriptorpb.FieldDescriptorProto_TYPE_ENUM
	typeSfixed32 = descriptorpb.FieldDescriptorProto_TYPE_SFIXED32
	typeSfixed64 = descriptorpb.FieldDescriptorProto_TYPE_SFIXED64
	typeSint32   = descriptorpb.FieldDescriptorProto_TYPE_SINT32
	typeSint64   = descriptorpb.FieldDescriptorProto_TYPE_SINT64

	labelOptional = descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL
	labelRequired = descriptorpb.FieldDescriptorProto_LABEL_REQUIRED
	labelRepeated = descriptorpb.FieldDescriptorProto_LABEL_REPEATED
)

// scalarTypes are the types that need no declaration, by their keyword.
var scalarTypes = []struct {
	keyword string
	typ     descriptorpb.FieldDescriptorProto_Type
}{
	{"double", typeDouble}, {"float", typeFloat},
	{"int32", typeInt32}, {"int64", typeInt64},
	{"uint32", typeUint32}, {"uint64", typeUint64},
	{"sint32", typeSint32}, {"sint64", typeSint64},
	{"fixed32", typeFixed32}, {"fixed64", typeFixed64},
	{"sfixed32", typeSfixed32}, {"sfixed64", typeSfixed64},
	{"bool", typeBool}, {"string", typeString}, {"bytes", typeBytes},
}

// mapKeyTypes are the types that a map may have for its key.
var mapKeyTypes = []descriptorpb.FieldDescriptorProto_Type{
	typeInt32, typeInt64, typeUint32, typeUint64, typeSint32, typeSint64,
	typeFixed32, typeFixed64, typeSfixed32, typeSfixed64, typeBool, typeString,
}

// camelCase is protoc's rule for json_name: every underscore is dropped and
// the lower-case letter after it goes up.
func camelCase(name string) string {
	var b []byte
	up := false
	for i := 0; i < len(name); i++ {
		c := name[i]
		if c == '_' {
			up = true
			continue
		}
		if up && 'a' <= c && c <= 'z' {
			c -= 'a' - 'A'
		}
		up = false
		b = append(b, c)
	}
	return string(b)
}

// mapEntryName is protoc's rule for the message behind a map field.
func mapEntryName(field string) string {
	name := camelCase("_" + field)
	return name + "Entry"
}
