package markdown

import (
	"strings"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/comment"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/content"
)

func (w *writer) enum(e *content.Enum) {
	w.heading(typeLevel, e.Anchor, comment.Text(e.LongName))
	w.said(e.Entry, typeLevel)
	w.facts(e.Entry)
	if e.Closed {
		w.paragraph("This enum is closed: a reader keeps any other number as an unknown field.")
	}
	for _, s := range e.Sections {
		level := w.sectionTitle(s)
		w.values(e, s.Values, level)
	}
	w.gone(e.FullName)
	if len(e.Reserved) > 0 {
		w.paragraph("Reserved: " + list(e.Reserved, w.name) + ".")
	}
	w.footer(e.Entry, e.UsedBy)
}

// maxTitle is how long a comment of one paragraph may be to be a title.
const maxTitle = 80

// sectionTitle writes the comment above a section, as a heading if it is a title
// and else as it is. It returns the level of the heading that follows it.
func (w *writer) sectionTitle(s *content.Section) int {
	if s.Title.Empty() {
		return typeLevel
	}
	line := strings.TrimSuffix(w.line(s.Title), ":")
	if s.Title.HasBlocks() || line == "" || len(s.Title.Text()) > maxTitle {
		w.comment(s.Title, typeLevel)
		return typeLevel
	}
	w.p()
	w.p("#### ", line)
	return memberLevel
}

// shared tells whether what of returns is the same for all values, and not
// nothing.
func shared(values []*content.Value, of func(*content.Value) string) bool {
	for _, v := range values {
		if of(v) == "" || of(v) != of(values[0]) {
			return false
		}
	}
	return len(values) > 1
}

func phase(v *content.Value) string { return v.Phase }
func class(v *content.Value) string { return v.Class }

// values writes a table of values; one of codes also has what is known of them.
// What all have alike stands above it.
func (w *writer) values(e *content.Enum, values []*content.Value, level int) {
	onePhase, oneClass := shared(values, phase), shared(values, class)
	var alike []string
	if onePhase {
		alike = append(alike, "Phase: "+w.line(comment.Text(values[0].Phase))+".")
	}
	if oneClass {
		alike = append(alike, "Class: "+w.line(comment.Text(values[0].Class))+".")
	}
	w.paragraph(strings.Join(alike, " "))
	rows := newTable(column{title: "Value"}, column{title: "Number", right: true}, column{title: "Phase", optional: true},
		column{title: "Class", optional: true}, column{title: "Description", optional: true})
	for _, v := range values {
		phase, class := "", ""
		if !onePhase {
			phase = w.cell(comment.Text(v.Phase))
		}
		if !oneClass {
			class = w.cell(comment.Text(v.Class))
		}
		rows.add(w.named(v.Entry), number(v.Number), phase, class, w.valueCell(v))
	}
	w.table(rows)
	for _, v := range values {
		w.restAt(v.Entry, level)
	}
}

func (w *writer) valueCell(v *content.Value) string {
	same := ""
	if v.AliasOf != "" {
		same = "The same as " + w.span(v.AliasOf, "", w.cell) + "."
	}
	return w.notes(w.description(v.Entry, same), w.suggestions(v))
}

// suggestions are what a user can do about a code.
func (w *writer) suggestions(v *content.Value) string {
	if len(v.Suggestions) == 0 {
		return ""
	}
	items := make([]string, len(v.Suggestions))
	for i, s := range v.Suggestions {
		items[i] = w.span(s.Code.Name, s.Code.Link, w.cell)
		if !s.Action.Empty() {
			items[i] += ": " + w.cell(s.Action)
		}
		if !s.When.Empty() {
			items[i] += " (" + w.cell(s.When) + ")"
		}
	}
	if w.tags() {
		return "What to do:<ul><li>" + strings.Join(items, "</li><li>") + "</li></ul>"
	}
	return "What to do: " + strings.Join(items, "; ")
}
