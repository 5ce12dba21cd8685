// Package project describes what a simulated run of Skaffold builds and
// deploys.
package project

import (
	"strings"
	"time"
)

// Project is the part of a skaffold.yaml that shows in the event API.
type Project struct {
	RunID       string
	KubeContext string
	Namespace   string
	Artifacts   []Artifact
	// Auto is what the flags --auto-build, --auto-sync and --auto-deploy say.
	Auto Triggers
}

// Artifact is an image, and the deployment that runs it.
type Artifact struct {
	Image      string
	Context    string
	Dockerfile string
	Deployment string
	// LocalPort and Port are the forwarded port and the container's; no port is
	// forwarded if LocalPort is 0.
	LocalPort, Port int32
}

// Triggers tells which stages run by themselves when files change.
type Triggers struct {
	Build, Sync, Deploy bool
}

// Stage is a stage of the dev loop that clients can switch and trigger.
type Stage string

// The stages, named as in the v1 API's errors.
const (
	Build  Stage = "build"
	Sync   Stage = "sync"
	Deploy Stage = "deploy"
)

// Images are the names of the artifacts.
func (p Project) Images() []string {
	names := make([]string, len(p.Artifacts))
	for i, a := range p.Artifacts {
		names[i] = a.Image
	}
	return names
}

// Cluster is the sort of cluster that a context of kubectl belongs to.
type Cluster int

// The sorts of clusters that the API knows.
const (
	OtherCluster Cluster = iota
	Minikube
	GKE
)

// Cluster guesses the sort of cluster from the name of the context, as Skaffold
// does.
func (p Project) Cluster() Cluster {
	switch {
	case strings.Contains(p.KubeContext, "minikube"):
		return Minikube
	case strings.HasPrefix(p.KubeContext, "gke"):
		return GKE
	}
	return OtherCluster
}

// Clock tells the time. Those who make events are given one, so that their
// tests decide what time it is.
type Clock func() time.Time
