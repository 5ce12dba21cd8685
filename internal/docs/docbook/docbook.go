// Package docbook renders a reference as DocBook 5.0, which many tools turn into
// PDF, manual pages and help files.
//
// It is written by code and not by a template, because pages of thousands of
// files are made from it.
package docbook

import (
	"bytes"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/api"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/content"
)

// Page renders a page as an article with a section for each file. What it returns
// is one document in pieces.
func Page(site *content.Site, p *content.Page) ([][]byte, error) {
	type part struct{ contents, body []byte }
	parts, err := content.Render(site, p, func(f *content.File) (part, error) {
		var w writer
		w.contents(f)
		contents := bytes.Clone(w.out.Bytes())
		w.out.Reset()
		w.file(f)
		return part{contents, w.out.Bytes()}, nil
	})
	if err != nil {
		return nil, err
	}
	var head writer
	head.head(p.Title)
	head.line("<itemizedlist>")
	out := [][]byte{head.out.Bytes()}
	for _, part := range parts {
		out = append(out, part.contents)
	}
	var middle writer
	middle.line("</itemizedlist>")
	middle.changes(site.Changed(p), site.Changes != nil)
	out = append(out, middle.out.Bytes())
	for _, part := range parts {
		out = append(out, part.body)
	}
	return append(out, []byte("</article>\n")), nil
}

// Index renders the article that leads to all pages; name is its path.
func Index(site *content.Site, name string) []byte {
	title := site.Title
	if title == "" {
		title = "API reference"
	}
	var w writer
	w.head(title)
	w.table([]column{{"Page", 2}, {"Package", 2}, {"Files", 4}}, func() {
		for _, p := range site.Pages {
			w.row("", linked(escape(p.Title), content.Relative(name, p.Name)),
				joined(packages(p.Files), ", ", code),
				joined(p.Files, ", ", func(f *api.File) markup { return code(f.Path) }))
		}
	})
	w.line("</article>")
	return w.out.Bytes()
}

// packages are the packages of files, in their order.
func packages(files []*api.File) []string {
	var out []string
	seen := make(map[string]bool)
	for _, f := range files {
		if f.Package != "" && !seen[f.Package] {
			seen[f.Package] = true
			out = append(out, f.Package)
		}
	}
	return out
}

func (w *writer) head(title string) {
	w.line(`<?xml version="1.0" encoding="UTF-8"?>`)
	w.line(`<article xmlns="http://docbook.org/ns/docbook" xmlns:xlink="http://www.w3.org/1999/xlink" version="5.0">`)
	w.line("<title>", escape(title), "</title>")
}

// contents writes what the list of contents has of a file: its services with
// their RPCs first.
func (w *writer) contents(f *content.File) {
	w.line("<listitem><para>", linkedName(f.Name, f.Entry), "</para>")
	var lines []markup
	for _, s := range f.Services {
		line := "Service " + linkedName(s.Name, s.Entry)
		if len(s.Methods) > 0 {
			line += ": " + joined(s.Methods, ", ", func(m *content.Method) markup { return linkedName(m.Name, m.Entry) })
		}
		lines = append(lines, line)
	}
	for _, line := range []struct{ kind, names markup }{
		{"Messages", joined(f.Messages, ", ", func(m *content.Message) markup { return linkedName(m.LongName, m.Entry) })},
		{"Enums", joined(f.Enums, ", ", func(e *content.Enum) markup { return linkedName(e.LongName, e.Entry) })},
		{"Extensions", joined(f.Extensions, ", ", func(x *content.Field) markup { return linkedName(x.Name, x.Entry) })},
	} {
		if line.names != "" {
			lines = append(lines, line.kind+": "+line.names)
		}
	}
	w.items(lines)
	w.line("</listitem>")
}

// linkedName is a name that leads to its declaration.
func linkedName(name string, e content.Entry) markup { return linked(escape(name), "#"+e.Anchor) }
