package docs

import (
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/api"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/content"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/docbook"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/jsondoc"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/plugin"
)

// Names of the documents that list the others.
const (
	jsonIndex    = "index.json"
	docbookIndex = "index.xml"
)

func renderJSON(o *Options, site *content.Site) ([]plugin.Output, error) {
	out, err := renderPages(site, jsondoc.Page)
	if err != nil || o.Layout == LayoutSingle {
		return out, err
	}
	name := o.beside(jsonIndex)
	index, err := jsondoc.Index(site, name)
	return append(out, plugin.Output{Name: name, Content: [][]byte{index}}), err
}

func renderDocBook(o *Options, site *content.Site) ([]plugin.Output, error) {
	out, err := renderPages(site, docbook.Page)
	if err != nil || o.Layout == LayoutSingle || o.Layout == LayoutFolder { // which protoc-gen-doc has, without an index
		return out, err
	}
	name := o.beside(docbookIndex)
	return append(out, plugin.Output{Name: name, Content: [][]byte{docbook.Index(site, name)}}), nil
}

// renderPages renders the pages of a site, several at a time.
func renderPages(
	site *content.Site, render func(*content.Site, *content.Page) ([][]byte, error),
) ([]plugin.Output, error) {
	out := make([]plugin.Output, len(site.Pages))
	return out, api.Parallel(len(out), func(i int) error {
		text, err := render(site, site.Pages[i])
		out[i] = plugin.Output{Name: site.Pages[i].Name, Content: text}
		return err
	})
}
