package serve

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"strconv"
	"sync"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/test/bufconn"
	"google.golang.org/protobuf/types/known/timestamppb"

	v2 "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v2"

	"github.com/skaffoldgen/protoc-gen-skaffold/eventlog"
)

// BenchmarkFanOut sends one event after the other to many streams, over
// connections in memory, whose clients do not decode. One operation is one event
// to all streams.
func BenchmarkFanOut(b *testing.B) {
	for _, subscribers := range []int{1, 100} {
		for _, way := range []struct {
			name string
			send func(context.Context, *eventlog.Reader[*v2.Event], Sender[*v2.Event]) error
		}{
			{"Follow", Follow[*v2.Event]},
			{"Send", sendEach},
		} {
			b.Run(strconv.Itoa(subscribers)+"/"+way.name, func(b *testing.B) { benchmarkFanOut(b, subscribers, way.send) })
		}
	}
}

// sendEach is what Follow does without encoding once.
func sendEach(ctx context.Context, r *eventlog.Reader[*v2.Event], to Sender[*v2.Event]) error {
	for {
		rec, err := r.Next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := to.Send(rec.Event); err != nil {
			return err
		}
	}
}

func benchmarkFanOut(
	b *testing.B, subscribers int, send func(context.Context, *eventlog.Reader[*v2.Event], Sender[*v2.Event]) error,
) {
	log := eventlog.New(eventlog.Config[*v2.Event]{MaxEvents: b.N + 1, MaxBytes: 1 << 40})
	s, err := New(Config{Logger: slog.New(slog.DiscardHandler)}, Service{Desc: &grpc.ServiceDesc{
		ServiceName: "bench.Events", HandlerType: (*any)(nil),
		Streams: []grpc.StreamDesc{ServerStream("/bench.Events/Watch",
			func(ctx context.Context, _ *v2.Event, to Sender[*v2.Event]) error {
				return send(ctx, log.Reader(1), to)
			})},
	}})
	if err != nil {
		b.Fatal(err)
	}
	g, err := s.newGRPC(true)
	if err != nil {
		b.Fatal(err)
	}
	pipe := bufconn.Listen(1 << 20)
	go g.Serve(pipe)
	defer g.Stop()

	var ready, done sync.WaitGroup
	for range subscribers {
		conn, err := grpc.NewClient("passthrough:///x", grpc.WithTransportCredentials(insecure.NewCredentials()),
			grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return pipe.DialContext(ctx) }),
			grpc.WithDefaultCallOptions(grpc.ForceCodecV2(discard{newCodec()})))
		if err != nil {
			b.Fatal(err)
		}
		defer conn.Close()
		stream, err := conn.NewStream(b.Context(), &grpc.StreamDesc{ServerStreams: true}, "/bench.Events/Watch")
		if err != nil {
			b.Fatal(err)
		}
		if err := errors.Join(stream.SendMsg(&v2.Event{}), stream.CloseSend()); err != nil {
			b.Fatal(err)
		}
		ready.Add(1)
		done.Go(func() {
			for i := range b.N + 1 {
				if err := stream.RecvMsg(nil); err != nil {
					b.Errorf("event %d: %v", i, err)
				}
				if i == 0 {
					ready.Done()
				}
			}
		})
	}
	event := func() *v2.Event {
		return &v2.Event{
			Timestamp: timestamppb.Now(),
			EventType: &v2.Event_BuildSubtaskEvent{BuildSubtaskEvent: &v2.BuildSubtaskEvent{
				Id: "12", TaskId: "Build-0", Artifact: "registry.example/application/frontend",
				Status: "InProgress", Step: "Push",
			}},
		}
	}
	log.Append(event())
	ready.Wait()
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		log.Append(event())
	}
	done.Wait()
}

// discard is a codec that does not decode, so that what servers do is measured.
type discard struct{ codec }

func (discard) Unmarshal(mem.BufferSlice, any) error { return nil }
