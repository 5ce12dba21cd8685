package synth

import (
	"math"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
)

// wire is a protobuf message under construction, as bytes. Options are encoded
// by hand because the messages that define them are not linked into this
// package, nor need they be in the program that reads the request.
type wire []byte

func (w wire) varint(num protowire.Number, v uint64) wire {
	w = protowire.AppendTag(w, num, protowire.VarintType)
	return protowire.AppendVarint(w, v)
}

func (w wire) bool(num protowire.Number, v bool) wire {
	return w.varint(num, protowire.EncodeBool(v))
}

func (w wire) fixed32(num protowire.Number, v uint32) wire {
	w = protowire.AppendTag(w, num, protowire.Fixed32Type)
	return protowire.AppendFixed32(w, v)
}

func (w wire) fixed64(num protowire.Number, v uint64) wire {
	w = protowire.AppendTag(w, num, protowire.Fixed64Type)
	return protowire.AppendFixed64(w, v)
}

func (w wire) str(num protowire.Number, v string) wire {
	w = protowire.AppendTag(w, num, protowire.BytesType)
	return protowire.AppendString(w, v)
}

func (w wire) msg(num protowire.Number, m wire) wire {
	w = protowire.AppendTag(w, num, protowire.BytesType)
	return protowire.AppendBytes(w, m)
}

func (w wire) group(num protowire.Number, m wire) wire {
	w = protowire.AppendTag(w, num, protowire.StartGroupType)
	return protowire.AppendGroup(w, num, m)
}

// number appends a numeric field of any scalar type; v is converted to it, so
// the caller draws a value that the type can hold.
func (w wire) number(num protowire.Number, t descriptorpb.FieldDescriptorProto_Type, v float64) wire {
	switch t {
	case typeFloat:
		return w.fixed32(num, math.Float32bits(float32(v)))
	case typeDouble:
		return w.fixed64(num, math.Float64bits(v))
	case typeFixed32, typeSfixed32:
		return w.fixed32(num, uint32(int64(v)))
	case typeFixed64, typeSfixed64:
		return w.fixed64(num, uint64(int64(v)))
	case typeSint32, typeSint64:
		return w.varint(num, protowire.EncodeZigZag(int64(v)))
	default:
		return w.varint(num, uint64(int64(v)))
	}
}

// appendOption adds encoded fields to an options message as unknown fields.
func appendOption(options proto.Message, w wire) {
	m := options.ProtoReflect()
	m.SetUnknown(append(m.GetUnknown(), w...))
}
