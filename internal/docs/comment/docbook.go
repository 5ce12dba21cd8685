package comment

import (
	"encoding/xml"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"
)

// DocBook renders the comment as blocks of DocBook 5, with the prefix xlink for
// the namespace of links. A heading is a bridgehead. A break of a line ends the
// paragraph, because DocBook has none. The anchor of a resolved reference is an
// xml:id, made by DocBookID: of the document if nothing is before the #. One that
// the author has written is an address like others, so that the document is valid
// whatever it says.
func (d *Doc) DocBook() string {
	if d == nil {
		return ""
	}
	var w docBookWriter
	w.blocks(d.blocks)
	return w.out.String()
}

// DocBookInline renders the comment's first paragraph as it stands in the middle
// of another one: without an element around it.
func (d *Doc) DocBookInline() string {
	if d.Empty() {
		return ""
	}
	var w docBookWriter
	w.inlines(d.blocks[0].inlines)
	return w.out.String()
}

type docBookWriter struct{ out strings.Builder }

func (w *docBookWriter) text(s string) {
	_ = xml.EscapeText(&w.out, []byte(s)) // a strings.Builder has no errors
}

func (w *docBookWriter) blocks(blocks []block) {
	for _, b := range blocks {
		w.block(b)
	}
}

func (w *docBookWriter) block(b block) {
	switch b.kind {
	case paragraph:
		w.paragraph(b.inlines, "")
	case heading:
		w.out.WriteString("<bridgehead>")
		w.inlines(b.inlines)
		w.out.WriteString("</bridgehead>")
	case codeBlock:
		w.out.WriteString("<programlisting")
		if b.language != "" {
			w.out.WriteString(` language="` + b.language + `"`)
		}
		w.out.WriteByte('>')
		// An escaped line end is a line end, but nobody could read it.
		for i, line := range strings.Split(b.text, "\n") {
			if i > 0 {
				w.out.WriteByte('\n')
			}
			w.text(line)
		}
		w.out.WriteString("</programlisting>")
	case quote:
		w.out.WriteString("<blockquote>")
		w.content(b.blocks)
		w.out.WriteString("</blockquote>")
	case list:
		w.list(b)
	case table:
		w.table(b)
	}
	// DocBook has no rule.
}

// content writes the blocks of an element that needs to have one. A rule is none.
func (w *docBookWriter) content(blocks []block) {
	before := w.out.Len()
	w.blocks(blocks)
	if w.out.Len() == before {
		w.out.WriteString("<para/>")
	}
}

// paragraph writes a paragraph, or several if lines are broken in it.
func (w *docBookWriter) paragraph(list []inline, before string) {
	for start := 0; start < len(list); {
		end := start
		for end < len(list) && list[end].kind != breakNode {
			end++
		}
		if end > start {
			w.out.WriteString("<para>" + before)
			w.inlines(list[start:end])
			w.out.WriteString("</para>")
			before = ""
		}
		start = end + 1
	}
}

func (w *docBookWriter) list(b block) {
	name, start := "itemizedlist", ""
	if b.ordered {
		name = "orderedlist"
		if b.level != 1 {
			start = ` startingnumber="` + strconv.Itoa(b.level) + `"`
		}
	}
	w.out.WriteString("<" + name + start + ">")
	for _, it := range b.blocks {
		w.out.WriteString("<listitem>")
		rest := it.blocks
		if it.level != noTask {
			w.paragraph(rest[0].inlines, taskMark(it.level))
			rest = rest[1:]
		}
		if len(rest) > 0 {
			w.content(rest)
		}
		w.out.WriteString("</listitem>")
	}
	w.out.WriteString("</" + name + ">")
}

func (w *docBookWriter) table(b block) {
	columns := len(b.blocks[0].blocks)
	w.out.WriteString(`<informaltable><tgroup cols="` + strconv.Itoa(columns) + `">`)
	for _, c := range b.blocks[0].blocks {
		w.out.WriteString("<colspec" + map[int]string{
			noAlign: "", alignLeft: ` align="left"`, alignCenter: ` align="center"`, alignRight: ` align="right"`,
		}[c.level] + "/>")
	}
	w.rows("thead", b.blocks[:1])
	// A table without rows has its head for a body, which DocBook requires.
	if body := b.blocks[1:]; len(body) > 0 {
		w.rows("tbody", body)
	} else {
		w.rows("tbody", []block{{kind: row, blocks: make([]block, columns)}})
	}
	w.out.WriteString("</tgroup></informaltable>")
}

func (w *docBookWriter) rows(name string, rows []block) {
	w.out.WriteString("<" + name + ">")
	for _, line := range rows {
		w.out.WriteString("<row>")
		for _, c := range line.blocks {
			w.out.WriteString("<entry>")
			w.inlines(c.inlines)
			w.out.WriteString("</entry>")
		}
		w.out.WriteString("</row>")
	}
	w.out.WriteString("</" + name + ">")
}

// docBookTags are the start tags of the kinds that are nothing but an element.
var docBookTags = map[inlineKind]string{
	emphasisNode: "emphasis", strongNode: `emphasis role="strong"`, deletedNode: `emphasis role="strikethrough"`,
}

// docBookTexts are the elements that have only text.
var docBookTexts = map[inlineKind]string{
	codeNode: "code", keyNode: "keycap", subNode: "subscript", supNode: "superscript",
}

func (w *docBookWriter) inlines(list []inline) {
	for _, n := range list {
		switch n.kind {
		case textNode:
			w.text(strings.ReplaceAll(n.text, "\n", " "))
		case codeNode, keyNode, subNode, supNode:
			name := docBookTexts[n.kind]
			w.out.WriteString("<" + name + ">")
			w.text(strings.ReplaceAll(string(textOf(nil, []inline{n})), "\n", " "))
			w.out.WriteString("</" + name + ">")
		case breakNode:
			w.out.WriteByte(' ')
		case linkNode:
			w.link(n)
		default:
			tag := docBookTags[n.kind]
			name, _, _ := strings.Cut(tag, " ")
			w.out.WriteString("<" + tag + ">")
			w.inlines(n.children)
			w.out.WriteString("</" + name + ">")
		}
	}
}

func (w *docBookWriter) link(n inline) {
	attribute, address := "xlink:href", n.url
	if page, anchor, ok := strings.Cut(address, "#"); ok && n.known && !strings.Contains(page, ":") {
		if written, err := url.PathUnescape(anchor); err == nil {
			anchor = written
		}
		if address = page + "#" + DocBookID(anchor); page == "" {
			attribute, address = "linkend", DocBookID(anchor)
		}
	}
	w.out.WriteString("<link " + attribute + `="`)
	w.text(address)
	w.out.WriteByte('"')
	if n.title != "" && attribute != "linkend" {
		w.out.WriteString(` xlink:title="`)
		w.text(n.title)
		w.out.WriteByte('"')
	}
	w.out.WriteByte('>')
	w.inlines(n.children)
	w.out.WriteString("</link>")
}

// DocBookID makes an anchor the NCName that an xml:id has to be. What an NCName
// cannot have is written by its number between middle dots, and so is a middle
// dot: two anchors never become one. Full names of protobuf stay as they are.
func DocBookID(anchor string) string {
	var out strings.Builder
	for i, r := range anchor {
		letter := r < utf8.RuneSelf && isLetter(byte(r)) || r == '_'
		if letter || i > 0 && (r >= '0' && r <= '9' || r == '.' || r == '-') {
			out.WriteRune(r)
			continue
		}
		if i == 0 {
			out.WriteByte('_') // no name begins with a middle dot
		}
		fmt.Fprintf(&out, "·%x·", r)
	}
	return out.String()
}
