package docs_test

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/plugin/plugintest"
)

// FuzzMarkdown finds comments and texts that break a page.
func FuzzMarkdown(f *testing.F) {
	parameters := []string{
		"template=markdown",
		"template=markdown,flavor=mdx,front_matter=title:a: b,internal_comments=true",
		"template=markdown,flavor=hugo",
		"template=markdown,layout=package,order=source,source_url=https://example.com/{path}",
	}
	fuzzDocuments(f, parameters, checkMarkdownFiles)
}

// checkMarkdownFiles checks pages, and that no link of them leads to nothing that
// their author has not written.
func checkMarkdownFiles(t *testing.T, files map[string]string) {
	t.Helper()
	if len(files) == 0 {
		t.Error("there is no page")
	}
	for name, text := range files {
		checkMarkdown(t, name, text, isHugo(name, text))
	}
}

// Names that no compiler lets pass, in a request made by hand, do not break a page
// either, nor do the names of files and packages.
func TestMarkdownOfHostileNames(t *testing.T) {
	for _, name := range []string{
		`"><script>alert(1)</script>`, "a|b", "a`b", "a b", "a\nb", "a](b", "a{b}", "<!--", "é漢", "", "#", "a_b_", "__x__", "*", "1. x", "- x", "\\", "&lt;", "\u202e",
	} {
		for _, parameter := range []string{"template=markdown", "template=markdown,flavor=mdx", "template=markdown,flavor=hugo", "template=markdown,layout=file,output=page.md/{file}.md"} {
			req := plugintest.Compile(t, map[string]string{"hostile.proto": hostileProto(hostileComments)})
			f := req.ProtoFile[0]
			f.Service[0].Name = proto.String(name + "S")
			f.Service[0].Method[0].Name = proto.String(name)
			f.MessageType[0].Field[0].Name = proto.String(name)
			f.MessageType[0].OneofDecl[0].Name = proto.String(name + "O")
			f.EnumType[0].Value[0].Name = proto.String(name)
			f.Extension[0].Name = proto.String(name + "X")
			if !strings.Contains(name, "\n") && name != "" {
				f.Name = proto.String(name + ".proto")
				req.FileToGenerate = []string{name + ".proto"}
			}
			req.Parameter = proto.String(parameter)
			result := plugintest.RunBytes(t, docsPlugin, plugintest.Marshal(t, req))
			if result.Status != 0 {
				continue // refused, which is as good as an error in the response
			}
			if result.Response.Error == nil {
				checkMarkdownFiles(t, plugintest.Files(t, result.Response))
			}
		}
	}
}
