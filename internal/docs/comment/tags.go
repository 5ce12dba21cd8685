package comment

import "strings"

// safeTags are the tags that are not shown as text, and what they are in the
// tree. Besides them there is <br>.
var safeTags = map[string]inlineKind{
	"b": strongNode, "strong": strongNode,
	"i": emphasisNode, "em": emphasisNode,
	"del": deletedNode, "s": deletedNode,
	"code": codeNode,
	"kbd":  keyNode,
	"sub":  subNode,
	"sup":  supNode,
}

// tagBuilder makes a list of inlines, of which some stand between tags.
type tagBuilder struct {
	inlineBuilder
	open  []openTag
	count map[inlineKind]int // of the open tags
}

// openTag is a tag that has not been closed, and what came before it.
type openTag struct {
	name, written string
	before        inlineBuilder
}

// tag writes a tag that an author has written.
func (b *tagBuilder) tag(written string) {
	name := strings.ToLower(strings.Trim(written, "<>"))
	if name = strings.TrimRight(name, " \t\n"); name == "br" || strings.TrimRight(name, " \t\n/") == "br" {
		b.add(inline{kind: breakNode})
		return
	}
	closing := strings.HasPrefix(name, "/")
	name = strings.TrimPrefix(name, "/")
	kind, ok := safeTags[name]
	switch {
	case !ok, closing && b.count[kind] == 0, !closing && len(b.open) == maxDepth:
		b.write(withoutComment(written))
	case closing:
		b.close(name, kind, written)
	default:
		if b.count == nil {
			b.count = map[inlineKind]int{}
		}
		b.count[kind]++
		b.open = append(b.open, openTag{name, written, b.inlineBuilder})
		b.inlineBuilder = inlineBuilder{}
	}
}

// withoutComment is the text of a tag; that of <!--> and <!---> is nothing.
func withoutComment(written string) string {
	if strings.HasPrefix(written, htmlStart) {
		return ""
	}
	return written
}

// close ends the innermost open tag of a name. Those inside that are still open
// are text.
func (b *tagBuilder) close(name string, kind inlineKind, written string) {
	at := len(b.open) - 1
	for at >= 0 && b.open[at].name != name {
		at--
	}
	if at < 0 {
		b.write(written)
		return
	}
	for len(b.open) > at+1 {
		b.drop()
	}
	children := b.done()
	b.inlineBuilder = b.pop().before
	if kind != codeNode {
		b.wrap(inline{kind: kind}, children)
		return
	}
	start, inner, end := hoist(children)
	b.addAll(start)
	if len(inner) == 1 && inner[0].kind == textNode {
		inner = []inline{{kind: codeNode, text: strings.ReplaceAll(inner[0].text, "\n", " ")}}
	}
	b.addAll(inner)
	b.addAll(end)
}

func (b *tagBuilder) pop() openTag {
	last := len(b.open) - 1
	tag := b.open[last]
	b.open = b.open[:last]
	b.count[safeTags[tag.name]]--
	return tag
}

// drop makes text of the innermost open tag.
func (b *tagBuilder) drop() {
	children := b.done()
	tag := b.pop()
	b.inlineBuilder = tag.before
	b.write(tag.written)
	b.addAll(children)
}

// end is the list. What has not been closed is text.
func (b *tagBuilder) end() []inline {
	for len(b.open) > 0 {
		b.drop()
	}
	return b.done()
}
