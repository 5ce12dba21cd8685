package serve

import (
	"errors"
	"io"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

func TestCalls(t *testing.T) {
	r := start(t, Config{DefaultRoutes: true}, echo{}.service())
	if got, err := r.say(r.conn, "hello"); err != nil || got != "hello" {
		t.Errorf("unary: %q, %v", got, err)
	}

	s := r.watch(t.Context(), "a b")
	for _, want := range []string{"a", "b"} {
		if got, err := recv(s); err != nil || got != want {
			t.Errorf("server stream: %q, %v, want %q", got, err, want)
		}
	}
	if _, err := recv(s); !errors.Is(err, io.EOF) {
		t.Errorf("server stream: %v at the end", err)
	}

	s = r.open(t.Context(), collectMethod, "a", "b")
	s.CloseSend()
	if got, err := recv(s); err != nil || got != "a b" {
		t.Errorf("client stream: %q, %v", got, err)
	}

	s = r.open(t.Context(), chatMethod)
	for _, want := range []string{"a", "b"} {
		s.SendMsg(wrapperspb.String(want))
		if got, err := recv(s); err != nil || got != want {
			t.Errorf("bidi stream: %q, %v, want %q", got, err, want)
		}
	}
	s.CloseSend()
	if _, err := recv(s); !errors.Is(err, io.EOF) {
		t.Errorf("bidi stream: %v at the end", err)
	}
	if err := r.stop(); err != nil {
		t.Errorf("Serve: %v", err)
	}
}

func TestUnknownMethods(t *testing.T) {
	r := start(t, Config{}, echo{}.service())
	for method, want := range map[string]string{
		"/test.v1.Echo/Shout": "unknown method Shout for service test.v1.Echo",
		"/test.v1.None/Say":   "unknown service test.v1.None",
	} {
		err := r.conn.Invoke(t.Context(), method, wrapperspb.String("x"), &text{})
		wantStatus(t, err, codes.Unimplemented, want)
		r.log.find(t, "call", "method", method, "code", "Unimplemented")
	}
	r.alive()
}

func TestHealth(t *testing.T) {
	r := start(t, Config{}, echo{}.service())
	h := grpc_health_v1.NewHealthClient(r.conn)
	for service, want := range map[string]grpc_health_v1.HealthCheckResponse_ServingStatus{
		"": grpc_health_v1.HealthCheckResponse_SERVING, "test.v1.Echo": grpc_health_v1.HealthCheckResponse_SERVING,
	} {
		res, err := h.Check(t.Context(), &grpc_health_v1.HealthCheckRequest{Service: service})
		if err != nil || res.Status != want {
			t.Errorf("%q: %v, %v", service, res, err)
		}
	}
	_, err := h.Check(t.Context(), &grpc_health_v1.HealthCheckRequest{Service: "none"})
	wantStatus(t, err, codes.NotFound, "unknown service")

	r.SetReady(false)
	res, _ := h.Check(t.Context(), &grpc_health_v1.HealthCheckRequest{Service: "test.v1.Echo"})
	if res.GetStatus() != grpc_health_v1.HealthCheckResponse_NOT_SERVING {
		t.Errorf("not ready: %v", res)
	}
	if res, body := r.do("GET", "/readyz", ""); res.StatusCode != 503 || body != "not ready\n" {
		t.Errorf("/readyz: %s %q", res.Status, body)
	}
	if res, body := r.do("GET", "/healthz", ""); res.StatusCode != 200 || body != "ok\n" {
		t.Errorf("/healthz: %s %q", res.Status, body)
	}
}

func TestServeTwice(t *testing.T) {
	r := start(t, Config{}, echo{}.service())
	if err := r.stop(); err != nil {
		t.Fatal(err)
	}
	if err := r.Serve(t.Context()); err == nil || !strings.Contains(err.Error(), "once") {
		t.Errorf("second Serve: %v", err)
	}
}
