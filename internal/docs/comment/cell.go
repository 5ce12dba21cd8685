package comment

import (
	"strconv"
	"strings"
)

// MarkdownCell renders the comment as one line that can stand in a cell of a
// table. Paragraphs are separated by breaks, and every bar is escaped, in code
// too. Lists, code and quotes are tags around Markdown for GFM and MDX, where
// tags in cells work; for Hugo, which leaves tags out by default, they are lines
// with bullets, numbers and code spans.
func (d *Doc) MarkdownCell(f Flavor) string {
	if d == nil {
		return ""
	}
	w := cellWriter{flavor: f}
	w.blocks(d.blocks)
	return strings.Trim(w.out.String(), " \t") // of empty columns
}

// cellWriter writes blocks into a cell.
type cellWriter struct {
	flavor Flavor
	out    strings.Builder
	// tag says that the last thing written was a block's tag, after which no break
	// is needed.
	tag bool
}

func (w *cellWriter) blocks(blocks []block) {
	for i, b := range blocks {
		// A list that belongs to the paragraph above follows it closely.
		close := b.kind == list && i > 0 && blocks[i-1].kind == paragraph
		w.block(b, close)
	}
}

func (w *cellWriter) block(b block, close bool) {
	tags := w.flavor != Hugo
	switch b.kind {
	case paragraph:
		w.separate(false)
		w.inlines(b.inlines)
	case heading:
		w.separate(false)
		w.inlines([]inline{{kind: strongNode, children: b.inlines}})
	case codeBlock:
		if tags {
			w.pre(b.text)
			return
		}
		w.separate(true)
		w.codeLines(b.text)
	case quote:
		if !tags {
			w.separate(false)
			w.out.WriteString("&gt; ")
			w.tag = true
			w.blocks(b.blocks)
			return
		}
		w.open("<blockquote>")
		w.blocks(b.blocks)
		w.open("</blockquote>")
	case list:
		if tags {
			w.list(b)
			return
		}
		w.bullets(b, close)
	case table:
		w.separate(false)
		w.rows(b)
	}
}

// separate writes what stands between a block and the one before.
func (w *cellWriter) separate(close bool) {
	if w.out.Len() > 0 && !w.tag {
		w.out.WriteString(breakTag(w.flavor))
		if !close {
			w.out.WriteString(breakTag(w.flavor))
		}
		w.space()
	}
	w.tag = false
}

// space follows a break where that may be left out.
func (w *cellWriter) space() {
	if w.flavor == Hugo {
		w.out.WriteByte(' ')
	}
}

func (w *cellWriter) open(tag string) {
	w.out.WriteString(tag)
	w.tag = true
}

func (w *cellWriter) inlines(list []inline) {
	w.out.WriteString(inlineMarkdown(list, w.flavor, inCell))
	w.tag = false
}

func (w *cellWriter) list(b block) {
	name := "ul"
	start := ""
	if b.ordered {
		name = "ol"
		if b.level != 1 {
			start = ` start="` + strconv.Itoa(b.level) + `"`
		}
	}
	w.open("<" + name + start + ">")
	for _, it := range b.blocks {
		w.open("<li>" + taskMark(it.level))
		w.blocks(it.blocks)
		w.open("</li>")
	}
	w.open("</" + name + ">")
}

// taskMark shows a task's state.
func taskMark(state int) string {
	switch state {
	case openTask:
		return "☐ "
	case doneTask:
		return "☑ "
	}
	return ""
}

// bullets writes a list without tags.
func (w *cellWriter) bullets(b block, close bool) {
	for i, it := range b.blocks {
		w.separate(close || i > 0)
		mark := "• "
		if b.ordered {
			mark = strconv.Itoa(b.level+i) + `\. `
		}
		w.open(mark + taskMark(it.level))
		w.blocks(it.blocks)
	}
	w.tag = false
}

// codeLines writes a code span for each line.
func (w *cellWriter) codeLines(text string) {
	first := true
	for line := range strings.SplitSeq(text, "\n") {
		if line == "" {
			continue
		}
		if !first {
			w.out.WriteString(breakTag(w.flavor))
			w.space()
		}
		first = false
		w.inlines([]inline{{kind: codeNode, text: line}})
	}
}

// pre writes code in a tag. All that Markdown could read in it is written by its
// number, the ends of lines too.
func (w *cellWriter) pre(text string) {
	w.open("<pre>")
	for i := range len(text) {
		c := text[i]
		if c < ' ' || strings.IndexByte("\\`*_~[]<>&|{}:!$", c) >= 0 {
			w.out.WriteString("&#" + strconv.Itoa(int(c)) + ";")
			continue
		}
		w.out.WriteByte(c)
	}
	w.open("</pre>")
}

// rows writes a table as lines with bars.
func (w *cellWriter) rows(b block) {
	for i, line := range b.blocks {
		if i > 0 {
			w.out.WriteString(breakTag(w.flavor))
			w.space()
		}
		for j, c := range line.blocks {
			if j > 0 {
				w.out.WriteString(` \| `)
			}
			list := c.inlines
			if i == 0 && len(list) > 0 {
				list = []inline{{kind: strongNode, children: list}}
			}
			w.inlines(list)
		}
	}
}
