package html

import (
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/changes"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/content"
)

// changesAnchor is that of the list of changes. Names have no dashes.
const changesAnchor = "api-changes"

// kinds are the kinds of changes in the order in which they are listed.
var kinds = []changes.Kind{changes.Added, changes.Changed, changes.Deprecated, changes.Removed}

// changeWords are what badges say.
var changeWords = map[changes.Kind]string{
	changes.Added: "new", changes.Changed: "changed",
	changes.Deprecated: "deprecated", changes.Removed: "removed",
}

// changeWord is the word for a change. Of what changed and was deprecated at once
// it says the former: the latter has a badge of its own.
func changeWord(e content.Entry) string {
	switch {
	case e.Change == nil:
		return ""
	case e.Change.Is(changes.Changed):
		return changeWords[changes.Changed]
	}
	return changeWords[e.Change.Kind]
}

// changes writes the section that lists what has changed.
func (w *writer) changes(all []content.Changed) {
	if all == nil {
		return
	}
	w.p(`<section class="`, size("part", len(all)), `"`, id(changesAnchor), ">\n<h2>",
		self("Changes", changesAnchor), "</h2>\n")
	if len(all) == 0 {
		w.p("<p>None.</p>\n")
	}
	for _, kind := range kinds {
		begun := false
		for _, c := range all {
			if !c.Is(kind) {
				continue
			}
			if !begun {
				w.p("<h3>", content.Capital(kind.String()), "</h3>\n<ul>\n")
				begun = true
			}
			w.p("<li>", esc(content.Capital(c.What)), " ", link(c.Type.Name, c.Type.Link))
			if details := c.DetailsOf(kind); len(details) > 0 {
				w.p(": ", detailsText(details))
			}
			w.p("</li>\n")
		}
		if begun {
			w.p("</ul>\n")
		}
	}
	w.p("</section>\n")
}

// changeNote says what was different before; that a declaration has changed, its
// badge says.
func (w *writer) changeNote(e content.Entry) {
	if e.Change != nil && len(e.Change.Details) > 0 {
		w.p(`<p class="note"><strong>`, content.Capital(changeWord(e)), ":</strong> ", detailsText(e.Change.Details), ".</p>\n")
	}
}

// removed lists what no longer is in a file.
func (w *writer) removed(all []*changes.Change) {
	if len(all) == 0 {
		return
	}
	w.p(`<p class="note"><strong>Removed:</strong> `, list(all, func(c *changes.Change) string {
		return esc(c.What) + " " + code(c.Name)
	}), ".</p>\n")
}

func detailsText(details []changes.Detail) string {
	return list(details, func(d changes.Detail) string {
		if d.Before == "" {
			return esc(d.Absent())
		}
		return esc(d.Property) + " was " + code(d.Before)
	})
}
