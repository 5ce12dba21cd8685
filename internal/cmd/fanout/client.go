package main

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/encoding/protowire"
)

// measure starts the server, loads it and prints the figures.
func (l load) measure(ctx context.Context) error {
	server, err := l.start(ctx)
	if err != nil {
		return err
	}
	defer server.stop()
	var first report
	if err := server.reports.Decode(&first); err != nil {
		return fmt.Errorf("the server has not started: %w", err)
	}
	streams, err := l.subscribe(ctx, first.Address)
	if err != nil {
		return err
	}
	start := time.Now()
	if _, err := io.WriteString(server.commands, "append\n"); err != nil {
		return err
	}
	if err := l.receive(streams); err != nil {
		return err
	}
	elapsed := time.Since(start)
	if _, err := io.WriteString(server.commands, "report\n"); err != nil {
		return err
	}
	var figures report
	if err := server.reports.Decode(&figures); err != nil {
		return err
	}
	return l.print(figures, elapsed)
}

// server is the process under load.
type server struct {
	cmd      *exec.Cmd
	commands io.WriteCloser
	reports  *json.Decoder
}

func (l load) start(ctx context.Context) (*server, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, self, "-server", "-subscribers", strconv.Itoa(l.subscribers),
		"-stalled", strconv.Itoa(l.stalled), "-events", strconv.Itoa(l.events), "-size", strconv.Itoa(l.size))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &server{cmd, in, json.NewDecoder(out)}, cmd.Start()
}

func (s *server) stop() {
	_ = s.commands.Close()
	_ = s.cmd.Wait()
}

// subscribe opens the streams: those that stall first, over a connection each,
// since they would hold up others that share one.
func (l load) subscribe(ctx context.Context, address string) (healthy []grpc.ClientStream, err error) {
	var conns []*grpc.ClientConn
	for i := range l.subscribers {
		if i < l.stalled || len(conns) < l.connections {
			conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()),
				grpc.WithDefaultCallOptions(grpc.ForceCodecV2(numbers{})))
			if err != nil {
				return nil, err
			}
			if i < l.stalled {
				_, err := open(ctx, conn)
				if err != nil {
					return nil, err
				}
				continue
			}
			conns = append(conns, conn)
		}
		stream, err := open(ctx, conns[i%len(conns)])
		if err != nil {
			return nil, err
		}
		healthy = append(healthy, stream)
	}
	return healthy, nil
}

func open(ctx context.Context, conn *grpc.ClientConn) (grpc.ClientStream, error) {
	stream, err := conn.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true}, method)
	if err != nil {
		return nil, err
	}
	return stream, errors.Join(stream.SendMsg(nil), stream.CloseSend())
}

// receive takes all events from each stream and checks their order.
func (l load) receive(streams []grpc.ClientStream) error {
	errs := make([]error, len(streams))
	var wg sync.WaitGroup
	for i, stream := range streams {
		wg.Go(func() {
			for want := range uint64(l.events) {
				var got uint64
				if err := stream.RecvMsg(&got); err != nil {
					errs[i] = fmt.Errorf("subscriber %d, after %d events: %w", i, want, err)
					return
				}
				if got != want+1 {
					errs[i] = fmt.Errorf("subscriber %d got event %d, and not %d", i, got, want+1)
					return
				}
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

func (l load) print(r report, elapsed time.Duration) error {
	healthy := l.subscribers - l.stalled
	delivered := float64(healthy) * float64(l.events)
	bound := l.bound()
	fmt.Printf("subscribers        %d, of which %d read nothing\n", l.subscribers, l.stalled)
	fmt.Printf("events             %d of %d bytes\n", l.events, l.size)
	fmt.Printf("received in order  by all %d that read, %.0f events\n", healthy, delivered)
	fmt.Printf("append             %.2f µs an event\n", r.Append.Seconds()*1e6/float64(l.events))
	fmt.Printf("delivery           %.2f s, %.2f µs an event and subscriber\n", elapsed.Seconds(), elapsed.Seconds()*1e6/delivered)
	if r.Peak == 0 {
		fmt.Println("memory             unknown: the system does not tell")
		return nil
	}
	fmt.Printf("peak memory        %d MiB of the server; bound %d MiB\n", r.Peak>>20, bound>>20)
	if r.Peak > bound {
		return errors.New("the server has taken more memory than the bound")
	}
	return nil
}

// bound is the most memory that the server is to take: what the log and the
// streams hold, twice, since Go's collector lets garbage become as much as what
// lives, and what a process needs anyway.
func (l load) bound() int64 {
	const (
		process = 64 << 20
		// An event is kept as a message and, with that, as its encoding.
		perEvent = 512
		// gRPC lets 64 KiB wait for the client of a stream. As much again is for
		// goroutines, buffers and the connection.
		perStream = 128 << 10
	)
	return 2*(int64(l.events)*int64(2*l.size+perEvent)+int64(l.subscribers)*perStream) + process
}

// numbers is a codec that sends empty messages and reads the number that an event
// begins with, so that the clients cost little.
type numbers struct{}

func (numbers) Name() string { return "proto" }

func (numbers) Marshal(any) (mem.BufferSlice, error) { return nil, nil }

func (numbers) Unmarshal(data mem.BufferSlice, v any) error {
	b := data.MaterializeToBuffer(mem.DefaultBufferPool())
	defer b.Free()
	_, _, n := protowire.ConsumeTag(b.ReadOnlyData())
	value, m := protowire.ConsumeBytes(b.ReadOnlyData()[max(n, 0):])
	if n < 0 || m < 0 || len(value) < 8 {
		return errors.New("this is no event")
	}
	*v.(*uint64) = binary.BigEndian.Uint64(value)
	return nil
}
