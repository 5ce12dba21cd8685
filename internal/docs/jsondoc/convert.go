package jsondoc

import (
	"encoding/json"
	"strings"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/changes"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/comment"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/content"
)

// each makes a list that is never null.
func each[From, To any](list []From, convert func(From) To) []To {
	out := make([]To, len(list))
	for i, x := range list {
		out[i] = convert(x)
	}
	return out
}

func entryOf(e content.Entry) entry {
	out := entry{
		Name:        e.Name,
		FullName:    e.FullName,
		Anchor:      e.Anchor,
		Description: textOf(e.Description),
		Deprecated:  e.Deprecated,
		Deprecation: textOf(e.Deprecation),
		Rules:       each(e.Rules, ruleOf),
		Options:     each(e.Options, optionOf),
		Properties:  each(e.Properties, optionOf),
		SourceURL:   e.SourceURL,
	}
	if e.Pos.Line > 0 {
		out.Position = &position{e.Pos.Path, e.Pos.Line, e.Pos.Column}
	}
	if e.Change != nil {
		c := changeOf(e.Change)
		out.Change = &c
	}
	return out
}

// textOf is a comment in Markdown whose headings begin at level 1; nil for none.
func textOf(d *comment.Doc) *text {
	if d.Empty() {
		return nil
	}
	return &text{Markdown: d.Markdown(comment.GFM, 0), Text: d.Text(), Summary: d.Summary().Text()}
}

func ruleOf(r content.Rule) rule {
	var phrase strings.Builder
	for _, w := range r.Words {
		phrase.WriteString(w.Text)
	}
	words := each(r.Words, func(w content.Word) word { return word(w) })
	return rule{Text: phrase.String(), Words: words, Option: r.Option}
}

func optionOf(p content.Property) option { return option{p.Name, json.RawMessage(p.JSON)} }

func changeOf(c *changes.Change) change {
	return change{
		Kind: c.Kind.String(), What: c.What, Name: c.Name, File: c.File.Path, In: c.In,
		Details: each(c.Details, func(d changes.Detail) detail { return detail{d.Property, d.Before, d.String()} }),
	}
}

func listedChangeOf(c content.Changed) listedChange {
	return listedChange{changeOf(c.Change), c.Type.Name, c.Type.Link}
}

func fileOf(f *content.File) *file {
	return &file{
		entry:              entryOf(f.Entry),
		Package:            f.Package,
		PackageDescription: textOf(f.PackageDescription),
		Syntax:             f.Syntax,
		Imports:            each(f.Imports, func(i content.Import) importFile { return importFile(i) }),
		Services:           each(f.Services, serviceOf),
		Events:             each(f.Events, eventsOf),
		Messages:           each(f.Messages, messageOf),
		Enums:              each(f.Enums, enumOf),
		Extensions:         each(f.Extensions, fieldOf),
		Removed:            each(f.Removed, changeOf),
	}
}

func serviceOf(s *content.Service) service {
	return service{entryOf(s.Entry), each(s.Methods, methodOf)}
}

func methodOf(m *content.Method) method {
	return method{
		entry:           entryOf(m.Entry),
		Signature:       m.Signature,
		Request:         typeOf(m.Request),
		Response:        typeOf(m.Response),
		ClientStreaming: m.StreamsRequest,
		ServerStreaming: m.StreamsBack,
		Streaming:       m.Streaming(),
		Idempotency:     m.Idempotency,
		Routes:          each(m.Routes, func(r content.Route) route { return route(r) }),
		Grpcurl:         m.Grpcurl,
	}
}

func messageOf(m *content.Message) message {
	return message{
		entry:           entryOf(m.Entry),
		LongName:        m.LongName,
		Fields:          each(m.Fields, fieldOf),
		Oneofs:          each(m.Oneofs, oneofOf),
		Extensions:      each(m.Extensions, fieldOf),
		Reserved:        m.Reserved,
		ExtensionRanges: m.ExtensionRanges,
		RangeOptions:    each(m.Ranges, rangeOptionsOf),
		UsedBy:          each(m.UsedBy, typeOf),
		Example:         json.RawMessage(m.Example),
	}
}

func rangeOptionsOf(r content.ExtensionRange) rangeOptions {
	return rangeOptions{
		r.Numbers, each(r.Declarations, declarationOf), each(r.Options, optionOf), each(r.Properties, optionOf),
	}
}

func declarationOf(d content.Declaration) declaration {
	out := declaration{Number: d.Number, Name: d.Name, Reserved: d.Reserved}
	if d.Type.Name != "" {
		out.Type = typePointer(&d.Type)
	}
	return out
}

func oneofOf(o *content.Oneof) oneof {
	names := each(o.Fields, func(f *content.Field) string { return f.Name })
	return oneof{entryOf(o.Entry), o.Required, names}
}

func fieldOf(f *content.Field) field {
	out := field{
		entry:     entryOf(f.Entry),
		Number:    f.Number,
		Type:      typeOf(f.Type),
		Presence:  string(f.Presence),
		IsMessage: f.IsMessage,
		IsGroup:   f.IsGroup,
		Default:   f.Default,
		JSONName:  f.JSONName,
		Extends:   typePointer(f.Extends),
	}
	if f.Oneof != nil {
		out.Oneof = f.Oneof.Name
	}
	return out
}

func enumOf(e *content.Enum) enum {
	out := enum{
		entry:    entryOf(e.Entry),
		LongName: e.LongName,
		Closed:   e.Closed,
		Sections: each(e.Sections, sectionOf),
		Reserved: e.Reserved,
		UsedBy:   each(e.UsedBy, typeOf),
	}
	if c := (codes{e.HasPhases, e.HasClasses, e.HasSuggestions}); c != (codes{}) {
		out.Codes = &c
	}
	return out
}

func sectionOf(s *content.Section) section {
	return section{textOf(s.Title), each(s.Values, valueOf)}
}

func valueOf(v *content.Value) value {
	return value{
		entry:       entryOf(v.Entry),
		Number:      v.Number,
		AliasOf:     v.AliasOf,
		Phase:       v.Phase,
		Class:       v.Class,
		Suggestions: each(v.Suggestions, suggestionOf),
	}
}

func suggestionOf(s content.Suggestion) suggestion {
	return suggestion{typeOf(s.Code), textOf(s.Action), textOf(s.When)}
}

func eventsOf(e *content.Events) events {
	return events{entryOf(e.Entry), each(e.Kinds, eventKindOf)}
}

func eventKindOf(k *content.EventKind) eventKind {
	return eventKind{entryOf(k.Entry), k.Link, k.Number, typePointer(k.Payload), k.Statuses}
}

func typeOf(t content.Type) typeRef {
	return typeRef{
		Name: t.Name, FullName: t.FullName, Link: t.Link, Repeated: t.Repeated,
		Key: typePointer(t.Key), Value: typePointer(t.Value),
	}
}

func typePointer(t *content.Type) *typeRef {
	if t == nil {
		return nil
	}
	out := typeOf(*t)
	return &out
}
