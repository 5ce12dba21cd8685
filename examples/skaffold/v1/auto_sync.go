package v1

import (
	"context"

	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/skaffoldgen/protoc-gen-skaffold/examples/skaffold/project"

	pb "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v1"
)

// AutoSync says whether the sync stage runs by itself when files change.
func (s *Server) AutoSync(_ context.Context, req *pb.TriggerRequest) (*emptypb.Empty, error) {
	return s.setTrigger(project.Sync, req, "")
}
