//go:build external

package docs_test

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/pluginpb"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/plugin/plugintest"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/synth"
)

// The tests of this file run programs that are no part of the module; .ci/run
// builds or installs them.
var (
	oracle    = flag.String("oracle", "", "protoc-gen-doc v1.5.1, an executable")
	bufPath   = flag.String("buf", "", "buf, an executable")
	protoc    = flag.String("protoc", "", "protoc, an executable")
	cases     = flag.Int("cases", 500, "how many generated requests to compare")
	firstCase = flag.Uint64("first", 1, "number of the first request")
)

// TestOracle runs protoc-gen-doc v1.5.1 and this plugin on generated requests:
// the same parameter, template and descriptors have to give the same files. What
// may differ, by docs/protoc-gen-doc.md, the requests and the templates do not
// contain.
func TestOracle(t *testing.T) {
	program := executable(t, *oracle)
	dir := t.TempDir()
	for _, name := range []string{"everything.tmpl", "functions.tmpl"} {
		if err := os.WriteFile(filepath.Join(dir, name), synth.Template(strings.TrimSuffix(name, ".tmpl")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	batches := runtime.GOMAXPROCS(0)
	t.Run("batches", func(t *testing.T) {
		for b := range batches {
			t.Run(fmt.Sprint(b), func(t *testing.T) {
				t.Parallel()
				for i := b; i < *cases; i += batches {
					compareWithOracle(t, program, *firstCase+uint64(i))
				}
			})
		}
	})
	t.Logf("%d requests compared", *cases)
}

func executable(t *testing.T, path string) string {
	t.Helper()
	if path == "" {
		t.Fatal("the path of a program is missing: .ci/run shows how to get it")
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return abs
}

// oracleParameters are what the requests are run with, in turn.
var oracleParameters = []string{
	"everything.tmpl,out.md",
	"functions.tmpl,out.md:^$:allow=clock",
	"json,out.json",
	"everything.tmpl,dir/out.md,default",
	"everything.tmpl,out.md,source_relative",
	"json,api.json,source_relative:^b",
	"everything.tmpl,out.md:/,_",
	"functions.tmpl,out.md:[a-c].*x:allow=clock",
}

func compareWithOracle(t *testing.T, program string, seed uint64) {
	req := synth.Random(rand.New(rand.NewPCG(seed, 0)))
	parameter := oracleParameters[seed%uint64(len(oracleParameters))]
	req.Parameter = proto.String(parameter)
	request := plugintest.Marshal(t, req)

	var stdout, stderr bytes.Buffer
	cmd := exec.Command(program)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(request), &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("request %d, %s: protoc-gen-doc: %v\n%s", seed, parameter, err, stderr.String())
	}
	want := new(pluginpb.CodeGeneratorResponse)
	if err := proto.Unmarshal(stdout.Bytes(), want); err != nil {
		t.Fatal(err)
	}
	got := plugintest.RunBytes(t, docsPlugin, request)
	if got.Status != 0 {
		t.Fatalf("request %d, %s: %s", seed, parameter, got.Stderr)
	}
	if diff := cmp.Diff(plugintest.Files(t, want), plugintest.Files(t, got.Response)); diff != "" {
		t.Errorf("request %d, %s (-protoc-gen-doc +ours)\n%s", seed, parameter, diff)
	}
}

// TestBufAndProtocAgree runs the plugin under buf, under protoc and in process,
// on all files of proto/: the pages are the same. The three send their files in
// different orders.
func TestBufAndProtocAgree(t *testing.T) {
	buf, compiler := executable(t, *bufPath), executable(t, *protoc)
	protos, err := filepath.Abs(filepath.Join(root, "proto"))
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "protoc-gen-skaffold-docs")
	run(t, root, "go", "build", "-o", program, "./cmd/protoc-gen-skaffold-docs")

	for _, parameter := range []string{"template=markdown", "template=html,layout=package", "template=json", "template=docbook"} {
		t.Run(parameter, func(t *testing.T) {
			req := allProtos(t)
			req.Parameter = proto.String(parameter)
			want := plugintest.Files(t, plugintest.Run(t, docsPlugin, req))

			config := fmt.Sprintf("version: v2\nplugins:\n  - local: %s\n    out: out\n    strategy: all\n    opt: %q\n", program, parameter)
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "buf.gen.yaml"), []byte(config), 0o644); err != nil {
				t.Fatal(err)
			}
			run(t, dir, buf, "generate", filepath.Dir(protos), "--template", "buf.gen.yaml")
			if diff := cmp.Diff(want, readTree(t, filepath.Join(dir, "out"))); diff != "" {
				t.Errorf("buf (-in process +buf)\n%s", diff)
			}

			dir = t.TempDir()
			args := []string{"--plugin=" + program, "--skaffold-docs_out=" + dir, "--skaffold-docs_opt=" + parameter}
			for _, module := range []string{"third_party", "skaffold", "rkt", "buildkit"} {
				args = append(args, "-I", filepath.Join(protos, module))
			}
			run(t, dir, compiler, append(args, req.GetFileToGenerate()...)...)
			if diff := cmp.Diff(want, readTree(t, dir)); diff != "" {
				t.Errorf("protoc (-in process +protoc)\n%s", diff)
			}
		})
	}
}

func run(t *testing.T, dir, program string, args ...string) {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", filepath.Base(program), err, out)
	}
}
