package gateway

import (
	"context"
	"io"
	"net"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/test/bufconn"

	"github.com/skaffoldgen/protoc-gen-skaffold/serve"

	pb "example.com/kits/CASE/gatewaypb"
	kit "example.com/kits/CASE/gatewaypb/gatewaypbkit"
)

func watch(_ context.Context, req *pb.Item, stream serve.Sender[*pb.Item]) error {
	for range 2 {
		if err := stream.Send(req); err != nil {
			return err
		}
	}
	return nil
}

func TestRoutes(t *testing.T) {
	service := kit.NewLowerCaseService(kit.LowerCaseFuncs{
		GetItemFunc: func(_ context.Context, req *pb.Item) (*pb.Item, error) { return req, nil },
		WatchFunc:   watch,
	})
	custom := kit.NewXCustomService(kit.XCustomFuncs{})
	for _, s := range []serve.Service{kit.NewUnboundService(kit.UnboundFuncs{}), kit.NewNothingService(kit.NothingFuncs{})} {
		if s.HTTP != nil {
			t.Errorf("%s has routes", s.Name())
		}
	}

	listener := bufconn.Listen(1 << 16)
	server := grpc.NewServer()
	service.Register(server)
	custom.Register(server)
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	conn, err := grpc.NewClient("passthrough:///test", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }))
	if err != nil {
		t.Fatal(err)
	}
	mux := runtime.NewServeMux()
	for _, s := range []serve.Service{service, custom} {
		if err := s.HTTP(t.Context(), mux, conn); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		method, path, body string
		status             int
		want               string
	}{
		{"GET", "/items/pen", "", 200, `{"name":"pen"}`},
		{"GET", "/watch?name=a", "", 200, `{"result":{"name":"a"}}` + "\n" + `{"result":{"name":"a"}}`},
		{"POST", "/watch", `{"name":"b"}`, 200, `{"result":{"name":"b"}}` + "\n" + `{"result":{"name":"b"}}`},
		{"HEAD", "/custom", "", 501, `{"code":12,"message":"gateway._Custom.Head is not implemented","details":[]}`},
		{"GET", "/none", "", 404, `{"code":5,"message":"Not Found","details":[]}`},
	} {
		request := httptest.NewRequestWithContext(t.Context(), test.method, test.path, strings.NewReader(test.body))
		recorder := httptest.NewRecorder()
		mux.ServeHTTP(recorder, request)
		body, err := io.ReadAll(recorder.Result().Body)
		got := strings.TrimSpace(strings.ReplaceAll(string(body), `, "`, `,"`))
		if err != nil || recorder.Code != test.status || strings.ReplaceAll(got, `": `, `":`) != test.want {
			t.Errorf("%s %s: %d %s, %v; want %d %s", test.method, test.path, recorder.Code, got, err, test.status, test.want)
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
