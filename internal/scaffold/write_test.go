package scaffold

import (
	"context"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// eachWay runs a test for each way to create a file, as on a system that has no
// better one.
func eachWay(t *testing.T, test func(t *testing.T, way string, w *writer)) {
	for _, name := range slices.Sorted(maps.Keys(ways)) {
		t.Run(name, func(t *testing.T) {
			if name == unnamed && runtime.GOOS != "linux" {
				t.Skip("files without a name are Linux's")
			}
			w := open(t, t.TempDir())
			w.ways = ways[name]
			test(t, name, w)
		})
	}
}

const unnamed, named, inPlace = "unnamed", "named", "in place"

// ways are the ways alone, by names for subtests.
var ways = map[string][]way{
	unnamed: {(*writer).createUnnamed},
	named:   {(*writer).createNamed},
	inPlace: {(*writer).createInPlace},
}

func open(t *testing.T, dir string) *writer {
	t.Helper()
	w, err := openWriter(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.close)
	return w
}

// A file is what it is to be, with the usual permissions.
func TestCreate(t *testing.T) {
	eachWay(t, func(t *testing.T, _ string, w *writer) {
		dir := w.dir
		if err := w.create(t.Context(), "a.go", []byte("package a\n")); err != nil {
			t.Fatal(err)
		}
		wantFiles(t, dir, map[string]string{"a.go": "package a\n"})
		plain := filepath.Join(t.TempDir(), "plain")
		if err := os.WriteFile(plain, nil, filePerm); err != nil {
			t.Fatal(err)
		}
		if got, want := mode(t, filepath.Join(dir, "a.go")), mode(t, plain); got != want {
			t.Errorf("the mode is %v, want %v", got, want)
		}
		if err := w.create(t.Context(), "../b.go", nil); err == nil {
			t.Error("a file is created outside of the folder")
		}
	})
}

func mode(t *testing.T, name string) os.FileMode {
	t.Helper()
	info, err := os.Lstat(name)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode()
}

// A write that fails half-way leaves no file, and none of those after it; what was
// complete before it stays.
func TestInterrupted(t *testing.T) {
	eachWay(t, func(t *testing.T, _ string, w *writer) {
		dir := w.dir
		if err := w.create(t.Context(), "a.go", []byte("package a\n")); err != nil {
			t.Fatal(err)
		}
		full := errors.New("disk full")
		w.write = func(_ context.Context, f *os.File, content []byte) error {
			if _, err := f.Write(content[:len(content)/2]); err != nil {
				return err
			}
			return full
		}
		err := w.create(t.Context(), "b.go", []byte("package b\n"))
		if !errors.Is(err, full) || !strings.HasPrefix(err.Error(), filepath.Join(dir, "b.go")+" is not created: ") {
			t.Errorf("error %v", err)
		}
		wantFiles(t, dir, map[string]string{"a.go": "package a\n"})
	})
}

// A context that ends while a file is being written leaves none.
func TestCancelled(t *testing.T) {
	eachWay(t, func(t *testing.T, _ string, w *writer) {
		dir := w.dir
		ctx, cancel := context.WithCancel(t.Context())
		w.write = func(ctx context.Context, f *os.File, content []byte) error {
			cancel()
			return writeSynced(ctx, f, content)
		}
		for range 2 {
			err := w.create(ctx, "a.go", []byte("package a\n"))
			if !errors.Is(err, context.Canceled) || !strings.HasSuffix(err.Error(), ": run the command again to go on") {
				t.Errorf("error %v", err)
			}
		}
		wantFiles(t, dir, nil)
	})
}

// Of two that create a file at the same time, one fails, and the file is that of
// the other.
func TestCreateExclusively(t *testing.T) {
	eachWay(t, func(t *testing.T, way string, w *writer) {
		dir := w.dir
		theirs := func() {
			if err := os.WriteFile(filepath.Join(dir, "a.go"), []byte("theirs"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if way == inPlace {
			theirs()
		}
		w.write = func(ctx context.Context, f *os.File, content []byte) error {
			theirs()
			return writeSynced(ctx, f, content)
		}
		err := w.create(t.Context(), "a.go", []byte("ours"))
		if err == nil || !strings.Contains(err.Error(), "is left alone: run the command again") {
			t.Errorf("error %v", err)
		}
		wantFiles(t, dir, map[string]string{"a.go": "theirs"})
	})
}

// What a process that was killed has left is removed, but not what another one is
// about to write.
func TestLeftOvers(t *testing.T) {
	dir := t.TempDir()
	for name, age := range map[string]time.Duration{
		".scaffold-OLD.tmp": 2 * temporaryAge, ".scaffold-NEW.tmp": 0, ".scaffold-mine": 2 * temporaryAge,
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		then := time.Now().Add(-age)
		if err := os.Chtimes(path, then, then); err != nil {
			t.Fatal(err)
		}
	}
	w, err := openWriter(dir)
	if err != nil {
		t.Fatal(err)
	}
	w.close()
	if names := list(t, dir); !slices.Equal(names, []string{".scaffold-NEW.tmp", ".scaffold-mine"}) {
		t.Errorf("the folder has %q", names)
	}
}

// A plan that fails in the middle says so, and can be gone on with.
func TestPlanInterrupted(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	p := &plan{files: []plannedFile{{"a.go", []byte("a")}, {"no/such/folder.go", []byte("b")}, {"c.go", []byte("c")}}}
	if err := p.write(dir, io.Discard); err == nil {
		t.Error("no error")
	}
	wantFiles(t, dir, map[string]string{"a.go": "a"})
}

// wantFiles wants a folder to have these files and no other entries.
func wantFiles(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	got := make(map[string]string)
	for _, name := range list(t, dir) {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		got[name] = string(text)
	}
	if !maps.Equal(got, want) {
		t.Errorf("the folder has %q, want %q", got, want)
	}
}

func list(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}

func TestFileNames(t *testing.T) {
	taken := make(map[string]bool)
	for _, name := range strings.Fields("main.go get.go list.go list_rpc.go list_rpc2.go server_test.go aux_rpc.go") {
		taken[name] = true
	}
	for name, want := range map[string]string{
		"ListPods": "list_pods.go", "GetURL": "get_url.go", "HTTPGetV2": "http_get_v2.go", "Get_State_": "get_state.go",
		"X_Y": "x_y.go", "Get": "get_rpc.go", "Main": "main_rpc.go", "List": "list_rpc3.go", "A": "a.go", "ABC": "abc.go",
		"RunTest": "run_test_rpc.go", "Test": "test.go", "RunLinux": "run_linux_rpc.go", "Linux": "linux.go",
		"RunWindowsAmd64": "run_windows_amd64_rpc.go", "Run386": "run386.go", "Run_386": "run_386_rpc.go",
		"Aux": "aux_rpc2.go", "Com1": "com1_rpc.go", "Com": "com.go", "ServerTest": "server_test_rpc.go",
		strings.Repeat("Ab", 300): strings.Repeat("ab_", 66) + "ab.go",
	} {
		if got := freeName(snake(name), taken); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

func TestManagedMode(t *testing.T) {
	gen := new(bufGen)
	gen.Managed.Enabled = true
	gen.Managed.Override = []managedRule{
		{FileOption: "go_package_prefix", Value: "example.com/gen"},
		{FileOption: "go_package", Path: "acme/shop.proto", Value: "example.com/shop;shopv1"},
		{FileOption: "go_package", Path: "acme/old", Value: "example.com/old"},
		{FileOption: "java_package", Value: "com.example"},
		{FileOption: "go_package", Module: "buf.build/acme/other", Value: "example.com/other"},
		{FileOption: "go_package_prefix", Path: "late", Value: "example.com/late"},
	}
	gen.Managed.Disable = []managedRule{
		{FileOption: "go_package", Path: "kept"},
		{FileOption: "go_package_prefix", Path: "noprefix"},
		{FileOption: "java_package"},
		{FieldOption: "jstype"},
		{Module: "buf.build/acme/left"},
	}
	for _, test := range []struct{ path, pkg, module, want string }{
		{path: "acme/shop.proto", pkg: "acme", want: "example.com/shop;shopv1"},
		{path: "acme/shop.proto2", pkg: "acme", want: "example.com/gen/acme"},
		{path: "acme/old/a.proto", pkg: "acme", want: "example.com/old"},
		{path: "acme/older/a.proto", pkg: "acme.old.v1beta1", want: "example.com/gen/acme/older;oldv1beta1"},
		{path: "a.proto", pkg: "v1", want: "example.com/gen"},
		{path: "a.proto", pkg: "a.v0", want: "example.com/gen"},
		{path: "a.proto", pkg: "a.v2p1alpha", want: "example.com/gen;av2p1alpha"},
		{path: "a.proto", pkg: "a.v3test9", want: "example.com/gen;av3test9"},
		{path: "google/protobuf/empty.proto", want: "own"},
		{path: "kept/a.proto", want: "own"},
		{path: "noprefix/a.proto", want: "own"},
		{path: "a.proto", module: "buf.build/acme/other", want: "example.com/other"},
		{path: "a.proto", module: "buf.build/acme/left", want: "own"},
		{path: "late/a.proto", pkg: "late", want: "example.com/late/late"},
	} {
		f := testFile(test.path, test.pkg, "own")
		f.module = test.module
		if got := gen.goPackage(f); got != test.want {
			t.Errorf("%s of %s in %q: %s, want %s", test.path, test.pkg, test.module, got, test.want)
		}
	}
	gen.Managed.Enabled = false
	if got := gen.goPackage(testFile("acme/shop.proto", "acme", "own")); got != "own" {
		t.Errorf("disabled: %s", got)
	}
}
