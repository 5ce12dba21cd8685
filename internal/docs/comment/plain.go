package comment

import "strings"

// Most comments are prose without a character that Markdown reads. They are
// recognised here and do not pass through goldmark. Every rule errs to the side
// of Markdown: text that is no prose for isPlain is read as Markdown, which is
// only slower.

// inProse has the bytes that mean nothing anywhere in a line but at its start.
var inProse = func() (table [256]bool) {
	for c := range table {
		table[c] = c >= 0x80 || c > ' ' && c < 0x7F
	}
	for _, c := range "\\`*_[]<&~|!" {
		table[c] = false
	}
	return table
}()

// isPlain tells whether a clean text is paragraphs of prose and nothing else.
func isPlain(text string, o Options) bool {
	lineStart, breaks := true, 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\n':
			breaks++
			lineStart = true
			continue
		case lineStart && startsBlock(text[i:]):
			return false
		case inProse[c]:
			if c == ':' && strings.HasPrefix(text[i:], "://") || c == '.' && i >= 3 && strings.EqualFold(text[i-3:i], "www") {
				return false
			}
			if c == '(' && strings.HasPrefix(text[i:], internalStart) {
				return false
			}
		case c == ' ':
			if i+1 == len(text) || text[i+1] == '\n' {
				return false
			}
		case c == '_':
			if i == 0 || i+1 == len(text) || !isNameByte(text[i-1]) || !isNameByte(text[i+1]) {
				return false
			}
		default:
			return false
		}
		lineStart = false
	}
	return breaks < maxLines && len(text) <= maxSize && !(o.RemoveDirectives && hasDirective(text))
}

func isNameByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// startsBlock tells whether a line may be anything but a paragraph's.
func startsBlock(text string) bool {
	switch c := text[0]; c {
	case ' ', '-', '+', '#', '>', '=', ':':
		return true
	default:
		if c < '0' || c > '9' {
			return false
		}
	}
	n := 1
	for n < len(text) && text[n] >= '0' && text[n] <= '9' {
		n++
	}
	return n < len(text) && (text[n] == '.' || text[n] == ')')
}

// plainBlocks are the paragraphs of a text that isPlain.
func plainBlocks(text string) []block {
	if text == "" {
		return nil
	}
	most := strings.Count(text, "\n\n") + 1
	blocks, inlines := make([]block, 0, most), make([]inline, 0, most)
	for text != "" {
		part, rest, _ := strings.Cut(text, "\n\n")
		text = strings.TrimLeft(rest, "\n")
		n := inline{kind: textNode, text: part}
		if strings.Contains(part, "  ") {
			var b inlineBuilder
			b.write(part)
			n = b.done()[0]
		}
		inlines = append(inlines, n)
		blocks = append(blocks, block{kind: paragraph, inlines: inlines[len(inlines)-1 : len(inlines) : len(inlines)]})
	}
	return blocks
}

// literalBlocks shows a text as it is written, with its paragraphs.
func literalBlocks(text string) []block {
	var blocks []block
	var b inlineBuilder
	flush := func() {
		if list := trimSpace(b.done()); len(list) > 0 {
			blocks = append(blocks, block{kind: paragraph, inlines: list})
		}
		b = inlineBuilder{}
	}
	for line := range strings.SplitSeq(text, "\n") {
		if isBlank(line) {
			flush()
			continue
		}
		b.write(line)
		b.write("\n")
	}
	flush()
	return blocks
}

// Bounds of what is read as Markdown. goldmark takes quadratic time and memory for
// some texts, none of which anybody writes: the time that all paragraphs of a text
// may take is bounded by that of its marks.
const (
	maxSize  = 1 << 18 // bytes of a text
	maxLines = 1 << 14 // lines of a text
	maxWork  = 1 << 26 // sum of the squares of the numbers of marks in paragraphs
	maxCells = 1 << 15 // cells of all tables, were all lines as wide as the widest
	maxDepth = 48      // blocks in blocks, or spans in spans
)

// isTooComplex tells whether a text is out of these bounds.
func isTooComplex(text string) bool {
	if len(text) > maxSize {
		return true
	}
	marks, work, bars, lines := 0, 0, 0, 0
	for line := range strings.SplitSeq(text, "\n") {
		lines++
		if lines > maxLines || containers(line) > maxDepth {
			return true
		}
		if isBlank(line) {
			marks = 0
		}
		n, inLine := 0, 0
		for i := range len(line) {
			switch line[i] {
			case '|':
				inLine++
			case '*', '_', '~', '[', ']', '`', '<', '!', '\\':
				n++
			}
		}
		work += (2*marks + n) * n
		marks += n
		bars = max(bars, inLine)
		if work > maxWork {
			return true
		}
	}
	return bars*lines > maxCells
}

// containers is the number of blocks that a line may open at its start.
func containers(line string) int {
	n := 0
	for i := range len(line) {
		switch c := line[i]; {
		case c == '>', (c == ' ' || c == '\t') && i > 0 && strings.IndexByte("-+*.)", line[i-1]) >= 0:
			n++
		case c != ' ' && c != '\t' && strings.IndexByte("-+*.)0123456789", c) < 0:
			return n
		}
	}
	return n
}
