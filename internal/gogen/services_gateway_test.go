package gogen_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"
	"google.golang.org/genproto/googleapis/api/annotations"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/test/bufconn"
	"google.golang.org/protobuf/proto"

	"github.com/skaffoldgen/protoc-gen-skaffold/gen/go/buildkit/control/buildkitcontrolkit"
	"github.com/skaffoldgen/protoc-gen-skaffold/gen/go/rkt/v1alpha/rktv1alphakit"
	"github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v1/skaffoldv1kit"
	"github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v2/skaffoldv2kit"
	"github.com/skaffoldgen/protoc-gen-skaffold/serve"
)

// TestCommittedServices calls each RPC of the committed kits over gRPC, and each
// route of it over HTTP: all arrive, and answer that they are not implemented.
func TestCommittedServices(t *testing.T) {
	for _, test := range []struct {
		service serve.Service
		routes  int
	}{
		{skaffoldv1kit.NewSkaffoldService(skaffoldv1kit.SkaffoldServiceFuncs{}), 8},
		{skaffoldv2kit.NewSkaffoldV2Service(skaffoldv2kit.SkaffoldV2ServiceFuncs{}), 8},
		{buildkitcontrolkit.NewControlService(buildkitcontrolkit.ControlFuncs{}), 0},
		{rktv1alphakit.NewPublicAPIService(rktv1alphakit.PublicAPIFuncs{}), 0},
	} {
		t.Run(test.service.Name(), func(t *testing.T) {
			conn := connect(t, test.service)
			mux := runtime.NewServeMux()
			if test.service.HTTP != nil {
				if err := test.service.HTTP(t.Context(), mux, conn); err != nil {
					t.Fatal(err)
				}
			}
			routes := 0
			methods := test.service.File.Services().Get(0).Methods()
			for i := range methods.Len() {
				m := methods.Get(i)
				want := string(m.FullName()) + " is not implemented"
				err := call(t.Context(), conn, "/"+test.service.Name()+"/"+string(m.Name()))
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%s answers %v", m.FullName(), err)
				}
				rule, _ := proto.GetExtension(m.Options(), annotations.E_Http).(*annotations.HttpRule)
				for _, rule := range append(rule.GetAdditionalBindings(), rule) {
					method, path := routeOf(rule)
					if path == "" {
						continue
					}
					routes++
					recorder := httptest.NewRecorder()
					request := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader("{}"))
					mux.ServeHTTP(recorder, request)
					if recorder.Code != http.StatusNotImplemented || !strings.Contains(recorder.Body.String(), want) {
						t.Errorf("%s %s answers %d %s", method, path, recorder.Code, recorder.Body)
					}
				}
			}
			if routes != test.routes || (routes > 0) != (test.service.HTTP != nil) {
				t.Errorf("%d routes, want %d", routes, test.routes)
			}
		})
	}
}

// connect serves a service and connects to it.
func connect(t *testing.T, service serve.Service) *grpc.ClientConn {
	t.Helper()
	listener := bufconn.Listen(1 << 16)
	server := grpc.NewServer()
	service.Register(server)
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

// call sends an empty message and returns the error of the first answer.
func call(ctx context.Context, conn *grpc.ClientConn, path string) error {
	stream, err := conn.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}, path)
	if err != nil {
		return err
	}
	// If the call is over already, RecvMsg says why.
	_ = stream.SendMsg(new(annotations.HttpRule))
	_ = stream.CloseSend()
	return stream.RecvMsg(new(annotations.HttpRule))
}

func routeOf(rule *annotations.HttpRule) (method, path string) {
	switch pattern := rule.GetPattern().(type) {
	case *annotations.HttpRule_Get:
		return http.MethodGet, pattern.Get
	case *annotations.HttpRule_Put:
		return http.MethodPut, pattern.Put
	case *annotations.HttpRule_Post:
		return http.MethodPost, pattern.Post
	}
	return "", ""
}
