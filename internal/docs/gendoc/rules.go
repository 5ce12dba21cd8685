package gendoc

import (
	"fmt"
	"reflect"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/api"
)

// ruleField is a field of one of the messages that validation rules are made of.
type ruleField struct {
	name     string
	number   protowire.Number
	scalar   *scalar            // how its values are encoded; nil for a message
	nested   func() []ruleField // the fields of a message; nil for a scalar
	repeated bool
	oneof    bool // in the message's only oneof
	plain    bool // without presence: has a value even where it is not sent
}

// fieldRules are validate.FieldRules as of protoc-gen-validate 0.3.0, the
// version that protoc-gen-doc v1.5.1 knows, in the order of its fields.
func fieldRules() []ruleField {
	message := func(name string, number protowire.Number, nested func() []ruleField) ruleField {
		return ruleField{name: name, number: number, nested: nested, oneof: true}
	}
	return []ruleField{
		{name: "message", number: 17, nested: messageRules},
		message("float", 1, numberRules(floatType)),
		message("double", 2, numberRules(doubleType)),
		message("int32", 3, numberRules(int32Type)),
		message("int64", 4, numberRules(int64Type)),
		message("uint32", 5, numberRules(uint32Type)),
		message("uint64", 6, numberRules(uint64Type)),
		message("sint32", 7, numberRules(sint32Type)),
		message("sint64", 8, numberRules(sint64Type)),
		message("fixed32", 9, numberRules(fixed32Type)),
		message("fixed64", 10, numberRules(fixed64Type)),
		message("sfixed32", 11, numberRules(sfixed32Type)),
		message("sfixed64", 12, numberRules(sfixed64Type)),
		message("bool", 13, func() []ruleField { return []ruleField{{name: "const", number: 1, scalar: boolType}} }),
		message("string", 14, stringRules),
		message("bytes", 15, bytesRules),
		message("enum", 16, enumRules),
		message("repeated", 18, repeatedRules),
		message("map", 19, mapRules),
		message("any", 20, anyRules),
		message("duration", 21, durationRules),
		message("timestamp", 22, timestampRules),
	}
}

func messageRules() []ruleField {
	return []ruleField{
		{name: "skip", number: 1, scalar: boolType},
		{name: "required", number: 2, scalar: boolType},
	}
}

func numberRules(s *scalar) func() []ruleField {
	return func() []ruleField {
		return []ruleField{
			{name: "const", number: 1, scalar: s},
			{name: "lt", number: 2, scalar: s},
			{name: "lte", number: 3, scalar: s},
			{name: "gt", number: 4, scalar: s},
			{name: "gte", number: 5, scalar: s},
			{name: "in", number: 6, scalar: s, repeated: true},
			{name: "not_in", number: 7, scalar: s, repeated: true},
		}
	}
}

func stringRules() []ruleField {
	wellKnown := func(name string, number protowire.Number) ruleField {
		return ruleField{name: name, number: number, scalar: boolType, oneof: true}
	}
	return []ruleField{
		{name: "const", number: 1, scalar: stringType},
		{name: "len", number: 19, scalar: uint64Type},
		{name: "min_len", number: 2, scalar: uint64Type},
		{name: "max_len", number: 3, scalar: uint64Type},
		{name: "len_bytes", number: 20, scalar: uint64Type},
		{name: "min_bytes", number: 4, scalar: uint64Type},
		{name: "max_bytes", number: 5, scalar: uint64Type},
		{name: "pattern", number: 6, scalar: stringType},
		{name: "prefix", number: 7, scalar: stringType},
		{name: "suffix", number: 8, scalar: stringType},
		{name: "contains", number: 9, scalar: stringType},
		{name: "not_contains", number: 23, scalar: stringType},
		{name: "in", number: 10, scalar: stringType, repeated: true},
		{name: "not_in", number: 11, scalar: stringType, repeated: true},
		wellKnown("email", 12),
		wellKnown("hostname", 13),
		wellKnown("ip", 14),
		wellKnown("ipv4", 15),
		wellKnown("ipv6", 16),
		wellKnown("uri", 17),
		wellKnown("uri_ref", 18),
		wellKnown("address", 21),
		wellKnown("uuid", 22),
		{name: "well_known_regex", number: 24, scalar: knownRegexType, oneof: true},
	}
}

func bytesRules() []ruleField {
	return []ruleField{
		{name: "const", number: 1, scalar: bytesType},
		{name: "len", number: 13, scalar: uint64Type},
		{name: "min_len", number: 2, scalar: uint64Type},
		{name: "max_len", number: 3, scalar: uint64Type},
		{name: "pattern", number: 4, scalar: stringType},
		{name: "prefix", number: 5, scalar: bytesType},
		{name: "suffix", number: 6, scalar: bytesType},
		{name: "contains", number: 7, scalar: bytesType},
		{name: "in", number: 8, scalar: bytesType, repeated: true},
		{name: "not_in", number: 9, scalar: bytesType, repeated: true},
		{name: "ip", number: 10, scalar: boolType, oneof: true},
		{name: "ipv4", number: 11, scalar: boolType, oneof: true},
		{name: "ipv6", number: 12, scalar: boolType, oneof: true},
	}
}

func enumRules() []ruleField {
	return []ruleField{
		{name: "const", number: 1, scalar: int32Type},
		{name: "defined_only", number: 2, scalar: boolType},
		{name: "in", number: 3, scalar: int32Type, repeated: true},
		{name: "not_in", number: 4, scalar: int32Type, repeated: true},
	}
}

func repeatedRules() []ruleField {
	return []ruleField{
		{name: "min_items", number: 1, scalar: uint64Type},
		{name: "max_items", number: 2, scalar: uint64Type},
		{name: "unique", number: 3, scalar: boolType},
		{name: "items", number: 4, nested: fieldRules},
	}
}

func mapRules() []ruleField {
	return []ruleField{
		{name: "min_pairs", number: 1, scalar: uint64Type},
		{name: "max_pairs", number: 2, scalar: uint64Type},
		{name: "no_sparse", number: 3, scalar: boolType},
		{name: "keys", number: 4, nested: fieldRules},
		{name: "values", number: 5, nested: fieldRules},
	}
}

func anyRules() []ruleField {
	return []ruleField{
		{name: "required", number: 1, scalar: boolType},
		{name: "in", number: 2, scalar: stringType, repeated: true},
		{name: "not_in", number: 3, scalar: stringType, repeated: true},
	}
}

func durationRules() []ruleField {
	return []ruleField{
		{name: "required", number: 1, scalar: boolType},
		{name: "const", number: 2, nested: secondsAndNanos},
		{name: "lt", number: 3, nested: secondsAndNanos},
		{name: "lte", number: 4, nested: secondsAndNanos},
		{name: "gt", number: 5, nested: secondsAndNanos},
		{name: "gte", number: 6, nested: secondsAndNanos},
		{name: "in", number: 7, scalar: spanType, repeated: true},
		{name: "not_in", number: 8, scalar: spanType, repeated: true},
	}
}

func timestampRules() []ruleField {
	return []ruleField{
		{name: "required", number: 1, scalar: boolType},
		{name: "const", number: 2, nested: secondsAndNanos},
		{name: "lt", number: 3, nested: secondsAndNanos},
		{name: "lte", number: 4, nested: secondsAndNanos},
		{name: "gt", number: 5, nested: secondsAndNanos},
		{name: "gte", number: 6, nested: secondsAndNanos},
		{name: "lt_now", number: 7, scalar: boolType},
		{name: "gt_now", number: 8, scalar: boolType},
		{name: "within", number: 9, nested: secondsAndNanos},
	}
}

// secondsAndNanos are google.protobuf.Duration and Timestamp.
func secondsAndNanos() []ruleField {
	return []ruleField{
		{name: "seconds", number: 1, scalar: int64Type, plain: true},
		{name: "nanos", number: 2, scalar: int32Type, plain: true},
	}
}

// fieldValidator is validator.FieldValidator (go-proto-validators).
func fieldValidator() []ruleField {
	return []ruleField{
		{name: "regex", number: 1, scalar: stringType},
		{name: "int_gt", number: 2, scalar: int64Type},
		{name: "int_lt", number: 3, scalar: int64Type},
		{name: "msg_exists", number: 4, scalar: boolType},
		{name: "human_error", number: 5, scalar: stringType},
		{name: "float_gt", number: 6, scalar: doubleType},
		{name: "float_lt", number: 7, scalar: doubleType},
		{name: "float_epsilon", number: 8, scalar: doubleType},
		{name: "float_gte", number: 9, scalar: doubleType},
		{name: "float_lte", number: 10, scalar: doubleType},
		{name: "string_not_empty", number: 11, scalar: boolType},
		{name: "repeated_count_min", number: 12, scalar: int64Type},
		{name: "repeated_count_max", number: 13, scalar: int64Type},
		{name: "length_gt", number: 14, scalar: int64Type},
		{name: "length_lt", number: 15, scalar: int64Type},
		{name: "length_eq", number: 16, scalar: int64Type},
	}
}

// decodeRules finds an extension in encoded options and flattens its rules.
func decodeRules(unknown []byte, number protowire.Number, schema func() []ruleField) ([]Rule, bool, error) {
	b, ok, err := api.Extension(unknown, number)
	if err != nil || !ok {
		return nil, false, err
	}
	rules, err := flatten("", schema(), b)
	return rules, true, err
}

// flatten lists the rules that are set in an encoded message.
func flatten(prefix string, schema []ruleField, b []byte) ([]Rule, error) {
	sent, err := collect(schema, b)
	if err != nil {
		return nil, err
	}
	var rules []Rule
	for i := range schema {
		f := &schema[i]
		values := sent[f]
		switch {
		case len(values) == 0 && !f.plain:
		case f.nested != nil:
			nested, err := flatten(prefix+f.name+".", f.nested(), joined(values))
			if err != nil {
				return nil, err
			}
			rules = append(rules, nested...)
		default:
			value, err := f.value(values)
			if err != nil {
				return nil, fmt.Errorf("%s%s: %w", prefix, f.name, err)
			}
			if !isEmptySlice(value) {
				rules = append(rules, Rule{Name: prefix + f.name, Value: value})
			}
		}
	}
	return rules, nil
}

// sentValue is an encoded value and its wire type.
type sentValue struct {
	typ protowire.Type
	b   []byte
}

func joined(values []sentValue) []byte {
	var out []byte
	for _, v := range values {
		out = append(out, v.b...)
	}
	return out
}

// collect sorts an encoded message by fields. A member of the oneof ends those
// that came before it.
func collect(schema []ruleField, b []byte) (map[*ruleField][]sentValue, error) {
	sent := make(map[*ruleField][]sentValue)
	err := api.EachField(b, func(num protowire.Number, typ protowire.Type, value []byte) error {
		for i := range schema {
			f := &schema[i]
			switch {
			case f.number == num:
				sent[f] = append(sent[f], sentValue{typ, value})
			case f.oneof && isOneofMember(schema, num):
				delete(sent, f)
			}
		}
		return nil
	})
	return sent, err
}

func isOneofMember(schema []ruleField, num protowire.Number) bool {
	for _, f := range schema {
		if f.number == num {
			return f.oneof
		}
	}
	return false
}

// isEmptySlice tells what protoc-gen-doc leaves out: a list without elements,
// and empty bytes, which it takes for one.
func isEmptySlice(value any) bool {
	v := reflect.ValueOf(value)
	return v.Kind() == reflect.Slice && v.Len() == 0
}

// value decodes what was sent for a scalar field: the last one, or all.
func (f *ruleField) value(values []sentValue) (any, error) {
	switch {
	case f.repeated:
		return f.scalar.list(values)
	case len(values) == 0:
		return f.scalar.decode([]byte{0})
	}
	last := values[len(values)-1]
	if last.typ != f.scalar.wire {
		return nil, errWireType
	}
	return f.scalar.decode(last.b)
}
