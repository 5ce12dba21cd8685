package synth

import (
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
)

const maxFieldNumber = 1<<29 - 1

// fillFile gives the declared types of a file their fields, and the file its
// extensions and services.
func (g *generator) fillFile(f *file) {
	// Types that filling adds (groups, map entries) are filled as they are made.
	for _, m := range append([]*message(nil), g.messages...) {
		if m.file == f {
			g.fillMessage(m, g.rng.IntN(7))
		}
	}
	g.fileExtensions(f)
	for range g.rng.IntN(3) {
		f.pb.Service = append(f.pb.Service, g.service(f))
	}
	if chance(g.rng, 0.05) {
		// An import that nothing uses.
		g.use(f, pick(g.rng, wellKnownFiles()))
	}
}

// filler adds fields to one message.
type filler struct {
	*generator
	m    *message
	next int32
	// synthetic holds the fields that get a synthetic oneof, which stand after
	// all real ones.
	synthetic []*descriptorpb.FieldDescriptorProto
}

func (g *generator) fillMessage(m *message, fields int) {
	f := &filler{generator: g, m: m}
	for range fields {
		switch {
		case chance(g.rng, 0.12):
			f.addOneof()
		case chance(g.rng, 0.12):
			f.addMap()
		default:
			f.addField()
		}
	}
	f.syntheticOneofs()
	f.renumber()
	g.messageExtensions(m)
}

// number is the next field number, with gaps and now and then a far one.
func (f *filler) number() *int32 {
	f.next += 1 + int32(f.rng.IntN(3))
	if f.next > 15000 || len(f.m.pb.ExtensionRange) > 0 || len(f.m.pb.ReservedRange) > 0 {
		return proto.Int32(f.next)
	}
	if chance(f.rng, 0.02) {
		f.next = pick(f.rng, []int32{15990, 18990})
	}
	return proto.Int32(f.next)
}

// renumber makes the order of numbers differ from the order of declaration in
// some messages, and uses the highest number of all in a few.
func (f *filler) renumber() {
	fields := f.m.pb.Field
	if len(fields) < 2 || !chance(f.rng, 0.2) {
		return
	}
	a, b := fields[0], fields[len(fields)-1]
	a.Number, b.Number = b.Number, a.Number
	if len(f.m.pb.ExtensionRange) == 0 && chance(f.rng, 0.1) {
		a.Number = proto.Int32(maxFieldNumber)
	}
}

func (f *filler) newField(name string) *descriptorpb.FieldDescriptorProto {
	field := &descriptorpb.FieldDescriptorProto{Name: proto.String(name), Number: f.number(), Label: labelOptional.Enum()}
	field.JsonName = proto.String(camelCase(name))
	return field
}

// addField adds a field outside any oneof.
func (f *filler) addField() {
	if !f.m.file.proto3 && chance(f.rng, 0.08) {
		f.addGroup(nil)
		return
	}
	field := f.newField(f.m.names.uniqueField(pick(f.rng, fieldNames)))
	if chance(f.rng, 0.05) {
		field.JsonName = proto.String("custom-" + field.GetName())
	}
	f.setType(f.m.file, field)
	f.setLabel(field)
	f.setDefault(f.m.file, field)
	f.m.pb.Field = append(f.m.pb.Field, field)
}

func (f *filler) setLabel(field *descriptorpb.FieldDescriptorProto) {
	switch {
	case chance(f.rng, 0.25):
		field.Label = labelRepeated.Enum()
	case f.m.file.proto3 && chance(f.rng, 0.25):
		field.Proto3Optional = proto.Bool(true)
		f.synthetic = append(f.synthetic, field)
	case !f.m.file.proto3 && chance(f.rng, 0.15):
		field.Label = labelRequired.Enum()
	}
}

// setType draws the type of a field or an extension.
func (g *generator) setType(f *file, field *descriptorpb.FieldDescriptorProto) {
	switch {
	case chance(g.rng, 0.15) && g.setEnum(f, field, false):
	case chance(g.rng, 0.3) && g.setMessage(f, field):
	case chance(g.rng, 0.12):
		t := pick(g.rng, wellKnownTypes)
		g.use(f, libraryFile(t.file))
		field.Type, field.TypeName = typeMessage.Enum(), proto.String(t.name)
	default:
		field.Type = pick(g.rng, scalarTypes).typ.Enum()
	}
}

// setMessage refers to a declared message of this file or one before it.
func (g *generator) setMessage(f *file, field *descriptorpb.FieldDescriptorProto) bool {
	m := g.visibleMessage(f)
	if m == nil {
		return false
	}
	field.Type, field.TypeName = typeMessage.Enum(), proto.String("."+m.full)
	return true
}

func (g *generator) visibleMessage(f *file) *message {
	var visible []*message
	for _, m := range g.messages {
		if m.file.index <= f.index {
			visible = append(visible, m)
		}
	}
	if len(visible) == 0 {
		return nil
	}
	m := pick(g.rng, visible)
	g.use(f, m.file.pb)
	return m
}

// setEnum refers to a declared enum. A proto3 field takes open enums only, a
// map value only those that start at zero.
func (g *generator) setEnum(f *file, field *descriptorpb.FieldDescriptorProto, zero bool) bool {
	var visible []*enum
	for _, e := range g.enums {
		if e.file.index <= f.index && (e.file.proto3 || !f.proto3) && (!zero || e.pb.Value[0].GetNumber() == 0) {
			visible = append(visible, e)
		}
	}
	if len(visible) == 0 {
		return false
	}
	e := pick(g.rng, visible)
	g.use(f, e.file.pb)
	field.Type, field.TypeName = typeEnum.Enum(), proto.String("."+e.full)
	return true
}

// setDefault gives some singular proto2 fields a default of their type.
func (g *generator) setDefault(f *file, field *descriptorpb.FieldDescriptorProto) {
	if f.proto3 || field.GetLabel() == labelRepeated || !chance(g.rng, 0.5) {
		return
	}
	for _, s := range scalarTypes {
		if s.typ == field.GetType() {
			field.DefaultValue = proto.String(pick(g.rng, defaultValues[s.keyword]))
		}
	}
	for _, e := range g.enums {
		if "."+e.full == field.GetTypeName() && field.GetType() == typeEnum {
			field.DefaultValue = proto.String(pick(g.rng, e.pb.Value).GetName())
		}
	}
}

// addOneof adds a oneof with its fields, which stand together.
func (f *filler) addOneof() {
	index := int32(len(f.m.pb.OneofDecl))
	f.m.pb.OneofDecl = append(f.m.pb.OneofDecl, &descriptorpb.OneofDescriptorProto{
		Name: proto.String(f.m.names.unique(pick(f.rng, oneofNames))),
	})
	for range 1 + f.rng.IntN(3) {
		if !f.m.file.proto3 && chance(f.rng, 0.1) {
			f.addGroup(proto.Int32(index))
			continue
		}
		field := f.newField(f.m.names.uniqueField(pick(f.rng, fieldNames)))
		field.OneofIndex = proto.Int32(index)
		f.setType(f.m.file, field)
		f.setDefault(f.m.file, field)
		f.m.pb.Field = append(f.m.pb.Field, field)
	}
}

// syntheticOneofs wraps every proto3 optional field as compilers do.
func (f *filler) syntheticOneofs() {
	for _, field := range f.synthetic {
		name := "_" + field.GetName()
		for f.m.names.exact[name] {
			name = "X" + name
		}
		field.OneofIndex = proto.Int32(int32(len(f.m.pb.OneofDecl)))
		f.m.pb.OneofDecl = append(f.m.pb.OneofDecl, &descriptorpb.OneofDescriptorProto{Name: proto.String(f.m.names.unique(name))})
	}
}

// addGroup adds a proto2 group: a message and a field of its lower-case name.
func (f *filler) addGroup(oneof *int32) {
	name := f.freeGroupName(f.m.names)
	group := &message{file: f.m.file, full: join(f.m.full, name), names: newScope(), pb: &descriptorpb.DescriptorProto{Name: proto.String(name)}}
	f.messages = append(f.messages, group)
	f.m.pb.NestedType = append(f.m.pb.NestedType, group.pb)
	f.fillMessage(group, f.rng.IntN(3))

	field := f.newField(strings.ToLower(name))
	field.Type, field.TypeName, field.OneofIndex = typeGroup.Enum(), proto.String("."+group.full), oneof
	if oneof == nil {
		field.Label = pick(f.rng, []descriptorpb.FieldDescriptorProto_Label{labelOptional, labelRepeated, labelRequired}).Enum()
	}
	f.m.pb.Field = append(f.m.pb.Field, field)
}

// freeGroupName is a name that is free as a message and, in lower case, as a
// field.
func (g *generator) freeGroupName(names *scope) string {
	free := func(n string) bool {
		return !names.exact[n] && !names.exact[strings.ToLower(n)] && !names.folded[fold(n)]
	}
	name := names.firstFree(pick(g.rng, groupNames), free)
	names.exact[strings.ToLower(name)] = true
	names.folded[fold(name)] = true
	return name
}

// addMap adds a map field with its entry message.
func (f *filler) addMap() {
	name := f.m.names.firstFree(pick(f.rng, fieldNames), func(n string) bool {
		return !f.m.names.exact[n] && !f.m.names.folded[fold(n)] && !f.m.names.exact[mapEntryName(n)]
	})
	f.m.names.folded[fold(name)] = true
	entry := f.m.names.unique(mapEntryName(name))

	value := &descriptorpb.FieldDescriptorProto{Name: proto.String("value"), Number: proto.Int32(2), Label: labelOptional.Enum(), JsonName: proto.String("value")}
	if !chance(f.rng, 0.2) || !f.setEnum(f.m.file, value, true) {
		if f.setType(f.m.file, value); value.GetType() == typeEnum {
			value.Type, value.TypeName = typeString.Enum(), nil
		}
	}
	key := &descriptorpb.FieldDescriptorProto{
		Name: proto.String("key"), Number: proto.Int32(1), Label: labelOptional.Enum(), JsonName: proto.String("key"),
		Type: pick(f.rng, mapKeyTypes).Enum(),
	}
	f.m.pb.NestedType = append(f.m.pb.NestedType, &descriptorpb.DescriptorProto{
		Name: proto.String(entry), Field: []*descriptorpb.FieldDescriptorProto{key, value},
		Options: &descriptorpb.MessageOptions{MapEntry: proto.Bool(true)},
	})
	field := f.newField(name)
	field.Label, field.Type, field.TypeName = labelRepeated.Enum(), typeMessage.Enum(), proto.String("."+join(f.m.full, entry))
	f.m.pb.Field = append(f.m.pb.Field, field)
}
