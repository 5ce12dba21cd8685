package gogen

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"

	"google.golang.org/protobuf/compiler/protogen"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/api"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/events"
)

const (
	contextPackage     = protogen.GoImportPath("context")
	errorsPackage      = protogen.GoImportPath("errors")
	fmtPackage         = protogen.GoImportPath("fmt")
	iterPackage        = protogen.GoImportPath("iter")
	strconvPackage     = protogen.GoImportPath("strconv")
	timePackage        = protogen.GoImportPath("time")
	protoPackage       = protogen.GoImportPath("google.golang.org/protobuf/proto")
	timestamppbPackage = protogen.GoImportPath("google.golang.org/protobuf/types/known/timestamppb")
)

// eventsFound are the events of the request and what the kits hold of them.
type eventsFound struct {
	byFile map[string][]*events.Event // by the file's path; nil until they are looked for
	// constants are the names of the constants for documented values, by value. A
	// payload of two events of a kit has them once.
	constants map[constantsKey]map[string]string
	written   map[constantsKey]bool
}

// constantsKey is a field, by its full name, in a kit.
type constantsKey struct {
	kit   *kit
	field string
}

// events returns the events that a file declares.
func (g *generator) events(f *file) ([]*events.Event, error) {
	if g.found.byFile == nil {
		g.found.byFile = make(map[string][]*events.Event)
		g.found.constants = make(map[constantsKey]map[string]string)
		g.found.written = make(map[constantsKey]bool)
		all, err := events.Find(g.model, g.config)
		if err != nil {
			return nil, err // for the first file alone: the errors are about all of them
		}
		for _, e := range all {
			path := e.Message.File.Path
			g.found.byFile[path] = append(g.found.byFile[path], e)
		}
	}
	return g.found.byFile[f.Desc.Path()], nil
}

// generateEvents is the feature events.
func generateEvents(k *kit, f *file) error {
	list, err := k.events(f)
	if err != nil || len(list) == 0 {
		return err
	}
	writers := make([]*eventWriter, len(list))
	deprecated := false
	var about []string
	for i, e := range list {
		writers[i] = newEventWriter(k, f, e)
		deprecated = deprecated || writers[i].usesDeprecated()
		about = append(about, writers[i].about()...)
	}
	g := k.newFile(f, "events", about...)
	for _, w := range writers {
		w.GeneratedFile = g
	}
	if deprecated {
		g.P("//lint:file-ignore SA1019 What is deprecated is still part of the API.")
		g.P()
	}
	for _, w := range writers {
		w.write()
	}
	return nil
}

// eventWriter writes what a kit has for one event.
type eventWriter struct {
	*protogen.GeneratedFile
	kit   *kit
	event *events.Event
	// msg and what follows are protogen's view of the event.
	msg      *protogen.Message
	oneof    *protogen.Oneof // nil for an enum
	kindOf   *protogen.Field // the enum field; nil for a oneof
	time     *protogen.Field // nil for none
	kinds    []*eventKind
	shared   []*eventShared
	err      *eventError // nil for none
	name     eventNames
	local    eventLocals
	fileDesc protoreflect.FileDescriptor
}

// eventKind is a variant of a oneof or a value of an enum.
type eventKind struct {
	variant *events.Variant // nil for an enum
	field   *protogen.Field // the variant; nil for an enum
	value   *protogen.EnumValue
	comment api.Comments

	text        string // what its String method returns
	unspecified bool   // it says that the kind is not known: no event has it
	alias       bool   // an enum has this number before
	deprecated  bool

	constant, construct, visit, cases, emit string
	status                                  *protogen.Field // of the payload; nil for none
	statuses                                []eventStatus
	err                                     *protogen.Field // of the payload; nil for none
}

// eventStatus is a method of the emitter: it sets a documented value.
type eventStatus struct {
	value, constant, emit string
	withErr               bool
}

// eventShared is a field that several payloads have.
type eventShared struct {
	*events.Shared
	accessor  string   // empty where the fields are not of one type
	values    []string // all that are documented for the fields
	constants []string // their names
	kinds     []*eventKind
	fields    []*protogen.Field // one for each of the kinds
}

// eventError is the message that the emitter makes of an error.
type eventError struct {
	msg  *protogen.Message
	text *protogen.Field
	code *protogen.Field // its only field of an enum; nil for none
}

// newEventWriter decides on all names; the file is given to it afterwards.
func newEventWriter(k *kit, f *file, e *events.Event) *eventWriter {
	w := &eventWriter{kit: k, event: e, msg: findMessage(f.Messages, e.Message.FullName), fileDesc: f.Desc}
	if e.Time != nil {
		w.time = findField(w.msg, e.Time)
	}
	if e.Type != nil {
		w.kindOf = findField(w.msg, e.Type)
		w.addEnumKinds()
	} else {
		w.addOneofKinds()
	}
	w.addShared()
	w.setNames()
	return w
}

// about is what the package's documentation says of the event: how it is read,
// and how it is made.
func (w *eventWriter) about() []string {
	n, kind := w.name, w.kinds[0]
	for _, k := range w.kinds {
		if k.cases != "" && k.emit != "" && !k.unspecified && !k.alias {
			kind = k
			break
		}
	}
	carried := "payload"
	if w.kindOf != nil {
		carried = "event"
	}
	lines := []string{
		"", "# " + n.event, "", "A consumer handles the kinds that it knows, and is told of the others:", "",
		fmt.Sprintf("\tcases := %s.%s{%s: on%[3]s, %s: onOther}", w.kit.name, n.cases, kind.cases, n.otherwise),
		"\terr := cases." + n.handle + "(event)", "",
		"A producer makes events and sends them to a sink in one call:", "",
		fmt.Sprintf("\tem := %s.%s(sink)", w.kit.name, n.newEmitter),
		fmt.Sprintf("\terr := em.%s(ctx, %s)", kind.emit, carried),
	}
	if kind.emit == "" {
		return lines[:7]
	}
	return lines
}

// write writes the declarations in the order in which a reader wants them.
func (w *eventWriter) write() {
	w.writeKinds()
	w.writeGroups()
	w.writeKindOf()
	w.writeConstructors()
	w.writePayload()
	w.writeVisitor()
	w.writeCases()
	w.writeAccessors()
	w.writeConstants()
	w.writeEmitter()
}

func (w *eventWriter) addOneofKinds() {
	w.oneof = findField(w.msg, w.event.Oneof.Fields[0]).Oneof
	for _, v := range w.event.Variants {
		kind := &eventKind{variant: v, field: findField(w.msg, v.Field), comment: v.Field.Comments, text: v.Field.Name}
		kind.deprecated = v.Field.Options().Deprecated()
		if v.Status != nil {
			kind.status = findField(kind.field.Message, v.Status.Field)
		}
		if v.Err != nil {
			kind.err = findField(kind.field.Message, v.Err)
			w.err = &eventError{msg: kind.err.Message, text: findField(kind.err.Message, w.event.Error.Text)}
			if code := w.event.Error.Code; code != nil {
				w.err.code = findField(kind.err.Message, code)
			}
		}
		w.kinds = append(w.kinds, kind)
	}
}

func (w *eventWriter) addEnumKinds() {
	seen := make(map[protoreflect.EnumNumber]bool)
	for i, v := range w.kindOf.Enum.Values {
		declared := w.event.Type.Enum.Values[i]
		number := v.Desc.Number()
		w.kinds = append(w.kinds, &eventKind{
			value:       v,
			comment:     declared.Comments,
			text:        declared.Name,
			unspecified: number == 0 && saysUnspecified(declared.Name),
			alias:       seen[number],
			deprecated:  declared.Options().Deprecated(),
		})
		seen[number] = true
	}
}

// saysUnspecified tells the names that enums have for "no value".
func saysUnspecified(name string) bool {
	name = strings.ToUpper(name)
	for _, word := range []string{"UNSPECIFIED", "UNDEFINED", "UNKNOWN", "UNSET", "INVALID", "NONE"} {
		if name == word || strings.HasSuffix(name, "_"+word) {
			return true
		}
	}
	return false
}

func (w *eventWriter) addShared() {
	kinds := make(map[*events.Variant]*eventKind)
	for _, kind := range w.kinds {
		kinds[kind.variant] = kind
	}
	for _, s := range w.event.Shared {
		shared := &eventShared{Shared: s}
		for i, v := range s.Variants {
			kind := kinds[v]
			shared.kinds = append(shared.kinds, kind)
			shared.fields = append(shared.fields, findField(kind.field.Message, s.Fields[i]))
		}
		shared.values = w.valuesOf(s)
		w.shared = append(w.shared, shared)
	}
}

// usesDeprecated tells whether the code for the event names anything that is
// deprecated, which linters would complain about.
func (w *eventWriter) usesDeprecated() bool {
	used := []bool{saysDeprecated(w.event.Message), w.event.Message.File.Options().Deprecated()}
	field := func(x *api.Field) {
		used = append(used, saysDeprecated(x))
		if x.Message != nil {
			used = append(used, saysDeprecated(x.Message), x.Message.File.Options().Deprecated())
		}
		if x.Enum != nil {
			used = append(used, saysDeprecated(x.Enum), x.Enum.File.Options().Deprecated())
		}
	}
	for _, x := range w.event.Message.Fields {
		field(x)
	}
	for _, v := range w.event.Variants {
		if v.Status != nil {
			field(v.Status.Field)
		}
	}
	for _, s := range w.event.Shared {
		for _, x := range s.Fields {
			field(x)
		}
	}
	if w.event.Error != nil {
		field(w.event.Error.Text)
		if w.event.Error.Code != nil {
			field(w.event.Error.Code)
		}
	}
	if w.event.Type != nil {
		for _, v := range w.event.Type.Enum.Values {
			used = append(used, saysDeprecated(v))
		}
	}
	return slices.Contains(used, true)
}

// saysDeprecated tells what protoc-gen-go marks as deprecated, and what the .proto
// file's own comment does.
func saysDeprecated(d interface {
	Options() api.Options
	Declaration() *api.Decl
}) bool {
	c := d.Declaration().Comments
	return d.Options().Deprecated() || strings.Contains(c.Leading, "Deprecated:") || strings.Contains(c.Trailing, "Deprecated:")
}

// handled are the kinds that code has cases for.
func (w *eventWriter) handled() []*eventKind {
	var list []*eventKind
	for _, kind := range w.kinds {
		if !kind.unspecified && !kind.alias {
			list = append(list, kind)
		}
	}
	return list
}

// findMessage finds a message that is declared in a file.
func findMessage(list []*protogen.Message, fullName string) *protogen.Message {
	for _, m := range list {
		if string(m.Desc.FullName()) == fullName {
			return m
		}
		if found := findMessage(m.Messages, fullName); found != nil {
			return found
		}
	}
	return nil
}

func findField(m *protogen.Message, x *api.Field) *protogen.Field {
	for _, field := range m.Fields {
		if string(field.Desc.Name()) == x.Name {
			return field
		}
	}
	return nil
}

// importName is the name by which protogen imports a package if it is free.
func importName(p protogen.GoImportPath) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return '_'
	}, path.Base(string(p)))
}
