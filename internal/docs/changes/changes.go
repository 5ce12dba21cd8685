// Package changes compares an API with an earlier release of it.
package changes

import (
	"cmp"
	"slices"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/api"
)

// Kind is what became of a declaration.
type Kind int

// The kinds. A declaration that was deprecated and changed is Deprecated, with
// details: see [Change.Is].
const (
	Added Kind = iota
	Changed
	Deprecated
	Removed
)

var kindNames = [...]string{"added", "changed", "deprecated", "removed"}

// String is the word for the kind: added, changed, deprecated or removed.
func (k Kind) String() string { return kindNames[k] }

// Change is what became of one declaration.
type Change struct {
	Kind Kind
	// What is the sort of declaration: file, service, RPC, message, field, oneof,
	// enum, value or extension.
	What string
	// Name is the full name, or the path of a file. A value's is that of its enum
	// and its own.
	Name string
	// Details say what is different. An Added declaration has none.
	Details []Detail
	// File is where the declaration stands; for a removed one, where it stood.
	File *api.File
	// In is the name of the declaration around it; empty at the top level. For a
	// renamed one, In and Name are the new ones.
	In string
}

// Is reports whether a change is listed among those of a kind. What was deprecated
// and changed at once is in two lists.
func (c *Change) Is(k Kind) bool {
	return c.Kind == k || k == Changed && c.Kind == Deprecated && len(c.Details) > 0
}

// DetailsOf are the details to show in the list of a kind: the deprecation of what
// also changed has none, as they stand with the change.
func (c *Change) DetailsOf(k Kind) []Detail {
	if k == Deprecated {
		return nil
	}
	return c.Details
}

// Detail is a property that is different.
type Detail struct {
	Property string // type, number, option (acme.color), ...
	Before   string // its value before; empty if it was not set
}

// String is the detail as a phrase: type was `int32`.
func (d Detail) String() string {
	if d.Before == "" {
		return d.Absent()
	}
	return d.Property + " was `" + d.Before + "`"
}

// Absent is the phrase for a property that was not set.
func (d Detail) Absent() string {
	if d.Property == oneofFact {
		return "was not in a oneof"
	}
	return d.Property + " was not set"
}

// List is all that has changed, in the order of the files and of the source,
// removed declarations after the others of a file.
type List struct {
	All    []*Change
	byName map[string]*Change
}

// Of returns the change of a declaration by its full name; nil if it is as it
// was. What stands in an added declaration is not listed on its own.
func (l *List) Of(name string) *Change {
	if l == nil {
		return nil
	}
	return l.byName[name]
}

// RemovedFrom lists what was removed from a file.
func (l *List) RemovedFrom(path string) []*Change {
	var out []*Change
	for _, c := range l.All {
		if c.Kind == Removed && c.File.Path == path {
			out = append(out, c)
		}
	}
	return out
}

// Compare compares the files of two releases that wanted selects by their paths.
// A type that moved to another file is the same type.
func Compare(before, after *api.Model, wanted func(path string) bool) *List {
	c := &comparison{
		before: index(before, wanted), after: index(after, wanted),
		wholeBefore: index(before, all), wholeAfter: index(after, all),
		renamed: make(map[string]bool),
		added:   make(map[string]bool),
	}
	for _, name := range c.after.order {
		c.compare(c.after.byName[name])
	}
	for _, name := range c.before.order {
		c.remove(c.before.byName[name])
	}
	out := &List{byName: make(map[string]*Change)}
	for _, change := range c.found {
		if change.Kind != Removed {
			out.byName[change.Name] = change
		}
	}
	out.All = c.inOrder()
	return out
}

func all(string) bool { return true }

// comparison is a comparison under way.
type comparison struct {
	before, after           *declarations // of the wanted files
	wholeBefore, wholeAfter *declarations
	renamed                 map[string]bool // names of before that live on under others
	added                   map[string]bool // names of after, with all that came with them
	found                   []*Change
}

func (c *comparison) compare(now *declaration) {
	was := c.wholeBefore.byName[now.name]
	if was == nil {
		was = c.oldName(now)
	}
	switch {
	case was != nil && was.what == now.what:
		c.differ(was, now)
	case c.added[now.in]:
		c.added[now.name] = true // it came with what it stands in
	default:
		c.added[now.name] = true
		c.found = append(c.found, &Change{Kind: Added, What: now.what, Name: now.name, File: now.file, In: now.in})
	}
}

// oldName finds the declaration that had the same number in the same place, if
// it is gone by its name: the same thing under another name.
func (c *comparison) oldName(now *declaration) *declaration {
	if now.number == nil {
		return nil
	}
	for _, name := range c.wholeBefore.within[now.in] {
		was := c.wholeBefore.byName[name]
		if was.what == now.what && was.number != nil && *was.number == *now.number && c.wholeAfter.byName[name] == nil {
			c.renamed[name] = true
			return was
		}
	}
	return nil
}

// differ lists what two declarations of one name, or of one number, have
// different.
func (c *comparison) differ(was, now *declaration) {
	var details []Detail
	if was.name != now.name {
		details = append(details, Detail{"name", was.short})
	}
	for _, fact := range now.facts {
		if old, ok := was.fact(fact.name); !ok || old != fact.value {
			details = append(details, Detail{fact.name, old})
		}
	}
	for _, fact := range was.facts {
		if _, ok := now.fact(fact.name); !ok {
			details = append(details, Detail{fact.name, fact.value})
		}
	}
	kind := Changed
	switch {
	case now.deprecated && !was.deprecated:
		kind = Deprecated
	case was.deprecated && !now.deprecated:
		details = append(details, Detail{"deprecated", "true"})
	}
	if len(details) > 0 || kind == Deprecated {
		c.found = append(c.found, &Change{Kind: kind, What: now.what, Name: now.name, Details: details, File: now.file, In: now.in})
	}
}

func (c *comparison) remove(was *declaration) {
	now := c.wholeAfter.byName[was.name]
	if now != nil && now.what == was.what || c.renamed[was.name] {
		return
	}
	if was.in != "" && c.wholeAfter.byName[was.in] == nil && c.wholeBefore.byName[was.in] != nil {
		return // it went with what it stood in
	}
	c.found = append(c.found, &Change{Kind: Removed, What: was.what, Name: was.name, File: was.file, In: was.in})
}

// inOrder sorts what was found by file; within one it is in order already, and
// what was removed comes last.
func (c *comparison) inOrder() []*Change {
	out := slices.Clone(c.found)
	slices.SortStableFunc(out, func(a, b *Change) int { return cmp.Compare(a.File.Path, b.File.Path) })
	return out
}
