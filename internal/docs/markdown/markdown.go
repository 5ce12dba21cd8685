// Package markdown renders a reference as Markdown: for GitHub, as MDX, or for
// Hugo.
//
// A page is written by code and not by a template: pages of thousands of files
// are made from it, and a template takes several times as long. What it writes is
// as prettier and markdownlint would have it, by their defaults.
package markdown

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/comment"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/content"
)

// Options are what a user can say about the pages.
type Options struct {
	Flavor comment.Flavor
	// FrontMatter are the entries of each page's front matter, in their order.
	FrontMatter []Entry
}

// Entry is an entry of front matter. The value is text.
type Entry struct{ Key, Value string }

// Page renders a page.
func Page(site *content.Site, p *content.Page, o Options) ([][]byte, error) {
	type part struct{ index, body []byte }
	parts, err := content.Render(site, p, func(f *content.File) (part, error) {
		w := newWriter(o.Flavor)
		w.indexEntry(f)
		index := bytes.Clone(w.out.Bytes())
		w.out.Reset()
		w.file(f)
		return part{index, w.out.Bytes()}, nil
	})
	if err != nil {
		return nil, err
	}
	head := newWriter(o.Flavor)
	head.head(p, o)
	head.heading(2, "", comment.Text("Contents"))
	head.out.WriteByte('\n')
	out := [][]byte{head.out.Bytes()}
	for _, part := range parts {
		out = append(out, part.index)
	}
	changes := newWriter(o.Flavor)
	changes.changes(site.Changed(p))
	out = append(out, changes.out.Bytes())
	for _, part := range parts {
		out = append(out, part.body)
	}
	return out, nil
}

// Index renders the page that leads to all others; name is its path.
func Index(site *content.Site, name string, o Options) []byte {
	w := newWriter(o.Flavor)
	title := site.Title
	if title == "" {
		title = "API reference"
	}
	w.head(&content.Page{Name: name, Title: title}, o)
	rows := newTable(column{"Page", false}, column{"Package", false}, column{"Files", false})
	for _, p := range site.Pages {
		var files, packages []string
		seen := make(map[string]bool)
		for _, f := range p.Files {
			files = append(files, w.cell(comment.Code(f.Path, "")))
			if f.Package != "" && !seen[f.Package] {
				seen[f.Package] = true
				packages = append(packages, w.cell(comment.Code(f.Package, "")))
			}
		}
		link := comment.Code(strings.TrimSuffix(p.Name, ".md"), content.Relative(name, p.Name))
		rows.add(w.cell(link), strings.Join(packages, ", "), strings.Join(files, ", "))
	}
	w.table(rows)
	return w.out.Bytes()
}

// writer writes a part of a page. Each block begins with the blank line that
// separates it from the one before.
type writer struct {
	flavor comment.Flavor
	out    bytes.Buffer
}

func newWriter(f comment.Flavor) *writer { return &writer{flavor: f} }

// p writes its arguments and ends the line.
func (w *writer) p(parts ...string) {
	for _, s := range parts {
		w.out.WriteString(s)
	}
	w.out.WriteByte('\n')
}

// tags tells whether the flavor renders tags of HTML.
func (w *writer) tags() bool { return w.flavor != comment.Hugo }

// head writes the front matter and the page's title. Hugo shows a title of the
// front matter itself, so that there it is always one.
func (w *writer) head(p *content.Page, o Options) {
	entries := o.FrontMatter
	titled := false
	for _, e := range entries {
		titled = titled || e.Key == "title"
	}
	if o.Flavor == comment.Hugo && !titled {
		entries = append([]Entry{{"title", p.Title}}, entries...)
	}
	if len(entries) > 0 {
		w.p("---")
		for _, e := range entries {
			w.p(e.Key, ": ", yamlText(e.Value))
		}
		w.p("---")
		if o.Flavor != comment.Hugo {
			w.p()
		}
	}
	if o.Flavor != comment.Hugo {
		w.p("# ", comment.Text(p.Title).MarkdownHeading(o.Flavor))
	}
}

// yamlText is a value of YAML that reads as the text: as it is where it can be,
// so that true, 3 and [a, b] are what YAML takes them for.
func yamlText(text string) string {
	if strings.ContainsAny(text, "\n\"'\\") || strings.Contains(text, ": ") || strings.Contains(text, " #") ||
		strings.HasSuffix(text, ":") || strings.TrimSpace(text) != text || strings.IndexAny(text, "&*!|>%@`#-?:,{}[]") == 0 && !isFlow(text) {
		return strconv.Quote(text)
	}
	return text
}

// isFlow tells a list or a map of YAML in one line.
func isFlow(text string) bool {
	return strings.HasPrefix(text, "[") && strings.HasSuffix(text, "]") || strings.HasPrefix(text, "{") && strings.HasSuffix(text, "}")
}

// heading writes a heading with an anchor that does not depend on its words;
// none where that is empty.
func (w *writer) heading(level int, anchor string, text *comment.Doc) {
	w.p()
	line := strings.Repeat("#", level) + " " + text.MarkdownHeading(w.flavor)
	switch {
	case anchor == "":
	case w.tags():
		w.p(anchorTag(anchor))
		w.p()
	default:
		line += " {id=" + strconv.Quote(anchor) + "}"
	}
	w.p(line)
}

// anchorTag is a place for links. Anchors need no escapes: they are names and
// paths of plain characters.
func anchorTag(anchor string) string { return `<a id="` + anchor + `"></a>` }

// paragraph writes a paragraph of finished Markdown.
func (w *writer) paragraph(text string) {
	if text != "" {
		w.p()
		w.p(text)
	}
}

// comment writes a comment below a heading of the given level.
func (w *writer) comment(d *comment.Doc, level int) { w.paragraph(d.Markdown(w.flavor, level)) }

// code writes a block of code.
func (w *writer) code(language, text string) {
	if text == "" {
		return
	}
	w.paragraph(comment.CodeBlock(language, text).Markdown(w.flavor, 1))
}

// cell is a comment in a table.
func (w *writer) cell(d *comment.Doc) string { return d.MarkdownCell(w.flavor) }

// inline is a comment of one paragraph in a line of Markdown.
func (w *writer) inline(d *comment.Doc) string { return d.Markdown(w.flavor, 1) }

// name is a code span.
func (w *writer) name(text string) string { return w.inline(comment.Code(text, "")) }

// typeText is a type with its links: in a table, or in a line of text.
func typeText(t content.Type, render func(*comment.Doc) string) string {
	switch {
	case t.Key != nil:
		return "map&lt;" + typeText(*t.Key, render) + ", " + typeText(*t.Value, render) + "&gt;"
	case t.Repeated:
		t.Repeated = false
		return "repeated " + typeText(t, render)
	}
	return render(comment.Code(t.Name, t.Link))
}

// list joins what render makes of elements.
func list[E any](elements []E, render func(E) string) string {
	parts := make([]string, len(elements))
	for i, e := range elements {
		parts[i] = render(e)
	}
	return strings.Join(parts, ", ")
}
