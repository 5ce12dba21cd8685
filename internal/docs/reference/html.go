package reference

import (
	"bytes"
	"html/template"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"

	"github.com/skaffoldgen/protoc-gen-skaffold/templates"
)

// html is parsed when it is first used: a run needs one format only.
var html = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("html.tmpl").Funcs(template.FuncMap{
		"comment": htmlComment,
		"text":    func(t Text) string { return string(t) },
		"comma":   func(list []string) string { return strings.Join(list, ", ") },
		"presence": func(f *Field) string {
			return presenceNote(f)
		},
	}).Parse(templates.HTML))
})

// HTML is a page in HTML: one file that needs no other.
func HTML() Format { return parts{html()} }

var commentRenderer = goldmark.New(
	goldmark.WithExtensions(extension.GFM),
	goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(safeHTML{}, 0))),
)

// htmlComment renders a comment's Markdown. Of the tags in it only line breaks
// are tags; all others are text.
func htmlComment(t Text) (template.HTML, error) {
	var out bytes.Buffer
	// Headings would stand on a level of the page's outline that is not theirs.
	var source strings.Builder
	belowText, fence := false, ""
	for line := range strings.SplitSeq(string(t), "\n") {
		mark := fenceOf(line)
		switch {
		case fence == "" && mark != "":
			fence = mark
		case fence != "" && strings.HasPrefix(mark, fence):
			fence = ""
		case fence == "":
			line = demoteHeading(line, belowText)
		}
		belowText = fence == "" && mark == "" && line != ""
		source.WriteString(line + "\n")
	}
	if err := commentRenderer.Convert([]byte(source.String()), &out); err != nil {
		return "", err
	}
	return template.HTML(out.String()), nil
}

// safeHTML renders the raw HTML of a comment.
type safeHTML struct{}

// RegisterFuncs registers the two kinds of raw HTML that CommonMark knows.
func (safeHTML) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindRawHTML, func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			segments := n.(*ast.RawHTML).Segments
			for i := range segments.Len() {
				segment := segments.At(i)
				writeSafe(w, segment.Value(source))
			}
		}
		return ast.WalkSkipChildren, nil
	})
	r.Register(ast.KindHTMLBlock, func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		block := n.(*ast.HTMLBlock)
		if !entering {
			if block.HasClosure() {
				writeSafe(w, block.ClosureLine.Value(source))
			}
			_, err := w.WriteString("</p>\n")
			return ast.WalkContinue, err
		}
		if _, err := w.WriteString("<p>"); err != nil {
			return ast.WalkStop, err
		}
		for i := range block.Lines().Len() {
			line := block.Lines().At(i)
			writeSafe(w, line.Value(source))
		}
		return ast.WalkContinue, nil
	})
}

// writeSafe writes a line break as it is, and anything else as text.
func writeSafe(w util.BufWriter, raw []byte) {
	if tag := safeTag.Find(raw); tag != nil && len(bytes.TrimSpace(raw[len(tag):])) == 0 {
		_, _ = w.WriteString("<br>") // an error of w sticks to it and is reported at its end
		return
	}
	_, _ = w.Write(util.EscapeHTML(raw))
}
