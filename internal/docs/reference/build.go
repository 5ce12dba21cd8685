package reference

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/api"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/codes"
)

// Settings are what a user can say about the pages.
type Settings struct {
	Title       string
	SourceOrder bool // keep the order of the source instead of sorting by name
	// SourceURL makes the address of a declaration's source; nil for none.
	SourceURL func(*api.Decl) string
	// Tables are the enums of codes with what is known about them.
	Tables []*codes.Table
}

// Site knows which page shows what.
type Site struct {
	Settings
	model *api.Model
	pages map[*api.File]string

	tables map[*api.Enum]*codes.Table
}

// NewSite returns a site without pages.
func NewSite(model *api.Model, settings Settings) *Site {
	s := &Site{
		Settings: settings,
		model:    model,
		pages:    make(map[*api.File]string),
		tables:   make(map[*api.Enum]*codes.Table),
	}
	for _, t := range settings.Tables {
		s.tables[t.Enum] = t
	}
	return s
}

// Add makes a page show files. All pages have to be added before one is built,
// because they link to each other.
func (s *Site) Add(page string, files ...*api.File) {
	for _, f := range files {
		s.pages[f] = page
	}
}

// Page is the page of the given name, which shows files.
func (s *Site) Page(name string, files []*api.File) *Page {
	return &Page{Name: name, Title: s.title(files), Files: files}
}

// Render renders a page. Each file is made, rendered and forgotten on its own,
// several at a time, so that a page of any size needs little more memory than
// its text.
func (s *Site) Render(p *Page, format Format) ([][]byte, error) {
	contents, bodies := make([][]byte, len(p.Files)), make([][]byte, len(p.Files))
	scratch := sync.Pool{New: func() any { return new(bytes.Buffer) }}
	err := api.Parallel(len(p.Files), func(i int) error {
		b := builder{Site: s, page: p.Name}
		f := b.file(p.Files[i])
		text := scratch.Get().(*bytes.Buffer)
		defer scratch.Put(text)
		text.Reset()
		err := format.Contents(text, f)
		contents[i] = bytes.Clone(text.Bytes())
		text.Reset()
		err = errors.Join(err, format.File(text, f))
		bodies[i] = bytes.Clone(text.Bytes())
		return err
	})
	if err != nil {
		return nil, err
	}
	var head, body, foot bytes.Buffer
	if err := errors.Join(format.Head(&head, p), format.Body(&body, p), format.Foot(&foot, p)); err != nil {
		return nil, err
	}
	out := [][]byte{head.Bytes()}
	out = append(out, contents...)
	out = append(out, body.Bytes())
	out = append(out, bodies...)
	return append(out, foot.Bytes()), nil
}

// Format writes the parts of a page, in this order: its head, an entry of the
// table of contents for each file, what stands between, each file, its end.
type Format interface {
	Head(*bytes.Buffer, *Page) error
	Contents(*bytes.Buffer, *File) error
	Body(*bytes.Buffer, *Page) error
	File(*bytes.Buffer, *File) error
	Foot(*bytes.Buffer, *Page) error
}

// parts is a Format that is a template: one with a template for each part.
type parts struct{ template executor }

// executor is a parsed template of text/template or html/template.
type executor interface {
	ExecuteTemplate(w io.Writer, name string, data any) error
}

func (t parts) Head(w *bytes.Buffer, p *Page) error { return t.template.ExecuteTemplate(w, "head", p) }
func (t parts) Contents(w *bytes.Buffer, f *File) error {
	return t.template.ExecuteTemplate(w, "contents", f)
}
func (t parts) Body(w *bytes.Buffer, p *Page) error { return t.template.ExecuteTemplate(w, "body", p) }
func (t parts) File(w *bytes.Buffer, f *File) error { return t.template.ExecuteTemplate(w, "file", f) }
func (t parts) Foot(w *bytes.Buffer, p *Page) error { return t.template.ExecuteTemplate(w, "foot", p) }

// title is the page's own, or the name of the package if there is only one.
func (s *Site) title(files []*api.File) string {
	switch {
	case s.Title != "":
		return s.Title
	case len(files) == 0 || files[0].Package == "":
		return "API reference"
	}
	for _, f := range files {
		if f.Package != files[0].Package {
			return "API reference"
		}
	}
	return files[0].Package + " API reference"
}

// builder makes the parts of one page.
type builder struct {
	*Site
	page string
}

func (b *builder) entry(d *api.Decl, anchor string, o api.Options) Entry {
	e := Entry{Name: d.Name, Anchor: anchor, Description: Clean(d.Comments), Deprecated: o.Deprecated()}
	for _, c := range o.Custom() {
		if c.Name != api.HTTPOption { // shown as routes
			e.Options = append(e.Options, Option{c.Name, optionText(c.Value)})
		}
	}
	if b.SourceURL != nil {
		e.SourceURL = b.SourceURL(d)
	}
	return e
}

// optionText is an option's value in JSON, which every reader can read. A float
// that JSON has no word for is text, as in protobuf's JSON.
func optionText(value any) string {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(finite(value)); err != nil {
		return fmt.Sprint(value)
	}
	return strings.TrimSuffix(text.String(), "\n")
}

// finite replaces the floats that JSON has no word for.
func finite(value any) any {
	switch v := value.(type) {
	case float32:
		if f := float64(v); math.IsNaN(f) || math.IsInf(f, 0) {
			return finite(f)
		}
	case float64:
		switch {
		case math.IsNaN(v):
			return "NaN"
		case math.IsInf(v, 1):
			return "Infinity"
		case math.IsInf(v, -1):
			return "-Infinity"
		}
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = finite(e)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, e := range v {
			out[k] = finite(e)
		}
		return out
	}
	return value
}

func (b *builder) file(x *api.File) *File {
	f := &File{
		Entry:              b.entry(&x.Decl, fileAnchor(x), x.Options()),
		Package:            x.Package,
		PackageDescription: Clean(x.PackageComments),
		Syntax:             x.Syntax(),
	}
	if edition := x.EditionName(); edition != "" {
		f.Syntax = "edition " + edition
	}
	for _, s := range x.Services {
		f.Services = append(f.Services, b.service(s))
	}
	for m := range x.AllMessages() {
		if !m.IsMapEntry() {
			f.Messages = append(f.Messages, b.message(m))
		}
	}
	for e := range x.AllEnums() {
		f.Enums = append(f.Enums, b.enum(e))
	}
	for _, e := range x.Extensions {
		f.Extensions = append(f.Extensions, b.field(e))
	}
	if !b.SourceOrder {
		slices.SortStableFunc(f.Services, func(a, b *Service) int { return cmp.Compare(a.Name, b.Name) })
		slices.SortStableFunc(f.Messages, func(a, b *Message) int { return cmp.Compare(a.LongName, b.LongName) })
		slices.SortStableFunc(f.Enums, func(a, b *Enum) int { return cmp.Compare(a.LongName, b.LongName) })
		slices.SortStableFunc(f.Extensions, func(a, b *Field) int { return cmp.Compare(a.Anchor, b.Anchor) })
	}
	return f
}

func (b *builder) service(x *api.Service) *Service {
	s := &Service{Entry: b.entry(&x.Decl, x.FullName, x.Options())}
	for _, m := range x.Methods {
		s.Methods = append(s.Methods, b.method(m))
	}
	return s
}

func (b *builder) method(x *api.Method) *Method {
	m := &Method{
		Entry:          b.entry(&x.Decl, x.FullName(), x.Options()),
		Request:        b.typeOf(x.File, x.Input),
		Response:       b.typeOf(x.File, x.Output),
		StreamsRequest: x.Desc.GetClientStreaming(),
		StreamsBack:    x.Desc.GetServerStreaming(),
		Routes:         x.Routes,
	}
	if level := x.Desc.GetOptions().GetIdempotencyLevel(); level != descriptorpb.MethodOptions_IDEMPOTENCY_UNKNOWN {
		m.Idempotency = level.String()
	}
	return m
}

func (b *builder) message(x *api.Message) *Message {
	m := &Message{
		Entry:    b.entry(&x.Decl, x.FullName, x.Options()),
		LongName: x.LongName(),
		UsedBy:   b.usedBy(x.File, x),
	}
	oneofs := make(map[*api.Oneof]*Oneof)
	for _, o := range x.Oneofs {
		if !o.IsSynthetic() {
			oneofs[o] = &Oneof{Entry: b.entry(&o.Decl, o.FullName(), o.Options())}
			m.Oneofs = append(m.Oneofs, oneofs[o])
		}
	}
	for _, x := range x.Fields {
		f := b.field(x)
		if o := oneofs[x.Oneof]; o != nil {
			f.Oneof = o.Name
		}
		m.Fields = append(m.Fields, f)
	}
	for _, x := range x.Extensions {
		m.Extensions = append(m.Extensions, b.field(x))
	}
	m.Reserved = rangeTexts(x.ReservedRanges())
	m.ExtensionRanges = rangeTexts(x.ExtensionRanges())
	for _, name := range x.Desc.GetReservedName() {
		m.Reserved = append(m.Reserved, strconv.Quote(name))
	}
	return m
}

func (b *builder) field(x *api.Field) *Field {
	f := &Field{
		Entry:     b.entry(&x.Decl, x.FullName(), x.Options()),
		Number:    x.Desc.GetNumber(),
		Type:      b.fieldType(x.File, x),
		Presence:  x.Presence(),
		IsMessage: x.Message != nil,
		IsGroup:   x.IsDelimited(),
		Default:   defaultText(x.Desc),
	}
	if name := x.Desc.GetJsonName(); name != defaultJSONName(x.Name) && x.Extendee == nil {
		f.JSONName = name
	}
	if x.Extendee != nil {
		t := b.typeOf(x.File, x.Extendee)
		f.Extends = &t
	}
	return f
}

// defaultText is a default as a .proto file writes it: text in quotes.
func defaultText(d *descriptorpb.FieldDescriptorProto) string {
	if d.DefaultValue == nil {
		return ""
	}
	switch d.GetType() {
	case descriptorpb.FieldDescriptorProto_TYPE_STRING:
		return strconv.Quote(d.GetDefaultValue())
	case descriptorpb.FieldDescriptorProto_TYPE_BYTES:
		return `"` + d.GetDefaultValue() + `"` // escaped already
	}
	return d.GetDefaultValue()
}

// defaultJSONName is the name in lowerCamelCase, as protoc makes it.
func defaultJSONName(name string) string {
	var out strings.Builder
	upper := false
	for _, c := range name {
		if c == '_' {
			upper = true
			continue
		}
		if upper && c >= 'a' && c <= 'z' {
			c -= 'a' - 'A'
		}
		upper = false
		out.WriteRune(c)
	}
	return out.String()
}

func (b *builder) enum(x *api.Enum) *Enum {
	e := &Enum{
		Entry:    b.entry(&x.Decl, x.FullName, x.Options()),
		LongName: x.LongName(),
		UsedBy:   b.usedBy(x.File, x),
	}
	for i, v := range x.Values {
		if i == 0 || v.Section != x.Values[i-1].Section {
			e.Sections = append(e.Sections, &Section{Title: Clean(api.Comments{Leading: v.Section})})
		}
		last := e.Sections[len(e.Sections)-1]
		// A value is a sibling of its enum; the anchor says which enum it is of.
		entry := b.entry(&v.Decl, x.FullName+"."+v.Name, v.Options())
		last.Values = append(last.Values, &Value{Entry: entry, Number: v.Desc.GetNumber()})
	}
	if t := b.tables[x]; t != nil {
		b.explain(e, t)
	}
	e.Reserved = rangeTexts(x.ReservedRanges())
	for _, name := range x.Desc.GetReservedName() {
		e.Reserved = append(e.Reserved, strconv.Quote(name))
	}
	return e
}

// explain adds to the values of an enum what a table of codes says about them.
// An alias has the phase and class of its number; the suggestions stand with the
// first name alone.
func (b *builder) explain(e *Enum, t *codes.Table) {
	e.HasPhases, e.HasClasses = len(t.Phases) > 0, len(t.Classes) > 0
	byNumber := make(map[int32]*codes.Code)
	for _, c := range t.Codes {
		byNumber[c.Number()] = c
	}
	problems := make(map[*codes.Code][]codes.Suggestion)
	for _, p := range t.Problems {
		problems[p.Code] = append(problems[p.Code], p.Suggestions...)
	}
	for _, section := range e.Sections {
		for _, v := range section.Values {
			c := byNumber[v.Number]
			if c.Phase != nil {
				v.Phase = c.Phase.Name
			}
			if c.Class != nil {
				v.Class = c.Class.Name
			}
			if c.Value.Name == v.Name {
				v.Suggestions = b.suggestions(t, problems[c])
			}
		}
	}
}

func (b *builder) suggestions(t *codes.Table, list []codes.Suggestion) []Suggestion {
	out := make([]Suggestion, len(list))
	for i, s := range list {
		link := b.link(t.Suggestions.File, t.Suggestions.FullName+"."+s.Value.Name)
		out[i] = Suggestion{Code: Type{Name: s.Value.Name, Link: link}, Action: s.Action, When: s.When}
	}
	return out
}

func rangeTexts(ranges []api.Range) []string {
	var out []string
	for _, r := range ranges {
		out = append(out, r.String())
	}
	return out
}

func (b *builder) usedBy(from *api.File, t api.Type) []Type {
	var out []Type
	for _, use := range b.model.UsedBy(t) {
		out = append(out, Type{
			Name: strings.TrimPrefix(use.Name, from.Package+"."),
			Link: b.link(use.File, use.Name),
		})
	}
	slices.SortStableFunc(out, func(a, b Type) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

func (b *builder) fieldType(from *api.File, x *api.Field) Type {
	if key, value := x.MapKey(), x.MapValue(); key != nil {
		k, v := b.fieldType(from, key), b.fieldType(from, value)
		return Type{Key: &k, Value: &v}
	}
	t := Type{Name: x.TypeName()}
	switch {
	case x.Message != nil:
		t = b.typeOf(from, x.Message)
	case x.Enum != nil:
		t = b.typeOf(from, x.Enum)
	}
	t.Repeated = x.IsRepeated()
	return t
}

// typeOf names a type as short as a reader of the file expects, and links it.
func (b *builder) typeOf(from *api.File, t api.Type) Type {
	var full string
	switch t := t.(type) {
	case *api.Message:
		full = t.FullName
	case *api.Enum:
		full = t.FullName
	}
	link := b.link(t.Declaration().File, full)
	if link == "" {
		link = api.WellKnownURL(full)
	}
	return Type{Name: strings.TrimPrefix(full, from.Package+"."), Link: link}
}

// plainPath is a path that can stand in a link and in an id as it is.
var plainPath = regexp.MustCompile(`^[A-Za-z0-9._/-]+$`)

// fileAnchor is the path of the file. A path with other characters than those of
// almost all paths is told from others by a hash.
func fileAnchor(f *api.File) string {
	if plainPath.MatchString(f.Path) {
		return f.Path
	}
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(f.Path)) // never fails (hash.Hash)
	return fmt.Sprintf("%s-%08x", unusual.ReplaceAllString(f.Path, "-"), hash.Sum32())
}

var unusual = regexp.MustCompile(`[^A-Za-z0-9._/-]+`)

// link leads to an anchor of the page that shows a file; empty if none does.
func (b *builder) link(to *api.File, anchor string) string {
	page, ok := b.pages[to]
	switch {
	case !ok:
		return ""
	case page == b.page:
		return "#" + anchor
	}
	return relative(b.page, page) + "#" + anchor
}

// relative is the path from the folder of one page to another page.
func relative(from, to string) string {
	a, b := strings.Split(from, "/"), strings.Split(to, "/")
	common := 0
	for common < len(a)-1 && common < len(b)-1 && a[common] == b[common] {
		common++
	}
	return strings.Repeat("../", len(a)-1-common) + strings.Join(b[common:], "/")
}
