package v2

import (
	"errors"
	"fmt"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/skaffoldgen/protoc-gen-skaffold/examples/skaffold/project"
	"github.com/skaffoldgen/protoc-gen-skaffold/examples/skaffold/session"
	pb "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v2"
)

// names are those of the stages in errors. They begin with a capital, unlike in
// v1.
var names = map[project.Stage]string{
	project.Build:  "Build",
	project.Sync:   "Sync",
	project.Deploy: "Deploy",
}

// setTrigger is what AutoBuild, AutoSync and AutoDeploy have in common. A request
// that does not say whether to enable the trigger disables it. Switching one on
// also resets the state that belongs to the stage.
func (s *Server) setTrigger(
	stage project.Stage, req *pb.TriggerRequest, reset session.Reset,
) (*emptypb.Empty, error) {
	on := req.GetState().GetEnabled()
	if s.runner == nil && s.session.Trigger(stage) != on {
		return nil, session.ErrNoRunner
	}
	if !on {
		reset = ""
	}
	notSet := fmt.Sprintf("auto %s was not set", names[stage])
	if s.runner != nil {
		if err := s.runner.Check(); err != nil {
			return nil, session.Refused(notSet, err)
		}
	}
	switch err := s.session.SetTrigger(stage, on, reset); {
	case errors.Is(err, session.ErrAlreadySet):
		return nil, status.Errorf(codes.AlreadyExists, "auto %s is already set to %t", names[stage], on)
	case err != nil:
		return nil, session.Refused(notSet, err)
	}
	s.runner.TriggersChanged()
	return &emptypb.Empty{}, nil
}
