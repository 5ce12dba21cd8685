package v1

import (
	"context"

	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/skaffoldgen/protoc-gen-skaffold/examples/skaffold/project"
	"github.com/skaffoldgen/protoc-gen-skaffold/examples/skaffold/session"
	pb "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v1"
)

// AutoBuild says whether the build stage runs by itself when files change.
func (s *Server) AutoBuild(_ context.Context, req *pb.TriggerRequest) (*emptypb.Empty, error) {
	return s.setTrigger(project.Build, req, session.ResetBuild)
}
