package serve_test

import (
	"bufio"
	"context"
	"fmt"
	"log"
	"log/slog"
	"net/http"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/skaffoldgen/protoc-gen-skaffold/eventlog"
	"github.com/skaffoldgen/protoc-gen-skaffold/serve"
)

// greeter is what a generated kit makes of an implementation.
func greeter() serve.Service {
	return serve.Service{Desc: &grpc.ServiceDesc{
		ServiceName: "example.Greeter",
		HandlerType: (*any)(nil),
		Methods: []grpc.MethodDesc{
			serve.Unary("/example.Greeter/Greet",
				func(_ context.Context, name *wrapperspb.StringValue) (*wrapperspb.StringValue, error) {
					return wrapperspb.String("Hello, " + name.GetValue() + "!"), nil
				}),
		},
	}}
}

// Run serves until its context ends. The configuration often comes from flags:
// see Config.AddFlags.
func ExampleRun() {
	ctx, cancel := context.WithCancel(context.Background())
	cancel() // a program would wait for a signal, or use Main
	err := serve.Run(ctx, serve.Config{
		GRPC:   []string{"127.0.0.1:0", ":0"},
		Logger: slog.New(slog.DiscardHandler),
	}, greeter())
	fmt.Println(err)
	// Output: <nil>
}

// All that is wrong with a configuration is told at once.
func ExampleNew_errors() {
	_, err := serve.New(serve.Config{
		GRPC:   []string{"unix://run/greeter.sock"},
		TLSKey: "server.key",
	}, greeter())
	fmt.Println(err)
	// Output:
	// serve: Config.GRPC: "unix://run/greeter.sock" has no absolute path: want unix:///path
	// serve: Config.TLSCert and Config.TLSKey: one is set without the other
}

// Server is for tests, and for those who want to know which ports were free.
func ExampleServer() {
	s, err := serve.New(serve.Config{
		HTTP:   []string{":0"}, // a free port of 127.0.0.1
		Logger: slog.New(slog.DiscardHandler),
	}, greeter())
	if err != nil {
		log.Fatal(err)
	}
	if err := s.Listen(); err != nil {
		log.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- s.Serve(ctx) }()

	res, err := http.Get("http://" + s.HTTPAddrs()[0].String() + "/readyz")
	if err != nil {
		log.Fatal(err)
	}
	defer res.Body.Close()
	line, _ := bufio.NewReader(res.Body).ReadString('\n')
	fmt.Print(res.Status, " ", line)

	http.DefaultClient.CloseIdleConnections()
	cancel()
	fmt.Println(<-done)
	// Output:
	// 200 OK ready
	// <nil>
}

// A stream that follows a log is one line. Closing the log at shutdown lets
// readers take what is left, and ends their streams well.
func ExampleFollow() {
	events := eventlog.New(eventlog.Proto[*wrapperspb.StringValue]())
	watch := func(
		ctx context.Context, _ *wrapperspb.StringValue, to serve.Sender[*wrapperspb.StringValue],
	) error {
		return serve.Follow(ctx, events.Reader(1), to)
	}
	cfg := serve.Config{
		OnShutdown: []func(context.Context) error{func(context.Context) error { return events.Close() }},
	}
	service := serve.Service{Desc: &grpc.ServiceDesc{
		ServiceName: "example.Events",
		HandlerType: (*any)(nil),
		Streams:     []grpc.StreamDesc{serve.ServerStream("/example.Events/Watch", watch)},
	}}
	fmt.Println(service.Name(), len(cfg.OnShutdown))
	// Output: example.Events 1
}
