package comment

import (
	"strconv"
	"strings"
	"unicode"
)

// Flavor is a dialect of Markdown.
type Flavor uint8

// Flavors of Markdown.
const (
	// GFM is Markdown as GitHub renders it.
	GFM Flavor = iota
	// MDX is what MDX 2 and 3 compile, with the plugin for GFM.
	MDX
	// Hugo is what Hugo renders, with its defaults: shortcodes are read before
	// Markdown, in code too, and tags are left out.
	Hugo
)

// Markdown renders the comment as blocks of Markdown, with blank lines between
// them and no white space at the ends of lines or of the text. The headings in it
// are below headingLevel, that of the heading the comment stands under, without
// gaps; below level 6 they are bold paragraphs. The result is in the style of
// prettier and markdownlint, and reads as the same document again.
func (d *Doc) Markdown(f Flavor, headingLevel int) string {
	if d == nil {
		return ""
	}
	w := blockWriter{flavor: f, outline: outline{base: headingLevel}}
	return w.blocks(d.blocks, "\n\n")
}

// outline gives the headings of a comment their levels on the page.
type outline struct {
	base int
	open []int // the author's levels of the headings that the text is under
}

// level is the level of the next heading.
func (o *outline) level(written int) int {
	n := len(o.open)
	for n > 0 && o.open[n-1] >= written {
		n--
	}
	o.open = append(o.open[:n], written)
	return o.base + len(o.open)
}

// maxHeading is the lowest level of headings.
const maxHeading = 6

// blockWriter writes blocks as Markdown. Each call returns lines without the
// prefix of the block around them.
type blockWriter struct {
	flavor  Flavor
	outline outline
	bullet  byte // of the list around; 0 if there is none
}

// blocks writes blocks with something between them.
func (w *blockWriter) blocks(blocks []block, between string) string {
	if len(blocks) == 1 {
		return w.block(blocks[0], 0)
	}
	var out strings.Builder
	nth := 0 // of the lists of one kind that follow each other
	for i, b := range blocks {
		if i > 0 {
			out.WriteString(between)
			nth++
			if last := blocks[i-1]; b.kind != list || last.kind != list || last.ordered != b.ordered {
				nth = 0
			}
		}
		out.WriteString(w.block(b, nth))
	}
	return out.String()
}

func (w *blockWriter) block(b block, nth int) string {
	switch b.kind {
	case heading:
		return w.heading(b)
	case codeBlock:
		return w.code(b)
	case quote:
		return indent(w.blocks(b.blocks, "\n\n"), "> ", "> ")
	case list:
		return w.list(b, nth)
	case table:
		return w.table(b)
	case rule:
		if w.bullet == '-' {
			return "***"
		}
		return "---"
	}
	return inlineMarkdown(b.inlines, w.flavor, inBlock)
}

func (w *blockWriter) heading(b block) string {
	level := w.outline.level(b.level)
	text := inlineMarkdown(b.inlines, w.flavor, inHeading)
	if level > maxHeading {
		return inlineMarkdown([]inline{{kind: strongNode, children: b.inlines}}, w.flavor, inHeading)
	}
	return strings.Repeat("#", max(level, 1)) + " " + text
}

// code writes a block of code between fences, which all flavors know.
func (w *blockWriter) code(b block) string {
	text := b.text
	if w.flavor == Hugo {
		var ok bool
		if text, ok = hideShortcodes(text); !ok {
			return codeAsText(b.text, w.flavor)
		}
	}
	fence := strings.Repeat("`", max(3, longestRun(text, '`')+1))
	return fence + b.language + "\n" + text + "\n" + fence
}

// codeAsText writes code as a paragraph, line by line.
func codeAsText(code string, f Flavor) string {
	var b inlineBuilder
	for i, line := range strings.Split(code, "\n") {
		if i > 0 {
			b.add(inline{kind: breakNode})
		}
		text := strings.TrimLeft(line, " ")
		b.write(strings.Repeat("\u00A0", len(line)-len(text)) + text)
	}
	return inlineMarkdown(trimSpace(b.done()), f, inBlock)
}

func (w *blockWriter) list(b block, nth int) string {
	around := w.bullet
	defer func() { w.bullet = around }()
	w.bullet = "-*"[nth%2]
	between := "\n\n"
	if b.tight {
		between = "\n"
	}
	var out strings.Builder
	for i, it := range b.blocks {
		mark := string(w.bullet) + " "
		if b.ordered {
			mark = strconv.Itoa(b.level+i) + ".)"[nth%2:nth%2+1] + " "
		}
		if i > 0 {
			out.WriteString(between)
		}
		out.WriteString(indent(w.item(it, between), mark, strings.Repeat(" ", len(mark))))
	}
	return out.String()
}

// item writes what is in an item. The paragraph of a task hangs by its box.
func (w *blockWriter) item(it block, between string) string {
	if it.level == noTask {
		return w.blocks(it.blocks, between)
	}
	box := "[ ] "
	if it.level == doneTask {
		box = "[x] "
	}
	text := indent(w.block(it.blocks[0], 0), box, "    ")
	if len(it.blocks) > 1 {
		text += between + w.blocks(it.blocks[1:], between)
	}
	return text
}

// indent puts something before the first line and before the others, but no white
// space before a blank one.
func indent(text, first, others string) string {
	var out strings.Builder
	for i, line := range strings.Split(text, "\n") {
		prefix := others
		if i == 0 {
			prefix = first
		} else {
			out.WriteByte('\n')
		}
		if line == "" {
			prefix = strings.TrimRight(prefix, " ")
		}
		out.WriteString(prefix)
		out.WriteString(line)
	}
	return out.String()
}

// table writes a table with columns of one width, as prettier does.
func (w *blockWriter) table(b block) string {
	rows := make([][]string, len(b.blocks))
	widths := make([]int, len(b.blocks[0].blocks))
	for i := range widths {
		widths[i] = 3
	}
	for i, line := range b.blocks {
		rows[i] = make([]string, len(widths))
		for j := range min(len(widths), len(line.blocks)) {
			rows[i][j] = inlineMarkdown(line.blocks[j].inlines, w.flavor, inCell)
			widths[j] = max(widths[j], displayWidth(rows[i][j]))
		}
	}
	var out strings.Builder
	for i, cells := range rows {
		for j, text := range cells {
			out.WriteString("| ")
			pad(&out, text, widths[j]-displayWidth(text), b.blocks[0].blocks[j].level)
			out.WriteByte(' ')
		}
		out.WriteByte('|')
		if i == 0 {
			out.WriteByte('\n')
			for j, c := range b.blocks[0].blocks {
				out.WriteString("| " + delimiter(c.level, widths[j]) + " ")
			}
			out.WriteByte('|')
		}
		if i < len(rows)-1 {
			out.WriteByte('\n')
		}
	}
	return out.String()
}

// pad writes text with n spaces, on the side or sides of its alignment.
func pad(out *strings.Builder, text string, n, align int) {
	left := 0
	switch align {
	case alignRight:
		left = n
	case alignCenter:
		left = n / 2
	}
	out.WriteString(strings.Repeat(" ", left) + text + strings.Repeat(" ", n-left))
}

// delimiter is what a column has below its head.
func delimiter(align, width int) string {
	switch align {
	case alignLeft:
		return ":" + strings.Repeat("-", width-1)
	case alignCenter:
		return ":" + strings.Repeat("-", width-2) + ":"
	case alignRight:
		return strings.Repeat("-", width-1) + ":"
	}
	return strings.Repeat("-", width)
}

// wide are the characters that take two columns.
var wide = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x1100, 0x115F, 1}, {0x2E80, 0x303E, 1}, {0x3041, 0xA4CF, 1}, {0xAC00, 0xD7A3, 1},
		{0xF900, 0xFAFF, 1}, {0xFE30, 0xFE6F, 1}, {0xFF00, 0xFF60, 1}, {0xFFE0, 0xFFE6, 1},
	},
	R32: []unicode.Range32{{0x1F300, 0x1F64F, 1}, {0x1F900, 0x1F9FF, 1}, {0x20000, 0x3FFFD, 1}},
}

// displayWidth is the number of columns that text takes where letters have one
// width.
func displayWidth(text string) int {
	n := 0
	for _, r := range text {
		switch {
		case r < 0x80:
			n++
		case unicode.Is(unicode.Mn, r), r == 0x200D:
		case unicode.Is(wide, r):
			n += 2
		default:
			n++
		}
	}
	return n
}

// longestRun is the length of the longest run of a byte in text.
func longestRun(text string, c byte) int {
	longest, run := 0, 0
	for i := range len(text) {
		if text[i] != c {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}

// hideShortcodes writes Hugo's shortcodes so that Hugo shows them. It is not ok if
// one has no end, for which Hugo has no way.
func hideShortcodes(code string) (hidden string, ok bool) {
	var out strings.Builder
	for {
		start := shortcodeStart(code)
		if start < 0 {
			out.WriteString(code)
			return out.String(), true
		}
		start += len("{{<")
		end := strings.Index(code[start:], string(">%"[strings.IndexByte("<%", code[start-1])])+"}}")
		if end < 0 {
			return "", false
		}
		end += start
		out.WriteString(code[:start] + "/*" + code[start:end] + "*/" + code[end:end+3])
		code = code[end+3:]
	}
}

func shortcodeStart(text string) int {
	for i := 0; ; i++ {
		n := strings.Index(text[i:], "{{")
		if n < 0 {
			return -1
		}
		if i += n; i+2 < len(text) && (text[i+2] == '<' || text[i+2] == '%') {
			return i
		}
	}
}
