package markdown

import (
	"strings"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/comment"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/content"
)

// Levels of headings.
const (
	fileLevel   = 2
	typeLevel   = 3
	memberLevel = 4
)

// indexEntry writes what the table of contents has of a file: its services with
// their RPCs first.
func (w *writer) indexEntry(f *content.File) {
	w.p("- ", w.link(f.Name, f.Anchor))
	for _, s := range f.Services {
		line := "  - Service " + w.link(s.Name, s.Anchor)
		if len(s.Methods) > 0 {
			line += ": " + list(s.Methods, func(m *content.Method) string { return w.link(m.Name, m.Anchor) })
		}
		w.p(line)
	}
	indexList(w, "Messages", f.Messages, func(m *content.Message) string { return w.link(m.LongName, m.Anchor) })
	indexList(w, "Enums", f.Enums, func(e *content.Enum) string { return w.link(e.LongName, e.Anchor) })
	indexList(w, "Extensions", f.Extensions, func(x *content.Field) string {
		return w.link(x.Name, w.memberAnchor(x, content.ExtensionsAnchor(f.Anchor)))
	})
}

func indexList[E any](w *writer, kind string, elements []E, link func(E) string) {
	if len(elements) > 0 {
		w.p("  - ", kind, ": ", list(elements, link))
	}
}

// link is a name that leads to a place on the page.
func (w *writer) link(name, anchor string) string {
	return "[" + comment.Text(name).MarkdownHeading(w.flavor) + "](#" + anchor + ")"
}

// memberAnchor is the anchor of what stands in a table: its own where tables can
// have anchors, else that of the heading above.
func (w *writer) memberAnchor(x *content.Field, heading string) string {
	if w.tags() {
		return x.Anchor
	}
	return heading
}

func (w *writer) file(f *content.File) {
	w.heading(fileLevel, f.Anchor, comment.Text(f.Name))
	line := f.Syntax
	if f.Package != "" {
		line = "Package " + w.name(f.Package) + ", " + line
	}
	if len(f.Imports) > 0 {
		line += ". Imports " + list(f.Imports, w.importText)
	}
	w.paragraph(line + "." + w.source(f.Entry))
	w.described(f.Entry, fileLevel)
	w.comment(f.PackageDescription, fileLevel)
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

func (w *writer) importText(i content.Import) string {
	text := w.inline(comment.Code(i.Path, i.Link))
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

// described writes what all declarations have: what has become of them, the
// comment, what options say.
func (w *writer) described(e content.Entry, level int) {
	w.paragraph(w.changeText(e))
	if text := w.deprecated(e, w.inline); text != "" {
		w.paragraph(text)
	}
	w.comment(e.Description, level)
	if len(e.Rules) > 0 {
		items := make([]string, len(e.Rules))
		for i, r := range e.Rules {
			items[i] = "- " + capital(w.ruleText(r, w.inline))
		}
		w.paragraph(strings.Join(items, "\n"))
	}
	if options := w.optionTexts(e, w.inline); len(options) > 0 {
		w.paragraph("Options: " + strings.Join(options, ", ") + ".")
	}
}

// deprecated says that something is deprecated, and why.
func (w *writer) deprecated(e content.Entry, render func(*comment.Doc) string) string {
	switch {
	case !e.Deprecated:
		return ""
	case e.Deprecation.Empty():
		return "**Deprecated.**"
	}
	return "**Deprecated:** " + render(e.Deprecation)
}

func (w *writer) ruleText(r content.Rule, render func(*comment.Doc) string) string {
	var out strings.Builder
	for _, word := range r.Words {
		if word.Code {
			out.WriteString(render(comment.Code(word.Text, word.Link)))
		} else {
			out.WriteString(spaced(word.Text, render))
		}
	}
	return out.String()
}

// spaced renders plain text and keeps the spaces at its ends.
func spaced(text string, render func(*comment.Doc) string) string {
	inner := strings.TrimSpace(text)
	start := text[:strings.Index(text, inner)]
	return start + render(comment.Text(inner)) + text[len(start)+len(inner):]
}

func (w *writer) optionTexts(e content.Entry, render func(*comment.Doc) string) []string {
	var out []string
	for _, p := range e.Properties {
		out = append(out, render(comment.Code(p.Name+" = "+p.Value, "")))
	}
	for _, o := range e.Options {
		out = append(out, render(comment.Code("("+o.Name+") = "+o.Value, "")))
	}
	return out
}

// capital makes the first letter of a phrase a capital, unless it is code.
func capital(text string) string {
	if text == "" || text[0] < 'a' || text[0] > 'z' {
		return text
	}
	return string(text[0]-'a'+'A') + text[1:]
}

func (w *writer) service(s *content.Service) {
	w.heading(typeLevel, s.Anchor, comment.Text("Service "+s.Name))
	w.described(s.Entry, typeLevel)
	for _, m := range s.Methods {
		w.method(m)
	}
}

func (w *writer) method(m *content.Method) {
	w.heading(memberLevel, m.Anchor, comment.Text(m.Name))
	w.code("proto", m.Signature)
	w.described(m.Entry, memberLevel)
	about := capital(m.Streaming()) + ": takes " + w.streamed(m.StreamsRequest, m.Request) +
		" and returns " + w.streamed(m.StreamsBack, m.Response) + "."
	if m.Idempotency == "NO_SIDE_EFFECTS" {
		about += " It has no side effects."
	} else if m.Idempotency == "IDEMPOTENT" {
		about += " It is idempotent."
	}
	w.paragraph(about + w.source(m.Entry))
	if len(m.Routes) > 0 {
		items := make([]string, len(m.Routes))
		for i, r := range m.Routes {
			items[i] = "- " + w.routeText(r)
		}
		w.paragraph(strings.Join(items, "\n"))
	}
	w.details("Try it", "sh", commands(m))
}

func (w *writer) streamed(stream bool, t content.Type) string {
	if stream {
		return "a stream of " + typeText(t, w.inline)
	}
	return typeText(t, w.inline)
}

func (w *writer) routeText(r content.Route) string {
	text := w.name(r.Verb + " " + r.Path)
	if r.Body == "*" {
		text += ", the body is the request"
	} else if r.Body != "" {
		text += ", the body is " + w.name(r.Body)
	}
	if len(r.Query) > 0 {
		text += ", in the query: " + list(r.Query, w.name)
	}
	if r.ResponseBody != "" {
		text += ", the answer is " + w.name(r.ResponseBody)
	}
	return text
}

// commands are the commands that call an RPC.
func commands(m *content.Method) string {
	var out []string
	for _, r := range m.Routes {
		if r.Curl != "" {
			out = append(out, r.Curl)
		}
	}
	if m.Grpcurl != "" {
		out = append(out, m.Grpcurl)
	}
	return strings.Join(out, "\n\n")
}

// details writes code that a reader opens, where the flavor has that.
func (w *writer) details(title, language, code string) {
	switch {
	case code == "":
	case !w.tags():
		w.paragraph(title + ":")
		w.code(language, code)
	default:
		w.paragraph("<details>\n<summary>" + title + "</summary>")
		w.code(language, code)
		w.paragraph("</details>")
	}
}
