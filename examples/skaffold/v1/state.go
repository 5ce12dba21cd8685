package v1

import (
	"google.golang.org/protobuf/proto"

	"github.com/skaffoldgen/protoc-gen-skaffold/examples/skaffold/project"
	"github.com/skaffoldgen/protoc-gen-skaffold/examples/skaffold/session"
	pb "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v1"
	kit "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v1/skaffoldv1kit"
)

// notStarted is a status of the state alone: events have no need of it.
const notStarted = kit.EventStatusNotStarted

// maxEntries bounds each map and list of the state, so that clients that send
// events cannot fill the memory. What comes beyond is logged, but not kept.
const maxEntries = 10_000

// model is the State of a session. It follows from the events alone, status
// codes included: they change together with the status that they explain.
type model struct {
	images []string
	state  *pb.State
}

func newModel(p project.Project) *model {
	m := &model{images: p.Images(), state: &pb.State{Metadata: metadata(p)}}
	m.restart(m.images, p.Auto)
	return m
}

// metadata is what the state says of the project.
func metadata(p project.Project) *pb.Metadata {
	cluster := map[project.Cluster]pb.ClusterType{
		project.OtherCluster: pb.ClusterType_OTHER,
		project.Minikube:     pb.ClusterType_MINIKUBE,
		project.GKE:          pb.ClusterType_GKE,
	}[p.Cluster()]
	m := &pb.Metadata{Build: &pb.BuildMetadata{Type: pb.BuildType_LOCAL}, Deploy: &pb.DeployMetadata{}}
	if n := int32(len(p.Artifacts)); n > 0 {
		m.Build.NumberOfArtifacts = n
		m.Build.Builders = []*pb.BuildMetadata_ImageBuilder{{Type: pb.BuilderType_DOCKER, Count: n}}
		m.Deploy.Deployers = []*pb.DeployMetadata_Deployer{{Type: pb.DeployerType_KUBECTL, Count: 1}}
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

// Loop changes nothing: this version has no iterations in its state.
func (m *model) Loop() {}

// Reset starts a part of the state anew.
func (m *model) Reset(r session.Reset) {
	switch r {
	case session.ResetAll:
		m.restart(m.images, m.triggers())
	case session.ResetBuild:
		known := make([]string, 0, len(m.state.BuildState.Artifacts))
		for image := range m.state.BuildState.Artifacts {
			known = append(known, image)
		}
		m.restart(known, m.triggers())
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
	m.restartDeploy(auto.Deploy)
}

// restartDeploy does the same for what a deployment changes.
func (m *model) restartDeploy(auto bool) {
	m.state.DeployState = &pb.DeployState{Status: notStarted, AutoTrigger: auto}
	m.state.StatusCheckState = &pb.StatusCheckState{Status: notStarted, Resources: map[string]string{}}
	m.state.ForwardedPorts = map[int32]*pb.PortEvent{}
	m.state.DebuggingContainers = nil
}

// Apply changes the state as an event says. Anything may be missing from the
// event, which is shared with the log: it must not be changed.
func (m *model) Apply(entry *pb.LogEntry) {
	// The visitor's methods return no errors.
	_ = kit.VisitEvent(entry.GetEvent(), visitor{m.state})
}

// put sets an entry of one of the state's maps, unless that is full.
func put[K comparable, V any](entries map[K]V, k K, v V) {
	if _, known := entries[k]; known || len(entries) < maxEntries {
		entries[k] = v
	}
}
