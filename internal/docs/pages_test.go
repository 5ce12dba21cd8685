package docs_test

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"golang.org/x/net/html"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/pluginpb"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/plugin/plugintest"
)

func readFile(t *testing.T, path ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(append([]string{root}, path...)...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The committed page of Skaffold's API v1 is the one that Skaffold publishes.
func TestSkaffoldV1IsThePublishedPage(t *testing.T) {
	got := readFile(t, "docs", "reference", "skaffold", "v1", "grpc.md")
	want := readFile(t, "testdata", "seeds", "002-skaffold-v1.md")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("docs/reference/skaffold/v1/grpc.md differs from the published page (-want +got)\n%s", diff)
	}
}

// The golden page of the older API v1, as a browser shows it, reads as the text
// of the page that Skaffold published then.
func TestSkaffoldV1OlderReadsAsPublished(t *testing.T) {
	page := readFile(t, "testdata", "skaffold-v1-seed000", "want", "grpc.md")
	got := squeeze(visibleText(t, page))
	want := squeeze(readFile(t, "testdata", "seeds", "000-skaffold-v1-older.txt"))
	want = strings.TrimPrefix(want, squeeze("gRPC API")) // the title, which Hugo takes from the front matter
	if got != want {
		i := 0
		for i < min(len(got), len(want)) && got[i] == want[i] {
			i++
		}
		t.Errorf("the text differs at byte %d of %d:\ngot  …%.120s\nwant …%.120s", i, len(want), got[i:], want[i:])
	}
}

var (
	frontMatter = regexp.MustCompile(`(?s)^---\n.*?\n---\n`)
	shortcode   = regexp.MustCompile(`\{\{<relref "([^"]*)">\}\}`)
)

// visibleText renders a page as Hugo does and returns the text that it shows.
func visibleText(t *testing.T, page string) string {
	t.Helper()
	page = frontMatter.ReplaceAllString(page, "")
	page = shortcode.ReplaceAllString(page, "$1")
	var rendered bytes.Buffer
	if err := goldmark.New(goldmark.WithExtensions(extension.GFM)).Convert([]byte(page), &rendered); err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for tokens := html.NewTokenizer(&rendered); ; {
		switch tokens.Next() {
		case html.ErrorToken:
			return text.String()
		case html.TextToken:
			text.Write(tokens.Text())
		}
	}
}

// squeeze leaves out white space and makes quotes straight.
func squeeze(text string) string {
	text = html.UnescapeString(text)
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return -1
		case strings.ContainsRune("“”„", r):
			return '"'
		case strings.ContainsRune("‘’", r):
			return '\''
		}
		return r
	}, text)
}

// The page of the API v2 shows every message, service and enum of its two files,
// the enums after the data types.
func TestSkaffoldV2ShowsEverything(t *testing.T) {
	page := readFile(t, "docs", "reference", "skaffold", "v2", "grpc.md")
	files := readProtos(t, filepath.Join(root, "proto", "skaffold"))
	declared := regexp.MustCompile(`(?m)^\s*(message|service|enum) (\w+)`)
	last := 0
	for _, kind := range []string{"service", "message", "enum"} {
		var found []int
		for _, name := range []string{"v2/skaffold.proto", "enums/enums.proto"} {
			for _, m := range declared.FindAllStringSubmatch(files[name], -1) {
				if m[1] != kind {
					continue
				}
				heading := regexp.MustCompile(`(?m)^####? (\w+\.)*` + m[2] + `$`)
				at := heading.FindStringIndex(page)
				if at == nil {
					t.Errorf("%s %s of %s has no heading", kind, m[2], name)
					continue
				}
				found = append(found, at[0])
			}
		}
		if len(found) == 0 {
			t.Fatalf("no %s is declared: the test looks at the wrong files", kind)
		}
		if first := slices.Min(found); first < last {
			t.Errorf("a %s stands before what has to come first", kind)
		}
		last = slices.Max(found)
	}
}

// allProtos is a request for all files of proto/.
func allProtos(t *testing.T) *pluginpb.CodeGeneratorRequest {
	t.Helper()
	sources := make(map[string]string)
	for _, module := range []string{"skaffold", "buildkit", "rkt", "third_party"} {
		maps.Copy(sources, readProtos(t, filepath.Join(root, "proto", module)))
	}
	return plugintest.Compile(t, sources)
}

// The built-in formats give the same bytes for every order of the files, and
// again on a second run.
func TestBuiltInFormatsIgnoreTheOrderOfFiles(t *testing.T) {
	req := allProtos(t)
	for _, parameter := range []string{
		"template=markdown", "template=html", "template=docbook", "template=markdown,order=source",
		"template=markdown,layout=package", "template=html,layout=file", "template=json", "template=json,layout=package",
	} {
		t.Run(parameter, func(t *testing.T) {
			req.Parameter = proto.String(parameter)
			want := plugintest.Files(t, plugintest.Run(t, docsPlugin, req))
			if len(want) == 0 {
				t.Fatal("there is no output")
			}
			for seed := range uint64(8) {
				shuffled := proto.CloneOf(req)
				rng := rand.New(rand.NewPCG(seed, 0))
				rng.Shuffle(len(shuffled.FileToGenerate), func(i, j int) {
					s := shuffled.FileToGenerate
					s[i], s[j] = s[j], s[i]
				})
				rng.Shuffle(len(shuffled.ProtoFile), func(i, j int) {
					s := shuffled.ProtoFile
					s[i], s[j] = s[j], s[i]
				})
				if diff := cmp.Diff(want, plugintest.Files(t, plugintest.Run(t, docsPlugin, shuffled))); diff != "" {
					t.Errorf("seed %d: the pages differ (-as compiled +shuffled)\n%s", seed, diff)
				}
			}
		})
	}
}

// A user's template sees the files as they are requested, or sorted if it asks
// for that.
func TestOrderOfFilesInTemplates(t *testing.T) {
	req := plugintest.Compile(t, map[string]string{
		"a.proto": `syntax = "proto3"; message Zed {} message alpha {}`,
		"b.proto": `syntax = "proto3"; package b;`,
	}, "b.proto", "a.proto")
	path := filepath.Join(t.TempDir(), "t.tmpl")
	text := "{{range .Files}}{{.Name}}:{{range .Messages}} {{.Name}}{{end}};{{end}}"
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	for parameter, want := range map[string]string{
		path + ",out.md":                                   "b.proto:;a.proto: Zed alpha;",
		"template=" + path + ",output=out.md":              "b.proto:;a.proto: Zed alpha;",
		"template=" + path + ",output=out.md,order=name":   "a.proto: Zed alpha;b.proto:;",
		"template=" + path + ",output=out.md,order=source": "b.proto:;a.proto: Zed alpha;",
	} {
		req.Parameter = proto.String(parameter)
		if got := plugintest.Files(t, plugintest.Run(t, docsPlugin, req))["out.md"]; got != want {
			t.Errorf("%s: got %s, want %s", parameter, got, want)
		}
	}
}

// Every link of a page that leads into a page leads to an anchor of it.
func TestLinksResolve(t *testing.T) {
	req := allProtos(t)
	for _, layout := range []string{"single", "package", "file"} {
		for _, format := range []string{"markdown", "html", "docbook"} {
			t.Run(fmt.Sprintf("%s %s", format, layout), func(t *testing.T) {
				req.Parameter = proto.String("template=" + format + ",layout=" + layout)
				checkLinks(t, plugintest.Files(t, plugintest.Run(t, docsPlugin, req)))
			})
		}
	}
}

var (
	anchorOf = regexp.MustCompile(` (?:xml:)?id="([^"]*)"`)
	linkTo   = regexp.MustCompile(`(?:\]\(|href=")([^)"#]*)#([^)"]+)[)"]|linkend="()([^"]*)"`)
)

func checkLinks(t *testing.T, pages map[string]string) {
	t.Helper()
	anchors := make(map[string]bool)
	for name, text := range pages {
		for _, m := range anchorOf.FindAllStringSubmatch(text, -1) {
			key := name + "#" + html.UnescapeString(m[1])
			if anchors[key] {
				t.Errorf("anchor %s stands twice", key)
			}
			anchors[key] = true
		}
	}
	checked := 0
	for name, text := range pages {
		for _, m := range linkTo.FindAllStringSubmatch(text, -1) {
			page, anchor := m[1]+m[3], m[2]+m[4]
			if strings.Contains(page, "://") {
				continue
			}
			target := name
			if page != "" {
				target = filepath.ToSlash(filepath.Join(filepath.Dir(name), page))
			}
			checked++
			anchor, err := url.PathUnescape(html.UnescapeString(anchor)) // as a browser does
			if key := target + "#" + anchor; err != nil || !anchors[key] {
				t.Errorf("%s: link to %s leads nowhere", name, key)
			}
		}
	}
	if checked < 100 {
		t.Errorf("only %d links were found: the test does not see them", checked)
	}
}

// Every example in the README's table of options is taken.
func TestReadmeExamplesParse(t *testing.T) {
	example := regexp.MustCompile("(?m)^\\| `[a-z_]+` \\|.*\\| `([^`]+)` \\|$")
	_, section, _ := strings.Cut(readFile(t, "README.md"), "\n## Options\n")
	section, _, _ = strings.Cut(section, "\n## ")
	found := example.FindAllStringSubmatch(section, -1)
	if len(found) < 10 {
		t.Fatalf("only %d examples: the test does not see them", len(found))
	}
	for _, m := range found {
		if _, err := docs.ParseOptions(m[1]); err != nil {
			t.Errorf("%s: %v", m[1], err)
		}
	}
}
