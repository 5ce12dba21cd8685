package serve

import (
	"bufio"
	"context"
	"errors"
	"io"
	"iter"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/skaffoldgen/protoc-gen-skaffold/eventlog"
)

// untilDone is a stream that sends one message and then waits for its context,
// whose cause it returns.
func untilDone(ctx context.Context, m *text, to Sender[*text]) error {
	if err := to.Send(m); err != nil {
		return err
	}
	<-ctx.Done()
	return context.Cause(ctx)
}

func TestShutdownEndsStreams(t *testing.T) {
	causes := make(chan error, 2)
	r := start(t, Config{DefaultRoutes: true, StreamGrace: time.Millisecond}, echo{
		watch: func(ctx context.Context, m *text, to Sender[*text]) error {
			err := untilDone(ctx, m, to)
			causes <- err
			return err
		},
	}.service())

	stream := r.watch(t.Context(), "x")
	if _, err := recv(stream); err != nil {
		t.Fatal(err)
	}
	idle := r.open(t.Context(), chatMethod, "x") // its handler waits for the client
	if _, err := recv(idle); err != nil {
		t.Fatal(err)
	}
	res := r.request(t.Context(), "POST", watchMethod, strings.NewReader(`"x"`))
	defer res.Body.Close()
	lines := bufio.NewReader(res.Body)
	if line, err := lines.ReadString('\n'); err != nil || line != `{"result":"x"}`+"\n" {
		t.Fatalf("HTTP stream: %q, %v", line, err)
	}

	if err := r.stop(); err != nil {
		t.Errorf("Serve: %v", err)
	}
	for range 2 {
		if err := <-causes; !errors.Is(err, ErrShutdown) {
			t.Errorf("cause %v, want ErrShutdown", err)
		}
	}
	_, err := recv(stream)
	wantStatus(t, err, codes.Unavailable, "server is shutting down")
	_, err = recv(idle)
	wantStatus(t, err, codes.Unavailable, "server is shutting down")
	r.log.find(t, "call", "method", chatMethod, "code", "Unavailable", "error", "server is shutting down")
	rest, err := io.ReadAll(lines)
	want := `{"error":{"code":14,"message":"server is shutting down","details":[]}}` + "\n"
	if err != nil || string(rest) != want {
		t.Errorf("HTTP stream ends with %q, %v, want %q", rest, err, want)
	}
}

// A log that is closed by a hook ends its streams well, and nothing is lost.
func TestShutdownDrainsLogs(t *testing.T) {
	log := eventlog.New(eventlog.Proto[*text]())
	cfg := Config{
		StreamGrace: time.Hour, ShutdownTimeout: -1,
		OnShutdown: []func(context.Context) error{func(context.Context) error {
			log.Append(wrapperspb.String("last"))
			return log.Close()
		}},
	}
	r := start(t, cfg, echo{
		watch: func(ctx context.Context, _ *text, to Sender[*text]) error { return Follow(ctx, log.Reader(1), to) },
	}.service())
	log.Append(wrapperspb.String("first"))
	s := r.watch(t.Context(), "")
	if got, err := recv(s); err != nil || got != "first" {
		t.Fatalf("%q, %v", got, err)
	}
	r.cancel()
	if got, err := recv(s); err != nil || got != "last" {
		t.Errorf("at shutdown: %q, %v", got, err)
	}
	if _, err := recv(s); !errors.Is(err, io.EOF) {
		t.Errorf("at the end: %v, want io.EOF", err)
	}
	if err := r.wait(); err != nil {
		t.Errorf("Serve: %v", err)
	}
}

func TestShutdownSteps(t *testing.T) {
	inHook, leaveHook := make(chan struct{}), make(chan struct{})
	var r *running
	cfg := Config{
		GRPC: []string{"127.0.0.1:0"}, HTTP: []string{"127.0.0.1:0"}, ShutdownTimeout: -1,
		OnShutdown: []func(context.Context) error{
			func(context.Context) error {
				close(inHook)
				<-leaveHook
				return errors.New("the disk is full")
			},
			func(context.Context) error { return errors.New("another thing") },
		},
	}
	release := make(chan struct{})
	r = start(t, cfg, echo{
		say: func(_ context.Context, m *text) (*text, error) { <-release; return m, nil },
		watch: func(ctx context.Context, m *text, to Sender[*text]) error {
			to.Send(m)
			<-release
			return nil
		},
	}.service())
	var unary sync.WaitGroup
	stream := r.watch(t.Context(), "x")
	recv(stream)
	unary.Go(func() {
		if got, err := r.say(r.conn, "late"); err != nil || got != "late" {
			t.Errorf("a unary call that ran at shutdown: %q, %v", got, err)
		}
	})
	for r.active.count() < 2 {
		time.Sleep(time.Millisecond)
	}
	r.cancel()
	<-inHook
	// Streams live while hooks run, new connections are refused, and health is bad.
	res, err := r.health.Check(t.Context(), &grpc_health_v1.HealthCheckRequest{})
	if err != nil || res.Status != grpc_health_v1.HealthCheckResponse_NOT_SERVING {
		t.Errorf("health at shutdown: %v, %v", res, err)
	}
	if r.ready.Load() {
		t.Error("ready at shutdown")
	}
	for _, a := range append(r.GRPCAddrs(), r.HTTPAddrs()...) {
		for {
			conn, err := net.Dial("tcp", a.String())
			if err != nil {
				break
			}
			conn.Close()
			time.Sleep(time.Millisecond)
		}
	}
	close(leaveHook)
	close(release)
	unary.Wait()
	if _, err := recv(stream); !errors.Is(err, io.EOF) {
		t.Errorf("stream that ended by itself: %v", err)
	}
	err = r.wait()
	for _, want := range []string{"the disk is full", "another thing"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Serve: %v, want %q", err, want)
		}
	}
}

// Serve returns nil after a clean stop, whatever ended its context, and the errors
// of all functions of OnShutdown otherwise, each of which is called.
func TestServeReturnsWhatOnShutdownReturns(t *testing.T) {
	disk, journal := errors.New("the disk is full"), errors.New("the journal is torn")
	for _, tt := range []struct {
		name  string
		hooks []error
		want  []error
	}{
		{"none", nil, nil},
		{"success", []error{nil, nil}, nil},
		{"one fails", []error{nil, disk, nil}, []error{disk}},
		{"two fail", []error{disk, journal}, []error{disk, journal}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			called := 0
			var cfg Config
			for _, err := range tt.hooks {
				cfg.OnShutdown = append(cfg.OnShutdown, func(context.Context) error {
					called++
					return err
				})
			}
			r := start(t, cfg, echo{}.service())
			r.alive()
			err := r.stop()
			if called != len(tt.hooks) {
				t.Errorf("%d functions called, want %d", called, len(tt.hooks))
			}
			if (err == nil) != (len(tt.want) == 0) {
				t.Errorf("Serve: %v, want %v", err, tt.want)
			}
			for _, want := range tt.want {
				if !errors.Is(err, want) {
					t.Errorf("Serve: %v, want %v in it", err, want)
				}
			}
		})
	}
}

// Calls that do not end are cut off.
func TestShutdownForced(t *testing.T) {
	release := make(chan struct{})
	began := make(chan struct{})
	r := start(t, Config{ShutdownTimeout: time.Millisecond}, echo{
		say: func(_ context.Context, m *text) (*text, error) { close(began); <-release; return m, nil },
	}.service())
	failed := make(chan error)
	go func() {
		_, err := r.say(r.conn, "x")
		failed <- err
	}()
	<-began
	if err := r.stop(); !errors.Is(err, ErrForced) {
		t.Errorf("Serve: %v, want ErrForced", err)
	}
	wantStatus(t, <-failed, codes.Unavailable, "")
	r.log.find(t, "calls still run though their contexts have ended", "calls", 1.0)
	close(release)
	for r.active.count() > 0 {
		time.Sleep(time.Millisecond)
	}
}

// A client that takes nothing does not hold up the shutdown until its end, and
// its handler, which waits in Send, comes back.
func TestShutdownWithStalledClients(t *testing.T) {
	blocked := strings.Repeat("x", 1<<20)
	returned := make(chan error, 2)
	r := start(t, Config{DefaultRoutes: true, StreamGrace: -1, ShutdownTimeout: time.Hour}, echo{
		watch: func(_ context.Context, _ *text, to Sender[*text]) (err error) {
			defer func() { returned <- err }()
			for {
				if err := to.Send(wrapperspb.String(blocked)); err != nil {
					return err
				}
			}
		},
	}.service())
	r.watch(t.Context(), "")
	conn, err := net.Dial("tcp", r.HTTPAddrs()[0].String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	io.WriteString(conn, "POST "+watchMethod+" HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n")
	for r.active.count() < 2 {
		time.Sleep(time.Millisecond)
	}
	if err := r.stop(); err != nil {
		t.Errorf("Serve: %v", err)
	}
	for range 2 {
		if err := <-returned; err == nil {
			t.Error("Send did not fail")
		}
	}
}

// Connections that were opened and never used do not hold up the shutdown.
func TestShutdownWithUnusedConnections(t *testing.T) {
	r := start(t, Config{
		GRPC: []string{"127.0.0.1:0"}, HTTP: []string{"127.0.0.1:0"},
		ShutdownTimeout: time.Hour, HandshakeTimeout: -1,
	}, echo{}.service())
	var conns []net.Conn
	for _, a := range append(r.GRPCAddrs(), r.HTTPAddrs()...) {
		conn, err := net.Dial("tcp", a.String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		conns = append(conns, conn)
	}
	r.alive() // so that the connections before were accepted
	r.http.CloseIdleConnections()
	if err := r.stop(); err != nil {
		t.Errorf("Serve: %v", err)
	}
	for _, c := range conns {
		c.SetDeadline(time.Now().Add(patience))
		if _, err := io.Copy(io.Discard, c); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Error("connection still open")
		}
	}
}

// A stalled client does not stop others, and what a gone client leaves ends at
// once.
func TestStalledAndGoneClients(t *testing.T) {
	log := eventlog.New(eventlog.Proto[*text]())
	defer log.Close()
	ended := make(chan error, 10)
	r := start(t, Config{DefaultRoutes: true}, echo{
		watch: func(ctx context.Context, _ *text, to Sender[*text]) error {
			err := Follow(ctx, log.Reader(1), to)
			ended <- err
			return err
		},
	}.service())

	r.watch(t.Context(), "") // never read
	ctx, leave := context.WithCancel(t.Context())
	gone := r.watch(ctx, "")
	goneHTTP, leaveHTTP := context.WithCancel(t.Context())
	healthy := r.watch(t.Context(), "")

	const n = 300
	big := strings.Repeat("x", 10_000)
	go func() {
		for range n {
			if _, err := log.Append(wrapperspb.String(big)); err != nil {
				t.Error(err)
			}
		}
	}()
	recv(gone)
	stalled := r.request(t.Context(), "POST", watchMethod, http.NoBody, "Accept", "text/event-stream")
	other := r.request(goneHTTP, "POST", watchMethod, http.NoBody)
	for range n {
		if got, err := recv(healthy); err != nil || got != big {
			t.Fatalf("%d bytes, %v", len(got), err)
		}
	}
	// Nothing more is appended: the streams of those that leave wait for the log.
	leave()
	leaveHTTP()
	other.Body.Close()
	for range 2 {
		select {
		case err := <-ended:
			wantStatus(t, err, codes.Canceled, "")
		case <-time.After(patience):
			t.Fatal("the stream of a gone client goes on")
		}
	}
	stalled.Body.Close()
}

func TestListenerFails(t *testing.T) {
	r := start(t, Config{}, echo{}.service())
	r.alive()
	r.httpLns[0].Close()
	if err := r.wait(); err == nil || !strings.Contains(err.Error(), "serve: HTTP on 127.0.0.1:") {
		t.Errorf("Serve: %v", err)
	}
}

// Streams over which a client sends end too.
func TestShutdownEndsUploads(t *testing.T) {
	got := make(chan error, 1)
	r := start(t, Config{StreamGrace: time.Millisecond}, echo{
		collect: func(_ context.Context, in iter.Seq2[*text, error]) (*text, error) {
			for _, err := range in {
				if err != nil {
					got <- err
					return nil, err
				}
				got <- nil
			}
			return &text{}, nil
		},
	}.service())
	s := r.open(t.Context(), collectMethod, "x")
	<-got
	if err := r.stop(); err != nil {
		t.Errorf("Serve: %v", err)
	}
	if err := <-got; err == nil {
		t.Error("the handler saw no error")
	}
	_, err := recv(s)
	wantStatus(t, err, codes.Unavailable, "server is shutting down")
}

// The goroutines of a server that listened and was never used end.
func TestServeEndedContext(t *testing.T) {
	s, err := New(Config{HTTP: []string{"127.0.0.1:0"}, GRPC: []string{"127.0.0.1:0"}}, echo{}.service())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Serve(ctx); err != nil {
		t.Error(err)
	}
	conn, err := grpc.NewClient(s.GRPCAddrs()[0].String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	err = conn.Invoke(t.Context(), sayMethod, &text{}, &text{})
	wantStatus(t, err, codes.Unavailable, "")
}
