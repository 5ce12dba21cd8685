package v1

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
	pb "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v1"
	kit "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v1/skaffoldv1kit"
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
type sent struct{ entries []*pb.LogEntry }

func (s *sent) Send(e *pb.LogEntry) error {
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
	tests := []struct {
		name   string
		call   method
		get    func(*pb.State) bool
		resets func(before, initial *pb.State) // what switching on resets
	}{
		{"build", (*Server).AutoBuild, func(s *pb.State) bool { return s.BuildState.AutoTrigger },
			func(before, initial *pb.State) {
				proto.Reset(before)
				proto.Merge(before, initial)
				before.BuildState.Artifacts["other"] = "Not Started"
			}},
		{"sync", (*Server).AutoSync, func(s *pb.State) bool { return s.FileSyncState.AutoTrigger },
			func(_, _ *pb.State) {}},
		{"deploy", (*Server).AutoDeploy, func(s *pb.State) bool { return s.DeployState.AutoTrigger },
			func(before, initial *pb.State) {
				before.DeployState, before.StatusCheckState = initial.DeployState, initial.StatusCheckState
				before.ForwardedPorts, before.DebuggingContainers = nil, nil
			}},
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
			for _, req := range []*pb.TriggerRequest{nil, {}, {State: &pb.TriggerState{}}} {
				mustFail(t, call(req), codes.InvalidArgument, "missing required boolean parameter 'enabled'")
			}

			state, _ := session.State()
			if test.get(state) == (test.name == "sync") {
				t.Fatalf("the trigger is %t at the start", test.get(state))
			}
			if test.name == "sync" {
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
			mustFail(t, call(enabled(false)), codes.AlreadyExists, "auto "+test.name+" is already set to false")

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
	toInitial := func(before, initial *pb.State) {
		proto.Reset(before)
		proto.Merge(before, initial)
		before.BuildState.Artifacts["other"] = "Not Started"
	}
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
		{"build", &pb.UserIntentRequest{Intent: &pb.Intent{Build: true}}, []project.Stage{build}, toInitial},
		{"sync", &pb.UserIntentRequest{Intent: &pb.Intent{Sync: true}}, []project.Stage{sync}, nothing},
		{"deploy", &pb.UserIntentRequest{Intent: &pb.Intent{Deploy: true}}, []project.Stage{deploy},
			func(before, initial *pb.State) {
				before.DeployState, before.StatusCheckState = initial.DeployState, initial.StatusCheckState
				before.ForwardedPorts, before.DebuggingContainers = nil, nil
			}},
		{"all", &pb.UserIntentRequest{Intent: &pb.Intent{Build: true, Sync: true, Deploy: true}},
			[]project.Stage{build, deploy, sync}, toInitial},
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
	mustFail(t, err, codes.Unavailable, "auto build was not set"+cause)
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
	mustFail(t, err, codes.AlreadyExists, "auto build is already set to true")
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
			kit.NewBuildEvent(&pb.BuildEvent{Artifact: "web", Status: "Complete"}),
		} {
			if _, err := s.Handle(t.Context(), e); err != nil {
				t.Fatal(err)
			}
		}
	}
	state, last := session.State()
	if state.BuildState.Artifacts["web"] != "Complete" || last != 6 {
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
	for _, entry := range all(t, session) {
		if _, err := proto.Marshal(entry); err != nil {
			t.Error(err)
		}
	}
}

// The event in the log is a copy of the caller's.
func TestDefect11HandleLeavesTheMessageAlone(t *testing.T) {
	session := newTestSession(t, testProject)
	e := kit.NewPortEvent(&pb.PortEvent{LocalPort: 9000, PodName: "web"})
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
	mustEqual(t, "event in the log", all(t, session)[0].GetEvent(), before)
}

// EventLog sends what Events sends, and asks nothing of the client.
func TestEventStreams(t *testing.T) {
	session := busy(t)
	s := NewServer(session, nil)
	want := all(t, session) // which closes the session, so that streams end
	var events, log sent
	if err := s.Events(t.Context(), nil, &events); err != nil {
		t.Fatal(err)
	}
	if err := s.EventLog(t.Context(), nil, &log); err != nil {
		t.Fatal(err)
	}
	mustEqual(t, "Events", events.entries, want)
	mustEqual(t, "EventLog", log.entries, want)
	_, err := s.Handle(t.Context(), kit.NewMetaEvent(nil))
	mustFail(t, err, codes.Unavailable, "the event was not taken: eventlog: the log is closed")
}
