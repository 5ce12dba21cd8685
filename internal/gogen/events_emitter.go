package gogen

import (
	"strconv"
	"strings"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/events"
)

// writeEmitter writes the type that makes events and sends them.
func (w *eventWriter) writeEmitter() {
	w.writeEmitterType()
	w.writeNewEmitter()
	w.writeOptions()
	w.writeEmit()
	for _, kind := range w.handled() {
		w.writeEmitKind(kind)
		for _, s := range kind.statuses {
			w.writeEmitStatus(kind, s)
		}
	}
	w.writeParts()
	w.writeErrorByText()
}

func (w *eventWriter) sinkType() string {
	return "func(" + w.use(contextPackage, "Context") + ", *" + w.messageType() + ") error"
}

func (w *eventWriter) writeEmitterType() {
	n := &w.name
	sentence := n.emitter + " makes events and sends them to a sink, such as the Append method of a log or the Send method of a stream."
	ownership := "What its methods are given belongs to the event from then on: they set fields of it, the sink gets it as it is, and the caller must not change it any more. " +
		"To use a message again, give them a copy of it (proto.CloneOf)."
	noTime := ""
	if x := w.event.TimeWithoutUnit(); x != nil {
		noTime = "They do not set the field " + x.Name + ", since the .proto file does not say its unit."
	}
	w.doc(sentence+" It is safe for concurrent use if the sink is.", ownership, noTime)
	w.P("type ", n.emitter, " struct {")
	w.P("sink ", w.sinkType())
	if w.time != nil {
		w.P("now func() ", w.use(timePackage, "Time"))
	}
	if w.err != nil {
		w.P("toError func(error) *", w.QualifiedGoIdent(w.err.msg.GoIdent))
	}
	w.P("}")
	w.P()
}

func (w *eventWriter) writeNewEmitter() {
	n, l := &w.name, &w.local
	parameters := l.sink + " " + w.sinkType()
	if n.option != "" {
		parameters += ", " + l.options + " ..." + n.option
	}
	w.doc(n.newEmitter + " returns an emitter that sends to a sink. The error of the sink is that of the emitter's methods.")
	w.P("func ", n.newEmitter, "(", parameters, ") *", n.emitter, " {")
	fields := []string{"sink: " + l.sink}
	if w.time != nil {
		fields = append(fields, "now: "+w.use(timePackage, "Now"))
	}
	if w.err != nil {
		fields = append(fields, "toError: "+n.errorByText)
	}
	literal := "&" + n.emitter + "{" + strings.Join(fields, ", ") + "}"
	if n.option == "" {
		w.P("return ", literal)
	} else {
		w.P(l.em, " := ", literal)
		w.P("for _, ", l.option, " := range ", l.options, " {")
		w.P(l.option, "(", l.em, ")")
		w.P("}")
		w.P("return ", l.em)
	}
	w.P("}")
	w.P()
}

func (w *eventWriter) writeOptions() {
	n, l := &w.name, &w.local
	if n.option == "" {
		return
	}
	w.doc(n.option + " changes how an " + n.emitter + " works.")
	w.P("type ", n.option, " func(*", n.emitter, ")")
	w.P()
	if n.clock != "" {
		w.doc(n.clock + " sets the clock that the field " + w.event.Time.Name + " of events is set from, in place of time.Now.")
		w.P("func ", n.clock, "(", l.now, " func() ", w.use(timePackage, "Time"), ") ", n.option, " {")
		w.P("return func(", l.em, " *", n.emitter, ") { ", l.em, ".now = ", l.now, " }")
		w.P("}")
		w.P()
	}
	if n.errors != "" {
		message := w.QualifiedGoIdent(w.err.msg.GoIdent)
		sentence := n.errors + " sets how an error becomes the " + w.err.msg.GoIdent.GoName + " of an event. By default, an error that has a method Proto() *" +
			w.err.msg.GoIdent.GoName + ", or that wraps one, gives a copy of its message; any other one gives its text as the " + string(w.err.text.Desc.Name())
		more := ""
		if code := w.err.code; code != nil {
			sentence += ", and as the " + string(code.Desc.Name()) + " what it, or one that it wraps, returns from a method Code() " + code.Enum.GoIdent.GoName
			more = "An error that has neither method leaves the " + string(code.Desc.Name()) + " unset: classify it first. " +
				"So does one received from gRPC, whose details are not looked at: convert it to the API's own error first."
		}
		w.doc(sentence+".", more)
		w.P("func ", n.errors, "(", l.f, " func(error) *", message, ") ", n.option, " {")
		w.P("return func(", l.em, " *", n.emitter, ") { ", l.em, ".toError = ", l.f, " }")
		w.P("}")
		w.P()
	}
}

// writeEmit writes the method that sends an event as it is.
func (w *eventWriter) writeEmit() {
	n, l := &w.name, &w.local
	if w.kindOf != nil {
		w.writeEmitOfKind()
		return
	}
	sentence := n.emit + " sends an event"
	if w.time != nil {
		sentence += ", with the current time in its field " + w.event.Time.Name + " unless that is set"
	}
	w.doc(sentence + ". A nil event stands for an empty one.")
	w.P("func (", l.em, " *", n.emitter, ") ", n.emit, "(", l.ctx, " ", w.use(contextPackage, "Context"), ", ", l.e, " *", w.messageType(), ") error {")
	w.writeNil()
	w.writeStamp()
	w.P("return ", l.em, ".sink(", l.ctx, ", ", l.e, ")")
	w.P("}")
	w.P()
}

// writeNil makes an empty event of a nil one.
func (w *eventWriter) writeNil() {
	e := w.local.e
	w.P("if ", e, " == nil {")
	w.P(e, " = new(", w.messageType(), ")")
	w.P("}")
}

// writeStamp sets the time of an event that has none.
func (w *eventWriter) writeStamp() {
	e := w.local.e
	if w.time == nil {
		return
	}
	now := w.local.em + ".now()"
	unset, value := " == 0", now+"."+unixMethods[w.event.TimeUnit()]+"()"
	if events.IsTimestamp(w.event.Time) {
		unset, value = " == nil", w.use(timestamppbPackage, "New")+"("+now+")"
	}
	w.P("if ", w.get(e, w.time), unset, " {")
	w.P(w.set(e, w.time, value))
	w.P("}")
}

// unixMethods are the methods of time.Time that return an integer.
var unixMethods = map[events.Unit]string{
	events.Seconds:      "Unix",
	events.Milliseconds: "UnixMilli",
	events.Microseconds: "UnixMicro",
	events.Nanoseconds:  "UnixNano",
}

// writeEmitOfKind writes Emit for events whose kind is an enum field.
func (w *eventWriter) writeEmitOfKind() {
	n, l := &w.name, &w.local
	sentence := n.emit + " sends " + l.e + " as an event of the given kind: it sets the " + w.event.Type.Name
	if w.time != nil {
		sentence += ", and the current time as the field " + w.event.Time.Name + " unless that is set"
	}
	w.doc(sentence + ". A nil event stands for an empty one.")
	w.P("func (", l.em, " *", n.emitter, ") ", n.emit, "(", l.ctx, " ", w.use(contextPackage, "Context"), ", ", l.k, " ", n.kind, ", ", l.e, " *", w.messageType(), ") error {")
	w.writeNil()
	w.P(w.set(l.e, w.kindOf, l.k+"."+n.enum+"()"))
	w.writeStamp()
	w.P("return ", l.em, ".sink(", l.ctx, ", ", l.e, ")")
	w.P("}")
	w.P()
}

// writeEmitKind writes the method that sends an event of one kind.
func (w *eventWriter) writeEmitKind(kind *eventKind) {
	n, l := &w.name, &w.local
	head := "func (" + l.em + " *" + n.emitter + ") " + kind.emit + "(" + l.ctx + " " + w.use(contextPackage, "Context") + ", "
	if kind.field == nil {
		w.docWith(kind.emit+" sends "+l.e+" as an event of the kind "+kind.text, kind.comment, w.deprecation(kind))
		w.P(head, l.e, " *", w.messageType(), ") error {")
		w.P("return ", l.em, ".", n.emit, "(", l.ctx, ", ", kind.constant, ", ", l.e, ")")
		w.P("}")
		w.P()
		return
	}
	p := w.payloadName(kind)
	w.docWith(kind.emit+" sends an event with "+p+" as its "+kind.text, kind.comment, w.deprecation(kind))
	w.P(head, p, " ", w.goType(kind.field), ") error {")
	if n.parts == "" {
		w.P("return ", l.em, ".", n.emit, "(", l.ctx, ", ", kind.construct, "(", p, "))")
	} else {
		w.writeDefault(kind)
		w.P(l.parts, " := new(", n.parts, "[", kind.field.GoIdent, "])")
		w.P(l.parts, ".variant.", kind.field.GoName, " = ", p)
		w.P(l.parts, ".event.", w.oneof.GoName, " = &", l.parts, ".variant")
		w.P("return ", l.parts, ".send(", l.ctx, ", ", l.em, ")")
	}
	w.P("}")
	w.P()
}

// writeEmitStatus writes the method that sends an event with a documented value.
func (w *eventWriter) writeEmitStatus(kind *eventKind, s eventStatus) {
	n, l := &w.name, &w.local
	field := kind.field
	sentence := s.emit + " sends an event with " + l.p + " as its " + kind.text + ", with the " + string(kind.status.Desc.Name()) + " " + strconv.Quote(s.value)
	parameters := l.p + " " + w.goType(field)
	if s.withErr {
		sentence += " and with what " + l.err + " says as the " + string(kind.err.Desc.Name()) + "; a nil " + l.err + " leaves that field as it is"
		parameters += ", " + l.err + " error"
	}
	w.doc(sentence+".", w.deprecation(kind))
	w.P("func (", l.em, " *", n.emitter, ") ", s.emit, "(", l.ctx, " ", w.use(contextPackage, "Context"), ", ", parameters, ") error {")
	w.writeDefault(kind)
	w.P(w.set(l.p, kind.status, s.constant))
	if s.withErr {
		w.P("if ", l.err, " != nil {")
		w.P(w.set(l.p, kind.err, l.em+".toError("+l.err+")"))
		w.P("}")
	}
	w.P("return ", l.em, ".", kind.emit, "(", l.ctx, ", ", l.p, ")")
	w.P("}")
	w.P()
}

// writeParts writes the type that lets an event of an Open message be one
// allocation: its wrapper and its time are part of it.
func (w *eventWriter) writeParts() {
	n, l := &w.name, &w.local
	if n.parts == "" {
		return
	}
	stamps := w.time != nil && events.IsTimestamp(w.event.Time)
	w.doc(n.parts + " are the parts of an event, allocated together.")
	w.P("type ", n.parts, "[", l.typ, " any] struct {")
	w.P("event ", w.messageType())
	w.P("variant ", l.typ)
	if stamps {
		w.P("time ", w.use(timestamppbPackage, "Timestamp"))
	}
	w.P("}")
	w.P()
	w.P("func (", l.parts, " *", n.parts, "[", l.typ, "]) send(", l.ctx, " ", w.use(contextPackage, "Context"), ", ", l.em, " *", n.emitter, ") error {")
	switch {
	case stamps:
		w.P(l.t, " := ", l.em, ".now()")
		w.P(l.parts, ".time.Seconds, ", l.parts, ".time.Nanos = ", l.t, ".Unix(), int32(", l.t, ".Nanosecond())")
		w.P(l.parts, ".event.", w.time.GoName, " = &", l.parts, ".time")
	case w.time != nil:
		w.P(w.set(l.parts+".event", w.time, l.em+".now()."+unixMethods[w.event.TimeUnit()]+"()"))
	}
	w.P("return ", l.em, ".sink(", l.ctx, ", &", l.parts, ".event)")
	w.P("}")
	w.P()
}

// writeErrorByText writes how an error becomes a message by default.
func (w *eventWriter) writeErrorByText() {
	n, l := &w.name, &w.local
	if w.err == nil {
		return
	}
	message := w.QualifiedGoIdent(w.err.msg.GoIdent)
	sentence := n.errorByText + " is a copy of the message of the first error in the tree that has one, or else a message with the error's text"
	if w.err.code != nil {
		sentence += " and with the code of the first error in the tree that has one"
	}
	text := func(of string) string {
		return w.use(stringsPackage, "ToValidUTF8") + "(" + of + `, "\uFFFD")`
	}
	w.doc(sentence + ".")
	w.P("func ", n.errorByText, "(", l.err, " error) (", l.p, " *", message, ") {")
	w.P("defer func() {")
	w.P("if recover() != nil { // as the methods of a nil pointer may panic")
	w.P(l.p, " = new(", message, ")")
	w.P(w.set(l.p, w.err.text, text(w.use(fmtPackage, "Sprint")+"("+l.err+")")))
	w.P("}")
	w.P("}()")
	w.P("var ", l.known, " interface{ Proto() *", message, " }")
	w.P("if ", w.use(errorsPackage, "As"), "(", l.err, ", &", l.known, ") {")
	w.P("if ", l.p, " = ", l.known, ".Proto(); ", l.p, " != nil {")
	w.P("return ", w.use(protoPackage, "CloneOf"), "(", l.p, ")")
	w.P("}")
	w.P("}")
	w.P(l.p, " = new(", message, ")")
	w.P(w.set(l.p, w.err.text, text(l.err+".Error()")))
	if w.err.code != nil {
		w.P("var ", l.coded, " interface{ Code() ", w.goType(w.err.code), " }")
		w.P("if ", w.use(errorsPackage, "As"), "(", l.err, ", &", l.coded, ") {")
		w.P(w.set(l.p, w.err.code, l.coded+".Code()"))
		w.P("}")
	}
	w.P("return ", l.p)
	w.P("}")
	w.P()
}
