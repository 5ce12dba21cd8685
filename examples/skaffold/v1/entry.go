package v1

import (
	"fmt"

	pb "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v1"
	kit "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v1/skaffoldv1kit"
)

// entryText is the sentence that goes with an event in the log: "" for the kinds
// and statuses that have none.
func entryText(e *pb.Event) string {
	var text string
	cases := kit.EventCases{
		BuildEvent: func(_ *pb.Event, p *pb.BuildEvent) error {
			if done := verb(p.GetStatus(), kit.BuildEventStatusComplete, "completed"); done != "" {
				text = fmt.Sprintf("Build %s for artifact %s", done, p.GetArtifact())
			}
			return nil
		},
		DeployEvent: func(_ *pb.Event, p *pb.DeployEvent) error {
			if done := verb(p.GetStatus(), kit.DeployEventStatusComplete, "completed"); done != "" {
				text = "Deploy " + done
			}
			return nil
		},
		PortEvent: func(_ *pb.Event, p *pb.PortEvent) error {
			text = fmt.Sprintf("Forwarding container %s to local port %d", p.GetContainerName(), p.GetLocalPort())
			return nil
		},
		StatusCheckEvent: func(_ *pb.Event, p *pb.StatusCheckEvent) error {
			text = map[string]string{
				kit.StatusCheckEventStatusStarted:    "Status check started",
				kit.StatusCheckEventStatusInProgress: "Status check in progress",
				kit.StatusCheckEventStatusSucceeded:  "Status check succeeded",
				kit.StatusCheckEventStatusFailed:     "Status check failed",
			}[p.GetStatus()]
			return nil
		},
		ResourceStatusCheckEvent: func(_ *pb.Event, p *pb.ResourceStatusCheckEvent) error {
			text = resourceText(p)
			return nil
		},
		FileSyncEvent: func(_ *pb.Event, p *pb.FileSyncEvent) error {
			if done := verb(p.GetStatus(), kit.FileSyncEventStatusSucceeded, "succeeded"); done != "" {
				text = fmt.Sprintf("File sync %s for %d files for %s", done, p.GetFileCount(), p.GetImage())
			}
			return nil
		},
		DebuggingContainerEvent: func(_ *pb.Event, p *pb.DebuggingContainerEvent) error {
			text = debugText(p)
			return nil
		},
		DevLoopEvent: func(_ *pb.Event, p *pb.DevLoopEvent) error {
			text = devLoopText(p)
			return nil
		},
	}
	// The cases return no errors.
	_ = cases.Handle(e)
	return text
}

// verb is the word for a status, success being the one of an event that went
// well, and done the word for that; "" for the statuses without one.
func verb(status, success, done string) string {
	switch status {
	case kit.EventStatusInProgress:
		return "started"
	case success:
		return done
	case kit.EventStatusFailed:
		return "failed"
	}
	return ""
}

func resourceText(p *pb.ResourceStatusCheckEvent) string {
	switch p.GetStatus() {
	case kit.ResourceStatusCheckEventStatusInProgress:
		return fmt.Sprintf("Resource %s status updated to %s", p.GetResource(), p.GetStatus())
	case kit.ResourceStatusCheckEventStatusSucceeded:
		return fmt.Sprintf("Resource %s status completed successfully", p.GetResource())
	case kit.ResourceStatusCheckEventStatusFailed:
		return fmt.Sprintf("Resource %s status failed with %s", p.GetResource(), p.GetErr())
	}
	return ""
}

func debugText(p *pb.DebuggingContainerEvent) string {
	var what string
	switch p.GetStatus() {
	case kit.DebuggingContainerEventStatusStarted:
		what = "started"
	case kit.DebuggingContainerEventStatusTerminated:
		what = "terminated"
	default:
		return ""
	}
	return fmt.Sprintf("Debuggable container %s pod/%s:%s (%s)",
		what, p.GetPodName(), p.GetContainerName(), p.GetNamespace())
}

func devLoopText(p *pb.DevLoopEvent) string {
	switch p.GetStatus() {
	case kit.DevLoopEventStatusInProgress:
		return "Update initiated"
	case kit.DevLoopEventStatusSucceeded:
		return "Update succeeded"
	case kit.DevLoopEventStatusFailed:
		return fmt.Sprintf("Update failed with error code %v", p.GetErr().GetErrCode())
	}
	return ""
}
