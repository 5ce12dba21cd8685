package docbook

import (
	"strings"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/content"
)

func (w *writer) file(f *content.File) {
	w.open(f.Anchor, escape(f.Name))
	line := escape(f.Syntax)
	if f.Package != "" {
		line = "Package <package>" + escape(f.Package) + "</package>, " + line
	}
	if len(f.Imports) > 0 {
		line += ". Imports " + joined(f.Imports, ", ", importText)
	}
	w.para(line + "." + source(f.Entry))
	w.described(f.Entry)
	w.comment(f.PackageDescription)
	w.removed(f.Removed)
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
		w.open(content.ExtensionsAnchor(f.Anchor), "Extensions of "+escape(f.Name))
		w.extensions(f.Extensions)
		w.close()
	}
	w.close()
}

func importText(i content.Import) markup {
	text := linked(code(i.Path), i.Link)
	if i.Kind != "" {
		text += " (" + escape(i.Kind) + ")"
	}
	return text
}

// source is a link to the source, behind a sentence.
func source(e content.Entry) markup {
	if e.SourceURL == "" {
		return ""
	}
	return " " + linked("Source", e.SourceURL)
}

// sourceLine is the link on its own.
func (w *writer) sourceLine(e content.Entry) {
	w.para(markup(strings.TrimSpace(string(source(e)))))
}

// described writes what all declarations have: what has become of them, the
// comment, what options say.
func (w *writer) described(e content.Entry) {
	w.para(changeText(e.Change))
	w.para(deprecated(e))
	w.comment(e.Description)
	rules := make([]markup, len(e.Rules))
	for i, r := range e.Rules {
		rules[i] = ruleText(r)
	}
	w.items(rules)
	if o := options(e); o != "" {
		w.para("Options: " + o + ".")
	}
}

// deprecated says that something is deprecated, and why.
func deprecated(e content.Entry) markup {
	switch {
	case !e.Deprecated:
		return ""
	case e.Deprecation.Empty():
		return strong("Deprecated.")
	}
	return strong("Deprecated:") + " " + inline(e.Deprecation)
}

// ruleText is a rule as a sentence without its full stop.
func ruleText(r content.Rule) markup {
	return joined(r.Words, "", func(word content.Word) markup {
		text := escape(word.Text)
		if word.Code {
			text = code(word.Text)
		}
		return linked(text, word.Link)
	}).sentence()
}

func options(e content.Entry) markup { return optionList(e.Properties, e.Options) }

// optionList lists options of descriptor.proto and custom ones.
func optionList(properties, custom []content.Property) markup {
	list := make([]string, 0, len(properties)+len(custom))
	for _, p := range properties {
		list = append(list, p.Name+" = "+p.Value)
	}
	for _, o := range custom {
		list = append(list, "("+o.Name+") = "+o.Value)
	}
	return joined(list, ", ", code)
}

// sentence makes the first letter of a phrase a capital, unless it begins with an
// element.
func (m markup) sentence() markup {
	if m == "" || m[0] < 'a' || m[0] > 'z' {
		return m
	}
	return markup(m[0]-'a'+'A') + m[1:]
}

func (w *writer) service(s *content.Service) {
	w.open(s.Anchor, "Service "+escape(s.Name))
	w.sourceLine(s.Entry)
	w.described(s.Entry)
	if len(s.Methods) == 0 {
		w.para("No RPCs.") // a section has to have something
	}
	for _, m := range s.Methods {
		w.method(m)
	}
	w.close()
}

func (w *writer) method(m *content.Method) {
	w.open(m.Anchor, escape(m.Name))
	w.listing("proto", m.Signature)
	w.described(m.Entry)
	about := markup(m.Streaming()).sentence() + ": takes " + streamed(m.StreamsRequest, m.Request) +
		" and returns " + streamed(m.StreamsBack, m.Response) + "."
	switch m.Idempotency {
	case "":
	case "NO_SIDE_EFFECTS":
		about += " It has no side effects."
	case "IDEMPOTENT":
		about += " It is idempotent."
	default:
		about += " Its idempotency is " + code(m.Idempotency) + "."
	}
	w.para(about + source(m.Entry))
	routes, commands := make([]markup, len(m.Routes)), []string(nil)
	for i, r := range m.Routes {
		routes[i] = routeText(r)
		if r.Curl != "" {
			commands = append(commands, r.Curl)
		}
	}
	if m.Grpcurl != "" {
		commands = append(commands, m.Grpcurl)
	}
	w.items(routes)
	if len(commands) > 0 {
		w.para("Try it:")
		w.listing("sh", strings.Join(commands, "\n\n"))
	}
	w.close()
}

func streamed(stream bool, t content.Type) markup {
	if stream {
		return "a stream of " + typeText(t)
	}
	return typeText(t)
}

func routeText(r content.Route) markup {
	text := code(r.Verb + " " + r.Path)
	if r.Body == "*" {
		text += ", the body is the request"
	} else if r.Body != "" {
		text += ", the body is " + code(r.Body)
	}
	if len(r.Query) > 0 {
		text += ", in the query: " + joined(r.Query, ", ", code)
	}
	if r.ResponseBody != "" {
		text += ", the answer is " + code(r.ResponseBody)
	}
	return text
}

// typeText is a type with its links.
func typeText(t content.Type) markup {
	if t.Repeated {
		t.Repeated = false
		return "repeated " + typeText(t)
	}
	if t.Key != nil {
		return "map&lt;" + typeText(*t.Key) + ", " + typeText(*t.Value) + "&gt;"
	}
	return linked(code(t.Name), t.Link)
}
