package serve

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/grpclog"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

// uploading is a service whose routes take streams from clients, with handlers
// as protoc-gen-grpc-gateway generates them: POST /chat and /collect.
func uploading(e echo) Service {
	s := e.service()
	s.HTTP = func(_ context.Context, mux *runtime.ServeMux, conn *grpc.ClientConn) error {
		route := func(path, method string, bidi bool) error {
			return mux.HandlePath("POST", path, func(w http.ResponseWriter, r *http.Request, _ map[string]string) {
				ctx, cancel := context.WithCancel(r.Context())
				defer cancel()
				in, out := runtime.MarshalerForRequest(mux, r)
				ctx, err := runtime.AnnotateContext(ctx, mux, r, method, runtime.WithHTTPPathPattern(path))
				if err != nil {
					runtime.HTTPError(ctx, mux, out, w, r, err)
					return
				}
				g := generated{mux, in, out, conn, method}
				if bidi {
					g.bidi(ctx, w, r)
				} else {
					g.clientStream(ctx, w, r)
				}
			})
		}
		return errors.Join(route("/chat", chatMethod, true), route("/collect", collectMethod, false))
	}
	return s
}

// generated is what the gateway generates for a method.
type generated struct {
	mux     *runtime.ServeMux
	in, out runtime.Marshaler
	conn    *grpc.ClientConn
	method  string
}

func (g generated) bidi(ctx context.Context, w http.ResponseWriter, r *http.Request) {
	desc := &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}
	stream, err := g.conn.NewStream(ctx, desc, g.method)
	if err != nil {
		runtime.HTTPError(ctx, g.mux, g.out, w, r, err)
		return
	}
	dec := g.in.NewDecoder(r.Body)
	send := func() error {
		var m text
		err := dec.Decode(&m)
		if errors.Is(err, io.EOF) {
			return err
		}
		if err != nil {
			grpclog.Errorf("Failed to decode request: %v", err)
			return status.Errorf(codes.InvalidArgument, "Failed to decode request: %v", err)
		}
		if err := stream.SendMsg(&m); err != nil {
			grpclog.Errorf("Failed to send request: %v", err)
			return err
		}
		return nil
	}
	go func() {
		for send() == nil {
		}
		stream.CloseSend()
	}()
	header, _ := stream.Header()
	ctx = runtime.NewServerMetadataContext(ctx, runtime.ServerMetadata{HeaderMD: header})
	runtime.ForwardResponseStream(ctx, g.mux, g.out, w, r, func() (proto.Message, error) {
		var m text
		return &m, stream.RecvMsg(&m)
	})
}

func (g generated) clientStream(ctx context.Context, w http.ResponseWriter, r *http.Request) {
	res := &text{}
	err := func() error {
		stream, err := g.conn.NewStream(ctx, &grpc.StreamDesc{ClientStreams: true}, g.method)
		if err != nil {
			return err
		}
		dec := g.in.NewDecoder(r.Body)
		for {
			var m text
			err := dec.Decode(&m)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				grpclog.Errorf("Failed to decode request: %v", err)
				return status.Errorf(codes.InvalidArgument, "%v", err)
			}
			if err := stream.SendMsg(&m); err != nil {
				if errors.Is(err, io.EOF) {
					break
				}
				grpclog.Errorf("Failed to send request: %v", err)
				return err
			}
		}
		stream.CloseSend()
		return stream.RecvMsg(res)
	}()
	ctx = runtime.NewServerMetadataContext(ctx, runtime.ServerMetadata{})
	if err != nil {
		runtime.HTTPError(ctx, g.mux, g.out, w, r, err)
		return
	}
	runtime.ForwardResponseMessage(ctx, g.mux, g.out, w, r, res)
}

// A body of which a part is lost does not end as if it were whole, neither for
// the handler nor for the client, nor if the handler does not care.
func TestUploadCutShort(t *testing.T) {
	const limit = 10_000
	seen := make(chan error, 1)
	var careless atomic.Bool // handlers do not care for errors
	r := start(t, Config{MaxBodyBytes: limit, ReadTimeout: 100 * time.Millisecond}, uploading(echo{
		chat: func(_ context.Context, in iter.Seq2[*text, error], to Sender[*text]) error {
			for m, err := range in {
				switch {
				case err != nil:
					seen <- err
					if careless.Load() {
						return nil
					}
					return err
				case m.Value == "answer":
					if err := to.Send(m); err != nil {
						return err
					}
				}
			}
			seen <- nil
			return nil
		},
		collect: func(_ context.Context, in iter.Seq2[*text, error]) (*text, error) {
			var err error
			for _, err = range in {
			}
			seen <- err
			if careless.Load() {
				err = nil
			}
			return &text{}, err
		},
	}))
	endless, stop := io.Pipe()
	t.Cleanup(func() { stop.Close() })
	for _, tt := range []struct {
		name string
		body func() io.Reader
		http int
		code codes.Code
		want string
	}{
		{"oversize", bodyOf(`"a"` + "\n" + `"` + strings.Repeat("x", limit) + `"`), 413, codes.ResourceExhausted,
			"the request's body is larger than 10000 bytes"},
		{"malformed", bodyOf(`"a"` + "\n" + `{"b": }`), 400, codes.InvalidArgument,
			"message 2 of the request's body: invalid character"},
		{"truncated", bodyOf(`"a"` + "\n" + `"b`), 400, codes.InvalidArgument,
			"message 2 of the request's body: unexpected EOF"},
		{"another type", bodyOf(`"a"` + "\n" + `{"b": 1}`), 400, codes.InvalidArgument,
			"invalid value for string field value"},
		{"late", func() io.Reader { return io.MultiReader(strings.NewReader(`"a"`+"\n"), endless) }, 408,
			codes.DeadlineExceeded, "the request's body did not arrive within 100ms"},
	} {
		for _, path := range []string{"/chat", "/collect"} {
			for _, b := range []bool{false, true} {
				careless.Store(b)
				t.Run(fmt.Sprintf("%s%s,careless=%v", tt.name, path, b), func(t *testing.T) {
					// Not of a known length: that would be refused at once.
					res := r.request(t.Context(), "POST", path, struct{ io.Reader }{tt.body()})
					defer res.Body.Close()
					b, _ := io.ReadAll(res.Body)
					if res.StatusCode != tt.http || !strings.Contains(string(b), tt.want) {
						t.Errorf("%s %s, want %d with %q", res.Status, b, tt.http, tt.want)
					}
					wantStatus(t, <-seen, tt.code, tt.want)
				})
			}
		}
	}
	careless.Store(false)
	for name, body := range map[string]string{"whole": `"a"` + "\n" + `"b"`, "empty": ""} {
		for _, path := range []string{"/chat", "/collect"} {
			if res, b := r.do("POST", path, body); res.StatusCode != 200 {
				t.Errorf("%s: %s %s", name, res.Status, b)
			}
			if err := <-seen; err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	// When an answer has begun, the error comes in it.
	body := `"answer"` + "\n" + `{"b": }`
	_, b := r.do("POST", "/chat", body)
	if lines := strings.SplitAfter(b, "\n"); lines[0] != `{"result":"answer"}`+"\n" ||
		!strings.HasPrefix(lines[1], `{"error":{"code":3,"message":"message 2 of the request's body: `) {
		t.Errorf("error after a message: %s", b)
	}
	<-seen
}

// bodyOf makes readers of a text.
func bodyOf(s string) func() io.Reader { return func() io.Reader { return strings.NewReader(s) } }

// The answer may begin before the body has come: with HTTP/1, too, nothing of it
// is lost.
func TestUploadAndAnswer(t *testing.T) {
	r := start(t, Config{}, uploading(echo{}))
	body, lines := io.Pipe()
	go io.WriteString(lines, `"first"`+"\n")
	res := r.request(t.Context(), "POST", "/chat", body)
	defer res.Body.Close()
	answer := bufio.NewReader(res.Body)
	big := strings.Repeat("x", 1000)
	for i, want := range append([]string{"first"}, strings.Fields(strings.Repeat(big+" ", 100))...) {
		if i > 0 {
			go io.WriteString(lines, `"`+want+`"`+"\n")
		}
		if got, err := answer.ReadString('\n'); err != nil || got != `{"result":"`+want+`"}`+"\n" {
			t.Fatalf("message %d: %.100q, %v", i, got, err)
		}
	}
	lines.Close()
	if rest, err := io.ReadAll(answer); err != nil || len(rest) > 0 {
		t.Errorf("at the end: %q, %v", rest, err)
	}
}

// A handler need not read what the client sends, and may end before it.
func TestUploadNotRead(t *testing.T) {
	r := start(t, Config{MaxBodyBytes: 1 << 20}, uploading(echo{
		chat: func(_ context.Context, _ iter.Seq2[*text, error], to Sender[*text]) error {
			return to.Send(wrapperspb.String("done"))
		},
	}))
	const done = `{"result":"done"}` + "\n"
	for _, body := range []string{"", "{", `"a"`, strings.Repeat(`"a"`+"\n", 100_000)} {
		if res, b := r.do("POST", "/chat", body); res.StatusCode != 200 || b != done {
			t.Errorf("body of %d bytes: %s %s", len(body), res.Status, b)
		}
	}
}

// Headers that cannot become metadata are left out, and others are not.
func TestHeadersForGateway(t *testing.T) {
	got := make(chan metadata.MD, 1)
	r := start(t, Config{DefaultRoutes: true}, echo{say: func(ctx context.Context, m *text) (*text, error) {
		md, _ := metadata.FromIncomingContext(ctx)
		got <- md
		return m, nil
	}}.service())
	res, body := r.do("POST", sayMethod, `"x"`, "User-Agent", "é", "Cookie", "a=é", "Authorization", "Bearer é",
		"Grpc-Metadata-A", "é", "Grpc-Metadata-A", "b", "Grpc-Metadata-C!", "d", "Grpc-Metadata-E-Bin", "6Q==")
	if res.StatusCode != 200 {
		t.Fatalf("%s %s", res.Status, body)
	}
	md := <-got
	for key, want := range map[string]string{"a": "b", "e-bin": "\xe9", "authorization": "", "grpcgateway-cookie": ""} {
		if v := strings.Join(md.Get(key), ","); v != want {
			t.Errorf("%s: %q, want %q", key, v, want)
		}
	}
}

// What clients send does not make the gateway write to the standard error.
func TestUploadsAreQuiet(t *testing.T) {
	if os.Getenv("SERVE_TEST_QUIET") == "" {
		stderr := rerun(t, "SERVE_TEST_QUIET=1")
		if strings.Contains(stderr, "ERROR") {
			t.Errorf("standard error:\n%s", stderr)
		}
		return
	}
	TestUploadCutShort(t)
	TestUploadNotRead(t)
	TestHeadersForGateway(t)
}
