package html

import (
	"slices"
	"strconv"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/content"
)

// summary is what an overview has of a file. Its texts are plain.
type summary struct {
	path, pkg, anchor, text           string
	deprecated                        bool
	services                          []serviceSummary
	rpcs, messages, enums, extensions int
}

type serviceSummary struct {
	rpcSummary
	rpcs []rpcSummary
}

type rpcSummary struct {
	name, anchor, text, streaming string
	deprecated                    bool
}

func summarize(f *content.File) summary {
	s := summary{
		path: f.FullName, pkg: f.Package, anchor: f.Anchor, deprecated: f.Deprecated,
		messages: len(f.Messages), enums: len(f.Enums), extensions: len(f.Extensions),
		text: summaryText(f.Entry),
	}
	if s.text == "" {
		s.text = f.PackageDescription.Summary().Text()
	}
	for _, x := range f.Services {
		service := serviceSummary{rpcSummary: summarizeEntry(x.Entry)}
		for _, m := range x.Methods {
			rpc := summarizeEntry(m.Entry)
			rpc.streaming = m.Streaming()
			service.rpcs = append(service.rpcs, rpc)
		}
		s.rpcs += len(x.Methods)
		s.services = append(s.services, service)
	}
	return s
}

func summarizeEntry(e content.Entry) rpcSummary {
	return rpcSummary{name: e.Name, anchor: e.Anchor, text: summaryText(e), deprecated: e.Deprecated}
}

func summaryText(e content.Entry) string { return e.Description.Summary().Text() }

// overview writes what there is: the files, if they are several, and the services
// with their RPCs. An address leads from the page to the one that shows a file.
func (w *writer) overview(parts []part, address func(*summary) string) {
	var total summary
	for i := range parts {
		s := &parts[i].summary
		total.services = append(total.services, s.services...)
		total.rpcs += s.rpcs
		total.messages += s.messages
		total.enums += s.enums
		total.extensions += s.extensions
	}
	files := counts(count{len(parts), "file", "files"})
	w.p(`<p class="meta">`, files, when(total.contents() != "", " · "), total.contents(), "</p>\n")
	if len(total.services) == 0 && len(parts) < 2 {
		return
	}
	w.p(`<section class="part" id="ui-overview">`, "\n<h2>", self("Overview", "ui-overview"), "</h2>\n")
	if len(total.services) > 0 {
		w.table("Services and their RPCs", "RPC", "Kind", "Description")
		for i := range parts {
			s := &parts[i].summary
			for j := range s.services {
				w.serviceRows(&s.services[j], address(s))
			}
		}
		w.endTable()
	}
	if len(parts) > 1 {
		w.filesTable(parts, address)
	}
	w.p("</section>\n")
}

func (w *writer) filesTable(parts []part, address func(*summary) string) {
	columns := []string{"File", "Package", "Contents"}
	described := slices.ContainsFunc(parts, func(p part) bool { return p.summary.text != "" })
	if described {
		columns = append(columns, "Description")
	}
	w.table("Files", columns...)
	w.p("<tbody>\n")
	for i := range parts {
		s := &parts[i].summary
		w.p("<tr", old("", s.deprecated), `><th scope="row">`, link(s.path, address(s)+fragment(s.anchor)), "</th><td>")
		if s.pkg != "" {
			w.p("<code>", breakable(s.pkg), "</code>")
		}
		w.p("</td><td>", s.contents(), "</td>")
		if described {
			w.p("<td>", esc(s.text), "</td>")
		}
		w.p("</tr>\n")
	}
	w.p("</tbody>\n")
	w.endTable()
}

// contents is what a file has, in numbers.
func (s *summary) contents() string {
	return counts(
		count{len(s.services), "service", "services"}, count{s.rpcs, "RPC", "RPCs"}, count{s.messages, "message", "messages"},
		count{s.enums, "enum", "enums"}, count{s.extensions, "extension", "extensions"},
	)
}

func (w *writer) serviceRows(s *serviceSummary, page string) {
	w.p("<tbody", old("", s.deprecated), `><tr class="section"><th scope="rowgroup" colspan="3">Service `,
		link(s.name, page+fragment(s.anchor)))
	if s.text != "" {
		w.p(`<p>`, esc(s.text), "</p>")
	}
	w.p("</th></tr>\n")
	for _, m := range s.rpcs {
		w.p("<tr", old("", m.deprecated), `><th scope="row">`, link(m.name, page+fragment(m.anchor)),
			`</th><td class="fact">`, m.streaming, "</td><td>", esc(m.text), "</td></tr>\n")
	}
	w.p("</tbody>\n")
}

// count is a number of things, and what one and several are called.
type count struct {
	n         int
	one, many string
}

func counts(all ...count) string {
	text := ""
	for _, c := range all {
		if c.n == 0 {
			continue
		}
		word := c.many
		if c.n == 1 {
			word = c.one
		}
		if text != "" {
			text += " · "
		}
		text += strconv.Itoa(c.n) + " " + word
	}
	return text
}

// siblings writes the ways from a page to the others.
func (w *writer) siblings(p *content.Page, home string, all []*content.Page) {
	if home == "" {
		return
	}
	w.p(`<p><a`, href(home), ">All pages</a></p>\n")
	w.pages(all, func(to *content.Page) string { return content.Relative(p.Name, to.Name) }, p.Name)
}

// pages lists pages in the sidebar; here is the name of the one that they are
// listed on.
func (w *writer) pages(all []*content.Page, address func(*content.Page) string, here string) {
	if len(all) < 2 {
		return
	}
	w.p("<details", when(here == "", " open"), "><summary>Pages</summary>\n<ul>\n")
	for _, p := range all {
		w.p("<li><a", href(address(p)), when(p.Name == here, ` aria-current="page"`), ">",
			breakable(pageLabel(p)), "</a></li>\n")
	}
	w.p("</ul></details>\n")
}

// pageLabel is what tells a page from the others: its package or its file.
func pageLabel(p *content.Page) string {
	switch {
	case len(p.Files) == 1:
		return p.Files[0].Path
	case len(p.Files) > 1 && p.Files[0].Package != "":
		return p.Files[0].Package
	}
	return p.Name
}
