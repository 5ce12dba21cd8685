package docs_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/plugin"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/plugin/plugintest"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/synth"
)

// BenchmarkGenerate makes the page of a synthetic module. Whole processes, side
// by side with protoc-gen-doc, are measured by internal/synth/cmd/benchdocs.
func BenchmarkGenerate(b *testing.B) {
	path := filepath.Join(b.TempDir(), "reference.tmpl")
	if err := os.WriteFile(path, synth.Template("reference"), 0o644); err != nil {
		b.Fatal(err)
	}
	const files = 500
	req := synth.Module(files)
	for name, parameter := range map[string]string{
		"template": path + ",out.md",
		"markdown": "template=markdown",
		"html":     "template=html",
	} {
		b.Run(name, func(b *testing.B) {
			req.Parameter = proto.String(parameter)
			request := plugintest.Marshal(b, req)
			b.ReportAllocs()
			b.SetBytes(int64(len(request)))
			for b.Loop() {
				r, err := plugin.ReadRequest(bytes.NewReader(request))
				if err != nil {
					b.Fatal(err)
				}
				if _, err := docs.Generate(r); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*files), "µs/file")
		})
	}
}
