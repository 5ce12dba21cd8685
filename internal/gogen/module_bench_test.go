package gogen_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"
)

// BenchmarkModule makes the kits of a module of 1,000 services and 200 event
// messages, and protoc-gen-go-grpc's stubs of the same request, each as a whole
// process, as buf runs them.
func BenchmarkModule(b *testing.B) {
	dir := b.TempDir()
	programs := map[string]string{
		"skaffold-go": "github.com/skaffoldgen/protoc-gen-skaffold/cmd/protoc-gen-skaffold-go",
		"go-grpc":     "google.golang.org/grpc/cmd/protoc-gen-go-grpc",
	}
	request, err := proto.Marshal(moduleRequest())
	if err != nil {
		b.Fatal(err)
	}
	for name, pkg := range programs {
		program := filepath.Join(dir, name)
		build := exec.Command("go", "build", "-o", program, pkg)
		build.Dir = filepath.Join("..", "..")
		if name == "go-grpc" {
			build.Args = []string{"go", "build", "-modfile=tools/go.mod", "-o", program, pkg}
		}
		if out, err := build.CombinedOutput(); err != nil {
			b.Fatalf("%v\n%s", err, out)
		}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				cmd := exec.Command(program)
				cmd.Stdin, cmd.Stderr = bytes.NewReader(request), os.Stderr
				out, err := cmd.Output()
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(len(out))/1e6, "MB-out")
			}
		})
	}
}

// moduleRequest has 100 files of 10 services with 5 RPCs each, and 2 events of 8
// kinds each.
func moduleRequest() *pluginpb.CodeGeneratorRequest {
	req := &pluginpb.CodeGeneratorRequest{Parameter: proto.String("paths=source_relative")}
	for i := range 100 {
		f := &descriptorpb.FileDescriptorProto{
			Name:    proto.String(fmt.Sprintf("p%d/f.proto", i)),
			Package: proto.String(fmt.Sprintf("p%d", i)),
			Syntax:  proto.String("proto3"),
			Options: &descriptorpb.FileOptions{GoPackage: proto.String(fmt.Sprintf("example.com/p%d", i))},
		}
		typeName := func(name string) *string { return proto.String("." + f.GetPackage() + "." + name) }
		payload := &descriptorpb.DescriptorProto{Name: proto.String("Payload")}
		for n, name := range []string{"id", "status", "message"} {
			x := newField(name, n+1)
			x.Type = descriptorpb.FieldDescriptorProto_TYPE_STRING.Enum()
			payload.Field = append(payload.Field, x)
		}
		f.MessageType = append(f.MessageType, payload)
		for e := range 2 {
			event := &descriptorpb.DescriptorProto{
				Name:      proto.String(fmt.Sprintf("E%dEvent", e)),
				OneofDecl: []*descriptorpb.OneofDescriptorProto{{Name: proto.String("kind")}},
			}
			for n := range 8 {
				x := newField(fmt.Sprintf("part%d", n), n+1)
				x.Type, x.TypeName, x.OneofIndex = descriptorpb.FieldDescriptorProto_TYPE_MESSAGE.Enum(), typeName("Payload"), proto.Int32(0)
				event.Field = append(event.Field, x)
			}
			f.MessageType = append(f.MessageType, event)
		}
		for s := range 10 {
			service := &descriptorpb.ServiceDescriptorProto{Name: proto.String(fmt.Sprintf("S%d", s))}
			for m := range 5 {
				service.Method = append(service.Method, &descriptorpb.MethodDescriptorProto{
					Name: proto.String(fmt.Sprintf("Do%d", m)), InputType: typeName("Payload"), OutputType: typeName("E0Event"),
					ServerStreaming: proto.Bool(m%2 == 0),
				})
			}
			f.Service = append(f.Service, service)
		}
		req.ProtoFile = append(req.ProtoFile, f)
		req.FileToGenerate = append(req.FileToGenerate, f.GetName())
	}
	return req
}
