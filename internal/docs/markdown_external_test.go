//go:build external

package docs_test

import (
	"flag"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

var (
	npmFolder = flag.String("npm", "", "the folder tools/npm, in which npm ci has run; without it, no test that needs it runs")
	hugoPath  = flag.String("hugo", "", "hugo, an executable; without it, no test that needs it runs")
)

// TestMarkdownTools runs prettier, markdownlint and the compiler of MDX on the
// committed pages: prettier changes nothing, markdownlint finds nothing, and MDX
// compiles.
func TestMarkdownTools(t *testing.T) {
	if *npmFolder == "" {
		t.Skip("no -npm")
	}
	script, err := filepath.Abs(filepath.Join(*npmFolder, "markdown.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	args := []string{script}
	for _, folder := range markdownFolders(t) {
		for name, text := range readTree(t, folder) {
			if isMarkdown(name, text) {
				args = append(args, filepath.Join(folder, filepath.FromSlash(name)))
			}
		}
	}
	if len(args) < 10 {
		t.Fatalf("only %d pages are checked: the test does not see them", len(args)-1)
	}
	if out, err := exec.Command("node", args...).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestHugo renders the pages of flavor=hugo with Hugo's own defaults, and follows
// the links of what comes out.
func TestHugo(t *testing.T) {
	if *hugoPath == "" {
		t.Skip("no -hugo")
	}
	hugo := executable(t, *hugoPath)
	rendered := 0
	for _, folder := range markdownFolders(t) {
		site := t.TempDir()
		pages := make(map[string]string)
		for name, text := range readTree(t, folder) {
			if isMarkdown(name, text) && isHugo(name, text) {
				pages[name] = text
			}
		}
		if len(pages) == 0 {
			continue
		}
		rendered++
		writeTree(t, filepath.Join(site, "content"), pages)
		const layout = "<!doctype html><title>{{ .Title }}</title><h1>{{ .Title }}</h1>{{ .Content }}\n"
		writeTree(t, filepath.Join(site, "layouts", "_default"), map[string]string{"single.html": layout, "list.html": layout})
		if err := os.WriteFile(filepath.Join(site, "config.toml"), []byte("baseURL = \"https://example.com/\"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		run(t, site, hugo, "--quiet", "--panicOnWarning")
		checkRendered(t, filepath.Join(site, "public"), len(pages))
	}
	if rendered < 3 {
		t.Errorf("only %d folders have pages for Hugo", rendered)
	}
}

// checkRendered follows the links of a rendered site.
func checkRendered(t *testing.T, dir string, pages int) {
	t.Helper()
	ids := make(map[string]map[string]bool)
	links := make(map[string][]string)
	for name, text := range readTree(t, dir) {
		if path.Base(name) != "index.html" {
			continue
		}
		address := "/" + strings.TrimSuffix(name, "index.html")
		ids[address] = make(map[string]bool)
		for tokens := html.NewTokenizer(strings.NewReader(text)); ; {
			kind := tokens.Next()
			if kind == html.ErrorToken {
				break
			}
			token := tokens.Token()
			for _, a := range token.Attr {
				switch {
				case a.Key == "id" && ids[address][a.Val]:
					t.Errorf("%s: the id %s stands twice", address, a.Val)
				case a.Key == "id":
					ids[address][a.Val] = true
				case a.Key == "href" && token.Data == "a":
					links[address] = append(links[address], a.Val)
				}
			}
			if token.Data == "script" && kind == html.StartTagToken {
				t.Errorf("%s has a script", address)
			}
		}
	}
	if len(ids) < pages {
		t.Errorf("%d pages are rendered to %d", pages, len(ids))
	}
	for address, list := range links {
		for _, link := range list {
			to, err := (&url.URL{Path: address}).Parse(link)
			if err != nil {
				t.Errorf("%s: %s is no address", address, link)
			}
			if to.Scheme != "" || deadByTheirAuthors.MatchString(strings.Trim(address, "/")+": "+link) {
				continue
			}
			if anchors, ok := ids[to.Path]; !ok || to.Fragment != "" && !anchors[to.Fragment] {
				t.Errorf("%s: %s leads nowhere", address, link)
			}
		}
	}
}
