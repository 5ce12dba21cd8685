package reference

import (
	"bytes"
	"fmt"
	"io"
	"iter"
	"regexp"
	"strings"
	"sync"
	"text/template"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/api"
	"github.com/skaffoldgen/protoc-gen-skaffold/templates"
)

// markdown is parsed when it is first used: a run needs one format only.
var markdown = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("markdown.md.tmpl").Funcs(template.FuncMap{
		"comment":  markdownBlock,
		"cell":     markdownCell,
		"type":     markdownType,
		"link":     markdownLink,
		"code":     markdownCode,
		"notes":    markdownNotes,
		"heading":  markdownHeading,
		"comma":    func(list []string) string { return strings.Join(list, ", ") },
		"presence": func(f *Field) string { return presenceNote(f) },
	}).Parse(templates.Markdown))
})

// Markdown renders a page in GitHub flavoured Markdown.
func Markdown(p *Page) ([][]byte, error) {
	return renderParts(markdown(), p)
}

// executor is a parsed template of text/template or html/template.
type executor interface {
	ExecuteTemplate(w io.Writer, name string, data any) error
}

// renderParts renders the head of a page, each of its files in parallel, and its
// end: the templates "head", "file" and "foot".
func renderParts(t executor, p *Page) ([][]byte, error) {
	out := make([][]byte, len(p.Files)+2)
	err := api.Parallel(len(out), func(i int) error {
		var b bytes.Buffer
		var err error
		switch i {
		case 0:
			err = t.ExecuteTemplate(&b, "head", p)
		case len(out) - 1:
			err = t.ExecuteTemplate(&b, "foot", p)
		default:
			err = t.ExecuteTemplate(&b, "file", p.Files[i-1])
		}
		out[i] = b.Bytes()
		return err
	})
	return out, err
}

// markdownBlock prints a comment between paragraphs: as its author wrote it, but
// for headings, which would break the page's outline, and for tags.
func markdownBlock(t Text) string {
	var out strings.Builder
	fence, blank := "", true
	for i, line := range strings.Split(string(t), "\n") {
		if i > 0 {
			out.WriteByte('\n')
		}
		if mark := fenceOf(line); mark != "" && (fence == "" || strings.HasPrefix(mark, fence)) {
			if fence == "" {
				fence = mark
			} else {
				fence = ""
			}
			out.WriteString(line)
			continue
		}
		if fence != "" || blank && strings.HasPrefix(line, "    ") {
			out.WriteString(line) // code; it goes on as long as its lines are indented
			continue
		}
		blank = line == ""
		out.WriteString(escapeTags(demoteHeading(line)))
	}
	if fence != "" {
		out.WriteString("\n" + fence)
	}
	return out.String()
}

// fenceOf is the mark of a code fence that a line starts or ends; empty if none.
func fenceOf(line string) string {
	text := strings.TrimLeft(line, " ")
	for _, c := range []string{"`", "~"} {
		if n := len(text) - len(strings.TrimLeft(text, c)); n >= 3 {
			return strings.Repeat(c, n)
		}
	}
	return ""
}

var headingLine = regexp.MustCompile(`^ {0,3}#{1,6}[ \t]+(.*?)[ \t]*#*$`)

func demoteHeading(line string) string {
	if m := headingLine.FindStringSubmatch(line); m != nil {
		return "**" + m[1] + "**"
	}
	return line
}

// tagStart is what a reader of Markdown takes for HTML, or for an address.
var (
	tagStart = regexp.MustCompile(`^</?[A-Za-z!?][^>]*>?`)
	safeTag  = regexp.MustCompile(`^<br ?/?>`)
	autolink = regexp.MustCompile(`^<(https?://|mailto:)[^ <>]*>`)
)

// escapeTags makes tags text, but for line breaks and links. Code spans are not
// touched: a tag in one is text already.
func escapeTags(line string) string {
	var out strings.Builder
	for i := 0; i < len(line); {
		switch rest := line[i:]; {
		case rest[0] == '`':
			n := codeSpan(rest)
			out.WriteString(rest[:n])
			i += n
		case rest[0] == '\\' && len(rest) > 1:
			out.WriteString(rest[:2])
			i += 2
		case rest[0] == '<' && !safeTag.MatchString(rest) && !autolink.MatchString(rest) && tagStart.MatchString(rest):
			out.WriteString("&lt;")
			i++
		default:
			out.WriteByte(rest[0])
			i++
		}
	}
	return out.String()
}

// codeSpan is the length of the code span that text starts with, or of its run
// of backticks if nothing ends it.
func codeSpan(text string) int {
	run := len(text) - len(strings.TrimLeft(text, "`"))
	for i := run; i < len(text); {
		j := strings.IndexByte(text[i:], '`')
		if j < 0 {
			break
		}
		i += j
		n := len(text[i:]) - len(strings.TrimLeft(text[i:], "`"))
		i += n
		if n == run {
			return i
		}
	}
	return run
}

var listItem = regexp.MustCompile(`^ {0,3}([-*+]|\d{1,9}[.)]) `)

// markdownCell prints a comment in a table cell: on one line, with breaks for
// the ends of paragraphs, list items and lines of code, and with no bar that
// would end the cell.
func markdownCell(t Text) string {
	var out strings.Builder
	for piece := range cellPieces(t) {
		if out.Len() > 0 {
			if strings.HasSuffix(out.String(), "<br>") {
				piece.before = " " // the author has broken the line
			}
			out.WriteString(piece.before)
		}
		out.WriteString(piece.text)
	}
	return strings.ReplaceAll(out.String(), "|", `\|`)
}

// cellPiece is a line of a comment, and what separates it from the line before.
type cellPiece struct{ before, text string }

func cellPieces(t Text) iter.Seq[cellPiece] {
	return func(yield func(cellPiece) bool) {
		blank, fenced := true, false
		for line := range strings.SplitSeq(string(t), "\n") {
			text := strings.TrimSpace(line)
			if fenceOf(line) != "" {
				fenced = !fenced
				text = ""
			}
			if text == "" {
				blank = true
				continue
			}
			piece := cellPiece{before: " "}
			code := fenced || blank && strings.HasPrefix(line, "    ")
			switch {
			case blank:
				piece.before = "<br><br>"
			case code || listItem.MatchString(line):
				piece.before = "<br>"
			}
			if code {
				piece.text = markdownTicks(text)
			} else {
				piece.text = escapeTags(demoteHeading(text))
				blank = false
			}
			if !yield(piece) {
				return
			}
		}
	}
}

// markdownCode puts text into a code span that can stand in a table.
func markdownCode(text string) string {
	return strings.ReplaceAll(markdownTicks(text), "|", `\|`)
}

// markdownTicks puts text into a code span, whatever it contains.
func markdownTicks(text string) string {
	longest := 0
	for rest := text; ; {
		i := strings.IndexByte(rest, '`')
		if i < 0 {
			break
		}
		n := len(rest[i:]) - len(strings.TrimLeft(rest[i:], "`"))
		longest = max(longest, n)
		rest = rest[i+n:]
	}
	ticks := strings.Repeat("`", longest+1)
	if longest > 0 {
		text = " " + text + " "
	}
	return ticks + text + ticks
}

func markdownLink(t Type) string {
	if t.Link == "" {
		return markdownCode(t.Name)
	}
	return "[" + markdownCode(t.Name) + "](" + t.Link + ")"
}

// markdownType prints a field's type, with links for the parts of a map.
func markdownType(t Type) string {
	if t.Key != nil {
		return "map&lt;" + markdownLink(*t.Key) + ", " + markdownLink(*t.Value) + "&gt;"
	}
	if t.Repeated {
		return "repeated " + markdownLink(t)
	}
	return markdownLink(t)
}

func presenceNote(f *Field) string {
	switch {
	case f.Presence == api.PresenceRequired:
		return "required"
	case f.Presence == api.PresenceExplicit && f.Oneof == "" && !f.IsMessage:
		return "optional"
	}
	return ""
}

// markdownNotes says what a field's description does not: what it belongs to,
// what it is unless set, what else it is called.
func markdownNotes(f *Field) string {
	var notes []string
	if f.Deprecated {
		notes = append(notes, "**Deprecated.**")
	}
	if p := presenceNote(f); p != "" {
		notes = append(notes, "*"+p+"*")
	}
	if f.Oneof != "" {
		notes = append(notes, "One of "+markdownCode(f.Oneof)+".")
	}
	if f.Default != "" {
		notes = append(notes, "Default: "+markdownCode(f.Default)+".")
	}
	if f.JSONName != "" {
		notes = append(notes, "In JSON: "+markdownCode(f.JSONName)+".")
	}
	for _, o := range f.Options {
		notes = append(notes, markdownCode(fmt.Sprintf("(%s) = %v", o.Name, o.Value))+".")
	}
	return strings.Join(notes, " ")
}

// markdownHeading escapes what Markdown would read in a name.
func markdownHeading(name string) string {
	return strings.NewReplacer("_", `\_`, "*", `\*`, "<", "&lt;").Replace(name)
}
