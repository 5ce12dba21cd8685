package markdown

import (
	"path"
	"strings"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/comment"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/content"
)

// Summary is what an index tells of a page.
type Summary struct {
	page  *content.Page
	files []FileSummary
}

// FileSummary is what an index tells of a file.
type FileSummary struct {
	name, packageName, syntax string
	// packageText and text are the first sentences of the package's and of the
	// file's comment.
	packageText, text *comment.Doc
	services          []place
}

// place is a heading of a page.
type place struct{ name, anchor string }

func (w *writer) summary(f *content.File) FileSummary {
	s := FileSummary{
		name: f.Name, packageName: f.Package, syntax: f.Syntax,
		packageText: plainSummary(f.PackageDescription), text: plainSummary(f.Description),
	}
	for _, x := range f.Services {
		s.services = append(s.services, place{x.Name, x.Anchor})
	}
	return s
}

// plainSummary is the first sentence without links: on another page, they would
// lead elsewhere.
func plainSummary(d *comment.Doc) *comment.Doc { return comment.Text(d.Summary().Text()) }

// Index renders the page that leads to all others; name is its path.
func Index(site *content.Site, name string, pages []Summary, o Options) []byte {
	w := newWriter(o.Flavor)
	title := site.Title
	if title == "" {
		title = "API reference"
	}
	w.head(&content.Page{Name: name, Title: title}, o)
	rows := newTable(column{title: "Page"}, column{title: "Package", optional: true},
		column{title: "Services", optional: true}, column{title: "Description", optional: true})
	for _, p := range pages {
		way := site.Way(name, p.page.Name)
		label, packageName := p.label()
		services := ""
		for _, f := range p.files {
			for _, s := range f.services {
				services = comma(services, "["+w.cell(comment.Text(s.name))+"]("+way+"#"+s.anchor+")")
			}
		}
		if packageName != "" {
			packageName = w.span(packageName, "", w.cell)
		}
		rows.add(w.span(label, way, w.cell), packageName, services, w.cell(p.text()))
	}
	w.table(rows)
	return w.out.Bytes()
}

// label is what a page is called: by its package where the page is of one and
// named after it, else by its file, and the package then stands beside it.
func (s Summary) label() (label, packageName string) {
	base := strings.TrimSuffix(path.Base(s.page.Name), path.Ext(s.page.Name))
	first := s.files[0]
	switch {
	case first.packageName != "" && base == first.packageName:
		return first.packageName, ""
	case len(s.files) == 1:
		return first.name, first.packageName
	}
	return strings.TrimSuffix(s.page.Name, path.Ext(s.page.Name)), first.packageName
}

// text is the sentence that says what a page is about.
func (s Summary) text() *comment.Doc {
	for _, f := range s.files {
		if !f.packageText.Empty() {
			return f.packageText
		}
	}
	for _, f := range s.files {
		if !f.text.Empty() {
			return f.text
		}
	}
	return nil
}

// indexEntry writes what the contents of a page have of a file: its services with
// their RPCs first.
func (w *writer) indexEntry(f *content.File) {
	w.item("", "", f.Name, f.Anchor, f.Entry)
	for _, s := range f.Services {
		w.item("  ", "Service ", s.Name, s.Anchor, s.Entry)
		for _, m := range s.Methods {
			w.item("    ", "", m.Name, m.Anchor, m.Entry)
		}
	}
	indexList(w, "Events", f.Events, func(e *content.Events) string { return w.link(e.Name, kindsAnchor(e)) })
	indexList(w, "Messages", f.Messages, func(m *content.Message) string { return w.link(m.LongName, m.Anchor) })
	indexList(w, "Enums", f.Enums, func(e *content.Enum) string { return w.link(e.LongName, e.Anchor) })
	indexList(w, "Extensions", f.Extensions, func(x *content.Field) string {
		return w.link(x.Name, w.memberAnchor(x, content.ExtensionsAnchor(f.Anchor)))
	})
}

// item writes an item of the contents, with the first sentence of the comment.
func (w *writer) item(indent, kind, name, anchor string, e content.Entry) {
	text := w.line(e.Description.Summary())
	if e.Deprecated {
		text = strings.TrimSpace("**Deprecated.** " + text)
	}
	if text != "" {
		text = ": " + text
	}
	w.p(indent, "- ", kind, w.link(name, anchor), text)
}

// comma joins two texts, of which either may be empty.
func comma(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + ", " + b
}

// indexList writes links to all of a kind, each in a line of the source.
func indexList[E any](w *writer, kind string, elements []E, link func(E) string) {
	switch len(elements) {
	case 0:
	case 1:
		w.p("  - ", kind, ": ", link(elements[0]))
	default:
		w.p("  - ", kind, ":\n    ", strings.Join(each(elements, link), ",\n    "))
	}
}

// link is a name that leads to a place on the page.
func (w *writer) link(name, anchor string) string {
	if !isPlain(name) || strings.ContainsAny(name, "_#") {
		name = w.line(comment.Text(name))
	}
	return "[" + name + "](#" + anchor + ")"
}

// memberAnchor is the anchor of what stands in a table: its own where tables can
// have anchors, else that of the heading above.
func (w *writer) memberAnchor(x *content.Field, heading string) string {
	if w.tags() {
		return x.Anchor
	}
	return heading
}
