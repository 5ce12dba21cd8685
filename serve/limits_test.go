package serve

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

// After each of these the server still serves.
func TestBadInput(t *testing.T) {
	const limit = 1000
	r := start(t, Config{
		GRPC: []string{"127.0.0.1:0"}, HTTP: []string{"127.0.0.1:0"}, DefaultRoutes: true,
		MaxRecvBytes: limit, MaxSendBytes: 2 * limit, MaxBodyBytes: 4 * limit, MaxHeaderBytes: 8 * limit,
	}, echo{
		say: func(_ context.Context, m *text) (*text, error) {
			return wrapperspb.String(strings.Repeat(m.Value, 3)), nil
		},
	}.service())
	quoted := func(n int) string { return `"` + strings.Repeat("x", n) + `"` }

	t.Run("gRPC", func(t *testing.T) {
		for _, tt := range []struct {
			name, method, message string
			header                int
			code                  codes.Code
			want                  string
		}{
			{"message too large", sayMethod, quoted(limit), 0, codes.ResourceExhausted, "received message larger than max"},
			{"answer too large", sayMethod, quoted(limit - 100), 0, codes.ResourceExhausted,
				"trying to send message larger than max"},
			{"header too large", sayMethod, "x", 9 * limit, codes.Internal, "header list size"},
			{"unknown method", "/test.v1.Echo/None", "x", 0, codes.Unimplemented, "unknown method None"},
			{"unknown service", "/none/None", "x", 0, codes.Unimplemented, "unknown service none"},
			{"malformed method", "/none", "x", 0, codes.Unimplemented, "malformed method name"},
		} {
			ctx := metadata.AppendToOutgoingContext(t.Context(), "x", strings.Repeat("x", tt.header))
			err := r.conn.Invoke(ctx, tt.method, wrapperspb.String(tt.message), &text{})
			wantStatus(t, err, tt.code, tt.want)
			r.alive()
		}
	})

	t.Run("HTTP", func(t *testing.T) {
		for _, tt := range []struct {
			name, body string
			header     []string
			chunked    bool
			status     int
			want       string
		}{
			{"body too large", quoted(4 * limit), nil, false, 413, "larger than 4000 bytes"},
			{"chunked body too large", quoted(4 * limit), nil, true, 413, "larger than 4000 bytes"},
			{"message too large", quoted(limit), nil, false, 429, "larger than max"},
			{"answer too large", quoted(limit - 100), nil, false, 429, "larger than max"},
			{"header too large", "", []string{"X", strings.Repeat("x", 20*limit)}, false, 431, ""},
			{"malformed JSON", `{`, nil, false, 400, "EOF"},
			{"no JSON", `<xml/>`, nil, false, 400, "invalid character"},
			{"invalid UTF-8", "\"\xff\"", nil, false, 400, "UTF-8"},
			{"deep", strings.Repeat("[", 3*limit), nil, false, 400, ""},
			{"bad time-out", `"x"`, []string{"Grpc-Timeout", "soon"}, false, 400, "grpc-timeout"},
			{"bad binary header", `"x"`, []string{"Grpc-Metadata-X-Bin", "%"}, false, 400, "binary header"},
		} {
			var body io.Reader = strings.NewReader(tt.body)
			if tt.chunked {
				body = struct{ io.Reader }{body}
			}
			res := r.request(t.Context(), "POST", sayMethod, body, tt.header...)
			b, _ := io.ReadAll(res.Body)
			res.Body.Close()
			if res.StatusCode != tt.status || !strings.Contains(string(b), tt.want) {
				t.Errorf("%s: %s %s, want %d with %q", tt.name, res.Status, b, tt.status, tt.want)
			}
			r.alive()
		}
	})

	preface := []byte(http2.ClientPreface)
	frames := func(write func(*http2.Framer)) []byte {
		buf := bytes.NewBuffer(bytes.Clone(preface))
		f := http2.NewFramer(buf, nil)
		f.AllowIllegalWrites = true
		f.WriteSettings()
		write(f)
		return buf.Bytes()
	}
	headers := func(fields ...string) []byte {
		var buf bytes.Buffer
		enc := hpack.NewEncoder(&buf)
		for i := 0; i < len(fields); i += 2 {
			enc.WriteField(hpack.HeaderField{Name: fields[i], Value: fields[i+1]})
		}
		return buf.Bytes()
	}
	for _, tt := range []struct {
		name string
		http bool
		data []byte
		want string // in the answer
	}{
		{"HTTP/1 to gRPC", false, []byte("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n" + strings.Repeat("x", 100)), ""},
		{"garbage to gRPC", false, bytes.Repeat([]byte{0xff}, 1000), ""},
		{"no settings", false, append(bytes.Clone(preface), 0, 0, 8, 6, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8), ""},
		{"frame too large", false, frames(func(f *http2.Framer) {
			f.WriteRawFrame(http2.FrameData, 0, 1, make([]byte, 1<<20))
		}), ""},
		{"data without stream", false, frames(func(f *http2.Framer) { f.WriteData(0, true, []byte("x")) }), ""},
		{"even stream", false, frames(func(f *http2.Framer) {
			f.WriteHeaders(http2.HeadersFrameParam{StreamID: 2, BlockFragment: headers(":method", "POST"), EndHeaders: true})
		}), ""},
		{"broken header block", false, frames(func(f *http2.Framer) {
			f.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: []byte{0xff, 0xff, 0xff}, EndHeaders: true})
		}), ""},
		{"garbage to HTTP", true, []byte("\x16\x03\x01 garbage\r\n\r\n"), "400 Bad Request"},
		{"no host", true, []byte("GET / HTTP/1.1\r\n\r\n"), "400 Bad Request"},
		{"two lengths", true,
			[]byte("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n"), "400 Bad Request"},
		{"bad chunk", true, []byte("POST " + sayMethod + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" +
			"Transfer-Encoding: chunked\r\n\r\nxyz\r\n"), "400 Bad Request"},
		{"HTTP/2 without TLS", true, frames(func(*http2.Framer) {}), ""},
		{"bad path", true, []byte("GET /%zz HTTP/1.1\r\nHost: localhost\r\n\r\n"), "400 Bad Request"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := r.GRPCAddrs()[0]
			if tt.http {
				a = r.HTTPAddrs()[0]
			}
			conn, err := net.Dial("tcp", a.String())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			conn.SetDeadline(time.Now().Add(patience))
			go conn.Write(tt.data) // may fail when it is refused half-way
			answer, err := io.ReadAll(conn)
			if errors.Is(err, os.ErrDeadlineExceeded) {
				t.Error("the connection is kept")
			}
			if !strings.Contains(string(answer), tt.want) {
				t.Errorf("answer %q, want %q", answer, tt.want)
			}
			r.alive()
		})
	}
	r.log.find(t, "connection closed: its client does not speak gRPC")
}

// Clients that send nothing, or a byte now and then, are cut.
func TestSlowClients(t *testing.T) {
	const soon = 50 * time.Millisecond
	r := start(t, Config{
		GRPC: []string{"127.0.0.1:0"}, HTTP: []string{"127.0.0.1:0"}, DefaultRoutes: true, Token: "secret",
		HandshakeTimeout: soon, ReadTimeout: soon, IdleTimeout: soon,
		KeepaliveInterval: time.Second, KeepaliveTimeout: soon,
	}, echo{}.service())
	auth := "POST " + sayMethod + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer secret\r\n"
	for _, tt := range []struct {
		name  string
		http  bool
		begin string
		drip  string // sent again and again
		want  string
	}{
		{"gRPC, nothing", false, "", "", ""},
		{"gRPC, part of the preface", false, "PRI", "", ""},
		{"gRPC, part of a frame", false, http2.ClientPreface + "\x00\x00\x00\x04\x00\x00\x00\x00\x00\x00\x10", "\x00", ""},
		{"HTTP, nothing", true, "", "", ""},
		{"HTTP, part of the header", true, "GET / HTTP/1.1\r\nX: ", "x", ""},
		{"HTTP, part of the body", true, auth + "Content-Length: 1000000\r\n\r\n\"", "x", "408 Request Timeout"},
		{"HTTP, part of the body, chunked", true, auth + "Transfer-Encoding: chunked\r\n\r\n",
			"1\r\n \r\n", "408 Request Timeout"},
		{"HTTP, a body that is not read", true, "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n",
			"1\r\n \r\n", "401"},
		{"HTTP, idle", true, "GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n", "", "200 OK"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := r.GRPCAddrs()[0]
			if tt.http {
				a = r.HTTPAddrs()[0]
			}
			conn, err := net.Dial("tcp", a.String())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			conn.SetDeadline(time.Now().Add(patience))
			io.WriteString(conn, tt.begin)
			stop := make(chan struct{})
			defer close(stop)
			if tt.drip != "" {
				go func() {
					for {
						select {
						case <-stop:
							return
						case <-time.After(soon / 10):
						}
						if _, err := io.WriteString(conn, tt.drip); err != nil {
							return
						}
					}
				}()
			}
			answer, err := io.ReadAll(conn)
			if errors.Is(err, os.ErrDeadlineExceeded) {
				t.Error("the connection is kept")
			}
			if !strings.Contains(string(answer), tt.want) {
				t.Errorf("answer %q, want %q", answer, tt.want)
			}
		})
	}
}

// A client that takes nothing is cut after WriteTimeout; a stream on which
// nothing happens is not, with HTTP/1 and HTTP/2.
func TestWriteTimeout(t *testing.T) {
	const soon = 20 * time.Millisecond
	ca := newAuthority(t)
	cert, key := ca.issue("server", 1, -1, 1)
	next := make(chan struct{})
	stalled := make(chan error, 2)
	r := start(t, Config{
		HTTP: []string{"127.0.0.1:0"}, DefaultRoutes: true, TLSCert: cert, TLSKey: key,
		WriteTimeout: soon, ReadTimeout: soon, MaxSendBytes: -1,
	}, echo{
		watch: func(ctx context.Context, m *text, to Sender[*text]) error {
			if m.Value == "much" {
				for {
					if err := to.Send(wrapperspb.String(strings.Repeat("x", 1<<20))); err != nil {
						stalled <- err
						return err
					}
				}
			}
			for range 3 {
				<-next
				if err := to.Send(m); err != nil {
					return err
				}
			}
			<-ctx.Done()
			return ctx.Err()
		},
	}.service())
	for _, h2 := range []bool{false, true} {
		r.url = "https://" + r.HTTPAddrs()[0].String()
		transport := &http.Transport{TLSClientConfig: ca.client(""), ForceAttemptHTTP2: h2}
		defer transport.CloseIdleConnections()
		r.http.Transport = transport
		go func() { next <- struct{}{} }()
		res := r.request(t.Context(), "POST", watchMethod, strings.NewReader(`"x"`))
		if (res.ProtoMajor == 2) != h2 {
			t.Fatal(res.Proto)
		}
		lines := bufio.NewReader(res.Body)
		for i := range 3 {
			if line, err := lines.ReadString('\n'); err != nil || line != `{"result":"x"}`+"\n" {
				t.Errorf("HTTP/2 %v: message %d: %q, %v", h2, i, line, err)
			}
			if i < 2 {
				time.Sleep(3 * soon) // so that deadlines that were left over pass
				next <- struct{}{}
			}
		}
		res.Body.Close()
		res = r.request(t.Context(), "POST", watchMethod, strings.NewReader(`"much"`))
		select {
		case <-stalled:
		case <-time.After(patience):
			t.Errorf("HTTP/2 %v: the client is not cut", h2)
		}
		res.Body.Close()
	}
}

// An idle gRPC connection is closed.
func TestIdleTimeout(t *testing.T) {
	r := start(t, Config{IdleTimeout: time.Millisecond}, echo{}.service())
	if _, err := r.say(r.conn, "x"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if !r.conn.WaitForStateChange(ctx, connectivity.Ready) {
		t.Error("the connection is kept")
	}
}

// An answer on a connection that was idle does not fail because of the last one.
func TestAnswerAfterIdle(t *testing.T) {
	const soon = 10 * time.Millisecond
	r := start(t, Config{HTTP: []string{"127.0.0.1:0"}, WriteTimeout: soon}, echo{}.service())
	conn, err := net.Dial("tcp", r.HTTPAddrs()[0].String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(patience))
	io.WriteString(conn, "GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n")
	if _, err := conn.Read(make([]byte, 1000)); err != nil {
		t.Fatal(err)
	}
	time.Sleep(3 * soon) // so that a deadline that was left over passes
	io.WriteString(conn, "garbage\r\n\r\n")
	if answer, _ := io.ReadAll(conn); !strings.Contains(string(answer), "400 Bad Request") {
		t.Errorf("answer %q", answer)
	}
}

func TestMaxStreams(t *testing.T) {
	r := start(t, Config{MaxStreams: 1}, echo{watch: untilDone}.service())
	first, cancel := context.WithCancel(t.Context())
	recv(r.watch(first, "x"))
	ctx, late := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer late()
	err := r.conn.Invoke(ctx, sayMethod, &text{}, &text{})
	wantStatus(t, err, codes.DeadlineExceeded, "")
	cancel()
	if _, err := r.say(r.conn, "x"); err != nil {
		t.Error(err)
	}
}

func TestCallTimeout(t *testing.T) {
	deadline := make(chan bool, 1)
	r := start(t, Config{CallTimeout: time.Millisecond, DefaultRoutes: true}, echo{
		say: func(ctx context.Context, m *text) (*text, error) {
			if m.Value == "wait" {
				<-ctx.Done()
				return nil, fmt.Errorf("waiting: %w", ctx.Err())
			}
			d, _ := ctx.Deadline()
			deadline <- time.Until(d) > time.Second
			return m, nil
		},
	}.service())
	err := r.conn.Invoke(t.Context(), sayMethod, wrapperspb.String("wait"), &text{})
	wantStatus(t, err, codes.DeadlineExceeded, "waiting: context deadline exceeded")
	if res, body := r.do("POST", sayMethod, `"wait"`); res.StatusCode != 504 {
		t.Errorf("%s %s", res.Status, body)
	}
	if r.say(r.conn, "x"); !<-deadline {
		t.Error("the client's deadline was not kept")
	}
}

// A cancelled call is one for the server, too, over HTTP as well.
func TestCancelledCalls(t *testing.T) {
	began, ended := make(chan struct{}), make(chan error, 1)
	r := start(t, Config{DefaultRoutes: true}, echo{
		say: func(ctx context.Context, _ *text) (*text, error) {
			began <- struct{}{}
			<-ctx.Done()
			ended <- ctx.Err()
			return nil, ctx.Err()
		},
	}.service())
	post := func(ctx context.Context, body io.Reader) {
		req, _ := http.NewRequestWithContext(ctx, "POST", r.url+sayMethod, body)
		if res, err := r.http.Do(req); err == nil {
			res.Body.Close()
		}
	}
	for _, call := range []func(context.Context){
		func(ctx context.Context) { r.conn.Invoke(ctx, sayMethod, &text{}, &text{}) },
		func(ctx context.Context) { post(ctx, strings.NewReader(`"x"`+strings.Repeat(" ", 100_000))) },
		func(ctx context.Context) { post(ctx, struct{ io.Reader }{strings.NewReader(`"x"`)}) }, // chunked
	} {
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { defer close(done); call(ctx) }()
		<-began
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		<-done
	}
	r.log.find(t, "call", "protocol", "grpc", "code", "Canceled")
	r.log.find(t, "call", "protocol", "http", "code", "Canceled")
}
