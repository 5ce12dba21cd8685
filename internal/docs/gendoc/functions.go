package gendoc

import (
	"html/template"
	"strings"
)

// functions are protoc-gen-doc's own template functions.
var functions = map[string]any{
	"p":      paragraphs,
	"para":   docbookParagraphs,
	"nobr":   noBreaks,
	"anchor": anchor,
}

// paragraphs makes an HTML paragraph of each line.
func paragraphs(text string) template.HTML {
	return template.HTML(wrapLines(text, "<p>", "</p>"))
}

// docbookParagraphs makes a DocBook paragraph of each line.
func docbookParagraphs(text string) string {
	return wrapLines(text, "<para>", "</para>")
}

// wrapLines splits text at each \n, \r or \r\n with the white space after it
// and puts each part between start and end.
func wrapLines(text, start, end string) string {
	var out strings.Builder
	out.WriteString(start)
	for {
		i := strings.IndexAny(text, "\r\n")
		if i < 0 {
			out.WriteString(text)
			out.WriteString(end)
			return out.String()
		}
		out.WriteString(text[:i])
		out.WriteString(end)
		out.WriteString(start)
		text = strings.TrimLeft(text[i+1:], regexpSpace)
	}
}

// regexpSpace is what \s matches in a Go regular expression.
const regexpSpace = "\t\n\f\r "

// noBreaks joins the lines of each paragraph with single spaces; a blank line
// between two paragraphs stays.
func noBreaks(text string) string {
	if !strings.ContainsAny(text, "\r\n") && !strings.Contains(text, "  ") {
		return text
	}
	text = strings.ReplaceAll(text, "\r\n", "\n")
	var out strings.Builder
	out.Grow(len(text))
	for {
		paragraph, rest, found := cutParagraph(text)
		writeJoined(&out, paragraph)
		if !found {
			return out.String()
		}
		out.WriteString("\n\n")
		text = rest
	}
}

// cutParagraph cuts text around the first run of two or more line breaks.
func cutParagraph(text string) (before, after string, found bool) {
	for start := 0; ; {
		i := strings.IndexAny(text[start:], "\r\n")
		if i < 0 {
			return text, "", false
		}
		i += start
		end := i
		for end < len(text) && (text[end] == '\r' || text[end] == '\n') {
			end++
		}
		if end-i >= 2 {
			return text[:i], text[end:], true
		}
		start = end
	}
}

// writeJoined writes text with its line breaks as spaces and each run of spaces
// as one.
func writeJoined(out *strings.Builder, text string) {
	space := false
	for i := range len(text) {
		switch c := text[i]; c {
		case ' ', '\r', '\n':
			if !space {
				out.WriteByte(' ')
			}
			space = true
		default:
			out.WriteByte(c)
			space = false
		}
	}
}

// anchor makes a name fit for the anchor of a link: a slash becomes an
// underscore, every other character but letters, digits, _ and - a dash.
func anchor(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '/':
			return '_'
		case r == '_', r == '-', r >= '0' && r <= '9', r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z':
			return r
		}
		return '-'
	}, text)
}
