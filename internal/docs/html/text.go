package html

import (
	stdhtml "html"
	"strconv"
	"strings"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/comment"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/content"
)

// esc is a text as it stands in an element or in an attribute.
func esc(text string) string { return stdhtml.EscapeString(text) }

// escText is a text as it stands in an element alone: quotes mean nothing there,
// and JSON is full of them.
func escText(text string) string { return textEscapes.Replace(text) }

var textEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// href is the attribute for an address; empty if a click on it could do anything
// but lead to a page.
func href(url string) string {
	if url == "" || !isSafe(url) {
		return ""
	}
	return ` href="` + esc(escapeURL(url)) + `"`
}

// isSafe tells whether an address has no scheme, or one that leads to a page. It
// reads as browsers do: they skip white space and control characters.
func isSafe(url string) bool {
	end := strings.IndexAny(url, ":/?#")
	if end < 0 || url[end] != ':' {
		return true
	}
	scheme := strings.ToLower(url[:end])
	return scheme == "http" || scheme == "https"
}

// escapeURL percent-encodes what no address has as it is. Escapes that are there
// stay.
func escapeURL(url string) string {
	for i := range len(url) {
		if !isURLByte(url[i]) {
			return escapeBytes(url)
		}
	}
	return url
}

func escapeBytes(url string) string {
	var out strings.Builder
	for i := range len(url) {
		if c := url[i]; isURLByte(c) {
			out.WriteByte(c)
		} else {
			const digits = "0123456789ABCDEF"
			out.WriteString("%" + digits[c>>4:c>>4+1] + digits[c&15:c&15+1])
		}
	}
	return out.String()
}

func isURLByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' ||
		strings.IndexByte("-._~!$&()*+,;=:@/?#[]%", c) >= 0
}

// fragment is an anchor as the end of an address. An anchor is no address: what
// looks like an escape in it is none.
func fragment(anchor string) string { return "#" + strings.ReplaceAll(anchor, "%", "%25") }

// id is the attribute that makes an anchor.
func id(anchor string) string { return ` id="` + esc(anchor) + `"` }

// self is a name that leads to its own place, so that a reader can copy the
// address.
func self(name, anchor string) string {
	return `<a class="self"` + href(fragment(anchor)) + `>` + breakable(name) + `</a>`
}

// longName is the length from which on a name may break after its separators.
const longName = 30

// breakable is a name that may go over several lines where it has to.
func breakable(name string) string {
	text := esc(name)
	if len(name) < longName {
		return text
	}
	return breaks.Replace(text)
}

var breaks = strings.NewReplacer("_", "_<wbr>", ".", ".<wbr>", "/", "/<wbr>")

// code is a name, or anything else that stands in a source.
func code(text string) string { return "<code>" + esc(text) + "</code>" }

// link is code that leads to an address, or mere code without one.
func link(text, url string) string {
	if h := href(url); h != "" {
		return "<a" + h + "><code>" + breakable(text) + "</code></a>"
	}
	return "<code>" + breakable(text) + "</code>"
}

// typeText is a type with its links, as one piece of code.
func typeText(t content.Type) string { return "<code>" + typeCode(t) + "</code>" }

func typeCode(t content.Type) string {
	switch {
	case t.Key != nil:
		return "map&lt;" + typeCode(*t.Key) + ", " + typeCode(*t.Value) + "&gt;"
	case t.Repeated:
		t.Repeated = false
		return `<span class="word">repeated</span> ` + typeCode(t)
	}
	if h := href(t.Link); h != "" {
		return "<a" + h + ">" + breakable(t.Name) + "</a>"
	}
	return breakable(t.Name)
}

// list joins what render makes of elements.
func list[E any](elements []E, render func(E) string) string {
	parts := make([]string, len(elements))
	for i, e := range elements {
		parts[i] = render(e)
	}
	return strings.Join(parts, ", ")
}

func number(n int32) string { return strconv.Itoa(int(n)) }

// Levels of headings.
const (
	fileLevel   = 2
	typeLevel   = 3
	memberLevel = 4
	cellLevel   = 6 // what stands in a table has no headings
)

// comment writes a comment below a heading of the given level. Its code and its
// tables get boxes that scroll on their own, also by the keyboard.
func (w *writer) comment(d *comment.Doc, level int) {
	if d.Empty() {
		return
	}
	text := string(d.HTML(level))
	if strings.Contains(text, "<pre>") || strings.Contains(text, "<table>") {
		text = boxes.Replace(text) // these are tags: in text, < is an entity
	}
	w.p(text, "\n")
}

// size is the class of what takes as much room as that many rows of a table.
func size(class string, rows int) string {
	switch {
	case rows > 80:
		return class + " most"
	case rows > 20:
		return class + " many"
	case rows > 4:
		return class + " some"
	}
	return class
}

// cell writes a comment in a table.
func (w *writer) cell(d *comment.Doc) {
	if d.HasBlocks() {
		w.comment(d, cellLevel)
		return
	}
	w.p(inline(d))
}

var boxes = strings.NewReplacer(
	"<pre>", `<pre tabindex="0">`,
	"<table>", `<div class="scroll" tabindex="0"><table>`, "</table>", "</table></div>",
)

// inline is a comment of one paragraph in a line; one of several is as long as it
// is.
func inline(d *comment.Doc) string { return string(d.HTMLInline()) }
