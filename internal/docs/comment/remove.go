package comment

import (
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// Marks of what is taken out of a text before it is read.
const (
	internalStart, internalEnd = "(--", "--)"
	htmlStart, htmlEnd         = "<!--", "-->"
)

// directives start the lines that are for linters.
var directives = []string{"buf:lint:", "protolint:", excludeMark}

func hasDirective(text string) bool {
	return slices.ContainsFunc(directives, func(d string) bool { return strings.Contains(text, d) })
}

func isDirective(line string) bool {
	line = strings.TrimLeft(line, " \t")
	return slices.ContainsFunc(directives, func(d string) bool { return strings.HasPrefix(line, d) })
}

// maxPasses bounds how often a text is read only to find its code. Beyond it
// internal parts are removed from code as well: nobody writes that many of them
// with a backtick inside, and to show one is worse than to lose some code.
const maxPasses = 16

// remove takes internal parts, directives and HTML comments out of the text. What
// is code is known only of a text that has been read, and may change with what is
// removed: an internal part can have an odd backtick. So the text is read again
// after each part that may have changed what follows.
func (r *reader) remove() {
	for pass := 0; r.mayRemove(); pass++ {
		var code []span
		if pass < maxPasses && !isTooComplex(r.source.text) {
			code = codeSpans(r.source.text)
		}
		cuts, again := r.cuts(code, code == nil)
		if len(cuts) > 0 {
			r.source.cut(cuts)
		}
		if !again {
			return
		}
	}
}

func (r *reader) mayRemove() bool {
	text := r.source.text
	return strings.Contains(text, htmlStart) ||
		r.options.RemoveInternal && strings.Contains(text, internalStart) ||
		r.options.RemoveDirectives && hasDirective(text)
}

// cuts are the ranges to take out, from the start on to the first one that may
// change what follows, unless all is set.
func (r *reader) cuts(code []span, all bool) (cuts []span, again bool) {
	text := r.source.text
	r.lastHTMLEnd = strings.LastIndex(text, htmlEnd)
	lineStart := true
	for i := 0; i < len(text); {
		for len(code) > 0 && code[0].end <= i {
			code = code[1:]
		}
		inCode := len(code) > 0 && code[0].start <= firstLetter(text, i, lineStart)
		end := i
		if !inCode {
			end = r.removable(i, lineStart)
		}
		if end == i {
			lineStart = text[i] == '\n'
			i++
			continue
		}
		part := text[i:end]
		cut := tidy(text, span{i, end})
		if n := len(cuts); n > 0 {
			cut.start = max(cut.start, cuts[n-1].end)
		}
		cuts = append(cuts, cut)
		if !all && strings.ContainsAny(part, "`~<\n") {
			return cuts, true
		}
		lineStart = cut.end > 0 && text[cut.end-1] == '\n'
		i = max(cut.end, end)
	}
	return cuts, false
}

// firstLetter is where the text of a line starts; code has no indentation.
func firstLetter(text string, i int, lineStart bool) int {
	for lineStart && i < len(text) && isSpace(text[i]) {
		i++
	}
	return i
}

// removable is the end of what is to be taken out at an offset, or the offset.
func (r *reader) removable(i int, lineStart bool) int {
	text := r.source.text
	rest := text[i:]
	if r.options.RemoveDirectives && lineStart {
		if line, _, _ := strings.Cut(rest, "\n"); isDirective(line) {
			return i + len(line)
		}
	}
	switch {
	case r.options.RemoveInternal && strings.HasPrefix(rest, internalStart):
		// "(--)" has an end that is part of its start: it opens a part.
		if n := strings.Index(rest[len(internalStart):], internalEnd); n >= 0 {
			return i + len(internalStart) + n + len(internalEnd)
		}
		r.problem(i, `"(--" is not closed, so that the rest of the comment is internal; add "--)"`)
		return len(text)
	case i < r.lastHTMLEnd && strings.HasPrefix(rest, htmlStart):
		if n := strings.Index(rest[len(htmlStart):], htmlEnd); n >= 0 {
			return i + len(htmlStart) + n + len(htmlEnd)
		}
	}
	return i
}

// tidy extends a range over the white space that would be left over: the whole
// line if nothing else is on it, and else one of the two spaces around it.
func tidy(text string, s span) span {
	start, end := s.start, s.end
	for start > 0 && isSpace(text[start-1]) {
		start--
	}
	for end < len(text) && isSpace(text[end]) {
		end++
	}
	first, last := start == 0 || text[start-1] == '\n', end == len(text) || text[end] == '\n'
	switch {
	case first && last && end < len(text):
		return span{start, end + 1}
	case first && last && start > 0:
		return span{start - 1, end}
	case last:
		return span{start, end}
	case first, !strings.ContainsRune(".,;:!?)", rune(text[end])):
		return span{s.start, end}
	}
	return span{start, s.end}
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' }

// codeSpans are the ranges of a text that are code, in its order.
func codeSpans(text string) []span {
	spans := []span{}
	root := parseMarkdown([]byte(text), nil)
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.CodeSpan:
			for c := n.FirstChild(); c != nil; c = c.NextSibling() {
				if t, ok := c.(*ast.Text); ok {
					spans = append(spans, span{t.Segment.Start, t.Segment.Stop})
				}
			}
			return ast.WalkSkipChildren, nil
		case *ast.CodeBlock, *ast.FencedCodeBlock:
			for i := range n.Lines().Len() {
				l := n.Lines().At(i)
				spans = append(spans, span{l.Start, l.Stop})
			}
		}
		return ast.WalkContinue, nil
	})
	slices.SortFunc(spans, func(a, b span) int { return a.start - b.start })
	return spans
}
