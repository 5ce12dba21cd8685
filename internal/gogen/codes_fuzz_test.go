package gogen_test

import (
	"bytes"
	"fmt"
	"go/importer"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/gogen"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/plugin"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/plugin/plugintest"
)

// FuzzCodes does for a table with phases, classes, suggestions and an error
// message what FuzzNames does for events.
func FuzzCodes(f *testing.F) {
	f.Add([]byte(nil))
	for i := range 24 {
		seed := make([]byte, 400)
		for j := range seed {
			seed[j] = byte(j*(2*i+1) + i*i + j*j/7)
		}
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		d := &drawer{data: data}
		req, yaml := drawTable(d)
		options := "module=example.com/f"
		pb, err := tryProtocGenGo(req, options)
		if err != nil {
			t.Skip(err)
		}
		checker := newChecker()
		checker.compiled = importer.ForCompiler(checker.fset, "gc", codesExportData)
		if err := checker.add(pb); err != nil {
			t.Skip(err)
		}
		config := filepath.Join(t.TempDir(), "kit.yaml")
		if err := os.WriteFile(config, []byte(yaml), 0o644); err != nil {
			t.Fatal(err)
		}
		req.Parameter = proto.String(options + ",features=codes,config=" + config)
		resp := plugintest.Run(t, plugin.Plugin{Name: "protoc-gen-skaffold-go", Generate: gogen.Generate}, req)
		if resp.GetError() != "" {
			t.Skip(resp.GetError()) // groups of one Go name, or named as the zero value
		}
		kits := plugintest.Files(t, resp)
		if err := checker.add(kits); err != nil {
			t.Fatalf("%v\n%s\n%v", err, yaml, kits)
		}
	})
}

// drawTable draws a file and its config.
func drawTable(d *drawer) (*pluginpb.CodeGeneratorRequest, string) {
	f := drawFile(d, "main.proto", 0)
	taken := make(map[string]bool)
	codes, hints := drawEnum(d, taken, ""), drawEnum(d, taken, "")
	f.EnumType = []*descriptorpb.EnumDescriptorProto{codes, hints}
	full := func(name string) string { return f.GetPackage() + "." + name }
	enumField := func(of *descriptorpb.EnumDescriptorProto, name string) *descriptorpb.FieldDescriptorProto {
		x := newField(name, 1)
		x.Type, x.TypeName = descriptorpb.FieldDescriptorProto_TYPE_ENUM.Enum(), proto.String("."+full(of.GetName()))
		return x
	}
	message := func(of *descriptorpb.EnumDescriptorProto) *descriptorpb.DescriptorProto {
		fields := make(map[string]bool)
		m := &descriptorpb.DescriptorProto{Name: proto.String(d.unique(taken, "")), Field: []*descriptorpb.FieldDescriptorProto{enumField(of, d.unique(fields, ""))}}
		text := newField(d.unique(fields, ""), 2)
		text.Type = descriptorpb.FieldDescriptorProto_TYPE_STRING.Enum()
		m.Field = append(m.Field, text)
		return m
	}
	failure, tip := message(codes), message(hints)
	tips := newField("tips9", 3)
	tips.Label, tips.Type = descriptorpb.FieldDescriptorProto_LABEL_REPEATED.Enum(), descriptorpb.FieldDescriptorProto_TYPE_MESSAGE.Enum()
	tips.TypeName = proto.String("." + full(tip.GetName()))
	failure.Field = append(failure.Field, tips)
	f.MessageType = []*descriptorpb.DescriptorProto{failure, tip}

	first, second := codes.GetValue()[0].GetName(), codes.GetValue()[1].GetName()
	group := func() string { return strings.TrimLeft(d.name(), "_") }
	var b strings.Builder
	fmt.Fprintf(&b, "version: v1\ncodes:\n  - enum: %q\n    suggestions: %q\n    fallback: %q\n", full(codes.GetName()), full(hints.GetName()), first)
	if d.below(4) > 0 {
		fmt.Fprintf(&b, "    phases: [{name: %q, values: [%q], fallback: %q}, {name: %q, fallback: %q, values: [", group(), second, first, group(), first)
		for _, v := range codes.GetValue()[2:] {
			fmt.Fprintf(&b, "%q,", v.GetName())
		}
		fmt.Fprintf(&b, "]}]\n    no_phase: [%q]\n", first)
	}
	if d.below(4) > 0 {
		fmt.Fprintf(&b, "    classes: [{name: %q, ranges: [0], grpc: ABORTED}]\n    default_class: {name: %q}\n", group(), group())
	}
	fmt.Fprintf(&b, "    problems: [{code: %q, pattern: %q, suggestions: [{code: %q, action: x}]}]\n", second, "a`b", hints.GetValue()[1].GetName())
	if d.below(4) > 0 {
		fmt.Fprintf(&b, "    error: {message: %q}\n", full(failure.GetName()))
	}
	return &pluginpb.CodeGeneratorRequest{FileToGenerate: []string{"main.proto"}, ProtoFile: []*descriptorpb.FileDescriptorProto{f}}, b.String()
}

// codesExportData is exportData with what only codes import.
func codesExportData(path string) (io.ReadCloser, error) {
	file, ok := codesExportFiles()[path]
	if !ok {
		return nil, fmt.Errorf("no export data for %q", path)
	}
	return os.Open(file)
}

var codesExportFiles = sync.OnceValue(func() map[string]string {
	out, err := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}}\t{{.Export}}", "regexp", "slices", "strings", "sync",
		"google.golang.org/grpc/status", "google.golang.org/protobuf/protoadapt", "google.golang.org/genproto/googleapis/rpc/errdetails").Output()
	if err != nil {
		panic(err)
	}
	files := make(map[string]string)
	for line := range bytes.Lines(out) {
		path, file, _ := strings.Cut(strings.TrimSpace(string(line)), "\t")
		files[path] = file
	}
	return files
})
