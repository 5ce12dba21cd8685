package session_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/skaffoldgen/protoc-gen-skaffold/eventlog"
	"github.com/skaffoldgen/protoc-gen-skaffold/examples/skaffold/project"
	"github.com/skaffoldgen/protoc-gen-skaffold/examples/skaffold/session"
	v2 "github.com/skaffoldgen/protoc-gen-skaffold/examples/skaffold/v2"
	pb "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v2"
	kit "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v2/skaffoldv2kit"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func now() time.Time { return time.Date(2021, 2, 3, 4, 5, 6, 0, time.UTC) }

func open(t *testing.T, journal string, p project.Project) (*v2.Session, *eventlog.Recovery) {
	t.Helper()
	s, recovery, err := v2.NewSession(session.Journal{Path: journal}, p, now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s, recovery
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// check is must for goroutines other than the test's.
func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}

func port(n int) *pb.Event { return kit.NewPortEvent(&pb.PortForwardEvent{LocalPort: int32(n)}) }

func artifact(name string) *pb.Event {
	return kit.NewBuildSubtaskEvent(&pb.BuildSubtaskEvent{Artifact: name, Step: "Build", Status: "Succeeded"})
}

// What a reset changes and what events change at the same time does not get lost.
func TestDefect13ConcurrentResets(t *testing.T) {
	const writers, each = 8, 200
	s, _ := open(t, "", project.Project{})
	done := make(chan struct{})
	var resets, events sync.WaitGroup
	for range 2 {
		resets.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				check(t, s.Reset(session.ResetDeploy))
				// One of those who switch wins, and the others are told.
				for _, on := range []bool{true, false} {
					if err := s.SetTrigger(project.Deploy, on, ""); err != nil && !errors.Is(err, session.ErrAlreadySet) {
						t.Error(err)
					}
				}
			}
		})
	}
	for w := range writers {
		events.Go(func() {
			for i := range each {
				check(t, s.Emit(t.Context(), artifact(fmt.Sprint(w, "/", i))))
			}
		})
	}
	events.Wait()
	close(done)
	resets.Wait()
	state, _ := s.State()
	if got := len(state.GetBuildState().GetArtifacts()); got != writers*each {
		t.Errorf("%d artifacts, want %d", got, writers*each)
	}
}

// The state says up to which event it goes; all that come later come once.
func TestDefect14StateAndEventsAreExact(t *testing.T) {
	const writers, each, readers = 4, 100, 2
	const total = writers * each
	s, _ := open(t, "", project.Project{})
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := range each {
				check(t, s.Emit(t.Context(), port(w*each+i)))
			}
		})
	}
	for range readers {
		wg.Go(func() {
			for last := eventlog.Seq(0); last < total; {
				var state *pb.State
				if state, last = s.State(); int(last) != len(state.GetForwardedPorts()) {
					t.Errorf("the state has %d ports after %d events", len(state.GetForwardedPorts()), last)
				}
			}
		})
		wg.Go(func() { followFrom(t, s, total) })
	}
	wg.Wait()
}

// followFrom puts the state and the events after it together.
func followFrom(t *testing.T, s *v2.Session, total int) {
	state, last := s.State()
	seen := map[int32]bool{}
	for n := range state.GetForwardedPorts() {
		seen[n] = true
	}
	r := s.Events(last + 1)
	for range total - int(last) {
		rec, err := r.Next(t.Context())
		if err != nil {
			t.Error(err)
			return
		}
		n := rec.Event.GetPortEvent().GetLocalPort()
		if seen[n] {
			t.Errorf("event %d was in the state already", rec.Seq)
		}
		seen[n] = true
	}
	if len(seen) != total {
		t.Errorf("state and events have %d ports, want %d", len(seen), total)
	}
}

func TestJournal(t *testing.T) {
	file := filepath.Join(t.TempDir(), "events.json")
	p := project.Project{
		Artifacts: []project.Artifact{{Image: "web"}},
		Auto:      project.Triggers{Build: true, Sync: true},
	}
	s, recovery := open(t, file, p)
	if recovery.Events != 0 {
		t.Errorf("a new journal has %d events", recovery.Events)
	}
	must(t, s.Emit(t.Context(), artifact("lost to the reset")))
	_, err := s.BeginLoop()
	must(t, err)
	must(t, s.Emit(t.Context(), artifact("web")))
	must(t, s.Emit(t.Context(), artifact("other <&>\u2028\n")))
	must(t, s.SetTrigger(project.Sync, false, ""))
	must(t, s.SetTrigger(project.Deploy, true, session.ResetDeploy))
	must(t, s.Emit(t.Context(), port(9000)))
	must(t, s.Emit(t.Context(), &pb.Event{}))
	must(t, s.Emit(t.Context(), kit.NewApplicationLogEvent(nil))) // is not kept
	want, events := s.State()
	wantEvents := drain(t, s)
	before, err := os.ReadFile(file)
	must(t, err)

	// The process was killed while it wrote: what it had not finished is cut off.
	must(t, os.WriteFile(file, append(before, `{"timestamp":"2021-`...), 0o600))
	s, recovery = open(t, file, p)
	if recovery.Torn == nil || recovery.Events != 8 {
		t.Errorf("recovered %d changes, torn: %v", recovery.Events, recovery.Torn)
	}
	got, last := s.State()
	if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
		t.Errorf("state: -before +after the restart:\n%s", diff)
	}
	if last != events || s.Loops() != 1 {
		t.Errorf("%d events and %d iterations, want %d and 1", last, s.Loops(), events)
	}
	n, err := s.BeginLoop()
	must(t, err)
	if n != 2 {
		t.Errorf("the next iteration has the number %d", n)
	}
	gotEvents := drain(t, s)
	if diff := cmp.Diff(wantEvents, gotEvents[:len(gotEvents)-1], protocmp.Transform()); diff != "" {
		t.Errorf("events: -before +after the restart:\n%s", diff)
	}
	after, err := os.ReadFile(file)
	must(t, err)
	if !strings.HasPrefix(string(after), string(before)) {
		t.Errorf("the journal was rewritten:\n%s", after)
	}
	wantLine := `{"timestamp":"2021-02-03T04:05:06Z",` +
		`"taskEvent":{"id":"DevLoop-2","task":"DevLoop","iteration":2,"status":"InProgress"},` +
		`"control":{"loop":true,"reset":"all"}}`
	if line := strings.TrimPrefix(string(after), string(before)); line != wantLine+"\n" {
		t.Errorf("last line:\n%s\nwant:\n%s", line, wantLine)
	}
}

// drain closes a session and returns its events.
func drain(t *testing.T, s *v2.Session) []*pb.Event {
	t.Helper()
	must(t, s.Close())
	r := s.Events(0)
	var events []*pb.Event
	for _, e := range r.All(t.Context()) {
		events = append(events, e)
	}
	must(t, r.Err())
	return events
}

func TestJournalThatCannotBeRead(t *testing.T) {
	file := filepath.Join(t.TempDir(), "events.json")
	for line, want := range map[string]string{
		`{"taskEvent":{}}` + "\n" + `{"taskEvent":7}`: file + ":2:14: ",
		`{"control":{"loop":"yes"},"taskEvent":{}}`:   file + ":1:",
		`null`:           file + ":1:1: null is no event",
		`[]`:             file + ":1:1: ",
		`{"taskEvent":{`: file + ":1:14: unexpected end of JSON input",
	} {
		must(t, os.WriteFile(file, []byte(line+"\n"), 0o600))
		_, _, err := v2.NewSession(session.Journal{Path: file}, project.Project{}, now)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q in it", line, err, want)
		}
	}
}

func TestLines(t *testing.T) {
	lines := session.Lines[*pb.Event]()
	e := kit.NewTaskEvent(&pb.TaskEvent{Id: "Build-1"})
	e.Timestamp = timestamppb.New(now())
	for _, c := range []*session.Change[*pb.Event]{
		{Event: e},
		{Event: &pb.Event{}},
		{Event: e, Control: &session.Control{Stage: project.Build, Auto: true}},
		{Control: &session.Control{Reset: session.ResetBuild}},
	} {
		line, err := lines.Encode(c)
		must(t, err)
		got, err := lines.Decode(line)
		must(t, err)
		if diff := cmp.Diff(c, got, protocmp.Transform()); diff != "" {
			t.Errorf("%s: -want +got:\n%s", line, diff)
		}
	}
	// What Skaffold writes, of a version that has more.
	c, err := lines.Decode([]byte(
		`{"timestamp":"2021-02-03T04:05:06Z","buildSubtaskEvent":{"taskId":"Build-1","new":[1]},"news":{}}`))
	must(t, err)
	if got := c.Event.GetBuildSubtaskEvent().GetTaskId(); got != "Build-1" || c.Control != nil {
		t.Errorf("read %v", c)
	}
}

func TestFirstEvent(t *testing.T) {
	for value, want := range map[string]eventlog.Seq{"": 0, "0": 1, "41": 42} {
		ctx := t.Context()
		if value != "" {
			ctx = metadata.NewIncomingContext(ctx, metadata.Pairs(session.AfterEventKey, value))
		}
		if got, err := session.FirstEvent(ctx); err != nil || got != want {
			t.Errorf("after %q: %d, %v, want %d", value, got, err, want)
		}
	}
	for _, value := range []string{"x", "-1", "1.5", "18446744073709551615"} {
		ctx := metadata.NewIncomingContext(context.Background(), metadata.Pairs(session.AfterEventKey, value))
		if _, err := session.FirstEvent(ctx); status.Code(err) != codes.InvalidArgument {
			t.Errorf("after %q: error %v", value, err)
		}
	}
}

func TestTriggersOfNoStage(t *testing.T) {
	s, _ := open(t, "", project.Project{})
	if s.Trigger("nonsense") || !errors.Is(s.SetTrigger("nonsense", true, ""), session.ErrAlreadySet) {
		t.Error("there is a stage that does not exist")
	}
}
