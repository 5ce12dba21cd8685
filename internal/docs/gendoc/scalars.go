package gendoc

const variableLength = "Uses variable-length encoding."

func inefficientNegative(use string) string {
	return variableLength + " Inefficient for encoding negative numbers – if your field is likely to have negative values, use " + use + " instead."
}

func efficientNegative(than string) string {
	return variableLength + " Signed int value. These more efficiently encode negative numbers than regular " + than + "s."
}

const (
	rubySmall = "Bignum or Fixnum (as required)"
	rubyLarge = "Bignum"
)

// scalars is protoc-gen-doc's table of the scalar types, in its order: templates
// print it as it is.
var scalars = []*ScalarValue{
	{"double", "", "double", "double", "float64", "double", "float", "float", "Float"},
	{"float", "", "float", "float", "float32", "float", "float", "float", "Float"},
	{"int32", inefficientNegative("sint32"), "int32", "int", "int32", "int", "integer", "int", rubySmall},
	{"int64", inefficientNegative("sint64"), "int64", "long", "int64", "long", "integer/string", "int/long", rubyLarge},
	{"uint32", variableLength, "uint32", "uint", "uint32", "int", "integer", "int/long", rubySmall},
	{"uint64", variableLength, "uint64", "ulong", "uint64", "long", "integer/string", "int/long", rubySmall},
	{"sint32", efficientNegative("int32"), "int32", "int", "int32", "int", "integer", "int", rubySmall},
	{"sint64", efficientNegative("int64"), "int64", "long", "int64", "long", "integer/string", "int/long", rubyLarge},
	{"fixed32", "Always four bytes. More efficient than uint32 if values are often greater than 2^28.", "uint32", "uint", "uint32", "int", "integer", "int", rubySmall},
	{"fixed64", "Always eight bytes. More efficient than uint64 if values are often greater than 2^56.", "uint64", "ulong", "uint64", "long", "integer/string", "int/long", rubyLarge},
	{"sfixed32", "Always four bytes.", "int32", "int", "int32", "int", "integer", "int", rubySmall},
	{"sfixed64", "Always eight bytes.", "int64", "long", "int64", "long", "integer/string", "int/long", rubyLarge},
	{"bool", "", "bool", "bool", "bool", "boolean", "boolean", "boolean", "TrueClass/FalseClass"},
	{"string", "A string must always contain UTF-8 encoded or 7-bit ASCII text.", "string", "string", "string", "String", "string", "str/unicode", "String (UTF-8)"},
	{"bytes", "May contain any arbitrary sequence of bytes.", "string", "ByteString", "[]byte", "ByteString", "string", "str", "String (ASCII-8BIT)"},
}
