// Package html renders a reference as a static site: a page that needs no other
// file, or a folder of pages that share a style, a script and an index for the
// search. A site makes no request to any host but its own, works from disk, and
// without JavaScript except for the search.
//
// Pages are written by code and not by a template: a template takes several times
// as long, and pages of thousands of files are made from it. All text passes
// through esc, all addresses through href; comments arrive as safe HTML.
package html

import (
	"bytes"
	"html/template"
	"path"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/api"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/content"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/plugin"
)

// Pages renders each page of a site as a file that needs no other. Links from one
// page to another work where both are.
func Pages(site *content.Site) ([]plugin.Output, error) {
	out := make([]plugin.Output, len(site.Pages))
	err := api.Parallel(len(site.Pages), func(i int) error {
		p := site.Pages[i]
		h := &head{
			Title: p.Title, Brand: p.Title, Policy: onePolicy(),
			Style: template.CSS(asset(styleName)), Script: template.JS(asset(scriptName)),
		}
		_, content, err := page(site, p, h, nil)
		out[i] = plugin.Output{Name: p.Name, Content: content}
		return err
	})
	return out, err
}

// Folder renders the pages of a site and, in the folder of the page called index,
// that page, which leads to all others, and the files that they share.
func Folder(site *content.Site, index string) ([]plugin.Output, error) {
	title := siteTitle(site)
	siblings := siblings(site)
	out := make([]plugin.Output, len(site.Pages))
	parts := make([][]part, len(site.Pages))
	err := api.Parallel(len(site.Pages), func(i int) error {
		p := site.Pages[i]
		h := &head{
			Title: p.Title, Brand: title, Policy: folderPolicy,
			Home: content.Relative(p.Name, index), Root: rootOf(p.Name, index),
		}
		var err error
		var text [][]byte
		parts[i], text, err = page(site, p, h, siblings)
		out[i] = plugin.Output{Name: p.Name, Content: text}
		return err
	})
	if err != nil {
		return nil, err
	}
	front, err := indexPage(site, index, title, parts)
	if err != nil {
		return nil, err
	}
	dir := path.Dir(index)
	return append(out,
		plugin.Output{Name: index, Content: front},
		plugin.Output{Name: path.Join(dir, styleName), Content: [][]byte{asset(styleName)}},
		plugin.Output{Name: path.Join(dir, scriptName), Content: [][]byte{asset(scriptName)}},
		plugin.Output{Name: path.Join(dir, searchName), Content: searchFile(site, index, parts)},
	), nil
}

// siteTitle is the title of the page that leads to all others.
func siteTitle(site *content.Site) string {
	if site.Title != "" {
		return site.Title
	}
	return "API reference"
}

// rootOf is the way from a page to the folder of another.
func rootOf(from, to string) string {
	way := content.Relative(from, path.Join(path.Dir(to), "x"))
	return way[:len(way)-1]
}

// maxSiblings bounds the pages that each page lists in its sidebar, so that a
// site grows with its pages and not with their square. The index and the search
// lead to any number of them.
const maxSiblings = 60

// siblings are the pages that each page lists; none if there are too many.
func siblings(site *content.Site) []*content.Page {
	if len(site.Pages) > maxSiblings {
		return nil
	}
	return site.Pages
}

// part is what a page has of one file.
type part struct {
	summary   summary
	nav, body []byte
	search    []byte // an element of the search's index
}

// page renders a page. The parts that it returns have what an index needs of
// them.
func page(site *content.Site, p *content.Page, h *head, siblings []*content.Page) ([]part, [][]byte, error) {
	open := len(p.Files) <= maxOpen
	parts, err := content.Render(site, p, func(f *content.File) (part, error) {
		var nav, body writer
		nav.nav(f, open)
		body.file(f)
		return part{summary: summarize(f), nav: nav.out.Bytes(), body: body.out.Bytes(), search: searchEntry(f)}, nil
	})
	if err != nil {
		return nil, nil, err
	}
	top, middle, foot, err := h.parts()
	if err != nil {
		return nil, nil, err
	}
	var way, overview writer
	way.siblings(p, h.Home, siblings)
	overview.overview(parts, func(s *summary) string { return "" })
	overview.changes(site.Changed(p))
	out := [][]byte{top, way.out.Bytes()}
	for i := range parts {
		out = append(out, parts[i].nav)
	}
	out = append(out, middle, overview.out.Bytes())
	for i := range parts {
		out = append(out, parts[i].body)
		parts[i].nav, parts[i].body = nil, nil // an index needs the rest alone
	}
	if h.Style != "" {
		out = append(out, []byte(`<script type="application/json" id="ui-index">`))
		out = append(out, searchIndex([]string{""}, [][]part{parts})...)
		out = append(out, []byte("</script>\n"))
	}
	return parts, append(out, foot), nil
}

// maxOpen is the number of files up to which a sidebar shows all that they have.
const maxOpen = 4

// indexPage renders the page that leads to all others.
func indexPage(site *content.Site, name, title string, parts [][]part) ([][]byte, error) {
	h := &head{Title: title, Brand: title, Policy: folderPolicy}
	top, middle, foot, err := h.parts()
	if err != nil {
		return nil, err
	}
	var nav, body writer
	nav.pages(site.Pages, func(p *content.Page) string { return content.Relative(name, p.Name) }, "")
	var all []part
	pageOf := make(map[string]string)
	for i, list := range parts {
		for _, x := range list {
			pageOf[x.summary.path] = content.Relative(name, site.Pages[i].Name)
		}
		all = append(all, list...)
	}
	body.overview(all, func(s *summary) string { return pageOf[s.path] })
	return [][]byte{top, nav.out.Bytes(), middle, body.out.Bytes(), foot}, nil
}

// parts are the three parts of the frame.
func (h *head) parts() (top, middle, foot []byte, err error) {
	for name, to := range map[string]*[]byte{"head": &top, "main": &middle, "foot": &foot} {
		if *to, err = h.part(name); err != nil {
			return nil, nil, nil, err
		}
	}
	return top, middle, foot, nil
}

// writer writes a part of a page.
type writer struct{ out bytes.Buffer }

// p writes finished HTML.
func (w *writer) p(parts ...string) {
	for _, s := range parts {
		w.out.WriteString(s)
	}
}
