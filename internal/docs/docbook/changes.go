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
			if c.Kind == kind {
				items = append(items, escape(c.What).sentence()+" "+linked(code(c.Type.Name), c.Type.Link)+details(c.Change))
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
		items = append(items, escape(c.What).sentence()+" "+code(c.Name)+details(c))
	}
	if len(items) > 0 {
		w.para("Removed from this file:")
		w.items(items)
	}
}

// changeText is a note on a declaration that has changed. That it is deprecated
// stands beside it, so that the note says that this is new.
func changeText(c *changes.Change) markup {
	if c == nil {
		return ""
	}
	kind := c.Kind.String()
	if c.Kind == changes.Deprecated {
		kind = "newly deprecated"
	}
	return strong(string(markup(kind).sentence())) + details(c) + "."
}

// details say what is different, behind the name of what has changed.
func details(c *changes.Change) markup {
	if len(c.Details) == 0 {
		return ""
	}
	return ": " + joined(c.Details, ", ", func(d changes.Detail) markup {
		if d.Before == "" {
			return escape(d.Property) + " was not set"
		}
		return escape(d.Property) + " was " + code(d.Before)
	})
}
