// Package api is one model of what the .proto files of a request say: names,
// comments, sections, routes, options and source positions. It is built from
// descriptors alone, so a file needs no go_package, no package, no comments and
// no source info.
package api

import (
	"cmp"
	"fmt"
	"iter"
	"strings"
	"sync"

	"google.golang.org/protobuf/types/descriptorpb"
)

// Model holds the files of one request.
type Model struct {
	// Files are the files to generate, in the request's order.
	Files []*File
	// All are all files of the request, imports before their importers.
	All []*File

	files    map[string]*File
	messages map[string]*Message
	enums    map[string]*Enum

	options extensionIndex
	users   struct {
		once sync.Once
		of   map[Type][]Use
	}
}

// File returns the file with the given path, a file to generate or an import;
// nil if the request has none.
func (m *Model) File(path string) *File { return m.files[path] }

// Message returns the message with the given full name, or nil.
func (m *Model) Message(fullName string) *Message { return m.messages[fullName] }

// Enum returns the enum with the given full name, or nil.
func (m *Model) Enum(fullName string) *Enum { return m.enums[fullName] }

// Type is a message or an enum: what a field can refer to.
type Type interface {
	// Declaration is the name, the comments and the place of the type.
	Declaration() *Decl
}

// Decl is what every declaration in a .proto file has.
type Decl struct {
	Name     string
	File     *File
	Comments Comments

	line, column, endLine int32 // one-based; 0 where the request has no source info
}

// Declaration returns d, so that everything that embeds a Decl has one.
func (d *Decl) Declaration() *Decl { return d }

// Pos is where the declaration starts.
func (d *Decl) Pos() Position {
	return Position{Path: d.File.Path, Line: int(d.line), Column: int(d.column)}
}

// EndLine is the one-based line on which the declaration ends; 0 if unknown.
func (d *Decl) EndLine() int { return int(d.endLine) }

// Comments are the comments of one declaration as protoc attaches them, without
// the comment markers (SourceCodeInfo.Location in descriptor.proto).
type Comments struct {
	Leading, Trailing string
	// Detached are the comments before the leading one, each separated from
	// what follows it by a blank line.
	Detached []string
}

// Position is a place in a .proto file. Line and Column count from 1; they are 0
// where the request carries no source info.
type Position struct {
	Path         string
	Line, Column int
}

// String is path:line:column, or the path alone where the place is unknown.
func (p Position) String() string {
	if p.Line == 0 {
		return p.Path
	}
	return fmt.Sprintf("%s:%d:%d", p.Path, p.Line, p.Column)
}

// Compare orders positions by file, line and column.
func (p Position) Compare(q Position) int {
	return cmp.Or(cmp.Compare(p.Path, q.Path), cmp.Compare(p.Line, q.Line), cmp.Compare(p.Column, q.Column))
}

// File is one .proto file.
type File struct {
	Decl
	Path    string
	Package string
	// Edition is the file's edition, or EDITION_PROTO2 or EDITION_PROTO3.
	Edition descriptorpb.Edition
	// PackageComments are the comments of the package declaration; the file's
	// own Comments are those of its syntax or edition declaration.
	PackageComments Comments
	Messages        []*Message
	Enums           []*Enum
	Extensions      []*Field
	Services        []*Service
	// Desc is the descriptor without its source info, which the declarations
	// have taken over.
	Desc *descriptorpb.FileDescriptorProto

	model    *Model
	features features
	imports  []*Decl // by their paths, without comments
	toMake   bool
}

// Generated tells whether output is asked for this file; the others are imports.
func (f *File) Generated() bool { return f.toMake }

// Syntax is "proto2", "proto3" or "editions".
func (f *File) Syntax() string {
	switch f.Edition {
	case descriptorpb.Edition_EDITION_PROTO2:
		return "proto2"
	case descriptorpb.Edition_EDITION_PROTO3:
		return "proto3"
	}
	return "editions"
}

// EditionName is the edition as a file declares it ("2023"); "" for proto2 and
// proto3.
func (f *File) EditionName() string {
	if f.Syntax() != "editions" {
		return ""
	}
	return strings.TrimPrefix(f.Edition.String(), "EDITION_")
}

// Options are the file's own options.
func (f *File) Options() Options { return newOptions(f.model, f.Desc.GetOptions()) }

// AllMessages walks the file's messages, each before those nested in it, map
// entries included.
func (f *File) AllMessages() iter.Seq[*Message] {
	return func(yield func(*Message) bool) { walkMessages(f.Messages, yield) }
}

func walkMessages(list []*Message, yield func(*Message) bool) bool {
	for _, m := range list {
		if !yield(m) || !walkMessages(m.Messages, yield) {
			return false
		}
	}
	return true
}

// AllEnums walks the file's enums: those at the top level, then those nested in
// messages.
func (f *File) AllEnums() iter.Seq[*Enum] {
	return func(yield func(*Enum) bool) {
		for _, e := range f.Enums {
			if !yield(e) {
				return
			}
		}
		for m := range f.AllMessages() {
			for _, e := range m.Enums {
				if !yield(e) {
					return
				}
			}
		}
	}
}

// Message is a message, a group or the hidden entry of a map field.
type Message struct {
	Decl
	FullName   string
	Parent     *Message // nil at the top level
	Fields     []*Field
	Oneofs     []*Oneof
	Messages   []*Message
	Enums      []*Enum
	Extensions []*Field // declared inside the message, whatever they extend
	Desc       *descriptorpb.DescriptorProto

	features features
}

// LongName is the name inside the package: Outer.Inner.
func (m *Message) LongName() string { return longName(m.File, m.FullName) }

// Options are the message's own options.
func (m *Message) Options() Options { return newOptions(m.File.model, m.Desc.GetOptions()) }

// IsMapEntry tells the entry type that a map field is compiled to.
func (m *Message) IsMapEntry() bool { return m.Desc.GetOptions().GetMapEntry() }

// Field is a field of a message, or an extension.
type Field struct {
	Decl
	Parent   *Message // the message that it is declared in; nil for a top-level extension
	Oneof    *Oneof   // nil outside of a oneof; also set for a synthetic one
	Message  *Message // type of a message, group or map field
	Enum     *Enum    // type of an enum field
	Extendee *Message // nil unless it is an extension
	Desc     *descriptorpb.FieldDescriptorProto

	features features
}

// FullName is the field's full name.
func (f *Field) FullName() string { return childName(f.File, f.Parent, f.Name) }

// Options are the field's own options.
func (f *Field) Options() Options { return newOptions(f.File.model, f.Desc.GetOptions()) }

// JSONName is the field's name in JSON. Compilers other than protoc may leave it
// out of a descriptor where it is the one that the field's name leads to.
func (f *Field) JSONName() string {
	if name := f.Desc.GetJsonName(); name != "" {
		return name
	}
	return DefaultJSONName(f.Name)
}

// DefaultJSONName is a field's name in lowerCamelCase, as protoc makes it.
func DefaultJSONName(name string) string {
	var out strings.Builder
	upper := false
	for _, c := range name {
		switch {
		case c == '_':
			upper = true
			continue
		case upper && 'a' <= c && c <= 'z':
			c -= 'a' - 'A'
		}
		upper = false
		out.WriteRune(c)
	}
	return out.String()
}

// IsRepeated tells repeated fields, map fields included.
func (f *Field) IsRepeated() bool {
	return f.Desc.GetLabel() == descriptorpb.FieldDescriptorProto_LABEL_REPEATED
}

// IsMap tells a real map field, by its entry type and not by any name.
func (f *Field) IsMap() bool { return f.IsRepeated() && f.Message != nil && f.Message.IsMapEntry() }

// MapKey and MapValue are the fields of a map's entry type; nil for other
// fields.
func (f *Field) MapKey() *Field   { return f.mapEntryField(0) }
func (f *Field) MapValue() *Field { return f.mapEntryField(1) }

func (f *Field) mapEntryField(i int) *Field {
	if !f.IsMap() || len(f.Message.Fields) != 2 {
		return nil
	}
	return f.Message.Fields[i]
}

// TypeName is the type as a .proto file would name it in full: a scalar keyword
// or the full name of a message or an enum, without a leading dot.
func (f *Field) TypeName() string {
	if name := f.Desc.GetTypeName(); name != "" {
		return strings.TrimPrefix(name, ".")
	}
	return scalarNames[f.Desc.GetType()]
}

var scalarNames = map[descriptorpb.FieldDescriptorProto_Type]string{
	descriptorpb.FieldDescriptorProto_TYPE_DOUBLE:   "double",
	descriptorpb.FieldDescriptorProto_TYPE_FLOAT:    "float",
	descriptorpb.FieldDescriptorProto_TYPE_INT64:    "int64",
	descriptorpb.FieldDescriptorProto_TYPE_UINT64:   "uint64",
	descriptorpb.FieldDescriptorProto_TYPE_INT32:    "int32",
	descriptorpb.FieldDescriptorProto_TYPE_FIXED64:  "fixed64",
	descriptorpb.FieldDescriptorProto_TYPE_FIXED32:  "fixed32",
	descriptorpb.FieldDescriptorProto_TYPE_BOOL:     "bool",
	descriptorpb.FieldDescriptorProto_TYPE_STRING:   "string",
	descriptorpb.FieldDescriptorProto_TYPE_BYTES:    "bytes",
	descriptorpb.FieldDescriptorProto_TYPE_UINT32:   "uint32",
	descriptorpb.FieldDescriptorProto_TYPE_SFIXED32: "sfixed32",
	descriptorpb.FieldDescriptorProto_TYPE_SFIXED64: "sfixed64",
	descriptorpb.FieldDescriptorProto_TYPE_SINT32:   "sint32",
	descriptorpb.FieldDescriptorProto_TYPE_SINT64:   "sint64",
}

// Oneof is a oneof of a message.
type Oneof struct {
	Decl
	Parent *Message
	Fields []*Field
	Desc   *descriptorpb.OneofDescriptorProto
}

// FullName is the oneof's full name.
func (o *Oneof) FullName() string { return childName(o.File, o.Parent, o.Name) }

// Options are the oneof's own options.
func (o *Oneof) Options() Options { return newOptions(o.File.model, o.Desc.GetOptions()) }

// IsSynthetic tells the oneof that a proto3 optional field is compiled to.
func (o *Oneof) IsSynthetic() bool {
	return len(o.Fields) == 1 && o.Fields[0].Desc.GetProto3Optional()
}

// Enum is an enum.
type Enum struct {
	Decl
	FullName string
	Parent   *Message // nil at the top level
	Values   []*EnumValue
	Desc     *descriptorpb.EnumDescriptorProto

	features features
}

// LongName is the name inside the package: Outer.Inner.
func (e *Enum) LongName() string { return longName(e.File, e.FullName) }

// Options are the enum's own options.
func (e *Enum) Options() Options { return newOptions(e.File.model, e.Desc.GetOptions()) }

// EnumValue is a value of an enum.
type EnumValue struct {
	Decl
	Parent *Enum
	// Section is the heading that the value stands under: the last comment that
	// is detached from this value or from one before it ("Build Errors").
	Section string
	Desc    *descriptorpb.EnumValueDescriptorProto
}

// FullName is the value's full name: a value is a sibling of its enum and not
// nested in it.
func (v *EnumValue) FullName() string { return childName(v.File, v.Parent.Parent, v.Name) }

// Options are the value's own options.
func (v *EnumValue) Options() Options { return newOptions(v.File.model, v.Desc.GetOptions()) }

// Service is a service.
type Service struct {
	Decl
	FullName string
	Methods  []*Method
	Desc     *descriptorpb.ServiceDescriptorProto
}

// Options are the service's own options.
func (s *Service) Options() Options { return newOptions(s.File.model, s.Desc.GetOptions()) }

// Method is an RPC.
type Method struct {
	Decl
	Parent        *Service
	Input, Output *Message
	Routes        []Route // its google.api.http rule and the additional bindings
	Desc          *descriptorpb.MethodDescriptorProto
}

// FullName is the method's full name, with dots alone: pkg.Service.Method.
func (m *Method) FullName() string { return m.Parent.FullName + "." + m.Name }

// Options are the method's own options.
func (m *Method) Options() Options { return newOptions(m.File.model, m.Desc.GetOptions()) }

func longName(f *File, fullName string) string {
	if f.Package == "" {
		return fullName
	}
	return fullName[len(f.Package)+1:]
}

func childName(f *File, parent *Message, name string) string {
	if parent != nil {
		return parent.FullName + "." + name
	}
	return qualify(f.Package, name)
}

func qualify(scope, name string) string {
	if scope == "" {
		return name
	}
	return scope + "." + name
}
