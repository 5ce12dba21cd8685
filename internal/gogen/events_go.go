package gogen

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"google.golang.org/protobuf/compiler/protogen"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/gofeaturespb"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/api"
)

// What Go code for a message looks like depends on its API level. Getters exist
// in all of them; struct fields and wrapper types only in the Open API, setters
// only in the others. The Hybrid API is written as the Opaque one, because its
// struct fields vanish under the build tag protoopaque.

func (w *eventWriter) isOpen(m *protogen.Message) bool {
	return m.APILevel == gofeaturespb.GoFeatures_API_OPEN
}

// get is the expression for a field's value; a nil message reads as an empty one.
func (w *eventWriter) get(of string, field *protogen.Field) string {
	method, _ := field.MethodName("Get")
	return of + "." + method + "()"
}

// set is the statement that sets a singular field, which is in no oneof. The value
// is an addressable expression of the field's type, or a constant string.
func (w *eventWriter) set(of string, field *protogen.Field, value string) string {
	if !w.isOpen(field.Parent) {
		method, _ := field.MethodName("Set")
		return of + "." + method + "(" + value + ")"
	}
	if field.Desc.HasPresence() {
		switch field.Desc.Kind() {
		case protoreflect.StringKind:
			value = w.use(protoPackage, "String") + "(" + value + ")"
		case protoreflect.EnumKind:
			value += ".Enum()"
		case protoreflect.Int64Kind:
			value = w.use(protoPackage, "Int64") + "(" + value + ")"
		}
	}
	return of + "." + field.GoName + " = " + value
}

// isSet is the expression that tells whether a payload has a field, after the
// payload itself is known to be the event's.
func (w *eventWriter) isSet(of string, field *protogen.Field) string {
	switch {
	case !field.Desc.HasPresence():
		return "true"
	case field.Message != nil:
		return w.get(of, field) + " != nil"
	case !w.isOpen(field.Parent):
		method, _ := field.MethodName("Has")
		return of + "." + method + "()"
	}
	return of + " != nil && " + of + "." + field.GoName + " != nil"
}

// isWrapped tells a scalar in a oneof of an Open message: only a type assertion
// tells whether it is set.
func (w *eventWriter) isWrapped(field *protogen.Field) bool {
	return w.isOpen(field.Parent) && field.Message == nil && field.Oneof != nil && !field.Oneof.Desc.IsSynthetic()
}

// goType is the type that a field's getter returns.
func (w *eventWriter) goType(field *protogen.Field) string {
	switch {
	case field.Desc.IsMap():
		return "map[" + w.elementType(field.Message.Fields[0]) + "]" + w.elementType(field.Message.Fields[1])
	case field.Desc.IsList():
		return "[]" + w.elementType(field)
	}
	return w.elementType(field)
}

func (w *eventWriter) elementType(field *protogen.Field) string {
	switch {
	case field.Message != nil:
		return "*" + w.QualifiedGoIdent(field.Message.GoIdent)
	case field.Enum != nil:
		return w.QualifiedGoIdent(field.Enum.GoIdent)
	}
	return goScalars[field.Desc.Kind()]
}

var goScalars = map[protoreflect.Kind]string{
	protoreflect.BoolKind:     "bool",
	protoreflect.Int32Kind:    "int32",
	protoreflect.Sint32Kind:   "int32",
	protoreflect.Sfixed32Kind: "int32",
	protoreflect.Uint32Kind:   "uint32",
	protoreflect.Fixed32Kind:  "uint32",
	protoreflect.Int64Kind:    "int64",
	protoreflect.Sint64Kind:   "int64",
	protoreflect.Sfixed64Kind: "int64",
	protoreflect.Uint64Kind:   "uint64",
	protoreflect.Fixed64Kind:  "uint64",
	protoreflect.FloatKind:    "float32",
	protoreflect.DoubleKind:   "float64",
	protoreflect.StringKind:   "string",
	protoreflect.BytesKind:    "[]byte",
}

// use is a name of another package, which the file imports from then on.
func (w *eventWriter) use(from protogen.GoImportPath, name string) string {
	return w.QualifiedGoIdent(from.Ident(name))
}

// messageType is the Go type of the event without the asterisk.
func (w *eventWriter) messageType() string { return w.QualifiedGoIdent(w.msg.GoIdent) }

// commentWidth leaves room for the comment marker in 80 columns.
const commentWidth = 77

func (w *eventWriter) doc(paragraphs ...string) { writeDoc(w.GeneratedFile, paragraphs...) }

// writeDoc writes a doc comment of paragraphs; empty ones are left out.
func writeDoc(g *protogen.GeneratedFile, paragraphs ...string) {
	first := true
	for _, paragraph := range paragraphs {
		if strings.TrimSpace(paragraph) == "" {
			continue
		}
		if !first {
			g.P("//")
		}
		first = false
		for _, line := range wrapDoc(paragraph) {
			g.P("// ", line)
		}
	}
}

// docWith writes a doc comment of a sentence and what the .proto file says.
func (w *eventWriter) docWith(sentence string, comments api.Comments, more ...string) {
	w.doc(append(described(sentence, comments), more...)...)
}

// described are the paragraphs of a sentence and of what the .proto file says: a
// short comment after a colon, a longer one in paragraphs of its own.
func described(sentence string, comments api.Comments) []string {
	said := descriptions(comments)
	switch {
	case len(said) == 0:
		return []string{sentence + "."}
	case len(said) == 1 && !strings.HasPrefix(said[0], "Deprecated:"):
		return []string{sentence + ": " + endSentence(said[0])}
	}
	return append([]string{sentence + "."}, said...)
}

// said is the sentence that a .proto file says about something, after a colon.
func said(comments api.Comments) string {
	if list := descriptions(comments); len(list) > 0 {
		return ": " + endSentence(list[0])
	}
	return "."
}

// descriptions are the paragraphs of a comment that describes something: not of
// one or two words only, and no note to the authors of the file.
func descriptions(comments api.Comments) []string {
	list := paragraphs(comments)
	if len(list) == 0 || len(list) == 1 && len(strings.Fields(list[0])) < 3 {
		return nil
	}
	first := strings.TrimPrefix(list[0], "(")
	for _, note := range []string{"XXX", "TODO", "FIXME"} {
		rest, ok := strings.CutPrefix(first, note)
		if ok && strings.IndexFunc(rest, unicode.IsLetter) != 0 {
			return nil
		}
	}
	return list
}

// endSentence puts a full stop after the last word.
func endSentence(s string) string {
	if strings.HasSuffix(s, ".") || strings.HasSuffix(s, "!") || strings.HasSuffix(s, "?") || strings.HasSuffix(s, ":") {
		return s
	}
	return s + "."
}

// paragraphs are the paragraphs of a comment, each in one line. The items of a
// list are paragraphs too: Go's doc comments would otherwise run them together.
func paragraphs(c api.Comments) []string {
	text := c.Leading
	if strings.TrimSpace(text) == "" {
		text = c.Trailing
	}
	var list []string
	open := false
	for line := range strings.Lines(text) {
		line = strings.Join(strings.Fields(strings.TrimSuffix(strings.TrimSpace(line), "<br>")), " ")
		item := strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "* ")
		switch {
		case line == "":
			open = false
		case open && !item:
			list[len(list)-1] += " " + line
		default:
			list = append(list, line)
			open = true
		}
	}
	return list
}

// wrapDoc breaks a paragraph into lines. No line begins with what Go's doc comments
// give a meaning to.
func wrapDoc(text string) []string {
	var lines []string
	line := ""
	width := 0
	for _, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		if line != "" && width+1+n > commentWidth && !startsMarkup(word) {
			lines = append(lines, line)
			line, width = "", 0
		}
		if line != "" {
			line += " "
			width++
		}
		line += word
		width += n
	}
	return append(lines, line)
}

// startsMarkup tells a word that at the start of a line would begin a heading, a
// list or a link definition.
func startsMarkup(word string) bool {
	return strings.ContainsRune("#-*+•[", rune(word[0])) || strings.HasPrefix(word, "•") || strings.TrimRight(word, "0123456789.)") == ""
}
