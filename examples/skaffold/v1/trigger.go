package v1

import (
	"errors"
	"fmt"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/skaffoldgen/protoc-gen-skaffold/examples/skaffold/project"
	"github.com/skaffoldgen/protoc-gen-skaffold/examples/skaffold/session"
	pb "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v1"
)

// setTrigger is what AutoBuild, AutoSync and AutoDeploy have in common. Switching
// a trigger on also resets the state that belongs to the stage.
func (s *Server) setTrigger(
	stage project.Stage, req *pb.TriggerRequest, reset session.Reset,
) (*emptypb.Empty, error) {
	if _, ok := req.GetState().GetVal().(*pb.TriggerState_Enabled); !ok {
		return nil, status.Error(codes.InvalidArgument, "missing required boolean parameter 'enabled'")
	}
	on := req.GetState().GetEnabled()
	if s.runner == nil && s.session.Trigger(stage) != on {
		return nil, session.ErrNoRunner
	}
	if !on {
		reset = ""
	}
	notSet := fmt.Sprintf("auto %s was not set", stage)
	if s.runner != nil {
		if err := s.runner.Check(); err != nil {
			return nil, session.Refused(notSet, err)
		}
	}
	switch err := s.session.SetTrigger(stage, on, reset); {
	case errors.Is(err, session.ErrAlreadySet):
		return nil, status.Errorf(codes.AlreadyExists, "auto %s is already set to %t", stage, on)
	case err != nil:
		return nil, session.Refused(notSet, err)
	}
	s.runner.TriggersChanged()
	return &emptypb.Empty{}, nil
}
