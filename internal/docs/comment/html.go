package comment

import (
	"html"
	"html/template"
	"strconv"
	"strings"
)

// HTML renders the comment as flow content. Headings are below headingLevel, as
// in Markdown; below level 6 they are bold paragraphs. It has the elements p, h1
// to h6, pre, code, blockquote, ul, ol, li, table, thead, tbody, tr, th, td, hr,
// br, a, em, strong, del, kbd, sub and sup, and of attributes href and title of
// a, start of ol, class="language-…" of code, and class of th and td, which is
// left, center or right.
func (d *Doc) HTML(headingLevel int) template.HTML {
	if d == nil {
		return ""
	}
	w := htmlWriter{outline: outline{base: headingLevel}}
	w.blocks(d.blocks)
	return template.HTML(strings.TrimSuffix(w.out.String(), "\n"))
}

// HTMLInline renders a comment of one paragraph as phrasing content, without the
// paragraph; any other is as HTML makes it, with bold paragraphs for headings.
func (d *Doc) HTMLInline() template.HTML {
	if d.Empty() || d.HasBlocks() {
		return d.HTML(maxHeading)
	}
	var w htmlWriter
	w.inlines(d.blocks[0].inlines)
	return template.HTML(w.out.String())
}

type htmlWriter struct {
	out     strings.Builder
	outline outline
}

func (w *htmlWriter) blocks(blocks []block) {
	for _, b := range blocks {
		w.block(b)
		w.out.WriteByte('\n')
	}
}

func (w *htmlWriter) block(b block) {
	switch b.kind {
	case paragraph:
		w.element("p", "", b.inlines)
	case heading:
		if level := w.outline.level(b.level); level <= maxHeading {
			w.element("h"+strconv.Itoa(max(level, 1)), "", b.inlines)
		} else {
			w.element("p", "", []inline{{kind: strongNode, children: b.inlines}})
		}
	case codeBlock:
		class := ""
		if b.language != "" {
			class = ` class="language-` + html.EscapeString(b.language) + `"`
		}
		w.out.WriteString("<pre><code" + class + ">" + html.EscapeString(b.text) + "</code></pre>")
	case quote:
		w.out.WriteString("<blockquote>\n")
		w.blocks(b.blocks)
		w.out.WriteString("</blockquote>")
	case list:
		w.list(b)
	case table:
		w.table(b)
	case rule:
		w.out.WriteString("<hr>")
	}
}

func (w *htmlWriter) element(name, class string, list []inline) {
	w.out.WriteString("<" + name + class + ">")
	w.inlines(list)
	w.out.WriteString("</" + name + ">")
}

func (w *htmlWriter) list(b block) {
	name := "ul"
	start := ""
	if b.ordered {
		name = "ol"
		if b.level != 1 {
			start = ` start="` + strconv.Itoa(b.level) + `"`
		}
	}
	w.out.WriteString("<" + name + start + ">\n")
	for _, it := range b.blocks {
		w.out.WriteString("<li>" + taskMark(it.level))
		for i, c := range it.blocks {
			if i > 0 {
				w.out.WriteByte('\n')
			}
			if c.kind == paragraph && (b.tight || i == 0 && it.level != noTask) {
				w.inlines(c.inlines)
				continue
			}
			w.block(c)
		}
		w.out.WriteString("</li>\n")
	}
	w.out.WriteString("</" + name + ">")
}

// alignClass is the class of a cell.
func alignClass(align int) string {
	switch align {
	case alignLeft:
		return ` class="left"`
	case alignCenter:
		return ` class="center"`
	case alignRight:
		return ` class="right"`
	}
	return ""
}

func (w *htmlWriter) table(b block) {
	w.out.WriteString("<table>\n<thead>\n")
	for i, line := range b.blocks {
		w.out.WriteString("<tr>")
		for _, c := range line.blocks {
			name := "td"
			if i == 0 && len(c.inlines) > 0 { // a head without text is no head
				name = "th"
			}
			w.element(name, alignClass(c.level), c.inlines)
		}
		w.out.WriteString("</tr>\n")
		if i == 0 {
			w.out.WriteString("</thead>\n")
			if len(b.blocks) > 1 {
				w.out.WriteString("<tbody>\n")
			}
		}
	}
	if len(b.blocks) > 1 {
		w.out.WriteString("</tbody>\n")
	}
	w.out.WriteString("</table>")
}

func (w *htmlWriter) inlines(list []inline) {
	for _, n := range list {
		switch n.kind {
		case textNode:
			w.out.WriteString(html.EscapeString(n.text))
		case codeNode:
			w.out.WriteString("<code>" + html.EscapeString(n.text) + "</code>")
		case breakNode:
			w.out.WriteString("<br>\n")
		case linkNode:
			w.out.WriteString(`<a href="` + html.EscapeString(n.url) + `"`)
			if n.title != "" {
				w.out.WriteString(` title="` + html.EscapeString(n.title) + `"`)
			}
			w.out.WriteByte('>')
			w.inlines(n.children)
			w.out.WriteString("</a>")
		default:
			w.element(tagNames[n.kind], "", n.children)
		}
	}
}
