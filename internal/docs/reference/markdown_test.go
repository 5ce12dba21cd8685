package reference

import (
	"testing"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/api"
)

func TestClean(t *testing.T) {
	for _, test := range []struct{ name, leading, trailing, want string }{
		{"nothing", "", "", ""},
		{"one line", " text\n", "", "text"},
		{"both", " above\n", " behind\n", "above\n\nbehind"},
		{"indentation stays", " a\n   - b\n       c\n", "", "a\n  - b\n      c"},
		{"second star of a block comment", "*\n Text.\n\n  - item\n", "", "Text.\n\n - item"},
		{"line ends", " a\r\n b\r c\n", "", "a\nb\nc"},
		{"control characters", " a\x00b\u202ec\n", "", "abc"},
		{"excluded", " @exclude secret\n", "", ""},
		{"excluded behind", "", " @exclude secret\n", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := Clean(api.Comments{Leading: test.leading, Trailing: test.trailing}); string(got) != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestMarkdownCell(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"nothing", "", ""},
		{"lines are joined", "a\nb", "a b"},
		{"paragraphs", "a\n\nb", "a<br><br>b"},
		{"bars", "a|b `c|d`", `a\|b ` + "`" + `c\|d` + "`"},
		{"tags", "<b> </i> <!-- x --> a < b <br> <https://x.y>", "&lt;b> &lt;/i> &lt;!-- x --> a < b <br> <https://x.y>"},
		{"tag in code", "`<b>` ``<i> ` <u>``", "`<b>` ``<i> ` <u>``"},
		{"code over two lines", "`a <b>\nc` <d>", "`a <b> c` &lt;d>"},
		{"unclosed code", "`a <b>\n\n`c` <d>", "`a &lt;b><br><br>`c` &lt;d>"},
		{"list", "a:\n- b\n- c\n  d", "a:<br>- b<br>- c d"},
		{"author's breaks", "a <br>\n- b <br>\n- c", "a <br> - b <br> - c"},
		{"fence", "a\n```go\nx | y\n  z\n```\nb", "a<br><br>`x \\| y`<br>`z`<br><br>b"},
		{"unclosed fence", "~~~\n<b>", "`<b>`"},
		{"indented code", "a\n\n    b <c>\n    d\n\ne", "a<br><br>`b <c>`<br>`d`<br><br>e"},
		{"indentation in a paragraph", "a\n    <b>", "a &lt;b>"},
		{"headings", "# A\nb\n===\nc\n---", `**A** b \=== c \---`},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := markdownCell(Text(test.text)); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

func TestMarkdownBlock(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"as it is", "a *b*\n\n1. c\n   d", "a *b*\n\n1. c\n   d"},
		{"tags", "<b>\n\n    <c>\n\n<d>", "&lt;b>\n\n    <c>\n\n&lt;d>"},
		{"unclosed fence is closed", "```\n<b>", "```\n<b>\n```"},
		{"longer fence", "````\n```\n<b>\n````\n<c>", "````\n```\n<b>\n````\n&lt;c>"},
		{"rule between paragraphs", "a\n\n---\n\nb", "a\n\n---\n\nb"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := markdownBlock(Text(test.text)); got != test.want {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
		})
	}
}

// Different anchors have different ids, and all are names that XML allows.
func TestXMLID(t *testing.T) {
	seen := make(map[string]string)
	for anchor, want := range map[string]string{
		"acme.v1.Order": "acme.v1.Order",
		"a/b.proto":     "a·2f·b.proto",
		"a_b.proto":     "a_b.proto",
		"1d/a.proto":    "_·31·d·2f·a.proto",
		"_1d_a.proto":   "_1d_a.proto",
		"a·2f·b.proto":  "a·b7·2f·b7·b.proto",
		"é":             "é",
	} {
		got := xmlID(anchor)
		if got != want {
			t.Errorf("%q: got %q, want %q", anchor, got, want)
		}
		if other, ok := seen[got]; ok {
			t.Errorf("%q and %q have one id", anchor, other)
		}
		seen[got] = anchor
	}
}

func TestRelative(t *testing.T) {
	for _, test := range []struct{ from, to, want string }{
		{"a.md", "b.md", "b.md"},
		{"a/b.md", "a/c.md", "c.md"},
		{"a/b.md", "c.md", "../c.md"},
		{"a.md", "b/c.md", "b/c.md"},
		{"a/b/c.md", "a/d/e.md", "../d/e.md"},
	} {
		if got := relative(test.from, test.to); got != test.want {
			t.Errorf("from %s to %s: got %s, want %s", test.from, test.to, got, test.want)
		}
	}
}
