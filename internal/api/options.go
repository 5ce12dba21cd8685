package api

import (
	"cmp"
	"maps"
	"slices"
	"sync"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
)

// Options are the options of one declaration.
type Options struct {
	model *Model
	msg   protoreflect.Message // nil where no option is set
}

func newOptions[M proto.Message](model *Model, msg M) Options {
	if m := msg.ProtoReflect(); m.IsValid() {
		return Options{model: model, msg: m}
	}
	return Options{model: model}
}

// Deprecated tells whether the declaration has the option deprecated = true.
func (o Options) Deprecated() bool {
	d, ok := o.Message().(interface{ GetDeprecated() bool })
	return ok && d.GetDeprecated()
}

// Message is the options message of descriptor.proto, or nil.
func (o Options) Message() any {
	if o.msg == nil {
		return nil
	}
	return o.msg.Interface()
}

// Unknown is the encoded form of the options that descriptor.proto does not
// define: the custom ones.
func (o Options) Unknown() []byte {
	if o.msg == nil {
		return nil
	}
	return o.msg.GetUnknown()
}

// Option is an option that a declaration has: a custom one, decoded with
// the extension that a file of the request defines, or one of descriptor.proto.
type Option struct {
	// Name is the extension's full name, or the plain one of descriptor.proto.
	Name string
	// Value is a bool, int32, int64, uint32, uint64, float32, float64 or string;
	// the name of an enum value (or its number, if it has no name); bytes; a
	// map[string]any of a message's set fields by name; a []any of a repeated
	// field; a map[string]any of a map field by the key's text.
	Value any
}

// Custom lists the custom options by name. An option whose extension no file of
// the request defines is not among them, nor one whose file the runtime refuses
// to build (a message set, an import that does not fit).
func (o Options) Custom() []Option {
	unknown := o.Unknown()
	if len(unknown) == 0 {
		return nil
	}
	msg := o.msg.New().Interface()
	unmarshal := proto.UnmarshalOptions{AllowPartial: true, Resolver: o.model.options.resolver(o.model)}
	if err := unmarshal.Unmarshal(unknown, msg); err != nil {
		return nil // bytes that do not fit the extension: not readable as it
	}
	var list []Option
	msg.ProtoReflect().Range(func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		if fd.IsExtension() {
			list = append(list, Option{Name: string(fd.FullName()), Value: plain(fd, v)})
		}
		return true
	})
	slices.SortFunc(list, func(a, b Option) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

// Standard lists the options of descriptor.proto that are set, by number.
func (o Options) Standard() []Option {
	if o.msg == nil {
		return nil
	}
	var list []Option
	fields := o.msg.Descriptor().Fields()
	for i := range fields.Len() {
		if fd := fields.Get(i); o.msg.Has(fd) {
			list = append(list, Option{Name: string(fd.Name()), Value: plain(fd, o.msg.Get(fd))})
		}
	}
	return list
}

// Value returns the option with the given full name: a custom option, or one of
// descriptor.proto by its plain name. It reports false where it is not set.
func (o Options) Value(name string) (any, bool) {
	if o.msg == nil {
		return nil, false
	}
	if fd := o.msg.Descriptor().Fields().ByName(protoreflect.Name(name)); fd != nil {
		if !o.msg.Has(fd) {
			return nil, false
		}
		return plain(fd, o.msg.Get(fd)), true
	}
	for _, c := range o.Custom() {
		if c.Name == name {
			return c.Value, true
		}
	}
	return nil, false
}

// plain turns a protobuf value into Go values that templates and JSON can print.
func plain(fd protoreflect.FieldDescriptor, v protoreflect.Value) any {
	switch {
	case fd.IsMap():
		out := make(map[string]any)
		v.Map().Range(func(k protoreflect.MapKey, v protoreflect.Value) bool {
			out[k.String()] = plainOne(fd.MapValue(), v)
			return true
		})
		return out
	case fd.IsList():
		list := v.List()
		out := make([]any, list.Len())
		for i := range out {
			out[i] = plainOne(fd, list.Get(i))
		}
		return out
	}
	return plainOne(fd, v)
}

func plainOne(fd protoreflect.FieldDescriptor, v protoreflect.Value) any {
	switch fd.Kind() {
	case protoreflect.EnumKind:
		if value := fd.Enum().Values().ByNumber(v.Enum()); value != nil {
			return string(value.Name())
		}
		return int32(v.Enum())
	case protoreflect.MessageKind, protoreflect.GroupKind:
		out := make(map[string]any)
		v.Message().Range(func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
			if unknownMessage(fd) || fd.IsMap() && unknownMessage(fd.MapValue()) {
				return true
			}
			name := string(fd.Name())
			if fd.IsExtension() {
				name = string(fd.FullName())
			}
			out[name] = plain(fd, v)
			return true
		})
		return out
	}
	return v.Interface()
}

// extensionIndex knows the extensions that the request's files define for the
// options of descriptor.proto.
type extensionIndex struct {
	once  sync.Once
	types *protoregistry.Types
}

func (x *extensionIndex) resolver(m *Model) *protoregistry.Types {
	x.once.Do(func() { x.types = m.optionTypes() })
	return x.types
}

// optionTypes builds the extension types of the files that define options, and
// of those files alone with what they import. What the runtime refuses of one file
// takes nothing from the others.
func (m *Model) optionTypes() *protoregistry.Types {
	paths := slices.Sorted(maps.Keys(m.files))
	seen := make(map[string]bool)
	files := new(protoregistry.Files)
	for _, path := range paths {
		if m.files[path].definesOptions() {
			m.register(path, seen, files)
		}
	}
	types := new(protoregistry.Types)
	for _, path := range paths {
		if fd, err := files.FindFileByPath(path); err == nil {
			registerExtensions(types, fd.Extensions())
			registerNested(types, fd.Messages())
		}
	}
	return types
}

// register builds a file behind those that it imports. In place of one that cannot
// be built it registers the imports of that alone, because importers see through
// the public ones; to them its types are unknown.
func (m *Model) register(path string, seen map[string]bool, files *protoregistry.Files) {
	f := m.files[path]
	if f == nil || seen[path] {
		return
	}
	seen[path] = true
	for _, dependency := range f.Desc.GetDependency() {
		m.register(dependency, seen, files)
	}
	if registerFile(files, f.Desc) == nil {
		return
	}
	_ = registerFile(files, &descriptorpb.FileDescriptorProto{
		Name:             f.Desc.Name,
		Dependency:       f.Desc.GetDependency(),
		PublicDependency: f.Desc.GetPublicDependency(),
	}) // imports that are wrong themselves: then importers do without them
}

func registerFile(files *protoregistry.Files, desc *descriptorpb.FileDescriptorProto) error {
	fd, err := protodesc.FileOptions{AllowUnresolvable: true}.New(desc, files)
	if err != nil {
		return err
	}
	return files.RegisterFile(fd)
}

func (f *File) definesOptions() bool {
	if slices.ContainsFunc(f.Extensions, (*Field).extendsOptions) {
		return true
	}
	for m := range f.AllMessages() {
		if slices.ContainsFunc(m.Extensions, (*Field).extendsOptions) {
			return true
		}
	}
	return false
}

func (f *Field) extendsOptions() bool {
	return f.Extendee != nil && f.Extendee.File.Package == "google.protobuf"
}

func registerNested(types *protoregistry.Types, list protoreflect.MessageDescriptors) {
	for i := range list.Len() {
		registerExtensions(types, list.Get(i).Extensions())
		registerNested(types, list.Get(i).Messages())
	}
}

func registerExtensions(types *protoregistry.Types, list protoreflect.ExtensionDescriptors) {
	for i := range list.Len() {
		if unknownMessage(list.Get(i)) {
			continue
		}
		// Two extensions with one number: the first file by name wins.
		_ = types.RegisterExtension(dynamicpb.NewExtensionType(list.Get(i)))
	}
}

// unknownMessage tells a field whose type is a message of a file that cannot be
// built: nothing says what its bytes mean.
func unknownMessage(fd protoreflect.FieldDescriptor) bool {
	return fd.Message() != nil && fd.Message().IsPlaceholder()
}
