package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"
	"go.uber.org/goleak"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience is how long tests wait for what has to happen.
const patience = 20 * time.Second

type text = wrapperspb.StringValue

// The methods of the service that tests serve.
const (
	sayMethod     = "/test.v1.Echo/Say"
	watchMethod   = "/test.v1.Echo/Watch"
	collectMethod = "/test.v1.Echo/Collect"
	chatMethod    = "/test.v1.Echo/Chat"
)

// echo is a service with a method of each kind. What is nil echoes.
type echo struct {
	say     func(context.Context, *text) (*text, error)
	watch   func(context.Context, *text, Sender[*text]) error
	collect func(context.Context, iter.Seq2[*text, error]) (*text, error)
	chat    func(context.Context, iter.Seq2[*text, error], Sender[*text]) error
}

func (e echo) service() Service {
	if e.say == nil {
		e.say = func(_ context.Context, m *text) (*text, error) { return m, nil }
	}
	if e.watch == nil {
		e.watch = func(_ context.Context, m *text, to Sender[*text]) error {
			for part := range strings.FieldsSeq(m.Value) {
				if err := to.Send(wrapperspb.String(part)); err != nil {
					return err
				}
			}
			return nil
		}
	}
	if e.collect == nil {
		e.collect = func(_ context.Context, in iter.Seq2[*text, error]) (*text, error) {
			var all []string
			for m, err := range in {
				if err != nil {
					return nil, err
				}
				all = append(all, m.Value)
			}
			return wrapperspb.String(strings.Join(all, " ")), nil
		}
	}
	if e.chat == nil {
		e.chat = func(_ context.Context, in iter.Seq2[*text, error], to Sender[*text]) error {
			for m, err := range in {
				if err != nil {
					return err
				}
				if err := to.Send(m); err != nil {
					return err
				}
			}
			return nil
		}
	}
	return Service{
		File: echoFile,
		Desc: &grpc.ServiceDesc{
			ServiceName: "test.v1.Echo",
			HandlerType: (*any)(nil),
			Methods:     []grpc.MethodDesc{Unary(sayMethod, e.say)},
			Streams: []grpc.StreamDesc{
				ServerStream(watchMethod, e.watch),
				ClientStream(collectMethod, e.collect),
				BidiStream(chatMethod, e.chat),
			},
		},
	}
}

var echoFile = func() protoreflect.FileDescriptor {
	method := func(name string, client, server bool) *descriptorpb.MethodDescriptorProto {
		return &descriptorpb.MethodDescriptorProto{
			Name:      proto.String(name),
			InputType: proto.String(".google.protobuf.StringValue"), OutputType: proto.String(".google.protobuf.StringValue"),
			ClientStreaming: proto.Bool(client), ServerStreaming: proto.Bool(server),
		}
	}
	fd, err := protodesc.NewFile(&descriptorpb.FileDescriptorProto{
		Name: proto.String("test/v1/echo.proto"), Package: proto.String("test.v1"), Syntax: proto.String("proto3"),
		Dependency: []string{"google/protobuf/wrappers.proto"},
		Service: []*descriptorpb.ServiceDescriptorProto{{
			Name: proto.String("Echo"),
			Method: []*descriptorpb.MethodDescriptorProto{
				method("Say", false, false), method("Watch", false, true),
				method("Collect", true, false), method("Chat", true, true),
			},
		}},
	}, protoregistry.GlobalFiles)
	if err != nil {
		panic(err)
	}
	return fd
}()

// running is a server that runs.
type running struct {
	*Server
	t    *testing.T
	log  *logLines
	conn *grpc.ClientConn
	url  string // of HTTP, without a slash at the end
	http *http.Client

	cancel context.CancelFunc
	done   chan struct{}
	err    error // of Serve, when done
}

// start serves until the test ends. It serves HTTP if the configuration says
// where, or it is empty.
func start(t *testing.T, cfg Config, services ...Service) *running {
	t.Helper()
	if cfg.GRPC == nil && cfg.HTTP == nil {
		cfg.GRPC, cfg.HTTP = []string{"127.0.0.1:0"}, []string{"127.0.0.1:0"}
	}
	r := &running{t: t, log: &logLines{}, done: make(chan struct{})}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.NewJSONHandler(r.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	var err error
	if r.Server, err = New(cfg, services...); err != nil {
		t.Fatal(err)
	}
	if err := r.Listen(); err != nil {
		t.Fatal(err)
	}
	var ctx context.Context
	ctx, r.cancel = context.WithCancel(context.Background())
	go func() {
		defer close(r.done)
		r.err = r.Serve(ctx)
	}()
	transport := &http.Transport{}
	r.http = &http.Client{Transport: transport}
	if len(r.HTTPAddrs()) > 0 && !isUnix(r.HTTPAddrs()[0]) {
		r.url = "http://" + r.HTTPAddrs()[0].String()
	}
	if len(r.GRPCAddrs()) > 0 {
		r.conn = r.dial(insecure.NewCredentials())
	}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		if r.conn != nil {
			r.conn.Close()
		}
		r.cancel()
		r.wait()
	})
	return r
}

// dial connects to the first address of gRPC.
func (r *running) dial(creds credentials.TransportCredentials, opts ...grpc.DialOption) *grpc.ClientConn {
	r.t.Helper()
	a := r.GRPCAddrs()[0]
	target := "passthrough:///" + a.String()
	if isUnix(a) {
		target = "unix://" + a.String()
	}
	conn, err := grpc.NewClient(target, append(opts, grpc.WithTransportCredentials(creds))...)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { conn.Close() })
	return conn
}

// wait waits for Serve to return, and returns its error.
func (r *running) wait() error {
	r.t.Helper()
	select {
	case <-r.done:
		return r.err
	case <-time.After(patience):
		r.t.Fatal("Serve did not return")
		return nil
	}
}

// stop shuts down, and returns the error of Serve.
func (r *running) stop() error {
	r.cancel()
	return r.wait()
}

// say calls the unary method.
func (r *running) say(conn *grpc.ClientConn, s string, opts ...grpc.CallOption) (string, error) {
	ctx, cancel := context.WithTimeout(r.t.Context(), patience)
	defer cancel()
	var res text
	err := conn.Invoke(ctx, sayMethod, wrapperspb.String(s), &res, opts...)
	return res.Value, err
}

// open opens a stream, and sends it messages.
func (r *running) open(ctx context.Context, method string, messages ...string) grpc.ClientStream {
	r.t.Helper()
	s, err := r.conn.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}, method)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, m := range messages {
		// io.EOF: the server has ended it already; what that means, recv tells.
		if err := s.SendMsg(wrapperspb.String(m)); err != nil && !errors.Is(err, io.EOF) {
			r.t.Fatal(err)
		}
	}
	return s
}

// watch calls the method that sends a stream.
func (r *running) watch(ctx context.Context, s string) grpc.ClientStream {
	r.t.Helper()
	stream := r.open(ctx, watchMethod, s)
	if err := stream.CloseSend(); err != nil {
		r.t.Fatal(err)
	}
	return stream
}

func recv(s grpc.ClientStream) (string, error) {
	var m text
	err := s.RecvMsg(&m)
	return m.Value, err
}

// post sends an HTTP request and returns its answer, whole.
func (r *running) do(method, path, body string, header ...string) (*http.Response, string) {
	r.t.Helper()
	res := r.request(r.t.Context(), method, path, strings.NewReader(body), header...)
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return res, string(b)
}

// request sends an HTTP request. The header is pairs of names and values.
func (r *running) request(ctx context.Context, method, path string, body io.Reader, header ...string) *http.Response {
	r.t.Helper()
	req, err := http.NewRequestWithContext(ctx, method, r.url+path, body)
	if err != nil {
		r.t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Add(header[i], header[i+1])
	}
	res, err := r.http.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	return res
}

// alive fails the test if the server does not serve any longer.
func (r *running) alive() {
	r.t.Helper()
	if r.conn != nil {
		if got, err := r.say(r.dial(insecure.NewCredentials()), "alive"); err != nil || !strings.HasPrefix(got, "alive") {
			r.t.Errorf("gRPC no longer served: %q, %v", got, err)
		}
	}
	if r.url != "" {
		if res, _ := r.do("GET", "/readyz", ""); res.StatusCode != 200 {
			r.t.Errorf("HTTP no longer served: %s", res.Status)
		}
	}
}

// logLines collects a log in JSON.
type logLines struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *logLines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(b)
}

// find waits for a line with a message and attributes, given in pairs.
func (l *logLines) find(t *testing.T, msg string, attrs ...any) map[string]any {
	t.Helper()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if line := l.lookup(msg, attrs...); line != nil {
			return line
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	t.Fatalf("no line %q %v in the log:\n%s", msg, attrs, l.buf.String())
	return nil
}

func (l *logLines) lookup(msg string, attrs ...any) map[string]any {
	l.mu.Lock()
	defer l.mu.Unlock()
lines:
	for line := range bytes.Lines(l.buf.Bytes()) {
		var m map[string]any
		if json.Unmarshal(line, &m) != nil || m["msg"] != msg {
			continue
		}
		for i := 0; i < len(attrs); i += 2 {
			got, want := m[attrs[i].(string)], attrs[i+1]
			if got == want {
				continue
			}
			// Of errors, a part is enough.
			if s, ok := got.(string); !ok || attrs[i] != "error" || !strings.Contains(s, want.(string)) {
				continue lines
			}
		}
		return m
	}
	return nil
}

// wantStatus checks the code of an error, and that its text has a part.
func wantStatus(t *testing.T, err error, code codes.Code, part string) {
	t.Helper()
	if st := status.Convert(err); st.Code() != code || !strings.Contains(st.Message(), part) {
		t.Errorf("error %v, want %v with %q", err, code, part)
	}
}

// parsed is JSON as values.
func parsed(t *testing.T, s string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(s), &v); err != nil {
		t.Fatalf("%q: %v", s, err)
	}
	return v
}

// dialNoting is a dialer that notes the local address.
func dialNoting(local *string) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := (&net.Dialer{}).DialContext(ctx, network, addr)
		if err == nil {
			*local = conn.LocalAddr().String()
		}
		return conn, err
	}
}

// linesMarshaler writes several lines.
type linesMarshaler struct{ runtime.Marshaler }

func (linesMarshaler) Marshal(any) ([]byte, error) { return []byte("a\r\nb\n\nc"), nil }

// readerOf reads what comes from a channel.
func readerOf(c <-chan []byte) io.Reader { return chanReader(c) }

type chanReader <-chan []byte

func (c chanReader) Read(p []byte) (int, error) {
	b, ok := <-c
	if !ok {
		return 0, io.EOF
	}
	return copy(p, b), nil
}

// rerun runs the test that calls it in a process of its own, and returns its
// standard error.
func rerun(t *testing.T, env string) string {
	t.Helper()
	var stderr strings.Builder
	cmd := exec.Command(os.Args[0], "-test.run", "^"+t.Name()+"$", "-test.timeout", patience.String())
	cmd.Env = append(os.Environ(), env)
	cmd.Stderr = &stderr
	if out, err := cmd.Output(); err != nil {
		t.Fatalf("%v\n%s%s", err, out, &stderr)
	}
	return stderr.String()
}
