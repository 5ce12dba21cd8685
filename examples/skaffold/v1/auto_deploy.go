package v1

import (
	"context"

	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/skaffoldgen/protoc-gen-skaffold/examples/skaffold/project"
	"github.com/skaffoldgen/protoc-gen-skaffold/examples/skaffold/session"
	pb "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v1"
)

// AutoDeploy says whether the deploy stage runs by itself when files change.
func (s *Server) AutoDeploy(_ context.Context, req *pb.TriggerRequest) (*emptypb.Empty, error) {
	return s.setTrigger(project.Deploy, req, session.ResetDeploy)
}
