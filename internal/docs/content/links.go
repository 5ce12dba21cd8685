package content

import (
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/api"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/comment"
)

// record is what a site remembers of its pages to find dead links and anchors that
// stand twice. The content of several pages adds to it at a time.
type record struct {
	mu      sync.Mutex
	anchors map[place][]anchored
	slugs   map[place]int // how many headings have the words
	links   []linkAt
}

// anchored is a declaration that has an anchor.
type anchored struct {
	name string
	pos  api.Position
}

// place is an anchor of a page.
type place struct{ page, anchor string }

// linkAt is a link in a comment.
type linkAt struct {
	page, link string
	pos        api.Position
}

func newRecord() *record {
	return &record{anchors: make(map[place][]anchored), slugs: make(map[place]int)}
}

// anchor remembers an anchor. What stands twice at one position is one thing that
// the content has twice, such as an event and its message.
func (r *record) anchor(page, anchor string, pos api.Position, name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	at := place{page, anchor}
	if !slices.ContainsFunc(r.anchors[at], func(x anchored) bool { return x.pos == pos }) {
		r.anchors[at] = append(r.anchors[at], anchored{name, pos})
	}
}

// twice are the anchors that several declarations have: a problem of all but the
// first by its place, whichever page was made first.
func (r *record) twice() []Problem {
	var out []Problem
	for at, list := range r.anchors {
		slices.SortFunc(list, func(a, b anchored) int { return a.pos.Compare(b.pos) })
		for _, x := range list[1:] {
			const format = "%s has the anchor #%s on %s, which what is declared at %s has too: give one of them another name"
			message := fmt.Sprintf(format, x.name, at.anchor, at.page, list[0].pos)
			out = append(out, Problem{Kind: DuplicateAnchor, Pos: x.pos, Message: message})
		}
	}
	return out
}

// heading remembers a heading that gets an anchor of its words.
func (r *record) heading(page, words string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.slugs[place{page, slug(words)}]++
}

func (r *record) link(page, link string, pos api.Position) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.links = append(r.links, linkAt{page, link, pos})
}

// slug is the anchor that GitHub and others make of the words of a heading.
func slug(words string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-', r == '_', unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r):
			return unicode.ToLower(r)
		}
		return -1
	}, words)
}

// ReportLinks reports the links in comments that lead nowhere, and the anchors that
// stand twice. It is for after the content of all pages has been made.
func (s *Site) ReportLinks() {
	if s.record == nil {
		return
	}
	pages := make(map[string]bool)
	for _, p := range s.Pages {
		pages[p.Name] = true
	}
	for _, l := range s.record.links {
		if why := s.record.dead(l, pages); why != "" {
			s.Report(Problem{Kind: DeadLink, Pos: l.pos, Message: fmt.Sprintf("the link to %s is dead: %s", l.link, why)})
		}
	}
	for _, p := range s.record.twice() {
		s.Report(p)
	}
}

// dead says why a link leads nowhere; empty if it does lead somewhere, or out of
// the pages.
func (r *record) dead(l linkAt, pages map[string]bool) string {
	to, err := url.Parse(l.link)
	if err != nil || to.Scheme != "" || to.Host != "" || strings.HasPrefix(to.Path, "/") {
		return ""
	}
	page := l.page
	if to.Path != "" {
		page = path.Join(path.Dir(l.page), to.Path)
		if !pages[page] {
			return "no page has this name"
		}
	}
	if to.Fragment == "" {
		return ""
	}
	_, ok := r.anchors[place{page, to.Fragment}]
	if ok || r.hasSlug(page, to.Fragment) {
		return ""
	}
	return fmt.Sprintf("%s has no such anchor", page)
}

// hasSlug tells whether a heading has the words, or as many as a number behind them
// says.
func (r *record) hasSlug(page, anchor string) bool {
	if r.slugs[place{page, anchor}] > 0 {
		return true
	}
	i := strings.LastIndexByte(anchor, '-')
	if i < 0 {
		return false
	}
	for n := 1; n < r.slugs[place{page, anchor[:i]}]; n++ {
		if anchor[i+1:] == fmt.Sprint(n) {
			return true
		}
	}
	return false
}

// noteLinks remembers the links and the headings of a comment.
func (b *builder) noteLinks(d *api.Decl, doc *comment.Doc) {
	if b.Slugs {
		for _, words := range doc.Headings() {
			b.record.heading(b.page, words)
		}
	}
	for _, link := range slices.Compact(doc.Links()) {
		if !strings.Contains(link, "://") {
			b.record.link(b.page, link, placeOfText(d, link))
		}
	}
}

// noteHeadings remembers the headings of a file's declarations.
func (b *builder) noteHeadings(f *api.File) {
	if b.record == nil || !b.Slugs {
		return
	}
	for _, words := range []string{"Contents", "Changes", f.Path} {
		b.record.heading(b.page, words)
	}
	for _, s := range f.Services {
		b.record.heading(b.page, "Service "+s.Name)
		for _, m := range s.Methods {
			b.record.heading(b.page, m.Name)
		}
	}
	for m := range f.AllMessages() {
		b.record.heading(b.page, m.LongName())
	}
	for e := range f.AllEnums() {
		b.record.heading(b.page, e.LongName())
	}
}

// placeOfText is the place of a text in a declaration's comments.
func placeOfText(d *api.Decl, text string) api.Position {
	for i, whole := range []string{d.Comments.Leading, d.Comments.Trailing} {
		at := strings.Index(whole, text)
		if at < 0 {
			continue
		}
		before := whole[:at]
		line := strings.Count(before, "\n")
		return placeOf(d, comment.Problem{Text: i, Line: line, Column: at - (strings.LastIndexByte(before, '\n') + 1)})
	}
	return d.Pos()
}

// placeOf is the place of a problem in a comment. Descriptors have no places of
// comments: a leading one is taken to end on the line above its declaration, and to
// begin in the column of that. Of a comment between slash-stars, the columns of all
// lines but the first are not known.
func placeOf(d *api.Decl, p comment.Problem) api.Position {
	pos := d.Pos()
	leading := d.Comments.Leading
	if p.Text > 0 || leading == "" {
		return pos
	}
	const mark = len("//")
	// A line comment ends in the end of its line; one between slash-stars has a line
	// more than it has ends. One that looks like the other is taken for it, and its
	// places are a line too low.
	block := !strings.HasSuffix(leading, "\n") || strings.HasPrefix(leading, "*") || strings.HasPrefix(leading, "\n")
	first := pos.Line - strings.Count(leading, "\n")
	if block {
		first--
	}
	switch line := first + p.Line; {
	case line <= 0:
	case block && p.Line > 0:
		pos.Line = line
	default:
		pos.Line, pos.Column = line, pos.Column+mark+p.Column
	}
	return pos
}
