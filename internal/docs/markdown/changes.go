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
			if c.Kind == kind {
				items = append(items, w.changedText(c))
			}
		}
		if len(items) > 0 {
			w.heading(typeLevel, "", comment.Text(capital(kind.String())))
			w.bullets(items)
		}
	}
}

func (w *writer) changedText(c content.Changed) string {
	text := capital(c.What) + " " + w.span(c.Type.Name, c.Type.Link, w.line)
	if len(c.Details) > 0 {
		text += ": " + w.detailsText(c.Details)
	}
	return text
}

// changeText is a note on a declaration that has changed.
func (w *writer) changeText(e content.Entry) string {
	switch {
	case e.Change == nil:
		return ""
	case e.Change.Kind == changes.Deprecated && e.Deprecated && len(e.Change.Details) == 0:
		return "" // which the note on the deprecation says
	case len(e.Change.Details) == 0:
		return "**" + kindWords[e.Change.Kind] + ".**"
	}
	return "**" + kindWords[e.Change.Kind] + ":** " + w.detailsText(e.Change.Details) + "."
}

// kindWords are for notes on declarations that are still there.
var kindWords = map[changes.Kind]string{
	changes.Added: "New", changes.Changed: "Changed", changes.Deprecated: "Newly deprecated",
}

func (w *writer) detailsText(details []changes.Detail) string {
	return list(details, func(d changes.Detail) string {
		if d.Before == "" {
			return w.cell(comment.Text(d.Property)) + " was not set"
		}
		return w.cell(comment.Text(d.Property)) + " was " + w.cell(comment.Code(d.Before, ""))
	})
}
