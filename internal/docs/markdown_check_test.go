package docs_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"golang.org/x/net/html"
)

// markdownPage is a page of Markdown, as GitHub and Hugo read it.
type markdownPage struct {
	name    string
	source  string
	root    ast.Node
	hugo    bool
	anchors map[string]int // how often each id stands on the page
	links   []string
}

// gfm reads GitHub's Markdown, with the attributes of headings that Hugo has too.
var gfm = goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser()
var hugoParser = goldmark.New(goldmark.WithExtensions(extension.GFM),
	goldmark.WithParserOptions(parser.WithAttribute(), parser.WithHeadingAttribute())).Parser()

func readMarkdown(name, source string, hugo bool) *markdownPage {
	p := &markdownPage{name: name, source: frontMatter.ReplaceAllString(source, ""), hugo: hugo, anchors: make(map[string]int)}
	reader := text.NewReader([]byte(p.source))
	if hugo {
		p.root = hugoParser.Parse(reader)
	} else {
		p.root = gfm.Parse(reader)
	}
	slugs := make(map[string]int)
	_ = ast.Walk(p.root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			p.anchors[p.headingAnchor(n, slugs)]++
		case *ast.RawHTML:
			for i := range n.Segments.Len() {
				segment := n.Segments.At(i)
				p.tag(string(segment.Value([]byte(p.source))))
			}
		case *ast.HTMLBlock:
			for i := range n.Lines().Len() {
				line := n.Lines().At(i)
				p.tag(string(line.Value([]byte(p.source))))
			}
		case *ast.Link:
			p.links = append(p.links, string(n.Destination))
		}
		return ast.WalkContinue, nil
	})
	return p
}

var idOf = regexp.MustCompile(`<a id="([^"]*)">`)

func (p *markdownPage) tag(tag string) {
	for _, m := range idOf.FindAllStringSubmatch(tag, -1) {
		p.anchors[html.UnescapeString(m[1])]++
	}
}

// headingAnchor is the id that a heading gets: Hugo takes the one given, GitHub
// makes one of the words, and tells equal ones apart.
func (p *markdownPage) headingAnchor(h *ast.Heading, slugs map[string]int) string {
	if id, ok := h.AttributeString("id"); ok && p.hugo {
		return string(id.([]byte))
	}
	slug := slugOf(textOf(h, []byte(p.source)))
	for n := 0; ; n++ {
		name := slug
		if n > 0 {
			name = fmt.Sprintf("%s-%d", slug, n)
		}
		if slugs[name] == 0 {
			slugs[name]++
			return name
		}
	}
}

func textOf(n ast.Node, source []byte) string {
	var out strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Text:
			if entering {
				out.Write(n.Value(source))
			}
		case *ast.String:
			if entering {
				out.Write(n.Value)
			}
		}
		return ast.WalkContinue, nil
	})
	return out.String()
}

func slugOf(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-', r == '_', unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r):
			return unicode.ToLower(r)
		}
		return -1
	}, text)
}

// checkMarkdown fails where a page is broken: a table whose rows differ, a tag that
// the page should not have, an outline with gaps, an anchor twice, white space at
// the end of a line.
func checkMarkdown(t testing.TB, name, source string, hugo bool) *markdownPage {
	t.Helper()
	p := readMarkdown(name, source, hugo)
	if !strings.HasSuffix(source, "\n") || strings.HasSuffix(source, "\n\n") {
		t.Errorf("%s does not end in one newline", name)
	}
	for i, line := range strings.Split(source, "\n") {
		if strings.TrimRight(line, " \t\r") != line {
			t.Errorf("%s:%d: white space at the end of %q", name, i+1, line)
		}
	}
	for anchor, n := range p.anchors {
		if n > 1 {
			t.Errorf("%s: the anchor %s stands %d times", name, anchor, n)
		}
	}
	p.checkOutline(t)
	p.checkTables(t)
	p.checkTags(t)
	return p
}

func (p *markdownPage) checkOutline(t testing.TB) {
	t.Helper()
	last := 0
	if p.hugo {
		last = 1 // the title, which Hugo takes from the front matter
	}
	for n := p.root.FirstChild(); n != nil; n = n.NextSibling() {
		h, ok := n.(*ast.Heading)
		if !ok {
			continue
		}
		if h.Level > last+1 {
			t.Errorf("%s: the heading %q of level %d follows one of level %d", p.name, textOf(h, []byte(p.source)), h.Level, last)
		}
		last = h.Level
	}
}

// checkTables counts the cells of each row as they are written: a parser fills
// rows up, and cuts them. A line with bars that the parser does not take for a row
// is one of a table that has broken.
func (p *markdownPage) checkTables(t testing.TB) {
	t.Helper()
	rows := 0
	_ = ast.Walk(p.root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		table, ok := n.(*extast.Table)
		if !entering || !ok {
			return ast.WalkContinue, nil
		}
		rows++ // the line below the head
		for row := table.FirstChild(); row != nil; row = row.NextSibling() {
			rows++
		}
		return ast.WalkSkipChildren, nil
	})
	written, columns := 0, 0
	for i, line := range p.linesOutsideCode() {
		trimmed := strings.TrimLeft(line, " >")
		if !strings.HasPrefix(trimmed, "| ") {
			columns = 0
			continue
		}
		written++
		cells := strings.Count(strings.ReplaceAll(trimmed, `\|`, ""), "|") - 1
		if columns != 0 && cells != columns {
			t.Errorf("%s:%d: %d cells in a table of %d columns: %s", p.name, i+1, cells, columns, line)
		}
		columns = cells
	}
	if rows != written {
		t.Errorf("%s: %d rows of tables are written, and %d are read", p.name, written, rows)
	}
}

// linesOutsideCode are the lines of the page; those of blocks of code are empty.
func (p *markdownPage) linesOutsideCode() []string {
	code := []byte(p.source)
	_ = ast.Walk(p.root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if kind := n.Kind(); entering && (kind == ast.KindFencedCodeBlock || kind == ast.KindCodeBlock) {
			for i := range n.Lines().Len() {
				line := n.Lines().At(i)
				for at := line.Start; at < line.Stop; at++ {
					if code[at] != '\n' {
						code[at] = ' '
					}
				}
			}
		}
		return ast.WalkContinue, nil
	})
	return strings.Split(string(code), "\n")
}

// allowedTags are those that pages have, with their attributes.
var allowedTags = regexp.MustCompile(`^(<a id="[A-Za-z0-9._/-]+">|</a>|</?(b|strong|i|em|del|s|code|kbd|sub|sup|ul|li|pre|blockquote)>|</?ol( start="\d+")?>|<br>|<br />|</?details>|<summary>(Example|Try it|Used in \d+ places)</summary>)$`)

// hugoTags are those that Hugo may leave out: what is in them stays.
var hugoTags = regexp.MustCompile(`^(<br>|</?(kbd|sub|sup)>)$`)

var anyTag = regexp.MustCompile(`<summary>[^<]*</summary>|<[^>]*>?`)

func (p *markdownPage) checkTags(t testing.TB) {
	t.Helper()
	check := func(text string) {
		for _, tag := range anyTag.FindAllString(text, -1) {
			if !allowedTags.MatchString(tag) {
				t.Errorf("%s: the tag %s", p.name, tag)
			}
			if p.hugo && !hugoTags.MatchString(tag) {
				t.Errorf("%s: Hugo leaves the tag %s out", p.name, tag)
			}
		}
	}
	_ = ast.Walk(p.root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.RawHTML:
			var tag strings.Builder
			for i := range n.Segments.Len() {
				segment := n.Segments.At(i)
				tag.Write(segment.Value([]byte(p.source)))
			}
			check(tag.String())
		case *ast.HTMLBlock:
			for i := range n.Lines().Len() {
				line := n.Lines().At(i)
				check(string(line.Value([]byte(p.source))))
			}
			if n.HasClosure() {
				check(string(n.ClosureLine.Value([]byte(p.source))))
			}
		}
		return ast.WalkContinue, nil
	})
}

// deadLinks are the links of pages that lead nowhere: pages are all of a folder,
// by name.
func deadLinks(pages map[string]*markdownPage, isFile func(string) bool) []string {
	var dead []string
	for _, p := range pages {
		for _, link := range p.links {
			if strings.Contains(link, "://") || strings.HasPrefix(link, "mailto:") {
				continue
			}
			if !leadsSomewhere(pages, p, link, isFile) {
				dead = append(dead, p.name+": "+link)
			}
		}
	}
	slices.Sort(dead)
	return dead
}
