package comment

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "write the expected renderings")

// TestRenderings compares all renderings of the comments in testdata/comments,
// whose numbers are those of the pitfalls of Markdown in references.
func TestRenderings(t *testing.T) {
	files, err := filepath.Glob("testdata/comments/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			d := Parse(everything, string(archive.Files[0].Data))
			checkDoc(t, d)
			want := archive.Files[1:]
			archive.Files = append(archive.Files[:1:1], renderings(d)...)
			if *update {
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(want, archive.Files[1:]); diff != "" {
				t.Errorf("renderings differ (-want +got):\n%s", diff)
			}
		})
	}
}

func renderings(d *Doc) []txtar.File {
	var problems strings.Builder
	for _, p := range d.Problems() {
		fmt.Fprintf(&problems, "%d:%d: %s\n", p.Line, p.Column, p.Message)
	}
	var files []txtar.File
	for _, f := range []struct{ name, data string }{
		{"gfm", d.Markdown(GFM, 2)},
		{"mdx", d.Markdown(MDX, 2)},
		{"hugo", d.Markdown(Hugo, 2)},
		{"gfm cell", d.MarkdownCell(GFM)},
		{"mdx cell", d.MarkdownCell(MDX)},
		{"hugo cell", d.MarkdownCell(Hugo)},
		{"html", string(d.HTML(2))},
		{"inline html", string(d.HTMLInline())},
		{"docbook", d.DocBook()},
		{"text", d.Text()},
		{"summary", d.Summary().MarkdownCell(GFM)},
		{"problems", strings.TrimSuffix(problems.String(), "\n")},
	} {
		files = append(files, txtar.File{Name: f.name, Data: []byte(f.data + "\n")})
	}
	return files
}
