package v2

import (
	"context"

	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/skaffoldgen/protoc-gen-skaffold/examples/skaffold/project"
	"github.com/skaffoldgen/protoc-gen-skaffold/examples/skaffold/session"
	pb "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v2"
)

// Execute has stages run once, and resets the state that belongs to them. It
// does not wait for them. With devloop the other fields do not count.
func (s *Server) Execute(_ context.Context, req *pb.UserIntentRequest) (*emptypb.Empty, error) {
	stages, resets := plan(req.GetIntent())
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

// plan is what an intent has run, and what is reset for it.
func plan(intent *pb.Intent) (stages []project.Stage, resets []session.Reset) {
	if intent.GetDevloop() {
		return []project.Stage{project.Build, project.Sync, project.Deploy}, []session.Reset{session.ResetBuild}
	}
	if intent.GetBuild() {
		stages, resets = append(stages, project.Build), append(resets, session.ResetBuild)
	}
	if intent.GetDeploy() {
		stages, resets = append(stages, project.Deploy), append(resets, session.ResetDeploy)
	}
	if intent.GetSync() {
		stages = append(stages, project.Sync)
	}
	return stages, resets
}
