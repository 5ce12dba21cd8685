package comment

import (
	"testing"
)

func TestDocBookID(t *testing.T) {
	seen := make(map[string]string)
	for anchor, want := range map[string]string{
		"google.example.v1.Book":  "google.example.v1.Book",
		"_":                       "_",
		"a-1":                     "a-1",
		"1a":                      "_·31·a",
		"_1a":                     "_1a",
		".book":                   "_·2e·book",
		"file-acme/shop.proto":    "file-acme·2f·shop.proto",
		"file-acme·2f·shop.proto": "file-acme·b7·2f·b7·shop.proto",
		"é":                       "_·e9·",
		"":                        "",
	} {
		got := DocBookID(anchor)
		if got != want {
			t.Errorf("%q: got %q, want %q", anchor, got, want)
		}
		if other, ok := seen[got]; ok {
			t.Errorf("%q and %q are the same", anchor, other)
		}
		seen[got] = anchor
	}
}

func TestDocBookLinks(t *testing.T) {
	for _, tt := range []struct{ url, want string }{
		{"#a.B", `<link linkend="a.B">B</link>`},
		{"#.b", `<link linkend="_·2e·b">B</link>`},
		{"../c.xml#a.B", `<link xlink:href="../c.xml#a.B">B</link>`},
		{"c.xml#file-a/b.proto", `<link xlink:href="c.xml#file-a·2f·b.proto">B</link>`},
		{"https://example.com/#/a", `<link xlink:href="https://example.com/#/a">B</link>`},
	} {
		d := Parse(Options{
			Resolve: func(string) (Link, bool) { return Link{URL: tt.url}, true },
		}, "[B][a.B]")
		if got, want := d.DocBook(), "<para>"+tt.want+"</para>"; got != want {
			t.Errorf("%s: got %s, want %s", tt.url, got, want)
		}
		if got := d.DocBookInline(); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.url, got, tt.want)
		}
	}
	if got := (*Doc)(nil).DocBookInline(); got != "" {
		t.Errorf("nothing is %q", got)
	}
}
