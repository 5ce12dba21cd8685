package comment

// inlineKind is a kind of inline.
type inlineKind uint8

const (
	// textNode is text; \n in it is the end of a line of the comment.
	textNode inlineKind = iota
	codeNode
	breakNode
	emphasisNode
	strongNode
	deletedNode
	linkNode
	keyNode
	subNode
	supNode
)

// inline is a part of a paragraph.
type inline struct {
	kind inlineKind
	// known says of a link that Options.Resolve gave it.
	known      bool
	text       string // of text and code
	url, title string // of a link; safe
	children   []inline
}

// blockKind is a kind of block.
type blockKind uint8

const (
	paragraph blockKind = iota // inlines
	heading                    // inlines, level
	codeBlock                  // text, language
	quote                      // blocks
	list                       // blocks are items; level is the first number
	item                       // blocks; level is a task's state
	table                      // blocks are rows, the first one the head
	row                        // blocks are cells
	cell                       // inlines; level is the alignment
	rule
)

// States of a task.
const (
	noTask = iota
	openTask
	doneTask
)

// Alignments of a cell.
const (
	noAlign = iota
	alignLeft
	alignCenter
	alignRight
)

// block is a part of a comment.
type block struct {
	kind           blockKind
	ordered, tight bool // of a list
	level          int
	text, language string
	inlines        []inline
	blocks         []block
}

// inlineBuilder makes a list of inlines of which no two neighbours are text, or
// code, and in which white space is single.
type inlineBuilder struct {
	list    []inline
	pending []byte
}

// write appends text.
func (b *inlineBuilder) write(s string) {
	for i := range len(s) {
		c := s[i]
		if c != ' ' && c != '\t' && c != '\n' && c != '\r' {
			b.pending = append(b.pending, c)
			continue
		}
		if c != '\n' {
			c = ' '
		}
		n := len(b.pending)
		switch {
		case n == 0 && len(b.list) > 0 && b.list[len(b.list)-1].kind == breakNode:
		case n > 0 && (b.pending[n-1] == ' ' || b.pending[n-1] == '\n'):
			if c == '\n' {
				b.pending[n-1] = c
			}
		default:
			b.pending = append(b.pending, c)
		}
	}
}

// add appends an inline.
func (b *inlineBuilder) add(n inline) {
	if n.kind == textNode {
		b.write(n.text)
		return
	}
	if n.kind == breakNode {
		b.trimPending()
	}
	b.flush()
	last := len(b.list) - 1
	switch {
	case n.kind == codeNode && n.text == "":
		return
	case n.kind == codeNode && last >= 0 && b.list[last].kind == codeNode:
		b.list[last].text += n.text
		return
	}
	b.list = append(b.list, n)
}

// wrap appends a list as the children of n. White space at its ends moves out.
func (b *inlineBuilder) wrap(n inline, children []inline) {
	start, inner, end := hoist(children)
	b.addAll(start)
	if n.children = inner; len(inner) > 0 {
		b.add(n)
	}
	b.addAll(end)
}

func (b *inlineBuilder) addAll(list []inline) {
	for _, n := range list {
		b.add(n)
	}
}

func (b *inlineBuilder) trimPending() {
	for n := len(b.pending); n > 0 && (b.pending[n-1] == ' ' || b.pending[n-1] == '\n'); n = len(b.pending) {
		b.pending = b.pending[:n-1]
	}
}

func (b *inlineBuilder) flush() {
	if len(b.pending) > 0 {
		b.list = append(b.list, inline{kind: textNode, text: string(b.pending)})
		b.pending = b.pending[:0]
	}
}

func (b *inlineBuilder) done() []inline {
	b.flush()
	return b.list
}

// hoist takes the white space off both ends of a list.
func hoist(list []inline) (start, inner, end []inline) {
	for len(list) > 0 {
		first := list[0]
		if first.kind == breakNode {
			start, list = append(start, first), list[1:]
			continue
		}
		if first.kind != textNode || !isSpaceOrEnd(first.text[0]) {
			break
		}
		start = append(start, inline{kind: textNode, text: first.text[:1]})
		if list = list[1:]; len(first.text) > 1 {
			first.text = first.text[1:]
			list = append([]inline{first}, list...)
		}
	}
	for len(list) > 0 {
		last := list[len(list)-1]
		if last.kind == breakNode {
			end, list = append([]inline{last}, end...), list[:len(list)-1]
			continue
		}
		n := len(last.text) - 1
		if last.kind != textNode || !isSpaceOrEnd(last.text[n]) {
			break
		}
		end = append([]inline{{kind: textNode, text: last.text[n:]}}, end...)
		if list = list[:len(list)-1]; n > 0 {
			last.text = last.text[:n]
			list = append(list[:len(list):len(list)], last)
		}
	}
	return start, list, end
}

func isSpaceOrEnd(c byte) bool { return c == ' ' || c == '\n' }

// trimSpace drops the white space at both ends of a paragraph.
func trimSpace(list []inline) []inline {
	_, inner, _ := hoist(list)
	return inner
}

// textOf appends the text of a list.
func textOf(out []byte, list []inline) []byte {
	for _, n := range list {
		if n.kind == breakNode {
			out = append(out, '\n')
		}
		out = append(out, n.text...)
		out = textOf(out, n.children)
	}
	return out
}
