package html

import (
	"strconv"
	"strings"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/content"
)

// nav writes what the sidebar has of a file: its services with their RPCs first.
func (w *writer) nav(f *content.File, open bool) {
	w.p("<details", when(open, " open"), "><summary>", breakable(f.Name), "</summary>\n<ul>\n")
	w.navItem("About this file", f.Anchor, f.Deprecated)
	w.p("</li>\n")
	if len(f.Services) > 0 {
		w.p("<li>Services<ul>\n")
		for _, s := range f.Services {
			w.navItem(s.Name, s.Anchor, s.Deprecated)
			if len(s.Methods) > 0 {
				w.p("<ul>\n")
				for _, m := range s.Methods {
					w.navItem(m.Name, m.Anchor, m.Deprecated)
					w.p("</li>\n")
				}
				w.p("</ul>")
			}
			w.p("</li>\n")
		}
		w.p("</ul></li>\n")
	}
	navList(w, "Events", f.Events, func(e *content.Events) { w.navItem(e.Name, eventsAnchor(e), e.Deprecated) })
	navList(w, "Messages", f.Messages, func(m *content.Message) { w.navItem(m.LongName, m.Anchor, m.Deprecated) })
	navList(w, "Enums", f.Enums, func(e *content.Enum) { w.navItem(e.LongName, e.Anchor, e.Deprecated) })
	navList(w, "Extensions", f.Extensions, func(x *content.Field) { w.navItem(x.Name, x.Anchor, x.Deprecated) })
	w.p("</ul></details>\n")
}

func navList[E any](w *writer, kind string, elements []E, begin func(E)) {
	if len(elements) == 0 {
		return
	}
	w.p("<li>", kind, "<ul>\n")
	for _, e := range elements {
		begin(e)
		w.p("</li>\n")
	}
	w.p("</ul></li>\n")
}

// navItem begins an item.
func (w *writer) navItem(name, anchor string, deprecated bool) {
	w.p("<li", old("", deprecated), "><a", href(fragment(anchor)), ">", breakable(name), "</a>")
}

// when is a text under a condition.
func when(yes bool, text string) string {
	if yes {
		return text
	}
	return ""
}

// old is the attribute for classes, with that of what is deprecated and can be
// hidden.
func old(class string, deprecated bool) string {
	if deprecated {
		class = strings.TrimPrefix(class+" old", " ")
	}
	if class == "" {
		return ""
	}
	return ` class="` + class + `"`
}

func (w *writer) file(f *content.File) {
	w.p(`<section`, old("file", f.Deprecated), id(f.Anchor), ">\n<div class=\"part\">\n")
	w.heading(2, "", self(f.Name, f.Anchor), f.Entry)
	w.p(`<p class="meta">`)
	if f.Package != "" {
		w.p("Package ", code(f.Package), ", ")
	}
	w.p(esc(f.Syntax))
	if len(f.Imports) > 0 {
		w.p(". Imports ", list(f.Imports, importText))
	}
	w.p(".", source(f.Entry), "</p>\n")
	w.described(f.Entry, fileLevel)
	w.comment(f.PackageDescription, fileLevel)
	w.removed(f.Removed)
	w.p("</div>\n")
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
		w.p(`<section class="`, size("part type", len(f.Extensions)), `"`, id(content.ExtensionsAnchor(f.Anchor)), ">\n<h3>",
			self("Extensions of "+f.Name, content.ExtensionsAnchor(f.Anchor)), "</h3>\n")
		w.extensions(f.Extensions, "Extensions of "+f.Name)
		w.p("</section>\n")
	}
	w.p("</section>\n")
}

func importText(i content.Import) string {
	text := link(i.Path, i.Link)
	if i.Kind != "" {
		text += " (" + esc(i.Kind) + ")"
	}
	return text
}

// source is a link to the source, behind what is known of a declaration.
func source(e content.Entry) string {
	if h := href(e.SourceURL); h != "" {
		return " <a" + h + ">Source</a>"
	}
	return ""
}

// heading writes the name of a declaration, with its kind and what has become of
// it.
func (w *writer) heading(level int, kind, name string, e content.Entry) {
	tag := "h" + strconv.Itoa(level)
	w.p("<", tag, ">", name)
	if kind != "" {
		w.p(` <span class="kind">`, kind, "</span>")
	}
	w.p(badges(e), "</", tag, ">\n")
}

// badges are words on what has become of a declaration.
func badges(e content.Entry) string {
	text := ""
	if e.Deprecated {
		text = ` <span class="badge deprecated">deprecated</span>`
	}
	if word := changeWord(e); word != "" && !(word == "deprecated" && e.Deprecated) {
		text += ` <span class="badge ` + word + `">` + word + "</span>"
	}
	return text
}

// about writes the line below the heading of a type.
func (w *writer) about(e content.Entry) {
	w.p(`<p class="meta">`, code(e.FullName), source(e), "</p>\n")
}

// described writes what all declarations have: what was different before, whether
// they are deprecated, the comment, what options say.
func (w *writer) described(e content.Entry, level int) {
	w.changeNote(e)
	w.deprecation(e)
	w.comment(e.Description, level)
	w.rules(e.Rules)
	w.options(e)
}

// deprecation writes the reason, if one is given; that something is deprecated,
// its badge says.
func (w *writer) deprecation(e content.Entry) {
	if e.Deprecation.Empty() {
		return
	}
	if e.Deprecation.HasBlocks() {
		w.p(`<div class="note warn"><p><strong>Deprecated:</strong></p>`)
		w.comment(e.Deprecation, cellLevel)
		w.p("</div>\n")
		return
	}
	w.p(`<p class="note warn"><strong>Deprecated:</strong> `, inline(e.Deprecation), "</p>\n")
}

func (w *writer) rules(rules []content.Rule) {
	if len(rules) == 0 {
		return
	}
	w.p(`<ul class="rules">`)
	for _, r := range rules {
		w.p("<li")
		if r.Option != "" {
			w.p(` title="`, esc("by the option "+r.Option), `"`)
		}
		w.p(">", content.Capital(ruleText(r)), ".</li>")
	}
	w.p("</ul>\n")
}

func ruleText(r content.Rule) string {
	var out strings.Builder
	for _, word := range r.Words {
		if word.Code {
			out.WriteString(link(word.Text, word.Link))
		} else {
			out.WriteString(esc(word.Text))
		}
	}
	return out.String()
}

func (w *writer) options(e content.Entry) {
	if len(e.Properties)+len(e.Options) == 0 {
		return
	}
	w.p(`<p class="options">Options: `)
	separator := ""
	for _, p := range e.Properties {
		w.p(separator, code(p.Name+" = "+p.Value))
		separator = ", "
	}
	for _, o := range e.Options {
		w.p(separator, code("("+o.Name+") = "+o.Value))
		separator = ", "
	}
	w.p(".</p>\n")
}
