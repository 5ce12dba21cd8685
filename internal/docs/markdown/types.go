package markdown

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/comment"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/content"
)

// events writes what kinds of events a message tells apart.
func (w *writer) events(e *content.Events) {
	w.heading(typeLevel, e.Anchor+"-kinds", comment.Text("Events of "+e.Name))
	kinds := newTable(column{"Kind", false}, column{"Number", true}, column{"Payload", false}, column{"Description", false})
	for _, k := range e.Kinds {
		payload := ""
		if k.Payload != nil {
			payload = typeText(*k.Payload, w.cell)
		}
		text := join(w.deprecated(k.Entry, w.cell), w.cell(k.Description.Summary()))
		if len(k.Statuses) > 0 {
			text = join(text, "Statuses: "+list(k.Statuses, func(s string) string { return w.cell(comment.Code(s, "")) })+".")
		}
		kinds.add(w.cell(comment.Code(k.Name, w.memberLink(k.Entry))), number(k.Number), payload, text)
	}
	w.table(kinds)
}

// memberLink leads to a row of a table; nowhere where rows have no anchors.
func (w *writer) memberLink(e content.Entry) string {
	if !w.tags() {
		return ""
	}
	return "#" + e.Anchor
}

func number(n int32) string { return strconv.Itoa(int(n)) }

// join joins pieces of a cell; empty ones are left out. A comment that does not
// end as a sentence does gets its full stop before the next piece.
func join(pieces ...string) string {
	var out strings.Builder
	for _, p := range pieces {
		if p == "" {
			continue
		}
		if out.Len() > 0 {
			if endsOpen(out.String()) {
				out.WriteByte('.')
			}
			out.WriteByte(' ')
		}
		out.WriteString(p)
	}
	return out.String()
}

// endsOpen tells text whose last character is that of a word.
func endsOpen(text string) bool {
	r, _ := utf8.DecodeLastRuneInString(text)
	return unicode.IsLetter(r) || unicode.IsDigit(r) || r == ')' || r == '`'
}

func (w *writer) message(m *content.Message) {
	w.heading(typeLevel, m.Anchor, comment.Text(m.LongName))
	w.sourceLine(m.Entry)
	w.described(m.Entry, typeLevel)
	w.fields(m)
	if len(m.Reserved) > 0 {
		w.paragraph("Reserved: " + strings.Join(m.Reserved, ", ") + ".")
	}
	if len(m.ExtensionRanges) > 0 {
		w.paragraph("Left to extensions: " + strings.Join(m.ExtensionRanges, ", ") + ".")
	}
	if len(m.Extensions) > 0 {
		w.paragraph("Extensions declared here:")
		w.extensions(m.Extensions)
	}
	w.usedBy(m.UsedBy)
	if m.Example != "{}" {
		w.details("Example", "json", m.Example)
	}
}

func (w *writer) sourceLine(e content.Entry) { w.paragraph(strings.TrimSpace(w.source(e))) }

// fields writes the fields as a table, and below it what the table has no room
// for: the oneofs, and the rest of long comments.
func (w *writer) fields(m *content.Message) {
	rows := newTable(column{"Field", false}, column{"Number", true}, column{"Type", false}, column{"Description", false})
	for _, f := range m.Fields {
		rows.add(w.named(f.Entry), number(f.Number), typeText(f.Type, w.cell), w.fieldCell(f))
	}
	w.table(rows)
	for _, o := range m.Oneofs {
		w.oneof(o)
	}
	for _, f := range m.Fields {
		w.rest(f.Entry)
	}
}

// named is a name in the first cell of a row, with the row's anchor.
func (w *writer) named(e content.Entry) string {
	name := w.cell(comment.Code(e.Name, ""))
	if w.tags() {
		return anchorTag(e.Anchor) + name
	}
	return name
}

// oneof writes what its fields have in common.
func (w *writer) oneof(o *content.Oneof) {
	how := "At most one"
	if o.Required {
		how = "Exactly one"
	}
	names := list(o.Fields, func(f *content.Field) string { return w.name(f.Name) })
	anchor := ""
	if w.tags() {
		anchor = anchorTag(o.Anchor)
	}
	w.paragraph(anchor + how + " of the oneof " + w.name(o.Name) + " is set: " + names + ".")
	w.described(withoutRequired(o), typeLevel)
}

// withoutRequired is a oneof's entry without the rule that has been said.
func withoutRequired(o *content.Oneof) content.Entry {
	e := o.Entry
	if o.Required {
		e.Rules = nil
	}
	return e
}

// rest writes the part of a long comment that its row has no room for.
func (w *writer) rest(e content.Entry) {
	_, rest := e.Description.SplitLead()
	if rest.Empty() {
		return
	}
	w.paragraph(w.name(e.Name) + ":")
	w.comment(rest, typeLevel)
}

// presence says how a field that is not set shows, where that is not what a
// reader expects of its type.
func presence(f *content.Field) string {
	switch {
	case f.Presence == content.Required:
		return "_required_"
	case f.Presence == content.Optional && f.Oneof == nil && !f.IsMessage && f.Extends == nil:
		return "_optional_"
	}
	return ""
}

// fieldCell is a field's description, after what the comment does not say.
func (w *writer) fieldCell(f *content.Field) string {
	lead, rest := f.Description.SplitLead()
	notes := []string{w.changeText(f.Entry), w.deprecated(f.Entry, w.cell), presence(f)}
	if f.Oneof != nil {
		notes = append(notes, "One of "+w.cell(comment.Code(f.Oneof.Name, ""))+".")
	}
	notes = append(notes, w.cell(lead))
	for _, r := range f.Rules {
		notes = append(notes, capital(w.ruleText(r, w.cell))+".")
	}
	if f.Default != "" {
		notes = append(notes, "Default: "+w.cell(comment.Code(f.Default, ""))+".")
	}
	if f.JSONName != "" {
		notes = append(notes, "In JSON: "+w.cell(comment.Code(f.JSONName, ""))+".")
	}
	if f.IsGroup {
		notes = append(notes, "Encoded as a group.")
	}
	if options := w.optionTexts(f.Entry, w.cell); len(options) > 0 {
		notes = append(notes, "Options: "+strings.Join(options, ", ")+".")
	}
	if !rest.Empty() {
		notes = append(notes, "More below.")
	}
	return join(notes...)
}

func (w *writer) extensions(list []*content.Field) {
	rows := newTable(column{"Extension", false}, column{"Number", true}, column{"Extends", false}, column{"Type", false}, column{"Description", false})
	for _, x := range list {
		rows.add(w.named(x.Entry), number(x.Number), typeText(*x.Extends, w.cell), typeText(x.Type, w.cell), w.fieldCell(x))
	}
	w.table(rows)
	for _, x := range list {
		w.rest(x.Entry)
	}
}

func (w *writer) enum(e *content.Enum) {
	w.heading(typeLevel, e.Anchor, comment.Text(e.LongName))
	w.sourceLine(e.Entry)
	w.described(e.Entry, typeLevel)
	if e.Closed {
		w.paragraph("A closed enum: a reader takes other numbers for unknown fields.")
	}
	for _, s := range e.Sections {
		if !s.Title.Empty() {
			w.sectionTitle(s)
		}
		w.values(e, s.Values)
	}
	if len(e.Reserved) > 0 {
		w.paragraph("Reserved: " + strings.Join(e.Reserved, ", ") + ".")
	}
	w.usedBy(e.UsedBy)
}

// sectionTitle writes the comment above a section: in bold if it is a title, else
// as it is.
func (w *writer) sectionTitle(s *content.Section) {
	if s.Title.HasBlocks() {
		w.comment(s.Title, typeLevel)
		return
	}
	w.paragraph("**" + strings.ReplaceAll(s.Title.MarkdownHeading(w.flavor), "**", "") + "**")
}

// values writes a table of values; one of codes also has what is known of them.
func (w *writer) values(e *content.Enum, values []*content.Value) {
	heads := []column{{"Value", false}, {"Number", true}}
	if e.HasPhases {
		heads = append(heads, column{"Phase", false})
	}
	if e.HasClasses {
		heads = append(heads, column{"Class", false})
	}
	rows := newTable(append(heads, column{"Description", false})...)
	for _, v := range values {
		cells := []string{w.named(v.Entry), number(v.Number)}
		if e.HasPhases {
			cells = append(cells, w.cell(comment.Text(v.Phase)))
		}
		if e.HasClasses {
			cells = append(cells, w.cell(comment.Text(v.Class)))
		}
		rows.add(append(cells, w.valueCell(v))...)
	}
	w.table(rows)
	for _, v := range values {
		w.rest(v.Entry)
	}
}

func (w *writer) valueCell(v *content.Value) string {
	lead, rest := v.Description.SplitLead()
	notes := []string{w.changeText(v.Entry), w.deprecated(v.Entry, w.cell), w.cell(lead)}
	if v.AliasOf != "" {
		notes = append(notes, "The same as "+w.cell(comment.Code(v.AliasOf, ""))+".")
	}
	for _, r := range v.Rules {
		notes = append(notes, capital(w.ruleText(r, w.cell))+".")
	}
	if options := w.optionTexts(v.Entry, w.cell); len(options) > 0 {
		notes = append(notes, "Options: "+strings.Join(options, ", ")+".")
	}
	notes = append(notes, w.suggestionsText(v))
	if !rest.Empty() {
		notes = append(notes, "More below.")
	}
	return join(notes...)
}

// suggestionsText is what a user can do about a code.
func (w *writer) suggestionsText(v *content.Value) string {
	if len(v.Suggestions) == 0 {
		return ""
	}
	items := make([]string, len(v.Suggestions))
	for i, s := range v.Suggestions {
		items[i] = w.cell(comment.Code(s.Code.Name, s.Code.Link))
		if !s.Action.Empty() {
			items[i] += ": " + w.cell(s.Action)
		}
		if !s.When.Empty() {
			items[i] += " (" + w.cell(s.When) + ")"
		}
	}
	return "What to do: " + strings.Join(items, "; ")
}

func (w *writer) usedBy(types []content.Type) {
	if len(types) > 0 {
		w.paragraph("Used by " + list(types, func(t content.Type) string { return typeText(t, w.inline) }) + ".")
	}
}
