package v2

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"go.uber.org/goleak"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/skaffoldgen/protoc-gen-skaffold/eventlog"
	"github.com/skaffoldgen/protoc-gen-skaffold/examples/skaffold/project"
	pb "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v2"
	kit "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v2/skaffoldv2kit"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fakeRunner notes what it is asked for.
type fakeRunner struct {
	mu       sync.Mutex
	executed [][]project.Stage
	changes  int
	broken   error
}

func (r *fakeRunner) Check() error { return r.broken }

func (r *fakeRunner) Execute(stages ...project.Stage) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.executed = append(r.executed, stages)
}

func (r *fakeRunner) TriggersChanged() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.changes++
}

// sent collects what is sent to a stream.
type sent struct{ entries []*pb.Event }

func (s *sent) Send(e *pb.Event) error {
	s.entries = append(s.entries, e)
	return nil
}

func enabled(on bool) *pb.TriggerRequest {
	return &pb.TriggerRequest{State: &pb.TriggerState{Val: &pb.TriggerState_Enabled{Enabled: on}}}
}

func mustFail(t *testing.T, err error, code codes.Code, text string) {
	t.Helper()
	if st := status.Convert(err); st.Code() != code || st.Message() != text {
		t.Errorf("error %v: %q, want %v: %q", st.Code(), st.Message(), code, text)
	}
}

func TestTriggers(t *testing.T) {
	type method = func(*Server, context.Context, *pb.TriggerRequest) (*emptypb.Empty, error)
	nothing := func(_, _ *pb.State) {}
	tests := []struct {
		name   string
		call   method
		get    func(*pb.State) bool
		resets func(before, initial *pb.State) // what switching on resets
	}{
		{"Build", (*Server).AutoBuild, func(s *pb.State) bool { return s.BuildState.AutoTrigger }, resetBuild},
		{"Sync", (*Server).AutoSync, func(s *pb.State) bool { return s.FileSyncState.AutoTrigger }, nothing},
		{"Deploy", (*Server).AutoDeploy, func(s *pb.State) bool { return s.DeployState.AutoTrigger }, resetDeploy},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			session := busy(t)
			runner := &fakeRunner{}
			s := NewServer(session, runner)
			call := func(req *pb.TriggerRequest) error {
				_, err := test.call(s, t.Context(), req)
				return err
			}
			state, _ := session.State()
			if test.get(state) == (test.name == "Sync") {
				t.Fatalf("the trigger is %t at the start", test.get(state))
			}
			if test.name == "Sync" {
				if err := call(enabled(true)); err != nil {
					t.Fatal(err)
				}
			}
			mustFail(t, call(enabled(true)), codes.AlreadyExists, "auto "+test.name+" is already set to true")
			before, _ := session.State()
			if err := call(enabled(false)); err != nil {
				t.Fatal(err)
			}
			off, _ := session.State()
			if test.get(off) {
				t.Error("the trigger is still on")
			}
			// What does not say "enabled" disables.
			for _, req := range []*pb.TriggerRequest{enabled(false), nil, {}, {State: &pb.TriggerState{}}} {
				mustFail(t, call(req), codes.AlreadyExists, "auto "+test.name+" is already set to false")
			}

			changes := runner.changes
			if err := call(enabled(true)); err != nil {
				t.Fatal(err)
			}
			on, _ := session.State()
			initial, _ := newTestSession(t, testProject).State()
			test.resets(before, initial)
			mustEqual(t, "state after switching off and on", on, before)
			if runner.changes != changes+1 {
				t.Error("the runner was not told")
			}
		})
	}
}

func TestExecute(t *testing.T) {
	const build, sync, deploy = project.Build, project.Sync, project.Deploy
	nothing := func(_, _ *pb.State) {}
	tests := []struct {
		name   string
		req    *pb.UserIntentRequest
		stages []project.Stage // nil: the runner is not asked
		resets func(before, initial *pb.State)
	}{
		{"no request", nil, nil, nothing},
		{"no intent", &pb.UserIntentRequest{}, nil, nothing},
		{"empty intent", &pb.UserIntentRequest{Intent: &pb.Intent{}}, nil, nothing},
		{"build", &pb.UserIntentRequest{Intent: &pb.Intent{Build: true}}, []project.Stage{build}, resetBuild},
		{"sync", &pb.UserIntentRequest{Intent: &pb.Intent{Sync: true}}, []project.Stage{sync}, nothing},
		{"deploy", &pb.UserIntentRequest{Intent: &pb.Intent{Deploy: true}}, []project.Stage{deploy}, resetDeploy},
		{"all", &pb.UserIntentRequest{Intent: &pb.Intent{Build: true, Sync: true, Deploy: true}},
			[]project.Stage{build, deploy, sync}, resetBuild},
		{"dev loop", &pb.UserIntentRequest{Intent: &pb.Intent{Devloop: true}},
			[]project.Stage{build, sync, deploy}, resetBuild},
		{"dev loop, and what does not count then", &pb.UserIntentRequest{Intent: &pb.Intent{Devloop: true, Deploy: true}},
			[]project.Stage{build, sync, deploy}, resetBuild},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			session, runner := busy(t), &fakeRunner{}
			want, _ := session.State()
			initial, _ := newTestSession(t, testProject).State()
			test.resets(want, initial)
			if _, err := NewServer(session, runner).Execute(t.Context(), test.req); err != nil {
				t.Fatal(err)
			}
			got, _ := session.State()
			mustEqual(t, "state", got, want)
			var wantRuns [][]project.Stage
			if test.stages != nil {
				wantRuns = [][]project.Stage{test.stages}
			}
			if !slices.EqualFunc(runner.executed, wantRuns, slices.Equal) {
				t.Errorf("the runner was asked for %v, want %v", runner.executed, wantRuns)
			}
		})
	}
}

// What cannot be told to clients is not begun, and who asks for it is told why.
func TestControlWithBrokenJournal(t *testing.T) {
	s := busy(t)
	full := &eventlog.JournalError{Path: "events.json", Err: errors.New("no space left on device")}
	runner := &fakeRunner{broken: full}
	server := NewServer(s, runner)
	before, _ := s.State()
	const cause = ": try again later, for the journal cannot be written now: no space left on device"
	for _, intent := range []*pb.Intent{{Build: true}, {Deploy: true}, {Sync: true}} {
		_, err := server.Execute(t.Context(), &pb.UserIntentRequest{Intent: intent})
		mustFail(t, err, codes.Unavailable, "nothing is run"+cause)
	}
	_, err := server.AutoBuild(t.Context(), enabled(false))
	mustFail(t, err, codes.Unavailable, "auto Build was not set"+cause)
	after, _ := s.State()
	mustEqual(t, "state", after, before)
	if len(runner.executed) > 0 || runner.changes > 0 {
		t.Errorf("the runner was told %v and %d changes", runner.executed, runner.changes)
	}
}

// Where nothing runs nothing is said to have been done.
func TestControlWithoutRunner(t *testing.T) {
	session := busy(t)
	s := NewServer(session, nil)
	before, _ := session.State()
	const text = "this session is a recording, which nobody can drive: start the server without -replay"
	_, err := s.Execute(t.Context(), &pb.UserIntentRequest{Intent: &pb.Intent{Build: true}})
	mustFail(t, err, codes.FailedPrecondition, text)
	_, err = s.AutoBuild(t.Context(), enabled(false))
	mustFail(t, err, codes.FailedPrecondition, text)
	_, err = s.AutoBuild(t.Context(), enabled(true))
	mustFail(t, err, codes.AlreadyExists, "auto Build is already set to true")
	if _, err = s.Execute(t.Context(), nil); err != nil {
		t.Error(err)
	}
	after, _ := session.State()
	mustEqual(t, "state", after, before)
}

// Events that come after the one that ends a session are events like others.
func TestDefect07EventsAfterTermination(t *testing.T) {
	session := newTestSession(t, testProject)
	s := NewServer(session, nil)
	for range 3 {
		for _, e := range []*pb.Event{
			kit.NewTerminationEvent(&pb.TerminationEvent{Status: "Failed"}),
			kit.NewBuildSubtaskEvent(&pb.BuildSubtaskEvent{Artifact: "web", Step: "Build", Status: "Succeeded"}),
		} {
			if _, err := s.Handle(t.Context(), e); err != nil {
				t.Fatal(err)
			}
		}
	}
	state, last := session.State()
	if state.BuildState.Artifacts["web"] != "Succeeded" || last != 6 {
		t.Errorf("after %d events, web is %q", last, state.BuildState.Artifacts["web"])
	}
}

// There is no state before the first one, and no event that breaks it.
func TestDefect10HandleBeforeAnythingElse(t *testing.T) {
	session := newTestSession(t, project.Project{})
	s := NewServer(session, nil)
	for range 2 {
		for _, e := range hostile {
			if _, err := s.Handle(t.Context(), e); err != nil {
				t.Fatal(err)
			}
		}
	}
	state, last := session.State()
	if want := 2 * (len(hostile) - 1); int(last) != want { // all but nil
		t.Errorf("%d events, want %d", last, want)
	}
	if _, err := proto.Marshal(state); err != nil {
		t.Error(err)
	}
	session.Close()
	for _, e := range all(t, session.Events(0)) {
		if !e.GetTimestamp().AsTime().Equal(testTime) {
			t.Errorf("the time is the client's: %v", e)
		}
		if _, err := proto.Marshal(e); err != nil {
			t.Error(err)
		}
	}
}

// The event in the log is a copy of the caller's.
func TestDefect11HandleLeavesTheMessageAlone(t *testing.T) {
	session := newTestSession(t, testProject)
	e := kit.NewPortEvent(&pb.PortForwardEvent{LocalPort: 9000, PodName: "web"})
	before := proto.CloneOf(e)
	if _, err := NewServer(session, nil).Handle(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	mustEqual(t, "the caller's event", e, before)
	e.GetPortEvent().PodName = "changed"
	state, _ := session.State()
	state.ForwardedPorts[9000].PodName = "changed, too"
	state, _ = session.State()
	mustEqual(t, "port in the state", state.ForwardedPorts[9000], before.GetPortEvent())
	session.Close()
	mustEqual(t, "event in the log", all(t, session.Events(0))[0].GetPortEvent(), before.GetPortEvent())
}

func TestEventStreams(t *testing.T) {
	session := busy(t)
	emit(t, session, kit.NewApplicationLogEvent(&pb.ApplicationLogEvent{Message: "hello\n"}))
	session.Close() // so that streams end
	s := NewServer(session, nil)
	var events, logs sent
	if err := s.Events(t.Context(), nil, &events); err != nil {
		t.Fatal(err)
	}
	if err := s.ApplicationLogs(t.Context(), nil, &logs); err != nil {
		t.Fatal(err)
	}
	mustEqual(t, "Events", events.entries, all(t, session.Events(0)))
	mustEqual(t, "ApplicationLogs", logs.entries, all(t, session.ApplicationLogs(0)))
	for _, e := range []*pb.Event{kit.NewMetaEvent(nil), kit.NewApplicationLogEvent(nil)} {
		_, err := s.Handle(t.Context(), e)
		mustFail(t, err, codes.Unavailable, "the event was not taken: eventlog: the log is closed")
	}
}

// Iterations that begin at the same time have numbers of their own.
func TestDefect12ConcurrentIterations(t *testing.T) {
	const loops = 50
	session := newTestSession(t, testProject)
	var mu sync.Mutex
	seen := map[int32]bool{}
	var wg sync.WaitGroup
	for range loops {
		wg.Go(func() {
			n, err := session.BeginLoop()
			if err != nil {
				t.Error(err)
			}
			_ = session.Loops()
			mu.Lock()
			defer mu.Unlock()
			seen[n] = true
		})
	}
	wg.Wait()
	if len(seen) != loops || !seen[1] || !seen[loops] {
		t.Errorf("%d iterations have %d numbers", loops, len(seen))
	}
	session.Close()
	for i, e := range all(t, session.Events(0)) {
		if got := e.GetTaskEvent().GetIteration(); got != int32(i+1) {
			t.Fatalf("event %d is of iteration %d", i+1, got)
		}
	}
}

// Waiting for a client ends with the first one that comes to this very server,
// or with the context.
func TestDefect15WaitForConnection(t *testing.T) {
	session := newTestSession(t, testProject)
	session.Close()
	s, other := NewServer(session, nil), NewServer(session, nil)

	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	waited := make(chan error)
	go func() { waited <- s.WaitForConnection(ctx) }()
	if err := other.Events(t.Context(), nil, &sent{}); err != nil {
		t.Fatal(err)
	}
	cancel(cause)
	if err := <-waited; !errors.Is(err, cause) {
		t.Errorf("error %v, want %v", err, cause)
	}

	go func() { waited <- s.WaitForConnection(t.Context()) }()
	for range 2 {
		if err := s.Events(t.Context(), nil, &sent{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := <-waited; err != nil {
		t.Error(err)
	}
}
