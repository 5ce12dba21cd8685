package gogen

import (
	"strconv"
	"strings"
	"unicode"

	"google.golang.org/protobuf/compiler/protogen"
)

// eventNames are the identifiers of the kit that one event takes.
type eventNames struct {
	event                              string // the message's own Go name
	kind, unset, kindOf, parse, kinds  string
	group                              string
	groups                             []eventGroup
	enum                               string // method of kind
	groupOf                            string // method of kind
	construct                          string // by kind, for an enum
	payload                            string
	visitor, visit, visitUnknown       string
	cases, handle, otherwise           string
	emitter, newEmitter, emit, parts   string
	option, clock, errors, errorByText string
}

// eventGroup is a set of kinds whose names begin with one word.
type eventGroup struct {
	text, constant string
	kinds          []*eventKind
}

// eventLocals are the names of variables, chosen so that none hides a package
// that the file imports.
type eventLocals struct {
	e, p, k, v, c, em, ctx, err, ok, name, sink, options, option, now, parts, t, f, known, coded, yield, typ string
}

// setNames claims all identifiers before anything is written: those of the event
// as a whole, then those of its kinds, of the shared fields and of the values.
func (w *eventWriter) setNames() {
	w.setLocals()
	event := nameOf(w.msg.GoIdent)
	lower := lowerFirst(event)
	claim := w.kit.names.claim
	n := &w.name
	n.event = event
	n.kind = claim(event + "Kind")
	if w.oneof != nil {
		n.unset = claim(n.kind + "Unset")
	}
	n.kindOf = claim("KindOf" + event)
	n.parse = claim("Parse" + n.kind)
	n.kinds = claim(n.kind + "s")
	if w.oneof != nil {
		n.payload = claim(event + "Payload")
	} else {
		n.construct = claim("New" + event)
	}
	n.visitor = claim(event + "Visitor")
	n.visit = claim("Visit" + event)
	n.cases = claim(event + "Cases")
	n.emitter = claim(event + "Emitter")
	n.newEmitter = claim("New" + n.emitter)
	if w.time != nil || w.err != nil {
		n.option = claim(n.emitter + "Option")
	}
	if w.time != nil {
		n.clock = claim("With" + event + "Clock")
	}
	if w.err != nil {
		n.errors = claim("With" + event + "Errors")
		n.errorByText = claim(lower + "Error")
	}
	if w.oneof != nil && w.isOpen(w.msg) {
		n.parts = claim(lower + "Parts")
	}
	w.setKindNames()
	w.setGroupNames()
	w.setAccessorNames()
	w.setConstantNames()
	w.setMethodNames()
}

// setLocals chooses the variables.
func (w *eventWriter) setLocals() {
	taken := newNames()
	for _, p := range w.imports() {
		name := importName(p)
		taken.taken[name] = true
		w.kit.names.taken[name] = true // Go allows no import to be named as a declaration
	}
	l := &w.local
	for _, v := range []struct {
		name *string
		wish string
	}{
		{&l.e, "e"}, {&l.p, "p"}, {&l.k, "k"}, {&l.v, "v"}, {&l.c, "c"}, {&l.em, "em"}, {&l.ctx, "ctx"}, {&l.err, "err"},
		{&l.ok, "ok"}, {&l.name, "name"}, {&l.sink, "sink"}, {&l.options, "options"}, {&l.option, "option"}, {&l.now, "now"},
		{&l.parts, "parts"}, {&l.t, "t"}, {&l.f, "f"}, {&l.known, "known"}, {&l.coded, "coded"}, {&l.yield, "yield"}, {&l.typ, "V"},
	} {
		*v.name = taken.claim(v.wish)
	}
}

// imports are all packages that code for the event may import.
func (w *eventWriter) imports() []protogen.GoImportPath {
	list := []protogen.GoImportPath{
		contextPackage, errorsPackage, fmtPackage, iterPackage, strconvPackage, stringsPackage, timePackage, protoPackage, timestamppbPackage,
		w.msg.GoIdent.GoImportPath,
	}
	add := func(field *protogen.Field) {
		if field.Message != nil {
			list = append(list, field.Message.GoIdent.GoImportPath)
		}
		if field.Enum != nil {
			list = append(list, field.Enum.GoIdent.GoImportPath)
		}
	}
	for _, field := range w.msg.Fields {
		add(field)
	}
	if w.err != nil {
		list = append(list, w.err.msg.GoIdent.GoImportPath)
		if w.err.code != nil {
			add(w.err.code)
		}
	}
	for _, s := range w.shared {
		for _, field := range s.fields {
			add(field)
			if field.Desc.IsMap() {
				add(field.Message.Fields[1])
			}
		}
	}
	return list
}

func (w *eventWriter) setKindNames() {
	claim := w.kit.names.claim
	texts := newNames()
	strip := w.valuePrefix()
	for _, kind := range w.kinds {
		wish := w.goName(kind, strip)
		kind.constant = claim(w.name.kind + wish)
		texts.taken[kind.text] = true
		if kind.field == nil {
			continue
		}
		construct := wish
		if !strings.HasSuffix(wish, w.name.event) {
			construct = w.name.event + wish
		}
		kind.construct = claim("New" + construct)
	}
}

// goName is what identifiers call a kind: protoc-gen-go's name of the variant, or
// the name of the value in camel case without the prefix that all values have.
func (w *eventWriter) goName(kind *eventKind, prefix string) string {
	if kind.field != nil {
		return upperFirst(kind.field.GoName)
	}
	return camel(strings.TrimPrefix(kind.text, prefix), false)
}

// valuePrefix is the enum's name in capitals, if all values begin with it.
func (w *eventWriter) valuePrefix() string {
	if w.kindOf == nil {
		return ""
	}
	prefix := strings.ToUpper(strings.Join(words(w.event.Type.Enum.Name), "_")) + "_"
	for _, kind := range w.kinds {
		if rest, ok := strings.CutPrefix(kind.text, prefix); !ok || rest == "" {
			return ""
		}
	}
	return prefix
}

// setGroupNames makes groups of the first words of the values' names, if each
// kind has one and each group has two or more kinds: POD_STARTED and POD_EXITED
// beside APP_STARTED and APP_EXITED.
func (w *eventWriter) setGroupNames() {
	if w.kindOf == nil {
		return
	}
	var groups []eventGroup
	index := make(map[string]int)
	prefix := w.valuePrefix()
	for _, kind := range w.handled() {
		first, _, ok := strings.Cut(strings.TrimPrefix(kind.text, prefix), "_")
		if !ok || first == "" {
			return
		}
		i, seen := index[first]
		if !seen {
			i = len(groups)
			index[first] = i
			groups = append(groups, eventGroup{text: first})
		}
		groups[i].kinds = append(groups[i].kinds, kind)
	}
	if len(groups) < 2 {
		return
	}
	for _, group := range groups {
		if len(group.kinds) < 2 {
			return
		}
	}
	w.name.group = w.kit.names.claim(w.name.event + "Group")
	for i := range groups {
		groups[i].constant = w.kit.names.claim(w.name.group + camel(groups[i].text, false))
	}
	w.name.groups = groups
}

func (w *eventWriter) setAccessorNames() {
	for _, s := range w.shared {
		if s.SameType {
			wish := w.name.event + camel(s.Name, true)
			s.accessor = w.kit.names.claim(wish)
			for i, value := range s.values {
				s.constants = append(s.constants, w.kit.names.claim(wish+valueName(value, i)))
			}
		}
	}
}

// setMethodNames names the methods and fields of types, each type on its own.
func (w *eventWriter) setMethodNames() {
	n := &w.name
	ofKind, visitor, cases, emitter := newNames(), newNames(), newNames(), newNames()
	ofKind.claim("String")
	if w.kindOf != nil {
		n.enum = ofKind.claim(upperFirst(w.kindOf.GoName))
	}
	if n.group != "" {
		n.groupOf = ofKind.claim("Group")
	}
	n.visitUnknown = visitor.claim("VisitUnknown")
	n.handle = cases.claim("Handle")
	n.otherwise = cases.claim("Otherwise")
	n.emit = emitter.claim("Emit")
	strip := w.valuePrefix()
	for _, kind := range w.handled() {
		wish := w.goName(kind, strip)
		kind.visit = visitor.claim("Visit" + wish)
		kind.cases = cases.claim(fieldName(wish))
		kind.emit = emitter.claim(fieldName(wish))
	}
	for _, kind := range w.handled() {
		for i := range kind.statuses {
			s := &kind.statuses[i]
			s.emit = emitter.claim(kind.emit + valueName(s.value, i))
		}
	}
}

// setConstantNames names the constants for documented values and decides which
// methods of the emitter set them.
func (w *eventWriter) setConstantNames() {
	for _, values := range w.event.Values {
		key := constantsKey{w.kit, values.Field.FullName()}
		if w.kit.found.constants[key] != nil {
			continue
		}
		constants := make(map[string]string)
		prefix := w.goNameOf(values.Field.Parent.FullName) + camel(values.Field.Name, true)
		for i, value := range values.Values {
			constants[value] = w.kit.names.claim(prefix + valueName(value, i))
		}
		w.kit.found.constants[key] = constants
	}
	for _, kind := range w.kinds {
		if kind.status == nil {
			continue
		}
		status := kind.variant.Status
		for _, value := range status.Values {
			kind.statuses = append(kind.statuses, w.newStatus(kind, value))
		}
	}
}

// goNameOf is the Go name of the event or of a payload.
func (w *eventWriter) goNameOf(fullName string) string {
	for _, kind := range w.kinds {
		if kind.field != nil && kind.field.Message != nil && string(kind.field.Message.Desc.FullName()) == fullName {
			return nameOf(kind.field.Message.GoIdent)
		}
	}
	return w.name.event
}

// nameOf is a message's name in identifiers: without the underscores between the
// names of nested messages.
func nameOf(ident protogen.GoIdent) string {
	return upperFirst(strings.ReplaceAll(ident.GoName, "_", ""))
}

// valueName is what identifiers call a documented value, the i-th of its field.
func valueName(value string, i int) string {
	if value == "" {
		return "Empty"
	}
	if name := camel(value, false); name != "" {
		return name
	}
	return "Value" + strconv.Itoa(i+1)
}

// camel joins the words of a name, each with a capital at its start. Words in
// capitals are changed to lower case, and initialisms the other way round if
// asked for.
func camel(name string, initials bool) string {
	var b strings.Builder
	for _, word := range words(name) {
		switch upper := strings.ToUpper(word); {
		case initials && initialisms[upper]:
			b.WriteString(upper)
		case word == upper:
			b.WriteString(upperFirst(strings.ToLower(word)))
		default:
			b.WriteString(upperFirst(word))
		}
	}
	return b.String()
}

// initialisms are those that Go's code review comments write in capitals.
var initialisms = map[string]bool{
	"API": true, "CPU": true, "DNS": true, "HTML": true, "HTTP": true, "HTTPS": true, "ID": true, "IP": true,
	"JSON": true, "OS": true, "RPC": true, "SQL": true, "SSH": true, "TCP": true, "TLS": true, "TTL": true, "UDP": true,
	"UI": true, "UID": true, "URI": true, "URL": true, "UUID": true, "VM": true, "XML": true, "YAML": true,
}

// words splits a name at what is neither a letter nor a digit, and before a
// capital that follows a small letter or precedes one.
func words(name string) []string {
	var list []string
	var word []rune
	flush := func() {
		if len(word) > 0 {
			list = append(list, string(word))
		}
		word = nil
	}
	runes := []rune(name)
	for i, r := range runes {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			flush()
			continue
		}
		if unicode.IsUpper(r) && len(word) > 0 {
			before := unicode.IsLower(runes[i-1])
			after := unicode.IsUpper(runes[i-1]) && i+1 < len(runes) && unicode.IsLower(runes[i+1])
			if before || after {
				flush()
			}
		}
		word = append(word, r)
	}
	flush()
	return list
}

func upperFirst(s string) string {
	for i, r := range s {
		return string(unicode.ToUpper(r)) + s[i+len(string(r)):]
	}
	return s
}

func lowerFirst(s string) string {
	for i, r := range s {
		return string(unicode.ToLower(r)) + s[i+len(string(r)):]
	}
	return s
}

// fieldName makes a name that other packages can use out of one that may begin
// with a digit or an underscore.
func fieldName(name string) string {
	if name == "" || !unicode.IsUpper([]rune(name)[0]) {
		return "X" + name
	}
	return name
}
