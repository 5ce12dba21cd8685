package synth

import (
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
)

// maxDepth is how deep messages nest.
const maxDepth = 4

// declareTypes declares the messages and enums of a file, without fields.
func (g *generator) declareTypes(f *file) {
	pkg := f.pb.GetPackage()
	for range g.rng.IntN(5) {
		f.pb.MessageType = append(f.pb.MessageType, g.declareMessage(f, pkg, f.names, pick(g.rng, messageNames), 1))
	}
	for range g.rng.IntN(3) {
		f.pb.EnumType = append(f.pb.EnumType, g.declareEnum(f, pkg, f.names))
	}
}

// declareMessage declares a message and the types inside it.
func (g *generator) declareMessage(f *file, parent string, names *scope, name string, depth int) *descriptorpb.DescriptorProto {
	name = names.unique(name)
	m := &message{file: f, full: join(parent, name), names: newScope(), pb: &descriptorpb.DescriptorProto{Name: proto.String(name)}}
	g.messages = append(g.messages, m)
	for depth < maxDepth && chance(g.rng, 0.25) {
		m.pb.NestedType = append(m.pb.NestedType, g.declareMessage(f, m.full, m.names, pick(g.rng, messageNames), depth+1))
	}
	for chance(g.rng, 0.15) {
		m.pb.EnumType = append(m.pb.EnumType, g.declareEnum(f, m.full, m.names))
	}
	if !f.proto3 && chance(g.rng, 0.4) {
		g.declareExtensionRanges(m)
	}
	if chance(g.rng, 0.1) {
		m.pb.ReservedRange = []*descriptorpb.DescriptorProto_ReservedRange{{Start: proto.Int32(900), End: proto.Int32(911)}}
		m.pb.ReservedName = []string{"gone", "Gone_Too"}
	}
	return m.pb
}

// The first extension range of every extendable message: numbers of fields
// stay below it.
const (
	extensionsFrom = 1000
	extensionsTo   = 2000
)

func (g *generator) declareExtensionRanges(m *message) {
	m.pb.ExtensionRange = append(m.pb.ExtensionRange, &descriptorpb.DescriptorProto_ExtensionRange{
		Start: proto.Int32(extensionsFrom), End: proto.Int32(extensionsTo),
	})
	if chance(g.rng, 0.3) {
		m.pb.ExtensionRange = append(m.pb.ExtensionRange, &descriptorpb.DescriptorProto_ExtensionRange{
			Start: proto.Int32(20000), End: proto.Int32(maxFieldNumber + 1),
		})
	}
}

// declareEnum declares an enum with its values; these share the scope of the
// enum itself.
func (g *generator) declareEnum(f *file, parent string, names *scope) *descriptorpb.EnumDescriptorProto {
	name := names.unique(pick(g.rng, enumNames))
	e := &enum{file: f, full: join(parent, name), pb: &descriptorpb.EnumDescriptorProto{Name: proto.String(name)}}
	g.enums = append(g.enums, e)
	prefixed := chance(g.rng, 0.5)
	folded := map[string]bool{}
	for i := range 1 + g.rng.IntN(5) {
		value := pick(g.rng, valueNames)
		if prefixed {
			value = name + "_" + value
		}
		value = names.firstFree(value, func(n string) bool { return !names.exact[n] && !folded[foldValue(name, n)] })
		folded[foldValue(name, value)] = true
		e.pb.Value = append(e.pb.Value, &descriptorpb.EnumValueDescriptorProto{
			Name: proto.String(value), Number: proto.Int32(g.valueNumber(f, e.pb, i)),
		})
	}
	g.aliases(e.pb)
	return e.pb
}

// valueNumber draws a number that no value of the enum has yet. An open enum
// starts at zero.
func (g *generator) valueNumber(f *file, e *descriptorpb.EnumDescriptorProto, index int) int32 {
	if index == 0 && (f.proto3 || chance(g.rng, 0.6)) {
		return 0
	}
	number := int32(g.rng.IntN(12)) - 3
	if chance(g.rng, 0.1) {
		number = pick(g.rng, []int32{-2147483648, 2147483647, -1, 1000000})
	}
	for taken(e, number) {
		number++
		if number == -2147483648 {
			number = 0
		}
	}
	return number
}

func taken(e *descriptorpb.EnumDescriptorProto, number int32) bool {
	for _, v := range e.Value {
		if v.GetNumber() == number {
			return true
		}
	}
	return false
}

// aliases gives some enums two names for one number.
func (g *generator) aliases(e *descriptorpb.EnumDescriptorProto) {
	if len(e.Value) < 2 || !chance(g.rng, 0.15) {
		return
	}
	e.Options = &descriptorpb.EnumOptions{AllowAlias: proto.Bool(true)}
	e.Value[len(e.Value)-1].Number = proto.Int32(e.Value[0].GetNumber())
}
