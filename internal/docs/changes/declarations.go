package changes

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/api"
)

// declarations are those of some files of one release.
type declarations struct {
	byName map[string]*declaration
	order  []string
	within map[string][]string // by the name of what they stand in
}

// declaration is what is compared of one.
type declaration struct {
	what, name, short, in string
	number                *int32 // of a field or a value
	deprecated            bool
	facts                 []fact
	file                  *api.File
}

// fact is a property that readers of an API depend on.
type fact struct {
	name  string
	value string // empty: not set
}

// oneofFact is the fact that holds the oneof of a field.
const oneofFact = "oneof"

func (d *declaration) fact(name string) (string, bool) {
	i := slices.IndexFunc(d.facts, func(f fact) bool { return f.name == name })
	if i < 0 {
		return "", false
	}
	return d.facts[i].value, true
}

// index lists the declarations of the wanted files, in the order of the source.
func index(model *api.Model, wanted func(string) bool) *declarations {
	d := &declarations{byName: make(map[string]*declaration), within: make(map[string][]string)}
	files := slices.Clone(model.Files)
	slices.SortFunc(files, func(a, b *api.File) int { return cmp.Compare(a.Path, b.Path) })
	for _, f := range files {
		if wanted(f.Path) {
			d.file(f)
		}
	}
	return d
}

func (d *declarations) add(x *declaration, decl *api.Decl, o api.Options) {
	x.file, x.short, x.deprecated = decl.File, decl.Name, o.Deprecated()
	for _, c := range o.Custom() {
		if c.Name != api.HTTPOption { // compared as routes
			x.facts = append(x.facts, fact{"option (" + c.Name + ")", text(c.Value)})
		}
	}
	if d.byName[x.name] != nil {
		return // a path that is also a name
	}
	d.byName[x.name] = x
	d.order = append(d.order, x.name)
	d.within[x.in] = append(d.within[x.in], x.name)
}

func text(value any) string {
	b, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(b)
}

func (d *declarations) file(f *api.File) {
	d.add(&declaration{what: "file", name: f.Path, facts: []fact{{"package", f.Package}}}, &f.Decl, f.Options())
	for _, s := range f.Services {
		d.add(&declaration{what: "service", name: s.FullName}, &s.Decl, s.Options())
		for _, m := range s.Methods {
			d.method(m)
		}
	}
	for m := range f.AllMessages() {
		if !m.IsMapEntry() {
			d.message(m)
		}
	}
	for e := range f.AllEnums() {
		d.enum(e)
	}
	for _, x := range f.Extensions {
		d.field("extension", "", x)
	}
}

func (d *declarations) method(m *api.Method) {
	facts := []fact{
		{"request", stream(m.Desc.GetClientStreaming()) + m.Input.FullName},
		{"response", stream(m.Desc.GetServerStreaming()) + m.Output.FullName},
	}
	if level := m.Desc.GetOptions().GetIdempotencyLevel(); level != descriptorpb.MethodOptions_IDEMPOTENCY_UNKNOWN {
		facts = append(facts, fact{"idempotency", level.String()})
	}
	for i, r := range m.Routes {
		name := "HTTP route"
		if i > 0 {
			name += " " + strconv.Itoa(i+1)
		}
		value := r.Verb + " " + r.Path
		if r.Body != "" {
			value += ", body " + r.Body
		}
		facts = append(facts, fact{name, value})
	}
	d.add(&declaration{what: "RPC", name: m.FullName(), in: m.Parent.FullName, facts: facts}, &m.Decl, m.Options())
}

func stream(yes bool) string {
	if yes {
		return "stream "
	}
	return ""
}

func (d *declarations) message(m *api.Message) {
	d.add(&declaration{what: "message", name: m.FullName, in: parentName(m.Parent)}, &m.Decl, m.Options())
	for _, o := range m.Oneofs {
		if !o.IsSynthetic() {
			d.add(&declaration{what: "oneof", name: o.FullName(), in: m.FullName}, &o.Decl, o.Options())
		}
	}
	for _, x := range m.Fields {
		d.field("field", m.FullName, x)
	}
	for _, x := range m.Extensions {
		d.field("extension", m.FullName, x)
	}
}

func parentName(m *api.Message) string {
	if m == nil {
		return ""
	}
	return m.FullName
}

func (d *declarations) field(what, in string, x *api.Field) {
	number := x.Desc.GetNumber()
	facts := []fact{{"number", strconv.Itoa(int(number))}, {"type", typeText(x)}}
	if !x.IsRepeated() {
		facts = append(facts, fact{"presence", x.Presence().String()})
	}
	if x.IsDelimited() {
		facts = append(facts, fact{"encoding", "group"})
	}
	if x.Desc.DefaultValue != nil {
		facts = append(facts, fact{"default", strconv.Quote(x.Desc.GetDefaultValue())})
	}
	if x.Oneof != nil && !x.Oneof.IsSynthetic() {
		facts = append(facts, fact{oneofFact, x.Oneof.Name})
	}
	if name := x.Desc.GetJsonName(); name != "" && what == "field" {
		facts = append(facts, fact{"JSON name", name})
	}
	if x.Extendee != nil {
		facts = append(facts, fact{"extended message", x.Extendee.FullName})
	}
	y := &declaration{what: what, name: x.FullName(), in: in, facts: facts}
	if what == "field" {
		y.number = &number
	}
	d.add(y, &x.Decl, x.Options())
}

// typeText is a field's type as a .proto file has it.
func typeText(x *api.Field) string {
	if key, value := x.MapKey(), x.MapValue(); key != nil {
		return "map<" + key.TypeName() + ", " + value.TypeName() + ">"
	}
	if x.IsRepeated() {
		return "repeated " + x.TypeName()
	}
	return x.TypeName()
}

func (d *declarations) enum(e *api.Enum) {
	d.add(&declaration{what: "enum", name: e.FullName, in: parentName(e.Parent)}, &e.Decl, e.Options())
	names := make(map[int32][]string)
	for _, v := range e.Values {
		names[v.Desc.GetNumber()] = append(names[v.Desc.GetNumber()], v.Name)
	}
	for _, v := range e.Values {
		number := v.Desc.GetNumber()
		x := &declaration{
			what:  "value",
			name:  strings.Join([]string{e.FullName, v.Name}, "."),
			in:    e.FullName,
			facts: []fact{{"number", strconv.Itoa(int(number))}},
		}
		if len(names[number]) == 1 {
			x.number = &number // an alias is not told from what it is an alias of
		}
		d.add(x, &v.Decl, v.Options())
	}
}
