package docbook

import (
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/changes"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/content"
)

// changes writes the section that lists what has changed.
func (w *writer) changes(list []content.Changed, compared bool) {
	if !compared {
		return
	}
	w.open("", "Changes")
	if len(list) == 0 {
		w.para("None.")
	}
	for _, kind := range []changes.Kind{changes.Added, changes.Changed, changes.Deprecated, changes.Removed} {
		var items []markup
		for _, c := range list {
			if c.Is(kind) {
				link := linked(code(c.Type.Name), c.Type.Link)
				items = append(items, escape(c.What).sentence()+" "+link+details(c.DetailsOf(kind)))
			}
		}
		if len(items) > 0 {
			w.para(strong(string(markup(kind.String()).sentence())))
			w.items(items)
		}
	}
	w.close()
}

// removed lists what stood in a file before.
func (w *writer) removed(list []*changes.Change) {
	var items []markup
	for _, c := range list {
		items = append(items, escape(c.What).sentence()+" "+code(c.Name)+details(c.Details))
	}
	if len(items) > 0 {
		w.para("Removed from this file:")
		w.items(items)
	}
}

// changeText is a note on a declaration that has changed. That it is deprecated
// stands beside it, so that the note says that this is new.
func changeText(c *changes.Change) markup {
	switch {
	case c == nil:
		return ""
	case c.Kind != changes.Deprecated:
		return strong(string(markup(c.Kind.String()).sentence())) + details(c.Details) + "."
	case len(c.Details) > 0:
		return strong("Changed") + details(c.Details) + ". " + strong("Newly deprecated") + "."
	}
	return strong("Newly deprecated") + "."
}

// details say what is different, behind the name of what has changed.
func details(list []changes.Detail) markup {
	if len(list) == 0 {
		return ""
	}
	return ": " + joined(list, ", ", func(d changes.Detail) markup {
		if d.Before == "" {
			return escape(d.Absent())
		}
		return escape(d.Property) + " was " + code(d.Before)
	})
}
