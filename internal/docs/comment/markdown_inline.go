package comment

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/util"
)

// place is where inlines stand.
type place uint8

const (
	inBlock   place = iota // lines of a paragraph
	inHeading              // one line, which starts with a mark
	inCell                 // one line, in which a bar would end the cell
)

// inlineWriter writes inlines as Markdown.
//
// It escapes what would be read as something else than text, in any of the places
// where a reader may look: so the result means the same wherever it is put. Where
// emphasis cannot be told by its marks, as in the middle of a word before a
// bracket, it is written with tags.
type inlineWriter struct {
	out    []byte
	flavor Flavor
	place  place
	links  int    // how many links the text is in
	marks  string // the marks of emphasis that the text is in
	tilde  bool   // there is only one tilde in the block, which can do nothing
}

func inlineMarkdown(list []inline, f Flavor, p place) string {
	if len(list) == 1 && list[0].kind == textNode && needsNoEscape(list[0].text, f) {
		if p != inBlock {
			return strings.ReplaceAll(list[0].text, "\n", " ")
		}
		return list[0].text
	}
	return writeInlines(list, f, p)
}

// needsNoEscape tells whether text is surely Markdown for itself, in any place. It
// only saves time.
func needsNoEscape(text string, f Flavor) bool {
	lineStart := true
	for i := range len(text) {
		c := text[i]
		switch {
		case c == '\n':
			lineStart = true
			continue
		case c == '.' || c == ':':
			if lineStart || startsAddress(text, i) {
				return false
			}
		case special[c]:
			return false
		case lineStart && (c < 'A' || f == MDX && (c == 'i' || c == 'e')):
			return false
		}
		lineStart = false
	}
	return !strings.HasSuffix(text, "#")
}

func writeInlines(list []inline, f Flavor, p place) string {
	w := inlineWriter{flavor: f, place: p, tilde: p != inCell && countTildes(list) < 2}
	w.inlines(list, ' ')
	if p == inHeading && len(w.out) > 0 && w.out[len(w.out)-1] == '#' {
		w.out = append(w.out[:len(w.out)-1], `\#`...)
	}
	return string(w.out)
}

func countTildes(list []inline) int {
	n := 0
	for _, in := range list {
		if in.kind == textNode {
			n += strings.Count(in.text, "~")
		}
		if in.kind == deletedNode {
			n += 2
		}
		n += countTildes(in.children)
	}
	return n
}

// inlines writes a list that r follows.
func (w *inlineWriter) inlines(list []inline, r rune) {
	for i, n := range list {
		after := r
		if i+1 < len(list) {
			after = firstRune(list[i+1:])
		}
		switch n.kind {
		case textNode:
			w.text(n.text, i+1 < len(list) && list[i+1].kind == codeNode, i+1 < len(list))
		case codeNode:
			w.code(n.text)
		case breakNode:
			w.lineBreak()
		case linkNode:
			w.link(n)
		case emphasisNode, strongNode, deletedNode:
			w.emphasis(n, after)
		default:
			w.tagged(tagNames[n.kind], n.children)
		}
	}
}

// tagNames are the tags of the kinds that Markdown has no marks for, or not in all
// places.
var tagNames = map[inlineKind]string{
	emphasisNode: "em", strongNode: "strong", deletedNode: "del", keyNode: "kbd", subNode: "sub", supNode: "sup",
}

func (w *inlineWriter) tagged(name string, children []inline) {
	w.out = append(w.out, "<"+name+">"...)
	w.inlines(children, '<')
	w.out = append(w.out, "</"+name+">"...)
}

func (w *inlineWriter) lineBreak() {
	if w.place == inBlock {
		w.out = append(w.out, "\\\n"...)
		return
	}
	w.out = append(w.out, breakTag(w.flavor)...)
}

// breakTag breaks a line of a cell. Hugo leaves tags out unless it is told
// otherwise, and then needs a space.
func breakTag(f Flavor) string {
	switch f {
	case MDX:
		return "<br />"
	case Hugo:
		return " <br>"
	}
	return "<br>"
}

// code writes a code span.
func (w *inlineWriter) code(text string) {
	if w.flavor == Hugo {
		hidden, ok := hideShortcodes(text)
		if !ok {
			w.text(strings.Join(strings.Fields(text), " "), true, true)
			return
		}
		text = hidden
	}
	ticks := strings.Repeat("`", freeRun(text))
	pad := ""
	if first, last := text[0], text[len(text)-1]; first == '`' || last == '`' || first == ' ' && last == ' ' {
		pad = " "
	}
	if w.place == inCell {
		text = strings.ReplaceAll(text, "|", `\|`)
	}
	w.out = append(w.out, ticks+pad+text+pad+ticks...)
}

// freeRun is the smallest length that no run of backticks in text has.
func freeRun(text string) int {
	runs := map[int]bool{}
	for i := 0; i < len(text); i++ {
		n := 0
		for i+n < len(text) && text[i+n] == '`' {
			n++
		}
		runs[n] = true
		i += n
	}
	n := 1
	for runs[n] {
		n++
	}
	return n
}

func (w *inlineWriter) link(n inline) {
	if len(n.children) == 1 && n.children[0].kind == textNode && w.flavor != MDX &&
		n.title == "" && n.children[0].text == n.url && isAutolink(n.url) && escapeEntities(n.url) == n.url {
		w.out = append(w.out, "<"+n.url+">"...) // there is no escape in this form
		return
	}
	w.out = append(w.out, '[')
	w.links++
	if len(n.children) == 1 && n.children[0].kind == textNode && strings.EqualFold(n.children[0].text, "x") {
		w.out = fmt.Appendf(w.out, "&#%d;", n.children[0].text[0]) // [x] is a task's box
	} else {
		w.inlines(n.children, ']')
	}
	w.links--
	w.out = append(w.out, "]("...)
	url := escapeEntities(n.url)
	if strings.ContainsAny(url, "()") {
		url = "<" + url + ">"
	}
	w.out = append(w.out, url...)
	if n.title != "" {
		w.out = append(w.out, ` "`+w.title(n.title)+`"`...)
	}
	w.out = append(w.out, ')')
}

// title escapes a title, in which only entities and escapes are read.
func (w *inlineWriter) title(text string) string {
	text = strings.ReplaceAll(escapeEntities(strings.ReplaceAll(text, `\`, `\\`)), "<", "&lt;")
	if w.flavor == Hugo {
		text = strings.ReplaceAll(text, "{{", `{\{`)
	}
	if w.place == inCell {
		text = strings.ReplaceAll(text, "|", "&#124;")
	}
	return text
}

// escapeEntities keeps text that looks like an entity from being one.
func escapeEntities(text string) string {
	if strings.IndexByte(text, '&') < 0 {
		return text
	}
	var out strings.Builder
	for i := range len(text) {
		out.WriteByte(text[i])
		if text[i] == '&' && isEntity(text[i:]) {
			out.WriteString("amp;")
		}
	}
	return out.String()
}

// isEntity tells whether text starts like an entity, known or not.
func isEntity(text string) bool {
	i := 1
	if i < len(text) && text[i] == '#' {
		i++
	}
	start := i
	for i < len(text) && isNameByte(text[i]) {
		i++
	}
	return i > start && i < len(text) && text[i] == ';'
}

// emphasis writes emphasis with the marks that prettier takes, if they do there
// what they should, and otherwise with tags.
func (w *inlineWriter) emphasis(n inline, after rune) {
	before := ' '
	if len(w.out) > 0 {
		before, _ = utf8.DecodeLastRune(w.out)
	}
	inWord := isWord(before) || isWord(after)
	mark := "**"
	switch {
	case n.kind == deletedNode:
		mark = "~~"
	case n.kind == emphasisNode && !inWord && !strings.Contains(w.marks, "_"):
		mark = "_"
	case n.kind == emphasisNode:
		mark = "*"
	}
	c := rune(mark[0])
	// A star at a slash may be a part of a path.
	path := c == '*' && (before == '/' || lastRune(n.children) == '/')
	if path || strings.ContainsRune(w.marks, c) ||
		!flanks(before, firstRune(n.children), c) || !flanks(after, lastRune(n.children), c) {
		w.tagged(tagNames[n.kind], n.children)
		return
	}
	outer := w.marks
	w.marks += mark
	w.out = append(w.out, mark...)
	w.inlines(n.children, c)
	w.out = append(w.out, mark...)
	w.marks = outer
}

// flanks tells whether a mark between the runes opens or closes an emphasis for
// all readers of Markdown. They differ in what is punctuation beyond ASCII.
func flanks(outer, inner, mark rune) bool {
	switch {
	case unicode.IsSpace(inner), outer == mark:
		return false
	case isWord(outer):
		return isWord(inner)
	}
	return outer < 0x80
}

// isWord tells the runes that are neither space nor punctuation for anybody.
func isWord(r rune) bool {
	if r < 0x80 {
		return r != '_' && isNameByte(byte(r))
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}

// firstRune is the rune that the Markdown of a list starts with, or one that is
// like it to the emphasis before it.
func firstRune(list []inline) rune {
	switch n := list[0]; n.kind {
	case textNode:
		r, _ := utf8.DecodeRuneInString(n.text)
		return edge(r)
	case codeNode:
		return '`'
	case breakNode:
		return '\\'
	case linkNode:
		return '['
	case emphasisNode, strongNode:
		return '*'
	case deletedNode:
		return '~'
	}
	return '<'
}

// lastRune is the rune that the Markdown of a list ends with, or one like it.
func lastRune(list []inline) rune {
	n := list[len(list)-1]
	if n.kind == textNode {
		r, _ := utf8.DecodeLastRuneInString(n.text)
		return edge(r)
	}
	return ')'
}

// edge is a rune at the edge of a text, as it is written: escaped if it is a
// mark, and an entity if it is the space that does not break.
func edge(r rune) rune {
	switch r {
	case '*', '_', '~', '\u00A0':
		return '\\'
	}
	return r
}

// special are the bytes of text that may need an escape.
var special = func() (table [256]bool) {
	for _, c := range "\\`*_~[]<&|{}:.!\n\u00A0" {
		if c < 0x80 {
			table[c] = true
		}
	}
	table[0xC2] = true // the first byte of U+00A0
	return table
}()

// text writes text. It says whether code follows, and whether anything does.
func (w *inlineWriter) text(s string, code, more bool) {
	for i := 0; i < len(s); {
		if w.place == inBlock && (len(w.out) == 0 || w.out[len(w.out)-1] == '\n') {
			if n := w.lineStart(s[i:]); n > 0 {
				i += n
				continue
			}
		}
		start := i
		for i < len(s) && !special[s[i]] {
			i++
		}
		w.out = append(w.out, s[start:i]...)
		if i == len(s) {
			return
		}
		i += w.special(s, i, code, more)
	}
}

// special writes the byte at i, which may need an escape, or the character that it
// starts, and returns its length.
func (w *inlineWriter) special(s string, i int, code, more bool) int {
	c := s[i]
	last := i+1 == len(s)
	escape := false
	switch c {
	case '\n':
		if w.place != inBlock {
			c = ' '
		}
	case '\\':
		if last && more {
			w.out = append(w.out, "&#92;"...) // a third one may follow, of a break
			return 1
		}
		escape = last || s[i+1] == '\n' || util.IsPunct(s[i+1]) || s[i+1] == 0xC2
	case '`':
		if last && code {
			w.out = append(w.out, "&#96;"...)
			return 1
		}
		escape = true
	case '*', '[':
		escape = true
	case '_':
		return w.underscores(s, i)
	case '~':
		escape = !w.tilde
	case ']':
		escape = w.links > 0
	case '<':
		escape = w.flavor == MDX || last || isLetter(s[i+1]) || strings.IndexByte("/!?", s[i+1]) >= 0
	case '&':
		if isEntity(s[i:]) {
			w.out = append(w.out, "&amp;"...)
			return 1
		}
	case '|':
		escape = w.place == inCell
	case '{':
		escape = w.flavor == MDX || w.flavor == Hugo && (w.place == inHeading || i > 0 && s[i-1] == '{')
	case '}':
		escape = w.flavor == MDX
	case ':', '.':
		escape = w.links == 0 && startsAddress(s, i)
	case '!':
		escape = last && more
	case 0xC2:
		if strings.HasPrefix(s[i:], "\u00A0") {
			w.out = append(w.out, "&nbsp;"...)
			return 2
		}
	}
	if escape {
		w.out = append(w.out, '\\')
	}
	w.out = append(w.out, c)
	return 1
}

// underscores writes a run of underscores. In a word they mean nothing.
func (w *inlineWriter) underscores(s string, start int) int {
	end := start
	for end < len(s) && s[end] == '_' {
		end++
	}
	before, _ := utf8.DecodeLastRuneInString(s[:start])
	after, _ := utf8.DecodeRuneInString(s[end:])
	if start > 0 && end < len(s) && isWord(before) && isWord(after) {
		w.out = append(w.out, s[start:end]...)
	} else {
		w.out = append(w.out, strings.Repeat(`\_`, end-start)...)
	}
	return end - start
}

// startsAddress tells whether the text up to the byte at i could be taken for the
// start of a bare address.
func startsAddress(s string, i int) bool {
	if i == 0 || strings.IndexByte("wWpPsS", s[i-1]) < 0 {
		return false
	}
	before := strings.ToLower(s[max(0, i-len("https")):i])
	if s[i] == '.' {
		return strings.HasSuffix(before, "www")
	}
	return strings.HasPrefix(s[i:], "://") && (strings.HasSuffix(before, "http") || strings.HasSuffix(before, "https"))
}

// lineStart escapes what would make a line of text something else, and returns how
// many bytes it has written.
func (w *inlineWriter) lineStart(s string) int {
	line, _, _ := strings.Cut(s, "\n")
	if line == "" {
		return 0
	}
	second := byte(' ')
	if len(line) > 1 {
		second = line[1]
	}
	escape := false
	switch c := line[0]; {
	case c == '#' || c == '>':
		escape = true
	case c == '-' || c == '+':
		escape = second == ' ' || isLine(line)
	case c == '=' || c == '|':
		escape = isLine(line)
	case c == ':':
		escape = isLine(line) || w.flavor == Hugo && second == ' '
	case c >= '0' && c <= '9':
		return w.numberStart(line)
	case w.flavor == MDX && isModuleWord(line):
		w.out = append(w.out, map[byte]string{'i': "&#105;", 'e': "&#101;"}[c]...)
		return 1
	}
	if !escape {
		return 0
	}
	w.out = append(w.out, '\\', line[0])
	return 1
}

// isLine tells whether a line could underline a heading, head a table or be a
// rule.
func isLine(line string) bool {
	return strings.Trim(line, "-=+:| ") == ""
}

// numberStart escapes the mark of a list item.
func (w *inlineWriter) numberStart(line string) int {
	n := 0
	for n < len(line) && line[n] >= '0' && line[n] <= '9' {
		n++
	}
	if n > 9 || n == len(line) || line[n] != '.' && line[n] != ')' || n+1 < len(line) && line[n+1] != ' ' {
		return 0
	}
	w.out = append(w.out, line[:n]...)
	w.out = append(w.out, '\\', line[n])
	return n + 1
}

// isModuleWord tells whether MDX takes a line for a part of a module.
func isModuleWord(line string) bool {
	rest, ok := strings.CutPrefix(line, "import")
	if !ok {
		rest, ok = strings.CutPrefix(line, "export")
	}
	return ok && (rest == "" || !isNameByte(rest[0]))
}
