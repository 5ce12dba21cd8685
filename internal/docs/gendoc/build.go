package gendoc

import (
	"cmp"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/api"
)

// Settings are what a user can say about the model.
type Settings struct {
	// CamelCaseFields prints field names in camel case, as protoc-gen-doc's
	// camel_case_fields=true does.
	CamelCaseFields bool
	// SourceOrder keeps a file's declarations in the order of the source
	// instead of sorting them by LongName.
	SourceOrder bool
	// SourceURL is the address of a declaration's source, with {path}, {line}
	// and {end} in it; empty for none.
	SourceURL string
}

// SourceOf is the address of a declaration's source; empty without a SourceURL,
// and for what no line of a file declares, such as the entry of a map.
func (s Settings) SourceOf(d *api.Decl) string {
	line, end := d.Pos().Line, d.EndLine()
	switch {
	case s.SourceURL == "":
		return ""
	case d == d.File.Declaration():
		line, end = 1, 1 // a file begins before its syntax declaration
	case line == 0 && strings.Contains(s.SourceURL, "{line}"):
		return ""
	}
	return strings.NewReplacer(
		"{path}", (&url.URL{Path: d.File.Path}).EscapedPath(),
		"{line}", strconv.Itoa(line),
		"{end}", strconv.Itoa(end),
	).Replace(s.SourceURL)
}

// context is what all parts of one model share.
type context struct {
	Settings
	model *api.Model
}

// Build makes the model of the given files, which keep their order.
func Build(model *api.Model, files []*api.File, settings Settings) (*Template, error) {
	c := &context{Settings: settings, model: model}
	t := &Template{Files: make([]*File, len(files)), Scalars: scalars}
	err := api.Parallel(len(files), func(i int) error {
		b := builder{context: c, file: files[i]}
		t.Files[i] = b.build()
		return errors.Join(b.errs...)
	})
	if err != nil {
		return nil, err
	}
	return t, nil
}

// builder makes the model of one file.
type builder struct {
	*context
	file *api.File
	errs []error
}

func (b *builder) build() *File {
	x := b.file
	f := &File{
		Name:          x.Path,
		Description:   description(x.Comments),
		Package:       x.Package,
		HasEnums:      len(x.Enums) > 0,
		HasExtensions: len(x.Extensions) > 0,
		HasMessages:   len(x.Messages) > 0,
		HasServices:   len(x.Services) > 0,
		Enums:         list[*Enum]{},
		Extensions:    make(list[*FileExtension], 0, len(x.Extensions)),
		Messages:      list[*Message]{},
		Services:      make(list[*Service], 0, len(x.Services)),
		Options:       b.options(&x.Decl, x.Options()),
		x:             x,
		c:             b.context,
	}
	for e := range x.AllEnums() {
		f.Enums = append(f.Enums, b.enum(e))
	}
	for _, e := range x.Extensions {
		f.Extensions = append(f.Extensions, b.extension(e))
	}
	for m := range x.AllMessages() {
		f.Messages = append(f.Messages, b.message(m))
	}
	for _, s := range x.Services {
		f.Services = append(f.Services, b.service(s))
	}
	if !b.SourceOrder {
		slices.SortStableFunc(f.Enums, func(a, b *Enum) int { return cmp.Compare(a.LongName, b.LongName) })
		slices.SortStableFunc(f.Extensions, func(a, b *FileExtension) int { return cmp.Compare(a.LongName, b.LongName) })
		slices.SortStableFunc(f.Messages, func(a, b *Message) int { return cmp.Compare(a.LongName, b.LongName) })
		slices.SortStableFunc(f.Services, func(a, b *Service) int { return cmp.Compare(a.LongName, b.LongName) })
	}
	return f
}

func (b *builder) enum(x *api.Enum) *Enum {
	e := &Enum{
		Name:        x.Name,
		LongName:    x.LongName(),
		FullName:    b.qualify(x.FullName),
		Description: description(x.Comments),
		Values:      make([]*EnumValue, 0, len(x.Values)),
		Options:     b.options(&x.Decl, x.Options()),
		x:           x,
		c:           b.context,
	}
	for _, v := range x.Values {
		e.Values = append(e.Values, &EnumValue{
			Name:        v.Name,
			Number:      strconv.Itoa(int(v.Desc.GetNumber())),
			Description: description(v.Comments),
			Options:     b.options(&v.Decl, v.Options()),
			x:           v,
			c:           b.context,
		})
	}
	return e
}

func (b *builder) message(x *api.Message) *Message {
	m := &Message{
		Name:          x.Name,
		LongName:      x.LongName(),
		FullName:      b.qualify(x.FullName),
		Description:   description(x.Comments),
		HasExtensions: len(x.Extensions) > 0,
		HasFields:     len(x.Fields) > 0,
		HasOneofs:     len(x.Oneofs) > 0,
		Extensions:    make([]*MessageExtension, 0, len(x.Extensions)),
		Fields:        make([]*MessageField, 0, len(x.Fields)),
		Options:       b.options(&x.Decl, x.Options()),
		x:             x,
		c:             b.context,
	}
	for _, e := range x.Extensions {
		m.Extensions = append(m.Extensions, &MessageExtension{
			FileExtension: *b.extension(e),
			ScopeType:     m.Name,
			ScopeLongType: m.LongName,
			ScopeFullType: m.FullName,
		})
	}
	for _, f := range x.Fields {
		m.Fields = append(m.Fields, b.field(f))
	}
	return m
}

func (b *builder) field(x *api.Field) *MessageField {
	base, long, full := b.fieldType(x)
	f := &MessageField{
		Name:         x.Name,
		Description:  description(x.Comments),
		Label:        b.label(x),
		Type:         base,
		LongType:     long,
		FullType:     full,
		IsOneof:      x.Oneof != nil,
		DefaultValue: x.Desc.GetDefaultValue(),
		Options:      b.options(&x.Decl, x.Options()),
		x:            x,
		c:            b.context,
	}
	if b.CamelCaseFields {
		f.Name = camelCase(f.Name)
	}
	if x.Oneof != nil {
		f.OneofDecl = x.Oneof.Name
	}
	const entry = "Entry"
	f.IsMap = f.Label == "repeated" && strings.Contains(long, ".") && strings.HasSuffix(base, entry) &&
		strings.HasSuffix(long, entry) && strings.HasSuffix(full, entry)
	return f
}

func (b *builder) extension(x *api.Field) *FileExtension {
	base, long, full := b.fieldType(x)
	extendee := x.Desc.GetExtendee()
	e := &FileExtension{
		Name:               x.Name,
		LongName:           extendee + "." + x.Name,
		Description:        description(x.Comments),
		Label:              b.label(x),
		Type:               base,
		LongType:           long,
		FullType:           full,
		Number:             int(x.Desc.GetNumber()),
		DefaultValue:       x.Desc.GetDefaultValue(),
		ContainingType:     baseName(extendee),
		ContainingLongType: b.foreignName(extendee),
		ContainingFullType: strings.TrimPrefix(extendee, "."),
		x:                  x,
		c:                  b.context,
	}
	if strings.Contains(e.LongName, b.file.Package) {
		e.LongName = e.ContainingType + "." + x.Name
	}
	e.FullName = e.LongName
	if !strings.HasPrefix(e.LongName, ".") {
		e.FullName = b.file.Package + "." + e.LongName
	}
	return e
}

func (b *builder) service(x *api.Service) *Service {
	s := &Service{
		Name:        x.Name,
		LongName:    x.Name,
		FullName:    b.qualify(x.FullName),
		Description: description(x.Comments),
		Options:     b.options(&x.Decl, x.Options()),
		x:           x,
		c:           b.context,
	}
	for _, m := range x.Methods {
		input, output := m.Desc.GetInputType(), m.Desc.GetOutputType()
		s.Methods = append(s.Methods, &ServiceMethod{
			Name:              m.Name,
			Description:       description(m.Comments),
			RequestType:       baseName(input),
			RequestLongType:   b.foreignName(input),
			RequestFullType:   strings.TrimPrefix(input, "."),
			RequestStreaming:  m.Desc.GetClientStreaming(),
			ResponseType:      baseName(output),
			ResponseLongType:  b.foreignName(output),
			ResponseFullType:  strings.TrimPrefix(output, "."),
			ResponseStreaming: m.Desc.GetServerStreaming(),
			Options:           b.methodOptions(m),
			x:                 m,
			c:                 b.context,
		})
	}
	return s
}

// qualify gives a full name the leading dot that protoc-gen-doc's has in a file
// without a package.
func (b *builder) qualify(fullName string) string {
	if b.file.Package == "" {
		return "." + fullName
	}
	return fullName
}

// fieldType returns the last part, the name from the file's package on, and the
// full name of a field's type; three times the keyword of a scalar.
func (b *builder) fieldType(x *api.Field) (base, long, full string) {
	full = x.TypeName()
	if x.Desc.GetTypeName() == "" {
		return full, full, full
	}
	return baseName(full), strings.TrimPrefix(full, b.file.Package+"."), full
}

// foreignName is the name from the file's package on. A type of another package,
// and every type in a file without one, keeps its leading dot.
func (b *builder) foreignName(name string) string {
	return strings.TrimPrefix(name, "."+b.file.Package+".")
}

func baseName(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

// label is empty for a singular proto3 field that is not marked optional.
// Editions say by their features what proto2 and proto3 say by labels.
func (b *builder) label(x *api.Field) string {
	switch {
	case x.IsRepeated():
		return "repeated"
	case x.File.Syntax() == "editions" && x.Extendee == nil:
		return editionLabel(x)
	case x.Desc.GetLabel() == descriptorpb.FieldDescriptorProto_LABEL_REQUIRED:
		return "required"
	case x.File.Syntax() != "proto3" || x.Desc.GetProto3Optional():
		return "optional"
	}
	return ""
}

func editionLabel(x *api.Field) string {
	switch x.Presence() {
	case api.PresenceRequired:
		return "required"
	case api.PresenceImplicit:
		return ""
	}
	return "optional"
}

// description is a declaration's comment as protoc-gen-doc prints it: leading
// and trailing comment joined, without one space at the start of each line,
// without the characters of "*/\n " at its start, and empty where the rest
// starts with @exclude.
func description(c api.Comments) string {
	text := scrub(c.Leading)
	if trailing := scrub(c.Trailing); trailing != "" {
		if text != "" {
			text += "\n\n"
		}
		text += trailing
	}
	text = strings.TrimLeft(text, "*/\n ")
	if strings.HasPrefix(text, "@exclude") {
		return ""
	}
	return text
}

func scrub(comment string) string {
	return strings.TrimSpace(strings.ReplaceAll(comment, "\n ", "\n"))
}

// camelCase is protoc-gen-doc's camel_case_fields: the first word in lower case,
// the first letter of each other word in upper case. Empty words, on which
// protoc-gen-doc crashes, are left out.
func camelCase(name string) string {
	words := strings.Split(name, "_")
	var out strings.Builder
	for i, word := range words {
		if i == 0 {
			out.WriteString(strings.ToLower(word))
		} else if word != "" {
			out.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
	}
	return out.String()
}
