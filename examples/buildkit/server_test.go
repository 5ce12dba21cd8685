package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/skaffoldgen/protoc-gen-skaffold/examples/buildkit/internal/builds"
	"github.com/skaffoldgen/protoc-gen-skaffold/examples/buildkit/internal/description"
	control "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/buildkit/control"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const described = `{
	"buildkitVersion": {"package": "p", "version": "v1", "revision": "r"},
	"workers": [
		{"ID": "w1", "Labels": {"executor": "oci", "com.example/os": "linux"}},
		{"ID": "w2", "Labels": {"executor": "containerd"}}
	],
	"cache": [
		{"ID": "a", "Size": "10"},
		{"ID": "b", "Size": "20", "Parents": ["a"]},
		{"ID": "c", "Size": "30", "RecordType": "frontend"}
	],
	"builds": [
		{"record": {"Ref": "done"}, "steps": [{"name": "x", "took": "1s", "log": "1\n2\n"}]},
		{"record": {"Ref": "live"}, "steps": [{"name": "x", "took": "10s"}], "startAfter": "5s"}
	]
}`

// newServer makes a server of the description above. Its live build runs until
// the test ends.
func newServer(t *testing.T) *Server {
	t.Helper()
	d, err := description.Load(strings.NewReader(described))
	if err != nil {
		t.Fatal(err)
	}
	history := builds.New(builds.Config{MaxEntries: 10, MaxAge: time.Hour})
	s, err := NewServer(d, history, 6*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	b, err := newBuilder(d, history, false, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.start(context.Background()))
	return s
}

// stream is the server's side of a call: it has what was sent, in order, with
// the time of it.
type stream[M proto.Message] struct {
	start time.Time
	sent  []string
	show  func(M) string
	after func(sent int) error // called after each message; nil: nothing
}

func newStream[M proto.Message](show func(M) string) *stream[M] {
	return &stream[M]{start: time.Now(), show: show}
}

func (s *stream[M]) add(what string) { s.sent = append(s.sent, time.Since(s.start).String()+" "+what) }

func (s *stream[M]) Send(m M) error {
	s.add(s.show(m))
	if s.after != nil {
		return s.after(len(s.sent))
	}
	return nil
}

func (s *stream[M]) Method() string { return "" }

func (s *stream[M]) SetHeader(md metadata.MD) error { return s.SendHeader(md) }

func (s *stream[M]) SendHeader(md metadata.MD) error {
	for name, values := range md {
		_, err := time.Parse(time.RFC3339Nano, values[0])
		s.add(fmt.Sprint(name, " ", err))
	}
	return nil
}

func (s *stream[M]) SetTrailer(metadata.MD) error { return nil }

func (s *stream[M]) context(ctx context.Context) context.Context {
	return grpc.NewContextWithServerTransportStream(ctx, s)
}

func (s *stream[M]) check(t *testing.T, want ...string) {
	t.Helper()
	if !slices.Equal(s.sent, want) {
		t.Errorf("sent was\n%s\nwant\n%s", strings.Join(s.sent, "\n"), strings.Join(want, "\n"))
	}
}

const header = "0s buildkit-current-timestamp <nil>"

func showEvent(e *control.BuildHistoryEvent) string {
	return e.GetType().String() + " " + e.GetRecord().GetRef()
}

func showStatus(s *control.StatusResponse) string {
	return fmt.Sprintf("%d vertexes, %d logs", len(s.GetVertexes()), len(s.GetLogs()))
}

func TestUnary(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t)
		info, err := s.Info(t.Context(), nil)
		if err != nil || info.GetBuildkitVersion().GetVersion() != "v1" {
			t.Errorf("the info is %v, %v", info, err)
		}
		for _, test := range []struct {
			filter []string
			want   string
		}{
			{nil, "w1 w2"},
			{[]string{"id==w2"}, "w2"},
			{[]string{"labels.executor==oci"}, "w1"},
			{[]string{`labels."com.example/os"`}, "w1"},
			{[]string{"labels.executor!=oci", "id==w1"}, "w1 w2"},
			{[]string{"executor==oci"}, ""},
		} {
			res, err := s.ListWorkers(t.Context(), &control.ListWorkersRequest{Filter: test.filter})
			var got []string
			for _, w := range res.GetRecord() {
				got = append(got, w.GetID())
			}
			if strings.Join(got, " ") != test.want || err != nil {
				t.Errorf("the workers of %q are %q, %v; want %s", test.filter, got, err, test.want)
			}
		}
		usage, err := s.DiskUsage(t.Context(), &control.DiskUsageRequest{Filter: []string{"type==frontend"}})
		if err != nil || len(usage.GetRecord()) != 1 || usage.GetRecord()[0].GetCreatedAt() == nil {
			t.Errorf("the usage is %v, %v", usage, err)
		}
	})
}

func TestPrune(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t)
		removed := newStream(func(u *control.UsageRecord) string { return u.GetID() })
		if err := s.Prune(t.Context(), &control.PruneRequest{KeepBytes: 35}, removed); err != nil {
			t.Fatal(err)
		}
		removed.check(t, "0s b", "0s a")
		if err := s.Prune(t.Context(), &control.PruneRequest{All: true}, removed); err != nil {
			t.Fatal(err)
		}
		removed.check(t, "0s b", "0s a", "0s c")
	})
}

func TestStatus(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t)
		done := newStream(showStatus)
		if err := s.Status(done.context(t.Context()), &control.StatusRequest{Ref: "done"}, done); err != nil {
			t.Fatal(err)
		}
		done.check(t, header, "0s 2 vertexes, 0 logs", "0s 0 vertexes, 1 logs", "0s 0 vertexes, 1 logs",
			"0s 1 vertexes, 0 logs")

		live := newStream(showStatus)
		if err := s.Status(live.context(t.Context()), &control.StatusRequest{Ref: "live"}, live); err != nil {
			t.Fatal(err)
		}
		live.check(t, header, "5s 2 vertexes, 0 logs", "15s 1 vertexes, 0 logs")

		none := newStream(showStatus)
		err := s.Status(none.context(t.Context()), &control.StatusRequest{Ref: "none"}, none)
		if want := "no such job none; ListenBuildHistory tells"; status.Code(err) != codes.NotFound ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want %s", err, want)
		}
		none.check(t, header)
		if waited := time.Since(none.start); waited != 6*time.Second {
			t.Errorf("it waited %v", waited)
		}
	})
}

func TestListenBuildHistory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t)
		early := newStream(showEvent)
		req := &control.BuildHistoryRequest{EarlyExit: true}
		if err := s.ListenBuildHistory(early.context(t.Context()), req, early); err != nil {
			t.Fatal(err)
		}
		early.check(t, header, "0s COMPLETE done")

		// The client changes things when it hears of others, and goes in the end.
		ctx, cancel := context.WithCancel(t.Context())
		live := newStream(showEvent)
		live.after = func(sent int) error {
			switch sent {
			case 4: // live is complete
				return call(s.UpdateBuildHistory(ctx, &control.UpdateBuildHistoryRequest{Ref: "live", Pinned: true}))
			case 5:
				return errors.Join(
					call(s.UpdateBuildHistory(ctx, &control.UpdateBuildHistoryRequest{Ref: "live", Finalize: true})),
					call(s.UpdateBuildHistory(ctx, &control.UpdateBuildHistoryRequest{Ref: "live", Delete: true})))
			case 6:
				cancel()
			}
			return nil
		}
		err := s.ListenBuildHistory(live.context(ctx), &control.BuildHistoryRequest{}, live)
		if status.Code(err) != codes.Canceled {
			t.Errorf("the error is %v, want CANCELLED", err)
		}
		live.check(t, header, "0s COMPLETE done", "5s STARTED live", "15s COMPLETE live", "15s COMPLETE live",
			"15s DELETED live")

		gone := newStream(showEvent)
		gone.after = func(int) error { return context.Canceled }
		if err := s.ListenBuildHistory(gone.context(t.Context()), &control.BuildHistoryRequest{}, gone); err == nil {
			t.Error("no error though sending failed")
		}
	})
}

// call is the error of a call.
func call[R any](_ R, err error) error { return err }

// TestErrors makes bad requests, empty ones among them.
func TestErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t)
		time.Sleep(6 * time.Second) // live runs
		ctx := t.Context()
		removed := newStream(func(u *control.UsageRecord) string { return u.GetID() })
		update := func(req *control.UpdateBuildHistoryRequest) error { return call(s.UpdateBuildHistory(ctx, req)) }
		for _, test := range []struct {
			err  error
			code codes.Code
			want string
		}{
			{call(s.ListWorkers(ctx, &control.ListWorkersRequest{Filter: []string{"id="}})), codes.InvalidArgument,
				`filter "id=", at byte 2`},
			{call(s.DiskUsage(ctx, &control.DiskUsageRequest{Filter: []string{"id~=("}})), codes.InvalidArgument,
				"missing closing )"},
			{s.Prune(ctx, &control.PruneRequest{Filter: []string{","}}, removed), codes.InvalidArgument, "field"},
			{s.Prune(ctx, &control.PruneRequest{KeepBytes: -1}, removed), codes.InvalidArgument, "negative"},
			{s.Prune(ctx, &control.PruneRequest{KeepDuration: -1}, removed), codes.InvalidArgument, "negative"},
			{s.Status(ctx, nil, nil), codes.InvalidArgument, "the Ref has 0 bytes"},
			{update(nil), codes.InvalidArgument, "the Ref has 0 bytes"},
			{update(&control.UpdateBuildHistoryRequest{Delete: true}), codes.InvalidArgument, "the Ref has 0 bytes"},
			{update(&control.UpdateBuildHistoryRequest{Ref: strings.Repeat("x", 1025)}), codes.InvalidArgument,
				"the Ref has 1025 bytes"},
			{update(&control.UpdateBuildHistoryRequest{Ref: "x"}), codes.NotFound, "no such job x;"},
			{update(&control.UpdateBuildHistoryRequest{Ref: "x", Delete: true}), codes.NotFound, "no such job x;"},
			{update(&control.UpdateBuildHistoryRequest{Ref: "x", Finalize: true}), codes.NotFound, "no such job x;"},
			{update(&control.UpdateBuildHistoryRequest{Ref: "live"}), codes.FailedPrecondition, "wait for its COMPLETE"},
			{call(s.Solve(ctx, nil)), codes.Unimplemented, "Control.Solve is not implemented"},
			{s.Session(ctx, nil, nil), codes.Unimplemented, "Control.Session is not implemented"},
		} {
			if status.Code(test.err) != test.code || !strings.Contains(fmt.Sprint(test.err), test.want) {
				t.Errorf("the error is %v, want %v, %s", test.err, test.code, test.want)
			}
		}
		removed.check(t)
		for _, err := range []error{call(s.Info(ctx, nil)), call(s.ListWorkers(ctx, nil)), call(s.DiskUsage(ctx, nil)),
			s.Prune(ctx, nil, removed)} {
			if err != nil {
				t.Errorf("an empty request: %v", err)
			}
		}
	})
}
