package content

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/api"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/codes"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/comment"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/rules"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/events"
)

// builder makes the content of one file on one page.
type builder struct {
	*Site
	page string
}

// declared is what declarations of all sorts have.
type declared interface {
	Declaration() *api.Decl
	Options() api.Options
}

func (b *builder) entry(x declared, full, anchor string) Entry {
	d, o := x.Declaration(), x.Options()
	e := Entry{
		Name: d.Name, FullName: full, Anchor: safeAnchor(anchor), Deprecated: o.Deprecated(),
		Pos: d.Pos(), Change: b.Changes.Of(full),
	}
	e.Description, e.Deprecation = b.comments(d, full, true)
	warned := e.Deprecation.Empty()
	if warned {
		e.Deprecation = b.warning(o, full)
	}
	e.Deprecated = e.Deprecated || !e.Deprecation.Empty()
	if b.record != nil {
		b.record.anchor(b.page, e.Anchor, e.Pos, full)
	}
	list, rest := rules.Of(o)
	for _, r := range list {
		e.Rules = append(e.Rules, b.rule(r))
	}
	e.Options = b.options(rest)
	e.Properties = properties(o)
	if warned {
		e.Properties = slices.DeleteFunc(e.Properties, func(p Property) bool { return p.Name == warningOption })
	}
	if b.SourceURL != nil {
		e.SourceURL = b.SourceURL(d)
	}
	return e
}

// options are custom options, but for the one that routes show.
func (b *builder) options(list []api.Option) []Property {
	var out []Property
	for _, o := range list {
		if o.Name == api.HTTPOption {
			continue
		}
		p := Property{Name: o.Name, JSON: optionText(o.Value)}
		p.Value = p.JSON
		if x := b.extension(o.Name); x != nil && x.Enum != nil {
			p.Value = strings.ReplaceAll(p.JSON, `"`, "") // names of values need no quotes
		}
		out = append(out, p)
	}
	return out
}

// rule links the resources that a rule names.
func (b *builder) rule(r rules.Rule) Rule {
	out := Rule{Option: r.Option}
	for _, w := range r.Words {
		word := Word{Text: w.Text, Code: w.Code}
		if w.Resource != "" {
			word.Link = b.resource(w.Resource)
		}
		out.Words = append(out.Words, word)
	}
	return out
}

// warningOption is the option that holds what warning finds.
const warningOption = "feature_support.deprecation_warning"

// warning is the reason for a deprecation that editions have an option for
// (FeatureSupport.deprecation_warning in descriptor.proto).
func (b *builder) warning(o api.Options, scope string) *comment.Doc {
	value, _ := o.Value("feature_support")
	fields, _ := value.(map[string]any)
	text, _ := fields["deprecation_warning"].(string)
	return b.parse(scope, text)
}

// comments read a declaration's comments, and what they say of its deprecation
// on its own.
func (b *builder) comments(d *api.Decl, scope string, report bool) (description, deprecation *comment.Doc) {
	doc := b.parse(scope, d.Comments.Leading, d.Comments.Trailing)
	if report && b.Report != nil && d.Pos().Line > 0 {
		if !commented(d) {
			b.Report(Problem{Kind: Uncommented, Pos: d.Pos(), Message: d.Name + " has no comment: say what it is for"})
		}
		b.report(d, doc)
	}
	return doc.SplitDeprecated()
}

// commented tells whether a declaration has a comment. That of a file can stand at
// its package declaration too.
func commented(d *api.Decl) bool {
	text := d.Comments.Leading + d.Comments.Trailing
	if d == d.File.Declaration() {
		text += d.File.PackageComments.Leading + d.File.PackageComments.Trailing
	}
	return strings.TrimSpace(text) != ""
}

// packageComments read the comments of a file's package declaration. The model does
// not say where that stands, so that their problems have the place of the file: of
// a declaration there that has no comments to count lines of.
func (b *builder) packageComments(x *api.File) *comment.Doc {
	doc := b.parse(x.Package, x.PackageComments.Leading, x.PackageComments.Trailing)
	if b.Report != nil {
		place := x.Decl
		place.Comments = api.Comments{}
		b.report(&place, doc)
	}
	return doc // with what it says of its deprecation, which a package has no place for
}

// report tells of what is wrong in a declaration's comments.
func (b *builder) report(d *api.Decl, doc *comment.Doc) {
	for _, p := range doc.Problems() {
		b.Report(Problem{Kind: BadComment, Pos: placeOf(d, p), Message: p.Message})
	}
	b.noteLinks(d, doc)
}

// parse reads comments.
func (b *builder) parse(scope string, texts ...string) *comment.Doc {
	return comment.Parse(comment.Options{
		Resolve:          func(target string) (comment.Link, bool) { return b.resolve(scope, target) },
		RemoveInternal:   !b.Internal,
		RemoveDirectives: true,
	}, texts...)
}

// properties are the options of descriptor.proto that are set, but for those
// that the content has a field for.
func properties(o api.Options) []Property {
	var out []Property
	for _, s := range o.Standard() {
		switch s.Name {
		case "deprecated", "idempotency_level", "map_entry", "uninterpreted_option":
			continue
		case "features", "feature_support":
			fields, _ := s.Value.(map[string]any)
			for _, name := range sortedKeys(fields) {
				out = append(out, property(s.Name+"."+name, fields[name]))
			}
			continue
		}
		out = append(out, property(s.Name, s.Value))
	}
	return out
}

// visibility is the word before a type that says which files may use it, which is
// no option, but says as much.
func visibility(v descriptorpb.SymbolVisibility) []Property {
	if v == descriptorpb.SymbolVisibility_VISIBILITY_UNSET {
		return nil
	}
	return []Property{property("visibility", strings.ToLower(strings.TrimPrefix(v.String(), "VISIBILITY_")))}
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// property shows text as it is, and other values in JSON.
func property(name string, value any) Property {
	p := Property{Name: name, JSON: optionText(value)}
	p.Value = p.JSON
	if text, ok := value.(string); ok {
		p.Value = text
	}
	return p
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
	b.noteHeadings(x)
	f := &File{Entry: b.entry(x, x.Path, fileAnchor(x.Path)), Package: x.Package, Syntax: x.Syntax(), Imports: b.imports(x)}
	f.PackageDescription = b.packageComments(x)
	if edition := x.EditionName(); edition != "" {
		f.Syntax = "edition " + edition
	}
	for _, s := range x.Services {
		f.Services = append(f.Services, b.service(s))
	}
	for m := range x.AllMessages() {
		if m.IsMapEntry() {
			continue
		}
		f.Messages = append(f.Messages, b.message(m))
		if e := b.events[m]; e != nil {
			f.Events = append(f.Events, b.eventTable(e))
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
	if b.Changes != nil {
		f.Removed = b.Changes.RemovedFrom(x.Path)
	}
	return f
}

func (b *builder) imports(x *api.File) []Import {
	var out []Import
	for i, path := range x.Desc.GetDependency() {
		kind := ""
		switch {
		case slices.Contains(x.Desc.GetPublicDependency(), int32(i)):
			kind = "public"
		case slices.Contains(x.Desc.GetWeakDependency(), int32(i)):
			kind = "weak"
		}
		out = append(out, b.importOf(path, kind))
	}
	for _, path := range x.Desc.GetOptionDependency() {
		out = append(out, b.importOf(path, "option"))
	}
	return out
}

func (b *builder) importOf(path, kind string) Import {
	out := Import{Path: path, Kind: kind}
	if f := b.model.File(path); f != nil {
		out.Link = b.link(f, fileAnchor(path))
	}
	return out
}

func (b *builder) service(x *api.Service) *Service {
	s := &Service{Entry: b.entry(x, x.FullName, x.FullName)}
	for _, m := range x.Methods {
		s.Methods = append(s.Methods, b.method(m))
	}
	return s
}

func (b *builder) method(x *api.Method) *Method {
	m := &Method{
		Entry:          b.entry(x, x.FullName(), x.FullName()),
		Request:        b.typeOf(x.File, x.Input),
		Response:       b.typeOf(x.File, x.Output),
		StreamsRequest: x.Desc.GetClientStreaming(),
		StreamsBack:    x.Desc.GetServerStreaming(),
		Grpcurl:        b.maker.Grpcurl(x, b.GRPC),
	}
	m.Signature = fmt.Sprintf("rpc %s(%s%s) returns (%s%s)", m.Name,
		stream(m.StreamsRequest), m.Request.Name, stream(m.StreamsBack), m.Response.Name)
	for _, r := range x.Routes {
		m.Routes = append(m.Routes, b.route(x, r))
	}
	if level := x.Desc.GetOptions().GetIdempotencyLevel(); level != descriptorpb.MethodOptions_IDEMPOTENCY_UNKNOWN {
		m.Idempotency = level.String()
	}
	return m
}

func stream(yes bool) string {
	if yes {
		return "stream "
	}
	return ""
}

func (b *builder) route(x *api.Method, r api.Route) Route {
	return Route{
		Verb: r.Verb, Path: r.Path, Body: r.Body, ResponseBody: r.ResponseBody,
		Query: query(x.Input, r), Curl: b.maker.Curl(x, r, b.HTTP),
	}
}

func (b *builder) message(x *api.Message) *Message {
	m := &Message{
		Entry:           b.entry(x, x.FullName, x.FullName),
		LongName:        x.LongName(),
		UsedBy:          b.usedBy(x.File, x),
		Reserved:        reserved(x.ReservedRanges(), x.Desc.GetReservedName()),
		ExtensionRanges: reserved(x.ExtensionRanges(), nil),
		Example:         b.maker.Message(x),
	}
	m.Properties = append(m.Properties, visibility(x.Desc.GetVisibility())...)
	m.Ranges = b.extensionRanges(x)
	oneofs := make(map[*api.Oneof]*Oneof)
	for _, o := range x.Oneofs {
		if !o.IsSynthetic() {
			oneofs[o] = &Oneof{Entry: b.entry(o, o.FullName(), o.FullName()), Required: rules.Requires(o.Options())}
			m.Oneofs = append(m.Oneofs, oneofs[o])
		}
	}
	byOneof := make(map[*Oneof][]*Field)
	for _, x := range x.Fields {
		f := b.field(x)
		f.Oneof = oneofs[x.Oneof]
		if f.Oneof != nil {
			f.Oneof.Fields = append(f.Oneof.Fields, f)
			byOneof[f.Oneof] = append(byOneof[f.Oneof], f)
			continue
		}
		m.Fields = append(m.Fields, f)
	}
	m.Fields = placeOneofs(m.Fields, x, oneofs)
	for _, x := range x.Extensions {
		m.Extensions = append(m.Extensions, b.field(x))
	}
	return m
}

// extensionRanges are those ranges of which options say something.
func (b *builder) extensionRanges(x *api.Message) []ExtensionRange {
	ranges := x.ExtensionRanges()
	var out []ExtensionRange
	for i, o := range x.ExtensionRangeOptions() {
		r := ExtensionRange{Numbers: ranges[i].String(), Options: b.options(o.Custom())}
		for _, p := range properties(o) {
			if p.Name != "declaration" {
				r.Properties = append(r.Properties, p)
			}
		}
		for _, d := range x.Desc.GetExtensionRange()[i].GetOptions().GetDeclaration() {
			r.Declarations = append(r.Declarations, b.declaration(x, d))
		}
		if len(r.Declarations)+len(r.Options)+len(r.Properties) > 0 {
			out = append(out, r)
		}
	}
	return out
}

func (b *builder) declaration(x *api.Message, d *descriptorpb.ExtensionRangeOptions_Declaration) Declaration {
	name := strings.TrimPrefix(d.GetFullName(), ".")
	out := Declaration{Number: d.GetNumber(), Name: name, Reserved: d.GetReserved(), Type: Type{Name: d.GetType()}}
	if full, ok := strings.CutPrefix(d.GetType(), "."); ok {
		out.Type = b.typeNamed(x.File, full)
	}
	out.Type.Repeated = d.GetRepeated()
	return out
}

// typeNamed is a type that may not be among the files of the request.
func (b *builder) typeNamed(from *api.File, full string) Type {
	if m := b.model.Message(full); m != nil {
		return b.typeOf(from, m)
	}
	if e := b.model.Enum(full); e != nil {
		return b.typeOf(from, e)
	}
	return Type{Name: strings.TrimPrefix(full, from.Package+"."), FullName: full}
}

// placeOneofs puts the fields of each oneof behind each other, at the place of
// its first.
func placeOneofs(plain []*Field, x *api.Message, oneofs map[*api.Oneof]*Oneof) []*Field {
	out := make([]*Field, 0, len(x.Fields))
	for _, f := range x.Fields {
		o := oneofs[f.Oneof]
		switch {
		case o == nil:
			out = append(out, plain[0])
			plain = plain[1:]
		case f == f.Oneof.Fields[0]:
			out = append(out, o.Fields...)
		}
	}
	return out
}

func (b *builder) field(x *api.Field) *Field {
	f := &Field{
		Entry:     b.entry(x, x.FullName(), x.FullName()),
		Number:    x.Desc.GetNumber(),
		Type:      b.fieldType(x.File, x),
		Presence:  presences[x.Presence()],
		IsMessage: x.Message != nil,
		IsGroup:   x.IsDelimited(),
		Default:   defaultText(x.Desc),
	}
	if name := x.Desc.GetJsonName(); name != "" && name != api.DefaultJSONName(x.Name) && x.Extendee == nil {
		f.JSONName = name
	}
	if x.Extendee != nil {
		t := b.typeOf(x.File, x.Extendee)
		f.Extends = &t
	}
	return f
}

var presences = map[api.Presence]Presence{
	api.PresenceImplicit: Implicit, api.PresenceExplicit: Optional, api.PresenceRequired: Required, api.PresenceRepeated: Repeated,
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

func (b *builder) enum(x *api.Enum) *Enum {
	e := &Enum{
		Entry:    b.entry(x, x.FullName, x.FullName),
		LongName: x.LongName(),
		Closed:   x.IsClosed(),
		UsedBy:   b.usedBy(x.File, x),
		Reserved: reserved(x.ReservedRanges(), x.Desc.GetReservedName()),
	}
	e.Properties = append(e.Properties, visibility(x.Desc.GetVisibility())...)
	first := make(map[int32]string)
	for i, v := range x.Values {
		if i == 0 || v.Section != x.Values[i-1].Section {
			e.Sections = append(e.Sections, &Section{Title: b.parse(x.FullName, v.Section)})
		}
		last := e.Sections[len(e.Sections)-1]
		// A value is a sibling of its enum; the anchor says which enum it is of.
		full := x.FullName + "." + v.Name
		value := &Value{Entry: b.entry(v, full, full), Number: v.Desc.GetNumber(), AliasOf: first[v.Desc.GetNumber()]}
		if value.AliasOf == "" {
			first[value.Number] = v.Name
		}
		last.Values = append(last.Values, value)
	}
	if t := b.tables[x]; t != nil {
		b.explain(e, t)
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
				e.HasSuggestions = e.HasSuggestions || len(v.Suggestions) > 0
			}
		}
	}
}

func (b *builder) suggestions(t *codes.Table, list []codes.Suggestion) []Suggestion {
	out := make([]Suggestion, len(list))
	for i, s := range list {
		full := t.Suggestions.FullName + "." + s.Value.Name
		out[i] = Suggestion{
			Code:   Type{Name: s.Value.Name, FullName: full, Link: b.link(t.Suggestions.File, full)},
			Action: b.parse(t.Suggestions.FullName, s.Action),
			When:   b.parse(t.Suggestions.FullName, s.When),
		}
	}
	return out
}

// eventTable is what an event's kinds are.
func (b *builder) eventTable(x *events.Event) *Events {
	m := x.Message
	e := &Events{Entry: b.entry(m, m.FullName, m.FullName)}
	if x.Type != nil {
		for _, v := range x.Type.Enum.Values {
			full := x.Type.Enum.FullName + "." + v.Name
			e.Kinds = append(e.Kinds, &EventKind{
				Entry: b.linked(v, full), Link: b.link(v.File, full), Number: v.Desc.GetNumber(),
			})
		}
		return e
	}
	for _, v := range x.Variants {
		full := v.Field.FullName()
		kind := &EventKind{
			Entry: b.linked(v.Field, full), Link: b.link(v.Field.File, full), Number: v.Field.Desc.GetNumber(),
		}
		t := b.fieldType(m.File, v.Field)
		kind.Payload = &t
		if v.Status != nil {
			kind.Statuses = v.Status.Values
		}
		if kind.Description.Empty() && v.Payload() != nil {
			kind.Description, _ = b.comments(v.Payload().Declaration(), v.Payload().FullName, false)
		}
		e.Kinds = append(e.Kinds, kind)
	}
	return e
}

// linked is the entry of a declaration that stands elsewhere too: its comments
// are not reported again.
func (b *builder) linked(x declared, full string) Entry {
	d := x.Declaration()
	e := Entry{Name: d.Name, FullName: full, Anchor: safeAnchor(full), Deprecated: x.Options().Deprecated(), Pos: d.Pos()}
	e.Description, e.Deprecation = b.comments(d, full, false)
	return e
}

func reserved(ranges []api.Range, names []string) []string {
	var out []string
	for _, r := range ranges {
		out = append(out, r.String())
	}
	for _, name := range names {
		out = append(out, strconv.Quote(name))
	}
	return out
}

func (b *builder) usedBy(from *api.File, t api.Type) []Type {
	var out []Type
	for _, use := range b.model.UsedBy(t) {
		out = append(out, Type{
			Name:     strings.TrimPrefix(use.Name, from.Package+"."),
			FullName: use.Name,
			Link:     b.link(use.File, use.Name),
		})
	}
	slices.SortStableFunc(out, func(a, b Type) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

func (b *builder) fieldType(from *api.File, x *api.Field) Type {
	if key, value := x.MapKey(), x.MapValue(); key != nil {
		k, v := b.fieldType(from, key), b.fieldType(from, value)
		return Type{Name: "map<" + k.Name + ", " + v.Name + ">", Key: &k, Value: &v}
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
	return Type{Name: strings.TrimPrefix(full, from.Package+"."), FullName: full, Link: link}
}

// outputOnly leaves fields out of examples that no client sets.
func outputOnly(f *api.Field) bool { return rules.HasBehavior(f.Options(), "OUTPUT_ONLY") }
