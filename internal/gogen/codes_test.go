package gogen_test

import (
	"fmt"
	"go/parser"
	"go/token"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/gogen"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/plugin"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/plugin/plugintest"
)

// codeCases are the folders of testdata/codes, as eventCases are those of
// testdata/events.
var codeCases = []struct{ name, folder, syntax, options string }{
	{name: "proto3", folder: "shapes"},
	{name: "open2023", folder: "shapes", syntax: `edition = "2023";`},
	{name: "hybrid", folder: "shapes", syntax: `edition = "2023";`, options: ",default_api_level=API_HYBRID"},
	{name: "opaque", folder: "shapes", syntax: `edition = "2023";`, options: ",default_api_level=API_OPAQUE"},
	{name: "opaque3", folder: "shapes", options: ",default_api_level=API_OPAQUE"},
	{name: "edition2024", folder: "shapes", syntax: `edition = "2023"; // 2024`},
	{name: "closed", folder: "closed"},
	{name: "closedopaque", folder: "closed", options: ",default_api_level=API_OPAQUE"},
	{name: "plain", folder: "plain"},
}

// TestCodeKits generates the protobuf packages and the kits of all cases into one
// module, compiles, vets and runs it.
func TestCodeKits(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	module := t.TempDir()
	writeModule(t, module)
	for _, c := range codeCases {
		folder := filepath.Join("testdata", "codes", c.folder)
		sources := make(map[string]string)
		for name, text := range readFolder(t, folder, ".proto") {
			if c.syntax != "" {
				text = firstStatement.ReplaceAllString(text, c.syntax)
			}
			sources[name] = strings.ReplaceAll(text, "CASE", c.name)
		}
		req := plugintest.Compile(t, sources)
		if c.name == "edition2024" {
			setEdition2024(req)
		}
		options := "module=example.com/kits" + c.options
		write(t, module, protocGenGo(t, req, options))
		options += ",features=codes,config=" + filepath.Join(folder, "kit.yaml")
		kits := generateKits(t, req, options)
		write(t, module, kits)
		for name, text := range readFolder(t, folder, "_test.go") {
			write(t, module, map[string]string{filepath.Join(c.name, name): strings.ReplaceAll(text, "CASE", c.name)})
		}
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(kits, fileByFile(t, req.GetFileToGenerate(), sources, c.name, options)); diff != "" {
				t.Errorf("kits of one call, and of a call for each file (-one +each):\n%s", diff)
			}
		})
	}
	writeManyCodes(t, module)
	run(t, module, "go", "vet", "-tags=protoopaque", "./hybrid/...")
	run(t, module, "go", "test", "-vet=all", "-ldflags=-w", "./...")
	if out := run(t, module, "gofmt", "-l", "."); out != "" {
		t.Errorf("not formatted: %s", out)
	}
}

// fileByFile makes the kits with a call for each file, as buf does for each
// folder unless it is told otherwise.
func fileByFile(t *testing.T, files []string, sources map[string]string, name, options string) map[string]string {
	t.Helper()
	all := make(map[string]string)
	req := plugintest.Compile(t, sources)
	if name == "edition2024" {
		setEdition2024(req)
	}
	for _, file := range files {
		one := proto.CloneOf(req)
		one.FileToGenerate = []string{file}
		maps.Copy(all, generateKits(t, one, options))
	}
	return all
}

// writeManyCodes writes two tables of 10,000 codes, with a test that holds them
// against plain maps: one of numbers that are close together and one of numbers
// that are not.
func writeManyCodes(t *testing.T, module string) {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	seen := map[int32]bool{0: true}
	var text strings.Builder
	text.WriteString("syntax = \"proto3\";\npackage many;\noption go_package = \"example.com/kits/many\";\n")
	for _, enum := range []string{"Dense", "Sparse"} {
		fmt.Fprintf(&text, "enum %sCode {\n  %s_0 = 0;\n", enum, strings.ToUpper(enum))
		for i := 1; i < 10_000; i++ {
			number := int32(i - 3000)
			if enum == "Sparse" || number == 0 {
				for number = int32(random.Uint32()); seen[number]; {
					number = int32(random.Uint32())
				}
				seen[number] = true
			}
			if enum == "Dense" && i == 3000 {
				number = 7000
			}
			fmt.Fprintf(&text, "  %s_%d = %d;\n", strings.ToUpper(enum), i, number)
		}
		text.WriteString("}\n")
	}
	req := plugintest.Compile(t, map[string]string{"many.proto": text.String()})
	write(t, module, protocGenGo(t, req, "module=example.com/kits"))
	write(t, module, generateKits(t, req, "module=example.com/kits"))
	write(t, module, readFolder(t, "testdata/codes/many", "_test.go"))
}

// TestKitImports lists what the committed kits of codes and of services import, and
// holds those of events to the standard library and the protobuf module.
func TestKitImports(t *testing.T) {
	const repository = "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/"
	standard := []string{"errors", "iter", "regexp", "slices", "strconv", "sync"}
	grpc := []string{
		"google.golang.org/genproto/googleapis/rpc/errdetails", "google.golang.org/grpc/codes", "google.golang.org/grpc/status",
		"google.golang.org/protobuf/proto", "google.golang.org/protobuf/protoadapt",
	}
	services := []string{
		"context", "github.com/skaffoldgen/protoc-gen-skaffold/serve",
		"google.golang.org/grpc", "google.golang.org/grpc/codes", "google.golang.org/grpc/status",
	}
	const emptypb = "google.golang.org/protobuf/types/known/emptypb"
	want := map[string][]string{
		"skaffold/enums/skaffoldenumskit/enums_codes.go": append([]string{repository + "skaffold/enums"}, standard...),
		"skaffold/v1/skaffoldv1kit/skaffold_codes.go":    slices.Concat([]string{repository + "skaffold/v1", "strings"}, standard, grpc),
		"skaffold/v2/skaffoldv2kit/skaffold_codes.go": append([]string{
			repository + "skaffold/enums", repository + "skaffold/enums/skaffoldenumskit", repository + "skaffold/v2",
			"errors", "iter", "slices", "strconv", "strings",
		}, grpc...),
		"buildkit/control/buildkitcontrolkit/control_services.go": append([]string{repository + "buildkit/control", "iter"}, services...),
		"rkt/v1alpha/rktv1alphakit/api_services.go":               append([]string{repository + "rkt/v1alpha"}, services...),
		"skaffold/v1/skaffoldv1kit/skaffold_services.go":          append([]string{repository + "skaffold/v1", emptypb, "iter"}, services...),
		"skaffold/v2/skaffoldv2kit/skaffold_services.go":          append([]string{repository + "skaffold/v2", emptypb}, services...),
	}
	found := 0
	for path, text := range readFolder(t, "../../gen/go", ".go") {
		events := strings.HasSuffix(path, "_events.go")
		if !events && !strings.HasSuffix(path, "_codes.go") && !strings.HasSuffix(path, "_services.go") {
			continue
		}
		found++
		file, err := parser.ParseFile(token.NewFileSet(), path, text, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, spec := range file.Imports {
			name, _ := strconv.Unquote(spec.Path.Value)
			got = append(got, name)
		}
		if events { // need no gRPC
			for _, name := range got {
				if strings.Contains(name, ".") && !strings.HasPrefix(name, repository) && !strings.HasPrefix(name, "google.golang.org/protobuf/") {
					t.Errorf("%s imports %s", path, name)
				}
			}
			continue
		}
		slices.Sort(got)
		slices.Sort(want[path])
		if diff := cmp.Diff(want[path], got); diff != "" {
			t.Errorf("%s imports (-want +got):\n%s", path, diff)
		}
	}
	if found != 11 {
		t.Errorf("there are %d files of kits, want 11", found)
	}
}

// TestNoCodes shows that a file without codes gives no file.
func TestNoCodes(t *testing.T) {
	req := plugintest.Compile(t, map[string]string{"a.proto": `syntax = "proto3"; option go_package = "example.com/a"; enum Colour { RED = 0; } message M { Colour c = 1; }`})
	if files := generateKits(t, req, ""); len(files) > 0 {
		t.Errorf("files %q", slices.Collect(maps.Keys(files)))
	}
}

func TestBadOptions(t *testing.T) {
	const known = "the options are config, features, http, package_suffix, and those of protoc-gen-go: paths, module, M, default_api_level, apilevelM"
	for _, test := range []struct{ options, want string }{
		{"feature=codes", `unknown option "feature": ` + known},
		{"features=code", `unknown feature "code": the features are events, codes, services`},
		{"http=yes", "option http=yes: the values are gateway"},
		{"http=", "option http=: the values are gateway"},
		{"http=gateway,features=codes,features=events", "option http=gateway is about services, which the option features leaves out: add features=services, or leave http out"},
		{"config=none.yaml", "option config: open none.yaml: no such file or directory"},
		{"config=testdata/codes/closed/kit.yaml", `testdata/codes/closed/kit.yaml:3:11: no file of the request has an enum "closed.ExitCode"`},
		{"package_suffix=../x", "option package_suffix=../x: it has to be small letters and digits that begin with a letter, such as kit"},
		{"package_suffix=", "option package_suffix=: it has to be small letters and digits that begin with a letter, such as kit"},
		{"package_suffix=_test", "option package_suffix=_test: it has to be small letters and digits that begin with a letter, such as kit"},
		{"paths=relative", `unknown path type "relative": want "import" or "source_relative"`},
		{"paths=source_relative,module=example.com", `cannot use module= with paths=source_relative`},
	} {
		t.Run(test.options, func(t *testing.T) {
			req := plugintest.Compile(t, map[string]string{"a.proto": `syntax = "proto3"; option go_package = "example.com/a"; enum Thing { NOTHING = 0; }`})
			req.Parameter = proto.String(test.options)
			resp := plugintest.Run(t, plugin.Plugin{Name: "protoc-gen-skaffold-go", Generate: gogen.Generate}, req)
			if resp.GetError() != test.want {
				t.Errorf("error %q, want %q", resp.GetError(), test.want)
			}
		})
	}
}
