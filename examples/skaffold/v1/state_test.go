package v1

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/skaffoldgen/protoc-gen-skaffold/examples/skaffold/project"
	"github.com/skaffoldgen/protoc-gen-skaffold/examples/skaffold/session"
	pb "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v1"
	kit "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v1/skaffoldv1kit"
)

var testProject = project.Project{
	KubeContext: "gke_project_zone_cluster",
	Artifacts:   []project.Artifact{{Image: "web"}, {Image: "api"}},
	Auto:        project.Triggers{Build: true, Deploy: true},
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

// all returns the entries of a session. It closes it.
func all(t *testing.T, s *Session) []*pb.LogEntry {
	t.Helper()
	s.Close()
	r := s.Events(0)
	var entries []*pb.LogEntry
	for _, e := range r.All(t.Context()) {
		entries = append(entries, e)
	}
	if r.Err() != nil {
		t.Fatal(r.Err())
	}
	return entries
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
			Artifacts:   map[string]string{"web": "Not Started", "api": "Not Started"},
			AutoTrigger: true,
		},
		DeployState:      &pb.DeployState{Status: "Not Started", AutoTrigger: true},
		StatusCheckState: &pb.StatusCheckState{Status: "Not Started"},
		FileSyncState:    &pb.FileSyncState{Status: "Not Started"},
		Metadata: &pb.Metadata{
			Build: &pb.BuildMetadata{
				NumberOfArtifacts: 2,
				Type:              pb.BuildType_LOCAL,
				Builders:          []*pb.BuildMetadata_ImageBuilder{{Type: pb.BuilderType_DOCKER, Count: 2}},
			},
			Deploy: &pb.DeployMetadata{
				Cluster:   pb.ClusterType_GKE,
				Deployers: []*pb.DeployMetadata_Deployer{{Type: pb.DeployerType_KUBECTL, Count: 1}},
			},
		},
	})
	if last != 0 {
		t.Errorf("the last event is %d before there is any", last)
	}
}

func TestStateOfEachKind(t *testing.T) {
	buildFailed := &pb.ActionableErr{ErrCode: pb.StatusCode_BUILD_USER_ERROR, Message: "exit status 1"}
	resource := func(status string) *pb.Event {
		return kit.NewResourceStatusCheckEvent(&pb.ResourceStatusCheckEvent{Resource: "deployment/web", Status: status})
	}
	container := func(status, pod string) *pb.Event {
		return kit.NewDebuggingContainerEvent(&pb.DebuggingContainerEvent{
			Status: status, PodName: pod, ContainerName: "app", Namespace: "ns",
		})
	}
	tests := []struct {
		name   string
		before []*pb.Event
		event  *pb.Event
		entry  string
		change func(*pb.State) // from the initial state; nil: none
	}{
		{
			name:  "meta",
			event: kit.NewMetaEvent(&pb.MetaEvent{Entry: "Starting Skaffold: {}"}),
		}, {
			name:   "build in progress",
			event:  kit.NewBuildEvent(&pb.BuildEvent{Artifact: "web", Status: "In Progress"}),
			entry:  "Build started for artifact web",
			change: func(s *pb.State) { s.BuildState.Artifacts["web"] = "In Progress" },
		}, {
			name:   "build complete",
			event:  kit.NewBuildEvent(&pb.BuildEvent{Artifact: "web", Status: "Complete"}),
			entry:  "Build completed for artifact web",
			change: func(s *pb.State) { s.BuildState.Artifacts["web"] = "Complete" },
		}, {
			name:  "build failed",
			event: kit.NewBuildEvent(&pb.BuildEvent{Artifact: "web", Status: "Failed", ActionableErr: buildFailed}),
			entry: "Build failed for artifact web",
			change: func(s *pb.State) {
				s.BuildState.Artifacts["web"] = "Failed"
				s.BuildState.StatusCode = pb.StatusCode_BUILD_USER_ERROR
			},
		}, {
			name: "second build failed, the code is that of the first",
			before: []*pb.Event{
				kit.NewBuildEvent(&pb.BuildEvent{Artifact: "api", Status: "Failed", ErrCode: pb.StatusCode_BUILD_CANCELLED}),
			},
			event: kit.NewBuildEvent(&pb.BuildEvent{Artifact: "web", Status: "Failed", ActionableErr: buildFailed}),
			entry: "Build failed for artifact web",
			change: func(s *pb.State) {
				s.BuildState.Artifacts["web"] = "Failed"
				s.BuildState.Artifacts["api"] = "Failed"
				s.BuildState.StatusCode = pb.StatusCode_BUILD_CANCELLED
			},
		}, {
			name:   "build canceled",
			event:  kit.NewBuildEvent(&pb.BuildEvent{Artifact: "web", Status: "Canceled"}),
			change: func(s *pb.State) { s.BuildState.Artifacts["web"] = "Canceled" },
		}, {
			name:   "build of an artifact that is not in the project",
			event:  kit.NewBuildEvent(&pb.BuildEvent{Artifact: "other", Status: "In Progress"}),
			entry:  "Build started for artifact other",
			change: func(s *pb.State) { s.BuildState.Artifacts["other"] = "In Progress" },
		}, {
			name:   "deploy in progress",
			event:  kit.NewDeployEvent(&pb.DeployEvent{Status: "In Progress"}),
			entry:  "Deploy started",
			change: func(s *pb.State) { s.DeployState.Status = "In Progress" },
		}, {
			name:  "deploy complete",
			event: kit.NewDeployEvent(&pb.DeployEvent{Status: "Complete"}),
			entry: "Deploy completed",
			change: func(s *pb.State) {
				s.DeployState.Status = "Complete"
				s.DeployState.StatusCode = pb.StatusCode_DEPLOY_SUCCESS
			},
		}, {
			name:  "deploy failed",
			event: kit.NewDeployEvent(&pb.DeployEvent{Status: "Failed", ErrCode: pb.StatusCode_DEPLOY_HELM_USER_ERR}),
			entry: "Deploy failed",
			change: func(s *pb.State) {
				s.DeployState.Status = "Failed"
				s.DeployState.StatusCode = pb.StatusCode_DEPLOY_HELM_USER_ERR
			},
		}, {
			name:   "deploy information",
			event:  kit.NewDeployEvent(&pb.DeployEvent{Status: "Information", Err: "pods are evicted"}),
			change: func(s *pb.State) { s.DeployState.Status = "Information" },
		}, {
			name:  "port",
			event: kit.NewPortEvent(&pb.PortEvent{LocalPort: 9000, ContainerName: "app", PodName: "web-1"}),
			entry: "Forwarding container app to local port 9000",
			change: func(s *pb.State) {
				s.ForwardedPorts = map[int32]*pb.PortEvent{9000: {LocalPort: 9000, ContainerName: "app", PodName: "web-1"}}
			},
		}, {
			name:   "status check started",
			event:  kit.NewStatusCheckEvent(&pb.StatusCheckEvent{Status: "Started"}),
			entry:  "Status check started",
			change: func(s *pb.State) { s.StatusCheckState.Status = "Started" },
		}, {
			name:   "status check in progress",
			event:  kit.NewStatusCheckEvent(&pb.StatusCheckEvent{Status: "In Progress"}),
			entry:  "Status check in progress",
			change: func(s *pb.State) { s.StatusCheckState.Status = "In Progress" },
		}, {
			name:  "status check succeeded",
			event: kit.NewStatusCheckEvent(&pb.StatusCheckEvent{Status: "Succeeded"}),
			entry: "Status check succeeded",
			change: func(s *pb.State) {
				s.StatusCheckState.Status = "Succeeded"
				s.StatusCheckState.StatusCode = pb.StatusCode_STATUSCHECK_SUCCESS
			},
		}, {
			name: "status check failed",
			event: kit.NewStatusCheckEvent(&pb.StatusCheckEvent{
				Status: "Failed", ActionableErr: &pb.ActionableErr{ErrCode: pb.StatusCode_STATUSCHECK_UNHEALTHY},
			}),
			entry: "Status check failed",
			change: func(s *pb.State) {
				s.StatusCheckState.Status = "Failed"
				s.StatusCheckState.StatusCode = pb.StatusCode_STATUSCHECK_UNHEALTHY
			},
		}, {
			name:   "resource in progress",
			event:  resource("In Progress"),
			entry:  "Resource deployment/web status updated to In Progress",
			change: func(s *pb.State) { s.StatusCheckState.Resources = map[string]string{"deployment/web": "In Progress"} },
		}, {
			name:   "resource succeeded",
			event:  resource("Succeeded"),
			entry:  "Resource deployment/web status completed successfully",
			change: func(s *pb.State) { s.StatusCheckState.Resources = map[string]string{"deployment/web": "Succeeded"} },
		}, {
			name: "resource failed",
			event: kit.NewResourceStatusCheckEvent(&pb.ResourceStatusCheckEvent{
				Resource: "deployment/web", Status: "Failed", Err: "image cannot be pulled",
			}),
			entry:  "Resource deployment/web status failed with image cannot be pulled",
			change: func(s *pb.State) { s.StatusCheckState.Resources = map[string]string{"deployment/web": "Failed"} },
		}, {
			name:   "file sync in progress",
			event:  kit.NewFileSyncEvent(&pb.FileSyncEvent{FileCount: 3, Image: "web", Status: "In Progress"}),
			entry:  "File sync started for 3 files for web",
			change: func(s *pb.State) { s.FileSyncState.Status = "In Progress" },
		}, {
			name:   "file sync succeeded",
			event:  kit.NewFileSyncEvent(&pb.FileSyncEvent{FileCount: 3, Image: "web", Status: "Succeeded"}),
			entry:  "File sync succeeded for 3 files for web",
			change: func(s *pb.State) { s.FileSyncState.Status = "Succeeded" },
		}, {
			name:   "file sync failed",
			event:  kit.NewFileSyncEvent(&pb.FileSyncEvent{FileCount: 1, Image: "web", Status: "Failed"}),
			entry:  "File sync failed for 1 files for web",
			change: func(s *pb.State) { s.FileSyncState.Status = "Failed" },
		}, {
			name:  "debugging container started",
			event: container("Started", "web-1"),
			entry: "Debuggable container started pod/web-1:app (ns)",
			change: func(s *pb.State) {
				s.DebuggingContainers = []*pb.DebuggingContainerEvent{container("Started", "web-1").GetDebuggingContainerEvent()}
			},
		}, {
			name:   "debugging container terminated",
			before: []*pb.Event{container("Started", "web-1"), container("Started", "api-1"), container("Started", "web-1")},
			event:  container("Terminated", "web-1"),
			entry:  "Debuggable container terminated pod/web-1:app (ns)",
			change: func(s *pb.State) {
				s.DebuggingContainers = []*pb.DebuggingContainerEvent{container("Started", "api-1").GetDebuggingContainerEvent()}
			},
		}, {
			name:  "dev loop in progress",
			event: kit.NewDevLoopEvent(&pb.DevLoopEvent{Iteration: 1, Status: "In Progress"}),
			entry: "Update initiated",
		}, {
			name:  "dev loop succeeded",
			event: kit.NewDevLoopEvent(&pb.DevLoopEvent{Iteration: 1, Status: "Succeeded"}),
			entry: "Update succeeded",
		}, {
			name: "dev loop failed",
			event: kit.NewDevLoopEvent(&pb.DevLoopEvent{
				Iteration: 1, Status: "Failed", Err: &pb.ActionableErr{ErrCode: pb.StatusCode_BUILD_UNKNOWN},
			}),
			entry: "Update failed with error code BUILD_UNKNOWN",
		}, {
			name:  "termination",
			event: kit.NewTerminationEvent(&pb.TerminationEvent{Status: "Failed"}),
		}, {
			name:  "no kind",
			event: &pb.Event{},
		}, {
			name:   "status of no meaning",
			event:  kit.NewDeployEvent(&pb.DeployEvent{Status: "Succeeded"}),
			change: func(s *pb.State) { s.DeployState.Status = "Succeeded" },
		},
	}
	seen := map[kit.EventKind]bool{}
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

			entries := all(t, s)
			entry := entries[len(entries)-1]
			mustEqual(t, "event", entry.GetEvent(), test.event)
			if entry.GetEntry() != test.entry {
				t.Errorf("entry %q, want %q", entry.GetEntry(), test.entry)
			}
			if !entry.GetTimestamp().AsTime().Equal(testTime) {
				t.Errorf("time %v, want %v", entry.GetTimestamp().AsTime(), testTime)
			}
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
		kit.NewBuildEvent(&pb.BuildEvent{Artifact: "web", Status: "Failed", ErrCode: pb.StatusCode_BUILD_UNKNOWN}),
		kit.NewBuildEvent(&pb.BuildEvent{Artifact: "other", Status: "Complete"}),
		kit.NewDeployEvent(&pb.DeployEvent{Status: "Complete"}),
		kit.NewPortEvent(&pb.PortEvent{LocalPort: 9000}),
		kit.NewStatusCheckEvent(&pb.StatusCheckEvent{Status: "Succeeded"}),
		kit.NewResourceStatusCheckEvent(&pb.ResourceStatusCheckEvent{Resource: "deployment/web", Status: "Succeeded"}),
		kit.NewFileSyncEvent(&pb.FileSyncEvent{Status: "Succeeded"}),
		kit.NewDebuggingContainerEvent(&pb.DebuggingContainerEvent{Status: "Started"}),
	)
	return s
}

func TestReset(t *testing.T) {
	tests := []struct {
		reset session.Reset
		want  func(before, initial *pb.State)
	}{
		{session.ResetAll, func(before, initial *pb.State) { proto.Reset(before); proto.Merge(before, initial) }},
		{session.ResetBuild, func(before, initial *pb.State) {
			proto.Reset(before)
			proto.Merge(before, initial)
			before.BuildState.Artifacts["other"] = "Not Started" // it is known by now
		}},
		{session.ResetDeploy, func(before, initial *pb.State) {
			before.DeployState = initial.DeployState
			before.StatusCheckState = initial.StatusCheckState
			before.ForwardedPorts = nil
			before.DebuggingContainers = nil
		}},
		{"nonsense", func(_, _ *pb.State) {}},
	}
	for _, test := range tests {
		t.Run(string(test.reset), func(t *testing.T) {
			s := busy(t)
			if err := s.SetTrigger(project.Build, false, ""); err != nil {
				t.Fatal(err)
			}
			want, events := s.State()
			initial, _ := newTestSession(t, testProject).State()
			initial.BuildState.AutoTrigger = false // triggers survive
			test.want(want, initial)

			if err := s.Reset(test.reset); err != nil {
				t.Fatal(err)
			}
			got, after := s.State()
			mustEqual(t, "state", got, want)
			if after != events {
				t.Errorf("the reset has made %d events", after-events)
			}
		})
	}
}

func TestIterationsBeginWithZero(t *testing.T) {
	s := newTestSession(t, testProject)
	for want := range int32(3) {
		got, err := s.BeginLoop()
		if err != nil || got != want {
			t.Fatalf("BeginLoop() = %d, %v, want %d", got, err, want)
		}
	}
	for i, entry := range all(t, s) {
		mustEqual(t, "entry", entry.GetEvent(), kit.NewDevLoopEvent(&pb.DevLoopEvent{
			Iteration: int32(i), Status: "In Progress",
		}))
	}
}

// A client that sends events without end fills the bounds of the log and of the
// state, and nothing else.
func TestStateIsBounded(t *testing.T) {
	s := newTestSession(t, testProject)
	for i := range maxEntries + 5 {
		name := fmt.Sprint(i)
		emit(t, s,
			kit.NewBuildEvent(&pb.BuildEvent{Artifact: name}),
			kit.NewPortEvent(&pb.PortEvent{LocalPort: int32(i)}),
			kit.NewResourceStatusCheckEvent(&pb.ResourceStatusCheckEvent{Resource: name}),
			kit.NewDebuggingContainerEvent(&pb.DebuggingContainerEvent{Status: "Started", PodName: name}),
		)
	}
	emit(t, s, kit.NewBuildEvent(&pb.BuildEvent{Artifact: "web", Status: "Complete"})) // known before
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
	if got := state.BuildState.Artifacts["web"]; got != "Complete" {
		t.Errorf("the status of a known artifact is %q", got)
	}
}

// Messages that no client in its right mind would send.
var hostile = []*pb.Event{
	nil,
	{},
	{EventType: (*pb.Event_BuildEvent)(nil)},
	{EventType: &pb.Event_MetaEvent{}},
	{EventType: &pb.Event_BuildEvent{}},
	{EventType: &pb.Event_DeployEvent{}},
	{EventType: &pb.Event_PortEvent{}},
	{EventType: &pb.Event_StatusCheckEvent{}},
	{EventType: &pb.Event_ResourceStatusCheckEvent{}},
	{EventType: &pb.Event_FileSyncEvent{}},
	{EventType: &pb.Event_DebuggingContainerEvent{}},
	{EventType: &pb.Event_DevLoopEvent{}},
	{EventType: &pb.Event_TerminationEvent{}},
	kit.NewTerminationEvent(nil),
	kit.NewDevLoopEvent(&pb.DevLoopEvent{Iteration: math.MinInt32, Status: "In Progress"}),
	kit.NewPortEvent(&pb.PortEvent{LocalPort: math.MinInt32}),
	kit.NewBuildEvent(&pb.BuildEvent{Status: "Failed", ErrCode: -1}),
	kit.NewDebuggingContainerEvent(&pb.DebuggingContainerEvent{Status: "Terminated"}),
	kit.NewDebuggingContainerEvent(&pb.DebuggingContainerEvent{Status: "Started"}),
}
