package serve

import (
	"context"
	"errors"
	"io"
	"net"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/skaffoldgen/protoc-gen-skaffold/eventlog"
)

// following is a service whose stream follows a log.
func following(log *eventlog.Log[*text]) Service {
	return echo{watch: func(ctx context.Context, _ *text, to Sender[*text]) error {
		return Follow(ctx, log.Reader(1), to)
	}}.service()
}

// All readers get all events in order, compressed or not, and over HTTP too,
// and what one gets is not changed by what another does.
func TestFollow(t *testing.T) {
	log := eventlog.New(eventlog.Proto[*text]())
	r := start(t, Config{DefaultRoutes: true}, following(log))
	const n, readers = 500, 4
	want := func(i int) string { return strings.Repeat(strconv.Itoa(i), i*20) } // beyond gRPC's pooled sizes
	results := make(chan error, 2*readers+1)
	read := func(s grpc.ClientStream) error {
		for i := range n {
			if got, err := recv(s); err != nil || got != want(i) {
				return errors.Join(err, errors.New("event "+strconv.Itoa(i)+" is wrong"))
			}
		}
		if _, err := recv(s); !errors.Is(err, io.EOF) {
			return errors.Join(err, errors.New("no end"))
		}
		return nil
	}
	for range readers {
		for _, opts := range [][]grpc.CallOption{nil, {grpc.UseCompressor(gzip.Name)}} {
			s, err := r.conn.NewStream(t.Context(), &grpc.StreamDesc{ServerStreams: true}, watchMethod, opts...)
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(s.SendMsg(&text{}), s.CloseSend()); err != nil {
				t.Fatal(err)
			}
			go func() { results <- read(s) }()
		}
	}
	for i := range n {
		if _, err := log.Append(wrapperspb.String(want(i))); err != nil {
			t.Fatal(err)
		}
	}
	log.Close()
	_, body := r.do("POST", watchMethod, "")
	if lines := strings.Count(body, "\n"); lines != n || !strings.HasSuffix(body, want(n-1)+"\"}\n") {
		t.Errorf("HTTP: %d lines", lines)
	}
	for range 2 * readers {
		if err := <-results; err != nil {
			t.Error(err)
		}
	}
}

func TestFollowEncodesOnce(t *testing.T) {
	log := eventlog.New(eventlog.Proto[*text]())
	var sent, wrapped atomic.Int64
	var data [3]*byte
	r := start(t, Config{
		StreamInterceptors: []grpc.StreamServerInterceptor{
			func(srv any, s grpc.ServerStream, _ *grpc.StreamServerInfo, h grpc.StreamHandler) error {
				return h(srv, &spyStream{s, func(m any) {
					if m.(proto.Message).ProtoReflect().Descriptor().FullName() != "google.protobuf.StringValue" {
						t.Errorf("interceptors see %T", m)
					}
					if e, ok := m.(*encoded); ok {
						data[wrapped.Add(1)-1] = &e.data[0]
					}
					sent.Add(1)
				}})
			},
		},
	}, following(log))
	log.Append(wrapperspb.String("x"))
	log.Close()
	for range 3 {
		s := r.watch(t.Context(), "")
		if got, err := recv(s); err != nil || got != "x" {
			t.Fatalf("%q, %v", got, err)
		}
		recv(s)
	}
	if sent.Load() != 3 || wrapped.Load() != 3 || data[0] != data[1] || data[1] != data[2] {
		t.Errorf("%d messages sent, %d of them encoded before, at %v", sent.Load(), wrapped.Load(), data)
	}
}

// What was encoded goes out as it is, in a slice of each caller's own.
func TestCodec(t *testing.T) {
	e, err := encode(wrapperspb.String("x"))
	if err != nil {
		t.Fatal(err)
	}
	first, err1 := newCodec().Marshal(e)
	second, err2 := newCodec().Marshal(e)
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	if &first[0].ReadOnlyData()[0] != &e.data[0] {
		t.Error("encoded again")
	}
	if &first[0] == &second[0] {
		t.Error("slices of buffers are shared")
	}
	first.Free()
	var m text
	if err := newCodec().Unmarshal(second, &m); err != nil || m.Value != "x" {
		t.Errorf("%v, %v", &m, err)
	}
}

type spyStream struct {
	grpc.ServerStream
	see func(any)
}

func (s *spyStream) SendMsg(m any) error {
	s.see(m)
	return s.ServerStream.SendMsg(m)
}

// plainSender is no stream of a server.
type plainSender struct {
	got []string
	err error
}

func (s *plainSender) Send(m *text) error {
	s.got = append(s.got, m.Value)
	return s.err
}

func TestFollowElsewhere(t *testing.T) {
	log := eventlog.New(eventlog.Proto[*text]())
	log.Append(wrapperspb.String("x"))
	log.Close()
	to := &plainSender{}
	if err := Follow(t.Context(), log.Reader(1), to); err != nil || len(to.got) != 1 {
		t.Errorf("%q, %v", to.got, err)
	}
	to.err = errors.New("gone")
	if err := Follow(t.Context(), log.Reader(1), to); !errors.Is(err, to.err) {
		t.Errorf("error of Send: %v", err)
	}

	// A gRPC server that is not of this package, with its own codec.
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	g := grpc.NewServer()
	following(log).Register(g)
	go g.Serve(l)
	defer g.Stop()
	conn, err := grpc.NewClient(l.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	s := (&running{t: t, conn: conn}).watch(t.Context(), "")
	if got, err := recv(s); err != nil || got != "x" {
		t.Errorf("%q, %v", got, err)
	}
}

// soleSender fails the test if Send is called while it runs.
type soleSender struct {
	t    *testing.T
	busy atomic.Bool
	n    int
}

func (s *soleSender) Send(*text) error { return s.alone(func() error { return nil }) }

func (s *soleSender) alone(send func() error) error {
	if s.busy.Swap(true) {
		s.t.Error("two sends to one stream at a time")
	}
	defer s.busy.Store(false)
	runtime.Gosched() // others have their chance
	s.n++
	return send()
}

// soleStream does so for SendMsg.
type soleStream struct {
	grpc.ServerStream
	soleSender
}

func (s *soleStream) SendMsg(m any) error {
	return s.alone(func() error { return s.ServerStream.SendMsg(m) })
}

// However many append, and whatever is encoded for others, sends to one stream
// never overlap.
func TestFollowSendsOneByOne(t *testing.T) {
	follow := map[string]func(*eventlog.Log[*text], Sender[*text]) error{
		"Follow": func(log *eventlog.Log[*text], to Sender[*text]) error {
			return Follow(t.Context(), log.Reader(1), to)
		},
		"FollowFunc": func(log *eventlog.Log[*text], to Sender[*text]) error {
			return FollowFunc(t.Context(), log.Reader(1), to,
				func(rec *eventlog.Record[*text]) (*text, error) { return rec.Event, nil })
		},
	}
	const writers, each, streams = 4, 250, 3
	for name, follow := range follow {
		t.Run(name, func(t *testing.T) {
			log := eventlog.New(eventlog.Proto[*text]())
			var reading, writing sync.WaitGroup
			for range streams {
				reading.Go(func() {
					to := &soleSender{t: t}
					if err := follow(log, to); err != nil || to.n != writers*each {
						t.Errorf("%d messages, %v", to.n, err)
					}
				})
			}
			for range writers {
				writing.Go(func() {
					for range each {
						if _, err := log.Append(wrapperspb.String("x")); err != nil {
							t.Error(err)
						}
					}
				})
			}
			writing.Wait()
			log.Close()
			reading.Wait()
		})
	}
}

// Nor do those that go over gRPC, where a stream sends what was encoded once.
func TestFollowSendsOneByOneOverGRPC(t *testing.T) {
	log := eventlog.New(eventlog.Proto[*text]())
	r := start(t, Config{StreamInterceptors: []grpc.StreamServerInterceptor{
		func(srv any, s grpc.ServerStream, _ *grpc.StreamServerInfo, h grpc.StreamHandler) error {
			return h(srv, &soleStream{s, soleSender{t: t}})
		},
	}}, following(log))
	streams := []grpc.ClientStream{r.watch(t.Context(), ""), r.watch(t.Context(), "")}
	const n = 300
	var writing sync.WaitGroup
	for range 3 {
		writing.Go(func() {
			for range n / 3 {
				log.Append(wrapperspb.String("x"))
			}
		})
	}
	for _, s := range streams {
		for range n {
			if _, err := recv(s); err != nil {
				t.Fatal(err)
			}
		}
	}
	writing.Wait()
	log.Close()
}

// A record whose Once serves another purpose is sent as it is.
func TestFollowOnceTaken(t *testing.T) {
	log := eventlog.New(eventlog.Proto[*text]())
	log.Append(wrapperspb.String("x"))
	rec, err := log.Reader(1).Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	rec.Once(func(*text) (any, error) { return "something else", nil })
	log.Close()
	r := start(t, Config{}, following(log))
	if got, err := recv(r.watch(t.Context(), "")); err != nil || got != "x" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestFollowErrors(t *testing.T) {
	trimmed := eventlog.New(eventlog.Proto[*text]())
	for range 3 {
		trimmed.Append(&text{})
	}
	trimmed.Trim(3)
	live := eventlog.New(eventlog.Proto[*text]())
	invalid := eventlog.New(eventlog.Config[*text]{})
	invalid.Append(wrapperspb.String("\xff"))

	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	late, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	ending, end := context.WithCancelCause(t.Context())
	end(ErrShutdown)
	reason, end := context.WithCancelCause(t.Context())
	end(errors.New("the moon is full"))
	for _, tt := range []struct {
		name string
		ctx  context.Context
		log  *eventlog.Log[*text]
		code codes.Code
		text string
	}{
		{"trimmed", t.Context(), trimmed, codes.OutOfRange, "event 1 is no longer kept: the oldest is 3"},
		{"cancelled", cancelled, live, codes.Canceled, "context canceled"},
		{"late", late, live, codes.DeadlineExceeded, "deadline exceeded"},
		{"shutdown", ending, live, codes.Unavailable, "server is shutting down"},
		{"another cause", reason, live, codes.Canceled, "the moon is full"},
	} {
		err := Follow(tt.ctx, tt.log.Reader(1), &plainSender{})
		if st := status.Convert(err); st.Code() != tt.code || !strings.Contains(st.Message(), tt.text) {
			t.Errorf("%s: %v, want %v with %q", tt.name, err, tt.code, tt.text)
		}
	}
	r := start(t, Config{}, following(invalid))
	_, err := recv(r.watch(t.Context(), ""))
	wantStatus(t, err, codes.Internal, "event 1: ")
}

func TestFollowFunc(t *testing.T) {
	log := eventlog.New(eventlog.Config[int]{})
	log.Append(7)
	log.Append(8)
	log.Close()
	to := &plainSender{}
	err := FollowFunc(t.Context(), log.Reader(1), to, func(rec *eventlog.Record[int]) (*text, error) {
		return wrapperspb.String(strconv.Itoa(int(rec.Seq)) + ":" + strconv.Itoa(rec.Event)), nil
	})
	if got := strings.Join(to.got, " "); err != nil || got != "1:7 2:8" {
		t.Errorf("%s, %v", got, err)
	}
	failed := errors.New("failed")
	err = FollowFunc(t.Context(), log.Reader(1), to, func(*eventlog.Record[int]) (*text, error) { return nil, failed })
	if !errors.Is(err, failed) {
		t.Errorf("error of the function: %v", err)
	}
}
