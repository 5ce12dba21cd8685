package docs_test

import (
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// leadsSomewhere tells whether a link of a page leads to an anchor of a page, or
// to a file.
func leadsSomewhere(pages map[string]*markdownPage, from *markdownPage, link string, isFile func(string) bool) bool {
	way, anchor, hasAnchor := strings.Cut(link, "#")
	anchor, err := url.PathUnescape(anchor)
	if err != nil {
		return false
	}
	way, err = url.PathUnescape(way)
	if err != nil {
		return false
	}
	target := from
	if way != "" {
		name := resolvePage(from, way)
		target = pages[name]
		if target == nil {
			return !hasAnchor && isFile(name)
		}
	}
	return !hasAnchor || target.anchors[anchor] > 0
}

// resolvePage is the name of the page at a way from another one. Hugo serves each
// page as a folder, but for the ones that are named after theirs.
func resolvePage(from *markdownPage, way string) string {
	if !from.hugo {
		return path.Join(path.Dir(from.name), way)
	}
	base := strings.TrimSuffix(from.name, ".md")
	if path.Base(base) == "_index" {
		base = path.Dir(base)
	}
	return path.Join(base, way) + ".md"
}

// markdownFolders are those with pages of the built-in format, committed: goldens
// and the reference of the three APIs.
func markdownFolders(t *testing.T) []string {
	t.Helper()
	folders, err := filepath.Glob(filepath.Join(root, "testdata", "*", "want"))
	if err != nil || len(folders) == 0 {
		t.Fatalf("no goldens: %v", err)
	}
	return append(folders, filepath.Join(root, "docs", "reference"))
}

// isMarkdown tells the pages of the built-in format from those of users' templates.
func isMarkdown(name, text string) bool {
	return (strings.HasSuffix(name, ".md") || strings.HasSuffix(name, ".mdx")) &&
		(strings.Contains(text, "\n## Contents\n") || strings.HasSuffix(name, "index.md") || strings.HasSuffix(name, "index.mdx"))
}

func isHugo(name, text string) bool {
	return strings.HasPrefix(text, "---\n") && strings.HasSuffix(name, ".md") && !strings.Contains(text, "\n# ")
}

// deadByTheirAuthors are links of comments of the goldens that are dead on purpose.
var deadByTheirAuthors = regexp.MustCompile(`(^|/)hostile[^:]*: (b%7Cc|other\.md#x|#contents)$`)

// Committed pages are whole, and every link of theirs leads somewhere.
func TestMarkdownPages(t *testing.T) {
	for _, folder := range markdownFolders(t) {
		pages := make(map[string]*markdownPage)
		for name, text := range readTree(t, folder) {
			if isMarkdown(name, text) {
				pages[name] = checkMarkdown(t, name, text, isHugo(name, text))
			}
		}
		isFile := func(name string) bool {
			_, err := os.Stat(filepath.Join(folder, filepath.FromSlash(name)))
			return err == nil
		}
		for _, dead := range deadLinks(pages, isFile) {
			if !deadByTheirAuthors.MatchString(dead) {
				t.Errorf("%s: %s leads nowhere", folder, dead)
			}
		}
		links := 0
		for _, p := range pages {
			links += len(p.links)
		}
		if len(pages) > 0 && links == 0 {
			t.Errorf("%s has no links: the test does not see them", folder)
		}
	}
}

// The checks of pages find what they are for.
func TestMarkdownChecksFind(t *testing.T) {
	for name, source := range map[string]string{
		"row":     "# T\n\n| a | b |\n| - | - |\n| x |\n",
		"end":     "# T\n\n| a | b |\n| - | - |\n\n| x | y |\n",
		"tag":     "# T\n\nx <script>\n",
		"block":   "# T\n\n<div>\n",
		"gap":     "# T\n\n### U\n",
		"anchors": "# T\n\n<a id=\"t\"></a>\n",
		"space":   "# T \n",
		"newline": "# T\n\n",
	} {
		found := new(recorder)
		checkMarkdown(found, name, source, false)
		if len(found.errors) == 0 {
			t.Errorf("%s: nothing is found in %q", name, source)
		}
	}
	p := readMarkdown("a.md", "# One\n\n## One\n\n[a](#one) [b](#one-1) [c](#one-2) [d](b.md#x) [e](b.md) [f](c.md)\n", false)
	got := deadLinks(map[string]*markdownPage{"a.md": p}, func(name string) bool { return name == "b.md" })
	if diff := cmp.Diff([]string{"a.md: #one-2", "a.md: b.md#x", "a.md: c.md"}, got); diff != "" {
		t.Errorf("dead links (-want +got)\n%s", diff)
	}
}

// recorder is a test that only counts.
type recorder struct {
	testing.TB
	errors []string
}

func (r *recorder) Helper()                        {}
func (r *recorder) Errorf(format string, _ ...any) { r.errors = append(r.errors, format) }

// Goldens have everything that the cases below testdata are for.
func TestMarkdownGoldensExist(t *testing.T) {
	var names []string
	err := filepath.WalkDir(filepath.Join(root, "testdata"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.Contains(path, "want") && (strings.HasSuffix(path, ".md") || strings.HasSuffix(path, ".mdx")) {
			names = append(names, filepath.Base(path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"single.md", "index.md", "index.mdx", "_index.md", "hostile.md", "hostile.mdx", "rules.md", "release.md"} {
		if !slices.Contains(names, want) {
			t.Errorf("there is no golden page %s", want)
		}
	}
}
