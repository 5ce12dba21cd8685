package api

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/plugin"
)

// fieldSourceCodeInfo is the number of FileDescriptorProto.source_code_info.
const fieldSourceCodeInfo protowire.Number = 9

// Build makes the model of a request. It takes the encoded files out of the
// request, so that each can be freed as soon as it is read. All that is wrong
// with the files is reported, joined.
func Build(req *plugin.Request) (*Model, error) {
	files := req.Files
	req.Files = nil
	m := &Model{
		files:    make(map[string]*File, len(files)),
		messages: make(map[string]*Message),
		enums:    make(map[string]*Enum),
	}
	wanted := make(map[string]bool, len(req.FilesToGenerate))
	for _, path := range req.FilesToGenerate {
		wanted[path] = true
	}
	built := make([]*File, len(files))
	err := Parallel(len(files), func(i int) error {
		f, err := m.buildFile(&files[i], wanted[files[i].Path])
		files[i].Descriptor = nil
		built[i] = f
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := m.index(built, req.FilesToGenerate); err != nil {
		return nil, err
	}
	return m, Parallel(len(built), func(i int) error { return m.link(built[i]) })
}

// Parallel calls do for 0 to n-1 on all processors and returns all errors, in
// the order of their numbers. A panic in do is an error that carries its stack.
func Parallel(n int, do func(int) error) error {
	var (
		next atomic.Int64
		wg   sync.WaitGroup
		errs = make([]error, n)
	)
	for range min(n, runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				errs[i] = guard(i, do)
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

func guard(i int, do func(int) error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("internal error: %v (this is a bug of the plugin)\n%s", r, debug.Stack())
		}
	}()
	return do(i)
}

func (m *Model) buildFile(raw *plugin.File, wanted bool) (*File, error) {
	desc, info, err := unmarshalFile(raw.Descriptor)
	if err != nil {
		return nil, fmt.Errorf("%s: broken file descriptor: %w", raw.Path, err)
	}
	f := &File{
		Path:    raw.Path,
		Package: desc.GetPackage(),
		Desc:    desc,
		model:   m,
		toMake:  wanted,
	}
	f.Decl = Decl{Name: raw.Path, File: f}
	if f.setEdition() != nil {
		_ = f.attachSource(info) // so that the error says where the file declares it
		return nil, f.setEdition()
	}
	f.declare()
	if !wanted {
		return f, nil // nobody reads the comments of an import
	}
	if err := f.attachSource(info); err != nil {
		return nil, err
	}
	for e := range f.AllEnums() {
		e.setSections()
	}
	return f, nil
}

// setSections carries each detached comment on to the values below it.
func (e *Enum) setSections() {
	section := ""
	for _, v := range e.Values {
		if n := len(v.Comments.Detached); n > 0 {
			section = strings.TrimSpace(v.Comments.Detached[n-1])
		}
		v.Section = section
	}
}

// unmarshalFile unmarshals a file without its source info, which it returns
// encoded. Options that are extensions stay unknown fields, whatever happens to
// be linked into the program: the request says what they mean.
func unmarshalFile(b []byte) (*descriptorpb.FileDescriptorProto, []byte, error) {
	desc := new(descriptorpb.FileDescriptorProto)
	unmarshal := proto.UnmarshalOptions{Merge: true, AllowPartial: true, Resolver: (*protoregistry.Types)(nil)}
	var info []byte
	start := 0
	for rest := b; len(rest) > 0; {
		num, typ, tag := protowire.ConsumeTag(rest)
		if tag < 0 {
			return nil, nil, protowire.ParseError(tag)
		}
		size := protowire.ConsumeFieldValue(num, typ, rest[tag:])
		if size < 0 {
			return nil, nil, protowire.ParseError(size)
		}
		offset := len(b) - len(rest)
		if num == fieldSourceCodeInfo && typ == protowire.BytesType {
			value, _ := protowire.ConsumeBytes(rest[tag:])
			info = append(info, value...)
			if err := unmarshal.Unmarshal(b[start:offset], desc); err != nil {
				return nil, nil, err
			}
			start = offset + tag + size
		}
		rest = rest[tag+size:]
	}
	return desc, info, unmarshal.Unmarshal(b[start:], desc)
}

func (f *File) setEdition() error {
	switch syntax := f.Desc.GetSyntax(); syntax {
	case "", "proto2":
		f.Edition = descriptorpb.Edition_EDITION_PROTO2
	case "proto3":
		f.Edition = descriptorpb.Edition_EDITION_PROTO3
	case "editions":
		f.Edition = f.Desc.GetEdition()
	default:
		return errorAt(f.Pos(), "syntax %q is not known: use proto2, proto3 or an edition", syntax)
	}
	switch oldest, newest := descriptorpb.Edition_EDITION_2023, descriptorpb.Edition_EDITION_2024; {
	case !f.toMake || f.Syntax() != "editions":
	case f.Edition > newest:
		return errorAt(f.Pos(), "edition %s is newer than 2024, the newest that this plugin can read", f.EditionName())
	case f.Edition < oldest:
		return errorAt(f.Pos(), "edition %s is not known: use 2023 or 2024", f.EditionName())
	}
	f.features = editionDefaults(f.Edition).with(f.Desc.GetOptions().GetFeatures())
	return nil
}

// declare makes the declarations of a file, not yet linked to each other.
func (f *File) declare() {
	for _, path := range f.Desc.GetDependency() {
		f.imports = append(f.imports, &Decl{Name: path, File: f})
	}
	for _, d := range f.Desc.GetMessageType() {
		f.Messages = append(f.Messages, f.declareMessage(nil, d))
	}
	for _, d := range f.Desc.GetEnumType() {
		f.Enums = append(f.Enums, f.declareEnum(nil, f.features, d))
	}
	for _, d := range f.Desc.GetExtension() {
		f.Extensions = append(f.Extensions, f.declareField(nil, f.features, d))
	}
	for _, d := range f.Desc.GetService() {
		s := &Service{Decl: Decl{Name: d.GetName(), File: f}, FullName: qualify(f.Package, d.GetName()), Desc: d}
		for _, d := range d.GetMethod() {
			s.Methods = append(s.Methods, &Method{Decl: Decl{Name: d.GetName(), File: f}, Parent: s, Desc: d})
		}
		f.Services = append(f.Services, s)
	}
}

func (f *File) declareMessage(parent *Message, d *descriptorpb.DescriptorProto) *Message {
	m := &Message{
		Decl:     Decl{Name: d.GetName(), File: f},
		FullName: childName(f, parent, d.GetName()),
		Parent:   parent,
		Desc:     d,
		Fields:   make([]*Field, 0, len(d.GetField())),
	}
	inherited := f.features
	if parent != nil {
		inherited = parent.features
	}
	m.features = inherited.with(d.GetOptions().GetFeatures())
	for _, o := range d.GetOneofDecl() {
		m.Oneofs = append(m.Oneofs, &Oneof{Decl: Decl{Name: o.GetName(), File: f}, Parent: m, Desc: o})
	}
	for _, x := range d.GetField() {
		field := f.declareField(m, m.features, x)
		if x.OneofIndex != nil {
			if o := at(m.Oneofs, x.GetOneofIndex()); o != nil {
				field.Oneof = o
				o.Fields = append(o.Fields, field)
			}
		}
		m.Fields = append(m.Fields, field)
	}
	for _, n := range d.GetNestedType() {
		m.Messages = append(m.Messages, f.declareMessage(m, n))
	}
	for _, e := range d.GetEnumType() {
		m.Enums = append(m.Enums, f.declareEnum(m, m.features, e))
	}
	for _, x := range d.GetExtension() {
		m.Extensions = append(m.Extensions, f.declareField(m, m.features, x))
	}
	return m
}

func (f *File) declareField(parent *Message, inherited features, d *descriptorpb.FieldDescriptorProto) *Field {
	return &Field{
		Decl:     Decl{Name: d.GetName(), File: f},
		Parent:   parent,
		Desc:     d,
		features: inherited.with(d.GetOptions().GetFeatures()),
	}
}

func (f *File) declareEnum(parent *Message, inherited features, d *descriptorpb.EnumDescriptorProto) *Enum {
	e := &Enum{
		Decl:     Decl{Name: d.GetName(), File: f},
		FullName: childName(f, parent, d.GetName()),
		Parent:   parent,
		Desc:     d,
		Values:   make([]*EnumValue, 0, len(d.GetValue())),
		features: inherited.with(d.GetOptions().GetFeatures()),
	}
	for _, v := range d.GetValue() {
		e.Values = append(e.Values, &EnumValue{Decl: Decl{Name: v.GetName(), File: f}, Parent: e, Desc: v})
	}
	return e
}

// index fills the model's maps and lists the files to generate.
func (m *Model) index(files []*File, wanted []string) error {
	var errs []error
	m.All = files
	for _, f := range files {
		m.files[f.Path] = f
		for msg := range f.AllMessages() {
			errs = append(errs, m.claim(&msg.Decl, msg.FullName))
			m.messages[msg.FullName] = msg
		}
		for e := range f.AllEnums() {
			errs = append(errs, m.claim(&e.Decl, e.FullName))
			m.enums[e.FullName] = e
		}
	}
	for _, path := range wanted {
		f := m.files[path]
		if f == nil {
			errs = append(errs, fmt.Errorf("%s: the request asks for output for this file but does not contain it", path))
			continue
		}
		m.Files = append(m.Files, f)
	}
	return errors.Join(errs...)
}

// claim refuses a type name that another declaration has, and one that could
// not be printed.
func (m *Model) claim(d *Decl, fullName string) error {
	if !utf8.ValidString(fullName) {
		return errorAt(d.Pos(), "type name %q is not valid UTF-8", fullName)
	}
	var other *Decl
	if msg := m.messages[fullName]; msg != nil {
		other = &msg.Decl
	} else if e := m.enums[fullName]; e != nil {
		other = &e.Decl
	}
	if other == nil {
		return nil
	}
	return errorAt(d.Pos(), "%s is already declared at %s", fullName, other.Pos())
}

// link resolves the names of one file's types.
func (m *Model) link(f *File) error {
	var errs []error
	for i, path := range f.Desc.GetDependency() {
		if f.toMake && m.files[path] == nil {
			errs = append(errs, errorAt(f.imports[i].Pos(), "import %q is not in the request: let protoc or buf send all imports", path))
		}
	}
	if len(errs) > 0 {
		return errors.Join(errs...)
	}
	for msg := range f.AllMessages() {
		for _, x := range msg.Fields {
			errs = append(errs, m.linkField(x))
		}
		for _, x := range msg.Extensions {
			errs = append(errs, m.linkExtension(x))
		}
	}
	for _, x := range f.Extensions {
		errs = append(errs, m.linkExtension(x))
	}
	for _, s := range f.Services {
		for _, rpc := range s.Methods {
			errs = append(errs, m.linkMethod(rpc))
		}
	}
	return errors.Join(errs...)
}

func (m *Model) linkExtension(x *Field) error {
	name := x.Desc.GetExtendee()
	if x.Extendee = m.messages[strings.TrimPrefix(name, ".")]; x.Extendee == nil && name != "" {
		return m.unresolved(&x.Decl, "extension "+x.Name+" extends", name)
	}
	if x.Extendee == nil && x.File.toMake {
		return errorAt(x.Pos(), "extension %s does not say which message it extends", x.FullName())
	}
	return m.linkField(x)
}

func (m *Model) linkField(x *Field) error {
	name := x.Desc.GetTypeName()
	if name == "" {
		if (x.Desc.Type == nil || scalarNames[x.Desc.GetType()] == "") && x.File.toMake {
			return errorAt(x.Pos(), "field %s has neither a type nor a type name", x.FullName())
		}
		return nil
	}
	full := strings.TrimPrefix(name, ".")
	if x.Message = m.messages[full]; x.Message != nil {
		return nil
	}
	if x.Enum = m.enums[full]; x.Enum != nil {
		return nil
	}
	return m.unresolved(&x.Decl, "field "+x.FullName()+" has the type", name)
}

func (m *Model) linkMethod(rpc *Method) error {
	var errs []error
	for _, side := range []struct {
		message **Message
		name    string
		what    string
	}{
		{&rpc.Input, rpc.Desc.GetInputType(), "takes"},
		{&rpc.Output, rpc.Desc.GetOutputType(), "returns"},
	} {
		if *side.message = m.messages[strings.TrimPrefix(side.name, ".")]; *side.message == nil {
			errs = append(errs, m.unresolved(&rpc.Decl, "RPC "+rpc.FullName()+" "+side.what, side.name))
		}
	}
	if err := errors.Join(errs...); err != nil || !rpc.File.toMake {
		return err
	}
	var err error
	if rpc.Routes, err = decodeRoutes(rpc.Options().Unknown()); err != nil {
		return errorAt(rpc.Pos(), "option (google.api.http) of %s is broken: %v", rpc.FullName(), err)
	}
	return nil
}

// unresolved is the error for a name that no file of the request declares. In
// an import it does not matter to the output.
func (m *Model) unresolved(d *Decl, what, name string) error {
	if !d.File.toMake {
		return nil
	}
	return errorAt(d.Pos(), "%s %s, which no file of the request declares", what, strings.TrimPrefix(name, "."))
}
