package gendoc

import (
	"cmp"
	"slices"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/api"
)

// option looks an option up in the map that protoc-gen-doc fills, then among
// all others that the declaration has. It is nil, which prints as <no value>,
// where the option is not set; deprecated = false is not set for protoc-gen-doc.
func option(known map[string]any, all api.Options, name string) any {
	if v, ok := known[name]; ok {
		return v
	}
	v, _ := all.Value(name)
	if name == "deprecated" && v == false {
		return nil
	}
	return v
}

// names lists the options that any element of a list has, sorted; nil for none.
func names[E any](list []E, options func(E) map[string]any) []string {
	seen := make(map[string]bool)
	for _, e := range list {
		for name := range options(e) {
			seen[name] = true
		}
	}
	if len(seen) == 0 {
		return nil
	}
	out := make([]string, 0, len(seen))
	for name := range seen {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// with lists the elements that have an option, in their order; nil for none.
func with[E any](list []E, name string, get func(E, string) any) []E {
	var out []E
	for _, e := range list {
		if get(e, name) != nil {
			out = append(out, e)
		}
	}
	return out
}

// Option returns the named option of the file, or nil.
func (f *File) Option(name string) any { return option(f.Options, f.x.Options(), name) }

// Option returns the named option of the message, or nil.
func (m *Message) Option(name string) any { return option(m.Options, m.x.Options(), name) }

// FieldOptions lists the options that any field of the message has.
func (m *Message) FieldOptions() []string {
	return names(m.Fields, func(f *MessageField) map[string]any { return f.Options })
}

// FieldsWithOption lists the fields that have the named option.
func (m *Message) FieldsWithOption(name string) []*MessageField {
	return with(m.Fields, name, func(f *MessageField, name string) any { return f.Option(name) })
}

// Option returns the named option of the field, or nil.
func (f *MessageField) Option(name string) any { return option(f.Options, f.x.Options(), name) }

// Option returns the named option of the enum, or nil.
func (e *Enum) Option(name string) any { return option(e.Options, e.x.Options(), name) }

// ValueOptions lists the options that any value of the enum has.
func (e *Enum) ValueOptions() []string {
	return names(e.Values, func(v *EnumValue) map[string]any { return v.Options })
}

// ValuesWithOption lists the values that have the named option.
func (e *Enum) ValuesWithOption(name string) []*EnumValue {
	return with(e.Values, name, func(v *EnumValue, name string) any { return v.Option(name) })
}

// Option returns the named option of the value, or nil.
func (v *EnumValue) Option(name string) any { return option(v.Options, v.x.Options(), name) }

// Option returns the named option of the service, or nil.
func (s *Service) Option(name string) any { return option(s.Options, s.x.Options(), name) }

// MethodOptions lists the options that any method of the service has.
func (s *Service) MethodOptions() []string {
	return names(s.Methods, func(m *ServiceMethod) map[string]any { return m.Options })
}

// MethodsWithOption lists the methods that have the named option.
func (s *Service) MethodsWithOption(name string) []*ServiceMethod {
	return with(s.Methods, name, func(m *ServiceMethod, name string) any { return m.Option(name) })
}

// Option returns the named option of the method, or nil.
func (m *ServiceMethod) Option(name string) any { return option(m.Options, m.x.Options(), name) }

// What follows is new to templates written for protoc-gen-doc. These are
// methods and not fields, so that toJson prints what it always printed.

// CustomOption is an option that descriptor.proto does not define, with its
// value decoded by the extension that a file of the request declares.
type CustomOption = api.Option

// CustomOptions lists the custom options of a declaration by name.
func (f *File) CustomOptions() []CustomOption          { return f.x.Options().Custom() }
func (m *Message) CustomOptions() []CustomOption       { return m.x.Options().Custom() }
func (f *MessageField) CustomOptions() []CustomOption  { return f.x.Options().Custom() }
func (e *FileExtension) CustomOptions() []CustomOption { return e.x.Options().Custom() }
func (e *Enum) CustomOptions() []CustomOption          { return e.x.Options().Custom() }
func (v *EnumValue) CustomOptions() []CustomOption     { return v.x.Options().Custom() }
func (s *Service) CustomOptions() []CustomOption       { return s.x.Options().Custom() }
func (m *ServiceMethod) CustomOptions() []CustomOption { return m.x.Options().Custom() }

// Option returns the named option of the extension, or nil.
func (e *FileExtension) Option(name string) any { return option(nil, e.x.Options(), name) }

// Deprecated tells whether the declaration is marked deprecated.
func (f *File) Deprecated() bool          { return f.x.Options().Deprecated() }
func (m *Message) Deprecated() bool       { return m.x.Options().Deprecated() }
func (f *MessageField) Deprecated() bool  { return f.x.Options().Deprecated() }
func (e *FileExtension) Deprecated() bool { return e.x.Options().Deprecated() }
func (e *Enum) Deprecated() bool          { return e.x.Options().Deprecated() }
func (v *EnumValue) Deprecated() bool     { return v.x.Options().Deprecated() }
func (s *Service) Deprecated() bool       { return s.x.Options().Deprecated() }
func (m *ServiceMethod) Deprecated() bool { return m.x.Options().Deprecated() }

// Line is the line on which the declaration starts, counted from 1; 0 where the
// request has no source info.
func (m *Message) Line() int       { return m.x.Pos().Line }
func (f *MessageField) Line() int  { return f.x.Pos().Line }
func (e *FileExtension) Line() int { return e.x.Pos().Line }
func (e *Enum) Line() int          { return e.x.Pos().Line }
func (v *EnumValue) Line() int     { return v.x.Pos().Line }
func (s *Service) Line() int       { return s.x.Pos().Line }
func (m *ServiceMethod) Line() int { return m.x.Pos().Line }

// SourceURL is the address of the declaration's source, made from the option
// source_url; empty without it.
func (f *File) SourceURL() string          { return f.c.SourceOf(&f.x.Decl) }
func (m *Message) SourceURL() string       { return m.c.SourceOf(&m.x.Decl) }
func (f *MessageField) SourceURL() string  { return f.c.SourceOf(&f.x.Decl) }
func (e *FileExtension) SourceURL() string { return e.c.SourceOf(&e.x.Decl) }
func (e *Enum) SourceURL() string          { return e.c.SourceOf(&e.x.Decl) }
func (v *EnumValue) SourceURL() string     { return v.c.SourceOf(&v.x.Decl) }
func (s *Service) SourceURL() string       { return s.c.SourceOf(&s.x.Decl) }
func (m *ServiceMethod) SourceURL() string { return m.c.SourceOf(&m.x.Decl) }

// Syntax is proto2, proto3 or editions.
func (f *File) Syntax() string { return f.x.Syntax() }

// Edition is the edition that the file declares, such as 2023; empty for proto2
// and proto3.
func (f *File) Edition() string { return f.x.EditionName() }

// PackageDescription is the comment on the package declaration.
func (f *File) PackageDescription() string { return description(f.x.PackageComments) }

// Imports lists the paths of the files that the file imports.
func (f *File) Imports() []string { return f.x.Desc.GetDependency() }

// Oneof is a oneof of a message.
type Oneof struct {
	Name        string
	Description string
	Fields      []*MessageField

	x *api.Oneof
}

// CustomOptions lists the custom options of the oneof by name.
func (o *Oneof) CustomOptions() []CustomOption { return o.x.Options().Custom() }

// Option returns the named option of the oneof, or nil.
func (o *Oneof) Option(name string) any { return option(nil, o.x.Options(), name) }

// Oneofs lists the message's real oneofs: not those that proto3 optional fields
// are compiled to.
func (m *Message) Oneofs() []*Oneof {
	var out []*Oneof
	for _, x := range m.x.Oneofs {
		if x.IsSynthetic() {
			continue
		}
		o := &Oneof{Name: x.Name, Description: description(x.Comments), x: x}
		for _, f := range m.Fields {
			if f.x.Oneof == x {
				o.Fields = append(o.Fields, f)
			}
		}
		out = append(out, o)
	}
	return out
}

// IsMapEntry tells the hidden message that a map field is compiled to.
func (m *Message) IsMapEntry() bool { return m.x.IsMapEntry() }

// ReservedNames lists the names that the message reserves.
func (m *Message) ReservedNames() []string { return m.x.Desc.GetReservedName() }

// Range is a range of numbers, both ends included.
type Range = api.Range

// ReservedRanges lists the field numbers that the message reserves.
func (m *Message) ReservedRanges() []Range { return m.x.ReservedRanges() }

// ExtensionRanges lists the field numbers that the message leaves to extensions.
func (m *Message) ExtensionRanges() []Range { return m.x.ExtensionRanges() }

// ReservedNames lists the names that the enum reserves.
func (e *Enum) ReservedNames() []string { return e.x.Desc.GetReservedName() }

// ReservedRanges lists the numbers that the enum reserves.
func (e *Enum) ReservedRanges() []Range { return e.x.ReservedRanges() }

// Number is the field's number.
func (f *MessageField) Number() int { return int(f.x.Desc.GetNumber()) }

// JSONName is the field's name in JSON.
func (f *MessageField) JSONName() string { return f.x.Desc.GetJsonName() }

// Presence is implicit, optional, required or repeated, whatever the syntax or
// edition says it with.
func (f *MessageField) Presence() string { return f.x.Presence().String() }

// MapField is the key or the value of a map.
type MapField struct{ Type, LongType, FullType string }

// MapKey is the type of a real map field's keys; nil for other fields.
func (f *MessageField) MapKey() *MapField { return f.mapField(f.x.MapKey()) }

// MapValue is the type of a real map field's values; nil for other fields.
func (f *MessageField) MapValue() *MapField { return f.mapField(f.x.MapValue()) }

func (f *MessageField) mapField(x *api.Field) *MapField {
	if x == nil {
		return nil
	}
	b := builder{context: f.c, file: x.File}
	base, long, full := b.fieldType(x)
	return &MapField{base, long, full}
}

// Section is the heading that the value stands under: the last detached comment
// before it; empty above the first one.
func (v *EnumValue) Section() string { return v.x.Section }

// Section is a part of an enum under one detached comment.
type Section struct {
	Title  string
	Values []*EnumValue
}

// Sections splits the enum's values at their detached comments. The first
// section has no title where values stand above the first comment.
func (e *Enum) Sections() []*Section {
	var out []*Section
	for _, v := range e.Values {
		if title := v.Section(); len(out) == 0 || out[len(out)-1].Title != title {
			out = append(out, &Section{Title: title})
		}
		last := out[len(out)-1]
		last.Values = append(last.Values, v)
	}
	return out
}

// Routes lists the HTTP routes of the RPC (google.api.http) with its additional
// bindings; nil where it has none.
func (m *ServiceMethod) Routes() []HTTPRule {
	return httpExtension(m.x.Routes).Rules
}

// UsedBy lists the full names of the fields and RPCs of the generated files that
// refer to the message.
func (m *Message) UsedBy() []string { return m.c.usedBy(m.x) }

// UsedBy lists the full names of the fields of the generated files that refer to
// the enum.
func (e *Enum) UsedBy() []string { return e.c.usedBy(e.x) }

func (c *context) usedBy(t api.Type) []string {
	var out []string
	for _, use := range c.model.UsedBy(t) {
		out = append(out, use.Name)
	}
	slices.SortFunc(out, cmp.Compare)
	return out
}
