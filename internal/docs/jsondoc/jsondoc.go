// Package jsondoc renders a reference as JSON, for programs that want to make
// something of their own of it. docs/reference.schema.json is its schema and
// docs/json.md its guide.
package jsondoc

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/api"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/content"
)

// SchemaURL names the schema of what is written, SchemaVersion its version. A
// change after which a reader of the version could fail needs a new one.
const (
	SchemaURL     = "https://raw.githubusercontent.com/skaffoldgen/protoc-gen-skaffold/main/docs/reference.schema.json"
	SchemaVersion = 1
)

// The kinds of documents.
const (
	kindPage  = "page"
	kindIndex = "index"
)

// indentation of a level, and of the files in a page.
const (
	indentation     = "  "
	fileIndentation = indentation + indentation
)

// Page renders a page. What it returns is one document in pieces.
func Page(site *content.Site, p *content.Page) ([][]byte, error) {
	files, err := content.Render(site, p, func(f *content.File) ([]byte, error) {
		text, err := encode(fileOf(f), fileIndentation)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		return text, nil
	})
	if err != nil {
		return nil, err
	}
	head := page{
		document: newDocument(kindPage, p.Title),
		Packages: packagesOf(p.Files),
		Files:    []*file{},
	}
	if list := site.Changed(p); list != nil || site.Changes != nil {
		head.Changes = each(list, listedChangeOf)
	}
	text, err := encode(head, "")
	if err != nil {
		return nil, err
	}
	return spliced(text, files), nil
}

// Index renders the document that lists the pages.
func Index(site *content.Site, name string) ([]byte, error) {
	title := site.Title
	if title == "" {
		title = "API reference"
	}
	out := index{document: newDocument(kindIndex, title), Pages: []indexPage{}}
	for _, p := range site.Pages {
		out.Pages = append(out.Pages, indexPage{content.Relative(name, p.Name), p.Title, packagesOf(p.Files)})
	}
	text, err := encode(out, "")
	return append(text, '\n'), err
}

func newDocument(kind, title string) document {
	return document{Schema: SchemaURL, SchemaVersion: SchemaVersion, Kind: kind, Title: title}
}

// packagesOf groups files by package, in the order of the files.
func packagesOf(files []*api.File) []packageFiles {
	out := []packageFiles{}
	at := make(map[string]int)
	for _, f := range files {
		i, ok := at[f.Package]
		if !ok {
			i = len(out)
			at[f.Package] = i
			out = append(out, packageFiles{Name: f.Package})
		}
		out[i].Files = append(out[i].Files, f.Path)
	}
	return out
}

// encode writes JSON over several lines, all but the first with a prefix, and
// with < > & as they are.
func encode(v any, prefix string) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent(prefix, indentation)
	err := enc.Encode(v)
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), err
}

// emptyFiles is the end of a page without files.
const emptyFiles = "[]\n}"

// spliced puts files into the empty list that a page ends with, so that the page
// is what encoding it as a whole would give.
func spliced(page []byte, files [][]byte) [][]byte {
	if len(files) == 0 {
		return [][]byte{page, []byte("\n")}
	}
	out := [][]byte{bytes.TrimSuffix(page, []byte(emptyFiles))}
	before := "[\n" + fileIndentation
	for _, f := range files {
		out = append(out, []byte(before), f)
		before = ",\n" + fileIndentation
	}
	return append(out, []byte("\n"+indentation+"]\n}\n"))
}
