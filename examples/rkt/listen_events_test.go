package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"

	pb "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/rkt/v1alpha"

	"github.com/skaffoldgen/protoc-gen-skaffold/examples/rkt/store"
)

// listener is a client of ListenEvents.
type listener struct {
	t      *testing.T
	stream grpc.ServerStreamingClient[pb.ListenEventsResponse]
}

// listen returns when the server has accepted the request.
func (f *fixture) listen(ctx context.Context, filter string) *listener {
	f.t.Helper()
	stream, err := f.ListenEvents(ctx, &pb.ListenEventsRequest{Filter: parse(f.t, &pb.EventFilter{}, filter)})
	if err != nil {
		f.t.Fatal(err)
	}
	if _, err := stream.Header(); err != nil {
		f.t.Fatal(err)
	}
	return &listener{f.t, stream}
}

// next is the next event in short.
func (l *listener) next() (string, error) {
	res, err := l.stream.Recv()
	if err != nil {
		return "", err
	}
	var s []string
	for _, e := range res.GetEvents() {
		kind := strings.TrimPrefix(e.GetType().String(), "EVENT_TYPE_")
		s = append(s, fmt.Sprintf("%d %s %s", e.GetTime(), kind, e.GetFrom()))
	}
	return strings.Join(s, ", "), nil
}

// want fails the test unless just these events come next.
func (l *listener) want(events ...string) {
	l.t.Helper()
	for _, want := range events {
		if got, err := l.next(); err != nil || got != want {
			l.t.Fatalf("got %q, %v; want %q", got, err, want)
		}
	}
}

// wantEnd fails the test unless the stream ends well.
func (l *listener) wantEnd() {
	l.t.Helper()
	if got, err := l.next(); !errors.Is(err, io.EOF) {
		l.t.Errorf("got %q, %v; want the end", got, err)
	}
}

func TestListenReplaysAndGoesOn(t *testing.T) {
	f := start(t, images("a"))
	f.load(1001, images("a", "b"))
	l := f.listen(t.Context(), ``)
	f.load(1002, images("b"))
	f.load(1003, images("b", "c", "d"))
	l.want("1001 IMAGE_IMPORTED name/b", "1002 IMAGE_REMOVED name/a",
		"1003 IMAGE_IMPORTED name/c", "1003 IMAGE_IMPORTED name/d")
}

func TestListenSincePast(t *testing.T) {
	f := start(t, images())
	f.load(1001, images("a"))
	f.load(1005, images("a", "b"))
	l := f.listen(t.Context(), `since_time: 1003`)
	f.load(1006, images("a", "b", "c"))
	l.want("1005 IMAGE_IMPORTED name/b", "1006 IMAGE_IMPORTED name/c")
}

// Before the start of the server there is nothing, whatever is asked for.
func TestListenSinceBeforeStart(t *testing.T) {
	f := start(t, images("a", "b"))
	l := f.listen(t.Context(), `since_time: 1`)
	f.load(1001, images("a", "b", "c"))
	l.want("1001 IMAGE_IMPORTED name/c")
}

func TestListenSinceFuture(t *testing.T) {
	f := start(t, images())
	f.load(1001, images("a"))
	l := f.listen(t.Context(), `since_time: 1100`)
	f.load(1099, images("a", "b"))
	f.load(1100, images("a", "b", "c"))
	f.load(1101, images("a", "b", "c", "d"))
	l.want("1101 IMAGE_IMPORTED name/d")
}

func TestListenUntilPast(t *testing.T) {
	f := start(t, images())
	f.load(1001, images("a"))
	f.load(1002, images("a", "b"))
	f.load(1003, images("a", "b", "c"))
	l := f.listen(t.Context(), `until_time: 1003`)
	l.want("1001 IMAGE_IMPORTED name/a", "1002 IMAGE_IMPORTED name/b")
	l.wantEnd()
}

func TestListenUntilNowWithoutEvents(t *testing.T) {
	f := start(t, images("a"))
	f.listen(t.Context(), `until_time: 1000`).wantEnd()
}

func TestListenUntilFuture(t *testing.T) {
	f := start(t, images())
	l := f.listen(t.Context(), `until_time: 1010`)
	<-f.clock.armed
	f.load(1009, images("a"))
	f.clock.ring() // too early
	l.want("1009 IMAGE_IMPORTED name/a")
	// These two come before the listener's timer does: the first is still in
	// time, the second is not.
	f.load(1009, images("a", "b"))
	f.load(1010, images("a", "b", "c"))
	f.clock.ring()
	l.want("1009 IMAGE_IMPORTED name/b")
	l.wantEnd()
}

func TestListenBetween(t *testing.T) {
	f := start(t, images())
	l := f.listen(t.Context(), `since_time: 1005 until_time: 1010`)
	<-f.clock.armed
	f.load(1004, images("a"))
	f.load(1006, images("a", "b"))
	f.load(1010, images("a", "b", "c"))
	f.clock.ring()
	l.want("1006 IMAGE_IMPORTED name/b")
	l.wantEnd()
}

func TestListenImpossibleWindow(t *testing.T) {
	f := start(t, images())
	req := &pb.ListenEventsRequest{Filter: &pb.EventFilter{SinceTime: 10, UntilTime: 10}}
	stream, err := f.ListenEvents(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	_, err = stream.Recv()
	wantCode(t, err, codes.InvalidArgument, "until_time (10) has to be later than since_time (10)")
}

// A pod's life, seen by listeners with a filter for each rule and one without.
func TestListenFiltered(t *testing.T) {
	pod := func(state string) string {
		return fmt.Sprintf(`{"pods": [{"id": %q, "state": "POD_STATE_%s", "apps": [
			{"name": "nginx", "image": {"id": "i"}}, {"name": "etcd", "image": {"id": "i"}}]}],
			"images": [{"id": "i", "name": "coreos.com/etcd"}]}`, podWeb, state)
	}
	f := start(t, `{}`)
	all := []string{
		"1001 IMAGE_IMPORTED coreos.com/etcd", "1001 POD_PREPARED " + podWeb,
		"1002 POD_STARTED " + podWeb, "1002 APP_STARTED nginx", "1002 APP_STARTED etcd",
		"1003 APP_EXITED nginx", "1003 APP_EXITED etcd", "1003 POD_EXITED " + podWeb,
		"1004 POD_GARBAGE_COLLECTED " + podWeb, "1004 IMAGE_REMOVED coreos.com/etcd",
	}
	tests := []struct {
		filter string
		want   []int // of all
	}{
		{``, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}},
		{`types: [EVENT_TYPE_POD_STARTED, EVENT_TYPE_POD_EXITED]`, []int{2, 7}},
		{`ids: "i"`, []int{0, 9}},
		{`ids: "` + podWeb + `"`, []int{1, 2, 3, 4, 5, 6, 7, 8}},
		{`names: ["etcd", "coreos.com/etcd"]`, []int{0, 4, 6, 9}},
		{`ids: "` + podWeb + `" names: "etcd" types: EVENT_TYPE_APP_EXITED`, []int{6}},
		{`since_time: 1002`, []int{5, 6, 7, 8, 9}},
		{`until_time: 1002`, []int{0, 1}},
	}
	var listeners []*listener
	for _, test := range tests {
		listeners = append(listeners, f.listen(t.Context(), test.filter))
	}
	<-f.clock.armed
	f.load(1001, pod("PREPARED"))
	f.load(1002, pod("RUNNING"))
	f.load(1003, pod("EXITED"))
	f.load(1004, `{}`)
	f.clock.ring()
	for i, test := range tests {
		var want []string
		for _, n := range test.want {
			want = append(want, all[n])
		}
		listeners[i].want(want...)
		if strings.Contains(test.filter, "until") {
			listeners[i].wantEnd()
		}
	}
}

// Listeners that come at any time all see each event once, in one order.
func TestListenManyInOrder(t *testing.T) {
	const changes, listeners = 100, 8
	f := start(t, images())
	var wg sync.WaitGroup
	for range listeners {
		wg.Go(func() {
			l := f.listen(t.Context(), ``)
			for i := range changes {
				if got, err := l.next(); err != nil || !strings.HasSuffix(got, fmt.Sprintf("name/i%d", i)) {
					t.Errorf("event %d: %q, %v", i, got, err)
					return
				}
			}
		})
	}
	var ids []string
	for i := range changes {
		ids = append(ids, fmt.Sprintf("i%d", i))
		f.load(1001, images(ids...))
	}
	wg.Wait()
}

// An event's subject can be inspected as soon as the event is there.
func TestListenThenInspect(t *testing.T) {
	f := start(t, images())
	l := f.listen(t.Context(), ``)
	f.load(1001, images("a"))
	l.want("1001 IMAGE_IMPORTED name/a")
	if _, err := f.InspectImage(t.Context(), &pb.InspectImageRequest{Id: "a"}); err != nil {
		t.Error(err)
	}
}

// That the handler ends is what start checks at the end.
func TestListenLeave(t *testing.T) {
	f := start(t, images())
	ctx, cancel := context.WithCancel(t.Context())
	l := f.listen(ctx, `until_time: 5000`)
	<-f.clock.armed
	cancel()
	_, err := l.next()
	wantCode(t, err, codes.Canceled, "")
}

func TestListenShutdown(t *testing.T) {
	f := start(t, images())
	f.load(1001, images("a"))
	l := f.listen(t.Context(), ``)
	if err := f.store.Close(); err != nil {
		t.Fatal(err)
	}
	l.want("1001 IMAGE_IMPORTED name/a")
	_, err := l.next()
	wantCode(t, err, codes.Unavailable, "the server is shutting down")
}

// stalled is a stream whose client takes nothing until release is closed.
type stalled struct{ entered, release chan struct{} }

func (s *stalled) Send(*pb.ListenEventsResponse) error {
	select {
	case <-s.entered:
	default:
		close(s.entered)
	}
	<-s.release
	return nil
}

// A listener that takes nothing holds up nobody, and is told what it missed.
func TestListenTooSlow(t *testing.T) {
	f := start(t, images("first"))
	f.load(1001, images())
	slow := &stalled{make(chan struct{}), make(chan struct{})}
	done := make(chan error)
	go func() { done <- f.server.ListenEvents(t.Context(), &pb.ListenEventsRequest{}, slow) }()
	<-slow.entered
	many := &store.Data{}
	for i := range 70_000 {
		many.Images = append(many.Images, &pb.Image{Id: fmt.Sprint(i)})
	}
	if _, err := f.store.Load(t.Context(), many); err != nil {
		t.Fatal(err)
	}
	close(slow.release)
	wantCode(t, <-done, codes.OutOfRange, "the client fell behind")
}

func TestListenSendFails(t *testing.T) {
	f := start(t, images("a"))
	f.load(1001, images())
	broken := errors.New("broken")
	err := f.server.ListenEvents(t.Context(), &pb.ListenEventsRequest{}, failing[*pb.ListenEventsResponse]{broken})
	if !errors.Is(err, broken) {
		t.Errorf("error %v, want that of the stream", err)
	}
}

// failing is a stream that takes nothing.
type failing[M any] struct{ err error }

func (f failing[M]) Send(M) error { return f.err }
