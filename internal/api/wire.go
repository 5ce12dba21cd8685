package api

import "google.golang.org/protobuf/encoding/protowire"

// Extension collects a message-typed extension from encoded options. Parts of
// it that stand apart are merged, as protobuf says.
func Extension(unknown []byte, number protowire.Number) (value []byte, found bool, err error) {
	err = EachField(unknown, func(num protowire.Number, typ protowire.Type, b []byte) error {
		if num == number && typ == protowire.BytesType {
			found = true
			value = append(value, b...)
		}
		return nil
	})
	return value, found, err
}

// EachField calls do for each field of an encoded message. A length-delimited
// value comes without its length, any other one encoded.
func EachField(b []byte, do func(protowire.Number, protowire.Type, []byte) error) error {
	for len(b) > 0 {
		num, typ, n := protowire.ConsumeTag(b)
		if n < 0 {
			return protowire.ParseError(n)
		}
		b = b[n:]
		if n = protowire.ConsumeFieldValue(num, typ, b); n < 0 {
			return protowire.ParseError(n)
		}
		value := b[:n]
		if typ == protowire.BytesType {
			value, _ = protowire.ConsumeBytes(value)
		}
		if err := do(num, typ, value); err != nil {
			return err
		}
		b = b[n:]
	}
	return nil
}
