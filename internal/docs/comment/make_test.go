package comment_test

import (
	"testing"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/comment"
)

func TestMake(t *testing.T) {
	tests := []struct {
		doc                     *comment.Doc
		block, cell, head, html string
	}{
		{comment.Text(""), "", "", "", ""},
		{comment.Text("# snake_case <b> |"), `\# snake_case \<b> |`, `# snake_case \<b> \|`, `# snake_case \<b> |`, "# snake_case &lt;b&gt; |"},
		{comment.Code("a|b", ""), "`a|b`", "`a\\|b`", "`a|b`", "<code>a|b</code>"},
		{comment.Code("T", "#p.T"), "[`T`](#p.T)", "[`T`](#p.T)", "[`T`](#p.T)", `<a href="#p.T"><code>T</code></a>`},
	}
	for _, test := range tests {
		for _, got := range [][2]string{
			{test.doc.Markdown(comment.GFM, 2), test.block},
			{test.doc.MarkdownCell(comment.GFM), test.cell},
			{test.doc.MarkdownHeading(comment.GFM), test.head},
			{string(test.doc.HTMLInline()), test.html},
		} {
			if got[0] != got[1] {
				t.Errorf("got %q, want %q", got[0], got[1])
			}
		}
	}
}
