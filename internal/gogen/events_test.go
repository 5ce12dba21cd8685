package gogen_test

import (
	"bytes"
	"errors"
	"flag"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	gengo "google.golang.org/protobuf/cmd/protoc-gen-go/internal_gengo"
	"google.golang.org/protobuf/compiler/protogen"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/gogen"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/plugin"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/plugin/plugintest"
)

// eventCases are the folders of testdata/events, each with its .proto files, a
// test of its kit, and maybe a config. One folder can be several cases, which
// differ in the syntax or edition and in the API level. In the files, CASE stands
// for the name of the case.
var eventCases = []struct {
	name, folder string
	syntax       string // in place of that of the files
	options      string // for both plugins
}{
	{name: "proto3", folder: "shapes"},
	{name: "open2023", folder: "shapes", syntax: `edition = "2023";`},
	{name: "hybrid", folder: "shapes", syntax: `edition = "2023";`, options: "default_api_level=API_HYBRID"},
	{name: "opaque", folder: "shapes", syntax: `edition = "2023";`, options: "default_api_level=API_OPAQUE"},
	{name: "opaque3", folder: "shapes", options: "default_api_level=API_OPAQUE"},
	{name: "edition2024", folder: "shapes", syntax: `edition = "2023"; // 2024`},
	{name: "groups", folder: "groups"},
	{name: "enums", folder: "enums"},
	{name: "closed", folder: "closed"},
	{name: "names", folder: "names"},
	{name: "features", folder: "features"},
	{name: "twofiles", folder: "twofiles"},
}

// TestEventKits generates the protobuf packages and the kits of all cases into
// one module, compiles, vets and runs it.
func TestEventKits(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	module := t.TempDir()
	writeModule(t, module)
	for _, c := range eventCases {
		folder := filepath.Join("testdata", "events", c.folder)
		sources := make(map[string]string)
		for name, text := range readFolder(t, folder, ".proto") {
			text = strings.ReplaceAll(text, "/CASE/", "/"+c.name+"/")
			if c.syntax != "" {
				text = firstStatement.ReplaceAllString(text, c.syntax)
			}
			sources[name] = text
		}
		req := plugintest.Compile(t, sources)
		if c.name == "edition2024" {
			setEdition2024(req)
		}
		options := "module=example.com/kits"
		if c.options != "" {
			options += "," + c.options
		}
		write(t, module, protocGenGo(t, req, options))
		if config := filepath.Join(folder, "kit.yaml"); exists(config) {
			options += ",config=" + config
		}
		write(t, module, generateKits(t, req, options+",features=events"))
		for name, text := range readFolder(t, folder, "_test.go") {
			write(t, module, map[string]string{filepath.Join(c.name, name): strings.ReplaceAll(text, "/CASE/", "/"+c.name+"/")})
		}
	}
	run(t, module, "go", "vet", "-tags=protoopaque", "./hybrid/...")
	run(t, module, "go", "test", "-vet=all", "-ldflags=-w", "./...")
	if out := run(t, module, "gofmt", "-l", "."); out != "" {
		t.Errorf("not formatted: %s", out)
	}
}

// TestEventFiles covers which files there are: one for each .proto file that
// declares an event, the same whatever the order of the request.
func TestEventFiles(t *testing.T) {
	sources := readFolder(t, filepath.Join("testdata", "events", "shapes"), ".proto")
	req := plugintest.Compile(t, sources)
	files := generateKits(t, req, "module=example.com/kits,features=events")
	const name = "CASE/pb/shapespbkit/shapes_events.go"
	if _, ok := files[name]; !ok || len(files) != 1 {
		t.Fatalf("the files are %v, want %s", slices.Sorted(maps.Keys(files)), name)
	}
	slices.Reverse(req.FileToGenerate)
	if again := generateKits(t, req, "module=example.com/kits,features=events"); again[name] != files[name] {
		t.Error("the order of the request changes the file")
	}
	req.FileToGenerate = []string{"shapes/other.proto"}
	if none := generateKits(t, req, "module=example.com/kits,features=events"); len(none) != 0 {
		t.Errorf("the files without events are %v", slices.Sorted(maps.Keys(none)))
	}
}

// TestEventKitElsewhere covers a kit for a package of another module, which an M
// flag names.
func TestEventKitElsewhere(t *testing.T) {
	req := plugintest.Compile(t, readFolder(t, filepath.Join("testdata", "events", "closed"), ".proto"))
	files := generateKits(t, req, "paths=source_relative,Mclosed.proto=other.example/api/closed;api,features=events,package_suffix=helpers")
	text := files["apihelpers/closed_events.go"]
	for _, want := range []string{"package apihelpers\n", "\tclosed \"other.example/api/closed\"\n", "*closed.JobEvent"} {
		if !strings.Contains(text, want) {
			t.Errorf("the kit has no %q; the files are %v", want, slices.Sorted(maps.Keys(files)))
		}
	}
}

var firstStatement = regexp.MustCompile(`^syntax = "\w+";`)

// setEdition2024 makes files of edition 2023 those of 2024, which the compiler of
// the tests does not know yet.
func setEdition2024(req *pluginpb.CodeGeneratorRequest) {
	for _, f := range req.GetProtoFile() {
		if f.GetSyntax() == "editions" {
			f.Edition = descriptorpb.Edition_EDITION_2024.Enum()
		}
	}
}

// protocGenGo makes what protoc-gen-go makes of a request.
func protocGenGo(t testing.TB, req *pluginpb.CodeGeneratorRequest, options string) map[string]string {
	t.Helper()
	files, err := makeWithProtocGenGo(req, options)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func makeWithProtocGenGo(req *pluginpb.CodeGeneratorRequest, options string) (map[string]string, error) {
	req = proto.CloneOf(req)
	req.Parameter = proto.String(options)
	var flags flag.FlagSet
	gen, err := protogen.Options{ParamFunc: flags.Set}.New(req)
	if err != nil {
		return nil, err
	}
	for _, f := range gen.Files {
		if f.Generate {
			gengo.GenerateFile(gen, f)
		}
	}
	gen.SupportedFeatures = gengo.SupportedFeatures
	gen.SupportedEditionsMinimum, gen.SupportedEditionsMaximum = gengo.SupportedEditionsMinimum, gengo.SupportedEditionsMaximum
	resp := gen.Response()
	if resp.Error != nil {
		return nil, errors.New(resp.GetError())
	}
	files := make(map[string]string)
	for _, f := range resp.GetFile() {
		files[f.GetName()] = f.GetContent()
	}
	return files, nil
}

// generateKits makes the kits of a request.
func generateKits(t testing.TB, req *pluginpb.CodeGeneratorRequest, options string) map[string]string {
	t.Helper()
	req = proto.CloneOf(req)
	req.Parameter = proto.String(options)
	return plugintest.Files(t, plugintest.Run(t, plugin.Plugin{Name: "protoc-gen-skaffold-go", Generate: gogen.Generate}, req))
}

// writeModule starts a module that has the dependencies of this one.
func writeModule(t testing.TB, dir string) {
	t.Helper()
	mod, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	sum, err := os.ReadFile("../../go.sum")
	if err != nil {
		t.Fatal(err)
	}
	_, requires, _ := bytes.Cut(mod, []byte("\n"))
	write(t, dir, map[string]string{"go.mod": "module example.com/kits\n" + string(requires), "go.sum": string(sum)})
}

// readFolder returns the files of a folder whose names end in a suffix.
func readFolder(t testing.TB, dir, suffix string) map[string]string {
	t.Helper()
	files := make(map[string]string)
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(name, suffix) {
			return err
		}
		text, err := os.ReadFile(filepath.Join(dir, name))
		files[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func write(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// run runs a command in the module and returns what it writes.
func run(t testing.TB, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}
