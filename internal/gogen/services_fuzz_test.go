package gogen_test

import (
	"fmt"
	"path"
	"strings"
	"testing"

	"google.golang.org/protobuf/compiler/protogen"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"
)

// FuzzServices makes requests whose services, methods, messages and packages have
// names that collide, and type-checks the kits, as FuzzNames does for those of
// events and codes.
func FuzzServices(f *testing.F) {
	f.Add([]byte(nil))
	for i := range 24 {
		seed := make([]byte, 300)
		for j := range seed {
			seed[j] = byte(j*(2*i+3) + i*i + j*j/5)
		}
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		req := drawServices(&drawer{data: data, words: uglyServices})
		options := "module=example.com/f"
		pb, err := tryProtocGenGo(req, options)
		if err != nil {
			t.Skip(err)
		}
		if handlers, ok := gatewayHandlers(t, req, options); ok {
			folder := strings.TrimPrefix(req.GetProtoFile()[1].GetOptions().GetGoPackage(), "example.com/f/")
			pb[path.Join(folder, "gateway.go")] = handlers
			options += ",http=gateway"
		}
		checkKits(t, req, options, pb)
	})
}

// uglyServices are the words of names: those that kits of services use themselves,
// keywords, and spellings that become one in camel case.
var uglyServices = strings.Fields(`foo Foo FOO f_oo Service service Server Funcs Func New NewFoo FooServer FooServer_
	FooFuncs NewFooService FooService get_state GetState getState Get_State GetStateFunc X XFunc x _ __ _x x_ a_b aB A_b
	a1 _1 ctx req reqs stream impl f err serve grpc codes status context iter iter1 Sender Unary Desc File HTTP
	HandlerType type func range select nil error string any panic main String Error MarshalJSON UnmarshalXML ReadByte WriteTo Scan Event Kind M`)

// drawServices makes a request of a package of two files, with services, and of a
// package that they import.
func drawServices(d *drawer) *pluginpb.CodeGeneratorRequest {
	other := drawFile(d, "other.proto", 0)
	taken := make(map[string]bool)
	for range 2 {
		drawPayload(d, other, taken)
	}
	first := drawFile(d, "main.proto", 0)
	second := drawFile(d, "main.proto", 0)
	second.Name, second.Package, second.Options = proto.String("main2.proto"), proto.String("qmain2"), first.Options
	req := &pluginpb.CodeGeneratorRequest{
		FileToGenerate: []string{"main.proto", "main2.proto", "other.proto"},
		ProtoFile:      []*descriptorpb.FileDescriptorProto{other, first, second},
	}
	messages := make(map[string]bool) // of one Go package
	for _, f := range []*descriptorpb.FileDescriptorProto{first, second} {
		f.Dependency = []string{"other.proto"}
		taken := make(map[string]bool)
		var types []string
		for _, m := range other.GetMessageType() {
			types = append(types, "."+other.GetPackage()+"."+m.GetName())
		}
		for range 1 + d.below(2) {
			name := d.unique(messages, "")
			taken[name] = true
			f.MessageType = append(f.MessageType, &descriptorpb.DescriptorProto{Name: &name})
			types = append(types, "."+f.GetPackage()+"."+name)
		}
		for range 1 + d.below(3) {
			drawService(d, f, taken, types)
		}
	}
	return req
}

// drawService draws a service whose methods have types among those given.
func drawService(d *drawer, f *descriptorpb.FileDescriptorProto, taken map[string]bool, types []string) {
	s := &descriptorpb.ServiceDescriptorProto{Name: proto.String(d.unique(taken, ""))}
	methods := make(map[string]bool)
	for range d.below(5) {
		m := &descriptorpb.MethodDescriptorProto{
			Name:      proto.String(d.unique(methods, "")),
			InputType: &types[d.below(len(types))], OutputType: &types[d.below(len(types))],
			ClientStreaming: proto.Bool(d.below(2) == 1), ServerStreaming: proto.Bool(d.below(2) == 1),
		}
		if d.below(2) == 1 {
			m.Options = new(descriptorpb.MethodOptions)
			m.Options.ProtoReflect().SetUnknown(httpRule)
		}
		s.Method = append(s.Method, m)
	}
	f.Service = append(f.Service, s)
}

// httpRule is the option google.api.http with the route GET /x.
var httpRule = func() []byte {
	rule := protowire.AppendString(protowire.AppendTag(nil, 2, protowire.BytesType), "/x")
	return protowire.AppendBytes(protowire.AppendTag(nil, 72295728, protowire.BytesType), rule)
}()

// gatewayHandlers is a file with all that a kit may use of protoc-gen-grpc-gateway's
// code. It reports false where there can be no such code, since two of its
// declarations would have one name, and where it would be empty.
func gatewayHandlers(t *testing.T, req *pluginpb.CodeGeneratorRequest, options string) (string, bool) {
	t.Helper()
	req = proto.CloneOf(req)
	req.Parameter = &options
	gen, err := protogen.Options{}.New(req)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	services := make(map[string]bool)
	for _, f := range gen.Files {
		if f.GoImportPath != gen.FilesByPath["main.proto"].GoImportPath {
			continue
		}
		if b.Len() == 0 {
			fmt.Fprintf(&b, "package %s\n", f.GoPackageName)
			b.WriteString(`import c "context"; import g "google.golang.org/grpc"; import r "github.com/grpc-ecosystem/grpc-gateway/v2/runtime"`)
			b.WriteString("\nvar _ c.Context; var _ g.ClientConn; var _ r.ServeMux\n")
		}
		for _, s := range f.Services {
			methods := make(map[string]bool)
			routes := false
			for _, m := range s.Methods {
				if methods[m.GoName] {
					return "", false
				}
				methods[m.GoName] = true
				routes = routes || len(m.Desc.Options().ProtoReflect().GetUnknown()) > 0
			}
			if services[s.GoName] {
				return "", false
			}
			services[s.GoName] = true
			if routes {
				fmt.Fprintf(&b, "func Register%sHandler(c.Context, *r.ServeMux, *g.ClientConn) error { return nil }\n", s.GoName)
			}
		}
	}
	return b.String(), true
}
