package comment

// Links are the addresses that the comment leads to, as its author has written
// them: without those that Options.Resolve has found.
func (d *Doc) Links() []string {
	if d == nil {
		return nil
	}
	var out []string
	for inlines := range inlinesOf(d.blocks) {
		out = addLinks(out, inlines)
	}
	return out
}

func addLinks(out []string, inlines []inline) []string {
	for _, n := range inlines {
		if n.kind == linkNode && !n.known {
			out = append(out, n.url)
		}
		out = addLinks(out, n.children)
	}
	return out
}

// Headings are the texts of the comment's headings.
func (d *Doc) Headings() []string {
	if d == nil {
		return nil
	}
	return headingsOf(nil, d.blocks)
}

func headingsOf(out []string, blocks []block) []string {
	for _, b := range blocks {
		if b.kind == heading {
			out = append(out, string(textOf(nil, b.inlines)))
		}
		out = headingsOf(out, b.blocks)
	}
	return out
}

// inlinesOf are the inlines of all blocks, with those in them.
func inlinesOf(blocks []block) func(yield func([]inline) bool) {
	return func(yield func([]inline) bool) { eachInlines(blocks, yield) }
}

func eachInlines(blocks []block, yield func([]inline) bool) bool {
	for _, b := range blocks {
		if !yield(b.inlines) || !eachInlines(b.blocks, yield) {
			return false
		}
	}
	return true
}
