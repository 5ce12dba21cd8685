package gogen

import (
	"strings"

	"google.golang.org/protobuf/compiler/protogen"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/api"
)

// writeConstructors writes the functions that make an event.
func (w *eventWriter) writeConstructors() {
	n, k := &w.name, w.local.k
	if w.kindOf != nil {
		e := w.local.e
		sentence := n.construct + " returns an event of the given kind."
		if w.time != nil {
			sentence += " It does not set the field " + w.event.Time.Name + "."
		}
		w.doc(sentence)
		w.P("func ", n.construct, "(", k, " ", n.kind, ") *", w.messageType(), " {")
		if w.isOpen(w.msg) && !w.kindOf.Desc.HasPresence() {
			w.P("return &", w.messageType(), "{", w.kindOf.GoName, ": ", k, ".", n.enum, "()}")
		} else {
			w.P(e, " := new(", w.messageType(), ")")
			w.P(w.set(e, w.kindOf, k+"."+n.enum+"()"))
			w.P("return ", e)
		}
		w.P("}")
		w.P()
		return
	}
	for _, kind := range w.kinds {
		w.writeConstructor(kind)
	}
}

func (w *eventWriter) writeConstructor(kind *eventKind) {
	p := w.payloadName(kind)
	sentence := kind.construct + " returns an event that carries " + p + " as its " + kind.text + "."
	if kind.field.Message != nil {
		sentence += " A nil " + p + " stands for an empty one."
	}
	w.doc(sentence, w.deprecation(kind))
	w.P("func ", kind.construct, "(", p, " ", w.goType(kind.field), ") *", w.messageType(), " {")
	w.writeDefault(kind)
	if w.isOpen(w.msg) {
		w.P("return &", w.messageType(), "{", w.oneof.GoName, ": &", kind.field.GoIdent, "{", kind.field.GoName, ": ", p, "}}")
	} else {
		e := w.local.e
		method, _ := kind.field.MethodName("Set")
		w.P(e, " := new(", w.messageType(), ")")
		w.P(e, ".", method, "(", p, ")")
		w.P("return ", e)
	}
	w.P("}")
	w.P()
}

// writeDefault makes an empty payload of a nil one, so that the event has a kind
// in every API: a nil one would leave the oneof of an Opaque message unset.
func (w *eventWriter) writeDefault(kind *eventKind) {
	if kind.field.Message == nil {
		return
	}
	p := w.payloadName(kind)
	w.P("if ", p, " == nil {")
	w.P(p, " = new(", kind.field.Message.GoIdent, ")")
	w.P("}")
}

// payloadName is the variable for a payload.
func (w *eventWriter) payloadName(kind *eventKind) string {
	if kind.field.Message == nil {
		return w.local.v
	}
	return w.local.p
}

// writePayload writes the function that returns a payload of any type.
func (w *eventWriter) writePayload() {
	if w.oneof == nil {
		return
	}
	n, e, p := &w.name, w.local.e, w.local.p
	var scalars []*eventKind
	for _, kind := range w.kinds {
		if kind.field.Message == nil {
			scalars = append(scalars, kind)
		}
	}
	sentence := n.payload + " returns the message that the event carries, or nil if it carries none"
	if len(scalars) > 0 {
		sentence += ", which is always so for " + listKinds(scalars)
	}
	w.doc(sentence + ".")
	w.P("func ", n.payload, "(", e, " *", w.messageType(), ") ", w.use(protoPackage, "Message"), " {")
	w.P("switch ", n.kindOf, "(", e, ") {")
	for _, kind := range w.kinds {
		if kind.field.Message == nil {
			continue
		}
		w.P("case ", kind.constant, ":")
		w.P("if ", p, " := ", w.get(e, kind.field), "; ", p, " != nil {")
		w.P("return ", p)
		w.P("}")
	}
	w.P("}")
	w.P("return nil")
	w.P("}")
	w.P()
}

// parameters are those of a function that gets an event of a kind.
func (w *eventWriter) parameters(kind *eventKind) string {
	e := w.local.e + " *" + w.messageType()
	if kind.field == nil {
		return e
	}
	return e + ", " + w.payloadName(kind) + " " + w.goType(kind.field)
}

// arguments are those that belong to the parameters.
func (w *eventWriter) arguments(kind *eventKind) string {
	if kind.field == nil {
		return w.local.e
	}
	return w.local.e + ", " + w.get(w.local.e, kind.field)
}

// gets says what functions get besides the event.
func (w *eventWriter) gets() string {
	if w.oneof == nil {
		return "the event"
	}
	return "the event and its payload"
}

// writeVisitor writes the dispatch that covers all kinds.
func (w *eventWriter) writeVisitor() {
	n, e, v := &w.name, w.local.e, w.local.v
	w.doc(n.visitor+" has a method for each kind of "+n.event+", which gets "+w.gets()+
		". A kind that is added to the API adds a method: the compiler then shows each visitor that has to decide about it.",
		"To handle some of the kinds only, see ["+n.cases+"].")
	w.P("type ", n.visitor, " interface {")
	for _, kind := range w.handled() {
		w.docWith(kind.visit+" is called for "+kind.text, kind.comment, w.deprecation(kind))
		w.P(kind.visit, "(", w.parameters(kind), ") error")
	}
	if w.kindOf == nil {
		w.doc(n.visitUnknown + " is called for an event whose kind is not set, or not known to this code. The event can be nil.")
	} else {
		w.doc(n.visitUnknown + " is called for an event whose kind is " + w.orUnspecified("not known to this code") + ", and for a nil event.")
	}
	w.P(n.visitUnknown, "(", e, " *", w.messageType(), ") error")
	w.P("}")
	w.P()
	w.doc(n.visit + " calls the method of the visitor for the event's kind and returns its error.")
	w.P("func ", n.visit, "(", e, " *", w.messageType(), ", ", v, " ", n.visitor, ") error {")
	if w.kindOf != nil {
		w.P("if ", e, " == nil {")
		w.P("return ", v, ".", n.visitUnknown, "(", e, ")")
		w.P("}")
	}
	w.P("switch ", n.kindOf, "(", e, ") {")
	for _, kind := range w.handled() {
		w.P("case ", kind.constant, ":")
		w.P("return ", v, ".", kind.visit, "(", w.arguments(kind), ")")
	}
	w.P("}")
	w.P("return ", v, ".", n.visitUnknown, "(", e, ")")
	w.P("}")
	w.P()
}

// orUnspecified puts the value that says that the kind is not known, if there is
// one, before what else a kind can be.
func (w *eventWriter) orUnspecified(what string) string {
	for _, kind := range w.kinds {
		if kind.unspecified {
			return kind.text + " or " + what
		}
	}
	return what
}

// writeCases writes the dispatch that covers some kinds.
func (w *eventWriter) writeCases() {
	n, e, c := &w.name, w.local.e, w.local.c
	w.doc(n.cases + " is a set of functions for kinds of " + n.event + ", each of which gets " + w.gets() +
		". A kind whose function is nil goes to " + n.otherwise + ".")
	w.P("type ", n.cases, " struct {")
	for _, kind := range w.handled() {
		w.doc(kind.cases+" is called for "+kind.text+".", w.deprecation(kind))
		w.P(kind.cases, " func(", w.parameters(kind), ") error")
	}
	w.P()
	empty := "empty or nil ones"
	if w.kindOf != nil {
		empty = "nil ones"
	}
	w.doc(n.otherwise + " is called for all other events: of other kinds, of kinds that are not known to this code, and " + empty + ". If it is nil, nothing is done about them.")
	w.P(n.otherwise, " func(", e, " *", w.messageType(), ") error")
	w.P("}")
	w.P()
	w.doc(n.handle + " calls the function for the event's kind and returns its error.")
	w.P("func (", c, " *", n.cases, ") ", n.handle, "(", e, " *", w.messageType(), ") error {")
	if w.kindOf != nil {
		w.P("if ", e, " != nil {")
	}
	w.P("switch ", n.kindOf, "(", e, ") {")
	for _, kind := range w.handled() {
		w.P("case ", kind.constant, ":")
		w.P("if ", c, ".", kind.cases, " != nil {")
		w.P("return ", c, ".", kind.cases, "(", w.arguments(kind), ")")
		w.P("}")
	}
	w.P("}")
	if w.kindOf != nil {
		w.P("}")
	}
	w.P("if ", c, ".", n.otherwise, " != nil {")
	w.P("return ", c, ".", n.otherwise, "(", e, ")")
	w.P("}")
	w.P("return nil")
	w.P("}")
	w.P()
}

// writeAccessors writes the functions for fields that several payloads share.
func (w *eventWriter) writeAccessors() {
	for _, s := range w.shared {
		if s.accessor != "" {
			w.writeAccessor(s)
			w.writeSharedValues(s)
		}
	}
	w.writeAmbiguous()
}

func (w *eventWriter) writeAccessor(s *eventShared) {
	n, e, first := &w.name, w.local.e, s.fields[0]
	w.docWith(s.accessor+" returns the "+s.Name+" of the event", usualComments(s.Fields),
		"It reports false for an event without one. These kinds have one: "+listKinds(s.kinds)+".")
	w.P("func ", s.accessor, "(", e, " *", w.messageType(), ") (", w.goType(first), ", bool) {")
	w.P("switch ", n.kindOf, "(", e, ") {")
	for i, kind := range s.kinds {
		w.P("case ", kind.constant, ":")
		w.writeAccess(kind, s.fields[i])
	}
	w.P("}")
	w.P("return ", w.zero(first), ", false")
	w.P("}")
	w.P()
}

// usualComments are the comments that most of the fields have: others are about
// one kind of event alone.
func usualComments(fields []*api.Field) api.Comments {
	count := make(map[string]int)
	for _, x := range fields {
		said := strings.Join(paragraphs(x.Comments), "\n")
		count[said]++
		if 2*count[said] > len(fields) {
			return x.Comments
		}
	}
	return api.Comments{}
}

// writeAccess writes the statements of one case of an accessor.
func (w *eventWriter) writeAccess(kind *eventKind, field *protogen.Field) {
	payload := w.get(w.local.e, kind.field)
	if !field.Desc.HasPresence() {
		w.P("return ", w.get(payload, field), ", true")
		return
	}
	p, v, ok := w.local.p, w.local.v, w.local.ok
	switch {
	case field.Message != nil:
		w.P(v, " := ", w.get(payload, field))
		w.P("return ", v, ", ", v, " != nil")
	case w.isWrapped(field):
		w.P("if ", v, ", ", ok, " := ", payload, ".Get", field.Oneof.GoName, "().(*", field.GoIdent, "); ", ok, " && ", v, " != nil {")
		w.P("return ", v, ".", field.GoName, ", true")
		w.P("}")
	default:
		w.P(p, " := ", payload)
		w.P("return ", w.get(p, field), ", ", w.isSet(p, field))
	}
}

// zero is the zero value of a field's type.
func (w *eventWriter) zero(field *protogen.Field) string {
	switch t := w.goType(field); {
	case t[0] == '*' || t[0] == '[' || t[0] == 'm' && field.Desc.IsMap():
		return "nil"
	case t == "string":
		return `""`
	case t == "bool":
		return "false"
	}
	return "0"
}

// writeAmbiguous says which fields have no accessor although several payloads
// have them.
func (w *eventWriter) writeAmbiguous() {
	for _, s := range w.shared {
		if s.SameType {
			continue
		}
		var types []string
		byType := make(map[string][]*eventKind)
		for i, kind := range s.kinds {
			t := describeType(s.Fields[i])
			if byType[t] == nil {
				types = append(types, t)
			}
			byType[t] = append(byType[t], kind)
		}
		for i, t := range types {
			types[i] = t + " in " + listKinds(byType[t])
		}
		w.doc("There is no accessor for " + s.Name + ", which is not of one type: it is " + list(types) + ".")
		w.P()
	}
}
