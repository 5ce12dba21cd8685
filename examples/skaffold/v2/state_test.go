package v2

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/skaffoldgen/protoc-gen-skaffold/eventlog"
	"github.com/skaffoldgen/protoc-gen-skaffold/examples/skaffold/project"
	"github.com/skaffoldgen/protoc-gen-skaffold/examples/skaffold/session"
	enums "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/enums"
	pb "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v2"
	kit "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v2/skaffoldv2kit"
)

var testProject = project.Project{
	RunID:       "run",
	KubeContext: "kind-kind",
	Artifacts: []project.Artifact{
		{Image: "web", Context: "w", Dockerfile: "Dockerfile.web"},
		{Image: "api", Context: "a"},
	},
	Auto: project.Triggers{Build: true, Deploy: true},
}

var testTime = time.Date(2021, 2, 3, 4, 5, 6, 0, time.UTC)

func newTestSession(t *testing.T, p project.Project) *Session {
	t.Helper()
	s, _, err := NewSession(session.Journal{}, p, func() time.Time { return testTime })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// all returns what a reader of a session that is closed has left.
func all(t *testing.T, r *eventlog.Reader[*pb.Event]) []*pb.Event {
	t.Helper()
	var events []*pb.Event
	for _, e := range r.All(t.Context()) {
		events = append(events, e)
	}
	if r.Err() != nil {
		t.Fatal(r.Err())
	}
	return events
}

func emit(t *testing.T, s *Session, events ...*pb.Event) {
	t.Helper()
	for _, e := range events {
		if err := s.Emit(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
}

// mustEqual compares messages and lists of them.
func mustEqual(t *testing.T, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
		t.Errorf("%s: -want +got:\n%s", what, diff)
	}
}

func TestInitialState(t *testing.T) {
	state, last := newTestSession(t, testProject).State()
	mustEqual(t, "state", state, &pb.State{
		BuildState: &pb.BuildState{
			Artifacts:   map[string]string{"web": "NotStarted", "api": "NotStarted"},
			AutoTrigger: true,
		},
		DeployState:      &pb.DeployState{Status: "NotStarted", AutoTrigger: true},
		StatusCheckState: &pb.StatusCheckState{Status: "NotStarted"},
		FileSyncState:    &pb.FileSyncState{Status: "NotStarted"},
		TestState:        &pb.TestState{Status: "NotStarted"},
		RenderState:      &pb.RenderState{Status: "NotStarted"},
		VerifyState:      &pb.VerifyState{Status: "NotStarted"},
		ExecState:        &pb.ExecState{Status: "NotStarted"},
		Metadata: &pb.Metadata{
			RunID: "run",
			Build: &pb.BuildMetadata{
				Type: enums.BuildType_LOCAL,
				Artifacts: []*pb.BuildMetadata_Artifact{
					{Type: enums.BuilderType_DOCKER, Name: "web", Context: "w", Dockerfile: "Dockerfile.web"},
					{Type: enums.BuilderType_DOCKER, Name: "api", Context: "a"},
				},
			},
			Deploy: &pb.DeployMetadata{
				Cluster:   enums.ClusterType_OTHER,
				Deployers: []*pb.DeployMetadata_Deployer{{Type: enums.DeployerType_KUBECTL, Count: 1}},
			},
			Render: &pb.RenderMetadata{},
		},
	})
	if last != 0 {
		t.Errorf("the last event is %d before there is any", last)
	}
}

func TestStateOfEachKind(t *testing.T) {
	failed := &pb.ActionableErr{ErrCode: enums.StatusCode_BUILD_USER_ERROR, Message: "exit status 1"}
	container := func(status, pod string) *pb.Event {
		return kit.NewDebuggingContainerEvent(&pb.DebuggingContainerEvent{
			Status: status, PodName: pod, ContainerName: "app", Namespace: "ns",
		})
	}
	build := func(step, status string) *pb.Event {
		return kit.NewBuildSubtaskEvent(&pb.BuildSubtaskEvent{
			Id: "web", TaskId: "Build-1", Artifact: "web", Step: step, Status: status, ActionableErr: failed,
		})
	}
	tests := []struct {
		name   string
		before []*pb.Event
		event  *pb.Event
		change func(*pb.State) // from the initial state; nil: none
	}{
		{name: "meta", event: kit.NewMetaEvent(&pb.MetaEvent{Entry: "Starting Skaffold: {}"})},
		{name: "log", event: kit.NewSkaffoldLogEvent(&pb.SkaffoldLogEvent{Message: "hello\n"})},
		{name: "task", event: kit.NewTaskEvent(&pb.TaskEvent{Id: "Build-1", Task: "Build", Status: "Failed"})},
		{name: "dev loop of somebody else", event: kit.NewTaskEvent(&pb.TaskEvent{
			Id: "DevLoop-7", Task: "DevLoop", Status: "InProgress", Iteration: 7,
		})},
		{name: "build cache", event: build("Cache", "Failed")},
		{name: "build push", event: build("Push", "InProgress")},
		{
			name: "build in progress", event: build("Build", "InProgress"),
			change: func(s *pb.State) { s.BuildState.Artifacts["web"] = "InProgress" },
		}, {
			name: "build succeeded", event: build("Build", "Succeeded"),
			change: func(s *pb.State) { s.BuildState.Artifacts["web"] = "Succeeded" },
		}, {
			name: "build failed, without a code in the state", event: build("Build", "Failed"),
			change: func(s *pb.State) { s.BuildState.Artifacts["web"] = "Failed" },
		}, {
			name: "deploy", event: kit.NewDeploySubtaskEvent(&pb.DeploySubtaskEvent{Status: "Succeeded"}),
			change: func(s *pb.State) { s.DeployState.Status = "Succeeded" },
		}, {
			name: "test", event: kit.NewTestEvent(&pb.TestSubtaskEvent{Status: "Failed", ActionableErr: failed}),
			change: func(s *pb.State) { s.TestState.Status = "Failed" },
		}, {
			name: "render", event: kit.NewRenderEvent(&pb.RenderSubtaskEvent{Status: "InProgress"}),
			change: func(s *pb.State) { s.RenderState.Status = "InProgress" },
		}, {
			name: "verify", event: kit.NewVerifyEvent(&pb.VerifySubtaskEvent{Status: "InProgress"}),
			change: func(s *pb.State) { s.VerifyState.Status = "InProgress" },
		}, {
			name: "exec", event: kit.NewExecEvent(&pb.ExecSubtaskEvent{Status: "InProgress"}),
			change: func(s *pb.State) { s.ExecState.Status = "InProgress" },
		}, {
			name: "status check, of a resource alone",
			event: kit.NewStatusCheckSubtaskEvent(&pb.StatusCheckSubtaskEvent{
				Resource: "deployment/web", Status: "Succeeded", StatusCode: enums.StatusCode_STATUSCHECK_SUCCESS,
			}),
			change: func(s *pb.State) { s.StatusCheckState.Resources = map[string]string{"deployment/web": "Succeeded"} },
		}, {
			name:   "port",
			before: []*pb.Event{kit.NewPortEvent(&pb.PortForwardEvent{LocalPort: 9000, PodName: "old"})},
			event:  kit.NewPortEvent(&pb.PortForwardEvent{LocalPort: 9000, PodName: "new"}),
			change: func(s *pb.State) {
				s.ForwardedPorts = map[int32]*pb.PortForwardEvent{9000: {LocalPort: 9000, PodName: "new"}}
			},
		}, {
			name: "file sync", event: kit.NewFileSyncEvent(&pb.FileSyncEvent{Status: "InProgress"}),
			change: func(s *pb.State) { s.FileSyncState.Status = "InProgress" },
		}, {
			name: "debugging container started", event: container("Started", "web-1"),
			change: func(s *pb.State) {
				s.DebuggingContainers = []*pb.DebuggingContainerEvent{container("Started", "web-1").GetDebuggingContainerEvent()}
			},
		}, {
			name:   "debugging container terminated",
			before: []*pb.Event{container("Started", "web-1"), container("Started", "api-1"), container("Started", "web-1")},
			event:  container("Terminated", "web-1"),
			change: func(s *pb.State) {
				s.DebuggingContainers = []*pb.DebuggingContainerEvent{container("Started", "api-1").GetDebuggingContainerEvent()}
			},
		},
		{name: "cloud run", event: kit.NewCloudRunReadyEvent(&pb.CloudRunReadyEvent{Resource: "web", Url: "http://web"})},
		{name: "termination", event: kit.NewTerminationEvent(&pb.TerminationEvent{Status: "Failed"})},
		{name: "no kind", event: &pb.Event{}},
	}
	seen := map[kit.EventKind]bool{kit.EventKindApplicationLogEvent: true} // see TestApplicationLogs
	for _, test := range tests {
		seen[kit.KindOfEvent(test.event)] = true
		t.Run(test.name, func(t *testing.T) {
			s := newTestSession(t, testProject)
			want, _ := s.State()
			if test.change != nil {
				test.change(want)
			}
			emit(t, s, test.before...)
			emit(t, s, proto.CloneOf(test.event))
			got, _ := s.State()
			mustEqual(t, "state", got, want)

			s.Close()
			events := all(t, s.Events(0))
			logged := proto.CloneOf(test.event)
			logged.Timestamp = timestamppb.New(testTime)
			mustEqual(t, "event", events[len(events)-1], logged)
		})
	}
	for kind := range kit.EventKinds() {
		if !seen[kind] {
			t.Errorf("there is no case for events of kind %v", kind)
		}
	}
}

// busy is a session in which everything has happened.
func busy(t *testing.T) *Session {
	t.Helper()
	s := newTestSession(t, testProject)
	emit(t, s,
		kit.NewBuildSubtaskEvent(&pb.BuildSubtaskEvent{Artifact: "web", Step: "Build", Status: "Failed"}),
		kit.NewBuildSubtaskEvent(&pb.BuildSubtaskEvent{Artifact: "other", Step: "Build", Status: "Succeeded"}),
		kit.NewTestEvent(&pb.TestSubtaskEvent{Status: "Succeeded"}),
		kit.NewRenderEvent(&pb.RenderSubtaskEvent{Status: "Succeeded"}),
		kit.NewVerifyEvent(&pb.VerifySubtaskEvent{Status: "Succeeded"}),
		kit.NewExecEvent(&pb.ExecSubtaskEvent{Status: "Succeeded"}),
		kit.NewDeploySubtaskEvent(&pb.DeploySubtaskEvent{Status: "Succeeded"}),
		kit.NewPortEvent(&pb.PortForwardEvent{LocalPort: 9000}),
		kit.NewStatusCheckSubtaskEvent(&pb.StatusCheckSubtaskEvent{Resource: "deployment/web", Status: "Succeeded"}),
		kit.NewFileSyncEvent(&pb.FileSyncEvent{Status: "Succeeded"}),
		kit.NewDebuggingContainerEvent(&pb.DebuggingContainerEvent{Status: "Started"}),
	)
	return s
}

// resetAll, resetBuild and resetDeploy do to a state what the resets do.
func resetAll(before, initial *pb.State) {
	proto.Reset(before)
	proto.Merge(before, initial)
}

func resetBuild(before, initial *pb.State) {
	resetAll(before, initial)
	before.BuildState.Artifacts["other"] = "NotStarted" // it is known by now
}

func resetDeploy(before, initial *pb.State) {
	before.DeployState, before.StatusCheckState = initial.DeployState, initial.StatusCheckState
	before.ForwardedPorts, before.DebuggingContainers = nil, nil
}

func TestReset(t *testing.T) {
	for reset, want := range map[session.Reset]func(before, initial *pb.State){
		session.ResetAll:    resetAll,
		session.ResetBuild:  resetBuild,
		session.ResetDeploy: resetDeploy,
		"nonsense":          func(_, _ *pb.State) {},
	} {
		t.Run(string(reset), func(t *testing.T) {
			s := busy(t)
			if err := s.SetTrigger(project.Build, false, ""); err != nil {
				t.Fatal(err)
			}
			state, events := s.State()
			initial, _ := newTestSession(t, testProject).State()
			initial.BuildState.AutoTrigger = false // triggers survive
			want(state, initial)
			if err := s.Reset(reset); err != nil {
				t.Fatal(err)
			}
			got, after := s.State()
			mustEqual(t, "state", got, state)
			if after != events {
				t.Errorf("the reset has made %d events", after-events)
			}
		})
	}
}

func TestIterations(t *testing.T) {
	s := busy(t)
	initial, _ := newTestSession(t, testProject).State()
	for want := int32(1); want <= 3; want++ {
		got, err := s.BeginLoop()
		if err != nil || got != want {
			t.Fatalf("BeginLoop() = %d, %v, want %d", got, err, want)
		}
		state, last := s.State()
		mustEqual(t, "state", state, initial)
		rec, err := s.Events(last).Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		e := kit.NewTaskEvent(&pb.TaskEvent{
			Id: fmt.Sprintf("DevLoop-%d", want), Task: "DevLoop", Iteration: want, Status: "InProgress",
		})
		e.Timestamp = timestamppb.New(testTime)
		mustEqual(t, "event", rec.Event, e)
	}
}

// The application's logs are no events, and belong to one iteration.
func TestApplicationLogs(t *testing.T) {
	s := newTestSession(t, testProject)
	line := func(text string) *pb.Event {
		return kit.NewApplicationLogEvent(&pb.ApplicationLogEvent{Message: text})
	}
	early := s.ApplicationLogs(0)
	next := func(want string) {
		t.Helper()
		rec, err := early.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got := rec.Event.GetApplicationLogEvent().GetMessage(); got != want {
			t.Errorf("read %q, want %q", got, want)
		}
	}
	emit(t, s, line("one"), line("two"))
	next("one")
	if _, err := s.BeginLoop(); err != nil {
		t.Fatal(err)
	}
	// A client's event says that an iteration begins; but none does.
	emit(t, s, line("three"), kit.NewTaskEvent(&pb.TaskEvent{Task: "DevLoop", Status: "InProgress"}), line("four"))
	next("three") // "two" is gone
	s.Close()

	var late []string
	for _, e := range all(t, s.ApplicationLogs(0)) {
		late = append(late, e.GetApplicationLogEvent().GetMessage())
	}
	if diff := cmp.Diff([]string{"three", "four"}, late); diff != "" {
		t.Errorf("logs: -want +got:\n%s", diff)
	}
	for _, e := range all(t, s.Events(0)) {
		if kit.KindOfEvent(e) != kit.EventKindTaskEvent {
			t.Errorf("there is a %v among the events", kit.KindOfEvent(e))
		}
	}
}

// A client that sends events without end fills the bounds of the log and of the
// state, and nothing else.
func TestStateIsBounded(t *testing.T) {
	s := newTestSession(t, testProject)
	for i := range maxEntries + 5 {
		name := fmt.Sprint(i)
		emit(t, s,
			kit.NewBuildSubtaskEvent(&pb.BuildSubtaskEvent{Artifact: name, Step: "Build"}),
			kit.NewPortEvent(&pb.PortForwardEvent{LocalPort: int32(i)}),
			kit.NewStatusCheckSubtaskEvent(&pb.StatusCheckSubtaskEvent{Resource: name}),
			kit.NewDebuggingContainerEvent(&pb.DebuggingContainerEvent{Status: "Started", PodName: name}),
		)
	}
	state, _ := s.State()
	for what, n := range map[string]int{
		"artifacts":  len(state.BuildState.Artifacts),
		"ports":      len(state.ForwardedPorts),
		"resources":  len(state.StatusCheckState.Resources),
		"containers": len(state.DebuggingContainers),
	} {
		if n != maxEntries {
			t.Errorf("%d %s, want %d", n, what, maxEntries)
		}
	}
}

// Messages that no client in its right mind would send.
var hostile = []*pb.Event{
	nil,
	{},
	{Timestamp: &timestamppb.Timestamp{Seconds: math.MaxInt64, Nanos: -1}},
	{EventType: (*pb.Event_BuildSubtaskEvent)(nil)},
	{EventType: &pb.Event_MetaEvent{}},
	{EventType: &pb.Event_SkaffoldLogEvent{}},
	{EventType: &pb.Event_TaskEvent{}},
	{EventType: &pb.Event_BuildSubtaskEvent{}},
	{EventType: &pb.Event_DeploySubtaskEvent{}},
	{EventType: &pb.Event_PortEvent{}},
	{EventType: &pb.Event_StatusCheckSubtaskEvent{}},
	{EventType: &pb.Event_FileSyncEvent{}},
	{EventType: &pb.Event_DebuggingContainerEvent{}},
	{EventType: &pb.Event_TerminationEvent{}},
	{EventType: &pb.Event_TestEvent{}},
	{EventType: &pb.Event_RenderEvent{}},
	{EventType: &pb.Event_VerifyEvent{}},
	{EventType: &pb.Event_CloudRunReadyEvent{}},
	{EventType: &pb.Event_ExecEvent{}},
	kit.NewTerminationEvent(nil),
	kit.NewTaskEvent(&pb.TaskEvent{Task: "DevLoop", Status: "InProgress", Iteration: math.MaxInt32}),
	kit.NewPortEvent(&pb.PortForwardEvent{LocalPort: math.MinInt32}),
	kit.NewBuildSubtaskEvent(&pb.BuildSubtaskEvent{Step: "Build"}),
	kit.NewDebuggingContainerEvent(&pb.DebuggingContainerEvent{Status: "Terminated"}),
	kit.NewDebuggingContainerEvent(&pb.DebuggingContainerEvent{Status: "Started"}),
}
