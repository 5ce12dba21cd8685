package scaffold_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	reflectionpb "google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/grpc/status"
	gengo "google.golang.org/protobuf/cmd/protoc-gen-go/internal_gengo"
	"google.golang.org/protobuf/compiler/protogen"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/pluginpb"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/gogen"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/plugin"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/plugin/plugintest"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/scaffold"
)

const root = "../.."

// serviceCases are sets of .proto files with services.
var serviceCases = []struct {
	name    string
	folders []string // of the files
	bufGen  string   // where their Go code is committed
}{
	{name: "skaffold", folders: []string{"proto/skaffold"}, bufGen: "buf.gen.yaml"},
	{name: "buildkit", folders: []string{"proto/buildkit"}, bufGen: "buf.gen.yaml"},
	{name: "rkt", folders: []string{"proto/rkt"}, bufGen: "buf.gen.yaml"},
	{name: "language", folders: []string{"testdata/language"}},
	{name: "seed", folders: []string{"testdata/skaffold-v1-seed000"}},
	{name: "streams", folders: []string{"internal/gogen/testdata/services/streams"}},
	{name: "names", folders: []string{"internal/gogen/testdata/services/names"}},
	{name: "gateway", folders: []string{"internal/gogen/testdata/services/gateway"}},
	{name: "odd", folders: []string{"internal/scaffold/testdata/odd"}},
}

// scaffolded is a service in a folder of the module that the test makes.
type scaffolded struct {
	name    string // of the service
	folder  string
	methods []*descriptorpb.MethodDescriptorProto
	process bool // to be started as one
}

// TestServices scaffolds every service of the APIs and of the test cases into one
// module, builds, vets and formats them all, and runs their tests, which start
// and call each. Those of the APIs, and one of each test case, are also started
// and called as processes.
func TestServices(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	dir := t.TempDir()
	writeModule(t, dir, "example.com/kits")
	var all []scaffolded
	for _, c := range serviceCases {
		req, options := compileCase(t, c.name, c.folders)
		args, first := []string{}, true
		if c.bufGen != "" {
			args = append(args, "--buf-gen", filepath.Join(root, c.bufGen))
		} else {
			generate(t, dir, req, "module=example.com/kits,"+options)
			args = append(args, "--opt", options)
		}
		for _, file := range req.GetProtoFile() {
			if !slices.Contains(req.GetFileToGenerate(), file.GetName()) {
				continue
			}
			for _, service := range file.GetService() {
				s := scaffolded{qualified(file, service), fmt.Sprintf("svc%d", len(all)), service.GetMethod(), c.bufGen != "" || first}
				first = false
				all = append(all, s)
				mustRun(t, image(t, req), append(args, "--service", s.name, "--dir", filepath.Join(dir, s.folder))...)
			}
		}
	}
	goRun(t, dir, "test", "-vet=all", "-ldflags=-w", "./...")
	if out := command(t, dir, "gofmt", "-l", "."); out != "" {
		t.Errorf("not formatted: %s", out)
	}
	build := []string{"build", "-ldflags=-w", "-o", filepath.Join(dir, "bin") + "/"}
	for _, s := range all {
		if s.process {
			build = append(build, "./"+s.folder)
		}
	}
	goRun(t, dir, build...)
	for _, s := range all {
		if s.process {
			t.Run(s.name, func(t *testing.T) { callProcess(t, filepath.Join(dir, "bin", s.folder), s) })
		}
	}
	if len(all) < 20 {
		t.Errorf("there are only %d services", len(all))
	}
}

// compileCase compiles a case, and says with M options where the Go code of files
// is that do not say so themselves.
func compileCase(t *testing.T, name string, folders []string) (*pluginpb.CodeGeneratorRequest, string) {
	t.Helper()
	sources := make(map[string]string)
	for _, folder := range folders {
		maps.Copy(sources, readProtos(t, filepath.Join(root, folder), name))
	}
	files := slices.Sorted(maps.Keys(sources))
	maps.Copy(sources, readProtos(t, filepath.Join(root, "proto/third_party"), name))
	req := plugintest.Compile(t, sources, files...)
	var options []string
	for _, file := range req.GetProtoFile() {
		pkg := file.GetOptions().GetGoPackage()
		if strings.HasPrefix(pkg, "example.com/kits/") || strings.HasPrefix(pkg, "google.golang.org/") {
			continue
		}
		// One Go package for the files of a folder and package, which may need each other.
		at := path.Join("example.com/kits", name, path.Dir(file.GetName()), "x"+strings.ReplaceAll(file.GetPackage(), ".", "x"))
		options = append(options, "M"+file.GetName()+"="+at)
	}
	return req, strings.Join(options, ",")
}

func readProtos(t *testing.T, dir, name string) map[string]string {
	t.Helper()
	files := make(map[string]string)
	err := fs.WalkDir(os.DirFS(dir), ".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(file, ".proto") {
			return err
		}
		text, err := os.ReadFile(filepath.Join(dir, file))
		// A proto3 message with an enum of proto2, which is in one of the test cases,
		// is nothing that protoc-gen-go can read.
		text = bytes.ReplaceAll(text, []byte("optional acme.legacy.Old.Colour colour"), []byte("optional int32 colour"))
		files[file] = strings.ReplaceAll(string(text), "CASE", name)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// generate writes what protoc-gen-go and the kits' generator make of a request.
func generate(t *testing.T, dir string, req *pluginpb.CodeGeneratorRequest, options string) {
	t.Helper()
	req = proto.CloneOf(req)
	// The kits of test cases are also generated for imports, but for Google's.
	req.FileToGenerate = nil
	for _, file := range req.GetProtoFile() {
		if !strings.HasPrefix(file.GetOptions().GetGoPackage(), "google.golang.org/") {
			req.FileToGenerate = append(req.FileToGenerate, file.GetName())
		}
	}
	req.Parameter = proto.String(options)
	var flags flag.FlagSet
	gen, err := protogen.Options{ParamFunc: flags.Set}.New(proto.CloneOf(req))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range gen.Files {
		if f.Generate {
			gengo.GenerateFile(gen, f)
		}
	}
	gen.SupportedFeatures = gengo.SupportedFeatures
	gen.SupportedEditionsMinimum, gen.SupportedEditionsMaximum = gengo.SupportedEditionsMinimum, gengo.SupportedEditionsMaximum
	write(t, dir, plugintest.Files(t, gen.Response()))
	write(t, dir, plugintest.Files(t, plugintest.Run(t, plugin.Plugin{Name: "protoc-gen-skaffold-go", Generate: gogen.Generate}, req)))
}

// image encodes a request's files as buf build does, with a mark on those that
// are only imported.
func image(t *testing.T, req *pluginpb.CodeGeneratorRequest) []byte {
	t.Helper()
	set := new(descriptorpb.FileDescriptorSet)
	for _, file := range req.GetProtoFile() {
		file = proto.CloneOf(file)
		if !slices.Contains(req.GetFileToGenerate(), file.GetName()) {
			extension := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), 1)
			raw := protowire.AppendBytes(protowire.AppendTag(nil, 8042, protowire.BytesType), extension)
			file.ProtoReflect().SetUnknown(raw)
		}
		set.File = append(set.File, file)
	}
	b, err := proto.MarshalOptions{AllowPartial: true, Deterministic: true}.Marshal(set)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func qualified(file *descriptorpb.FileDescriptorProto, service *descriptorpb.ServiceDescriptorProto) string {
	return strings.TrimPrefix(file.GetPackage()+"."+service.GetName(), ".")
}

// result is what a run of the command leaves behind.
type result struct {
	status         int
	stdout, stderr string
}

func run(stdin []byte, args ...string) result {
	var stdout, stderr bytes.Buffer
	status := scaffold.Run(plugin.Process{Args: args, Stdin: bytes.NewReader(stdin), Stdout: &stdout, Stderr: &stderr})
	return result{status, stdout.String(), stderr.String()}
}

// mustRun runs the command and wants no error. It returns standard output.
func mustRun(t *testing.T, stdin []byte, args ...string) string {
	t.Helper()
	r := run(stdin, args...)
	if r.status != 0 || r.stderr != "" {
		t.Fatalf("%q: status %d\n%s%s", args, r.status, r.stdout, r.stderr)
	}
	return r.stdout
}

// writeModule starts a module with the dependencies of this one, and this one as
// one of them.
func writeModule(t *testing.T, dir, modulePath string) {
	t.Helper()
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	abs, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	const runtime = "github.com/skaffoldgen/protoc-gen-skaffold"
	_, rest, _ := strings.Cut(string(mod), "\n")
	write(t, dir, map[string]string{
		"go.mod": fmt.Sprintf("module %s\n%s\nrequire %s v0.0.0\n\nreplace %[3]s => %s\n", modulePath, rest, runtime, abs),
		"go.sum": string(sum),
	})
}

func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// goRun runs the go command as on a machine without a network that must not
// change go.mod.
func goRun(t *testing.T, dir string, args ...string) string {
	t.Helper()
	return command(t, dir, "go", args...)
}

func command(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=readonly", "GOPROXY=off", "GOWORK=off")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// callProcess starts a server and calls it: health, reflection, and each RPC.
func callProcess(t *testing.T, program string, s scaffolded) {
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	conn := dial(t, startProcess(t, program))
	health, err := healthpb.NewHealthClient(conn).Check(ctx, &healthpb.HealthCheckRequest{Service: s.name})
	if err != nil || health.GetStatus() != healthpb.HealthCheckResponse_SERVING {
		t.Errorf("health: %v, %v", health, err)
	}
	if names := listServices(t, ctx, conn); !slices.Contains(names, s.name) {
		t.Errorf("reflection lists %q", names)
	}
	for _, m := range s.methods {
		stream, err := conn.NewStream(ctx, &grpc.StreamDesc{ClientStreams: true, ServerStreams: true}, "/"+s.name+"/"+m.GetName())
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(stream.SendMsg(requestOf(m)), stream.CloseSend()); err != nil && !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		err = stream.RecvMsg(&emptypb.Empty{})
		full := s.name + "." + m.GetName()
		if status.Code(err) != codes.Unimplemented || status.Convert(err).Message() != full+" is not implemented" {
			t.Errorf("%s: %v", full, err)
		}
	}
}

// requestOf is a message that the RPC can read: an empty one, but for those with
// required fields.
func requestOf(m *descriptorpb.MethodDescriptorProto) proto.Message {
	request := new(emptypb.Empty)
	request.ProtoReflect().SetUnknown([]byte(required[m.GetInputType()]))
	return request
}

var required = map[string]string{
	".odd.old.Old":     "\x0a\x00\x12\x02\x08\x00\x18\x01\x22\x00",
	".acme.legacy.Old": "\x0a\x00",
}

var listening = regexp.MustCompile(`msg=listening protocol=grpc address=(\S+)`)

// startProcess starts a server until the test ends, and returns its address. Then
// it has to end well.
func startProcess(t *testing.T, program string) string {
	t.Helper()
	cmd := exec.Command(program, "-grpc", "127.0.0.1:0", "-http", "127.0.0.1:0")
	log, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var lines strings.Builder
	scanner := bufio.NewScanner(log)
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		for scanner.Scan() {
			lines.WriteString(scanner.Text() + "\n")
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("the server ended with %v\n%s", err, lines.String())
		}
	})
	for scanner.Scan() {
		lines.WriteString(scanner.Text() + "\n")
		if m := listening.FindStringSubmatch(scanner.Text()); m != nil {
			return m[1]
		}
	}
	t.Fatalf("the server does not listen: %s", lines.String())
	return ""
}

func dial(t *testing.T, address string) *grpc.ClientConn {
	t.Helper()
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func listServices(t *testing.T, ctx context.Context, conn *grpc.ClientConn) []string {
	t.Helper()
	stream, err := reflectionpb.NewServerReflectionClient(conn).ServerReflectionInfo(ctx)
	if err != nil {
		t.Fatal(err)
	}
	request := &reflectionpb.ServerReflectionRequest{MessageRequest: &reflectionpb.ServerReflectionRequest_ListServices{}}
	if err := stream.Send(request); err != nil {
		t.Fatal(err)
	}
	answer, err := stream.Recv()
	if err != nil {
		t.Fatal(err)
	}
	if err := stream.CloseSend(); err != nil {
		t.Error(err)
	}
	var names []string
	for _, s := range answer.GetListServicesResponse().GetService() {
		names = append(names, s.GetName())
	}
	return names
}
