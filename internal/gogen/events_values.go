package gogen

import (
	"slices"
	"strconv"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/api"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/events"
)

// describeType is a field's type as a .proto file says it.
func describeType(x *api.Field) string {
	name := x.TypeName()
	switch {
	case x.IsMap():
		return "map<" + x.MapKey().TypeName() + ", " + x.MapValue().TypeName() + ">"
	case x.IsRepeated():
		return "repeated " + name
	case x.Presence() == api.PresenceExplicit && x.Message == nil:
		return "optional " + name
	case x.Presence() == api.PresenceRequired:
		return "required " + name
	}
	return name
}

// valuesOf are the documented values of a field that several payloads share, all
// of them together.
func (w *eventWriter) valuesOf(s *events.Shared) []string {
	var all []string
	for _, values := range w.event.Values {
		if !slices.Contains(s.Fields, values.Field) {
			continue
		}
		for _, value := range values.Values {
			if !slices.Contains(all, value) {
				all = append(all, value)
			}
		}
	}
	return all
}

// writeSharedValues writes the constants that go with an accessor.
func (w *eventWriter) writeSharedValues(s *eventShared) {
	if len(s.values) == 0 {
		return
	}
	w.doc("What " + s.accessor + " returns, of the values that are documented for any kind of event. Others can occur.")
	w.P("const (")
	for i, value := range s.values {
		w.doc(s.constants[i] + " is the " + s.Name + " " + strconv.Quote(value) + ".")
		w.P(s.constants[i], " = ", strconv.Quote(value))
	}
	w.P(")")
	w.P()
}

// writeConstants writes the documented values of string fields.
func (w *eventWriter) writeConstants() {
	for _, values := range w.event.Values {
		w.writeValues(values)
	}
}

func (w *eventWriter) writeValues(values *events.Values) {
	x := values.Field
	key := constantsKey{w.kit, x.FullName()}
	if w.kit.found.written[key] {
		return
	}
	w.kit.found.written[key] = true
	constants := w.kit.found.constants[key]
	what := "Values of " + x.Parent.LongName() + "." + x.Name
	if values.Replaced {
		what += "."
	} else {
		what += said(x.Comments)
	}
	w.doc(what + " The field is a string, and others can occur.")
	w.P("const (")
	for _, value := range values.Values {
		w.doc(constants[value] + " is the " + x.Name + " " + strconv.Quote(value) + ".")
		w.P(constants[value], " = ", strconv.Quote(value))
	}
	w.P(")")
	w.P()
}

// newStatus decides how the emitter sets a documented value.
func (w *eventWriter) newStatus(kind *eventKind, value string) eventStatus {
	constants := w.kit.found.constants[constantsKey{w.kit, kind.variant.Status.Field.FullName()}]
	return eventStatus{value: value, constant: constants[value], withErr: kind.err != nil && events.Failing(value)}
}
