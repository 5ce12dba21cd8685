package eventlog

import (
	"math/bits"
	"reflect"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// What things take in memory beside their content, in bytes.
const (
	recordBytes = 80 // a Record, and its slot in the ring
	mapBytes    = 48 // a map without its slots
	roundBytes  = 8  // what is lost, on average, to the sizes that memory is given out in
	wrapBytes   = 16 // the wrapper of a field of a oneof, or a scalar behind a pointer
	extBytes    = 96 // an extension, which lies in a map
)

// memoryOf estimates what a message takes in memory as an event of a log. The
// contents of strings and bytes are known from the size of its encoding; what
// is around them is found by a walk that does not look at every scalar.
func memoryOf(m proto.Message) int {
	return recordBytes + proto.Size(m) + structure(m.ProtoReflect())
}

// structure estimates a message without the contents of strings and bytes.
func structure(m protoreflect.Message) int {
	n := 0
	if m.IsValid() {
		if t := reflect.TypeOf(m.Interface()); t.Kind() == reflect.Pointer {
			n = int(t.Elem().Size()) + roundBytes
		}
	}
	m.Range(func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		n += fieldStructure(fd, v)
		return true
	})
	return n
}

func fieldStructure(fd protoreflect.FieldDescriptor, v protoreflect.Value) int {
	n := 0
	if fd.IsExtension() {
		n = extBytes
	}
	switch {
	case fd.IsMap():
		return n + mapStructure(fd, v.Map())
	case fd.IsList():
		return n + listStructure(fd, v.List())
	case fd.Message() != nil:
		n += structure(v.Message())
	default:
		n += around(fd)
	}
	if fd.ContainingOneof() != nil || fd.HasPresence() && fd.Message() == nil {
		n += wrapBytes
	}
	return n
}

func listStructure(fd protoreflect.FieldDescriptor, l protoreflect.List) int {
	n := roundBytes + l.Len()*(slotOf(fd)+around(fd))
	if fd.Message() != nil {
		for i := range l.Len() {
			n += structure(l.Get(i).Message())
		}
	}
	return n
}

// mapStructure knows that Go's maps have a power of two of slots, of which no
// more than seven eighths are in use.
func mapStructure(fd protoreflect.FieldDescriptor, m protoreflect.Map) int {
	key, value := fd.MapKey(), fd.MapValue()
	slots := 8
	if m.Len() > slots {
		slots = 1 << bits.Len(uint(m.Len()*8/7))
	}
	slot := (slotOf(key)+slotOf(value)+7)&^7 + 1
	n := mapBytes + slots*slot + m.Len()*(around(key)+around(value))
	if value.Message() != nil {
		m.Range(func(_ protoreflect.MapKey, v protoreflect.Value) bool {
			n += structure(v.Message())
			return true
		})
	}
	return n
}

// slotOf is the size of a field's values in a slice or a map.
func slotOf(fd protoreflect.FieldDescriptor) int {
	switch fd.Kind() {
	case protoreflect.StringKind:
		return 16
	case protoreflect.BytesKind:
		return 24
	case protoreflect.BoolKind:
		return 1
	case protoreflect.EnumKind, protoreflect.FloatKind,
		protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Uint32Kind,
		protoreflect.Fixed32Kind, protoreflect.Sfixed32Kind:
		return 4
	}
	return 8
}

// around is what lies around the content of a string or bytes.
func around(fd protoreflect.FieldDescriptor) int {
	if k := fd.Kind(); k == protoreflect.StringKind || k == protoreflect.BytesKind {
		return roundBytes
	}
	return 0
}
