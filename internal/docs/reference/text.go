package reference

import (
	"strings"
	"unicode"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/api"
)

// Text is a comment, in Markdown, without the marks and the indentation that
// make it a comment. Its lines end with \n, the last one without.
type Text string

// Clean takes the text out of a declaration's comments.
//
// A comment that starts with @exclude is none, as for protoc-gen-doc.
func Clean(c api.Comments) Text {
	leading, trailing := cleanOne(c.Leading), cleanOne(c.Trailing)
	if strings.HasPrefix(strings.TrimSpace(leading+trailing), "@exclude") {
		return ""
	}
	if leading != "" && trailing != "" {
		return Text(leading + "\n\n" + trailing)
	}
	return Text(leading + trailing)
}

// cleanOne takes the indentation that all lines share from each of them, so that
// lists and code keep theirs, and drops what cannot be printed.
func cleanOne(comment string) string {
	if comment == "" {
		return ""
	}
	comment = lineEnds.Replace(comment)
	comment = strings.Map(printable, comment)
	// The second star of /** is part of the comment's text for protoc, without
	// the space that a bullet has before it.
	comment = strings.TrimPrefix(comment, "*")
	lines := strings.Split(comment, "\n")
	indent := -1
	for i, line := range lines {
		lines[i] = strings.TrimRightFunc(line, unicode.IsSpace)
		if lines[i] == "" {
			continue
		}
		if n := len(lines[i]) - len(strings.TrimLeft(lines[i], " ")); indent < 0 || n < indent {
			indent = n
		}
	}
	for i, line := range lines {
		if line != "" {
			lines[i] = line[indent:]
		}
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}

var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// printable is r, or -1 for what a page must not contain.
func printable(r rune) rune {
	switch {
	case r == '\n', r == '\t', r >= ' ' && r < 0x7F:
		return r
	case unicode.IsControl(r), isBidiControl(r):
		return -1
	}
	return r
}

// isBidiControl tells the characters that make text read in another order than
// it is written.
func isBidiControl(r rune) bool {
	return r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069
}
