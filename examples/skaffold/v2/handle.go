package v2

import (
	"context"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/skaffoldgen/protoc-gen-skaffold/examples/skaffold/session"
	pb "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v2"
)

// Handle takes a client's event, which has the same effect as one of the run
// itself. An event that is nil is ignored.
func (s *Server) Handle(ctx context.Context, req *pb.Event) (*emptypb.Empty, error) {
	if err := s.session.Emit(ctx, proto.CloneOf(req)); err != nil {
		return nil, session.Refused("the event was not taken", err)
	}
	return &emptypb.Empty{}, nil
}
