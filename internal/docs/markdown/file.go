package markdown

import (
	"strings"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/changes"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/comment"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/content"
)

// Levels of headings.
const (
	fileLevel   = 2
	typeLevel   = 3
	memberLevel = 4
)

func (w *writer) file(f *content.File) {
	w.removed = removedFrom(f)
	w.heading(fileLevel, f.Anchor, comment.Text(f.Name))
	line := content.Capital(f.Syntax)
	if f.Package != "" {
		line = "Package " + w.name(f.Package) + ", " + f.Syntax
	}
	w.paragraph(line + "." + w.source(f.Entry))
	w.said(f.Entry, fileLevel)
	w.comment(f.PackageDescription, fileLevel)
	w.facts(f.Entry)
	if len(f.Imports) > 0 {
		w.paragraph("Imports " + lines(each(f.Imports, w.importText)) + ".")
	}
	w.gone("")
	for _, s := range f.Services {
		w.service(s)
	}
	for _, e := range f.Events {
		w.events(e)
	}
	for _, m := range f.Messages {
		w.message(m)
	}
	for _, e := range f.Enums {
		w.enum(e)
	}
	if len(f.Extensions) > 0 {
		w.heading(typeLevel, content.ExtensionsAnchor(f.Anchor), comment.Text("Extensions of "+f.Name))
		w.extensions(f.Extensions)
	}
}

// removedFrom are what stood in the declarations of a file before, by the names of
// those, and by "" what stood elsewhere in it.
func removedFrom(f *content.File) map[string][]*changes.Change {
	if len(f.Removed) == 0 {
		return nil
	}
	shown := make(map[string]bool)
	for _, s := range f.Services {
		shown[s.FullName] = true
	}
	for _, m := range f.Messages {
		shown[m.FullName] = true
	}
	for _, e := range f.Enums {
		shown[e.FullName] = true
	}
	removed := make(map[string][]*changes.Change)
	for _, c := range f.Removed {
		in := c.In
		if !shown[in] {
			in = ""
		}
		removed[in] = append(removed[in], c)
	}
	return removed
}

func (w *writer) importText(i content.Import) string {
	text := w.span(i.Path, i.Link, w.line)
	if i.Kind != "" {
		text += " (" + i.Kind + ")"
	}
	return text
}

// source is a link to the source, behind the first line of a section.
func (w *writer) source(e content.Entry) string {
	if e.SourceURL == "" {
		return ""
	}
	return " [Source](" + e.SourceURL + ")"
}

// said writes what has become of a declaration, and its comment.
func (w *writer) said(e content.Entry, level int) {
	w.paragraph(w.changeText(e))
	w.paragraph(w.deprecated(e, w.inline))
	w.comment(e.Description, level)
}

// facts writes what options say.
func (w *writer) facts(e content.Entry) {
	w.bullets(each(e.Rules, func(r content.Rule) string { return content.Capital(w.ruleText(r, w.inline, w.line)) }))
	w.paragraph(w.optionsText(e.Properties, e.Options, w.line))
}

// gone writes what stood in a declaration before.
func (w *writer) gone(in string) {
	if list := w.removed[in]; len(list) > 0 {
		w.paragraph("Removed: " + lines(each(list, func(c *changes.Change) string {
			return c.What + " " + w.name(strings.TrimPrefix(c.Name, in+"."))
		})) + ".")
	}
}

// deprecated says that something is deprecated, and why.
func (w *writer) deprecated(e content.Entry, render func(*comment.Doc) string) string {
	word := "Deprecated"
	switch {
	case !e.Deprecated:
		return ""
	case e.Change != nil && e.Change.Kind == changes.Deprecated:
		word = "Newly deprecated"
	}
	if e.Deprecation.Empty() {
		return "**" + word + ".**"
	}
	return "**" + word + ":** " + render(e.Deprecation)
}

// ruleText is a rule in words; start renders what begins it, render the rest.
func (w *writer) ruleText(r content.Rule, start, render func(*comment.Doc) string) string {
	var out strings.Builder
	for _, word := range r.Words {
		switch {
		case word.Code:
			out.WriteString(w.span(word.Text, word.Link, render))
		case out.Len() == 0:
			out.WriteString(spaced(word.Text, start))
		default:
			out.WriteString(spaced(word.Text, render))
		}
	}
	return out.String()
}

// spaced renders plain text as one line and keeps a space at its ends.
func spaced(text string, render func(*comment.Doc) string) string {
	inner := strings.Join(strings.Fields(text), " ")
	if inner == "" {
		return " "
	}
	out := render(comment.Text(inner))
	if text[0] == ' ' {
		out = " " + out
	}
	if text[len(text)-1] == ' ' {
		out += " "
	}
	return out
}

// optionsText are the options that nothing else shows.
func (w *writer) optionsText(properties, custom []content.Property, render func(*comment.Doc) string) string {
	out := make([]string, 0, len(properties)+len(custom))
	for _, p := range properties {
		out = append(out, w.span(p.Name+" = "+p.Value, "", render))
	}
	for _, o := range custom {
		out = append(out, w.span("("+o.Name+") = "+o.Value, "", render))
	}
	if len(out) == 0 {
		return ""
	}
	return "Options: " + strings.Join(out, ", ") + "."
}

func (w *writer) service(s *content.Service) {
	w.heading(typeLevel, s.Anchor, comment.Text("Service "+s.Name))
	w.said(s.Entry, typeLevel)
	w.facts(s.Entry)
	w.gone(s.FullName)
	w.paragraph(strings.TrimSpace(w.source(s.Entry)))
	for _, m := range s.Methods {
		w.method(m)
	}
}

func (w *writer) method(m *content.Method) {
	w.heading(memberLevel, m.Anchor, comment.Text(m.Name))
	w.code("proto", m.Signature)
	w.said(m.Entry, memberLevel)
	w.paragraph(w.callText(m) + w.source(m.Entry))
	switch len(m.Routes) {
	case 0:
	case 1:
		w.paragraph("Over HTTP: " + w.routeText(m.Routes[0]) + ".")
	default:
		w.paragraph("Over HTTP:")
		w.bullets(each(m.Routes, w.routeText))
	}
	w.facts(m.Entry)
	if list := commands(m); len(list) > 0 {
		w.details("Try it", func() {
			for _, c := range list {
				w.code("sh", c)
			}
		})
	}
}

// callText says how an RPC is called, and that it may be called again.
func (w *writer) callText(m *content.Method) string {
	text := content.Capital(m.Streaming()) + ": takes " + w.streamed(m.StreamsRequest, m.Request) +
		" and returns " + w.streamed(m.StreamsBack, m.Response) + "."
	switch m.Idempotency {
	case "":
	case "NO_SIDE_EFFECTS":
		text += " It has no side effects."
	case "IDEMPOTENT":
		text += " It is idempotent: calling it again changes nothing more."
	default:
		text += " Its idempotency level is " + w.name(m.Idempotency) + "."
	}
	return text
}

func (w *writer) streamed(stream bool, t content.Type) string {
	if stream {
		return "a stream of " + w.typeText(t, w.line)
	}
	return w.typeText(t, w.line)
}

func (w *writer) routeText(r content.Route) string {
	text := w.name(r.Verb + " " + r.Path)
	if r.Body == "*" {
		text += ", with the request as the body"
	} else if r.Body != "" {
		text += ", with " + w.name(r.Body) + " as the body"
	}
	if len(r.Query) > 0 {
		if r.Body != "" {
			text += " and "
		} else {
			text += ", with "
		}
		text += list(r.Query, w.name) + " in the query"
	}
	if r.ResponseBody != "" {
		text += ", answered with " + w.name(r.ResponseBody) + " alone"
	}
	return text
}

// commands are the commands that call an RPC.
func commands(m *content.Method) []string {
	var out []string
	for _, r := range m.Routes {
		if r.Curl != "" {
			out = append(out, r.Curl)
		}
	}
	if m.Grpcurl != "" {
		out = append(out, m.Grpcurl)
	}
	return out
}
