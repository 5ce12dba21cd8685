package v1

import (
	"context"

	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/skaffoldgen/protoc-gen-skaffold/examples/skaffold/project"
	"github.com/skaffoldgen/protoc-gen-skaffold/examples/skaffold/session"
	pb "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v1"
)

// Execute has stages run once, and resets the state that belongs to them. It
// does not wait for them.
func (s *Server) Execute(_ context.Context, req *pb.UserIntentRequest) (*emptypb.Empty, error) {
	var stages []project.Stage
	var resets []session.Reset
	if req.GetIntent().GetBuild() {
		stages, resets = append(stages, project.Build), append(resets, session.ResetBuild)
	}
	if req.GetIntent().GetDeploy() {
		stages, resets = append(stages, project.Deploy), append(resets, session.ResetDeploy)
	}
	if req.GetIntent().GetSync() {
		stages = append(stages, project.Sync)
	}
	if len(stages) == 0 {
		return &emptypb.Empty{}, nil
	}
	if s.runner == nil {
		return nil, session.ErrNoRunner
	}
	if err := s.runner.Check(); err != nil {
		return nil, session.Refused("nothing is run", err)
	}
	for _, r := range resets {
		if err := s.session.Reset(r); err != nil {
			return nil, session.Refused("nothing is run", err)
		}
	}
	s.runner.Execute(stages...)
	return &emptypb.Empty{}, nil
}
