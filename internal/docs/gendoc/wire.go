package gendoc

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

// scalar says how a scalar type is encoded and what Go value it has.
type scalar struct {
	wire protowire.Type
	// goType is the type of the value, and of the elements of a list: a template
	// prints a list by it.
	goType reflect.Type
	decode func([]byte) (any, error)
}

// Bytes come without their length prefix, all other values encoded.
var (
	boolType     = ofVarint(func(v uint64) bool { return v != 0 })
	int32Type    = ofVarint(func(v uint64) int32 { return int32(v) })
	int64Type    = ofVarint(func(v uint64) int64 { return int64(v) })
	uint32Type   = ofVarint(func(v uint64) uint32 { return uint32(v) })
	uint64Type   = ofVarint(func(v uint64) uint64 { return v })
	sint32Type   = ofVarint(func(v uint64) int32 { return int32(protowire.DecodeZigZag(v & math.MaxUint32)) })
	sint64Type   = ofVarint(protowire.DecodeZigZag)
	fixed32Type  = ofFixed32(func(v uint32) uint32 { return v })
	fixed64Type  = ofFixed64(func(v uint64) uint64 { return v })
	sfixed32Type = ofFixed32(func(v uint32) int32 { return int32(v) })
	sfixed64Type = ofFixed64(func(v uint64) int64 { return int64(v) })
	floatType    = ofFixed32(math.Float32frombits)
	doubleType   = ofFixed64(math.Float64frombits)
	stringType   = ofBytes(func(b []byte) (string, error) { return string(b), nil })
	bytesType    = ofBytes(func(b []byte) ([]byte, error) { return append([]byte{}, b...), nil })
	spanType     = ofBytes(decodeSpan)

	knownRegexType = ofVarint(func(v uint64) KnownRegex { return KnownRegex(int32(v)) })
)

var errWireType = errors.New("the value has another wire type than its field")

func ofVarint[T any](convert func(uint64) T) *scalar {
	return &scalar{protowire.VarintType, reflect.TypeFor[T](), func(b []byte) (any, error) {
		v, n := protowire.ConsumeVarint(b)
		return convert(v), protowire.ParseError(n)
	}}
}

func ofFixed32[T any](convert func(uint32) T) *scalar {
	return &scalar{protowire.Fixed32Type, reflect.TypeFor[T](), func(b []byte) (any, error) {
		v, n := protowire.ConsumeFixed32(b)
		return convert(v), protowire.ParseError(n)
	}}
}

func ofFixed64[T any](convert func(uint64) T) *scalar {
	return &scalar{protowire.Fixed64Type, reflect.TypeFor[T](), func(b []byte) (any, error) {
		v, n := protowire.ConsumeFixed64(b)
		return convert(v), protowire.ParseError(n)
	}}
}

func ofBytes[T any](convert func([]byte) (T, error)) *scalar {
	return &scalar{protowire.BytesType, reflect.TypeFor[T](), func(b []byte) (any, error) { return convert(b) }}
}

// list decodes a repeated field, packed or not, into a slice of the Go type.
func (s *scalar) list(values []sentValue) (any, error) {
	out := reflect.MakeSlice(reflect.SliceOf(s.goType), 0, len(values))
	for _, v := range values {
		packed := v.typ == protowire.BytesType && s.wire != protowire.BytesType
		if v.typ != s.wire && !packed {
			return nil, errWireType
		}
		for rest, first := v.b, true; len(rest) > 0 || first && !packed; first = false {
			n := len(rest)
			if packed {
				if n = protowire.ConsumeFieldValue(1, s.wire, rest); n < 0 {
					return nil, protowire.ParseError(n)
				}
			}
			e, err := s.decode(rest[:n])
			if err != nil {
				return nil, err
			}
			out = reflect.Append(out, reflect.ValueOf(e))
			rest = rest[n:]
		}
	}
	return out.Interface(), nil
}

// KnownRegex is validate.KnownRegex: its name in text, its number in JSON.
type KnownRegex int32

// String is the value's name, or its number if it has none.
func (k KnownRegex) String() string {
	names := [...]string{"UNKNOWN", "HTTP_HEADER_NAME", "HTTP_HEADER_VALUE"}
	if k < 0 || int(k) >= len(names) {
		return fmt.Sprint(int32(k))
	}
	return names[k]
}

// Span is a google.protobuf.Duration in a list.
type Span struct {
	Seconds int64 `json:"seconds,omitempty"`
	Nanos   int32 `json:"nanos,omitempty"`
}

// String is the span in protobuf's text form, in which templates print it.
func (s Span) String() string {
	var parts []string
	if s.Seconds != 0 {
		parts = append(parts, fmt.Sprint("seconds:", s.Seconds))
	}
	if s.Nanos != 0 {
		parts = append(parts, fmt.Sprint("nanos:", s.Nanos))
	}
	return strings.Join(parts, " ")
}

func decodeSpan(b []byte) (Span, error) {
	rules, err := flatten("", secondsAndNanos(), b)
	if err != nil {
		return Span{}, err
	}
	return Span{Seconds: rules[0].Value.(int64), Nanos: rules[1].Value.(int32)}, nil
}
