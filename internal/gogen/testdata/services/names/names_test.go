package names

import (
	"context"
	"net"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"

	"github.com/skaffoldgen/protoc-gen-skaffold/serve"

	pb "example.com/kits/CASE/impl"
	kit "example.com/kits/CASE/impl/implkit"
)

// TestPaths calls every method of every service by the path that the .proto file
// gives it: each is there, and says its own name.
func TestPaths(t *testing.T) {
	services := []serve.Service{
		kit.NewFooService(kit.FooFuncs{}), kit.NewFooService_(kit.FooFuncs_{}),
		kit.NewFoo_Service(kit.Foo_ServiceFuncs{}), kit.NewFooService__(kit.FooServiceFuncs{}),
		kit.NewService(kit.ServiceFuncs{}), kit.NewEvent2Service(kit.Event2Funcs{}),
		kit.NewFooServerService(kit.FooServerFuncs{}), kit.NewNewFooService(kit.NewFooFuncs{}),
		kit.NewFooFuncsService(kit.FooFuncsFuncs{}),
	}
	listener := bufconn.Listen(1 << 16)
	server := grpc.NewServer()
	for _, s := range services {
		s.Register(server)
	}
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	conn, err := grpc.NewClient("passthrough:///test", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }))
	if err != nil {
		t.Fatal(err)
	}
	declared := pb.File_names_proto.Services()
	if declared.Len() != len(services) {
		t.Errorf("%d services, want %d", len(services), declared.Len())
	}
	for i := range declared.Len() {
		for j := range declared.Get(i).Methods().Len() {
			m := declared.Get(i).Methods().Get(j)
			path := "/" + string(m.Parent().FullName()) + "/" + string(m.Name())
			stream, err := conn.NewStream(t.Context(), &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}, path)
			if err != nil {
				t.Fatal(err)
			}
			if err := stream.SendMsg(new(pb.M)); err != nil {
				t.Fatal(err)
			}
			if err := stream.CloseSend(); err != nil {
				t.Fatal(err)
			}
			want := string(m.FullName()) + " is not implemented"
			if s := status.Convert(stream.RecvMsg(new(pb.M))); s.Code() != codes.Unimplemented || s.Message() != want {
				t.Errorf("%s: %v, want %s", path, s, want)
			}
		}
	}
	if err := conn.Close(); err != nil {
		t.Error(err)
	}
	server.Stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestNames pins the names that collisions give.
func TestNames(t *testing.T) {
	var calls []string
	called := func(name string) func(context.Context, *pb.M) (*pb.M, error) {
		return func(_ context.Context, req *pb.M) (*pb.M, error) { calls = append(calls, name); return req, nil }
	}
	var s kit.FooServer_ = kit.FooFuncs{
		GetStateFunc: called("get_state"), GetState_Func: called("GetState"), XFunc_: called("X"), XFuncFuncFunc: called("XFuncFunc"),
	}
	for _, call := range []func(context.Context, *pb.M) (*pb.M, error){s.GetState, s.GetState_, s.X, s.XFuncFunc} {
		if _, err := call(t.Context(), new(pb.M)); err != nil {
			t.Error(err)
		}
	}
	if len(calls) != 4 || calls[0] != "get_state" || calls[1] != "GetState" || calls[2] != "X" || calls[3] != "XFuncFunc" {
		t.Errorf("the calls are %v", calls)
	}
	var std kit.FooServiceServer = kit.FooServiceFuncs{MarshalJSON_Func: called("MarshalJSON")}
	if _, err := std.MarshalJSON_(t.Context(), new(pb.M)); err != nil {
		t.Error(err)
	}
}
