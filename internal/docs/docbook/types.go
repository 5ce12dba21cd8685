package docbook

import (
	"strconv"
	"strings"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/comment"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/content"
)

// events writes what kinds of events a message tells apart.
func (w *writer) events(e *content.Events) {
	w.open(e.Anchor+"-kinds", "Events of "+linked(escape(e.Name), "#"+e.Anchor))
	if len(e.Kinds) == 0 {
		w.para("None.")
	} else {
		w.table([]column{{"Kind", 3}, {"Number", 1}, {"Payload", 3}, {"Description", 6}}, func() {
			for _, k := range e.Kinds {
				w.eventKind(k)
			}
		})
	}
	w.close()
}

func (w *writer) eventKind(k *content.EventKind) {
	payload := markup("")
	if k.Payload != nil {
		payload = typeText(*k.Payload)
	}
	var n notes
	n.add(deprecated(k.Entry))
	n.add(inline(k.Description.Summary()))
	if len(k.Statuses) > 0 {
		n.add("Statuses: " + joined(k.Statuses, ", ", code) + ".")
	}
	n.optionsOf(k.Entry)
	w.row("", linked(code(k.Name), k.Link), number(k.Number), payload, n.out)
}

func number(n int32) markup { return markup(strconv.Itoa(int(n))) }

// notes are the paragraphs of a cell.
type notes struct{ out markup }

// add adds a paragraph, unless it is empty.
func (n *notes) add(m markup) {
	if m != "" {
		n.out += "<para>" + m + "</para>"
	}
}

// lead adds the first paragraph of a comment, and says that there is more.
func (n *notes) lead(d *comment.Doc) {
	lead, rest := d.SplitLead()
	n.out += markup(lead.DocBook())
	if !rest.Empty() {
		n.add("More below.")
	}
}

// optionsOf adds what options say.
func (n *notes) optionsOf(e content.Entry) {
	for _, r := range e.Rules {
		n.add(ruleText(r) + ".")
	}
	if o := options(e); o != "" {
		n.add("Options: " + o + ".")
	}
}

func (w *writer) message(m *content.Message) {
	w.open(m.Anchor, escape(m.LongName))
	w.sourceLine(m.Entry)
	w.described(m.Entry)
	w.fields(m)
	w.reserved(m.Reserved)
	if len(m.ExtensionRanges) > 0 {
		w.para("Left to extensions: " + joined(m.ExtensionRanges, ", ", escape) + ".")
	}
	for _, r := range m.Ranges {
		w.extensionRange(r)
	}
	if len(m.Extensions) > 0 {
		w.para("Extensions declared here:")
		w.extensions(m.Extensions)
	}
	w.usedBy(m.UsedBy)
	if m.Example != "" && m.Example != "{}" {
		w.para("Example:")
		w.listing("json", m.Example)
	}
	w.close()
}

func (w *writer) reserved(list []string) {
	if len(list) > 0 {
		w.para("Reserved: " + joined(list, ", ", escape) + ".")
	}
}

// extensionRange writes what options say of a range of numbers.
func (w *writer) extensionRange(r content.ExtensionRange) {
	if o := optionList(r.Properties, r.Options); o != "" {
		w.para("Options of " + escape(r.Numbers) + ": " + o + ".")
	}
	if len(r.Declarations) == 0 {
		return
	}
	w.para("Extensions declared for " + escape(r.Numbers) + ":")
	w.table([]column{{"Extension", 3}, {"Number", 1}, {"Type", 3}}, func() {
		for _, d := range r.Declarations {
			title := code(d.Name)
			if d.Reserved {
				title = markup(strings.TrimSpace(string(title) + " reserved"))
			}
			w.row("", title, number(d.Number), typeText(d.Type))
		}
	})
}

func (w *writer) usedBy(types []content.Type) {
	if len(types) > 0 {
		w.para("Used by " + joined(types, ", ", typeText) + ".")
	}
}

// fields writes the fields as a table, and below it what the table has no room
// for: the rest of long comments, and the oneofs.
func (w *writer) fields(m *content.Message) {
	if len(m.Fields) == 0 {
		w.para("No fields.") // a section has to have something
		return
	}
	w.table([]column{{"Field", 3}, {"Number", 1}, {"Type", 3}, {"Description", 6}}, func() {
		for _, f := range m.Fields {
			w.row(f.Anchor, code(f.Name), number(f.Number), typeText(f.Type), fieldNotes(f))
		}
	})
	w.rests(entries(m.Fields))
	for _, o := range m.Oneofs {
		w.oneof(o)
	}
}

func entries(fields []*content.Field) []content.Entry {
	out := make([]content.Entry, len(fields))
	for i, f := range fields {
		out[i] = f.Entry
	}
	return out
}

// rests writes the parts of long comments that rows have no room for.
func (w *writer) rests(list []content.Entry) {
	open := false
	for _, e := range list {
		_, rest := e.Description.SplitLead()
		if rest.Empty() {
			continue
		}
		if !open {
			w.line("<variablelist>")
			open = true
		}
		w.line("<varlistentry><term>", code(e.Name), "</term><listitem>")
		w.blocks(rest)
		w.line("</listitem></varlistentry>")
	}
	if open {
		w.line("</variablelist>")
	}
}

// blocks writes a comment where at least one block has to be.
func (w *writer) blocks(d *comment.Doc) {
	text := d.DocBook()
	if text == "" {
		text = "<para/>" // a comment that is only a rule
	}
	w.line(markup(text))
}

// oneof writes what its fields have in common.
func (w *writer) oneof(o *content.Oneof) {
	how := markup("At most one")
	e := o.Entry
	if o.Required {
		how, e.Rules = "Exactly one", nil // which say the same
	}
	names := joined(o.Fields, ", ", func(f *content.Field) markup { return linked(code(f.Name), "#"+f.Anchor) })
	text := how + " of the oneof " + code(o.Name) + " is set: " + names + "." + source(e)
	w.line("<para", idAttribute(o.Anchor), ">", text, "</para>")
	w.described(e)
}

// presence says how a field that is not set shows, where that is not what a
// reader expects of its type.
func presence(f *content.Field) markup {
	switch {
	case f.Presence == content.Required:
		return "<emphasis>required</emphasis>"
	case f.Presence == content.Optional && f.Oneof == nil && !f.IsMessage && f.Extends == nil:
		return "<emphasis>optional</emphasis>"
	}
	return ""
}

// fieldNotes are a field's description, and what the comment does not say.
func fieldNotes(f *content.Field) markup {
	var n notes
	n.add(changeText(f.Change))
	n.add(deprecated(f.Entry))
	n.add(presence(f))
	if f.Oneof != nil {
		n.add("One of " + linked(code(f.Oneof.Name), "#"+f.Oneof.Anchor) + ".")
	}
	n.lead(f.Description)
	if f.Default != "" {
		n.add("Default: " + code(f.Default) + ".")
	}
	if f.JSONName != "" {
		n.add("In JSON: " + code(f.JSONName) + ".")
	}
	if f.IsGroup {
		n.add("Encoded as a group.")
	}
	n.optionsOf(f.Entry)
	return n.out
}

func (w *writer) extensions(list []*content.Field) {
	w.table([]column{{"Extension", 3}, {"Number", 1}, {"Extends", 3}, {"Type", 3}, {"Description", 6}}, func() {
		for _, x := range list {
			extends := markup("")
			if x.Extends != nil {
				extends = typeText(*x.Extends)
			}
			w.row(x.Anchor, code(x.Name), number(x.Number), extends, typeText(x.Type), fieldNotes(x))
		}
	})
	w.rests(entries(list))
}

func (w *writer) enum(e *content.Enum) {
	w.open(e.Anchor, escape(e.LongName))
	w.sourceLine(e.Entry)
	w.described(e.Entry)
	if e.Closed {
		w.para("A closed enum: a reader takes other numbers for unknown fields.")
	}
	for _, s := range e.Sections {
		w.section(e, s)
	}
	if len(e.Sections) == 0 {
		w.para("No values.") // a section has to have something
	}
	w.reserved(e.Reserved)
	w.usedBy(e.UsedBy)
	w.close()
}

// section writes a section's title, in bold if it is a line, and its values; those
// of codes with what is known of them.
func (w *writer) section(e *content.Enum, s *content.Section) {
	switch {
	case s.Title.HasBlocks():
		w.comment(s.Title)
	case !s.Title.Empty():
		w.para(`<emphasis role="strong">` + inline(s.Title) + "</emphasis>")
	}
	columns := []column{{"Value", 3}, {"Number", 1}}
	if e.HasPhases {
		columns = append(columns, column{"Phase", 2})
	}
	if e.HasClasses {
		columns = append(columns, column{"Class", 2})
	}
	w.table(append(columns, column{"Description", 6}), func() {
		for _, v := range s.Values {
			cells := []markup{code(v.Name), number(v.Number)}
			if e.HasPhases {
				cells = append(cells, escape(v.Phase))
			}
			if e.HasClasses {
				cells = append(cells, escape(v.Class))
			}
			w.row(v.Anchor, append(cells, valueNotes(v))...)
		}
	})
	list := make([]content.Entry, len(s.Values))
	for i, v := range s.Values {
		list[i] = v.Entry
	}
	w.rests(list)
}

func valueNotes(v *content.Value) markup {
	var n notes
	n.add(changeText(v.Change))
	n.add(deprecated(v.Entry))
	n.lead(v.Description)
	if v.AliasOf != "" {
		n.add("The same as " + code(v.AliasOf) + ".")
	}
	n.optionsOf(v.Entry)
	for _, s := range v.Suggestions {
		n.add(suggestionText(s))
	}
	return n.out
}

// suggestionText is what a user can do about a code.
func suggestionText(s content.Suggestion) markup {
	text := "What to do: " + typeText(s.Code)
	if !s.Action.Empty() {
		text += ": " + inline(s.Action)
	}
	if !s.When.Empty() {
		text += " (" + inline(s.When) + ")"
	}
	return text
}
