package html_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

const root = "../../.."

// All committed pages are made of what is known to be harmless, each link of
// theirs leads somewhere, and no id stands twice.
func TestCommittedPages(t *testing.T) {
	dirs, err := filepath.Glob(filepath.Join(root, "testdata", "*", "want"))
	if err != nil {
		t.Fatal(err)
	}
	pages := 0
	for _, dir := range append(dirs, filepath.Join(root, "docs", "reference")) {
		files := readTree(t, dir)
		for name := range files {
			if strings.HasSuffix(name, ".html") {
				pages++
			}
		}
		checkSite(t, files)
	}
	if pages < 10 {
		t.Errorf("there are only %d pages: the test does not see them", pages)
	}
}

func readTree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := make(map[string]string)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		files[filepath.ToSlash(name)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// A code's row has what a person needs who has got it: its meaning, phase and
// class, and what to do under which condition.
func TestCodeSaysWhatToDo(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "testdata", "codes", "want", "index.html"))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := html.Parse(strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	row := byID(doc, "oven.v1.ErrorCode.HEAT_NO_GAS")
	if row == nil {
		t.Fatal("the code has no row")
	}
	got := strings.Join(strings.Fields(textOf(row)), " ")
	want := "HEAT_NO_GAS 100 Heat Error No | gas. What to do: " +
		"Call the gas company | plumber (the pipe is empty) CALL WAIT"
	if got != want {
		t.Errorf("the row says\n%s\nwant\n%s", got, want)
	}
}

func byID(n *html.Node, id string) *html.Node {
	for d := range n.Descendants() {
		for _, a := range d.Attr {
			if a.Key == "id" && a.Val == id {
				return d
			}
		}
	}
	return nil
}

// textOf is the text of a node, with a space after each element that is not a
// word of a line.
func textOf(n *html.Node) string {
	var out strings.Builder
	for d := range n.Descendants() {
		switch {
		case d.Type == html.TextNode:
			out.WriteString(d.Data)
		case d.Data == "td" || d.Data == "p" || d.Data == "li" || d.Data == "div":
			out.WriteByte(' ')
		}
	}
	return out.String()
}
