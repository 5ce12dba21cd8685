package html

import (
	"strings"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/content"
)

func (w *writer) service(s *content.Service) {
	w.p(`<section`, old("type", s.Deprecated), id(s.Anchor), ">\n<div class=\"part\">\n")
	w.heading(3, "service", self(s.Name, s.Anchor), s.Entry)
	w.about(s.Entry)
	w.described(s.Entry, typeLevel)
	w.p("</div>\n")
	for _, m := range s.Methods {
		w.method(m)
	}
	w.p("</section>\n")
}

func (w *writer) method(m *content.Method) {
	w.p(`<section`, old("part rpc some", m.Deprecated), id(m.Anchor), ">\n")
	w.heading(4, "", self(m.Name, m.Anchor), m.Entry)
	w.p(`<pre class="signature" tabindex="0"><code>`, signature(m), "</code></pre>\n<p>",
		content.Capital(m.Streaming()), ": takes ", streamed(m.StreamsRequest, m.Request),
		" and returns ", streamed(m.StreamsBack, m.Response), ".")
	switch m.Idempotency {
	case "NO_SIDE_EFFECTS":
		w.p(" It has no side effects.")
	case "IDEMPOTENT":
		w.p(" It is idempotent.")
	}
	w.p(source(m.Entry), "</p>\n")
	if len(m.Routes) > 0 {
		w.p(`<ul class="routes">`, "\n")
		for _, r := range m.Routes {
			w.p("<li>", routeText(r), "</li>\n")
		}
		w.p("</ul>\n")
	}
	w.described(m.Entry, memberLevel)
	w.commands(m)
	w.p("</section>\n")
}

// signature is the RPC as a .proto file has it, with links.
func signature(m *content.Method) string {
	return `<span class="word">rpc</span> ` + esc(m.Name) + "(" + argument(m.StreamsRequest, m.Request) +
		`) <span class="word">returns</span> (` + argument(m.StreamsBack, m.Response) + ")"
}

func argument(stream bool, t content.Type) string {
	return when(stream, `<span class="word">stream</span> `) + typeCode(t)
}

func streamed(stream bool, t content.Type) string {
	return when(stream, "a stream of ") + typeText(t)
}

func routeText(r content.Route) string {
	text := `<code><span class="verb">` + esc(r.Verb) + "</span> " + esc(r.Path) + "</code>"
	if r.Body == "*" {
		text += ", the body is the request"
	} else if r.Body != "" {
		text += ", the body is " + code(r.Body)
	}
	if len(r.Query) > 0 {
		text += ", in the query: " + list(r.Query, code)
	}
	if r.ResponseBody != "" {
		text += ", the answer is " + code(r.ResponseBody)
	}
	return text
}

// maxLines is the number of lines up to which commands show without a click.
const maxLines = 30

// commands writes the commands that call an RPC.
func (w *writer) commands(m *content.Method) {
	var all []string
	for _, r := range m.Routes {
		if r.Curl != "" {
			all = append(all, r.Curl)
		}
	}
	if m.Grpcurl != "" {
		all = append(all, m.Grpcurl)
	}
	if len(all) == 0 {
		return
	}
	lines := 0
	for _, text := range all {
		lines += strings.Count(text, "\n") + 1
	}
	w.p("<details", when(lines <= maxLines, " open"), "><summary>Try it</summary>\n")
	for _, text := range all {
		w.block("sh", text)
	}
	w.p("</details>\n")
}

// block writes code that a reader may want to copy.
func (w *writer) block(language, text string) {
	w.p(`<div class="code"><button type="button" class="needs-js copy">Copy</button>`,
		`<pre tabindex="0"><code class="language-`, language, `">`,
		escText(strings.TrimSuffix(text, "\n")), "</code></pre></div>\n")
}
