package gogen

import (
	"strconv"
	"strings"
)

// writeKinds writes the type of the kinds and what can be done with it.
func (w *eventWriter) writeKinds() {
	n := &w.name
	if w.oneof != nil {
		w.doc(n.kind + " tells the kinds of " + n.event + " apart. Its values are the field numbers of the oneof " +
			string(w.oneof.Desc.Name()) + ", so that they can be stored: a number never changes its meaning.")
	} else {
		w.doc(n.kind + " tells the kinds of " + n.event + " apart. Its values are those of the enum " +
			w.event.Type.Enum.Name + ".")
	}
	w.P("type ", n.kind, " int32")
	w.P()
	w.P("// The kinds of ", n.event, ".")
	w.P("const (")
	if w.oneof != nil {
		w.writeUnset()
	}
	for _, kind := range w.kinds {
		w.writeKind(kind)
	}
	w.P(")")
	w.P()
	w.writeKindString()
	if w.kindOf != nil {
		enum := w.QualifiedGoIdent(w.kindOf.Enum.GoIdent)
		w.doc(n.enum + " returns the kind as the value of the field " + string(w.kindOf.Desc.Name()) + ".")
		w.P("func (", w.local.k, " ", n.kind, ") ", n.enum, "() ", enum, " { return ", enum, "(", w.local.k, ") }")
		w.P()
	}
	w.writeParse()
	w.writeKindList()
}

func (w *eventWriter) writeUnset() {
	if w.isOpen(w.msg) {
		w.doc(w.name.unset + " is the kind of an event that carries none of the payloads below: it is empty or nil, or its payload is newer than this code.")
	} else {
		w.doc(w.name.unset + " is the kind of an event that carries no payload: it is empty or nil, or its payload is newer than the protobuf package.")
	}
	w.P(w.name.unset, " ", w.name.kind, " = 0")
}

func (w *eventWriter) writeKind(kind *eventKind) {
	sentence := kind.constant + " is the kind " + kind.text
	if kind.unspecified {
		sentence = kind.constant + " (" + kind.text + ") is the kind of an event that does not say what it is"
	}
	w.docWith(sentence, kind.comment, w.deprecation(kind))
	if kind.field != nil {
		w.P(kind.constant, " ", w.name.kind, " = ", kind.field.Desc.Number())
	} else {
		w.P(kind.constant, " = ", w.name.kind, "(", kind.value.GoIdent, ")")
	}
}

// deprecation is the paragraph by which tools know that something is deprecated.
func (w *eventWriter) deprecation(kind *eventKind) string {
	if !kind.deprecated {
		return ""
	}
	return "Deprecated: " + kind.text + " is marked as deprecated in " + w.fileDesc.Path() + "."
}

// unsetText is what String returns for the unset kind: no variant has that name.
func (w *eventWriter) unsetText() string {
	texts := newNames()
	for _, kind := range w.kinds {
		texts.taken[kind.text] = true
	}
	return texts.claim("unset")
}

func (w *eventWriter) writeKindString() {
	n, k := &w.name, w.local.k
	what := "the variant's name in the .proto file, such as " + strconv.Quote(w.example())
	if w.oneof != nil {
		what += "; " + strconv.Quote(w.unsetText()) + " for " + n.unset
	} else {
		what = "the value's name in the .proto file, such as " + strconv.Quote(w.example())
	}
	w.doc("String returns " + what + "; and the number of a kind that this code does not know.")
	w.P("func (", k, " ", n.kind, ") String() string {")
	w.P("switch ", k, " {")
	if w.oneof != nil {
		w.P("case ", n.unset, ":")
		w.P("return ", strconv.Quote(w.unsetText()))
	}
	for _, kind := range w.kinds {
		if kind.alias {
			continue
		}
		w.P("case ", kind.constant, ":")
		w.P("return ", strconv.Quote(kind.text))
	}
	w.P("}")
	w.P("return ", strconv.Quote(n.kind+"("), " + ", w.use(strconvPackage, "Itoa"), "(int(", k, `)) + ")"`)
	w.P("}")
	w.P()
}

// example is the name of a kind for the documentation.
func (w *eventWriter) example() string {
	if list := w.handled(); len(list) > 0 {
		return list[0].text
	}
	return w.kinds[0].text
}

func (w *eventWriter) writeParse() {
	n, name := &w.name, w.local.name
	w.doc(n.parse + " returns the kind that String returns the name for.")
	w.P("func ", n.parse, "(", name, " string) (", n.kind, ", error) {")
	w.P("switch ", name, " {")
	if w.oneof != nil {
		w.P("case ", strconv.Quote(w.unsetText()), ":")
		w.P("return ", n.unset, ", nil")
	}
	for _, kind := range w.kinds {
		w.P("case ", strconv.Quote(kind.text), ":")
		w.P("return ", kind.constant, ", nil")
	}
	w.P("}")
	w.P("return 0, ", w.use(fmtPackage, "Errorf"), "(", strconv.Quote(string(w.kit.name)+": %q is no kind of "+w.event.Message.FullName), ", ", name, ")")
	w.P("}")
	w.P()
}

func (w *eventWriter) writeKindList() {
	n := &w.name
	unset := n.unset
	for _, kind := range w.kinds {
		if kind.unspecified {
			unset = kind.constant
		}
	}
	sentence := n.kinds + " returns all kinds in the order of the .proto file"
	if unset != "" {
		sentence += ", without " + unset
	}
	w.doc(sentence + ".")
	w.P("func ", n.kinds, "() ", w.use(iterPackage, "Seq"), "[", n.kind, "] {")
	w.writeSeq(w.handled())
	w.P("}")
	w.P()
}

// writeSeq writes a function body that returns a sequence of kinds.
func (w *eventWriter) writeSeq(kinds []*eventKind) {
	yield, k := w.local.yield, w.local.k
	w.P("return func(", yield, " func(", w.name.kind, ") bool) {")
	w.P("for _, ", k, " := range [...]", w.name.kind, "{")
	for _, kind := range kinds {
		w.P(kind.constant, ",")
	}
	w.P("} {")
	w.P("if !", yield, "(", k, ") {")
	w.P("return")
	w.P("}")
	w.P("}")
	w.P("}")
}

// writeGroups writes the sets of kinds whose names begin alike.
func (w *eventWriter) writeGroups() {
	n, k := &w.name, w.local.k
	if n.group == "" {
		return
	}
	w.doc(n.group + " is a set of kinds: those whose names begin with the same word.")
	w.P("type ", n.group, " string")
	w.P()
	w.P("// The groups of ", n.kind, ".")
	w.P("const (")
	for _, group := range n.groups {
		w.doc(group.constant + " is the group of " + listKinds(group.kinds) + ".")
		w.P(group.constant, " ", n.group, " = ", strconv.Quote(group.text))
	}
	w.P(")")
	w.P()
	w.doc(n.groupOf + " returns the group of the kind; the empty one for a kind that has none.")
	w.P("func (", k, " ", n.kind, ") ", n.groupOf, "() ", n.group, " {")
	w.P("switch ", k, " {")
	for _, group := range n.groups {
		w.P("case ", joinKinds(group.kinds), ":")
		w.P("return ", group.constant)
	}
	w.P("}")
	w.P(`return ""`)
	w.P("}")
	w.P()
}

// listKinds names kinds as the .proto file does: a, b and c.
func listKinds(kinds []*eventKind) string {
	texts := make([]string, len(kinds))
	for i, kind := range kinds {
		texts[i] = kind.text
	}
	return list(texts)
}

// list joins words: a, b and c.
func list(texts []string) string {
	if len(texts) < 2 {
		return strings.Join(texts, "")
	}
	last := len(texts) - 1
	return strings.Join(texts[:last], ", ") + " and " + texts[last]
}

// joinKinds are the constants of kinds, as a case clause lists them.
func joinKinds(kinds []*eventKind) string {
	constants := make([]string, len(kinds))
	for i, kind := range kinds {
		constants[i] = kind.constant
	}
	return strings.Join(constants, ",\n")
}

// defaultKind is what an enum field that is not set reads as.
func (w *eventWriter) defaultKind() string {
	number := w.kindOf.Desc.Default().Enum()
	for _, kind := range w.kinds {
		if kind.value.Desc.Number() == number {
			return kind.text
		}
	}
	return strconv.Itoa(int(number))
}

// writeKindOf writes the function that tells the kind of an event.
func (w *eventWriter) writeKindOf() {
	n, e, v := &w.name, w.local.e, w.local.v
	if w.kindOf != nil {
		w.doc(n.kindOf + " returns the kind of an event: what its field " + string(w.kindOf.Desc.Name()) +
			" says, also if that is a number newer than this code. A nil event reads as one without that field: as " + w.defaultKind() + ".")
		w.P("func ", n.kindOf, "(", e, " *", w.messageType(), ") ", n.kind, " { return ", n.kind, "(", w.get(e, w.kindOf), ") }")
		w.P()
		return
	}
	w.doc(n.kindOf + " returns the kind of an event; " + n.unset + " for nil.")
	w.P("func ", n.kindOf, "(", e, " *", w.messageType(), ") ", n.kind, " {")
	if !w.isOpen(w.msg) {
		w.P("return ", n.kind, "(", e, ".", w.oneof.MethodName("Which"), "())")
	} else {
		w.P("switch ", v, " := ", e, ".Get", w.oneof.GoName, "().(type) {")
		for _, kind := range w.kinds {
			w.P("case *", kind.field.GoIdent, ":")
			w.P("if ", v, " != nil {")
			w.P("return ", kind.constant)
			w.P("}")
		}
		w.P("}")
		w.P("return ", n.unset)
	}
	w.P("}")
	w.P()
}
