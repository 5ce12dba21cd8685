package comment

import (
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestInjection has the comments of somebody who wants to get a script, a tag or a
// request into a page. checkDoc looks at the elements, attributes and addresses of
// all of them; what each shows is here.
func TestInjection(t *testing.T) {
	for _, c := range []struct{ comment, html string }{
		{` <script>alert(1)</script>`, `<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>`},
		{" <script\n type=x>alert(1)</script>", "<p>&lt;script\ntype=x&gt;alert(1)&lt;/script&gt;</p>"},
		{` <img src=x onerror=alert(1)>`, `<p>&lt;img src=x onerror=alert(1)&gt;</p>`},
		{` <b onmouseover="alert(1)">x</b>`, `<p>&lt;b onmouseover=&#34;alert(1)&#34;&gt;x&lt;/b&gt;</p>`},
		{` <br onclick=x>`, `<p>&lt;br onclick=x&gt;</p>`},
		{` </p></div><b>x`, `<p>&lt;/p&gt;&lt;/div&gt;&lt;b&gt;x</p>`},
		{` <b><i>x</b></i>`, `<p><strong>&lt;i&gt;x</strong>&lt;/i&gt;</p>`},
		{` <svg/onload=alert(1)>`, `<p>&lt;svg/onload=alert(1)&gt;</p>`},
		{` <style>*{display:none}</style>`, `<p>&lt;style&gt;*{display:none}&lt;/style&gt;</p>`},
		{` <!--><script>alert(1)</script>-->`, `<p></p>`},
		{` <!-- --!> <script>x</script>`, `<p>&lt;!-- --!&gt; &lt;script&gt;x&lt;/script&gt;</p>`},
		{` <?php x ?> <![CDATA[<script>]]> <!DOCTYPE x>`,
			`<p>&lt;?php x ?&gt; &lt;![CDATA[&lt;script&gt;]]&gt; &lt;!DOCTYPE x&gt;</p>`},
		{` [x](javascript:alert(1))`, `<p>x</p>`},
		{` [x](JaVaScRiPt:alert(1))`, `<p>x</p>`},
		{` [x](java&#115;cript&colon;alert(1))`, `<p>x</p>`},
		{` [x](<java	script:alert(1)>)`, `<p>x</p>`},
		{` [x](&#1;javascript:alert(1))`, `<p>x</p>`},
		{` [x](&#9;javascript&#x3a;alert(1))`, `<p>x</p>`},
		{` [x](data:text/html;base64,PHNjcmlwdD4=)`, `<p>x</p>`},
		{` [x](vbscript:x) [y](file:///etc/passwd)`, `<p>x y</p>`},
		{` [x](javascript\:alert(1))`, `<p>x</p>`},
		{` <javascript:alert(1)>`, `<p>&lt;javascript:alert(1)&gt;</p>`},
		{` [x]` + "\n\n [x]: javascript:alert(1)", `<p>x</p>`},
		{` ![x](javascript:alert(1)) ![y](https://evil.example/pixel.gif)`,
			`<p>x <a href="https://evil.example/pixel.gif">y</a></p>`},
		{` [x](a"onclick="alert(1))`, `<p><a href="a%22onclick=%22alert(1)">x</a></p>`},
		{` [x](a '"><script>')`, `<p><a href="a" title="&#39;&gt;&lt;script&gt;">x</a></p>`},
		{` ![x][a.b] ![][No.Such]`, `<p>!<a href="#a.b" title="the &#39;a.b">x</a> !</p>`},
		{` [Evil][] [evil.x]`, `<p>Evil [evil.x]</p>`},
		{" ```\"><script>\n x\n ```", "<pre><code>x</code></pre>"},
		{" ```go{x}\n </code></pre><script>\n ```", "<pre><code>&lt;/code&gt;&lt;/pre&gt;&lt;script&gt;</code></pre>"},
		{" `</code><script>`", "<p><code>&lt;/code&gt;&lt;script&gt;</code></p>"},
		{" a\u202egnp.exe\u2066b &#x202e;&#8238;", "<p>aU+202Egnp.exeU+2066b U+202EU+202E</p>"},
		{" nul\x00 bell\x07 &#0; &#7; \xff", "<p>nul bell \uFFFD \uFFFD</p>"},
		{` {{ template "x" }} ${alert(1)}`, `<p>{{ template &#34;x&#34; }} ${alert(1)}</p>`},
	} {
		d := Parse(everything, c.comment)
		checkDoc(t, d)
		got := string(d.HTML(2))
		if d.Empty() {
			got = "<p></p>"
		}
		if got != c.html {
			t.Errorf("comment %q\n got %s\nwant %s", c.comment, got, c.html)
		}
		for name, f := range flavors {
			md := strings.ToLower(d.Markdown(f, 2) + d.MarkdownCell(f))
			if i := strings.Index(md, "<script"); i > 0 && md[i-1] != '\\' && !strings.Contains(md, "`") {
				t.Errorf("%s: an open tag in %s", name, md)
			}
		}
	}
}

func TestClean(t *testing.T) {
	for _, c := range []struct{ comment, want string }{
		{"", ""},
		{" \n\t\n", ""},
		{" one\r\n two\r three\n", "one\ntwo\nthree"},
		{"  a\n\n    b\n  c\n", "a\n\n  b\nc"},
		{"\ta\n\t\tb\n", "a\n\tb"},
		{" a\n\tb\n", " a\n\tb"},
		{"*\n Javadoc.\n", "Javadoc."},
		{"* Javadoc.\n", "Javadoc."},
		{" * item\n * item\n", "* item\n* item"},
		{"/ doc\n/\n/ more\n", "doc\n\nmore"},
		{"/healthz\n", "/healthz"},
		{" a\x00\x1b[1m\uFEFFb\u2028c\uFFFE", "a[1mb c"},
		{" \xff\xfe", "\uFFFD\uFFFD"},
		{" two  \n spaces ", "two  \nspaces "},
	} {
		if got := cleanText(c.comment); got != c.want {
			t.Errorf("%q: got %q, want %q", c.comment, got, c.want)
		}
		if got := trackedClean(c.comment).text; got != c.want {
			t.Errorf("%q, with positions: got %q, want %q", c.comment, got, c.want)
		}
	}
}

const fullName = "write the full name of a message, enum, field, value, service or method"

func TestProblemsHavePositions(t *testing.T) {
	d := Parse(everything,
		"*\r\n  First \u202e [Book][No.Such] line. (-- gone\r\n  too --) [x](data:y)\r\n",
		" <!-- c --> ![i](vbscript:x) `[A][No]`\n\n > [b\n > c][No.\n > Thing] (-- open")
	want := []Problem{
		{0, 1, 12, `nothing is called "No.Such" here; ` + fullName},
		{0, 2, 10, `a link leads to "data:y"; only http, https, mailto and relative addresses do`},
		{1, 0, 12, `a link leads to "vbscript:x"; only http, https, mailto and relative addresses do`},
		{1, 2, 3, `nothing is called "No.Thing" here; ` + fullName},
		{1, 4, 10, `"(--" is not closed, so that the rest of the comment is internal; add "--)"`},
	}
	if diff := cmp.Diff(want, d.Problems()); diff != "" {
		t.Errorf("problems differ (-want +got):\n%s", diff)
	}
}

func TestOptions(t *testing.T) {
	const comment = " Text (-- internal --) here.\n buf:lint:ignore X\n [Book][]"
	for _, c := range []struct {
		name    string
		options Options
		want    string
	}{
		{"none", Options{}, "Text (-- internal --) here. buf:lint:ignore X Book"},
		{"internal", Options{RemoveInternal: true}, "Text here. buf:lint:ignore X Book"},
		{"directives", Options{RemoveDirectives: true}, "Text (-- internal --) here. Book"},
		{"references", Options{Resolve: resolveAny},
			"Text (-- internal --) here. buf:lint:ignore X [Book](#Book \"the 'Book\")"},
	} {
		if got := Parse(c.options, comment).MarkdownCell(GFM); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

func TestInternalPartsAndCode(t *testing.T) {
	for _, c := range []struct{ comment, want string }{
		{" (-- odd ` --) and `(-- here --)` too", "and `(-- here --)` too"},
		{" a (-- x --). b", "a. b"},
		{" a\n (-- x --)\n b", "a\nb"},
		{" a\n\n (-- x --)\n\n b", "a\n\nb"},
		{" (-- x --) a", "a"},
		{" a (-- x", "a"},
		{" (-- x --)", ""},
		{" (--) internal --) a", "a"},
		{" - a\n - (-- x --)\n - b", "- a\n- b"},
		{" ```\n (-- code --)\n ```", "```\n(-- code --)\n```"},
		{" (--\n ```\n --)\n a\n\n     (-- code --)", "a\n\n```\n(-- code --)\n```"},
		{strings.Repeat(" (-- ` --)", 100) + " a", "a"},
		{" protolint:disable X", ""},
		{" a\n   @exclude x\n b", "a\nb"},
		{" `buf:lint:ignore` in a line", "`buf:lint:ignore` in a line"},
	} {
		if got := Parse(everything, c.comment).Markdown(GFM, 1); got != c.want {
			t.Errorf("%q: got %q, want %q", c.comment, got, c.want)
		}
	}
}

func TestReferences(t *testing.T) {
	for _, c := range []struct{ comment, want string }{
		{" [page_token][]", "[page_token](#page_token)"},
		{" [the token][page_token]", "[the token](#page_token)"},
		{" [page_token]", `\[page_token]`},
		{" rows[page_token][] rows[i][page_token]", `rows\[page_token]\[] rows\[i]\[page_token]`},
		{" rows[i][a.b]", `rows[i](#a.b)`},
		{" [i][j] [x][1.2]", `\[i]\[j] \[x]\[1.2]`},
		{" [Book][.a.b]", "Book"},
		{" [Book] [BOOK] [book][Book]", `[Book](#Book) \[BOOK] [book](#Book)`},
		{" [book][`Book`]", "[book](#Book)"},
		{" [*my* `book`][Book]", "[_my_ `book`](#Book)"},
		{" [see [Book][] here](x)", `\[see [Book](#Book) here](x)`},
		{" [Book]: x\n\n [Book][]", "[Book](x)"},
		{" [page\\_token][]", "[page_token](#page_token)"},
	} {
		resolve := func(target string) (Link, bool) {
			link, ok := resolveAny(target)
			return Link{URL: link.URL}, ok
		}
		if got := Parse(Options{Resolve: resolve}, c.comment).Markdown(GFM, 1); got != c.want {
			t.Errorf("%q: got %s, want %s", c.comment, got, c.want)
		}
	}
}

func TestExcluded(t *testing.T) {
	for _, texts := range [][]string{{" @exclude\n x"}, {"", " @exclude"}, {"*\n @excluded too"}} {
		if d := Parse(Options{}, texts...); !d.Empty() {
			t.Errorf("%q shows %s", texts, d.Text())
		}
	}
	if d := Parse(Options{}, " Shown.", " @exclude, literally"); d.Text() != "Shown. @exclude, literally" {
		t.Errorf("got %s", d.Text())
	}
}

func TestSeveralTexts(t *testing.T) {
	d := Parse(Options{}, " ```\n open fence", " Trailing *text*.")
	if got, want := d.Markdown(GFM, 1), "```\nopen fence\n```\n\nTrailing _text_."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestNothing(t *testing.T) {
	var none *Doc
	for _, d := range []*Doc{none, Parse(Options{}), Parse(Options{}, "", " \n"), none.Summary()} {
		all := d.Markdown(GFM, 1) + d.MarkdownCell(MDX) + string(d.HTML(1)) + string(d.HTMLInline()) + d.DocBook() +
			d.Text() + d.Summary().Text()
		if !d.Empty() || d.HasBlocks() || all != "" || len(d.Problems()) > 0 {
			t.Errorf("not empty: %q", all)
		}
	}
}

func TestHasBlocks(t *testing.T) {
	for comment, want := range map[string]bool{
		" One *paragraph*\n on two lines.": false, " Two.\n\n Paragraphs.": true, " - list": true,
		" Text\n\n     code": true, " # Heading": true, "": false,
	} {
		if got := Parse(Options{}, comment).HasBlocks(); got != want {
			t.Errorf("%q: got %v", comment, got)
		}
	}
}

func TestSummary(t *testing.T) {
	for _, c := range []struct{ comment, want string }{
		{" First. Second.", "First."},
		{" First\n sentence.\n Second.", "First sentence."},
		{" See e.g. this one, i.e. that. Next.", "See e.g. this one, i.e. that."},
		{" Uses `a. B` and v1.2 only. Next.", "Uses `a. B` and v1.2 only."},
		{" Is it? Yes!", "Is it?"},
		{" No end\n\n Second.", "No end"},
		{" # Title\n\n Text.", "Title"},
		{" - list\n\n Text. More.", "Text."},
		{" - list", ""},
		{" One<br>two.", "One"},
		{" **Bold. Text.** After. More.", "**Bold. Text.** After."},
		{" 全部。Next", "全部。Next"},
	} {
		if got := Parse(Options{}, c.comment).Summary().MarkdownCell(GFM); got != c.want {
			t.Errorf("%q: got %q, want %q", c.comment, got, c.want)
		}
	}
}

func TestHeadingLevels(t *testing.T) {
	const comment = " ### a\n # b\n ### c\n ###### d\n ## e"
	for _, c := range []struct {
		level int
		want  string
	}{
		{1, "## a\n\n## b\n\n### c\n\n#### d\n\n### e"},
		{4, "##### a\n\n##### b\n\n###### c\n\n**d**\n\n###### e"},
		{6, "**a**\n\n**b**\n\n**c**\n\n**d**\n\n**e**"},
	} {
		if got := Parse(Options{}, comment).Markdown(GFM, c.level); got != c.want {
			t.Errorf("below %d: got %q, want %q", c.level, got, c.want)
		}
	}
}

// hostile are texts that take quadratic time, or a deep stack, in a parser of
// Markdown. Their sizes are in bytes.
var hostile = map[string]func(n int) string{
	"quotes":        func(n int) string { return strings.Repeat(">", n) },
	"lists":         func(n int) string { return strings.Repeat("- ", n/2) },
	"open brackets": func(n int) string { return strings.Repeat("[", n) },
	"brackets":      func(n int) string { return strings.Repeat("[", n/2) + strings.Repeat("]", n/2) },
	"links":         func(n int) string { return strings.Repeat("[a](", n/4) },
	"references":    func(n int) string { return strings.Repeat("[A][b.c]\n\n", n/10) },
	"emphasis":      func(n int) string { return strings.Repeat("*a _b ", n/6) },
	"nested":        func(n int) string { return strings.Repeat("*a ", n/6) + strings.Repeat("a* ", n/6) },
	"tags":          func(n int) string { return strings.Repeat("<b>", n/3) },
	"comments":      func(n int) string { return strings.Repeat("<!--", n/4) },
	"internal":      func(n int) string { return strings.Repeat("(-- ` --) ", n/10) },
	"one line":      func(n int) string { return strings.Repeat("word ", n/5) },
	"prose":         func(n int) string { return strings.Repeat(" A line of prose.\n", n/18) },
	"table": func(n int) string {
		return strings.Repeat("|a", n/8) + "\n" + strings.Repeat("|-", n/8) + strings.Repeat("\n|", n/4)
	},
	"underscores": func(n int) string { return strings.Repeat("_", n) },
	"breaks":      func(n int) string { return strings.Repeat("a\\\n", n/3) },
}

// TestHostileTexts ends, which is the point, and shows all of each text.
func TestHostileTexts(t *testing.T) {
	for name, text := range hostile {
		for _, size := range []int{10_000, 200_000, 1 << 20} {
			d := Parse(everything, text(size))
			for _, f := range flavors {
				d.Markdown(f, 1)
				d.MarkdownCell(f)
			}
			checkHTML(t, d.HTML(1))
			checkDocBook(t, d.DocBook())
			if d.literal && d.Text() == "" {
				t.Errorf("%s of %d bytes show nothing", name, size)
			}
		}
	}
}

func TestDeepTextsAreLiteral(t *testing.T) {
	for _, depth := range []int{maxDepth / 2, maxDepth * 4} {
		d := Parse(Options{}, strings.Repeat("> ", depth)+"x")
		if d.literal != (depth > maxDepth) || d.Empty() {
			t.Errorf("%d quotes: literal %v, %s", depth, d.literal, d.Text())
		}
	}
	large := Parse(Options{}, " "+strings.Repeat("*word* ", maxSize/7+1))
	if !strings.HasPrefix(large.Markdown(GFM, 1), `\*word\* \*word\*`) {
		t.Error("a large text is not shown as it is written")
	}
}

func TestDocIsSafeForGoroutines(t *testing.T) {
	var wg sync.WaitGroup
	d := Parse(everything, " *a* [Book][] `c`\n - x\n\n | a |\n |---|\n | b |")
	want := d.Markdown(GFM, 2) + string(d.HTML(2))
	for range 8 {
		wg.Go(func() {
			if got := d.Markdown(GFM, 2) + string(d.HTML(2)); got != want {
				t.Errorf("got %s", got)
			}
			Parse(everything, " *a* [Book][]")
		})
	}
	wg.Wait()
}

const (
	proseComment = " Creates a new book in the given shelf, and returns the created book.\n" +
		" The name of the book is assigned by the server.\n\n" +
		" Returns NOT_FOUND if the shelf does not exist.\n"
	richComment = " Lists the *books* of a shelf, see [Book][google.example.v1.Book] and https://example.com/books.\n\n" +
		" - `page_size` is at most 100;\n - `filter` is an expression such as `author = \"x\" | y`:\n\n" +
		"     author = \"someone\"\n\n | Code | Meaning |\n |------|---------|\n | `NOT_FOUND` | no such shelf |\n"
)

func BenchmarkComment(b *testing.B) {
	for _, c := range []struct{ name, comment string }{{"prose", proseComment}, {"rich", richComment}} {
		b.Run(c.name+"/parse", func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(c.comment)))
			for b.Loop() {
				Parse(everything, c.comment)
			}
		})
		d := Parse(everything, c.comment)
		b.Run(c.name+"/markdown", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				d.Markdown(GFM, 2)
			}
		})
		b.Run(c.name+"/cell", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				d.MarkdownCell(GFM)
			}
		})
		b.Run(c.name+"/html", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				d.HTML(2)
			}
		})
	}
}
