package scaffold_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/plugin/plugintest"
)

// A module of its own, on code that is committed here, builds at once and without
// a network.
func TestModuleOnThisOne(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	req, _ := compileCase(t, "rkt", []string{"proto/rkt"})
	dir := filepath.Join(t.TempDir(), "rktd")
	t.Chdir(root)
	out := mustRun(t, image(t, req), "--dir", dir, "--module", "example.com/rktd", "--service", "v1alpha.PublicAPI")
	if !strings.HasSuffix(out, "\nnext: cd "+dir+" && go run .\n") || strings.Count(out, "next:") != 1 {
		t.Errorf("it says\n%s", out)
	}
	goRun(t, dir, "test", "-vet=all", "-ldflags=-w", "./...")
	goRun(t, dir, "run", "-ldflags=-w", ".", "--help")
}

// The life of a service in a module of its own, inside of the module that has the
// generated code.
func TestModuleOnUsers(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	dir := t.TempDir()
	writeModule(t, dir, "example.com/shop")
	api := func(rpcs ...string) []byte {
		text := strings.Replace(shopProto, "%s", strings.Join(rpcs, ""), 1)
		req := plugintest.Compile(t, map[string]string{"shop/v1/shop.proto": text})
		generate(t, dir, req, "module=example.com/shop")
		return image(t, req)
	}
	img := api(rpcGet, rpcWatch, rpcUpload)
	t.Chdir(dir)
	mustRun(t, img, "--dir", "shopd", "--module", "example.com/shopd")
	goRun(t, "shopd", "test", "-vet=all", "-ldflags=-w", "./...")

	// An RPC more is a file more.
	before := snapshot(t, "shopd")
	img = api(rpcGet, rpcWatch, rpcUpload, rpcChat)
	if r := run(img, "--dir", "shopd", "--check"); r.status != 1 {
		t.Errorf("the check says\n%s%s", r.stdout, r.stderr)
	}
	mustRun(t, img, "--dir", "shopd")
	wantAdded(t, before, "shopd", "chat.go")

	// The test is of use to RPCs that are written, too.
	replace(t, "shopd/get.go", "nil, status.Error(codes.Unimplemented, ", "&shopv1.B{}, status.Error(codes.OK, ")
	replace(t, "shopd/watch.go", "return status", "<-ctx.Done()\n\treturn status")
	replace(t, "shopd/upload.go", "codes.Unimplemented", "codes.InvalidArgument")
	goRun(t, "shopd", "test", "-vet=all", "-ldflags=-w", "./...")
	replace(t, "shopd/upload.go", "return nil, ", "if true {\n\t\tpanic(\"upload\")\n\t}\n\treturn nil, ")
	cmd := exec.Command("go", "test", "-ldflags=-w", "./...")
	cmd.Dir = "shopd"
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "--- FAIL: TestEveryRPC/Upload") || strings.Count(string(out), "--- FAIL") != 2 {
		t.Errorf("a panic does not fail the test: %v\n%s", err, out)
	}
}

func replace(t *testing.T, name, old, with string) {
	t.Helper()
	text := readFile(t, name)
	if !strings.Contains(text, old) {
		t.Fatalf("%s has no %q:\n%s", name, old, text)
	}
	write(t, ".", map[string]string{name: strings.Replace(text, old, with, 1)})
}

// Which go.mod there is, and what is said to be done.
func TestModules(t *testing.T) {
	const (
		shopMod = "module example.com/shop\n\ngo 1.27\n\nrequire google.golang.org/grpc v1.83.2\n\n" +
			"replace example.com/a => ./a\n\nexclude example.com/b v1.0.0\n"
		own = "module example.com/own\n"
	)
	for name, test := range map[string]struct {
		files  map[string]string
		cwd    string
		args   []string
		goMod  []string // parts of the one in shopd; nil if there is none
		steps  []string // in the output
		status int
	}{
		"published": {
			args:  []string{"--module", "example.com/shopd"},
			goMod: []string{"module example.com/shopd\n\ngo 1.26\n"},
			steps: []string{"next: cd shopd && go mod tidy\n", "next: cd shopd && go run .\n"},
		},
		"nested": {
			files: map[string]string{"go.mod": shopMod, "go.sum": "sum", "gen/shop/v1/shopv1kit/k.go": "package k"},
			args:  []string{"--module", "example.com/shopd"},
			goMod: []string{
				"go 1.27\n", "replace example.com/shop => ../\n", "replace example.com/a => ../a\n", "exclude example.com/b v1.0.0\n",
				"example.com/shop v0.0.0-00010101000000-000000000000\n",
			},
			steps: []string{"next: cd shopd && go mod tidy\n"}, // it does not require the runtime
		},
		"inner module": {
			files: map[string]string{
				"go.mod": "module example.com\n", "shop/gen/go.mod": "module example.com/shop/gen\n",
				"shop/gen/shop/v1/shopv1kit/k.go": "",
			},
			args:  []string{"--module", "example.org/shopd"},
			goMod: []string{"replace example.com/shop/gen => ../shop/gen\n"},
		},
		"package of the module": {
			files: map[string]string{"go.mod": shopMod, "gen/shop/v1/shopv1kit/k.go": ""},
			steps: []string{"next: cd shopd && go mod tidy\n"},
		},
		"package, said so": {
			files: map[string]string{"go.mod": shopMod},
			args:  []string{"--module", "example.com/shop/shopd"},
			steps: []string{"next: buf generate (the kit example.com/shop/gen/shop/v1/shopv1kit is not there yet)\n"},
		},
		"beside": {
			files: map[string]string{"shop/go.mod": shopMod, "own/go.mod": own, "shop/gen/shop/v1/shopv1kit/k.go": ""},
			cwd:   "shop",
			args:  []string{"--dir", "../own/shopd"},
			steps: []string{"next: cd ../own/shopd && go mod edit -require=example.com/shop@v0.0.0-00010101000000-000000000000 " +
				"-replace=example.com/shop=../../shop && go mod tidy\n"},
		},
		"workspace": {
			files: map[string]string{"go.mod": shopMod, "go.work": "go 1.26\n"},
			args:  []string{"--module", "example.com/shopd"},
			goMod: []string{"replace example.com/shop => ../\n"},
			steps: []string{"next: cd shopd && go work use . (because of "},
		},
		"contradiction": {
			files:  map[string]string{"shopd/go.mod": own},
			args:   []string{"--module", "example.com/shopd"},
			goMod:  []string{own},
			steps:  []string{"--module says example.com/shopd, but shopd/go.mod says module example.com/own: leave --module out\n"},
			status: 2,
		},
		"no module": {
			steps:  []string{"--dir: shopd lies in no module: name the one to make, such as --module example.com/shopd\n"},
			status: 2,
		},
		"not a module path": {
			args:   []string{"--module", "a b"},
			steps:  []string{`--module: malformed import path "a b"`},
			status: 2,
		},
		"broken go.mod": {
			files:  map[string]string{"go.mod": "module\n"},
			steps:  []string{"go.mod:1: "},
			status: 1,
		},
		"internal": {
			args: []string{"--module", "example.com/shopd", "--opt", "Mshop/v1/shop.proto=example.com/shop/internal/gen"},
			steps: []string{"example.com/shop/internal/gen is internal to example.com/shop, and example.com/shopd cannot import it: " +
				"let the module's path begin with example.com/shop/"},
			status: 1,
		},
		"internal to us": {
			args:  []string{"--module", "example.com/shop/shopd", "--opt", "Mshop/v1/shop.proto=example.com/shop/internal/gen"},
			goMod: []string{"module example.com/shop/shopd\n"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			write(t, ".", test.files)
			t.Chdir(filepath.Join(".", test.cwd))
			r := run(shopImage(t, rpcGet), append([]string{"--dir", "shopd"}, test.args...)...)
			if r.status != test.status {
				t.Errorf("status %d, want %d", r.status, test.status)
			}
			for _, step := range test.steps {
				if !strings.Contains(r.stdout+r.stderr, step) {
					t.Errorf("no %q in\n%s%s", step, r.stdout, r.stderr)
				}
			}
			text, err := os.ReadFile("shopd/go.mod")
			if (err == nil) != (test.goMod != nil) {
				t.Errorf("go.mod: %q, %v", text, err)
			}
			for _, part := range test.goMod {
				if !strings.Contains(string(text), part) {
					t.Errorf("no %q in\n%s", part, text)
				}
			}
		})
	}
}
