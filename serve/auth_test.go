package serve

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"
	reflectionv1 "google.golang.org/grpc/reflection/grpc_reflection_v1"
)

// clientName is a handler that tells the name in the client's certificate.
func clientName(names chan<- string) func(context.Context, *text) (*text, error) {
	return func(ctx context.Context, m *text) (*text, error) {
		p, _ := peer.FromContext(ctx)
		info, ok := p.AuthInfo.(credentials.TLSInfo)
		if !ok || len(info.State.VerifiedChains) == 0 {
			return nil, errors.New("no TLS")
		}
		names <- info.State.VerifiedChains[0][0].Subject.CommonName
		return m, nil
	}
}

func TestToken(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("  secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := start(t, Config{
		GRPC: []string{"127.0.0.1:0"}, HTTP: []string{"127.0.0.1:0"}, DefaultRoutes: true, TokenFile: file,
	}, echo{}.service())
	for _, tt := range []struct {
		name   string
		values []string
		want   string // of the error; empty: none
	}{
		{"none", nil, "a token is needed"},
		{"right", []string{"Bearer secret"}, ""},
		{"right, written otherwise", []string{"bearer  secret "}, ""},
		{"wrong", []string{"Bearer secre"}, "the bearer token is wrong"},
		{"longer", []string{"Bearer secretx"}, "the bearer token is wrong"},
		{"empty", []string{"Bearer "}, "the bearer token is wrong"},
		{"another scheme", []string{"Basic secret"}, "a token is needed"},
		{"no scheme", []string{"secret"}, "a token is needed"},
	} {
		ctx := t.Context()
		var header []string
		for _, v := range tt.values {
			ctx = metadata.AppendToOutgoingContext(ctx, "authorization", v)
			header = append(header, "Authorization", v)
		}
		err := r.conn.Invoke(ctx, sayMethod, &text{Value: "x"}, &text{})
		if _, streamErr := recv(r.watch(ctx, "x")); (err == nil) != (streamErr == nil) {
			t.Errorf("%s: unary %v, stream %v", tt.name, err, streamErr)
		}
		if unknown := r.conn.Invoke(ctx, "/test.v1.Echo/None", &text{}, &text{}); tt.want != "" {
			wantStatus(t, unknown, codes.Unauthenticated, tt.want)
		}
		res, body := r.do("POST", sayMethod, `"x"`, header...)
		if tt.want == "" {
			if err != nil || res.StatusCode != 200 {
				t.Errorf("%s: %v, %s %s", tt.name, err, res.Status, body)
			}
			continue
		}
		wantStatus(t, err, codes.Unauthenticated, tt.want)
		if res.StatusCode != 401 || !strings.Contains(body, tt.want) || res.Header.Get("WWW-Authenticate") != "Bearer" {
			t.Errorf("%s: %s %v %s", tt.name, res.Status, res.Header, body)
		}
	}

	// The gateway's own way to pass metadata does not go round the check.
	if res, _ := r.do("POST", sayMethod, `"x"`, "Grpc-Metadata-Authorization", "Bearer wrong"); res.StatusCode != 401 {
		t.Errorf("metadata through a header: %s", res.Status)
	}
	health := grpc_health_v1.NewHealthClient(r.conn)
	if _, err := health.Check(t.Context(), &grpc_health_v1.HealthCheckRequest{}); err != nil {
		t.Errorf("health: %v", err)
	}
	for _, path := range []string{"/healthz", "/readyz"} {
		if res, _ := r.do("GET", path, ""); res.StatusCode != 200 {
			t.Errorf("%s: %s", path, res.Status)
		}
	}
	s, err := reflectionv1.NewServerReflectionClient(r.conn).ServerReflectionInfo(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Recv()
	wantStatus(t, err, codes.Unauthenticated, "a token is needed")
}

// A request without a token is answered before its body is read.
func TestTokenBeforeBody(t *testing.T) {
	r := start(t, Config{DefaultRoutes: true, Token: "secret"}, echo{}.service())
	body := make(chan []byte)
	defer close(body)
	res := r.request(t.Context(), "POST", sayMethod, readerOf(body))
	defer res.Body.Close()
	if res.StatusCode != http.StatusUnauthorized {
		t.Error(res.Status)
	}
}
