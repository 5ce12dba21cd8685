package comment

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"
)

// reader reads one text.
type reader struct {
	options  Options
	text     int    // index of the text, for problems
	original string // the text as given
	source   source
	findings []finding

	lastHTMLEnd int // where the last end of an HTML comment is
	bytes       []byte
	refs        *references
	tooDeep     bool
}

// finding is a problem at an offset of the text as given.
type finding struct {
	offset  int
	message string
}

// problem records a mistake at an offset of the source.
func (r *reader) problem(offset int, message string) {
	r.findings = append(r.findings, finding{r.source.origin(offset), message})
}

// problems are the mistakes in the order of the text.
func (r *reader) problems() []Problem {
	slices.SortStableFunc(r.findings, func(a, b finding) int { return a.offset - b.offset })
	problems := make([]Problem, 0, len(r.findings))
	lines, n := splitLines(r.original), 0
	for _, f := range r.findings {
		for n+1 < len(lines) && lines[n+1].from <= f.offset {
			n++
		}
		problems = append(problems, Problem{Text: r.text, Line: n, Column: f.offset - lines[n].from, Message: f.message})
	}
	return problems
}

// parse makes the tree; not ok if the text cannot be read as Markdown in bounded
// time and depth.
func (r *reader) parse() (blocks []block, ok bool) {
	if isTooComplex(r.source.text) {
		return nil, false
	}
	r.bytes = []byte(r.source.text)
	r.refs = findReferences(r.source.text, r.options.Resolve)
	before := len(r.findings)
	blocks = r.blocks(parseMarkdown(r.bytes, r.refs), 0)
	if r.tooDeep {
		r.findings = r.findings[:before]
		return nil, false
	}
	return blocks, true
}

func (r *reader) blocks(parent ast.Node, depth int) []block {
	if depth > maxDepth {
		r.tooDeep = true
		return nil
	}
	var blocks []block
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		if b, ok := r.block(n, depth); ok {
			blocks = append(blocks, b)
		}
	}
	return blocks
}

// block makes a block of a node; not ok if there is nothing in it.
func (r *reader) block(n ast.Node, depth int) (b block, ok bool) {
	switch n := n.(type) {
	case *ast.Paragraph, *ast.TextBlock:
		b = block{kind: paragraph, inlines: r.paragraph(n)}
		return b, len(b.inlines) > 0
	case *ast.Heading:
		b = block{kind: heading, level: n.Level, inlines: r.paragraph(n)}
		return b, len(b.inlines) > 0
	case *ast.ThematicBreak:
		return block{kind: rule}, true
	case *ast.CodeBlock:
		b = block{kind: codeBlock, text: r.code(n, depth)}
		return b, b.text != ""
	case *ast.FencedCodeBlock:
		b = block{kind: codeBlock, text: r.code(n, depth), language: language(n.Language(r.bytes))}
		return b, b.text != ""
	case *ast.Blockquote:
		b = block{kind: quote, blocks: r.blocks(n, depth+1)}
		return b, len(b.blocks) > 0
	case *ast.List:
		return r.list(n, depth)
	case *extast.Table:
		return r.table(n)
	}
	return block{}, false // a definition of a reference
}

// code is the text of a block of code, without blank lines at its ends and without
// white space at the ends of its lines. In a list or a quote, where no tab at the
// start of a line is sure to stay one, it is four spaces.
func (r *reader) code(n ast.Node, depth int) string {
	var lines []string
	for i := range n.Lines().Len() {
		l := n.Lines().At(i)
		text := strings.TrimRight(string(l.Value(r.bytes)), " \t\n")
		if code := strings.TrimLeft(text, " \t"); depth > 0 {
			text = strings.ReplaceAll(text[:len(text)-len(code)], "\t", "    ") + code
		}
		if text != "" || len(lines) > 0 {
			lines = append(lines, text)
		}
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}

// language is the language that a fence names, if it looks like one.
func language(info []byte) string {
	for _, c := range info {
		if !isNameByte(c) && strings.IndexByte("+-#.", c) < 0 {
			return ""
		}
	}
	return string(info)
}

const maxListNumber = 999_999_999

func (r *reader) list(n *ast.List, depth int) (b block, ok bool) {
	b = block{kind: list, ordered: n.IsOrdered(), tight: n.IsTight, level: n.Start}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		it := block{kind: item, level: taskState(c), blocks: r.blocks(c, depth+1)}
		if len(it.blocks) == 0 {
			continue
		}
		if it.level != noTask && it.blocks[0].kind != paragraph {
			it.level = noTask
		}
		b.blocks = append(b.blocks, it)
		b.tight = b.tight && canBeTight(it.blocks)
	}
	if len(b.blocks) == 1 && len(b.blocks[0].blocks) == 1 {
		b.tight = true // there is nothing that a blank line could be between
	}
	if !b.ordered || b.level+len(b.blocks) > maxListNumber {
		b.level = 1
	}
	return b, len(b.blocks) > 0
}

// canBeTight tells whether blocks that follow each other without a blank line stay
// what they are.
func canBeTight(blocks []block) bool {
	for i, b := range blocks[1:] {
		switch b.kind {
		case codeBlock, quote:
		case list:
			if b.ordered && b.level != 1 {
				return false
			}
		default:
			return false
		}
		if blocks[i].kind != paragraph {
			return false
		}
	}
	return true
}

// taskState finds the box that a list item starts with.
func taskState(item ast.Node) int {
	first := item.FirstChild()
	if first == nil {
		return noTask
	}
	box, ok := first.FirstChild().(*extast.TaskCheckBox)
	switch {
	case !ok || box.NextSibling() == nil:
		return noTask
	case box.IsChecked:
		return doneTask
	}
	return openTask
}

func (r *reader) table(n *extast.Table) (b block, ok bool) {
	b = block{kind: table}
	for line := n.FirstChild(); line != nil; line = line.NextSibling() {
		cells := block{kind: row}
		for c := line.FirstChild(); c != nil; c = c.NextSibling() {
			column := len(cells.blocks)
			made := block{kind: cell, inlines: r.paragraph(c)}
			if column < len(n.Alignments) {
				made.level = alignment(n.Alignments[column])
			}
			cells.blocks = append(cells.blocks, made)
		}
		b.blocks = append(b.blocks, cells)
	}
	return b, len(b.blocks) > 0 && len(b.blocks[0].blocks) > 0
}

func alignment(a extast.Alignment) int {
	switch a {
	case extast.AlignLeft:
		return alignLeft
	case extast.AlignCenter:
		return alignCenter
	case extast.AlignRight:
		return alignRight
	}
	return noAlign
}

// paragraph makes the inlines of a block.
func (r *reader) paragraph(n ast.Node) []inline {
	return trimSpace(r.inlines(n, 0))
}

func (r *reader) inlines(parent ast.Node, depth int) []inline {
	if depth > maxDepth {
		r.tooDeep = true
		return nil
	}
	b := tagBuilder{}
	for node := parent.FirstChild(); node != nil; node = node.NextSibling() {
		switch n := node.(type) {
		case *ast.Text:
			last := r.textRun(&b.inlineBuilder, n)
			if last.HardLineBreak() {
				b.add(inline{kind: breakNode})
			} else if last.SoftLineBreak() {
				b.write("\n")
			}
			node = last
		case *ast.CodeSpan:
			if code := r.codeSpan(n); strings.TrimSpace(code) != "" {
				b.add(inline{kind: codeNode, text: code})
			} else {
				b.write(code)
			}
		case *ast.Emphasis:
			kind := emphasisNode
			if n.Level > 1 {
				kind = strongNode
			}
			b.wrap(inline{kind: kind}, r.inlines(n, depth+1))
		case *extast.Strikethrough:
			b.wrap(inline{kind: deletedNode}, r.inlines(n, depth+1))
		case *ast.Link:
			r.link(&b, n, n.Destination, n.Title, n.Reference, depth)
		case *ast.Image:
			if bytes.Equal(n.Destination, unresolved) {
				b.write("!") // nothing that an API names is an image
			}
			r.link(&b, n, n.Destination, n.Title, n.Reference, depth)
		case *ast.AutoLink:
			r.autoLink(&b, n)
		case *ast.RawHTML:
			b.tag(string(n.Segments.Value(r.bytes)))
		case *extast.TaskCheckBox:
			if n.NextSibling() == nil {
				b.write("[" + map[bool]string{false: " ", true: "x"}[n.IsChecked] + "]")
			}
		}
	}
	return b.end()
}

// textRun writes the text of a node and of those that follow it without a gap,
// because an escape may go over their border. It returns the last of them.
func (r *reader) textRun(b *inlineBuilder, n *ast.Text) *ast.Text {
	segment := n.Segment
	for {
		next, ok := n.NextSibling().(*ast.Text)
		if !ok || n.SoftLineBreak() || n.HardLineBreak() || n.IsRaw() || next.IsRaw() ||
			next.Segment.Start != segment.Stop || next.Segment.Padding > 0 {
			break
		}
		segment.Stop = next.Segment.Stop
		n = next
	}
	b.write(unescape(segment.Value(r.bytes)))
	return n
}

// codeSpan is the text of a code span, on one line.
func (r *reader) codeSpan(n *ast.CodeSpan) string {
	var code []byte
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			code = append(code, t.Segment.Value(r.bytes)...)
		}
	}
	return strings.ReplaceAll(string(code), "\n", " ")
}

// link writes a link, or what is left of one that leads nowhere. An image is one.
func (r *reader) link(b *tagBuilder, n ast.Node, destination, about []byte, ref *ast.ReferenceLink, depth int) {
	label := r.inlines(n, depth+1)
	if bytes.Equal(destination, unresolved) {
		r.reference(b, n.Pos(), ref, label)
		return
	}
	if len(label) == 0 {
		label = []inline{{kind: textNode, text: unescape(destination)}}
	}
	r.address(b, n, destination, about, label)
}

// reference writes an AIP-192 reference.
func (r *reader) reference(b *tagBuilder, at int, ref *ast.ReferenceLink, label []inline) {
	target := targetOf(string(ref.Value))
	found, ok := r.refs.link(target)
	// What follows a name, as in rows[Row][column], is an index.
	index := at > 0 && (isNameByte(r.bytes[at-1]) || strings.IndexByte("])", r.bytes[at-1]) >= 0)
	switch {
	case ok && !(index && !strings.Contains(target, ".")):
		if len(label) == 0 {
			label = []inline{{kind: textNode, text: target}}
		}
		to := inline{kind: linkNode, known: true, url: found.URL, title: title(found.Title)}
		b.wrap(to, unlink(label))
		return
	case !ok && !index && ref.Type != ast.ReferenceLinkShortcut && looksQualified(target):
		r.problem(at, fmt.Sprintf("nothing is called %s here; "+
			"write the full name of a message, enum, field, value, service or method", strconv.Quote(target)))
		b.addAll(label)
		return
	}
	b.write("[")
	b.addAll(label)
	b.write("]")
	switch ref.Type {
	case ast.ReferenceLinkFull:
		b.write("[" + unescape(ref.Value) + "]")
	case ast.ReferenceLinkCollapsed:
		b.write("[]")
	}
}

// address writes a link to an address that the author has written.
func (r *reader) address(b *tagBuilder, n ast.Node, destination, about []byte, label []inline) {
	url, ok := safeURL(unescape(destination))
	if !ok {
		r.problem(max(n.Pos(), 0), fmt.Sprintf("a link leads to %s; only http, https, mailto and relative addresses do",
			strconv.Quote(unescape(destination))))
	}
	if !ok || url == "" {
		b.addAll(label)
		return
	}
	b.wrap(inline{kind: linkNode, url: url, title: title(unescape(about))}, unlink(label))
}

// title is a link's title on one line, with the one kind of quotes that no
// rendering needs to escape.
func title(text string) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(text, `"`, "'")), " ")
}

// unlink makes text of the links in a link.
func unlink(list []inline) []inline {
	var b inlineBuilder
	for _, n := range list {
		n.children = unlink(n.children)
		if n.kind == linkNode {
			b.addAll(n.children)
			continue
		}
		b.add(n)
	}
	return b.done()
}

// autoLink writes <https://address> or a bare address. What has another scheme,
// like <project:id>, is text.
func (r *reader) autoLink(b *tagBuilder, n *ast.AutoLink) {
	label := resolveEntities(n.Label(r.bytes))
	address := label
	switch {
	case n.AutoLinkType == ast.AutoLinkEmail:
		address = "mailto:" + label
	case n.Protocol != nil:
		address = string(n.Protocol) + "://" + label
	}
	url, ok := safeURL(address)
	if !ok {
		b.write("<" + label + ">")
		return
	}
	b.wrap(inline{kind: linkNode, url: url}, []inline{{kind: textNode, text: label}})
}

// unescape resolves escapes and entities. What a page must not contain does not
// come in by its number either.
func unescape(raw []byte) string { return decode(raw, true) }

func resolveEntities(raw []byte) string { return decode(raw, false) }

func decode(raw []byte, escapes bool) string {
	if bytes.IndexByte(raw, '\\') < 0 && bytes.IndexByte(raw, '&') < 0 {
		return string(raw)
	}
	out := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); {
		switch c := raw[i]; {
		case escapes && c == '\\' && i+1 < len(raw) && util.IsPunct(raw[i+1]):
			out = append(out, raw[i+1])
			i += 2
			continue
		case c == '&':
			if text, n := entity(raw[i:]); n > 0 {
				out = append(out, text...)
				i += n
				continue
			}
		}
		out = append(out, raw[i])
		i++
	}
	return string(out)
}

// maxEntity is the length of the longest entity's name, and more.
const maxEntity = 40

// entity reads the entity that text starts with, and returns what it stands for
// and its length, which is 0 if it is none.
func entity(text []byte) (value string, length int) {
	end := bytes.IndexByte(text[:min(len(text), maxEntity)], ';')
	if end < 2 {
		return "", 0
	}
	name := string(text[1:end])
	if name[0] != '#' {
		e, ok := util.LookUpHTML5EntityByName(name)
		if !ok {
			return "", 0
		}
		return printableText(string(e.Characters)), end + 1
	}
	digits, base, most := name[1:], 10, 7
	if digits != "" && (digits[0] == 'x' || digits[0] == 'X') {
		digits, base, most = digits[1:], 16, 6
	}
	n, err := strconv.ParseUint(digits, base, 32)
	if err != nil || len(digits) > most {
		return "", 0
	}
	r := rune(n)
	if n == 0 || !utf8.ValidRune(r) {
		r = utf8.RuneError
	}
	return printableText(string(r)), end + 1
}

// printableText is text from an entity, as a page may contain it. A line end from
// there is a space.
func printableText(text string) string {
	var out strings.Builder
	for _, r := range text {
		if r == '\n' || r == '\r' {
			out.WriteByte(' ')
			continue
		}
		if shown, ok := showRune(r); !ok {
			out.WriteString(shown)
			continue
		}
		out.WriteRune(r)
	}
	return out.String()
}
