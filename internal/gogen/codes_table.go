package gogen

import (
	"regexp"
	"strconv"
	"strings"

	"google.golang.org/protobuf/compiler/protogen"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/api"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/codes"
)

// codesFile is a file of a kit that is being written.
type codesFile struct {
	*protogen.GeneratedFile
	kit     *kit
	imports map[string]bool // the names that imports of the file can have
}

// Pv is P for lines with variables: $name is a variable that does not hide an
// import.
func (f *codesFile) Pv(line ...any) {
	for i, part := range line {
		if text, ok := part.(string); ok {
			line[i] = variable.ReplaceAllStringFunc(text, func(v string) string {
				v = v[1:]
				for f.imports[v] {
					v += "_"
				}
				return v
			})
		}
	}
	f.P(line...)
}

var variable = regexp.MustCompile(`\$\w+`)

// Packages that only codes need.
const (
	regexpPackage     protogen.GoImportPath = "regexp"
	slicesPackage     protogen.GoImportPath = "slices"
	stringsPackage    protogen.GoImportPath = "strings"
	syncPackage       protogen.GoImportPath = "sync"
	protoadaptPackage protogen.GoImportPath = "google.golang.org/protobuf/protoadapt"
	grpcCodesPackage  protogen.GoImportPath = "google.golang.org/grpc/codes"
	grpcStatusPackage protogen.GoImportPath = "google.golang.org/grpc/status"
	errdetailsPackage protogen.GoImportPath = "google.golang.org/genproto/googleapis/rpc/errdetails"
)

// name refers to an identifier of a table's kit, from whatever kit is written.
func (f *codesFile) name(t *codeTable, name string) string {
	return f.QualifiedGoIdent(t.kit.importPath.Ident(name))
}

// doc writes a comment: a paragraph of ours, and those of a .proto file.
func (f *codesFile) doc(text string, said ...string) {
	for i, paragraph := range append([]string{text}, said...) {
		if i > 0 {
			f.P("//")
		}
		for _, line := range wrapDoc(paragraph) {
			f.P("// ", line)
		}
	}
}

func (f *codesFile) table(t *codeTable) {
	f.info(t)
	f.lookups(t)
	f.iteration(t)
	if len(t.Phases) > 0 {
		f.group(t, codeGroup{
			typ: t.phaseType, none: t.noPhase, names: t.phaseNames, field: "Phase", noun: "phase",
			what: "is the part of the work that a code comes from", members: phaseMembers(t),
		})
	}
	if len(t.Classes) > 0 {
		f.group(t, codeGroup{
			typ: t.classType, none: t.noClass, names: t.classNames, field: "Class", noun: "class",
			what: "is the kind of outcome that a code stands for", members: classMembers(t),
		})
	}
	if t.hasErrors() {
		f.sentinel(t)
	}
	if t.Suggestions != nil {
		f.suggestions(t)
	}
	if t.Fallback != nil {
		f.classify(t)
	}
	if len(t.Problems) > 0 {
		f.problems(t)
	}
	f.infos(t)
	f.places(t)
}

func (f *codesFile) info(t *codeTable) {
	f.doc(t.infoType+" is what is known about a code of "+t.Enum.FullName+". There is one for each code, which is shared by all and not to be changed.",
		paragraphs(t.Enum.Comments)...)
	f.P("type ", t.infoType, " struct {")
	f.P("Code ", t.enum.GoIdent)
	f.P("// Name is that of the value in the .proto file; for a code that is not known")
	f.P("// it is the number.")
	f.P("Name string")
	f.P("Number int32")
	if len(t.Phases) > 0 {
		f.P("Phase ", t.phaseType)
	}
	if len(t.Classes) > 0 {
		f.P("Class ", t.classType)
	}
	f.P("Section string // the heading that the value stands under")
	f.P("Description string // the comment of the value")
	f.P("Deprecated bool")
	f.P("}")
	f.P()
}

func (f *codesFile) lookups(t *codeTable) {
	f.doc(t.infoOf + " returns what is known about a code. One that is not known, because it was added later, has only its number, as the name too, and ok is false.")
	f.P("func ", t.infoOf, "(code ", t.enum.GoIdent, ") (info *", t.infoType, ", ok bool) {")
	f.P("if info = ", t.find, "(int32(code)); info != nil {")
	f.P("return info, true")
	f.P("}")
	f.P("return ", t.unknown, "(code), false")
	f.P("}")
	f.P()
	f.P("func ", t.unknown, "(code ", t.enum.GoIdent, ") *", t.infoType, " {")
	f.P("return &", t.infoType, "{Code: code, Name: ", strconvPackage.Ident("Itoa"), "(int(code)), Number: int32(code)}")
	f.P("}")
	f.P()
	f.doc(t.byName + " returns the code with a name, as it is in the .proto file." + aliasNote(t))
	f.Pv("func ", t.byName, "($name string) ($code ", t.enum.GoIdent, ", $ok bool) {")
	f.Pv("$number, $ok := ", protogen.GoIdent{GoName: t.enum.GoIdent.GoName + "_value", GoImportPath: t.enum.GoIdent.GoImportPath}, "[$name]")
	f.Pv("return ", t.enum.GoIdent, "($number), $ok")
	f.P("}")
	f.P()
}

// aliasNote explains what happens to aliases, where there are some.
func aliasNote(t *codeTable) string {
	for _, c := range t.Codes {
		if len(c.Aliases) > 0 {
			return " An alias names the same code as the value that was declared first, " + c.Aliases[0].Name + " that of " + c.Value.Name + "."
		}
	}
	return ""
}

func (f *codesFile) iteration(t *codeTable) {
	f.doc(t.all + " goes through all codes in the order of their declaration.")
	f.P("func ", t.all, "() ", iterPackage.Ident("Seq"), "[*", t.infoType, "] {")
	f.P("return func(yield func(*", t.infoType, ") bool) {")
	f.P("for i := range ", t.infos, " {")
	f.P("if !yield(&", t.infos, "[i]) {")
	f.P("return")
	f.P("}")
	f.P("}")
	f.P("}")
	f.P("}")
	f.P()
}

// codeGroup is a small enum that codes are grouped by.
type codeGroup struct {
	typ, none, names string
	field, noun      string
	what             string
	members          []groupMember
}

type groupMember struct{ ident, name string }

func phaseMembers(t *codeTable) []groupMember {
	var members []groupMember
	for _, p := range t.Phases {
		members = append(members, groupMember{t.phases[p], p.Name})
	}
	return members
}

func classMembers(t *codeTable) []groupMember {
	var members []groupMember
	for _, c := range t.Classes {
		members = append(members, groupMember{t.classes[c], c.Name})
	}
	return members
}

func (f *codesFile) group(t *codeTable, g codeGroup) {
	f.doc(g.typ + " " + g.what + ".")
	f.P("type ", g.typ, " uint8")
	f.P()
	f.P("const (")
	f.doc(g.none + " is the " + g.noun + " of a code that has none, or that is not known.")
	f.P(g.none, " ", g.typ, " = iota")
	for _, m := range g.members {
		f.doc(m.ident + " is the " + g.noun + " " + strings.Join(strings.Fields(m.name), " ") + ".")
		f.P(m.ident)
	}
	f.P(")")
	f.P()
	f.P("var ", g.names, " = [...]string{")
	f.P(g.none, `: "None",`)
	for _, m := range g.members {
		f.P(m.ident, ": ", strconv.Quote(m.name), ",")
	}
	f.P("}")
	f.P()
	f.doc("String returns the name of the " + g.noun + ".")
	f.P("func (x ", g.typ, ") String() string {")
	f.P("if int(x) < len(", g.names, ") {")
	f.P("return ", g.names, "[x]")
	f.P("}")
	f.P("return ", strconv.Quote(g.typ+"("), " + ", strconvPackage.Ident("Itoa"), `(int(x)) + ")"`)
	f.P("}")
	f.P()
	f.doc("Codes goes through the codes of the " + g.noun + " in the order of their declaration.")
	f.P("func (x ", g.typ, ") Codes() ", iterPackage.Ident("Seq"), "[*", t.infoType, "] {")
	f.P("return func(yield func(*", t.infoType, ") bool) {")
	f.P("for i := range ", t.infos, " {")
	f.P("if ", t.infos, "[i].", g.field, " == x && !yield(&", t.infos, "[i]) {")
	f.P("return")
	f.P("}")
	f.P("}")
	f.P("}")
	f.P("}")
	f.P()
}

// infos writes the table itself. It is laid out by the compiler: nothing runs
// when a program starts.
func (f *codesFile) infos(t *codeTable) {
	f.P("// ", t.infos, " are all codes in the order of their declaration.")
	f.P("var ", t.infos, " = [...]", t.infoType, "{")
	for _, c := range t.Codes {
		f.P("{")
		f.P("Code: ", f.value(t.enum, c.Value), ", Name: ", strconv.Quote(c.Value.Name), ", Number: ", c.Number(), ",")
		f.infoGroups(t, c)
		f.optional("Section", c.Section)
		f.optional("Description", c.Description())
		if c.Deprecated() {
			f.P("Deprecated: true,")
		}
		f.P("},")
	}
	f.P("}")
	f.P()
}

func (f *codesFile) infoGroups(t *codeTable, c *codes.Code) {
	var fields []string
	if c.Phase != nil {
		fields = append(fields, "Phase: "+t.phases[c.Phase])
	}
	if c.Class != nil {
		fields = append(fields, "Class: "+t.classes[c.Class])
	}
	if len(fields) > 0 {
		f.P(strings.Join(fields, ", "), ",")
	}
}

func (f *codesFile) optional(field, text string) {
	if text != "" {
		f.P(field, ": ", literal(text), ",")
	}
}

// value is the Go constant of a value.
func (f *codesFile) value(e *protogen.Enum, v *api.EnumValue) string {
	for i, other := range v.Parent.Values {
		if other == v {
			return f.QualifiedGoIdent(e.Values[i].GoIdent)
		}
	}
	panic("the value " + v.Name + " is not of its enum")
}

// literal is a Go string literal, raw where that spares escapes.
func literal(text string) string {
	quoted := strconv.Quote(text)
	if strings.ContainsAny(text, "\n`") || !strings.ContainsAny(text, `"\`) || !strconv.CanBackquote(text) {
		return quoted
	}
	return "`" + text + "`"
}

// A table is an index by number as long as that takes at most so many places.
const (
	placesPerCode = 16
	placesAtLeast = 1024
)

// places writes how a number finds its place in the table: as an index, or where
// numbers lie far apart by hashing. Either is filled when a program starts,
// which is shorter than to spell it out.
func (f *codesFile) places(t *codeTable) {
	first, last := t.Codes[0].Number(), t.Codes[0].Number()
	for _, c := range t.Codes {
		first, last = min(first, c.Number()), max(last, c.Number())
	}
	span := int64(last) - int64(first) + 1
	if span <= int64(placesPerCode*len(t.Codes)+placesAtLeast) {
		f.index(t, first, span)
	} else {
		f.hash(t)
	}
}

// placeType is the smallest type that holds one more than all places of a hash
// table.
func placeType(t *codeTable) string {
	switch n := len(t.Codes); {
	case n < 1<<8:
		return "uint8"
	case n < 1<<16:
		return "uint16"
	}
	return "uint32"
}

func (f *codesFile) index(t *codeTable, first int32, span int64) {
	offset := ""
	if first != 0 {
		offset = " - " + strconv.Itoa(int(first))
		if first < 0 {
			offset = " + " + strconv.FormatInt(-int64(first), 10)
		}
	}
	f.doc(t.places + " has the info of each number from " + strconv.Itoa(int(first)) + " on, or nil.")
	f.P("var ", t.places, " [", span, "]*", t.infoType)
	f.P()
	f.P("func init() {")
	f.P("for i := range ", t.infos, " {")
	f.P(t.places, "[int64(", t.infos, "[i].Number)", offset, "] = &", t.infos, "[i]")
	f.P("}")
	f.P("}")
	f.P()
	f.doc(t.find + " returns the info of a number, or nil.")
	f.P("func ", t.find, "(number int32) *", t.infoType, " {")
	f.P("if i := int64(number)", offset, "; 0 <= i && i < int64(len(", t.places, ")) {")
	f.P("return ", t.places, "[i]")
	f.P("}")
	f.P("return nil")
	f.P("}")
	f.P()
}

func (f *codesFile) hash(t *codeTable) {
	bits := 3
	for 1<<bits < 4*len(t.Codes) {
		bits++
	}
	f.doc(t.places + " is a hash table with open addressing: it has at the hash of a number, or after it, one more than the place in " + t.infos + ". Three quarters of it are 0, where a search ends.")
	f.P("var ", t.places, " [1 << ", bits, "]", placeType(t))
	f.P()
	f.P("func init() {")
	f.P("for i := range ", t.infos, " {")
	f.P("at := uint32(", t.infos, "[i].Number) * 0x9e3779b9 >> ", 32-bits)
	f.P("for ", t.places, "[at] != 0 {")
	f.P("at = (at + 1) % uint32(len(", t.places, "))")
	f.P("}")
	f.P(t.places, "[at] = ", placeType(t), "(i + 1)")
	f.P("}")
	f.P("}")
	f.P()
	f.doc(t.find + " returns the info of a number, or nil.")
	f.P("func ", t.find, "(number int32) *", t.infoType, " {")
	f.P("at := uint32(number) * 0x9e3779b9 >> ", 32-bits)
	f.P("for ", t.places, "[at] != 0 {")
	f.P("if info := &", t.infos, "[", t.places, "[at]-1]; info.Number == number {")
	f.P("return info")
	f.P("}")
	f.P("at = (at + 1) % uint32(len(", t.places, "))")
	f.P("}")
	f.P("return nil")
	f.P("}")
	f.P()
}
