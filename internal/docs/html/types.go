package html

import (
	"strings"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/content"
)

// eventsAnchor is that of the table of a message's kinds.
func eventsAnchor(e *content.Events) string { return e.Anchor + "-kinds" }

// events writes what kinds of events a message tells apart.
func (w *writer) events(e *content.Events) {
	w.p(`<section`, old(size("part type", len(e.Kinds)), e.Deprecated), id(eventsAnchor(e)), ">\n")
	w.heading(3, "", self("Events of "+e.Name, eventsAnchor(e)), e.Entry)
	w.table("Events of "+e.Name, "Kind", numberColumn, "Payload", "Description")
	w.p("<tbody>\n")
	for _, k := range e.Kinds {
		w.p("<tr", old("", k.Deprecated), `><th scope="row">`, link(k.Name, k.Link), badges(k.Entry),
			`</th><td class="number">`, number(k.Number), `</td><td class="type">`)
		if k.Payload != nil {
			w.p(typeText(*k.Payload))
		}
		w.p("</td><td>")
		w.deprecation(k.Entry)
		if summary := k.Description.Summary(); !summary.Empty() {
			w.p(inline(summary))
		}
		if len(k.Statuses) > 0 {
			w.p("<p>Statuses: ", list(k.Statuses, code), ".</p>")
		}
		w.p("</td></tr>\n")
	}
	w.p("</tbody>\n")
	w.endTable()
	w.p("</section>\n")
}

// numberColumn is the head of a column of numbers.
const numberColumn = "No."

// table begins a table in a box that scrolls on its own; label says to whom who
// does not see it what is in the box.
func (w *writer) table(label string, columns ...string) {
	w.p(`<div class="scroll rows" role="group" tabindex="0" aria-label="`, esc(label), `"><table>`, "\n<thead><tr>")
	for _, c := range columns {
		if c == numberColumn {
			w.p(`<th scope="col" class="number"><abbr title="Number">`, c, "</abbr></th>")
			continue
		}
		w.p(`<th scope="col">`, c, "</th>")
	}
	w.p("</tr></thead>\n")
}

func (w *writer) endTable() { w.p("</table></div>\n") }

func (w *writer) message(m *content.Message) {
	w.p(`<section`, old(size("part type", len(m.Fields)+len(m.Extensions)), m.Deprecated), id(m.Anchor), ">\n")
	w.heading(3, "message", self(m.LongName, m.Anchor), m.Entry)
	w.about(m.Entry)
	w.described(m.Entry, typeLevel)
	w.fields(m)
	w.reserved("Reserved: ", m.Reserved)
	w.reserved("Left to extensions: ", m.ExtensionRanges)
	w.ranges(m.Ranges)
	if len(m.Extensions) > 0 {
		w.p("<p>Extensions declared here:</p>\n")
		w.extensions(m.Extensions, "Extensions declared in "+m.LongName)
	}
	w.usedBy(m.UsedBy)
	if m.Example != "" && m.Example != "{}" {
		w.p("<details><summary>JSON example</summary>\n")
		w.block("json", m.Example)
		w.p("</details>\n")
	}
	w.p("</section>\n")
}

// fields writes the fields as a table. Those of a oneof are a group of rows under
// a row that says what they have in common.
func (w *writer) fields(m *content.Message) {
	if len(m.Fields) == 0 {
		w.p("<p>It has no fields.</p>\n")
		return
	}
	w.table("Fields of "+m.LongName, "Field", numberColumn, "Type", "Description")
	w.p("<tbody>\n")
	var group *content.Oneof
	for _, f := range m.Fields {
		if f.Oneof != group {
			w.p("</tbody>\n")
			w.group(f.Oneof)
			group = f.Oneof
		}
		w.field(f, false)
	}
	w.p("</tbody>\n")
	w.endTable()
}

// group begins the rows of a oneof; nil begins others.
func (w *writer) group(o *content.Oneof) {
	if o == nil {
		w.p("<tbody>\n")
		return
	}
	how := "At most one"
	if o.Required {
		how = "Exactly one"
	}
	w.p(`<tbody class="oneof">`, "\n<tr", old("", o.Deprecated), id(o.Anchor), `><th scope="rowgroup" colspan="4"><p>`,
		how, " of ", self(o.Name, o.Anchor), " is set:", badges(o.Entry), "</p>")
	e := o.Entry
	if o.Required {
		e.Rules = nil // it has been said
	}
	w.described(e, cellLevel)
	w.p("</th></tr>\n")
}

// field writes the row of a field, or of an extension.
func (w *writer) field(f *content.Field, extension bool) {
	w.p("<tr", old("", f.Deprecated), id(f.Anchor), `><th scope="row">`, self(f.Name, f.Anchor))
	if word := presence(f); word != "" {
		w.p(` <span class="presence">`, word, "</span>")
	}
	w.p(badges(f.Entry), `</th><td class="number">`, number(f.Number), `</td><td class="type">`)
	if extension && f.Extends != nil {
		w.p(typeText(*f.Extends), `</td><td class="type">`)
	}
	w.p(typeText(f.Type), "</td><td>")
	w.changeNote(f.Entry)
	w.deprecation(f.Entry)
	w.cell(f.Description)
	w.rules(f.Rules)
	if f.Default != "" {
		w.p("<p>Default: ", code(f.Default), ".</p>")
	}
	if f.JSONName != "" {
		w.p("<p>In JSON: ", code(f.JSONName), ".</p>")
	}
	if f.IsGroup {
		w.p("<p>Encoded as a group.</p>")
	}
	w.options(f.Entry)
	w.p("</td></tr>\n")
}

// presence says how a field that is not set shows, where that is not what a
// reader expects of its type.
func presence(f *content.Field) string {
	switch {
	case f.Presence == content.Required:
		return "required"
	case f.Presence == content.Optional && f.Oneof == nil && !f.IsMessage && f.Extends == nil:
		return "optional"
	}
	return ""
}

func (w *writer) reserved(what string, ranges []string) {
	if len(ranges) > 0 {
		w.p(`<p class="meta">`, what, esc(strings.Join(ranges, ", ")), ".</p>\n")
	}
}

// ranges writes what options say of the numbers that are left to extensions.
func (w *writer) ranges(ranges []content.ExtensionRange) {
	for _, r := range ranges {
		w.p(`<p class="meta">Extensions `, esc(r.Numbers), ":</p>\n")
		w.options(content.Entry{Options: r.Options, Properties: r.Properties})
		if len(r.Declarations) == 0 {
			continue
		}
		w.p("<ul>\n")
		for _, d := range r.Declarations {
			w.p("<li>", number(d.Number), ": ", declarationText(d), ".</li>\n")
		}
		w.p("</ul>\n")
	}
}

func declarationText(d content.Declaration) string {
	text := ""
	if d.Name != "" {
		text = code(d.Name) + " of type " + typeText(d.Type)
	}
	switch {
	case d.Reserved && text == "":
		return "reserved"
	case d.Reserved:
		return "reserved, formerly " + text
	}
	return text
}

func (w *writer) extensions(fields []*content.Field, label string) {
	w.table(label, "Extension", numberColumn, "Extends", "Type", "Description")
	w.p("<tbody>\n")
	for _, x := range fields {
		w.field(x, true)
	}
	w.p("</tbody>\n")
	w.endTable()
}

func (w *writer) enum(e *content.Enum) {
	rows := 0
	for _, s := range e.Sections {
		rows += len(s.Values)
	}
	w.p(`<section`, old(size("part type", rows), e.Deprecated), id(e.Anchor), ">\n")
	w.heading(3, "enum", self(e.LongName, e.Anchor), e.Entry)
	w.about(e.Entry)
	w.described(e.Entry, typeLevel)
	if e.Closed {
		w.p("<p>A closed enum: a reader takes other numbers for unknown fields.</p>\n")
	}
	w.values(e)
	w.reserved("Reserved: ", e.Reserved)
	w.usedBy(e.UsedBy)
	w.p("</section>\n")
}

// values writes a table of values, by sections; one of codes also has what is
// known of them.
func (w *writer) values(e *content.Enum) {
	columns := []string{"Value", numberColumn}
	if e.HasPhases {
		columns = append(columns, "Phase")
	}
	if e.HasClasses {
		columns = append(columns, "Class")
	}
	columns = append(columns, "Description")
	w.table("Values of "+e.LongName, columns...)
	for _, s := range e.Sections {
		w.p("<tbody>\n")
		if !s.Title.Empty() {
			w.p(`<tr class="section"><th scope="rowgroup" colspan="`, number(int32(len(columns))), `">`)
			w.cell(s.Title)
			w.p("</th></tr>\n")
		}
		for _, v := range s.Values {
			w.value(e, v)
		}
		w.p("</tbody>\n")
	}
	w.endTable()
}

func (w *writer) value(e *content.Enum, v *content.Value) {
	w.p("<tr", old("", v.Deprecated), id(v.Anchor), `><th scope="row">`, self(v.Name, v.Anchor), badges(v.Entry),
		`</th><td class="number">`, number(v.Number), "</td>")
	if e.HasPhases {
		w.p(`<td class="fact">`, esc(v.Phase), "</td>")
	}
	if e.HasClasses {
		w.p(`<td class="fact">`, esc(v.Class), "</td>")
	}
	w.p("<td>")
	w.changeNote(v.Entry)
	w.deprecation(v.Entry)
	w.cell(v.Description)
	if v.AliasOf != "" {
		w.p("<p>The same as ", code(v.AliasOf), ".</p>")
	}
	w.rules(v.Rules)
	w.options(v.Entry)
	w.suggestions(v)
	w.p("</td></tr>\n")
}

// suggestions writes what a user can do about a code.
func (w *writer) suggestions(v *content.Value) {
	if len(v.Suggestions) == 0 {
		return
	}
	w.p(`<div class="help"><p>What to do:</p><ul>`)
	for _, s := range v.Suggestions {
		w.p("<li>")
		if !s.Action.Empty() {
			w.p(inline(s.Action), " ")
		}
		if !s.When.Empty() {
			w.p("(", inline(s.When), ") ")
		}
		w.p(`<span class="origin">`, link(s.Code.Name, s.Code.Link), "</span></li>")
	}
	w.p("</ul></div>")
}

// manyUses is the number of uses from which on a reader opens them.
const manyUses = 20

func (w *writer) usedBy(types []content.Type) {
	if len(types) == 0 {
		return
	}
	uses := list(types, typeText)
	if len(types) < manyUses {
		w.p(`<p class="meta">Used by `, uses, ".</p>\n")
		return
	}
	w.p(`<details class="meta"><summary>Used by `, number(int32(len(types))), " fields and RPCs</summary><p>", uses,
		".</p></details>\n")
}
