package docs_test

import (
	"bytes"
	"fmt"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/plugin"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/plugin/plugintest"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/synth"
)

// BenchmarkDocuments makes documents of modules of two sizes: the cost per file is
// to be the same.
func BenchmarkDocuments(b *testing.B) {
	for _, files := range []int{500, 2000} {
		req := synth.Module(files)
		for _, parameter := range []string{"template=json", "template=docbook"} {
			b.Run(fmt.Sprintf("%s/%d", parameter, files), func(b *testing.B) {
				req.Parameter = proto.String(parameter)
				request := plugintest.Marshal(b, req)
				b.ReportAllocs()
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
}
