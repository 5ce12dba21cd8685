package browser_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/pluginpb"
)

// largeFiles is how many files of a synthetic module have more than 10,000
// messages and enums.
const largeFiles = 1000

// TestLargeSite opens a page of 10,000 types and reports how long a search takes.
func TestLargeSite(t *testing.T) {
	for _, c := range []struct{ name, parameter, file string }{
		{"one page", "template=html", "index.html"},
		{"folder", "template=html,layout=package", "index.html"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			bytes := writeSite(t, dir, c.parameter)
			x := open(t, desktop, filepath.Join(dir, c.file), "")
			t.Logf("%d bytes; the page is ready after %.0f ms", bytes, eval[float64](x,
				`performance.getEntriesByType("navigation")[0].domContentLoadedEventEnd`))
			for _, query := range []string{"account", "catalog order", "page_size", "e", "9"} {
				if len(x.search(query)) == 0 {
					t.Errorf("%s is not found", query)
				}
				t.Logf("search for %q: %.1f ms", query, eval[float64](x, fmt.Sprintf(
					`performance.getEntriesByName("search").find(e => e.detail === %s).duration`, quote(query))))
			}
		})
	}
}

// writeSite writes the site of a synthetic module and returns its size.
func writeSite(t *testing.T, dir, parameter string) (size int) {
	t.Helper()
	request := output(t, nil, "go", "run", "./internal/synth/cmd/module",
		"-files", fmt.Sprint(largeFiles), "-parameter", parameter)
	response := new(pluginpb.CodeGeneratorResponse)
	if err := proto.Unmarshal(output(t, request, "go", "run", "./cmd/protoc-gen-skaffold-docs"), response); err != nil {
		t.Fatal(err)
	}
	if response.Error != nil {
		t.Fatal(response.GetError())
	}
	for _, f := range response.File {
		path := filepath.Join(dir, filepath.FromSlash(f.GetName()))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(f.GetContent()), 0o644); err != nil {
			t.Fatal(err)
		}
		size += len(f.GetContent())
	}
	return size
}

// output runs a program of the repository.
func output(t *testing.T, stdin []byte, name string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = root
	cmd.Stdin = bytes.NewReader(stdin)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, stderr.String())
	}
	return out
}
