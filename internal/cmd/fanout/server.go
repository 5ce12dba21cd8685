package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/skaffoldgen/protoc-gen-skaffold/eventlog"
	"github.com/skaffoldgen/protoc-gen-skaffold/serve"
)

// method is the full name of the RPC that streams the log.
const method = "/fanout.Events/Watch"

// report is what the server tells its parent, a line of JSON each: first the
// address, then the figures.
type report struct {
	Address string
	// Append is how long the appends took.
	Append time.Duration
	// Peak is the most memory that the process has had, in bytes; 0 where the
	// system does not say.
	Peak int64
}

// serve is the server. It appends when its standard input has a line, reports at
// the next one, and ends with the input.
func (l load) serve(ctx context.Context) error {
	debug.SetMemoryLimit(l.bound()) // near it, garbage is collected sooner
	log := eventlog.New(eventlog.Config[*wrapperspb.BytesValue]{MaxEvents: l.events, MaxBytes: -1})
	watch := func(ctx context.Context, _ *emptypb.Empty, to serve.Sender[*wrapperspb.BytesValue]) error {
		return serve.Follow(ctx, log.Reader(1), to)
	}
	srv, err := serve.New(serve.Config{
		Logger:      slog.New(slog.DiscardHandler),
		StreamGrace: -1,
	}, serve.Service{Desc: &grpc.ServiceDesc{
		ServiceName: "fanout.Events",
		HandlerType: (*any)(nil),
		Streams:     []grpc.StreamDesc{serve.ServerStream(method, watch)},
	}})
	if err != nil {
		return err
	}
	if err := srv.Listen(); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- srv.Serve(ctx) }()
	out, in := json.NewEncoder(os.Stdout), bufio.NewReader(os.Stdin)
	r := report{Address: srv.GRPCAddrs()[0].String()}
	if err := out.Encode(r); err != nil {
		return err
	}
	if _, err := in.ReadString('\n'); err != nil {
		return err
	}
	start := time.Now()
	for i := range l.events {
		value := make([]byte, l.size)
		binary.BigEndian.PutUint64(value, uint64(i+1))
		if _, err := log.Append(wrapperspb.Bytes(value)); err != nil {
			return err
		}
	}
	r.Append = time.Since(start)
	if _, err := in.ReadString('\n'); err != nil {
		return err
	}
	r.Peak = peakMemory()
	if err := out.Encode(r); err != nil {
		return err
	}
	_, _ = io.Copy(io.Discard, in)
	cancel()
	return <-ended
}

// peakMemory is the peak of the process's resident memory, as Linux tells it.
func peakMemory() int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		var kib int64
		if n, _ := fmt.Sscanf(line, "VmHWM: %d kB", &kib); n == 1 {
			return kib << 10
		}
	}
	return 0
}
