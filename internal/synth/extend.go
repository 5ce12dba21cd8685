package synth

import (
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
)

// optionMessages are the extendees that define custom options.
var optionMessages = []string{
	"FileOptions", "MessageOptions", "FieldOptions", "OneofOptions", "EnumOptions", "EnumValueOptions", "ServiceOptions", "MethodOptions",
}

const (
	optionsPackage = ".google.protobuf."
	// Numbers of the custom options that a request defines itself, and of those
	// it uses without any definition: they never meet, so that bytes of the
	// latter are not read as the former.
	definedOptionsFrom   = 50000
	undefinedOptionsFrom = 51000
)

// customOption is a custom option that a file of the request defines.
type customOption struct {
	pb   *descriptorpb.FieldDescriptorProto
	file *file
}

// fileExtensions adds the top-level extensions of a file.
func (g *generator) fileExtensions(f *file) {
	if !chance(g.rng, 0.4) {
		return
	}
	for range 1 + g.rng.IntN(3) {
		at := extensionScope{full: f.pb.GetPackage(), names: f.names, nest: &f.pb.MessageType}
		if x := g.extension(f, at); x != nil {
			f.pb.Extension = append(f.pb.Extension, x)
		}
	}
}

// messageExtensions adds extensions declared inside a message.
func (g *generator) messageExtensions(m *message) {
	if !chance(g.rng, 0.1) {
		return
	}
	for range 1 + g.rng.IntN(2) {
		at := extensionScope{full: m.full, names: m.names, nest: &m.pb.NestedType}
		if x := g.extension(m.file, at); x != nil {
			m.pb.Extension = append(m.pb.Extension, x)
		}
	}
}

// extensionScope is where an extension is declared; nest takes the message of
// an extension that is a group.
type extensionScope struct {
	full  string
	names *scope
	nest  *[]*descriptorpb.DescriptorProto
}

// extension draws an extension, or nil where the file sees nothing to extend.
func (g *generator) extension(f *file, at extensionScope) *descriptorpb.FieldDescriptorProto {
	extendee := g.extendee(f)
	if extendee == "" {
		return nil
	}
	x := &descriptorpb.FieldDescriptorProto{Extendee: proto.String(extendee), Label: labelOptional.Enum()}
	if f.proto3 || !chance(g.rng, 0.1) {
		x.Name = proto.String(at.names.uniqueField(pick(g.rng, extensionNames)))
		g.setType(f, x)
	} else {
		g.setGroup(f, x, at)
	}
	if chance(g.rng, 0.5) {
		// Older compilers set it on extensions too.
		x.JsonName = proto.String(camelCase(x.GetName()))
	}
	switch {
	case chance(g.rng, 0.25):
		x.Label = labelRepeated.Enum()
	case f.proto3 && chance(g.rng, 0.3):
		x.Proto3Optional = proto.Bool(true)
	}
	g.setDefault(f, x)
	g.numberExtension(f, x)
	return x
}

func (g *generator) setGroup(f *file, x *descriptorpb.FieldDescriptorProto, at extensionScope) {
	name := g.freeGroupName(at.names)
	x.Name, x.Type, x.TypeName = proto.String(strings.ToLower(name)), typeGroup.Enum(), proto.String("."+join(at.full, name))
	*at.nest = append(*at.nest, &descriptorpb.DescriptorProto{
		Name: proto.String(name),
		Field: []*descriptorpb.FieldDescriptorProto{{
			Name: proto.String("in_group"), JsonName: proto.String("inGroup"), Number: proto.Int32(1),
			Label: labelRequired.Enum(), Type: typeBytes.Enum(), DefaultValue: proto.String(pick(g.rng, defaultValues["bytes"])),
		}},
	})
}

// numberExtension takes the next number of the extendee; what extends an
// options message is a custom option from now on.
func (g *generator) numberExtension(f *file, x *descriptorpb.FieldDescriptorProto) {
	extendee := x.GetExtendee()
	base := int32(extensionsFrom)
	if strings.HasPrefix(extendee, optionsPackage) {
		base = definedOptionsFrom
		g.options = append(g.options, &customOption{pb: x, file: f})
	}
	x.Number = proto.Int32(base + g.numbers[extendee])
	g.numbers[extendee]++
}

// extendee picks an options message, or a message with extension ranges that
// the file sees. A proto3 file may extend the former only.
func (g *generator) extendee(f *file) string {
	if f.proto3 || chance(g.rng, 0.4) {
		g.use(f, libraryFile(descriptorPath))
		return optionsPackage + pick(g.rng, optionMessages)
	}
	var extendable []*message
	for _, m := range g.messages {
		if m.file.index <= f.index && len(m.pb.ExtensionRange) > 0 {
			extendable = append(extendable, m)
		}
	}
	if len(extendable) == 0 {
		return ""
	}
	m := pick(g.rng, extendable)
	g.use(f, m.file.pb)
	return "." + m.full
}
