package synth

import (
	"math/rand/v2"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
)

// sourceWriter builds a file of a module and, beside it, the source info that
// a compiler would have written: a location for every element and for every
// name, type and number in it. Most of a real request is that.
type sourceWriter struct {
	rng   *rand.Rand
	index int
	noun  string
	pb    *descriptorpb.FileDescriptorProto
	info  *descriptorpb.SourceCodeInfo
	line  int32
	depth int32
}

// open starts an element on a line of its own, below its comment; close ends
// it.
func (w *sourceWriter) open(path []int32, comment string) *descriptorpb.SourceCodeInfo_Location {
	loc := &descriptorpb.SourceCodeInfo_Location{Path: path}
	if comment != "" {
		text := " " + strings.ReplaceAll(w.expand(comment), "\n", "\n ") + "\n"
		loc.LeadingComments = &text
		w.line += int32(strings.Count(text, "\n"))
	}
	loc.Span = []int32{w.line, 2 * w.depth}
	w.info.Location = append(w.info.Location, loc)
	return loc
}

func (w *sourceWriter) close(loc *descriptorpb.SourceCodeInfo_Location, column int32) {
	if loc.Span[0] == w.line {
		loc.Span = append(loc.Span, column)
	} else {
		loc.Span = append(loc.Span, w.line, column)
	}
	w.line++
}

// expand puts the noun of the file into a text, "{a}" with its article.
func (w *sourceWriter) expand(text string) string {
	noun := strings.ToLower(w.noun)
	article := "a "
	if strings.ContainsAny(noun[:1], "aeiou") {
		article = "an "
	}
	return strings.NewReplacer("{nouns}", noun+"s", "{noun}", noun, "{a}", article+noun).Replace(text)
}

// statement is an element of one line with nothing inside.
func (w *sourceWriter) statement(path []int32, comment string) {
	w.close(w.open(path, comment), 2*w.depth+48)
}

// token adds the location of a part of the current line.
func (w *sourceWriter) token(path []int32, column, length int32) int32 {
	w.info.Location = append(w.info.Location, &descriptorpb.SourceCodeInfo_Location{Path: path, Span: []int32{w.line, column, column + length}})
	return column + length + 1
}

func under(path []int32, field int32) []int32 {
	return append(append([]int32(nil), path...), field)
}

// imports lists the files that this one refers to: the options and types it
// always uses, the file before it and the first of the package before its own.
func (w *sourceWriter) imports() {
	w.pb.Dependency = []string{annotationsPath, durationPath, timestampPath}
	if w.index%filesPerPackage > 0 {
		w.pb.Dependency = append(w.pb.Dependency, modulePath(w.index-1))
	}
	if w.index >= filesPerPackage {
		w.pb.Dependency = append(w.pb.Dependency, modulePath(w.foreign()))
	}
	for i := range w.pb.Dependency {
		w.statement(step(nil, fileDependency, i), "")
	}
}

// foreign is the file of another package that this one refers to.
func (w *sourceWriter) foreign() int { return (w.index/filesPerPackage - 1) * filesPerPackage }

// typeName resolves the type of a field that depends on the file; references
// that the file cannot make are to itself.
func (w *sourceWriter) typeName(t string) string {
	pkg := "." + w.pb.GetPackage() + "."
	switch t {
	case "@state":
		return pkg + w.noun + "State"
	case "@priority":
		return pkg + w.noun + "Priority"
	case "@part":
		return pkg + w.noun + ".Part"
	case "@neighbour":
		if w.index%filesPerPackage > 0 {
			return pkg + nouns[(w.index-1)%filesPerPackage]
		}
	case "@foreign":
		if w.index >= filesPerPackage {
			return "." + modulePackage(w.foreign()) + "." + nouns[0]
		}
	}
	if strings.HasPrefix(t, ".") {
		return t
	}
	return pkg + w.noun
}

// entity writes the resource itself, with a nested message and a oneof.
func (w *sourceWriter) entity() {
	m, loc := w.openMessage(w.noun, "Describes {a} of a project.\n\nIt is created by the service and lives until it is deleted; see\n[State][] for what happens in between.")
	fields := append(identityFields[:3:3], w.draw(commonFields, 11)...)
	for _, f := range fields {
		w.field(m, f, nil)
	}
	w.oneof(m)
	if chance(w.rng, 0.7) {
		last := m.Field[len(m.Field)-1]
		last.Options = &descriptorpb.FieldOptions{Deprecated: proto.Bool(true)}
	}
	path := step(nil, fileMessage, len(w.pb.MessageType)-1)
	w.nested(m, path)
	w.depth--
	w.close(loc, 1)
}

// openMessage starts a top-level message.
func (w *sourceWriter) openMessage(name, comment string) (*descriptorpb.DescriptorProto, *descriptorpb.SourceCodeInfo_Location) {
	path := step(nil, fileMessage, len(w.pb.MessageType))
	m := &descriptorpb.DescriptorProto{Name: proto.String(name)}
	w.pb.MessageType = append(w.pb.MessageType, m)
	w.line++
	loc := w.open(path, comment)
	w.token(under(path, pathName), 8, int32(len(name)))
	w.line++
	w.depth++
	return m, loc
}

func (w *sourceWriter) message(name, comment string, fields []moduleField) {
	m, loc := w.openMessage(name, comment)
	for _, f := range fields {
		w.field(m, f, nil)
	}
	w.depth--
	w.close(loc, 1)
}

// nested writes the message Part inside of the resource.
func (w *sourceWriter) nested(m *descriptorpb.DescriptorProto, path []int32) {
	part := &descriptorpb.DescriptorProto{Name: proto.String("Part")}
	path = step(path, messageNested, len(m.NestedType))
	m.NestedType = append(m.NestedType, part)
	loc := w.open(path, "A part of {a}.")
	w.token(under(path, pathName), 10, 4)
	w.line++
	w.depth++
	for _, f := range append(identityFields[:1:1], w.draw(commonFields[9:13], 3)...) {
		w.fieldAt(part, path, f, nil)
	}
	w.depth--
	w.close(loc, 3)
}

func (w *sourceWriter) oneof(m *descriptorpb.DescriptorProto) {
	path := step(nil, fileMessage, len(w.pb.MessageType)-1)
	path = step(path, messageOneof, len(m.OneofDecl))
	m.OneofDecl = append(m.OneofDecl, &descriptorpb.OneofDescriptorProto{Name: proto.String("source")})
	loc := w.open(path, "Where the content comes from.")
	w.token(under(path, pathName), 8, 6)
	w.line++
	w.depth++
	for _, f := range []moduleField{
		{"uri", "string", "Address to fetch the content from.", false},
		{"inline", "bytes", "The content itself, up to 1 MB.", false},
		{"copy_of", "@self", "Another {noun} to copy.", false},
	} {
		w.field(m, f, proto.Int32(0))
	}
	w.depth--
	w.close(loc, 3)
}

// field writes a field of the latest top-level message.
func (w *sourceWriter) field(m *descriptorpb.DescriptorProto, f moduleField, oneof *int32) {
	w.fieldAt(m, step(nil, fileMessage, len(w.pb.MessageType)-1), f, oneof)
}

func (w *sourceWriter) fieldAt(m *descriptorpb.DescriptorProto, message []int32, f moduleField, oneof *int32) {
	path := step(message, messageField, len(m.Field))
	field := &descriptorpb.FieldDescriptorProto{
		Name: proto.String(f.name), JsonName: proto.String(camelCase(f.name)), Number: proto.Int32(int32(len(m.Field) + 1)),
		Label: labelOptional.Enum(), OneofIndex: oneof,
	}
	m.Field = append(m.Field, field)
	w.setFieldType(m, field, f)

	loc := w.open(path, f.comment)
	column := 2 * w.depth
	if f.repeated {
		field.Label = labelRepeated.Enum()
		column = w.token(under(path, fieldLabel), column, 8)
	}
	if field.TypeName != nil {
		column = w.token(under(path, fieldTypeName), column, int32(len(field.GetTypeName())))
	} else {
		column = w.token(under(path, fieldType), column, int32(len(f.typ)))
	}
	column = w.token(under(path, pathName), column, int32(len(f.name)))
	column = w.token(under(path, fieldNumber), column+2, 2)
	w.close(loc, column)
}

func (w *sourceWriter) setFieldType(m *descriptorpb.DescriptorProto, field *descriptorpb.FieldDescriptorProto, f moduleField) {
	for _, s := range scalarTypes {
		if s.keyword == f.typ {
			field.Type = s.typ.Enum()
			return
		}
	}
	field.Type = typeMessage.Enum()
	switch f.typ {
	case "map":
		field.Label = labelRepeated.Enum()
		entry := declare(mapEntryName(f.name), "optional string key = 1", "optional string value = 2")
		entry.Options = &descriptorpb.MessageOptions{MapEntry: proto.Bool(true)}
		m.NestedType = append(m.NestedType, entry)
		field.TypeName = proto.String("." + w.pb.GetPackage() + "." + m.GetName() + "." + entry.GetName())
		return
	case "@state", "@priority":
		field.Type = typeEnum.Enum()
	}
	field.TypeName = proto.String(w.typeName(f.typ))
}

func (w *sourceWriter) enum(name string, values []string) {
	path := step(nil, fileEnum, len(w.pb.EnumType))
	e := &descriptorpb.EnumDescriptorProto{Name: proto.String(name)}
	w.pb.EnumType = append(w.pb.EnumType, e)
	w.line++
	loc := w.open(path, "Possible values of the "+strings.ToLower(strings.TrimPrefix(name, w.noun))+" of {a}.")
	w.token(under(path, pathName), 5, int32(len(name)))
	w.line++
	w.depth++
	for i, v := range values {
		v = strings.ToUpper(name) + "_" + v
		e.Value = append(e.Value, &descriptorpb.EnumValueDescriptorProto{Name: proto.String(v), Number: proto.Int32(int32(i))})
		at := step(path, enumValue, i)
		value := w.open(at, []string{"Not set. Do not use.", "", "The normal case."}[min(i, 2)])
		column := w.token(under(at, pathName), 2, int32(len(v)))
		column = w.token(under(at, valueNumber), column+2, 1)
		w.close(value, column)
	}
	w.depth--
	w.close(loc, 1)
}

// service writes the five standard methods with their routes.
func (w *sourceWriter) service() {
	path := step(nil, fileService, 0)
	name := w.noun + "Service"
	s := &descriptorpb.ServiceDescriptorProto{Name: proto.String(name)}
	w.pb.Service = append(w.pb.Service, s)
	loc := w.open(path, "Manages every {noun} of a project.\n\nAll calls need the role `{noun}.admin`, or `{noun}.viewer` for those that only read.")
	w.token(under(path, pathName), 8, int32(len(name)))
	w.line++
	w.depth++
	self, nouns := "."+w.pb.GetPackage()+"."+w.noun, w.noun+"s"
	base, one := w.expand("/v1/{parent=projects/*}/{nouns}"), w.expand("/v1/{name=projects/*/{nouns}/*}")
	w.method(s, path, "Create"+w.noun, self, "Creates {a}.", wire(nil).str(4, base).str(7, "*"))
	w.method(s, path, "Get"+w.noun, self, "Returns {a}, or NOT_FOUND.", wire(nil).str(2, one))
	w.method(s, path, "List"+nouns, "."+w.pb.GetPackage()+".List"+nouns+"Response",
		"Lists the {nouns} of a project, newest first.\n\nThe order may change between pages.", wire(nil).str(2, base).msg(11, wire(nil).str(2, "/v1/"+strings.ToLower(nouns))))
	w.method(s, path, "Update"+w.noun, self, "Changes {a}. Fields that are not given stay as they are.", wire(nil).str(6, one).str(7, "*"))
	w.method(s, path, "Delete"+w.noun, self, "Deletes {a} and all that it holds.", wire(nil).str(5, one))
	w.depth--
	w.close(loc, 1)
	w.line++
}

func (w *sourceWriter) method(s *descriptorpb.ServiceDescriptorProto, service []int32, name, output, comment string, rule wire) {
	path := step(service, serviceMethod, len(s.Method))
	m := &descriptorpb.MethodDescriptorProto{
		Name: proto.String(name), InputType: proto.String("." + w.pb.GetPackage() + "." + name + "Request"), OutputType: proto.String(output),
		Options: &descriptorpb.MethodOptions{},
	}
	appendOption(m.Options, wire(nil).msg(httpOption, rule))
	s.Method = append(s.Method, m)
	loc := w.open(path, comment)
	column := w.token(under(path, pathName), 6, int32(len(name)))
	column = w.token(under(path, methodInput), column, int32(len(name)+7))
	if strings.HasPrefix(name, "List") && w.index%10 == 0 {
		m.ServerStreaming = proto.Bool(true)
		column = w.token(under(path, methodServerStreaming), column+8, 6)
	}
	w.token(under(path, methodOutput), column+9, int32(len(w.noun)))
	w.line++
	options := w.open(under(path, methodOptions), "")
	w.token([]int32{fileService, path[1], serviceMethod, path[3], methodOptions, httpOption}, 4, 40)
	w.line += 3
	w.close(options, 6)
	w.close(loc, 3)
}

// finish closes the file.
func (w *sourceWriter) finish() *descriptorpb.FileDescriptorProto {
	w.close(w.info.Location[0], 1)
	w.pb.SourceCodeInfo = w.info
	return w.pb
}
