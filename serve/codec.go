package serve

import (
	"google.golang.org/grpc/encoding"
	encodingproto "google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/proto"
)

// encoded is a message together with its encoding, for messages that go to
// many. It is a message itself, of the same type as the one it holds, so that
// interceptors can look into it, and codecs that do not know it encode it as
// any other.
type encoded struct {
	proto.Message
	data []byte // never changed
}

func encode(m proto.Message) (*encoded, error) {
	data, err := proto.Marshal(m)
	if err != nil {
		return nil, err
	}
	return &encoded{m, data}, nil
}

// Size is what it takes in memory beside the message: its record counts that.
func (e *encoded) Size() int { return len(e.data) + 64 }

// codec is gRPC's codec for protobuf, which lets encoded messages through.
type codec struct{ encoding.CodecV2 }

func newCodec() codec { return codec{encoding.GetCodecV2(encodingproto.Name)} }

// Marshal encodes a message.
func (c codec) Marshal(v any) (mem.BufferSlice, error) {
	if e, ok := v.(*encoded); ok {
		// A SliceBuffer belongs to no pool: freeing it does nothing, and its
		// bytes are only read. The slice of buffers is not shared, as gRPC may
		// change it.
		return mem.BufferSlice{mem.SliceBuffer(e.data)}, nil
	}
	return c.CodecV2.Marshal(v)
}
