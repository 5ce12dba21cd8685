package docs_test

import (
	"bytes"
	"flag"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/plugin/plugintest"
)

var update = flag.Bool("update", false, "write the files that golden cases expect")

const root = "../.."

// TestGolden runs each folder of testdata that has a file named options: its
// lines are the plugin's options, its .proto files are the request, and want/ is
// what has to come out. A line that starts a run of its own follows a blank one.
// The .proto files below imports/ can be imported, without pages of their own;
// those below before/ are an earlier release, whose image {before} names.
func TestGolden(t *testing.T) {
	cases, err := filepath.Glob(filepath.Join(root, "testdata", "*", "options"))
	if err != nil || len(cases) == 0 {
		t.Fatalf("no golden cases: %v", err)
	}
	for _, path := range cases {
		dir := filepath.Dir(path)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			got := make(map[string]string)
			for _, parameter := range readOptions(t, path) {
				for name, content := range generate(t, dir, parameter) {
					if _, ok := got[name]; ok {
						t.Errorf("two runs write %s", name)
					}
					got[name] = content
				}
			}
			want := filepath.Join(dir, "want")
			if *update {
				writeTree(t, want, got)
			}
			if diff := cmp.Diff(readTree(t, want), got); diff != "" {
				t.Errorf("the pages differ (-want +got); if the new ones are right, go test ./internal/docs -update writes them\n%s", diff)
			}
		})
	}
}

// readOptions returns the parameter of each run.
func readOptions(t *testing.T, path string) []string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var runs []string
	for run := range strings.SplitSeq(strings.TrimSpace(string(text)), "\n\n") {
		runs = append(runs, strings.Join(strings.Split(run, "\n"), ","))
	}
	return runs
}

// generate runs the plugin in the folder of a case, on the case's .proto files.
func generate(t *testing.T, dir, parameter string) map[string]string {
	t.Helper()
	req := compileCase(t, dir)
	if strings.Contains(parameter, "{before}") {
		path := filepath.Join(t.TempDir(), "before.binpb")
		writeImage(t, path, compileCase(t, filepath.Join(dir, "before")))
		parameter = strings.ReplaceAll(parameter, "{before}", path)
	}
	req.Parameter = proto.String(parameter)
	t.Chdir(dir)
	return plugintest.Files(t, plugintest.Run(t, docsPlugin, req))
}

// compileCase compiles the .proto files of a folder.
func compileCase(t *testing.T, dir string) *pluginpb.CodeGeneratorRequest {
	t.Helper()
	sources := readProtos(t, filepath.Join(root, "proto", "third_party"))
	maps.Copy(sources, readProtos(t, filepath.Join(dir, "imports")))
	var wanted []string
	for name, text := range readProtos(t, dir) {
		if strings.HasPrefix(name, "imports/") || strings.HasPrefix(name, "before/") {
			continue
		}
		sources[name] = text
		wanted = append(wanted, name)
	}
	slices.Sort(wanted)
	return plugintest.Compile(t, sources, wanted...)
}

// writeImage writes the files of a request as buf and protoc write images.
func writeImage(t *testing.T, path string, req *pluginpb.CodeGeneratorRequest) {
	t.Helper()
	image, err := proto.Marshal(&descriptorpb.FileDescriptorSet{File: req.ProtoFile})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, image, 0o600); err != nil {
		t.Fatal(err)
	}
}

func readProtos(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := readTree(t, dir)
	for name := range files {
		if !strings.HasSuffix(name, ".proto") {
			delete(files, name)
		}
	}
	return files
}

// readTree reads all files below a folder, by their paths with forward slashes.
func readTree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := make(map[string]string)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		name, relErr := filepath.Rel(dir, path)
		if relErr != nil {
			return relErr
		}
		files[filepath.ToSlash(name)] = string(text)
		return err
	})
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return files
}

func writeTree(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, bytes.Clone([]byte(content)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
