package markdown

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/comment"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/content"
)

// kindsAnchor is the anchor of a table of kinds.
func kindsAnchor(e *content.Events) string { return e.Anchor + "-kinds" }

// events writes what kinds of events a message tells apart.
func (w *writer) events(e *content.Events) {
	w.heading(typeLevel, kindsAnchor(e), comment.Text("Kinds of "+e.Name))
	kinds := newTable(column{title: "Kind"}, column{title: "Number", right: true},
		column{title: "Payload", optional: true}, column{title: "Description", optional: true})
	for _, k := range e.Kinds {
		payload, statuses := "", ""
		if k.Payload != nil {
			payload = w.typeText(*k.Payload, w.cell)
		}
		if len(k.Statuses) > 0 {
			statuses = "Statuses: " + list(k.Statuses, func(s string) string { return w.span(s, "", w.cell) }) + "."
		}
		text := w.notes(join(w.deprecated(k.Entry, w.cell), w.cell(k.Description.Summary())), statuses)
		kinds.add(w.span(k.Name, w.memberLink(k.Link), w.cell), number(k.Number), payload, text)
	}
	w.table(kinds)
}

// memberLink leads to a row of a table; nowhere where rows have no anchors.
func (w *writer) memberLink(link string) string {
	if !w.tags() {
		return ""
	}
	return link
}

func number(n int32) string { return strconv.Itoa(int(n)) }

// join joins pieces of a cell; empty ones are left out. A comment that does not
// end as a sentence does gets its full stop before the next piece.
func join(pieces ...string) string {
	var out strings.Builder
	last := ""
	for _, p := range pieces {
		if p == "" {
			continue
		}
		if last != "" {
			if endsOpen(last) {
				out.WriteByte('.')
			}
			out.WriteByte(' ')
		}
		out.WriteString(p)
		last = p
	}
	return out.String()
}

// endsOpen tells text whose last character is that of a word.
func endsOpen(text string) bool {
	r, _ := utf8.DecodeLastRuneInString(text)
	return unicode.IsLetter(r) || unicode.IsDigit(r) || r == ')' || r == '`'
}

// notes puts what a comment does not say below it.
func (w *writer) notes(comment string, notes ...string) string {
	text := join(notes...)
	switch {
	case comment == "" || text == "":
		return comment + text
	case !w.tags() || strings.HasPrefix(text, "<"):
		return join(comment, text)
	case strings.HasSuffix(comment, ">"):
		return comment + text // behind a list or code
	}
	return comment + w.lineBreak() + text
}

// lineBreak is what ends a line in a cell.
func (w *writer) lineBreak() string {
	if w.flavor == comment.MDX {
		return "<br />"
	}
	return "<br>"
}

func (w *writer) message(m *content.Message) {
	w.heading(typeLevel, m.Anchor, comment.Text(m.LongName))
	w.said(m.Entry, typeLevel)
	w.facts(m.Entry)
	w.fields(m)
	w.gone(m.FullName)
	if len(m.Reserved) > 0 {
		w.paragraph("Reserved: " + list(m.Reserved, w.name) + ".")
	}
	w.ranges(m)
	if len(m.Extensions) > 0 {
		w.paragraph("Extensions that are declared here:")
		w.extensions(m.Extensions)
	}
	w.footer(m.Entry, m.UsedBy)
	if m.Example != "" && m.Example != "{}" {
		w.details("Example", func() { w.code("json", m.Example) })
	}
}

// ranges writes which numbers are left to extensions, and to which.
func (w *writer) ranges(m *content.Message) {
	if len(m.ExtensionRanges) > 0 {
		w.paragraph("Left to extensions: " + list(m.ExtensionRanges, w.name) + ".")
	}
	for _, r := range m.Ranges {
		if text := w.optionsText(r.Properties, r.Options, w.line); text != "" {
			w.paragraph("Of " + w.name(r.Numbers) + ": " + strings.ToLower(text[:1]) + text[1:])
		}
		if len(r.Declarations) == 0 {
			continue
		}
		w.paragraph("Numbers that are taken:")
		rows := newTable(column{title: "Number", right: true}, column{title: "Extension"},
			column{title: "Type", optional: true})
		for _, d := range r.Declarations {
			name, kind := w.span(d.Name, "", w.cell), w.typeText(d.Type, w.cell)
			if d.Reserved {
				name = join(name, "reserved")
			}
			rows.add(number(d.Number), name, kind)
		}
		w.table(rows)
	}
}

// maxUses is how many uses of a type show before a reader asks for them.
const maxUses = 12

// footer writes who uses a type, and where it is declared.
func (w *writer) footer(e content.Entry, uses []content.Type) {
	source := strings.TrimSpace(w.source(e))
	links := each(uses, func(t content.Type) string { return w.typeText(t, w.line) })
	switch {
	case len(uses) == 0:
		w.paragraph(source)
	case len(uses) <= maxUses:
		w.paragraph(strings.TrimSpace("Used by " + strings.Join(links, ", ") + ". " + source))
	default:
		w.paragraph(source)
		w.details("Used in "+strconv.Itoa(len(uses))+" places", func() { w.paragraph(lines(links)) })
	}
}

// fields writes the fields as a table, and below it what the table has no room
// for: the rest of long comments.
func (w *writer) fields(m *content.Message) {
	if len(m.Fields) == 0 {
		w.paragraph("It has no fields.")
		return
	}
	rows := newTable(column{title: "Field"}, column{title: "Number", right: true}, column{title: "Type"},
		column{title: "Description", optional: true})
	var long []content.Entry
	var group *content.Oneof // that of the field before
	for _, f := range m.Fields {
		mark := ""
		if o := f.Oneof; o != nil {
			mark = "↳ "
			if o != group {
				rows.add("one of "+w.named(o.Entry), "", "", w.oneofCell(o))
				long = append(long, o.Entry)
			}
		}
		group = f.Oneof
		rows.add(mark+w.named(f.Entry), number(f.Number), presence(f)+w.typeText(f.Type, w.cell), w.fieldCell(f))
		long = append(long, f.Entry)
	}
	w.table(rows)
	for _, e := range long {
		w.rest(e)
	}
}

// named is a name in the first cell of a row, with the row's anchor.
func (w *writer) named(e content.Entry) string {
	return w.anchorAt(e.Anchor) + w.span(e.Name, "", w.cell)
}

// oneofCell says what the fields of a oneof have in common.
func (w *writer) oneofCell(o *content.Oneof) string {
	how := "At most one of these is set."
	e := o.Entry
	if o.Required {
		how = "Exactly one of these is set."
		e.Rules = nil // that is what they say
	}
	return w.description(e, how)
}

// moreAnchor is the anchor of the part of a comment that stands below a table.
func moreAnchor(e content.Entry) string { return e.Anchor + "-more" }

// rest writes the part of a long comment that its row has no room for.
func (w *writer) rest(e content.Entry) { w.restAt(e, typeLevel) }

// restAt is rest below a heading of another level.
func (w *writer) restAt(e content.Entry, level int) {
	_, rest := e.Description.SplitLead()
	if rest.Empty() {
		return
	}
	w.paragraph(w.anchorAt(moreAnchor(e)) + "More about " + w.name(e.Name) + ":")
	w.comment(rest, level)
}

// moreText leads to the rest of a long comment.
func (w *writer) moreText(e content.Entry) string {
	if !w.tags() {
		return "More below."
	}
	return "[More below.](#" + moreAnchor(e) + ")"
}

// presence says how a field that is not set shows, as a .proto file does, where
// that is not what a reader expects of its type.
func presence(f *content.Field) string {
	switch {
	case f.Presence == content.Required:
		return "required "
	case f.Presence == content.Optional && f.Oneof == nil && !f.IsMessage && f.Extends == nil:
		return "optional "
	}
	return ""
}

// description is the cell of a declaration: what has become of it, the start of
// its comment, and then what the comment does not say.
func (w *writer) description(e content.Entry, notes ...string) string {
	lead, rest := e.Description.SplitLead()
	more := ""
	if !rest.Empty() {
		more = w.moreText(e)
	}
	for _, r := range e.Rules {
		notes = append(notes, content.Capital(w.ruleText(r, w.cell, w.cell))+".")
	}
	notes = append(notes, w.optionsText(e.Properties, e.Options, w.cell))
	return w.notes(join(w.changeText(e), w.deprecated(e, w.cell), w.cell(lead), more), notes...)
}

func (w *writer) fieldCell(f *content.Field) string {
	var notes []string
	if f.Default != "" {
		notes = append(notes, "Default: "+w.span(f.Default, "", w.cell)+".")
	}
	if f.JSONName != "" {
		notes = append(notes, "In JSON: "+w.span(f.JSONName, "", w.cell)+".")
	}
	if f.IsGroup {
		notes = append(notes, "Encoded as a group.")
	}
	return w.description(f.Entry, notes...)
}

func (w *writer) extensions(list []*content.Field) {
	rows := newTable(column{title: "Extension"}, column{title: "Number", right: true}, column{title: "Extends"},
		column{title: "Type"}, column{title: "Description", optional: true})
	for _, x := range list {
		extends := ""
		if x.Extends != nil {
			extends = w.typeText(*x.Extends, w.cell)
		}
		rows.add(w.named(x.Entry), number(x.Number), extends, presence(x)+w.typeText(x.Type, w.cell), w.fieldCell(x))
	}
	w.table(rows)
	for _, x := range list {
		w.rest(x.Entry)
	}
}
