// Package markdown renders a reference as Markdown: for GitHub, as MDX, or for
// Hugo.
//
// A page is written by code and not by a template: pages of thousands of files
// are made from it, and a template takes several times as long. What it writes is
// as prettier and markdownlint would have it, by their defaults.
package markdown

import (
	"bytes"
	"strings"
	"sync"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/changes"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/comment"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/content"
)

// Options are what a user can say about the pages.
type Options struct {
	Flavor comment.Flavor
	// FrontMatter are the entries of each page's front matter, in their order.
	FrontMatter []Entry
}

// Page renders a page, and tells what an index has of it.
func Page(site *content.Site, p *content.Page, o Options) ([][]byte, Summary, error) {
	type part struct {
		summary     FileSummary
		index, body []byte
	}
	parts, err := content.Render(site, p, func(f *content.File) (part, error) {
		w := writers.Get().(*writer)
		defer writers.Put(w)
		w.flavor = o.Flavor
		w.out.Reset()
		w.indexEntry(f)
		index := bytes.Clone(w.out.Bytes())
		w.out.Reset()
		w.file(f)
		return part{w.summary(f), index, bytes.Clone(w.out.Bytes())}, nil
	})
	if err != nil {
		return nil, Summary{}, err
	}
	head := newWriter(o.Flavor)
	head.head(p, o)
	head.heading(fileLevel, "", comment.Text("Contents"))
	head.out.WriteByte('\n')
	out := [][]byte{head.out.Bytes()}
	summary := Summary{page: p}
	for _, part := range parts {
		out = append(out, part.index)
		summary.files = append(summary.files, part.summary)
	}
	changes := newWriter(o.Flavor)
	changes.changes(site.Changed(p))
	out = append(out, changes.out.Bytes())
	for _, part := range parts {
		out = append(out, part.body)
	}
	return out, summary, nil
}

// writer writes a part of a page. Each block begins with the blank line that
// separates it from the one before.
type writer struct {
	flavor comment.Flavor
	out    bytes.Buffer
	// removed are what stood in the file before, by the name of what it stood in.
	removed map[string][]*changes.Change
}

// writers are for the files of pages, which are many and of all sizes.
var writers = sync.Pool{New: func() any { return new(writer) }}

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

// heading writes a heading with an anchor that does not depend on its words;
// none where that is empty.
func (w *writer) heading(level int, anchor string, text *comment.Doc) {
	w.p()
	mark := "######"[:level]
	line := text.MarkdownHeading(w.flavor)
	if line == "" {
		line = "(no name)" // which no compiler lets pass
	}
	switch {
	case anchor == "":
		w.p(mark, " ", line)
	case w.tags():
		w.p(anchorTag(anchor))
		w.p()
		w.p(mark, " ", line)
	default:
		w.p(mark, " ", line, ` {id="`, anchor, `"}`)
	}
}

// anchorTag is a place for links. Anchors need no escapes: they are names and
// paths of plain characters.
func anchorTag(anchor string) string { return `<a id="` + anchor + `"></a>` }

// anchorAt is a place for links inside of a line, where the flavor has that.
func (w *writer) anchorAt(anchor string) string {
	if !w.tags() {
		return ""
	}
	return anchorTag(anchor)
}

// paragraph writes a paragraph of finished Markdown.
func (w *writer) paragraph(text string) {
	if text != "" {
		w.p()
		w.p(text)
	}
}

// bullets writes a list of finished Markdown.
func (w *writer) bullets(items []string) {
	if len(items) > 0 {
		w.paragraph("- " + strings.Join(items, "\n- "))
	}
}

// comment writes a comment below a heading of the given level.
func (w *writer) comment(d *comment.Doc, level int) { w.paragraph(d.Markdown(w.flavor, level)) }

// code writes a block of code. Almost none has anything in it that ends a block, or
// that Hugo takes for its own.
func (w *writer) code(language, text string) {
	switch {
	case text == "":
	case strings.Contains(text, "```") || strings.Contains(text, "{{"):
		w.paragraph(comment.CodeBlock(language, text).Markdown(w.flavor, 1))
	default:
		w.p("\n```", language)
		w.p(text)
		w.p("```")
	}
}

// details writes blocks that a reader opens, where the flavor has that.
func (w *writer) details(title string, write func()) {
	if !w.tags() {
		w.paragraph(title + ":")
		write()
		return
	}
	w.paragraph("<details>\n<summary>" + title + "</summary>")
	write()
	w.paragraph("</details>")
}

// cell is a comment in a table.
func (w *writer) cell(d *comment.Doc) string { return d.MarkdownCell(w.flavor) }

// inline is a comment of one paragraph that begins a line of Markdown.
func (w *writer) inline(d *comment.Doc) string { return d.Markdown(w.flavor, 1) }

// line is a comment of one paragraph inside of a line of Markdown.
func (w *writer) line(d *comment.Doc) string { return d.MarkdownHeading(w.flavor) }

// name is a code span in a line of Markdown.
func (w *writer) name(text string) string { return w.span(text, "", w.line) }

// span is a code span, which is a link if link is not empty. Almost all are of
// plain characters, which need no escapes.
func (w *writer) span(text, link string, render func(*comment.Doc) string) string {
	switch {
	case !isPlain(text) || !isPlain(link):
		return render(comment.Code(oneLine.Replace(text), link))
	case text == "":
		return ""
	case link == "":
		return "`" + text + "`"
	}
	return "[`" + text + "`](" + link + ")"
}

// oneLine makes a line of a text, as a code span does.
var oneLine = strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ")

// isPlain tells text that means nothing but itself in Markdown, in a code span or
// in the address of a link.
func isPlain(text string) bool {
	for i := range len(text) {
		switch c := text[i]; {
		case '0' <= c && c <= '9', 'A' <= c && c <= 'Z', 'a' <= c && c <= 'z':
		case c == '_', c == '.', c == '#', c == '/', c == '-':
		default:
			return false
		}
	}
	return true
}

// typeText is a type with its links: in a table, or in a line of text.
func (w *writer) typeText(t content.Type, render func(*comment.Doc) string) string {
	switch {
	case t.Key != nil:
		return "map&lt;" + w.typeText(*t.Key, render) + ", " + w.typeText(*t.Value, render) + "&gt;"
	case t.Repeated:
		t.Repeated = false
		return "repeated " + w.typeText(t, render)
	}
	return w.span(t.Name, t.Link, render)
}

// list joins what render makes of elements.
func list[E any](elements []E, render func(E) string) string {
	return strings.Join(each(elements, render), ", ")
}

// lines is a list in a paragraph with a line of the source for each element, so
// that what changes in it can be seen.
func lines(items []string) string { return strings.Join(items, ",\n") }

func each[E any](elements []E, render func(E) string) []string {
	parts := make([]string, len(elements))
	for i, e := range elements {
		parts[i] = render(e)
	}
	return parts
}
