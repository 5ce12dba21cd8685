package serve

import (
	"context"
	"slices"
	"testing"

	"google.golang.org/grpc"
	reflectionv1 "google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"

	control "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/buildkit/control"
)

// describer does what reflection clients do: it asks for the file of a symbol,
// then for each import that did not come along, and puts all together.
type describer struct {
	t      *testing.T
	stream reflectionv1.ServerReflection_ServerReflectionInfoClient
	files  map[string]*descriptorpb.FileDescriptorProto
}

func newDescriber(t *testing.T, conn *grpc.ClientConn) *describer {
	t.Helper()
	s, err := reflectionv1.NewServerReflectionClient(conn).ServerReflectionInfo(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return &describer{t, s, map[string]*descriptorpb.FileDescriptorProto{}}
}

func (d *describer) ask(req *reflectionv1.ServerReflectionRequest) *reflectionv1.ServerReflectionResponse {
	d.t.Helper()
	if err := d.stream.Send(req); err != nil {
		d.t.Fatal(err)
	}
	res, err := d.stream.Recv()
	if err != nil {
		d.t.Fatal(err)
	}
	for _, b := range res.GetFileDescriptorResponse().GetFileDescriptorProto() {
		fd := new(descriptorpb.FileDescriptorProto)
		if err := proto.Unmarshal(b, fd); err != nil {
			d.t.Fatal(err)
		}
		d.files[fd.GetName()] = fd
	}
	return res
}

func (d *describer) list() []string {
	d.t.Helper()
	res := d.ask(&reflectionv1.ServerReflectionRequest{
		MessageRequest: &reflectionv1.ServerReflectionRequest_ListServices{}})
	var names []string
	for _, s := range res.GetListServicesResponse().GetService() {
		names = append(names, s.Name)
	}
	return names
}

// service builds the descriptor of a service of nothing but what the server
// says.
func (d *describer) service(name string) protoreflect.ServiceDescriptor {
	d.t.Helper()
	d.ask(&reflectionv1.ServerReflectionRequest{
		MessageRequest: &reflectionv1.ServerReflectionRequest_FileContainingSymbol{FileContainingSymbol: name}})
	for again := true; again; {
		again = false
		for _, fd := range d.files {
			for _, dep := range fd.Dependency {
				if d.files[dep] == nil {
					res := d.ask(&reflectionv1.ServerReflectionRequest{
						MessageRequest: &reflectionv1.ServerReflectionRequest_FileByFilename{FileByFilename: dep}})
					if e := res.GetErrorResponse(); e != nil {
						d.t.Fatalf("%s imports %s: %s", fd.GetName(), dep, e.ErrorMessage)
					}
					again = true
				}
			}
		}
	}
	set := &descriptorpb.FileDescriptorSet{}
	for _, fd := range d.files {
		set.File = append(set.File, fd)
	}
	files, err := protodesc.NewFiles(set)
	if err != nil {
		d.t.Fatal(err)
	}
	sd, err := files.FindDescriptorByName(protoreflect.FullName(name))
	if err != nil {
		d.t.Fatal(err)
	}
	return sd.(protoreflect.ServiceDescriptor)
}

func TestReflection(t *testing.T) {
	r := start(t, Config{}, echo{}.service())
	d := newDescriber(t, r.conn)
	want := []string{
		"grpc.health.v1.Health", "grpc.reflection.v1.ServerReflection", "grpc.reflection.v1alpha.ServerReflection",
		"test.v1.Echo",
	}
	if got := d.list(); !slices.Equal(got, want) {
		t.Errorf("services %q, want %q", got, want)
	}
	if n := d.service("test.v1.Echo").Methods().Len(); n != 4 {
		t.Errorf("%d methods", n)
	}
	d.service("grpc.health.v1.Health")
	// The messages are the same, and those of v1 not deprecated.
	alpha, err := r.conn.NewStream(t.Context(), &grpc.StreamDesc{ServerStreams: true, ClientStreams: true},
		"/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo")
	if err != nil {
		t.Fatal(err)
	}
	alpha.SendMsg(&reflectionv1.ServerReflectionRequest{
		MessageRequest: &reflectionv1.ServerReflectionRequest_FileContainingSymbol{FileContainingSymbol: "test.v1.Echo"}})
	var old reflectionv1.ServerReflectionResponse
	if err := alpha.RecvMsg(&old); err != nil || old.GetFileDescriptorResponse() == nil {
		t.Errorf("v1alpha: %v, %v", &old, err)
	}
	res := d.ask(&reflectionv1.ServerReflectionRequest{
		MessageRequest: &reflectionv1.ServerReflectionRequest_FileContainingSymbol{FileContainingSymbol: "none"}})
	if res.GetErrorResponse() == nil {
		t.Errorf("unknown symbol: %v", res)
	}
}

// A file imports another under a path that it is not registered under.
func TestReflectionOfMappedImports(t *testing.T) {
	const name = "moby.buildkit.v1.Control"
	r := start(t, Config{}, Service{
		File: control.File_github_com_moby_buildkit_api_services_control_control_proto,
		Desc: &grpc.ServiceDesc{
			ServiceName: name,
			HandlerType: (*any)(nil),
			Methods: []grpc.MethodDesc{
				Unary(control.Control_Info_FullMethodName,
					func(context.Context, *control.InfoRequest) (*control.InfoResponse, error) {
						return &control.InfoResponse{}, nil
					}),
			},
		},
	})
	d := newDescriber(t, r.conn)
	sd := d.service(name)

	const alias = "github.com/gogo/googleapis/google/rpc/status.proto"
	fd := d.files[alias]
	if fd == nil || len(fd.Dependency) != 1 || fd.Dependency[0] != "google/rpc/status.proto" ||
		len(fd.PublicDependency) != 1 || len(fd.MessageType) != 0 {
		t.Errorf("alias: %v", fd)
	}

	// With nothing but that, a call can be made.
	info := sd.Methods().ByName("Info")
	res := dynamicpb.NewMessage(info.Output())
	err := r.conn.Invoke(t.Context(), control.Control_Info_FullMethodName, dynamicpb.NewMessage(info.Input()), res)
	if err != nil {
		t.Error(err)
	}
}

func TestNoReflection(t *testing.T) {
	r := start(t, Config{NoReflection: true}, echo{}.service())
	s, err := reflectionv1.NewServerReflectionClient(r.conn).ServerReflectionInfo(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Recv(); err == nil {
		t.Error("reflection answers")
	}
}

// file declares a file with a message M, whose fields have the types of others.
func file(
	t *testing.T, reg *protoregistry.Files, name, pkg string, imports []string, fields ...string,
) protoreflect.FileDescriptor {
	t.Helper()
	fd := &descriptorpb.FileDescriptorProto{
		Name: &name, Package: &pkg, Syntax: proto.String("proto3"), Dependency: imports,
		MessageType: []*descriptorpb.DescriptorProto{{Name: proto.String("M")}},
	}
	for i, f := range fields {
		fd.MessageType[0].Field = append(fd.MessageType[0].Field, &descriptorpb.FieldDescriptorProto{
			Name: proto.String("f" + string(rune('a'+i))), Number: proto.Int32(int32(i + 1)),
			Label: descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum(),
			Type:  descriptorpb.FieldDescriptorProto_TYPE_MESSAGE.Enum(), TypeName: proto.String("." + f),
		})
	}
	f, err := protodesc.FileOptions{AllowUnresolvable: true}.New(fd, reg)
	if err != nil {
		t.Fatal(err)
	}
	if err := reg.RegisterFile(f); err != nil {
		t.Fatal(err)
	}
	return f
}

// mapped is a file whose imports are spelled otherwise than the files are
// registered, as in code that was generated with mapped imports.
type mapped struct {
	protoreflect.FileDescriptor
	imports
}

type imports struct {
	protoreflect.FileImports
	list []protoreflect.FileImport
}

func (m *mapped) Imports() protoreflect.FileImports       { return m.imports }
func (i imports) Len() int                                { return len(i.list) }
func (i imports) Get(n int) protoreflect.FileImport       { return i.list[n] }
func (m *mapped) ParentFile() protoreflect.FileDescriptor { return m }

func mapImports(f protoreflect.FileDescriptor, list ...protoreflect.FileImport) protoreflect.FileDescriptor {
	return &mapped{f, imports{f.Imports(), list}}
}

func TestAliases(t *testing.T) {
	reg := &protoregistry.Files{}
	// Imports of files that there are not.
	none := file(t, reg, "none.proto", "none",
		[]string{"vendor/options.proto", "vendor/real/a.proto", "other/name.proto"})
	missing := func(i int) protoreflect.FileImport { return none.Imports().Get(i) }
	file(t, reg, "real/a.proto", "a", nil)
	file(t, reg, "real/b.proto", "b", []string{"vendor/options.proto"})
	mid := file(t, reg, "mid.proto", "mid", []string{"real/a.proto", "real/b.proto"}, "a.M", "b.M")
	top := file(t, reg, "top.proto", "top", []string{"mid.proto", "real/a.proto"}, "mid.M", "a.M")
	mid = mapImports(mid, missing(0), missing(1), missing(2))
	top = mapImports(top, protoreflect.FileImport{FileDescriptor: mid}, missing(1))

	s, err := newFileSet([]protoreflect.FileDescriptor{top})
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string][]string{
		"vendor/real/a.proto": {"real/a.proto"},
		// b.proto imports the options, so that they cannot stand for it.
		"other/name.proto":     {"real/b.proto"},
		"vendor/options.proto": nil,
	} {
		f, err := s.FindFileByPath(path)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		var got []string
		for i := range f.Imports().Len() {
			if !f.Imports().Get(i).IsPublic {
				t.Errorf("%s imports %s, but not publicly", path, f.Imports().Get(i).Path())
			}
			got = append(got, f.Imports().Get(i).Path())
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s stands for %q, want %q", path, got, want)
		}
	}
	if d, err := s.FindDescriptorByName("mid.M"); err != nil || d.ParentFile().Path() != "mid.proto" {
		t.Errorf("mid.M: %v, %v", d, err)
	}
}
