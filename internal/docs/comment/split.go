package comment

import (
	"slices"
	"strings"
)

// SplitLead takes a comment's first paragraph from the rest: what a table has
// room for. The first is empty if the comment does not begin with a paragraph.
func (d *Doc) SplitLead() (lead, rest *Doc) {
	switch {
	case d.Empty():
		return new(Doc), new(Doc)
	case d.blocks[0].kind != paragraph:
		return new(Doc), d
	}
	return &Doc{blocks: d.blocks[:1:1]}, &Doc{blocks: d.blocks[1:]}
}

// deprecatedMark begins the paragraph that says what to use instead, as AIP-192
// and Go have it.
const deprecatedMark = "Deprecated:"

// SplitDeprecated takes the paragraph that begins with "Deprecated:" out of a
// comment, and the mark out of the paragraph. The reason is empty if there is no
// such paragraph. The problems stay with the rest.
func (d *Doc) SplitDeprecated() (rest, reason *Doc) {
	if d.Empty() {
		return d, new(Doc)
	}
	for i, b := range d.blocks {
		if b.kind != paragraph || len(b.inlines) == 0 || b.inlines[0].kind != textNode {
			continue
		}
		text, ok := strings.CutPrefix(b.inlines[0].text, deprecatedMark)
		if !ok {
			continue
		}
		inlines := slices.Clone(b.inlines)
		inlines[0].text = text
		if text == "" {
			inlines = inlines[1:]
		}
		rest = &Doc{blocks: slices.Delete(slices.Clone(d.blocks), i, i+1), problems: d.problems, literal: d.literal}
		return rest, &Doc{blocks: []block{{kind: paragraph, inlines: trimSpace(inlines)}}}
	}
	return d, new(Doc)
}
