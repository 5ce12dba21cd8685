package v2

import (
	"maps"
	"slices"

	"google.golang.org/protobuf/proto"

	"github.com/skaffoldgen/protoc-gen-skaffold/examples/skaffold/project"
	"github.com/skaffoldgen/protoc-gen-skaffold/examples/skaffold/session"
	enums "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/enums"
	pb "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v2"
	kit "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v2/skaffoldv2kit"
)

// notStarted is a status of the state alone: events have no need of it.
const notStarted = kit.EventStatusNotStarted

// maxEntries bounds each map and list of the state, so that clients that send
// events cannot fill the memory. What comes beyond is logged, but not kept.
const maxEntries = 10_000

// model is the State of a session. Its status codes stay OK: in this version
// codes are in the events alone.
type model struct {
	images []string
	state  *pb.State
	onLoop func() // called when an iteration begins
}

func newModel(p project.Project, onLoop func()) *model {
	m := &model{images: p.Images(), state: &pb.State{Metadata: metadata(p)}, onLoop: onLoop}
	m.restart(m.images, p.Auto)
	return m
}

// metadata is what the state says of the project.
func metadata(p project.Project) *pb.Metadata {
	cluster := map[project.Cluster]enums.ClusterType{
		project.OtherCluster: enums.ClusterType_OTHER,
		project.Minikube:     enums.ClusterType_MINIKUBE,
		project.GKE:          enums.ClusterType_GKE,
	}[p.Cluster()]
	m := &pb.Metadata{
		RunID:  p.RunID,
		Build:  &pb.BuildMetadata{Type: enums.BuildType_LOCAL},
		Deploy: &pb.DeployMetadata{},
		Render: &pb.RenderMetadata{},
	}
	for _, a := range p.Artifacts {
		m.Build.Artifacts = append(m.Build.Artifacts, &pb.BuildMetadata_Artifact{
			Type:       enums.BuilderType_DOCKER,
			Name:       a.Image,
			Context:    a.Context,
			Dockerfile: a.Dockerfile,
		})
	}
	if len(p.Artifacts) > 0 {
		m.Deploy.Deployers = []*pb.DeployMetadata_Deployer{{Type: enums.DeployerType_KUBECTL, Count: 1}}
		m.Deploy.Cluster = cluster
	}
	return m
}

// State returns a copy of the state.
func (m *model) State() *pb.State { return proto.CloneOf(m.state) }

// Trigger is where the state has the trigger of a stage.
func (m *model) Trigger(stage project.Stage) *bool {
	switch stage {
	case project.Build:
		return &m.state.BuildState.AutoTrigger
	case project.Sync:
		return &m.state.FileSyncState.AutoTrigger
	case project.Deploy:
		return &m.state.DeployState.AutoTrigger
	}
	return nil
}

// Loop tells that an iteration begins.
func (m *model) Loop() { m.onLoop() }

// Reset starts a part of the state anew.
func (m *model) Reset(r session.Reset) {
	switch r {
	case session.ResetAll:
		m.restart(m.images, m.triggers())
	case session.ResetBuild:
		m.restart(slices.Collect(maps.Keys(m.state.BuildState.Artifacts)), m.triggers())
	case session.ResetDeploy:
		m.restartDeploy(m.state.DeployState.AutoTrigger)
	}
}

func (m *model) triggers() project.Triggers {
	return project.Triggers{
		Build:  m.state.BuildState.AutoTrigger,
		Sync:   m.state.FileSyncState.AutoTrigger,
		Deploy: m.state.DeployState.AutoTrigger,
	}
}

// restart sets all but the metadata to what it is before anything has happened.
func (m *model) restart(images []string, auto project.Triggers) {
	artifacts := make(map[string]string, len(images))
	for _, image := range images {
		artifacts[image] = notStarted
	}
	m.state.BuildState = &pb.BuildState{Artifacts: artifacts, AutoTrigger: auto.Build}
	m.state.FileSyncState = &pb.FileSyncState{Status: notStarted, AutoTrigger: auto.Sync}
	m.state.TestState = &pb.TestState{Status: notStarted}
	m.state.RenderState = &pb.RenderState{Status: notStarted}
	m.state.VerifyState = &pb.VerifyState{Status: notStarted}
	m.state.ExecState = &pb.ExecState{Status: notStarted}
	m.restartDeploy(auto.Deploy)
}

// restartDeploy does the same for what a deployment changes.
func (m *model) restartDeploy(auto bool) {
	m.state.DeployState = &pb.DeployState{Status: notStarted, AutoTrigger: auto}
	m.state.StatusCheckState = &pb.StatusCheckState{Status: notStarted, Resources: map[string]string{}}
	m.state.ForwardedPorts = map[int32]*pb.PortForwardEvent{}
	m.state.DebuggingContainers = nil
}

// Apply changes the state as an event says. Anything may be missing from the
// event, which is shared with the log: it must not be changed.
func (m *model) Apply(e *pb.Event) {
	cases := kit.EventCases{
		BuildSubtaskEvent:       m.build,
		StatusCheckSubtaskEvent: m.statusCheck,
		PortEvent:               m.port,
		DebuggingContainerEvent: m.debug,
		TestEvent:               setStatus[*pb.TestSubtaskEvent](&m.state.TestState.Status),
		RenderEvent:             setStatus[*pb.RenderSubtaskEvent](&m.state.RenderState.Status),
		VerifyEvent:             setStatus[*pb.VerifySubtaskEvent](&m.state.VerifyState.Status),
		ExecEvent:               setStatus[*pb.ExecSubtaskEvent](&m.state.ExecState.Status),
		DeploySubtaskEvent:      setStatus[*pb.DeploySubtaskEvent](&m.state.DeployState.Status),
		FileSyncEvent:           setStatus[*pb.FileSyncEvent](&m.state.FileSyncState.Status),
	}
	// The cases return no errors.
	_ = cases.Handle(e)
}

// setStatus is for the kinds whose status is all that they change.
func setStatus[P interface{ GetStatus() string }](field *string) func(*pb.Event, P) error {
	return func(_ *pb.Event, p P) error {
		*field = p.GetStatus()
		return nil
	}
}

// build changes the state of an artifact. What the cache says changes nothing.
func (m *model) build(_ *pb.Event, p *pb.BuildSubtaskEvent) error {
	if p.GetStep() == kit.BuildSubtaskEventStepBuild {
		put(m.state.BuildState.Artifacts, p.GetArtifact(), p.GetStatus())
	}
	return nil
}

// statusCheck changes the state of a resource; that of the whole check has no
// event in this version.
func (m *model) statusCheck(_ *pb.Event, p *pb.StatusCheckSubtaskEvent) error {
	put(m.state.StatusCheckState.Resources, p.GetResource(), p.GetStatus())
	return nil
}

func (m *model) port(_ *pb.Event, p *pb.PortForwardEvent) error {
	if p != nil {
		put(m.state.ForwardedPorts, p.GetLocalPort(), p)
	}
	return nil
}

func (m *model) debug(_ *pb.Event, p *pb.DebuggingContainerEvent) error {
	list := &m.state.DebuggingContainers
	switch p.GetStatus() {
	case kit.DebuggingContainerEventStatusStarted:
		if len(*list) < maxEntries {
			*list = append(*list, p)
		}
	case kit.DebuggingContainerEventStatusTerminated:
		*list = slices.DeleteFunc(*list, func(c *pb.DebuggingContainerEvent) bool {
			return c.GetNamespace() == p.GetNamespace() &&
				c.GetPodName() == p.GetPodName() &&
				c.GetContainerName() == p.GetContainerName()
		})
	}
	return nil
}

// put sets an entry of one of the state's maps, unless that is full.
func put[K comparable, V any](entries map[K]V, k K, v V) {
	if _, known := entries[k]; known || len(entries) < maxEntries {
		entries[k] = v
	}
}
