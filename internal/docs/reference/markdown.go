package reference

import (
	"bytes"
	"iter"
	"regexp"
	"strconv"
	"strings"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/api"
)

// Markdown is a page in GitHub flavoured Markdown. It is written by code and not
// by a template: pages of thousands of files are made from it, and a template
// takes several times as long.
func Markdown() Format { return markdown{} }

type markdown struct{}

// writer writes a part of a page.
type writer struct{ *bytes.Buffer }

// p writes its arguments and ends the line.
func (w writer) p(parts ...string) {
	for _, s := range parts {
		w.WriteString(s)
	}
	w.WriteByte('\n')
}

// Head writes the page's title.
func (markdown) Head(out *bytes.Buffer, p *Page) error {
	w := writer{out}
	w.p("# ", markdownHeading(p.Title))
	w.p()
	return nil
}

// Contents writes one entry of the table of contents.
func (markdown) Contents(out *bytes.Buffer, f *File) error {
	w := writer{out}
	w.p("- ", anchorLink(f.Name, f.Anchor))
	contents(w, "Services", f.Services, func(s *Service) string { return anchorLink(s.Name, s.Anchor) })
	contents(w, "Messages", f.Messages, func(m *Message) string { return anchorLink(m.LongName, m.Anchor) })
	contents(w, "Enums", f.Enums, func(e *Enum) string { return anchorLink(e.LongName, e.Anchor) })
	contents(w, "Extensions", f.Extensions, func(x *Field) string { return anchorLink(x.Name, x.Anchor) })
	return nil
}

func contents[E any](w writer, kind string, list []E, link func(E) string) {
	if len(list) == 0 {
		return
	}
	links := make([]string, len(list))
	for i, e := range list {
		links[i] = link(e)
	}
	w.p("  - ", kind, ": ", strings.Join(links, ", "))
}

func anchorLink(name, anchor string) string {
	return "[" + markdownHeading(name) + "](#" + anchor + ")"
}

// Body writes nothing: the files follow the table of contents.
func (markdown) Body(*bytes.Buffer, *Page) error { return nil }

// Foot writes nothing: a page ends with its last file.
func (markdown) Foot(*bytes.Buffer, *Page) error { return nil }

// File writes all that a file declares.
func (markdown) File(out *bytes.Buffer, f *File) error {
	w := writer{out}
	w.heading("## ", f.Anchor, f.Name)
	w.p()
	if f.Package != "" {
		w.WriteString("Package " + markdownCode(f.Package) + ", ")
	}
	w.p(f.Syntax)
	w.description(f.Entry)
	w.paragraph(markdownBlock(f.PackageDescription))
	for _, s := range f.Services {
		w.service(s)
	}
	for _, m := range f.Messages {
		w.message(m)
	}
	for _, e := range f.Enums {
		w.enum(e)
	}
	if len(f.Extensions) > 0 {
		w.p()
		w.p("### Extensions")
		w.extensions(f.Extensions)
	}
	return nil
}

// heading writes a heading below its anchor, which a change of the heading's
// words does not touch.
func (w writer) heading(level, anchor, text string) {
	w.p()
	w.p(`<a id="`, anchor, `"></a>`)
	w.p()
	w.p(level, markdownHeading(text))
}

func (w writer) paragraph(text string) {
	if text != "" {
		w.p()
		w.p(text)
	}
}

func (w writer) description(e Entry) {
	if e.Deprecated {
		w.paragraph("**Deprecated.**")
	}
	w.paragraph(markdownBlock(e.Description))
	if e.SourceURL != "" {
		w.paragraph("[Source](" + e.SourceURL + ")")
	}
	if len(e.Options) > 0 {
		w.paragraph("Options: " + strings.Join(optionCodes(e), ", ") + ".")
	}
}

func optionCodes(e Entry) []string {
	codes := make([]string, len(e.Options))
	for i, o := range e.Options {
		codes[i] = markdownCode(o.String())
	}
	return codes
}

func (w writer) service(s *Service) {
	w.heading("### ", s.Anchor, "Service "+s.Name)
	w.description(s.Entry)
	if len(s.Methods) == 0 {
		return
	}
	w.p()
	w.p("| RPC | Request | Response | Description |")
	w.p("| --- | ------- | -------- | ----------- |")
	for _, m := range s.Methods {
		w.p("| ", named(m.Entry), " | ", streamed(m.StreamsRequest), markdownType(m.Request),
			" | ", streamed(m.StreamsBack), markdownType(m.Response), " | ", rpcCell(m), " |")
	}
}

// named is a name in the first cell of a row, with the row's anchor.
func named(e Entry) string {
	return `<a id="` + e.Anchor + `"></a>` + markdownCode(e.Name)
}

func streamed(yes bool) string {
	if yes {
		return "stream "
	}
	return ""
}

func rpcCell(m *Method) string {
	var lines []string
	if text := described(m.Entry); text != "" {
		lines = append(lines, text)
	}
	for _, r := range m.Routes {
		line := markdownCode(r.Verb + " " + r.Path)
		if r.Body != "" {
			line += ", body " + markdownCode(r.Body)
		}
		lines = append(lines, line)
	}
	if m.Idempotency != "" {
		lines = append(lines, markdownCode(m.Idempotency))
	}
	lines = append(lines, optionCodes(m.Entry)...)
	return strings.Join(lines, "<br>")
}

// valueCell is what an enum's table says of a value.
func valueCell(v *Value) string {
	parts := optionCodes(v.Entry)
	if text := described(v.Entry); text != "" {
		parts = append([]string{text}, parts...)
	}
	for _, s := range v.Suggestions {
		line := "→ " + markdownLink(s.Code)
		if s.Action != "" {
			line += ": " + markdownCell(Text(s.Action))
		}
		if s.When != "" {
			line += " (" + markdownCell(Text(s.When)) + ")"
		}
		parts = append(parts, line)
	}
	return strings.Join(parts, "<br>")
}

// described is a declaration's description in a cell.
func described(e Entry) string {
	text := markdownCell(e.Description)
	switch {
	case !e.Deprecated:
		return text
	case text == "":
		return "**Deprecated.**"
	}
	return "**Deprecated.** " + text
}

func (w writer) message(m *Message) {
	w.heading("### ", m.Anchor, m.LongName)
	w.description(m.Entry)
	if len(m.Fields) > 0 {
		w.p()
		w.p("| Field | Number | Type | Description |")
		w.p("| ----- | -----: | ---- | ----------- |")
		for _, f := range m.Fields {
			w.p("| ", named(f.Entry), " | ", number(f.Number), " | ", markdownType(f.Type), " | ", fieldCell(f), " |")
		}
	}
	for _, o := range m.Oneofs {
		w.oneof(o)
	}
	w.reserved(m.Reserved)
	if len(m.ExtensionRanges) > 0 {
		w.paragraph("Left to extensions: " + strings.Join(m.ExtensionRanges, ", ") + ".")
	}
	if len(m.Extensions) > 0 {
		w.paragraph("Extensions declared here:")
		w.extensions(m.Extensions)
	}
	w.usedBy(m.UsedBy)
}

// oneof says what the fields' notes do not: the oneof's own comment and options.
func (w writer) oneof(o *Oneof) {
	parts := optionCodes(o.Entry)
	if o.Description != "" {
		parts = append([]string{markdownCell(o.Description)}, parts...)
	}
	if len(parts) > 0 {
		w.paragraph("Of the fields of " + markdownCode(o.Name) + " at most one is set. " + strings.Join(parts, " "))
	}
}

func number(n int32) string { return strconv.Itoa(int(n)) }

func (w writer) extensions(list []*Field) {
	w.p()
	w.p("| Extension | Number | Extends | Type | Description |")
	w.p("| --------- | -----: | ------- | ---- | ----------- |")
	for _, x := range list {
		w.p("| ", named(x.Entry), " | ", number(x.Number), " | ", markdownLink(*x.Extends), " | ", markdownType(x.Type), " | ", fieldCell(x), " |")
	}
}

func (w writer) enum(e *Enum) {
	w.heading("### ", e.Anchor, e.LongName)
	w.description(e.Entry)
	for _, s := range e.Sections {
		if s.Title != "" {
			w.paragraph("**" + markdownCell(s.Title) + "**")
		}
		w.values(e, s.Values)
	}
	w.reserved(e.Reserved)
	w.usedBy(e.UsedBy)
}

// values writes a table of values; one of codes also has their phases and
// classes, where these are known.
func (w writer) values(e *Enum, values []*Value) {
	head, line := "| Value | Number |", "| ----- | -----: |"
	if e.HasPhases {
		head, line = head+" Phase |", line+" ----- |"
	}
	if e.HasClasses {
		head, line = head+" Class |", line+" ----- |"
	}
	w.p()
	w.p(head, " Description |")
	w.p(line, " ----------- |")
	for _, v := range values {
		groups := ""
		if e.HasPhases {
			groups += markdownCell(Text(v.Phase)) + " | "
		}
		if e.HasClasses {
			groups += markdownCell(Text(v.Class)) + " | "
		}
		w.p("| ", named(v.Entry), " | ", number(v.Number), " | ", groups, valueCell(v), " |")
	}
}

func (w writer) reserved(list []string) {
	if len(list) > 0 {
		w.paragraph("Reserved: " + strings.Join(list, ", ") + ".")
	}
}

func (w writer) usedBy(list []Type) {
	if len(list) == 0 {
		return
	}
	links := make([]string, len(list))
	for i, t := range list {
		links[i] = markdownLink(t)
	}
	w.paragraph("Used by " + strings.Join(links, ", ") + ".")
}

// markdownBlock prints a comment between paragraphs: as its author wrote it, but
// for headings, which would break the page's outline, and for tags.
func markdownBlock(t Text) string {
	var out strings.Builder
	for p := range passages(t) {
		if out.Len() > 0 {
			out.WriteByte('\n')
		}
		out.WriteString(p.fence)
		out.WriteString(strings.Join(p.lines, "\n"))
		if p.fence != "" {
			out.WriteString("\n" + fenceOf(p.fence))
		}
	}
	return out.String()
}

// passage is a part of a comment: lines of text, ready to be printed; lines of
// code; or a single blank line.
type passage struct {
	lines []string
	code  bool
	fence string // the line that opens a block of code, with its end
}

// passages cuts a comment up. Text is escaped as a whole, because a code span
// can go over the end of a line.
func passages(t Text) iter.Seq[passage] {
	return func(yield func(passage) bool) {
		lines := strings.Split(string(t), "\n")
		for i := 0; i < len(lines); {
			p, n := nextPassage(lines[i:], i == 0 || lines[i-1] == "")
			if !yield(p) {
				return
			}
			i += n
		}
	}
}

// nextPassage takes the passage that lines begin with, and returns how many of
// them it takes. Only after a blank line is indentation code.
func nextPassage(lines []string, afterBlank bool) (passage, int) {
	first := lines[0]
	switch {
	case first == "":
		return passage{lines: []string{""}}, 1
	case fenceOf(first) != "":
		for i, line := range lines[1:] {
			if mark := fenceOf(line); mark != "" && strings.HasPrefix(mark, fenceOf(first)) && strings.Trim(line, " `~") == "" {
				return passage{lines: lines[1 : i+1], code: true, fence: first + "\n"}, i + 2
			}
		}
		return passage{lines: lines[1:], code: true, fence: first + "\n"}, len(lines)
	case afterBlank && strings.HasPrefix(first, "    "):
		n := 1
		for n < len(lines) && strings.HasPrefix(lines[n], "    ") {
			n++
		}
		return passage{lines: lines[:n], code: true}, n
	}
	n := 1
	for n < len(lines) && lines[n] != "" && fenceOf(lines[n]) == "" {
		n++
	}
	text := make([]string, n)
	for i, line := range lines[:n] {
		text[i] = demoteHeading(line, i > 0)
	}
	return passage{lines: strings.Split(escapeTags(strings.Join(text, "\n")), "\n")}, n
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

// underline is what makes a heading of the line above it.
var underline = regexp.MustCompile(`^ {0,3}(=+|-+)[ \t]*$`)

// demoteHeading makes a heading a bold line, and the underline of one text.
func demoteHeading(line string, belowText bool) string {
	if m := headingLine.FindStringSubmatch(line); m != nil {
		return "**" + m[1] + "**"
	}
	if belowText && underline.MatchString(line) {
		return `\` + strings.TrimLeft(line, " ")
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
		blank := true
		for p := range passages(t) {
			if len(p.lines) == 1 && p.lines[0] == "" {
				blank = true
				continue
			}
			for _, line := range p.lines {
				text := strings.TrimSpace(line)
				if text == "" {
					continue
				}
				piece := cellPiece{before: " ", text: text}
				switch {
				case blank || p.fence != "" && line == p.lines[0]:
					piece.before = "<br><br>"
				case p.code || listItem.MatchString(line):
					piece.before = "<br>"
				}
				if p.code {
					piece.text = markdownTicks(text)
				}
				blank = false
				if !yield(piece) {
					return
				}
			}
			blank = p.code
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

// fieldCell is a field's description, after what the comment does not say: what
// the field belongs to, what it is unless set, what else it is called.
func fieldCell(f *Field) string {
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
	if f.IsGroup {
		notes = append(notes, "Encoded as a group.")
	}
	for _, o := range f.Options {
		notes = append(notes, markdownCode(o.String())+".")
	}
	if f.Description != "" {
		notes = append(notes, markdownCell(f.Description))
	}
	return strings.Join(notes, " ")
}

// markdownHeading escapes what Markdown would read in a name.
func markdownHeading(name string) string {
	return headingMarks.Replace(name)
}

var headingMarks = strings.NewReplacer("_", `\_`, "*", `\*`, "<", "&lt;")
