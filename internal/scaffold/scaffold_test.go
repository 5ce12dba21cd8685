package scaffold_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/plugin/plugintest"
)

// shopProto is a service whose RPCs the tests add, rename, remove and change.
const shopProto = `syntax = "proto3";
package shop.v1;
option go_package = "example.com/shop/gen/shop/v1;shopv1";

message A {}
message B {}

// Sells things.
service Shop {
%s
}
`

// The RPCs of the tests.
const (
	rpcGet    = "  // Get gets one.\n  rpc Get(A) returns (B);\n"
	rpcWatch  = "  rpc Watch(A) returns (stream B);\n"
	rpcUpload = "  rpc Upload(stream A) returns (B);\n"
	rpcChat   = "  rpc Chat(stream A) returns (stream B);\n"
)

func shopImage(t *testing.T, rpcs ...string) []byte {
	t.Helper()
	text := fmt.Sprintf(shopProto, strings.Join(rpcs, ""))
	return image(t, plugintest.Compile(t, map[string]string{"shop/v1/shop.proto": text}))
}

// shop scaffolds the service into the folder shopd of a new folder.
func shop(t *testing.T, rpcs ...string) string {
	t.Helper()
	t.Chdir(t.TempDir())
	mustRun(t, shopImage(t, rpcs...), "--dir", "shopd", "--module", "example.com/shopd")
	return "shopd"
}

// snapshot is what a folder holds: contents and times of change.
func snapshot(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	files := make(map[string]string)
	for _, entry := range entries {
		text, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		info, err := entry.Info()
		if err != nil {
			t.Fatal(err)
		}
		files[entry.Name()] = info.ModTime().String() + "\n" + string(text)
	}
	return files
}

// added are the names that are in the second snapshot only. A file that has
// changed or gone fails the test.
func added(t *testing.T, before, after map[string]string) []string {
	t.Helper()
	var names []string
	for name, text := range after {
		switch old, ok := before[name]; {
		case !ok:
			names = append(names, name)
		case old != text:
			t.Errorf("%s has changed", name)
		}
	}
	for name := range before {
		if _, ok := after[name]; !ok {
			t.Errorf("%s is gone", name)
		}
	}
	slices.Sort(names)
	return names
}

func wantAdded(t *testing.T, before map[string]string, dir string, want ...string) {
	t.Helper()
	if got := added(t, before, snapshot(t, dir)); !slices.Equal(got, want) {
		t.Errorf("added %q, want %q", got, want)
	}
}

func TestFiles(t *testing.T) {
	dir := shop(t, rpcGet, rpcWatch, rpcUpload, rpcChat)
	wantAdded(t, nil, dir, "README.md", "chat.go", "get.go", "go.mod", "main.go", "server.go", "server_test.go",
		"upload.go", "watch.go")
	want := map[string]string{
		"get.go": "func (s *Server) Get(ctx context.Context, req *shopv1.A) (*shopv1.B, error) {\n" +
			"\treturn nil, status.Error(codes.Unimplemented, \"shop.v1.Shop.Get is not implemented\")\n}\n",
		"watch.go": "func (s *Server) Watch(ctx context.Context, req *shopv1.A, stream serve.Sender[*shopv1.B]) error {\n" +
			"\treturn status.Error(",
		"upload.go": "func (s *Server) Upload(ctx context.Context, reqs iter.Seq2[*shopv1.A, error]) (*shopv1.B, error) {\n" +
			"\treturn nil, status.Error(",
		"chat.go": "func (s *Server) Chat(ctx context.Context, reqs iter.Seq2[*shopv1.A, error], stream serve.Sender[*shopv1.B]) error {\n" +
			"\treturn status.Error(",
		"server.go": "var _ shopv1kit.ShopServer = (*Server)(nil)\n",
		"go.mod":    "module example.com/shopd\n\ngo 1.26\n",
		"README.md": "POST -d '{}' localhost:50052/shop.v1.Shop/Get\n",
	}
	for name, part := range want {
		if text := readFile(t, filepath.Join(dir, name)); !strings.Contains(text, part) {
			t.Errorf("%s is\n%s", name, text)
		}
	}
	if text := readFile(t, filepath.Join(dir, "get.go")); !strings.Contains(text, "\n// Get gets one.\nfunc") {
		t.Errorf("get.go has not the comment of the .proto file:\n%s", text)
	}
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Run again, the command changes nothing, whatever the user has made of the files;
// with a new RPC it adds one file.
func TestAgain(t *testing.T) {
	dir := shop(t, rpcGet, rpcWatch)
	write(t, dir, map[string]string{
		"watch.go":  "package main // mine\n\nfunc (Server) Watch() {}\n",
		"README.md": "",
		"go.mod":    "module example.com/shopd // mine\n",
	})
	before := snapshot(t, dir)
	out := mustRun(t, shopImage(t, rpcGet, rpcWatch), "--dir", dir, "--module", "example.com/shopd")
	wantAdded(t, before, dir)
	if strings.Contains(out, "created") || strings.Contains(out, "next:") || !strings.Contains(out, "kept shopd/get.go:12:18: Get\n") {
		t.Errorf("it says\n%s", out)
	}
	out = mustRun(t, shopImage(t, rpcChat, rpcGet, rpcWatch), "--dir", dir)
	wantAdded(t, before, dir, "chat.go")
	if !strings.Contains(out, "created shopd/chat.go\n") {
		t.Errorf("it says\n%s", out)
	}
}

// What is missing is told by what the folder's files declare, not by their names.
func TestMissing(t *testing.T) {
	dir := shop(t, rpcGet, rpcWatch)
	for from, to := range map[string]string{
		"get.go": "handlers_linux.go", "server.go": "types.go", "main.go": "cmd.go", "server_test.go": "rpc_test.go",
		"README.md": "readme.txt",
	} {
		if err := os.Rename(filepath.Join(dir, from), filepath.Join(dir, to)); err != nil {
			t.Fatal(err)
		}
	}
	before := snapshot(t, dir)
	mustRun(t, shopImage(t, rpcGet, rpcWatch), "--dir", dir)
	wantAdded(t, before, dir)

	if err := os.Remove(filepath.Join(dir, "watch.go")); err != nil {
		t.Fatal(err)
	}
	delete(before, "watch.go")
	mustRun(t, shopImage(t, rpcGet, rpcWatch), "--dir", dir)
	wantAdded(t, before, dir, "watch.go")
}

// A handler may be on a type that Server embeds, Server may have another name,
// and the package, too.
func TestOwnTypes(t *testing.T) {
	for name, text := range map[string]string{
		"embedded": `package shop
import "context"
import pb "example.com/shop/gen/shop/v1"
import kit "example.com/shop/gen/shop/v1/shopv1kit"
type Shop struct { *handlers }
type handlers struct{ base }
type base = inner
type inner struct{}
var _ kit.ShopServer = &Shop{}
func (handlers) Get(context.Context, *pb.A) (*pb.B, error) { return nil, nil }
func (*inner) Watch() {}
func TestEveryRPC() {}
`,
		"foreign": `package shop
import "example.com/shop/gen/shop/v1/shopv1kit"
type Shop struct { shopv1kit.ShopFuncs }
var _ shopv1kit.ShopServer = Shop{}
func TestEveryRPC() {}
`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			write(t, ".", map[string]string{"go.mod": "module example.com/shopd\n", "README.md": "", "shop.go": text})
			before := snapshot(t, ".")
			mustRun(t, shopImage(t, rpcGet, rpcWatch), "--dir", ".")
			wantAdded(t, before, ".")
			mustRun(t, shopImage(t, rpcGet), "--dir", ".", "--check", "--opt", "features=services")
		})
	}
	t.Chdir(t.TempDir())
	write(t, ".", map[string]string{
		"go.mod": "module example.com/shopd\n",
		"s.go": "package shop\n\nimport \"example.com/shop/gen/shop/v1/shopv1kit\"\n\n" +
			"type Shop struct{}\n\nvar _ shopv1kit.ShopServer = new(Shop)\n\nfunc status() {}\n",
	})
	mustRun(t, shopImage(t, rpcGet), "--dir", ".")
	text := readFile(t, "get.go")
	for _, want := range []string{"package shop\n", "func (s *Shop) Get(", `statuspb "google.golang.org/grpc/status"`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if text := readFile(t, "server_test.go"); !strings.Contains(text, "NewShopService(new(Shop))") {
		t.Errorf("the test is\n%s", text)
	}
}

// A file is left alone, whatever it holds: the handler gets another name, and what
// has a name of its own is not written.
func TestNameTaken(t *testing.T) {
	t.Chdir(t.TempDir())
	mine := map[string]string{"GET.go": "package main\n", "readme.md": "mine", "main.go": "package main\n", "go.sum": "mine"}
	write(t, "shopd", mine)
	if err := os.Symlink("/nowhere/at/all", "shopd/watch.go"); err != nil {
		t.Skip(err)
	}
	if err := os.Mkdir("shopd/chat.go", 0o755); err != nil {
		t.Fatal(err)
	}
	out := mustRun(t, shopImage(t, rpcGet, rpcWatch, rpcChat), "--dir", "shopd", "--module", "example.com/shopd")
	if !strings.Contains(out, "kept shopd/main.go: func main is missing\n") || !strings.Contains(out, "kept shopd/readme.md\n") {
		t.Errorf("it says\n%s", out)
	}
	for name, text := range mine {
		if got := readFile(t, filepath.Join("shopd", name)); got != text {
			t.Errorf("%s is %q", name, got)
		}
	}
	for _, name := range []string{"get_rpc.go", "watch_rpc.go", "chat_rpc.go"} {
		readFile(t, filepath.Join("shopd", name))
	}
	if _, err := os.Stat("/nowhere/at/all"); err == nil {
		t.Error("a link was followed")
	}
}

// A link that leads nowhere has the name as much as a file has, and so has a
// folder.
func TestLinksToNowhere(t *testing.T) {
	missing := map[string]string{
		"main.go": "func main is missing", "server.go": "type Server is missing",
		"server_test.go": "func TestEveryRPC is missing", "go.mod": "the module example.com/shopd is missing",
	}
	names := append(slices.Sorted(maps.Keys(missing)), "README.md")
	for kind, make := range map[string]func(name string) error{
		" (a link to nowhere)": func(name string) error { return os.Symlink("/nowhere/at/all", name) },
		"":                     func(name string) error { return os.Mkdir(name, 0o755) },
	} {
		t.Run("kind"+kind, func(t *testing.T) {
			t.Chdir(t.TempDir())
			if err := os.Mkdir("shopd", 0o755); err != nil {
				t.Fatal(err)
			}
			for _, name := range names {
				if err := make(filepath.Join("shopd", name)); err != nil {
					t.Skip(err)
				}
			}
			out := mustRun(t, shopImage(t, rpcGet), "--dir", "shopd", "--module", "example.com/shopd")
			entries, err := os.ReadDir("shopd")
			if err != nil {
				t.Fatal(err)
			}
			if len(entries) != len(names)+1 || strings.Count(out, "created ") != 1 ||
				!strings.Contains(out, "created shopd/get.go\n") {
				t.Errorf("the folder has %v; it says\n%s", entries, out)
			}
			for name, what := range missing {
				if line := "kept shopd/" + name + kind + ": " + what + "\n"; !strings.Contains(out, line) {
					t.Errorf("no %q in\n%s", line, out)
				}
			}
			if !strings.Contains(out, "kept shopd/README.md\n") {
				t.Errorf("no README.md in\n%s", out)
			}
		})
	}
}

// An M option that gives an import path alone leaves a package its name, from which
// the kit has its own.
func TestMappedPackageName(t *testing.T) {
	t.Chdir(t.TempDir())
	for mapped, kit := range map[string]string{
		"example.com/moved": "example.com/moved/shopv1kit", "example.com/moved;m": "example.com/moved/mkit",
	} {
		dir := filepath.Base(kit)
		mustRun(t, shopImage(t, rpcGet), "--dir", dir, "--module", "example.com/shopd",
			"--opt", "Mshop/v1/shop.proto="+mapped)
		if text := readFile(t, filepath.Join(dir, "server.go")); !strings.Contains(text, `"`+kit+`"`) {
			t.Errorf("%s: no %s in\n%s", mapped, kit, text)
		}
	}
}

// A folder that serves something else, or cannot be read, is refused before
// anything is written.
func TestRefused(t *testing.T) {
	for name, test := range map[string]struct{ file, want string }{
		"other service": {
			"package main\n\nimport \"example.com/other/otherkit\"\n\n" +
				"type Server struct{}\n\nvar _ otherkit.OtherServer = (*Server)(nil)\n",
			"shopd/s.go:7:7: the type Server serves example.com/other/otherkit.OtherServer " +
				"and not shop.v1.Shop: scaffold each service into a folder of its own",
		},
		"syntax": {
			"package main\n\nfunc (s *Server) Get( {}\n",
			"shopd/s.go:3:23: ",
		},
		"no package": {"", "shopd/s.go:1:1: expected 'package'"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			write(t, "shopd", map[string]string{"s.go": test.file})
			before := snapshot(t, "shopd")
			r := run(shopImage(t, rpcGet), "--dir", "shopd", "--module", "example.com/shopd")
			want := "protoc-gen-skaffold-go scaffold: " + test.want
			if r.status != 1 || r.stdout != "" || !strings.HasPrefix(r.stderr, want) {
				t.Errorf("%+v", r)
			}
			wantAdded(t, before, "shopd")
		})
	}
}

// Check finds what has changed in the API, and where.
func TestCheck(t *testing.T) {
	dir := shop(t, rpcGet, rpcWatch, rpcUpload)
	before := snapshot(t, dir)
	for name, test := range map[string]struct {
		rpcs []string
		want string
	}{
		"nothing": {[]string{rpcGet, rpcUpload, rpcWatch}, ""},
		"new": {
			[]string{rpcGet, rpcWatch, rpcUpload, rpcChat},
			"shopd/server.go:12:7: Server has no method Chat for the RPC shop.v1.Shop.Chat (shop/v1/shop.proto:14:3): " +
				"run the command without --check to add one\n",
		},
		"renamed": {
			[]string{"  rpc Fetch(A) returns (B);\n", rpcWatch, rpcUpload},
			"shopd/get.go:12:18: Get is the handler of no RPC of shop.v1.Shop: " +
				"if the RPC was renamed to Fetch, rename it, else delete it\n" +
				"shopd/server.go:12:7: Server has no method Fetch for the RPC shop.v1.Shop.Fetch (shop/v1/shop.proto:10:3): " +
				"run the command without --check to add one\n",
		},
		"removed": {
			[]string{rpcGet, rpcUpload},
			"shopd/watch.go:13:18: Watch is the handler of no RPC of shop.v1.Shop: " +
				"delete it, or let its name begin with a small letter if you use it yourself\n",
		},
		"changed": {
			[]string{"  rpc Get(B) returns (B);\n", rpcWatch, "  rpc Upload(stream A) returns (stream B);\n"},
			"shopd/get.go:12:18: Get has the type (context.Context, *shopv1.A) (*shopv1.B, error), " +
				"but the RPC shop.v1.Shop.Get (shop/v1/shop.proto:10:3) needs (context.Context, *shopv1.B) (*shopv1.B, error): change it\n" +
				"shopd/upload.go:13:18: Upload has the type (context.Context, iter.Seq2[*shopv1.A, error]) (*shopv1.B, error), " +
				"but the RPC shop.v1.Shop.Upload (shop/v1/shop.proto:12:3) needs " +
				"(context.Context, iter.Seq2[*shopv1.A, error], serve.Sender[*shopv1.B]) error: change it\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := run(shopImage(t, test.rpcs...), "--dir", dir, "--check", "--module", "example.com/shopd")
			status := 1
			if test.want == "" {
				status, test.want = 0, "shopd: each of the 3 RPCs of shop.v1.Shop has its handler\n"
			}
			if r.status != status || r.stdout != test.want || r.stderr != "" {
				t.Errorf("status %d, want %d\n%s%s\nwant\n%s", r.status, status, r.stdout, r.stderr, test.want)
			}
			wantAdded(t, before, dir)
		})
	}
}

// What users write beside handlers is none.
func TestCheckKnowsHelpers(t *testing.T) {
	dir := shop(t, rpcGet, rpcWatch)
	write(t, dir, map[string]string{
		"get.go": `package main

import (
	c "context"

	. "example.com/shop/gen/shop/v1"
)

type request = A

func (Server) Get(a c.Context, b *request) (_ *B, err error) { return }
`,
		"helpers.go": `package main

import (
	"context"

	shopv1 "example.com/shop/gen/shop/v1"
)

type local struct{}

func (s *Server) Close() error { return nil }
func (s *Server) Sell(ctx context.Context, what *local) (*local, error) { return nil, nil }
func (s *Server) find(ctx context.Context, a *shopv1.A) (*shopv1.B, error) { return nil, nil }
func (s *Server) Two(ctx context.Context, a, b *shopv1.A) (*shopv1.B, error) { return nil, nil }
func (l *local) Other(ctx context.Context, a *shopv1.A) (*shopv1.B, error) { return nil, nil }
`,
	})
	mustRun(t, shopImage(t, rpcGet, rpcWatch), "--dir", dir, "--check")
}
