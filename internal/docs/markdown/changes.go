package markdown

import (
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/changes"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/comment"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/content"
)

// changes writes the section that lists what has changed.
func (w *writer) changes(list []content.Changed) {
	if list == nil {
		return
	}
	w.heading(fileLevel, "", comment.Text("Changes"))
	if len(list) == 0 {
		w.paragraph("None.")
	}
	for _, kind := range []changes.Kind{changes.Added, changes.Changed, changes.Deprecated, changes.Removed} {
		var items []string
		for _, c := range list {
			if c.Is(kind) {
				items = append(items, w.changedText(c, kind))
			}
		}
		if len(items) > 0 {
			w.heading(typeLevel, "", comment.Text(content.Capital(kind.String())))
			w.bullets(items)
		}
	}
}

func (w *writer) changedText(c content.Changed, kind changes.Kind) string {
	text := content.Capital(c.What) + " " + w.span(c.Type.Name, c.Type.Link, w.line)
	if details := c.DetailsOf(kind); len(details) > 0 {
		text += ": " + w.detailsText(details)
	}
	return text
}

// changeText is a note on a declaration that has changed. That it was deprecated,
// the note on the deprecation says.
func (w *writer) changeText(e content.Entry) string {
	switch {
	case e.Change == nil:
		return ""
	case e.Change.Is(changes.Changed) && len(e.Change.Details) > 0:
		return "**" + kindWords[changes.Changed] + ":** " + w.detailsText(e.Change.Details) + "."
	case e.Change.Kind == changes.Deprecated && e.Deprecated:
		return ""
	}
	return "**" + kindWords[e.Change.Kind] + ".**"
}

// kindWords are for notes on declarations that are still there.
var kindWords = map[changes.Kind]string{
	changes.Added: "New", changes.Changed: "Changed", changes.Deprecated: "Newly deprecated",
}

func (w *writer) detailsText(details []changes.Detail) string {
	return list(details, func(d changes.Detail) string {
		if d.Before == "" {
			return w.cell(comment.Text(d.Absent()))
		}
		return w.cell(comment.Text(d.Property)) + " was " + w.cell(comment.Code(d.Before, ""))
	})
}
