package streams

import (
	"context"
	"errors"
	"io"
	"iter"
	"net"
	"slices"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/skaffoldgen/protoc-gen-skaffold/serve"

	streamspb "example.com/kits/CASE/pb"
	kit "example.com/kits/CASE/pb/streamspbkit"
	"example.com/kits/CASE/streampb"
)

// fill sets the words of a message, whatever its API level.
func fill[M proto.Message](m M, words ...string) M {
	r := m.ProtoReflect()
	list := r.Mutable(r.Descriptor().Fields().ByName("words")).List()
	for _, word := range words {
		list.Append(protoreflect.ValueOfString(word))
	}
	return m
}

func words(s ...string) *streamspb.Words { return fill(new(streamspb.Words), s...) }

// start serves services and connects to them.
func start(t *testing.T, services ...serve.Service) *grpc.ClientConn {
	t.Helper()
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
	t.Cleanup(func() {
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
		server.Stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return conn
}

// kinds implements the service with a type of its own; When is left to the
// embedded functions.
type kinds struct {
	kit.KindsFuncs
	ended chan error // what a stream of Both ended with
}

func (kinds) One(_ context.Context, req *streamspb.Words) (*streamspb.Words_Nested, error) {
	list := slices.Clone(req.GetWords())
	if len(list) == 0 {
		return nil, status.Error(codes.InvalidArgument, "no words")
	}
	slices.Reverse(list)
	return fill(new(streamspb.Words_Nested), list...), nil
}

func (kinds) Down(_ context.Context, req *streamspb.Words_Nested, stream serve.Sender[*streamspb.Words]) error {
	for _, word := range req.GetWords() {
		if word == "" {
			return errors.New("an empty word")
		}
		if err := stream.Send(words(word)); err != nil {
			return err
		}
	}
	return nil
}

func (kinds) Up(_ context.Context, reqs iter.Seq2[*streamspb.Words_Nested_Deep, error]) (*streampb.Words, error) {
	var all []string
	for req, err := range reqs {
		if err != nil {
			return nil, err
		}
		all = append(all, req.GetWords()...)
		if slices.Contains(all, "stop") {
			break
		}
	}
	return fill(new(streampb.Words), all...), nil
}

func (k kinds) Both(_ context.Context, reqs iter.Seq2[*streampb.Words, error], stream serve.Sender[*streamspb.Words]) error {
	for req, err := range reqs {
		if err != nil {
			k.ended <- err
			return err
		}
		if err := stream.Send(words(req.GetWords()...)); err != nil {
			return err
		}
	}
	return nil
}

func TestUnary(t *testing.T) {
	client := streamspb.NewKindsClient(start(t, kit.NewKindsService(kinds{})))
	res, err := client.One(t.Context(), words("a", "b"))
	if err != nil || strings.Join(res.GetWords(), " ") != "b a" {
		t.Errorf("One: %v, %v", res, err)
	}
	_, err = client.One(t.Context(), words())
	if s := status.Convert(err); s.Code() != codes.InvalidArgument || s.Message() != "no words" {
		t.Errorf("One without words: %v", err)
	}
	_, err = client.When(t.Context(), new(emptypb.Empty))
	if s := status.Convert(err); s.Code() != codes.Unimplemented || s.Message() != "streams.CASE.Kinds.When is not implemented" {
		t.Errorf("When: %v", err)
	}
}

func TestServerStream(t *testing.T) {
	client := streamspb.NewKindsClient(start(t, kit.NewKindsService(&kinds{})))
	stream, err := client.Down(t.Context(), fill(new(streamspb.Words_Nested), "a", "b", ""))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"a", "b"} {
		if res, err := stream.Recv(); err != nil || strings.Join(res.GetWords(), " ") != want {
			t.Errorf("Recv: %v, %v; want %s", res, err, want)
		}
	}
	if _, err := stream.Recv(); status.Code(err) != codes.Unknown || !strings.Contains(err.Error(), "an empty word") {
		t.Errorf("Recv at the end: %v", err)
	}
}

func TestClientStream(t *testing.T) {
	client := streamspb.NewKindsClient(start(t, kit.NewKindsService(kinds{})))
	for _, test := range []struct{ send, want string }{{"", ""}, {"a b c", "a b c"}, {"a stop b", "a stop"}} {
		stream, err := client.Up(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range strings.Fields(test.send) {
			// The server may have answered before the last one.
			if err := stream.Send(fill(new(streamspb.Words_Nested_Deep), word)); err != nil && !errors.Is(err, io.EOF) {
				t.Fatal(err)
			}
		}
		res, err := stream.CloseAndRecv()
		if err != nil || strings.Join(res.GetWords(), " ") != test.want {
			t.Errorf("%q gives %v, %v; want %q", test.send, res, err, test.want)
		}
	}
}

func TestBidiStream(t *testing.T) {
	impl := kinds{ended: make(chan error, 1)}
	client := streamspb.NewKindsClient(start(t, kit.NewKindsService(impl)))
	stream, err := client.Both(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"a", "b"} {
		if err := stream.Send(fill(new(streampb.Words), word)); err != nil {
			t.Fatal(err)
		}
		if res, err := stream.Recv(); err != nil || strings.Join(res.GetWords(), " ") != word {
			t.Errorf("Recv: %v, %v; want %s", res, err, word)
		}
	}
	if err := stream.CloseSend(); err != nil {
		t.Fatal(err)
	}
	if _, err := stream.Recv(); !errors.Is(err, io.EOF) {
		t.Errorf("Recv at the end: %v", err)
	}

	ctx, cancel := context.WithCancel(t.Context())
	stream, err = client.Both(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := stream.Send(fill(new(streampb.Words), "a")); err != nil {
		t.Fatal(err)
	}
	if _, err := stream.Recv(); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := <-impl.ended; status.Code(err) != codes.Canceled {
		t.Errorf("a cancelled call ends the sequence with %v", err)
	}
}

// TestFuncs covers functions in place of a type, and each kind of method without
// one.
func TestFuncs(t *testing.T) {
	conn := start(t,
		kit.NewKindsService(kit.KindsFuncs{
			WhenFunc: func(context.Context, *emptypb.Empty) (*timestamppb.Timestamp, error) {
				return &timestamppb.Timestamp{Seconds: 7}, nil
			},
			DownFunc: kinds{}.Down, UpFunc: kinds{}.Up, BothFunc: kinds{}.Both,
		}),
		kit.NewOtherService(kit.OtherFuncs{}),
		kit.NewNothingService(kit.NothingFuncs{}),
		kit.NewAncientService(kit.AncientFuncs{
			KeptFunc: func(_ context.Context, req *streamspb.Words) (*streamspb.Words, error) { return req, nil },
		}),
	)
	client := streamspb.NewKindsClient(conn)
	if when, err := client.When(t.Context(), new(emptypb.Empty)); err != nil || when.GetSeconds() != 7 {
		t.Errorf("When: %v, %v", when, err)
	}
	up, err := client.Up(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if res, err := up.CloseAndRecv(); err != nil || len(res.GetWords()) > 0 {
		t.Errorf("Up: %v, %v", res, err)
	}
	if res, err := streamspb.NewAncientClient(conn).Kept(t.Context(), words("a")); err != nil || len(res.GetWords()) != 1 {
		t.Errorf("Kept: %v, %v", res, err)
	}
	other := streamspb.NewOtherClient(conn)
	calls := map[string]func() error{
		"One": func() error {
			stream, err := other.One(t.Context())
			if err == nil {
				_, err = stream.Recv()
			}
			return err
		},
		"Down": func() error {
			stream, err := other.Down(t.Context())
			if err == nil {
				_, err = stream.CloseAndRecv()
			}
			return err
		},
		"Up": func() error {
			stream, err := other.Up(t.Context(), words("a"))
			if err == nil {
				_, err = stream.Recv()
			}
			return err
		},
		"Both": func() error {
			_, err := other.Both(t.Context(), words("a"))
			return err
		},
	}
	for name, call := range calls {
		want := "streams.CASE.Other." + name + " is not implemented"
		if s := status.Convert(call()); s.Code() != codes.Unimplemented || s.Message() != want {
			t.Errorf("%s: %v, want %s", name, s, want)
		}
	}
}

// TestService covers what a server sees of a service.
func TestService(t *testing.T) {
	var impl kinds
	s := kit.NewKindsService(impl)
	if s.File != streamspb.File_streams_proto || s.HTTP != nil || s.Name() != "streams.CASE.Kinds" {
		t.Errorf("the service is %v", s)
	}
	if s.Desc.Metadata != "streams.proto" || s.Desc.HandlerType != (*kit.KindsServer)(nil) {
		t.Errorf("the description is %v", s.Desc)
	}
	got := make(map[string]string)
	for _, m := range s.Desc.Methods {
		got[m.MethodName] = "unary"
	}
	for _, m := range s.Desc.Streams {
		got[m.StreamName] = map[bool]string{true: "client "}[m.ClientStreams] + map[bool]string{true: "server"}[m.ServerStreams]
	}
	methods := s.File.Services().ByName("Kinds").Methods()
	if len(got) != methods.Len() {
		t.Errorf("the methods are %v", got)
	}
	for i := range methods.Len() {
		m := methods.Get(i)
		want := map[bool]string{true: "client "}[m.IsStreamingClient()] + map[bool]string{true: "server"}[m.IsStreamingServer()]
		if want == "" {
			want = "unary"
		}
		if got[string(m.Name())] != want {
			t.Errorf("%s is %q, want %q", m.Name(), got[string(m.Name())], want)
		}
	}
	if s := kit.NewNothingService(struct{}{}); len(s.Desc.Methods)+len(s.Desc.Streams) > 0 {
		t.Errorf("Nothing has %v", s.Desc)
	}
}

// TestNil covers constructors that are given nothing.
func TestNil(t *testing.T) {
	for want, create := range map[string]func(){
		"streamspbkit.NewKindsService: the implementation is nil":   func() { kit.NewKindsService(nil) },
		"streamspbkit.NewNothingService: the implementation is nil": func() { kit.NewNothingService(nil) },
	} {
		func() {
			defer func() {
				if got := recover(); got != want {
					t.Errorf("panic %v, want %s", got, want)
				}
			}()
			create()
		}()
	}
}
