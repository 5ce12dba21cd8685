package html_test

import (
	"bytes"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"google.golang.org/protobuf/types/pluginpb"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/api"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/content"
	docshtml "github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/html"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/plugin"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/plugin/plugintest"
)

// site is the content of a request's files, each on a page that name makes of its
// path.
func site(t testing.TB, req *pluginpb.CodeGeneratorRequest, settings content.Settings,
	name func(path string) string) *content.Site {
	t.Helper()
	model, err := modelOf(t, req)
	if err != nil {
		t.Fatal(err)
	}
	settings.HTTP, settings.GRPC = "http://localhost:8080", "localhost:50051"
	s := content.NewSite(model, settings)
	var names []string
	files := make(map[string][]*api.File)
	for _, f := range model.Files {
		n := name(f.Path)
		if files[n] == nil {
			names = append(names, n)
		}
		files[n] = append(files[n], f)
	}
	for _, n := range names {
		s.Add(n, files[n]...)
	}
	return s
}

func modelOf(t testing.TB, req *pluginpb.CodeGeneratorRequest) (*api.Model, error) {
	t.Helper()
	r, err := plugin.ReadRequest(bytes.NewReader(plugintest.Marshal(t, req)))
	if err != nil {
		return nil, err
	}
	return api.Build(r)
}

func single(string) string { return "index.html" }

// rendered are the files that render makes, by their names.
func rendered(t testing.TB, render func() ([]plugin.Output, error)) map[string]string {
	t.Helper()
	out, err := render()
	if err != nil {
		t.Fatal(err)
	}
	files := make(map[string]string)
	for _, o := range out {
		files[o.Name] = string(bytes.Join(o.Content, nil))
	}
	return files
}

// checkSite checks all pages of a site: what they are made of, and that each link
// leads somewhere.
func checkSite(t testing.TB, files map[string]string) {
	t.Helper()
	pages := make(map[string]*pageCheck)
	for name, text := range files {
		if strings.HasSuffix(name, ".html") {
			pages[name] = checkPage(t, name, text)
		}
	}
	for name, p := range pages {
		for _, link := range p.links {
			if deadByTheirAuthors[link] {
				continue
			}
			u, err := url.Parse(link)
			if err != nil {
				t.Errorf("%s: %q is no address: %v", name, link, err)
				continue
			}
			if u.Scheme != "" {
				continue
			}
			target := name
			if u.Path != "" {
				target = path.Join(path.Dir(name), u.Path)
			}
			switch to := pages[target]; {
			case to == nil && files[target] == "":
				t.Errorf("%s: %q leads to no file", name, link)
			case u.Fragment != "" && (to == nil || !to.ids[u.Fragment]):
				t.Errorf("%s: %q leads nowhere", name, link)
			}
		}
	}
}

// deadByTheirAuthors are links that comments of testdata/hostile have.
var deadByTheirAuthors = map[string]bool{"b%7Cc": true, "other.md#x": true, "#contents": true}

// pageCheck is what the check of a page has found.
type pageCheck struct {
	testing.TB
	name   string
	ids    map[string]bool
	twice  map[string]bool // ids
	links  []string
	levels []int // of headings
	counts map[string]int
}

// elements are the elements that pages are made of, and their attributes. Those
// of all elements are in common.
var (
	common   = []string{"id", "class", "title", "role", "hidden", "tabindex"}
	elements = map[string][]string{
		"html": {"lang", "data-root"}, "head": nil, "meta": {"charset", "http-equiv", "content", "name"},
		"title": nil, "link": {"rel", "href"}, "style": nil, "script": {"src", "type"}, "body": nil,
		"header": nil, "nav": {"aria-label"}, "main": nil, "section": nil, "search": nil,
		"button": {"type", "aria-pressed", "aria-expanded", "aria-controls"},
		"input": {"type", "placeholder", "aria-label", "aria-controls", "aria-keyshortcuts", "autocomplete", "autocapitalize",
			"spellcheck", "maxlength"},
		"kbd": {"aria-hidden"}, "div": {"aria-label"}, "p": nil, "span": nil, "br": nil, "wbr": nil, "hr": nil,
		"a": {"href", "aria-current"}, "abbr": nil, "code": nil, "pre": nil, "em": nil, "strong": nil, "del": nil, "sub": nil,
		"sup": nil, "blockquote": nil, "h1": nil, "h2": nil, "h3": nil, "h4": nil, "h5": nil, "h6": nil, "ul": nil,
		"ol": {"start"}, "li": nil, "details": {"open"}, "summary": nil, "table": nil, "thead": nil, "tbody": nil, "tr": nil,
		"th": {"scope", "colspan"}, "td": nil,
	}
)

// checkPage parses a page. Whatever is not known to be harmless is an error.
func checkPage(t testing.TB, name, text string) *pageCheck {
	t.Helper()
	p := parsePage(t, name, text)
	p.structure()
	for id, twice := range p.twice {
		if twice {
			p.errorf("the id %q stands twice", id)
		}
	}
	return p
}

// parsePage checks the elements, attributes and addresses alone: for names that
// no compiler lets pass, so that anchors need not be different.
func parsePage(t testing.TB, name, text string) *pageCheck {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	p := &pageCheck{
		TB: t, name: name,
		ids: make(map[string]bool), twice: make(map[string]bool), counts: make(map[string]int),
	}
	p.visit(doc)
	return p
}

func (p *pageCheck) errorf(format string, args ...any) {
	p.Helper()
	p.Errorf("%s: %s", p.name, fmt.Sprintf(format, args...))
}

func (p *pageCheck) visit(n *html.Node) {
	switch n.Type {
	case html.CommentNode:
		p.errorf("there is a comment: %q", n.Data)
	case html.ElementNode:
		p.element(n)
	}
	for c := range n.ChildNodes() {
		p.visit(c)
	}
}

func (p *pageCheck) element(n *html.Node) {
	allowed, ok := elements[n.Data]
	if !ok {
		p.errorf("there is an element %s", n.Data)
	}
	p.counts[n.Data]++
	if len(n.Data) == 2 && n.Data[0] == 'h' && n.Data[1] >= '1' && n.Data[1] <= '6' {
		p.levels = append(p.levels, int(n.Data[1]-'0'))
	}
	for _, a := range n.Attr {
		switch {
		case !slices.Contains(allowed, a.Key) && !slices.Contains(common, a.Key):
			p.errorf("%s has the attribute %s", n.Data, a.Key)
		case a.Key == "id":
			p.twice[a.Val] = p.twice[a.Val] || p.ids[a.Val]
			p.ids[a.Val] = true
		case a.Key == "href" || a.Key == "src":
			p.address(n, a.Val)
		}
	}
}

func (p *pageCheck) address(n *html.Node, value string) {
	scheme, _, ok := strings.Cut(value, ":")
	if !ok || strings.ContainsAny(scheme, "/?#") {
		p.links = append(p.links, value)
		return
	}
	scheme = strings.ToLower(scheme)
	if scheme == "http" || scheme == "https" || scheme == "mailto" || n.Data == "link" && value == "data:," {
		return
	}
	p.errorf("%s leads to %q", n.Data, value)
}

// structure checks what a page has once, and the order of its headings.
func (p *pageCheck) structure() {
	scripts := 1
	if p.ids["ui-index"] {
		scripts = 2
	}
	for name, want := range map[string]int{
		"h1": 1, "header": 1, "nav": 1, "main": 1, "search": 1, "title": 1, "script": scripts, "input": 1,
	} {
		if p.counts[name] != want {
			p.errorf("there are %d elements %s, want %d", p.counts[name], name, want)
		}
	}
	last := 0
	for _, level := range p.levels {
		if level > last+1 {
			p.errorf("a heading of level %d follows one of level %d", level, last)
		}
		last = level
	}
}

func TestLayouts(t *testing.T) {
	req := plugintest.Compile(t, map[string]string{
		"a/one.proto": `
// First file.
syntax = "proto3";
// The package.
package a.v1;
import "b/two.proto";
// Does it.
service S {
  // Goes.
  rpc Go(b.Two) returns (stream One) { option deprecated = true; }
}
message One {
  // Either.
  oneof choice { string text = 1; b.Two two = 2; }
  map<string, b.Two> by_name = 3;
  // # Heading
  //
  //     code
  //
  // | a | b |
  // |---|---|
  // | 1 | 2 |
  repeated E kinds = 4;
}
enum E { ZERO = 0; FIVE = 5; }
`,
		"b/two.proto": `
syntax = "proto2";
package b;
message Two { optional int32 a = 1 [default = 3]; extensions 10 to 20; }
extend Two { optional string x = 10; }
`,
		"b/a b#c?d.proto": `
syntax = "proto3";
package odd;
import "b/two.proto";
message lower { b.Two t = 1; lower self = 2; }
`,
		"x:y.proto": `syntax = "proto3"; message plain { plain again = 1; }`,
	})
	t.Run("single", func(t *testing.T) {
		files := rendered(t, func() ([]plugin.Output, error) {
			return docshtml.Pages(site(t, req, content.Settings{}, single))
		})
		if len(files) != 1 {
			t.Errorf("there are %d files, want one", len(files))
		}
		checkSite(t, files)
	})
	for name, page := range map[string]func(string) string{
		"flat": func(p string) string { return strings.ReplaceAll(strings.TrimSuffix(p, ".proto"), "/", ".") + ".html" },
		"tree": func(p string) string { return "site/" + strings.TrimSuffix(p, ".proto") + ".html" },
	} {
		t.Run(name, func(t *testing.T) {
			index := "index.html"
			if name == "tree" {
				index = "site/index.html"
			}
			files := rendered(t, func() ([]plugin.Output, error) {
				return docshtml.Folder(site(t, req, content.Settings{}, page), index)
			})
			if len(files) != 4+4 {
				t.Errorf("there are %d files, want four pages and four others", len(files))
			}
			checkSite(t, files)
		})
	}
}
