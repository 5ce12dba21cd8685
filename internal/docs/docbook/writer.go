package docbook

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/comment"
)

// writer writes a part of a document. Methods that take text escape it; markup is
// text that has been written as DocBook already.
type writer struct{ out bytes.Buffer }

// markup is finished DocBook: elements that can stand in a paragraph, and text.
type markup string

// line writes finished DocBook on a line of its own.
func (w *writer) line(parts ...markup) {
	for _, m := range parts {
		w.out.WriteString(string(m))
	}
	w.out.WriteByte('\n')
}

// para writes a paragraph, unless it is empty.
func (w *writer) para(m markup) {
	if m != "" {
		w.line("<para>", m, "</para>")
	}
}

// open starts a section. An empty anchor gives it no id.
func (w *writer) open(anchor string, title markup) {
	w.line("<section", idAttribute(anchor), ">")
	w.line("<title>", title, "</title>")
}

func (w *writer) close() { w.line("</section>") }

// items writes a list; nothing if there are none.
func (w *writer) items(list []markup) {
	if len(list) == 0 {
		return
	}
	w.line("<itemizedlist>")
	for _, m := range list {
		w.line("<listitem><para>", m, "</para></listitem>")
	}
	w.line("</itemizedlist>")
}

// listing writes a block of code; nothing if it is empty.
func (w *writer) listing(language, text string) {
	if text != "" {
		w.line("<programlisting language=\"", attribute(language), "\">", escape(text), "</programlisting>")
	}
}

// comment writes the blocks of a comment.
func (w *writer) comment(d *comment.Doc) {
	if !d.Empty() {
		w.line(markup(d.DocBook()))
	}
}

// column is a column of a table.
type column struct {
	title string
	width int // relative to the other columns
}

// table writes a table whose rows are elements; rows have to be there.
func (w *writer) table(columns []column, rows func()) {
	w.line("<informaltable>", markup(fmt.Sprintf(`<tgroup cols="%d">`, len(columns))))
	for i, c := range columns {
		w.line(markup(fmt.Sprintf(`<colspec colname="c%d" colwidth="%d*"/>`, i+1, c.width)))
	}
	w.out.WriteString("<thead><row>")
	for _, c := range columns {
		w.out.WriteString("<entry>" + string(escape(c.title)) + "</entry>")
	}
	w.line("</row></thead>")
	w.line("<tbody>")
	rows()
	w.line("</tbody></tgroup></informaltable>")
}

// row writes a row of cells. Each holds inline elements, or blocks.
func (w *writer) row(anchor string, cells ...markup) {
	w.out.WriteString("<row" + string(idAttribute(anchor)) + ">")
	for _, c := range cells {
		w.out.WriteString("<entry>" + string(c) + "</entry>")
	}
	w.line("</row>")
}

// inline is a comment of one paragraph.
func inline(d *comment.Doc) markup { return markup(d.DocBookInline()) }

// code is text as code.
func code(text string) markup {
	if text == "" {
		return ""
	}
	return "<code>" + escape(text) + "</code>"
}

func strong(text string) markup {
	return `<emphasis role="strong">` + escape(text) + "</emphasis>"
}

// linked is a name that leads to a place: of this document, of another one, or of
// the web.
func linked(m markup, link string) markup {
	page, anchor, ok := strings.Cut(link, "#")
	switch {
	case link == "":
		return m
	case page == "":
		return `<link linkend="` + attribute(comment.DocBookID(anchor)) + `">` + m + "</link>"
	case ok && !strings.Contains(page, "://"):
		link = page + "#" + comment.DocBookID(anchor)
	}
	return `<link xlink:href="` + attribute(link) + `">` + m + "</link>"
}

// joined joins the markup of elements.
func joined[E any](elements []E, between markup, render func(E) markup) markup {
	var out strings.Builder
	for i, e := range elements {
		if i > 0 {
			out.WriteString(string(between))
		}
		out.WriteString(string(render(e)))
	}
	return markup(out.String())
}

func idAttribute(anchor string) markup {
	if anchor == "" {
		return ""
	}
	return ` xml:id="` + attribute(comment.DocBookID(anchor)) + `"`
}

// escape makes text what XML reads as that text between tags. A character that XML
// cannot have becomes U+FFFD. A line end stays one.
func escape(text string) markup {
	if isPlain(text) {
		return markup(text)
	}
	var out strings.Builder
	for _, r := range text {
		switch {
		case r == '<':
			out.WriteString("&lt;")
		case r == '>':
			out.WriteString("&gt;")
		case r == '&':
			out.WriteString("&amp;")
		case r == '\t' || r == '\r':
			fmt.Fprintf(&out, "&#%d;", r)
		case r < ' ' && r != '\n' || r == 0xFFFE || r == 0xFFFF:
			out.WriteRune(utf8.RuneError)
		default:
			out.WriteRune(r)
		}
	}
	return markup(out.String())
}

// isPlain tells text that is the same in XML.
func isPlain(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' && c != '\n' || c >= utf8.RuneSelf || c == '<' || c == '>' || c == '&' {
			return false
		}
	}
	return true
}

// attribute is text between the quotes of an attribute.
func attribute(text string) markup {
	return markup(strings.ReplaceAll(string(escape(text)), `"`, "&quot;"))
}
