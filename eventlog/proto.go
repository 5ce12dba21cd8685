package eventlog

import (
	"bytes"
	"encoding/json"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

// Proto is the Config for messages: they are cloned, and measured by what they
// take in memory. That is an estimate, which for generated types is right within
// a factor of two, and mostly closer. It is more than the encoded size: hardly for
// long strings, about seven times for maps of short ones, and thirty times for
// messages with next to nothing in them.
func Proto[M proto.Message]() Config[M] {
	return Config[M]{
		Size:  func(m M) int { return memoryOf(m) },
		Clone: proto.CloneOf[M],
	}
}

// ProtoLines are lines of messages in protobuf's JSON, each in its most compact
// form. M is a generated type, as in ProtoLines[*pb.Event]. Multiline and Indent
// of write have no effect; with DiscardUnknown of read, lines may have fields
// that M does not have.
func ProtoLines[M proto.Message](write protojson.MarshalOptions, read protojson.UnmarshalOptions) Lines[M] {
	write.Multiline, write.Indent = false, ""
	return Lines[M]{
		Encode: func(m M) ([]byte, error) {
			line, err := write.Marshal(m)
			if err != nil {
				return nil, err
			}
			var compact bytes.Buffer // without the random spaces of protojson
			compact.Grow(len(line))
			err = json.Compact(&compact, line)
			return compact.Bytes(), err
		},
		Decode: func(line []byte) (M, error) {
			var none M
			m := none.ProtoReflect().New().Interface().(M)
			if err := read.Unmarshal(line, m); err != nil {
				return none, err
			}
			return m, nil
		},
	}
}
