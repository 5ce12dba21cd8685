package comment

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"html/template"
	"io"
	"math/rand"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	goldmarkhtml "github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"golang.org/x/net/html"
)

var flavors = map[string]Flavor{"gfm": GFM, "mdx": MDX, "hugo": Hugo}

// resolveAny resolves the names that the generator and the fuzzer know.
func resolveAny(target string) (Link, bool) {
	switch target {
	case "Book", "google.example.v1.Book", "A", "a.b", "page_token":
		return Link{URL: "#" + target, Title: `the "` + target}, true
	case "Evil", "evil.x":
		return Link{URL: "javascript:alert(1)"}, true
	}
	return Link{}, false
}

var everything = Options{Resolve: resolveAny, RemoveInternal: true, RemoveDirectives: true}

// checkDoc checks what holds for each comment in each rendering.
func checkDoc(t *testing.T, d *Doc) {
	t.Helper()
	for name, f := range flavors {
		md := d.Markdown(f, 2)
		checkMarkdown(t, name, md, d, f)
		checkCell(t, name, d.MarkdownCell(f))
	}
	checkHTML(t, d.HTML(2))
	checkHTML(t, d.HTMLInline())
	checkDocBook(t, d.DocBook())
	if strings.Contains(d.Text(), "\n") {
		t.Errorf("Text has a line end: %q", d.Text())
	}
	for _, out := range []string{d.Text(), d.Markdown(GFM, 2), d.MarkdownCell(MDX), string(d.HTML(1)), d.DocBook()} {
		if r := strings.IndexFunc(out, func(r rune) bool {
			return r < ' ' && r != '\n' && r != '\t' || r == 0x7F || r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069
		}); r >= 0 {
			t.Errorf("a character that cannot be printed at %d of %q", r, out)
		}
	}
	checkGitHub(t, d)
	checkShortCut(t, d.blocks)
	checkCell(t, "summary", d.Summary().MarkdownCell(GFM))
	checkHTML(t, d.Summary().HTMLInline())
}

// checkShortCut checks that text that needs no escapes is what the writer writes.
func checkShortCut(t *testing.T, blocks []block) {
	t.Helper()
	for _, b := range blocks {
		checkShortCut(t, b.blocks)
		for name, f := range flavors {
			for _, p := range []place{inBlock, inHeading, inCell} {
				if got, want := inlineMarkdown(b.inlines, f, p), writeInlines(b.inlines, f, p); got != want {
					t.Errorf("%s: text is written as %q, want %q", name, got, want)
				}
			}
		}
	}
}

func checkMarkdown(t *testing.T, name, md string, d *Doc, f Flavor) {
	t.Helper()
	for line := range strings.SplitSeq(md, "\n") {
		if line != strings.TrimRight(line, " \t") {
			t.Errorf("%s: white space at the end of %q in\n%s", name, line, md)
		}
	}
	if strings.HasSuffix(md, "\n") || strings.HasPrefix(md, "\n") {
		t.Errorf("%s: a blank line at an end of %q", name, md)
	}
	if d.literal || strings.HasPrefix(md, excludeMark) || f == Hugo && hasShortcode(d.blocks) {
		return // the one may be read as Markdown now, the other is read by Hugo
	}
	again := Parse(Options{}, sealed(md))
	if again.literal {
		return
	}
	if diff := cmp.Diff(shape(d.blocks), shape(again.blocks)); diff != "" {
		t.Errorf("%s: the Markdown is another document (-before +after):\n%s\nMarkdown:\n%s", name, diff, md)
	}
	if second := again.Markdown(f, 2); second != md && !strings.Contains(md, "#") {
		t.Errorf("%s: the Markdown of the Markdown differs: %s", name, cmp.Diff(md, second))
	}
}

// hasShortcode tells whether code has what Hugo reads.
func hasShortcode(blocks []block) bool {
	for _, b := range blocks {
		if shortcodeStart(b.text) >= 0 || hasShortcode(b.blocks) || shortcodeStart(string(textOf(nil, b.inlines))) >= 0 {
			return true
		}
	}
	return false
}

// sealed is Markdown as a comment that loses nothing when it is cleaned.
func sealed(md string) string {
	return " " + strings.ReplaceAll(md, "\n", "\n ") + "\n"
}

// shape prints a tree, without what a rendering may change: who resolved a link,
// levels of headings, and the marks that are tags in a place.
func shape(blocks []block) string {
	var out strings.Builder
	var printInlines func(list []inline)
	printInlines = func(list []inline) {
		for _, n := range list {
			switch {
			case n.kind == textNode:
				fmt.Fprintf(&out, "%q", n.text)
			default:
				fmt.Fprintf(&out, "(%d %q %q %q ", n.kind, n.text, n.url, n.title)
				printInlines(n.children)
				out.WriteString(")")
			}
			out.WriteByte('\n')
		}
	}
	var printBlocks func(depth int, blocks []block)
	printBlocks = func(depth int, blocks []block) {
		for _, b := range blocks {
			level := b.level
			if b.kind == heading {
				level = 0
				for i := range b.inlines {
					// A heading is one line.
					b.inlines = append([]inline(nil), b.inlines...)
					b.inlines[i] = oneLine(b.inlines[i])
				}
			}
			fmt.Fprintf(&out, "%s%d ordered=%v tight=%v level=%d %q %q\n", strings.Repeat("  ", depth),
				b.kind, b.ordered, b.tight, level, b.text, b.language)
			printInlines(b.inlines)
			printBlocks(depth+1, b.blocks)
		}
	}
	printBlocks(0, blocks)
	return out.String()
}

func oneLine(n inline) inline {
	n.text = strings.ReplaceAll(n.text, "\n", " ")
	children := append([]inline(nil), n.children...)
	for i := range children {
		children[i] = oneLine(children[i])
	}
	n.children = children
	return n
}

var gfm = goldmark.New(goldmark.WithExtensions(extension.GFM))

func checkCell(t *testing.T, name, cell string) {
	t.Helper()
	if strings.ContainsAny(cell, "\n\r") {
		t.Errorf("%s: cell has a line end: %q", name, cell)
	}
	if cell != strings.Trim(cell, " \t") {
		t.Errorf("%s: white space at an end of the cell %q", name, cell)
	}
	source := []byte("| x | y | z |\n| - | - | - |\n| before | " + cell + " | after |\n")
	root := gfm.Parser().Parse(text.NewReader(source))
	tbl, ok := root.FirstChild().(*extast.Table)
	if !ok || tbl.NextSibling() != nil || tbl.ChildCount() != 2 {
		t.Fatalf("%s: not a table of one row: %s", name, source)
	}
	// goldmark fills rows up, and cuts them: count what it found.
	last := tbl.LastChild().LastChild()
	if got := string(last.(*extast.TableCell).Lines().Value(source)); got != "after" {
		t.Errorf("%s: cell breaks its row: %s", name, source)
	}
}

// github reads Markdown with blocks of HTML and with its own idea of addresses.
var github = goldmark.New(goldmark.WithExtensions(extension.GFM),
	goldmark.WithRendererOptions(goldmarkhtml.WithUnsafe()))

// checkGitHub checks that other readers of Markdown show the text of the comment,
// all of it and nothing else.
func checkGitHub(t *testing.T, d *Doc) {
	t.Helper()
	want := letters(string(d.HTML(2)))
	var out bytes.Buffer
	if err := github.Convert([]byte(d.Markdown(GFM, 2)), &out); err != nil {
		t.Fatal(err)
	}
	if got := letters(out.String()); got != want {
		t.Errorf("GitHub shows %q, want %q; Markdown:\n%s", got, want, d.Markdown(GFM, 2))
	}
	if strings.Contains(string(d.HTML(2)), "<table>") {
		return // whose columns have bars in a cell
	}
	out.Reset()
	if err := github.Convert([]byte("| a |\n| - |\n| "+d.MarkdownCell(GFM)+" |\n"), &out); err != nil {
		t.Fatal(err)
	}
	if got := letters(out.String()); got != "a"+want {
		t.Errorf("GitHub shows %q, want %q; cell:\n%s", got, "a"+want, d.MarkdownCell(GFM))
	}
}

// letters is the text of HTML without white space and boxes.
func letters(page string) string {
	var out strings.Builder
	tokens := html.NewTokenizer(strings.NewReader(page))
	for {
		switch tokens.Next() {
		case html.ErrorToken:
			return strings.NewReplacer("☐", "", "☑", "").Replace(strings.Join(strings.Fields(out.String()), ""))
		case html.TextToken:
			out.WriteString(tokens.Token().Data)
		}
	}
}

// allowed are the elements of HTML, and the attributes that each may have.
var allowed = map[string][]string{
	"p": nil, "h1": nil, "h2": nil, "h3": nil, "h4": nil, "h5": nil, "h6": nil, "pre": nil, "code": {"class"},
	"blockquote": nil, "ul": nil, "ol": {"start"}, "li": nil, "table": nil, "thead": nil, "tbody": nil, "tr": nil,
	"th": {"class"}, "td": {"class"}, "hr": nil, "br": nil, "a": {"href", "title"}, "em": nil, "strong": nil,
	"del": nil, "kbd": nil, "sub": nil, "sup": nil,
}

var safeAddress = regexp.MustCompile(`^(?i:https?:|mailto:|[^:]*$|[^:/?#]*[/?#])`)

func checkHTML(t *testing.T, out template.HTML) {
	t.Helper()
	var open []string
	tokens := html.NewTokenizer(strings.NewReader(string(out)))
	for {
		kind := tokens.Next()
		switch kind {
		case html.ErrorToken:
			if len(open) > 0 {
				t.Errorf("%v not closed in %s", open, out)
			}
			return
		case html.CommentToken, html.DoctypeToken, html.SelfClosingTagToken:
			t.Errorf("%v in %s", tokens.Token(), out)
		case html.StartTagToken:
			token := tokens.Token()
			checkTag(t, token, out)
			if token.Data != "br" && token.Data != "hr" {
				open = append(open, token.Data)
			}
		case html.EndTagToken:
			name := tokens.Token().Data
			if len(open) == 0 || open[len(open)-1] != name {
				t.Fatalf("</%s> closes %v in %s", name, open, out)
			}
			open = open[:len(open)-1]
		}
	}
}

func checkTag(t *testing.T, token html.Token, out template.HTML) {
	t.Helper()
	attributes, ok := allowed[token.Data]
	if !ok {
		t.Errorf("element %s in %s", token.Data, out)
	}
	for _, a := range token.Attr {
		known := false
		for _, name := range attributes {
			known = known || name == a.Key
		}
		if !known {
			t.Errorf("attribute %s of %s in %s", a.Key, token.Data, out)
		}
		if a.Key == "href" && !safeAddress.MatchString(a.Val) {
			t.Errorf("address %q in %s", a.Val, out)
		}
	}
}

func checkDocBook(t *testing.T, out string) {
	t.Helper()
	decoder := xml.NewDecoder(strings.NewReader(`<a xmlns:xlink="http://www.w3.org/1999/xlink">` + out + "</a>"))
	for {
		if _, err := decoder.Token(); err == io.EOF {
			return
		} else if err != nil {
			t.Fatalf("DocBook: %v in %s", err, out)
		}
	}
}

// scraps are what the generator makes comments of.
var scraps = []string{
	"a", "b c", "foo_bar", "_x_", "__x__", "*", "**", "***", "_", "__", "~", "~~", "`", "``", "```", "\\",
	"\\*", "\\\n", "  \n",
	"\n", "\n\n", "\n    ", "\n\t", "\n> ", "\n- ", "\n  - ", "\n1. ", "\n2) ", "\n+ ", "\n* ", "\n# ",
	"\n### ", "\n---\n", "\n===\n",
	"\n```go\n", "\n```\n", "\n~~~\n", "\n| a | b |\n|---|:-:|\n| 1 | 2 |\n", "|", "\\|", "[", "]", "(", ")",
	"[a](b)", "[Book][]",
	"[x][a.b]", "[a.b]", "[Book][Missing.X]", "[Evil][]", "[page_token][]", "![i](http://h/i.png)", "[j](javascript:x)",
	"[c]: http://x.y\n", "[c]", "<br>",
	"<b>", "</b>", "<i>", "</i>", "<code>", "</code>", "<sub>", "</sub>", "<p>", "<script>", "</script>",
	"<!--", "-->", "<x y=\"z\">",
	"<project-id>", "<https://x.y/z>", "https://x.y/a_b*c*", "http://", "www.x.y", "www", ".", ":", "//",
	"&amp;", "&lt;", "&#42;", "&#x202e;",
	"&nbsp;", "&", ";", "amp;", "(--", "--)", "{{<", ">}}", "{{%", "%}}", "{", "}", "{name}", "import x",
	"export", "é", "日本", "“", "€", "\u00A0",
	"\u202E", "\x00", "\r\n", "\r", "\t", " ", "  ", "!", "?", "\"", "'", "projects/*/x/*", "buf:lint:ignore X",
	"[ ] ", "[x] ", "- ", "1. ", "#",
	"=", "-", "+", ">", "x", "X", "1", "^", "$", "@exclude", "protolint:disable",
}

func randomComment(rnd *rand.Rand) string {
	var out bytes.Buffer
	for range 1 + rnd.Intn(14) {
		out.WriteString(scraps[rnd.Intn(len(scraps))])
		if rnd.Intn(3) == 0 {
			out.WriteByte(' ')
		}
	}
	return out.String()
}

func TestRenderingsOfRandomComments(t *testing.T) {
	count := 30_000
	if testing.Short() {
		count = 3_000
	}
	for seed := range count {
		comment := randomComment(rand.New(rand.NewSource(int64(seed))))
		if t.Failed() {
			return
		}
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			defer func() {
				if t.Failed() {
					t.Logf("seed %d, comment %q", seed, comment)
				}
			}()
			checkDoc(t, Parse(everything, comment))
			checkPlain(t, comment)
		})
	}
}

// checkPlain checks that prose is what goldmark takes it for.
func checkPlain(t *testing.T, comment string) {
	t.Helper()
	clean := cleanText(comment)
	if !isPlain(clean, everything) || isTooComplex(clean) { // prose has no bounds
		return
	}
	r := reader{options: everything, original: comment, source: trackedClean(comment)}
	r.remove()
	slow, ok := r.parse()
	if !ok || len(r.findings) > 0 {
		t.Fatalf("prose is not read as Markdown: %v", r.findings)
	}
	if diff := cmp.Diff(slow, plainBlocks(clean), cmp.AllowUnexported(block{}, inline{}),
		cmp.Transformer("empty", func(b []block) []block { return append([]block{}, b...) })); diff != "" {
		t.Errorf("prose differs from Markdown (-Markdown +prose):\n%s", diff)
	}
}

func FuzzComment(f *testing.F) {
	for _, s := range scraps {
		f.Add(s)
	}
	for seed := range 200 {
		f.Add(randomComment(rand.New(rand.NewSource(int64(seed)))))
	}
	f.Fuzz(func(t *testing.T, comment string) {
		checkDoc(t, Parse(everything, comment))
		checkPlain(t, comment)
	})
}
