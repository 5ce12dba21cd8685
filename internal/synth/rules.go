package synth

import (
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/types/descriptorpb"
)

// ruleMessages are the members of the oneof in validate.FieldRules: one
// message of rules for each type a field can have.
var ruleMessages = []struct {
	field   string
	number  int
	message string
	lines   []string
}{
	{"float", 1, "FloatRules", numericRules("float")},
	{"double", 2, "DoubleRules", numericRules("double")},
	{"int32", 3, "Int32Rules", numericRules("int32")},
	{"int64", 4, "Int64Rules", numericRules("int64")},
	{"uint32", 5, "UInt32Rules", numericRules("uint32")},
	{"uint64", 6, "UInt64Rules", numericRules("uint64")},
	{"sint32", 7, "SInt32Rules", numericRules("sint32")},
	{"sint64", 8, "SInt64Rules", numericRules("sint64")},
	{"fixed32", 9, "Fixed32Rules", numericRules("fixed32")},
	{"fixed64", 10, "Fixed64Rules", numericRules("fixed64")},
	{"sfixed32", 11, "SFixed32Rules", numericRules("sfixed32")},
	{"sfixed64", 12, "SFixed64Rules", numericRules("sfixed64")},
	{"bool", 13, "BoolRules", []string{"optional bool const = 1"}},
	{"string", 14, "StringRules", []string{
		"optional string const = 1", "optional uint64 len = 19", "optional uint64 min_len = 2", "optional uint64 max_len = 3",
		"optional uint64 len_bytes = 20", "optional uint64 min_bytes = 4", "optional uint64 max_bytes = 5",
		"optional string pattern = 6", "optional string prefix = 7", "optional string suffix = 8", "optional string contains = 9",
		"optional string not_contains = 23", "repeated string in = 10", "repeated string not_in = 11", "oneof well_known",
		"optional bool email = 12", "optional bool hostname = 13", "optional bool ip = 14", "optional bool ipv4 = 15",
		"optional bool ipv6 = 16", "optional bool uri = 17", "optional bool uri_ref = 18", "optional bool address = 21",
		"optional bool uuid = 22", "optional .validate.KnownRegex well_known_regex = 24", "end",
	}},
	{"bytes", 15, "BytesRules", []string{
		"optional bytes const = 1", "optional uint64 len = 13", "optional uint64 min_len = 2", "optional uint64 max_len = 3",
		"optional string pattern = 4", "optional bytes prefix = 5", "optional bytes suffix = 6", "optional bytes contains = 7",
		"repeated bytes in = 8", "repeated bytes not_in = 9", "oneof well_known",
		"optional bool ip = 10", "optional bool ipv4 = 11", "optional bool ipv6 = 12", "end",
	}},
	{"enum", 16, "EnumRules", []string{
		"optional int32 const = 1", "optional bool defined_only = 2", "repeated int32 in = 3", "repeated int32 not_in = 4",
	}},
	{"repeated", 18, "RepeatedRules", []string{
		"optional uint64 min_items = 1", "optional uint64 max_items = 2", "optional bool unique = 3",
		"optional .validate.FieldRules items = 4",
	}},
	{"map", 19, "MapRules", []string{
		"optional uint64 min_pairs = 1", "optional uint64 max_pairs = 2", "optional bool no_sparse = 3",
		"optional .validate.FieldRules keys = 4", "optional .validate.FieldRules values = 5",
	}},
	{"any", 20, "AnyRules", []string{"optional bool required = 1", "repeated string in = 2", "repeated string not_in = 3"}},
	{"duration", 21, "DurationRules", momentRules("Duration",
		"repeated .google.protobuf.Duration in = 7", "repeated .google.protobuf.Duration not_in = 8")},
	{"timestamp", 22, "TimestampRules", momentRules("Timestamp",
		"optional bool lt_now = 7", "optional bool gt_now = 8", "optional .google.protobuf.Duration within = 9")},
}

func numericRules(t string) []string {
	return []string{
		"optional " + t + " const = 1", "optional " + t + " lt = 2", "optional " + t + " lte = 3", "optional " + t + " gt = 4",
		"optional " + t + " gte = 5", "repeated " + t + " in = 6", "repeated " + t + " not_in = 7",
	}
}

func momentRules(t string, more ...string) []string {
	t = "optional .google.protobuf." + t
	return append([]string{
		"optional bool required = 1", t + " const = 2", t + " lt = 3", t + " lte = 4", t + " gt = 5", t + " gte = 6",
	}, more...)
}

// fieldRules draws a validate.FieldRules, mostly one that fits the field.
func (g *generator) fieldRules(field *descriptorpb.FieldDescriptorProto) []wire {
	want := ruleFor(field)
	if chance(g.rng, 0.1) {
		want = pick(g.rng, ruleMessages).field
	}
	var parts []wire
	if want == "message" || chance(g.rng, 0.1) {
		parts = append(parts, wire(nil).msg(17, flatten(g.instance("MessageRules"))))
	}
	for _, r := range ruleMessages {
		if r.field == want {
			parts = append(parts, g.splitMessage(protowire.Number(r.number), g.instance(r.message))...)
		}
	}
	return parts
}

// splitMessage encodes a message field, sometimes in two pieces that a reader
// has to merge: the form in which compilers write options that were set one
// by one.
func (g *generator) splitMessage(num protowire.Number, fields []wire) []wire {
	if len(fields) < 2 || !chance(g.rng, 0.3) {
		return []wire{wire(nil).msg(num, flatten(fields))}
	}
	at := 1 + g.rng.IntN(len(fields)-1)
	return []wire{wire(nil).msg(num, flatten(fields[:at])), wire(nil).msg(num, flatten(fields[at:]))}
}

// ruleFor is the member of the rules that fits the type of a field.
func ruleFor(field *descriptorpb.FieldDescriptorProto) string {
	switch {
	case field.GetLabel() == labelRepeated && strings.HasSuffix(field.GetTypeName(), mapEntryName(field.GetName())):
		return "map"
	case field.GetLabel() == labelRepeated:
		return "repeated"
	case field.GetType() == typeEnum:
		return "enum"
	case field.GetTypeName() == ".google.protobuf.Any":
		return "any"
	case field.GetTypeName() == ".google.protobuf.Duration":
		return "duration"
	case field.GetTypeName() == ".google.protobuf.Timestamp":
		return "timestamp"
	}
	for _, s := range scalarTypes {
		if s.typ == field.GetType() {
			return s.keyword
		}
	}
	return "message"
}

// instance draws the fields of a message of the options' files, each encoded
// on its own.
func (g *generator) instance(name string) []wire {
	var parts []wire
	chosen := map[int32]bool{}
	m := optionMessage(name)
	for _, f := range m.Field {
		if f.OneofIndex != nil && chosen[f.GetOneofIndex()] || !chance(g.rng, 0.35) {
			continue
		}
		if f.OneofIndex != nil {
			chosen[f.GetOneofIndex()] = true
		}
		count := 1
		if f.GetLabel() == labelRepeated {
			count = 1 + g.rng.IntN(3)
		}
		var w wire
		for range count {
			w = g.appendValue(w, f)
		}
		parts = append(parts, w)
	}
	return parts
}

func optionMessage(name string) *descriptorpb.DescriptorProto {
	for _, path := range []string{validatePath, validatorPath} {
		for _, m := range libraryFile(path).MessageType {
			if m.GetName() == name {
				return m
			}
		}
	}
	panic("synth: no message " + name)
}

// Values of rules. Numbers fit every type they are drawn for and are exact as
// float64.
var (
	ruleStrings = []string{
		"", "a", "^[a-z]+$", `\d{3}|x`, "a|b", `"quoted" 'q'`, "naïve 日本語", "{x} <y> & z", "line\nbreak", "type.googleapis.com/a.B",
	}
	ruleFloats  = []float64{0, 0.1, -2.5, 1e20, 1e-7, 16777216, 3.4e38}
	ruleNumbers = map[descriptorpb.FieldDescriptorProto_Type][]float64{
		typeInt32:  {0, 1, -1, 2147483647, -2147483648},
		typeInt64:  {0, 1, -1, 1 << 53, -1 << 63},
		typeUint32: {0, 1, 4294967295},
		typeUint64: {0, 1, 10, 1 << 53, 1 << 62},
	}
	ruleNumberTypes = map[descriptorpb.FieldDescriptorProto_Type]descriptorpb.FieldDescriptorProto_Type{
		typeSint32: typeInt32, typeSfixed32: typeInt32, typeSint64: typeInt64, typeSfixed64: typeInt64,
		typeFixed32: typeUint32, typeFixed64: typeUint64,
	}
)

// appendValue draws one value of the field.
func (g *generator) appendValue(w wire, f *descriptorpb.FieldDescriptorProto) wire {
	num := protowire.Number(f.GetNumber())
	switch t := f.GetType(); t {
	case typeMessage:
		return w.msg(num, g.messageValue(f.GetTypeName()))
	case typeEnum:
		return w.varint(num, uint64(g.rng.IntN(3)))
	case typeString, typeBytes:
		return w.str(num, pick(g.rng, ruleStrings))
	case typeBool:
		return w.bool(num, chance(g.rng, 0.8))
	case typeFloat, typeDouble:
		return w.number(num, t, pick(g.rng, ruleFloats))
	default:
		if same, ok := ruleNumberTypes[t]; ok {
			return w.number(num, t, pick(g.rng, ruleNumbers[same]))
		}
		return w.number(num, t, pick(g.rng, ruleNumbers[t]))
	}
}

func (g *generator) messageValue(name string) wire {
	switch name {
	case ".validate.FieldRules":
		item := &descriptorpb.FieldDescriptorProto{Type: pick(g.rng, scalarTypes).typ.Enum()}
		return flatten(g.fieldRules(item))
	case ".google.protobuf.Duration", ".google.protobuf.Timestamp":
		var w wire
		if chance(g.rng, 0.8) {
			w = w.varint(1, uint64(g.rng.IntN(7200)))
		}
		if chance(g.rng, 0.4) {
			w = w.varint(2, uint64(g.rng.IntN(1e9)))
		}
		return w
	}
	return flatten(g.instance(name[strings.LastIndexByte(name, '.')+1:]))
}

func flatten(parts []wire) wire {
	var w wire
	for _, p := range parts {
		w = append(w, p...)
	}
	return w
}
