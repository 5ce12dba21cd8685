package v1

import (
	"slices"

	pb "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v1"
	kit "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v1/skaffoldv1kit"
)

// visitor has a method for each kind of event: what that kind changes in the
// state. A kind that is added to the API is a compile error here.
type visitor struct{ state *pb.State }

var _ kit.EventVisitor = visitor{}

func (v visitor) VisitMetaEvent(*pb.Event, *pb.MetaEvent) error { return nil }

func (v visitor) VisitBuildEvent(_ *pb.Event, p *pb.BuildEvent) error {
	s := v.state.BuildState
	put(s.Artifacts, p.GetArtifact(), p.GetStatus())
	if p.GetStatus() == kit.BuildEventStatusFailed && s.StatusCode == pb.StatusCode_OK {
		s.StatusCode = failure(p.GetActionableErr(), p.GetErrCode())
	}
	return nil
}

func (v visitor) VisitDeployEvent(_ *pb.Event, p *pb.DeployEvent) error {
	s := v.state.DeployState
	s.Status = p.GetStatus()
	switch p.GetStatus() {
	case kit.DeployEventStatusComplete:
		s.StatusCode = pb.StatusCode_DEPLOY_SUCCESS
	case kit.DeployEventStatusFailed:
		s.StatusCode = failure(p.GetActionableErr(), p.GetErrCode())
	}
	return nil
}

func (v visitor) VisitPortEvent(_ *pb.Event, p *pb.PortEvent) error {
	if p != nil {
		put(v.state.ForwardedPorts, p.GetLocalPort(), p)
	}
	return nil
}

func (v visitor) VisitStatusCheckEvent(_ *pb.Event, p *pb.StatusCheckEvent) error {
	s := v.state.StatusCheckState
	s.Status = p.GetStatus()
	switch p.GetStatus() {
	case kit.StatusCheckEventStatusSucceeded:
		s.StatusCode = pb.StatusCode_STATUSCHECK_SUCCESS
	case kit.StatusCheckEventStatusFailed:
		s.StatusCode = failure(p.GetActionableErr(), p.GetErrCode())
	}
	return nil
}

func (v visitor) VisitResourceStatusCheckEvent(_ *pb.Event, p *pb.ResourceStatusCheckEvent) error {
	put(v.state.StatusCheckState.Resources, p.GetResource(), p.GetStatus())
	return nil
}

func (v visitor) VisitFileSyncEvent(_ *pb.Event, p *pb.FileSyncEvent) error {
	v.state.FileSyncState.Status = p.GetStatus()
	return nil
}

func (v visitor) VisitDebuggingContainerEvent(_ *pb.Event, p *pb.DebuggingContainerEvent) error {
	list := &v.state.DebuggingContainers
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

func (v visitor) VisitDevLoopEvent(*pb.Event, *pb.DevLoopEvent) error { return nil }

func (v visitor) VisitTerminationEvent(*pb.Event, *pb.TerminationEvent) error { return nil }

func (v visitor) VisitUnknown(*pb.Event) error { return nil }

// failure is the code of a failure: that of the error message, or else that of
// the deprecated field beside it.
func failure(err *pb.ActionableErr, code pb.StatusCode) pb.StatusCode {
	if c := err.GetErrCode(); c != pb.StatusCode_OK {
		return c
	}
	return code
}
