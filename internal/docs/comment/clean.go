package comment

import (
	"fmt"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// source is a text that parts have been taken out of.
type source struct {
	text string
	// marks say where the parts that are left come from, by ascending offsets.
	// There are none if nobody asks.
	marks []mark
}

// mark says that the text from offset at on was at offset from.
type mark struct{ at, from int }

// origin is the offset in the original text of an offset in this one.
func (s *source) origin(offset int) int {
	i := sort.Search(len(s.marks), func(i int) bool { return s.marks[i].at > offset })
	if i == 0 {
		return offset
	}
	return s.marks[i-1].from + offset - s.marks[i-1].at
}

// rewriter makes a source of another one.
type rewriter struct {
	out   strings.Builder
	marks []mark
	track bool
}

// keep appends a part that was at an offset of the original.
func (w *rewriter) keep(part string, from int) {
	w.mark(from)
	w.out.WriteString(part)
}

func (w *rewriter) mark(from int) {
	if w.track {
		w.marks = append(w.marks, mark{w.out.Len(), from})
	}
}

// cleanText takes the marks of a comment off its text, and the indentation that
// all lines share off each of them, so that lists and code keep theirs. Lines end
// with \n, the last one without.
func cleanText(text string) string {
	return clean(text, false).text
}

func trackedClean(text string) source {
	return clean(text, true)
}

func clean(text string, track bool) source {
	lines := splitLines(text)
	// The second star of /** is part of the comment's text for protoc, without
	// the space that a bullet has before it.
	if len(lines) > 0 && strings.HasPrefix(lines[0].text, "*") {
		lines[0] = lines[0].from1()
	}
	stripThirdSlash(lines)
	for len(lines) > 0 && isBlank(lines[0].text) {
		lines = lines[1:]
	}
	for len(lines) > 0 && isBlank(lines[len(lines)-1].text) {
		lines = lines[:len(lines)-1]
	}
	indent := sharedIndent(lines)
	w := rewriter{track: track}
	w.out.Grow(len(text))
	for i, l := range lines {
		if i > 0 {
			w.out.WriteByte('\n')
		}
		if isBlank(l.text) {
			continue
		}
		w.printable(l.text[indent:], l.from+indent)
	}
	return source{w.out.String(), w.marks}
}

// line is a line of a text, without its end, and where it starts there.
type line struct {
	text string
	from int
}

func (l line) from1() line { return line{l.text[1:], l.from + 1} }

// splitLines splits at \n, \r\n and \r.
func splitLines(text string) []line {
	lines := make([]line, 0, strings.Count(text, "\n")+1)
	for from := 0; from < len(text); {
		n := strings.IndexAny(text[from:], "\r\n")
		if n < 0 {
			return append(lines, line{text[from:], from})
		}
		lines = append(lines, line{text[from : from+n], from})
		from += n + 1
		if text[from-1] == '\r' && from < len(text) && text[from] == '\n' {
			from++
		}
	}
	return lines
}

// stripThirdSlash takes the slash of /// comments off their lines.
func stripThirdSlash(lines []line) {
	some := false
	for _, l := range lines {
		if isBlank(l.text) {
			continue
		}
		if l.text != "/" && !strings.HasPrefix(l.text, "/ ") {
			return
		}
		some = true
	}
	for i, l := range lines {
		if some && !isBlank(l.text) {
			lines[i] = l.from1()
		}
	}
}

// isBlank tells whether nothing of a line is shown.
func isBlank(text string) bool {
	for _, r := range text {
		if r == ' ' || r == '\t' {
			continue
		}
		if shown, ok := showRune(r); ok || strings.TrimSpace(shown) != "" {
			return false
		}
	}
	return true
}

// sharedIndent is the length of the longest run of spaces and tabs that all lines
// but blank ones start with.
func sharedIndent(lines []line) int {
	shared, some := "", false
	for _, l := range lines {
		if isBlank(l.text) {
			continue
		}
		indent := l.text[:len(l.text)-len(strings.TrimLeft(l.text, " \t"))]
		if !some {
			shared, some = indent, true
			continue
		}
		n := 0
		for n < len(shared) && n < len(indent) && shared[n] == indent[n] {
			n++
		}
		shared = shared[:n]
	}
	return len(shared)
}

// printable appends text without what a page must not contain.
func (w *rewriter) printable(text string, from int) {
	kept := 0
	for i := 0; i < len(text); {
		if c := text[i]; c >= ' ' && c < 0x7F || c == '\t' {
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		shown, ok := showRune(r)
		if ok && (r != utf8.RuneError || size > 1) {
			i += size
			continue
		}
		if i > kept {
			w.keep(text[kept:i], from+kept)
		}
		w.keep(shown, from+i)
		i += size
		kept = i
	}
	if kept < len(text) {
		w.keep(text[kept:], from+kept)
	}
}

// showRune tells whether r can stand as it is, and if not what stands for it:
// nothing for a control character, and its number for one that makes text read in
// another order than it is written.
func showRune(r rune) (shown string, ok bool) {
	switch {
	case r == '\t':
		return "", true
	case r == utf8.RuneError:
		return string(utf8.RuneError), true
	case unicode.IsControl(r), r == '\uFEFF', r&0xFFFE == 0xFFFE, r >= 0xFDD0 && r <= 0xFDEF:
		return "", false
	case r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069:
		return fmt.Sprintf("U+%04X", r), false
	case r == '\u2028', r == '\u2029':
		return " ", false
	}
	return "", true
}

// cut takes ranges out of s; they ascend and do not overlap.
func (s *source) cut(ranges []span) {
	w := rewriter{track: true}
	from := 0
	for _, r := range append(ranges, span{len(s.text), len(s.text)}) {
		if r.start > from {
			w.keepTracked(s, from, r.start)
		}
		from = r.end
	}
	*s = source{w.out.String(), w.marks}
}

// keepTracked appends a part of s with all that is known of where it was.
func (w *rewriter) keepTracked(s *source, start, end int) {
	base := w.out.Len() - start
	w.mark(s.origin(start))
	first := sort.Search(len(s.marks), func(i int) bool { return s.marks[i].at > start })
	for _, m := range s.marks[first:] {
		if m.at >= end {
			break
		}
		w.marks = append(w.marks, mark{base + m.at, m.from})
	}
	w.out.WriteString(s.text[start:end])
}

// span is a range of offsets.
type span struct{ start, end int }
