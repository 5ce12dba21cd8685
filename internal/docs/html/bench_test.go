package html_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/api"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/content"
	docshtml "github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/html"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/plugin"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/synth"
)

// BenchmarkSite renders a synthetic module of 500 and of 5,000 files, as a page
// and as a folder. What a file costs is to be the same; x-read is the ratio to
// reading and unmarshalling the request.
func BenchmarkSite(b *testing.B) {
	for _, files := range []int{500, 5000} {
		var request bytes.Buffer
		if err := synth.WriteModule(&request, files); err != nil {
			b.Fatal(err)
		}
		model, read := readModel(b, request.Bytes())
		b.Run(fmt.Sprintf("page/%d", files), func(b *testing.B) {
			benchmark(b, model, files, read, func(string) string { return "index.html" }, docshtml.Pages)
		})
		b.Run(fmt.Sprintf("folder/%d", files), func(b *testing.B) {
			benchmark(b, model, files, read, func(path string) string { return path + ".html" },
				func(s *content.Site) ([]plugin.Output, error) { return docshtml.Folder(s, "index.html") })
		})
	}
}

// readModel reads a request and returns the shortest time that it took, in
// nanoseconds.
func readModel(b *testing.B, request []byte) (model *api.Model, shortest float64) {
	b.Helper()
	for range 3 {
		start := time.Now()
		req, err := plugin.ReadRequest(bytes.NewReader(request))
		if err != nil {
			b.Fatal(err)
		}
		if model, err = api.Build(req); err != nil {
			b.Fatal(err)
		}
		if took := float64(time.Since(start).Nanoseconds()); shortest == 0 || took < shortest {
			shortest = took
		}
	}
	return model, shortest
}

func benchmark(b *testing.B, model *api.Model, files int, read float64, name func(string) string,
	render func(*content.Site) ([]plugin.Output, error)) {
	b.ReportAllocs()
	size := 0
	for b.Loop() {
		site := content.NewSite(model, content.Settings{HTTP: "http://localhost:8080", GRPC: "localhost:50051"})
		pages := make(map[string][]*api.File)
		var names []string
		for _, f := range model.Files {
			n := name(f.Path)
			if pages[n] == nil {
				names = append(names, n)
			}
			pages[n] = append(pages[n], f)
		}
		for _, n := range names {
			site.Add(n, pages[n]...)
		}
		out, err := render(site)
		if err != nil {
			b.Fatal(err)
		}
		size = 0
		for _, o := range out {
			for _, c := range o.Content {
				size += len(c)
			}
		}
	}
	perOp := float64(b.Elapsed().Nanoseconds()) / float64(b.N)
	b.ReportMetric(perOp/1e3/float64(files), "µs/file")
	b.ReportMetric(float64(size)/float64(files), "B/file")
	b.ReportMetric(perOp/read, "x-read")
}
