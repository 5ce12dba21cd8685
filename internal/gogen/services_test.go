package gogen_test

import (
	"bytes"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/pluginpb"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/gogen"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/plugin"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/plugin/plugintest"
)

// serviceCases are the folders of testdata/services, as eventCases are those of
// testdata/events.
var serviceCases = []struct {
	name, folder, syntax, options string
	kit                           string // options of the kits alone
	plugins                       []string
}{
	{name: "proto3", folder: "streams", plugins: []string{goGRPC}},
	{name: "proto2", folder: "streams", syntax: `syntax = "proto2";`, plugins: []string{goGRPC}},
	{name: "open2023", folder: "streams", syntax: `edition = "2023";`, plugins: []string{goGRPC}},
	{
		name: "hybrid", folder: "streams", syntax: `edition = "2023";`,
		options: ",default_api_level=API_HYBRID", plugins: []string{goGRPC},
	}, {
		name: "opaque", folder: "streams", syntax: `edition = "2023";`,
		options: ",default_api_level=API_OPAQUE", plugins: []string{goGRPC},
	},
	{name: "edition2024", folder: "streams", syntax: `edition = "2023"; // 2024`, plugins: []string{goGRPC}},
	{name: "names", folder: "names"}, // go-grpc's stubs of these do not compile
	{name: "gateway", folder: "gateway", kit: ",http=gateway", plugins: []string{goGRPC, gateway}},
}

// The generators that others wrote.
const (
	goGRPC  = "google.golang.org/grpc/cmd/protoc-gen-go-grpc"
	gateway = "github.com/grpc-ecosystem/grpc-gateway/v2/protoc-gen-grpc-gateway"
)

// TestServiceKits generates the protobuf packages, the stubs of others and the
// kits of all cases into one module, compiles, checks and runs it.
func TestServiceKits(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	module := t.TempDir()
	writeModule(t, module)
	requireThisModule(t, module)
	programs := buildTools(t, goGRPC, gateway, "honnef.co/go/tools/cmd/staticcheck")
	for _, c := range serviceCases {
		folder := filepath.Join("testdata", "services", c.folder)
		sources := make(map[string]string)
		for name, text := range readFolder(t, folder, ".proto") {
			if c.syntax != "" {
				text = firstStatement.ReplaceAllString(text, c.syntax)
			}
			sources[name] = strings.ReplaceAll(text, "CASE", c.name)
		}
		generate := slices.Sorted(maps.Keys(sources))
		maps.Copy(sources, readFolder(t, "../../proto/third_party", ".proto"))
		req := plugintest.Compile(t, sources, generate...)
		if c.name == "edition2024" {
			setEdition2024(req)
		}
		options := "module=example.com/kits" + c.options
		write(t, module, protocGenGo(t, req, options))
		for _, p := range c.plugins {
			write(t, module, runPlugin(t, programs[p], req, options))
		}
		write(t, module, generateKits(t, req, options+c.kit))
		for name, text := range readFolder(t, folder, "_test.go") {
			write(t, module, map[string]string{filepath.Join(c.name, name): strings.ReplaceAll(text, "CASE", c.name)})
		}
	}
	run(t, module, "go", "vet", "-tags=protoopaque", "./hybrid/...")
	run(t, module, "go", "test", "-vet=all", "-ldflags=-w", "./...")
	if out := run(t, module, "gofmt", "-l", "."); out != "" {
		t.Errorf("not formatted: %s", out)
	}
	kits := strings.Fields(run(t, module, "go", "list", "./..."))
	kits = slices.DeleteFunc(kits, func(path string) bool { return !strings.HasSuffix(path, "kit") })
	if len(kits) != len(serviceCases) {
		t.Errorf("the kits are %v", kits)
	}
	run(t, module, programs["honnef.co/go/tools/cmd/staticcheck"], kits...)
}

// requireThisModule lets a module import the packages of this one.
func requireThisModule(t testing.TB, module string) {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	const path = "github.com/skaffoldgen/protoc-gen-skaffold"
	run(t, module, "go", "mod", "edit", "-require="+path+"@v0.0.0", "-replace="+path+"="+root)
}

// buildTools builds programs that tools/go.mod has.
func buildTools(t testing.TB, packages ...string) map[string]string {
	t.Helper()
	dir := t.TempDir()
	programs := make(map[string]string)
	for _, pkg := range packages {
		programs[pkg] = filepath.Join(dir, filepath.Base(pkg))
		cmd := exec.Command("go", "build", "-modfile=tools/go.mod", "-o", programs[pkg], pkg)
		cmd.Dir = "../.."
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	return programs
}

// runPlugin makes what another plugin makes of a request.
func runPlugin(t testing.TB, program string, req *pluginpb.CodeGeneratorRequest, options string) map[string]string {
	t.Helper()
	req = proto.CloneOf(req)
	// The plugins of others read the API level as well, but not as an option.
	options, _, _ = strings.Cut(options, ",default_api_level")
	req.Parameter = proto.String(options)
	cmd := exec.Command(program)
	cmd.Stdin, cmd.Stderr = bytes.NewReader(plugintest.Marshal(t, req)), os.Stderr
	out, err := cmd.Output()
	resp := new(pluginpb.CodeGeneratorResponse)
	if err = errors.Join(err, proto.Unmarshal(out, resp)); err != nil {
		t.Fatal(err)
	}
	return plugintest.Files(t, resp)
}

// TestServiceFiles covers which files there are: one for each .proto file that
// declares a service, the same whatever the order of the request.
func TestServiceFiles(t *testing.T) {
	req := plugintest.Compile(t, readFolder(t, filepath.Join("testdata", "services", "streams"), ".proto"))
	files := generateKits(t, req, "module=example.com/kits")
	const name = "CASE/pb/streamspbkit/streams_services.go"
	if _, ok := files[name]; !ok || len(files) != 1 {
		t.Fatalf("the files are %v, want %s", slices.Sorted(maps.Keys(files)), name)
	}
	slices.Reverse(req.FileToGenerate)
	if again := generateKits(t, req, "module=example.com/kits,http=gateway,features=services"); again[name] != files[name] {
		t.Error("the order of the request, or an option that is not about it, changes the file")
	}
	for _, options := range []string{",features=events", ",features=codes"} {
		if none := generateKits(t, req, "module=example.com/kits"+options); len(none) > 0 {
			t.Errorf("the files of %s are %v", options, slices.Sorted(maps.Keys(none)))
		}
	}
}

// TestServiceComments covers what the code says, word by word.
func TestServiceComments(t *testing.T) {
	req := plugintest.Compile(t, readFolder(t, filepath.Join("testdata", "services", "streams"), ".proto"))
	text := generateKits(t, req, "module=example.com/kits")["CASE/pb/streamspbkit/streams_services.go"]
	for _, want := range []string{`
// # Kinds
//
// An implementation of KindsServer, of all its methods or of some with
// KindsFuncs embedded, becomes a running server:
//
//	err := serve.Run(ctx, serve.Config{GRPC: []string{"localhost:50051"}}, streamspbkit.NewKindsService(impl))
//
`, `
// KindsServer is an implementation of the service streams.CASE.Kinds: All kinds
// of RPCs.
//
`, `
	// One puts the words into the reverse order.
	One(`, `
	// Down handles streams.CASE.Kinds.Down: Sends each word on its own.
	Down(`, `
	// Up handles streams.CASE.Kinds.Up.
	//
	// Collects the words.
	//
	// - In the order of sending.
	//
	// - Up to the word "stop".
	Up(`, `
	// When handles streams.CASE.Kinds.When.
	When(`, `
// OtherServer is an implementation of the service streams.CASE.Other.
//
// Has the methods of Kinds, as streams of other kinds.
//
// Deprecated: Use Kinds.
//
// Calls`, `
// Deprecated: Other is deprecated in streams.proto.
func NewOtherService(`, `
// NothingServer is an implementation of the service streams.CASE.Nothing:
// Stands for itself.
type NothingServer interface {
}
`, `
	// Gone handles streams.CASE.Ancient.Gone.
	//
	// Deprecated: Use Kept.
	Gone(`, `
	// Marked handles streams.CASE.Ancient.Marked.
	//
	// Deprecated: Marked is marked as deprecated in streams.proto.
	Marked(`, `
	// MarkedFunc is what Marked calls.
	//
	// Deprecated: Marked is deprecated in streams.proto.
	MarkedFunc func(`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the kit does not say:\n%s", want)
		}
	}
	if t.Failed() {
		t.Log(text)
	}
}

// TestGatewayNames covers services for which there can be no gateway: the error
// says where they are.
func TestGatewayNames(t *testing.T) {
	const start = `syntax = "proto3"; package p; option go_package = "example.com/p";` +
		`import "google/api/annotations.proto"; message M {}` + "\n"
	const get = `{ option (google.api.http) = {get: "/%"}; }`
	bound := func(path string) string { return strings.ReplaceAll(get, "%", path) }
	const advice = "so that their code does not compile: rename one of them, or leave the option http=gateway out"
	for _, test := range []struct {
		name string
		a, b string
		want string
	}{
		{
			name: "two services",
			a:    start + "service do_it { rpc A(M) returns (M); }\n  service DoIt { rpc A(M) returns (M) " + bound("a") + " }",
			want: "a.proto:3:3: protoc-gen-go-grpc and protoc-gen-grpc-gateway call both p.DoIt and p.do_it (a.proto:2:1) DoIt, " + advice,
		}, {
			name: "two files",
			a:    start + "service do_it { rpc A(M) returns (M) " + bound("a") + " }",
			b:    `syntax = "proto3"; package q; option go_package = "example.com/p"; message N {}` + "\nservice doIt { rpc A(N) returns (N); }",
			want: "b.proto:2:1: protoc-gen-go-grpc and protoc-gen-grpc-gateway call both q.doIt and p.do_it (a.proto:2:1) DoIt, " + advice,
		}, {
			name: "two methods",
			a:    start + "service S {\n  rpc get_it(M) returns (M);\n  rpc GetIt(M) returns (M) " + bound("a") + "\n}",
			want: "a.proto:4:3: protoc-gen-go-grpc and protoc-gen-grpc-gateway call both p.S.GetIt and p.S.get_it (a.proto:3:3) GetIt, " + advice,
		}, {
			name: "no routes",
			a:    start + "service do_it { rpc A(M) returns (M); }\n  service DoIt { rpc A(M) returns (M); rpc a(M) returns (M); }",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			sources := map[string]string{"a.proto": test.a}
			if test.b != "" {
				sources["b.proto"] = test.b
			}
			generate := slices.Sorted(maps.Keys(sources))
			maps.Copy(sources, readFolder(t, "../../proto/third_party", ".proto"))
			req := plugintest.Compile(t, sources, generate...)
			req.Parameter = proto.String("http=gateway")
			resp := plugintest.Run(t, plugin.Plugin{Name: "protoc-gen-skaffold-go", Generate: gogen.Generate}, req)
			if resp.GetError() != test.want {
				t.Errorf("error %q, want %q", resp.GetError(), test.want)
			}
			generateKits(t, req, "") // without the gateway it is all right
		})
	}
}

// TestServiceOutsideModule covers a file that the option module leaves no place for.
func TestServiceOutsideModule(t *testing.T) {
	req := plugintest.Compile(t, map[string]string{
		"a.proto": `syntax = "proto3"; option go_package = "example.com/a"; service S {}`,
	})
	req.Parameter = proto.String("module=example.com/b")
	resp := plugintest.Run(t, plugin.Plugin{Name: "protoc-gen-skaffold-go", Generate: gogen.Generate}, req)
	const want = "example.com/a/akit/a_services.go: the file is not below the option module=example.com/b"
	if resp.GetError() != want {
		t.Errorf("error %q, want %q", resp.GetError(), want)
	}
}

// TestServicePackageInit covers a package that cannot be imported.
func TestServicePackageInit(t *testing.T) {
	req := plugintest.Compile(t, map[string]string{
		"a.proto": `syntax = "proto3"; option go_package = "example.com/init;a"; message M {} service S { rpc R(M) returns (M); }`,
	})
	resp := plugintest.Run(t, plugin.Plugin{Name: "protoc-gen-skaffold-go", Generate: gogen.Generate}, req)
	const want = "a.proto:1:1: the kit has to import the Go package \"example.com/init\", and Go allows no import to be named init: " +
		"give it a go_package whose last element is another"
	if resp.GetError() != want {
		t.Errorf("error %q, want %q", resp.GetError(), want)
	}
}
