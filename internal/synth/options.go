package synth

import (
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
)

// Numbers of the well-known custom options.
const (
	httpOption      = 72295728 // google.api.http on methods
	validateOption  = 1071     // validate.rules, .disabled and .required
	validatorOption = 65020    // validator.field on fields
	signatureOption = 1051     // google.api.method_signature on methods
	behaviorOption  = 1052     // google.api.field_behavior on fields
	resourceOption  = 1053     // google.api.resource on messages
)

// ensure allocates an options message when it is first needed.
func ensure[T any](options **T) *T {
	if *options == nil {
		*options = new(T)
	}
	return *options
}

// optionsOfFile lays options over all elements of a file.
func (g *generator) optionsOfFile(f *file) {
	g.decorate(f, "FileOptions", func() proto.Message { return ensure(&f.pb.Options) })
	if chance(g.rng, 0.5) {
		ensure(&f.pb.Options).GoPackage = proto.String("example.com/gen;gen")
	}
	for _, m := range f.pb.MessageType {
		g.optionsOfMessage(f, m)
	}
	for _, e := range f.pb.EnumType {
		g.optionsOfEnum(f, e)
	}
	for _, x := range f.pb.Extension {
		g.optionsOfField(f, x)
	}
	for _, s := range f.pb.Service {
		g.optionsOfService(f, s)
	}
}

func (g *generator) optionsOfMessage(f *file, m *descriptorpb.DescriptorProto) {
	if m.GetOptions().GetMapEntry() {
		return // nothing can be said about what nobody wrote
	}
	g.decorate(f, "MessageOptions", func() proto.Message { return ensure(&m.Options) })
	if chance(g.rng, 0.05) {
		g.define(f, validatePath)
		appendOption(ensure(&m.Options), wire(nil).bool(validateOption, chance(g.rng, 0.7)))
	}
	if chance(g.rng, 0.05) {
		appendOption(ensure(&m.Options), wire(nil).msg(resourceOption, wire(nil).str(1, "example.com/Thing").str(2, "things/{thing}")))
	}
	for _, field := range m.Field {
		g.optionsOfField(f, field)
	}
	for _, o := range m.OneofDecl {
		g.optionsOfOneof(f, m, o)
	}
	for _, n := range m.NestedType {
		g.optionsOfMessage(f, n)
	}
	for _, e := range m.EnumType {
		g.optionsOfEnum(f, e)
	}
	for _, x := range m.Extension {
		g.optionsOfField(f, x)
	}
}

func (g *generator) optionsOfOneof(f *file, m *descriptorpb.DescriptorProto, o *descriptorpb.OneofDescriptorProto) {
	for _, field := range m.Field {
		if field.GetProto3Optional() && field.OneofIndex != nil && m.OneofDecl[field.GetOneofIndex()] == o {
			return // synthetic: it is not in the source
		}
	}
	g.decorate(f, "OneofOptions", func() proto.Message { return ensure(&o.Options) })
	if chance(g.rng, 0.1) {
		g.define(f, validatePath)
		appendOption(ensure(&o.Options), wire(nil).bool(validateOption, true))
	}
}

func (g *generator) optionsOfField(f *file, field *descriptorpb.FieldDescriptorProto) {
	g.decorate(f, "FieldOptions", func() proto.Message { return ensure(&field.Options) })
	if chance(g.rng, 0.2) {
		g.define(f, validatePath)
		for _, w := range g.splitMessage(validateOption, g.fieldRules(field)) {
			appendOption(ensure(&field.Options), w)
		}
	}
	if chance(g.rng, 0.1) {
		g.define(f, validatorPath)
		for _, w := range g.splitMessage(validatorOption, g.instance("FieldValidator")) {
			appendOption(ensure(&field.Options), w)
		}
	}
	if chance(g.rng, 0.05) {
		appendOption(ensure(&field.Options), wire(nil).varint(behaviorOption, 2).varint(behaviorOption, 3))
	}
}

func (g *generator) optionsOfEnum(f *file, e *descriptorpb.EnumDescriptorProto) {
	g.decorate(f, "EnumOptions", func() proto.Message { return ensure(&e.Options) })
	for _, v := range e.Value {
		g.decorate(f, "EnumValueOptions", func() proto.Message { return ensure(&v.Options) })
	}
}

func (g *generator) optionsOfService(f *file, s *descriptorpb.ServiceDescriptorProto) {
	g.decorate(f, "ServiceOptions", func() proto.Message { return ensure(&s.Options) })
	for _, m := range s.Method {
		g.decorate(f, "MethodOptions", func() proto.Message { return ensure(&m.Options) })
		if chance(g.rng, 0.25) {
			level := pick(g.rng, []descriptorpb.MethodOptions_IdempotencyLevel{
				descriptorpb.MethodOptions_IDEMPOTENCY_UNKNOWN, descriptorpb.MethodOptions_NO_SIDE_EFFECTS, descriptorpb.MethodOptions_IDEMPOTENT,
			})
			ensure(&m.Options).IdempotencyLevel = level.Enum()
		}
		if chance(g.rng, 0.5) {
			g.define(f, annotationsPath)
			for _, w := range g.splitMessage(httpOption, g.httpRule(0)) {
				appendOption(ensure(&m.Options), w)
			}
		}
		if chance(g.rng, 0.05) {
			appendOption(ensure(&m.Options), wire(nil).str(signatureOption, "name,filter"))
		}
	}
}

// define imports the file that defines an option, where the request has it.
func (g *generator) define(f *file, path string) {
	if g.definitions {
		g.use(f, libraryFile(path))
	}
}

// decorate lays over an element what can stand on any element.
func (g *generator) decorate(f *file, kind string, options func() proto.Message) {
	if chance(g.rng, 0.15) {
		deprecate(options(), chance(g.rng, 0.85))
	}
	if chance(g.rng, 0.15) {
		g.useDefinedOption(f, kind, options)
	}
	if chance(g.rng, 0.08) {
		appendOption(options(), g.undefinedOption())
	}
	if chance(g.rng, 0.03) {
		options() // set, and empty
	}
}

// deprecate sets the option of that name, which oneofs do not have.
func deprecate(options proto.Message, deprecated bool) {
	m := options.ProtoReflect()
	if fd := m.Descriptor().Fields().ByName("deprecated"); fd != nil {
		m.Set(fd, protoreflect.ValueOfBool(deprecated))
	}
}

// useDefinedOption sets a custom option that this file or one before it
// defines.
func (g *generator) useDefinedOption(f *file, kind string, options func() proto.Message) {
	var usable []*customOption
	for _, o := range g.options {
		if o.file.index <= f.index && o.pb.GetExtendee() == optionsPackage+kind {
			usable = append(usable, o)
		}
	}
	if len(usable) == 0 {
		return
	}
	o := pick(g.rng, usable)
	if w := g.optionValue(o.pb); w != nil {
		g.use(f, o.file.pb)
		appendOption(options(), w)
	}
}

// optionValue encodes a value for a custom option; nil where its message may
// have required fields.
func (g *generator) optionValue(x *descriptorpb.FieldDescriptorProto) wire {
	num := protowire.Number(x.GetNumber())
	switch x.GetType() {
	case typeMessage:
		if g.hasRequired(x.GetTypeName()) {
			return nil
		}
		return wire(nil).msg(num, nil)
	case typeGroup:
		return wire(nil).group(num, wire(nil).str(1, "in"))
	case typeEnum:
		for _, e := range g.enums {
			if "."+e.full == x.GetTypeName() {
				return wire(nil).varint(num, uint64(int64(pick(g.rng, e.pb.Value).GetNumber())))
			}
		}
	}
	return g.appendValue(nil, x)
}

func (g *generator) hasRequired(name string) bool {
	for _, m := range g.messages {
		if "."+m.full != name {
			continue
		}
		for _, f := range m.pb.Field {
			if f.GetLabel() == labelRequired {
				return true
			}
		}
	}
	return false
}

// undefinedOption encodes an option that no file of the request defines, of
// any wire type.
func (g *generator) undefinedOption() wire {
	num := protowire.Number(undefinedOptionsFrom + g.rng.IntN(100))
	switch g.rng.IntN(5) {
	case 0:
		return wire(nil).varint(num, g.rng.Uint64())
	case 1:
		return wire(nil).fixed32(num, g.rng.Uint32())
	case 2:
		return wire(nil).fixed64(num, g.rng.Uint64())
	case 3:
		return wire(nil).group(num, wire(nil).varint(1, 1).str(2, "x"))
	default:
		return wire(nil).str(num, pick(g.rng, ruleStrings))
	}
}

// Content of google.api.http.
var (
	httpPaths = []string{
		"/v1/things", "/v1/{name=projects/*/things/*}:cancel", "/v1/{parent=projects/*}/things", "/", "", "/v1/**", "/a?b=c&d=<e>", "/ümlaut",
	}
	httpBodies = []string{"*", "thing", "thing.name", ""}
	httpKinds  = []string{"HEAD", "OPTIONS", "*", ""}
)

// httpRule draws the fields of a google.api.HttpRule. A compiler refuses
// bindings inside of additional bindings, but readers must not mind them.
func (g *generator) httpRule(depth int) []wire {
	var parts []wire
	if chance(g.rng, 0.1) {
		parts = append(parts, wire(nil).str(1, "a.b.Service.Method"))
	}
	switch verb := g.rng.IntN(7); verb {
	case 0, 1, 2, 3, 4: // get, put, post, delete, patch
		parts = append(parts, wire(nil).str(protowire.Number(2+verb), pick(g.rng, httpPaths)))
	case 5:
		parts = append(parts, wire(nil).msg(8, wire(nil).str(1, pick(g.rng, httpKinds)).str(2, pick(g.rng, httpPaths))))
	}
	if chance(g.rng, 0.4) {
		parts = append(parts, wire(nil).str(7, pick(g.rng, httpBodies)))
	}
	if chance(g.rng, 0.2) {
		parts = append(parts, wire(nil).str(12, pick(g.rng, httpBodies)))
	}
	for depth < 2 && chance(g.rng, []float64{0.35, 0.05}[depth]) {
		parts = append(parts, wire(nil).msg(11, flatten(g.httpRule(depth+1))))
	}
	return parts
}
