package serve

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/stats"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

func TestLog(t *testing.T) {
	r := start(t, Config{DefaultRoutes: true}, echo{
		say: func(_ context.Context, m *text) (*text, error) {
			switch m.Value {
			case "plain":
				return nil, errors.New("out of coffee")
			case "context":
				return nil, context.Canceled
			case "not found":
				return nil, status.Error(codes.NotFound, "no such thing")
			}
			return m, nil
		},
	}.service())
	for _, tt := range []struct{ message, code, level, text string }{
		{"fine", "OK", "INFO", ""},
		{"not found", "NotFound", "INFO", "no such thing"},
		{"context", "Canceled", "INFO", "context canceled"},
		{"plain", "Unknown", "ERROR", "out of coffee"},
	} {
		r.say(r.conn, tt.message)
		attrs := []any{"method", sayMethod, "code", tt.code, "level", tt.level, "protocol", "grpc"}
		if tt.text != "" {
			attrs = append(attrs, "error", tt.text)
		}
		line := r.log.find(t, "call", attrs...)
		if d, ok := line["duration"].(float64); !ok || d <= 0 {
			t.Errorf("duration %v", line["duration"])
		}
		if peer, ok := line["peer"].(string); !ok || !strings.HasPrefix(peer, "127.0.0.1:") {
			t.Errorf("peer %v", line["peer"])
		}
	}
	recv(r.watch(t.Context(), ""))
	r.log.find(t, "call", "method", watchMethod, "code", "OK")
	grpc_health_v1.NewHealthClient(r.conn).Check(t.Context(), &grpc_health_v1.HealthCheckRequest{})
	r.log.find(t, "call", "method", grpc_health_v1.Health_Check_FullMethodName, "level", "DEBUG")

	r.do("POST", sayMethod, `"fine"`)
	r.log.find(t, "call", "method", sayMethod, "protocol", "http", "code", "OK")
	r.do("GET", "/none", "")
	r.log.find(t, "request", "method", "GET /none", "status", 404.0, "protocol", "http", "level", "INFO")
	r.do("GET", "/healthz", "")
	r.log.find(t, "request", "method", "GET /healthz", "level", "DEBUG")
	if line := r.log.lookup("request", "method", "POST "+sayMethod); line != nil {
		t.Errorf("a call has a second line: %v", line)
	}
}

// Panics, wherever they are, are not told to clients, and end nothing else.
func TestPanics(t *testing.T) {
	var mu sync.Mutex
	var seen []error
	note := func(err error) {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, err)
	}
	r := start(t, Config{
		DefaultRoutes: true,
		GRPC:          []string{"127.0.0.1:0"}, HTTP: []string{"127.0.0.1:0"},
		UnaryInterceptors: []grpc.UnaryServerInterceptor{
			func(ctx context.Context, req any, _ *grpc.UnaryServerInfo, h grpc.UnaryHandler) (any, error) {
				if req.(*text).Value == "interceptor" {
					panic("secret of the interceptor")
				}
				res, err := h(ctx, req)
				note(err)
				return res, err
			},
		},
		StreamInterceptors: []grpc.StreamServerInterceptor{
			func(srv any, s grpc.ServerStream, _ *grpc.StreamServerInfo, h grpc.StreamHandler) error {
				err := h(srv, s)
				note(err)
				return err
			},
		},
		HTTPMiddleware: []func(http.Handler) http.Handler{func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch r.Header.Get("Panic") {
				case "late":
					w.Write([]byte("half an ans"))
					panic("secret of the middleware")
				case "early":
					panic("secret of the middleware")
				}
				next.ServeHTTP(w, r)
			})
		}},
	}, echo{
		say: func(_ context.Context, m *text) (*text, error) {
			if m.Value == "panic" {
				panic("secret of the handler")
			}
			return m, nil
		},
		watch: func(context.Context, *text, Sender[*text]) error { panic("secret of the stream") },
	}.service())

	_, err := r.say(r.conn, "panic")
	wantStatus(t, err, codes.Internal, "internal error")
	line := r.log.find(t, "panic", "method", sayMethod, "panic", "secret of the handler")
	if stack, _ := line["stack"].(string); !strings.Contains(stack, "calls_test.go") {
		t.Errorf("stack %q", stack)
	}
	_, err = recv(r.watch(t.Context(), ""))
	wantStatus(t, err, codes.Internal, "internal error")
	_, err = r.say(r.conn, "interceptor")
	wantStatus(t, err, codes.Internal, "internal error")
	r.log.find(t, "call", "method", watchMethod, "code", "Internal")
	mu.Lock()
	if len(seen) != 2 || status.Code(seen[0]) != codes.Internal || status.Code(seen[1]) != codes.Internal {
		t.Errorf("interceptors saw %v", seen)
	}
	mu.Unlock()

	res, body := r.do("POST", sayMethod, `"panic"`)
	if res.StatusCode != 500 || strings.Contains(body, "secret") {
		t.Errorf("HTTP: %s %s", res.Status, body)
	}
	res, body = r.do("POST", sayMethod, `""`, "Panic", "early")
	if want := map[string]any{"code": 13.0, "message": "internal error", "details": []any{}}; res.StatusCode != 500 ||
		parsed(t, body).(map[string]any)["message"] != want["message"] {
		t.Errorf("middleware: %s %s", res.Status, body)
	}
	req, _ := http.NewRequestWithContext(t.Context(), "POST", r.url+sayMethod, bytes.NewReader(nil))
	req.Header.Set("Panic", "late")
	if res, err := r.http.Do(req); err == nil {
		if _, err := res.Body.Read(make([]byte, 100)); err == nil {
			t.Errorf("half an answer looks whole: %s", res.Status)
		}
		res.Body.Close()
	}
	r.alive()
}

// order notes in what order things happen.
type order struct {
	mu   sync.Mutex
	list []string
}

func (o *order) add(s string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.list = append(o.list, s)
}

func (o *order) take() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	s := strings.Join(o.list, " ")
	o.list = nil
	return s
}

func TestOrder(t *testing.T) {
	o := &order{}
	unary := func(name string) grpc.UnaryServerInterceptor {
		return func(ctx context.Context, req any, _ *grpc.UnaryServerInfo, h grpc.UnaryHandler) (any, error) {
			o.add(name)
			return h(ctx, req)
		}
	}
	middleware := func(name string) func(http.Handler) http.Handler {
		return func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				o.add(name)
				next.ServeHTTP(w, r)
			})
		}
	}
	r := start(t, Config{
		DefaultRoutes: true, GRPC: []string{"127.0.0.1:0"}, HTTP: []string{"127.0.0.1:0"}, Token: "secret",
		UnaryInterceptors: []grpc.UnaryServerInterceptor{unary("first"), unary("second")},
		ServerOptions: []grpc.ServerOption{
			grpc.UnaryInterceptor(unary("outside")), grpc.ChainUnaryInterceptor(unary("third")),
		},
		HTTPMiddleware: []func(http.Handler) http.Handler{middleware("http1"), middleware("http2")},
		StatsHandlers:  []stats.Handler{statsHandler{o}},
	}, echo{say: func(_ context.Context, m *text) (*text, error) { o.add("handler"); return m, nil }}.service())
	ctx := metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer secret")
	if err := r.conn.Invoke(ctx, sayMethod, wrapperspb.String("x"), &text{}); err != nil {
		t.Fatal(err)
	}
	if got, want := o.take(), "stats outside first second third handler"; got != want {
		t.Errorf("gRPC: %s, want %s", got, want)
	}
	r.conn.Invoke(t.Context(), sayMethod, wrapperspb.String("x"), &text{})
	if got, want := o.take(), "stats outside"; got != want {
		t.Errorf("without a token: %s, want %s", got, want)
	}
	r.do("POST", sayMethod, `"x"`, "Authorization", "Bearer secret")
	if got, want := o.take(), "http1 http2 stats outside first second third handler"; got != want {
		t.Errorf("HTTP: %s, want %s", got, want)
	}
	r.do("POST", sayMethod, `"x"`)
	if got := o.take(); got != "" {
		t.Errorf("HTTP without a token: %s", got)
	}
}

type statsHandler struct{ o *order }

func (h statsHandler) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context {
	h.o.add("stats")
	return ctx
}
func (statsHandler) HandleRPC(context.Context, stats.RPCStats)                         {}
func (statsHandler) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }
func (statsHandler) HandleConn(context.Context, stats.ConnStats)                       {}
