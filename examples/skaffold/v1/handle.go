package v1

import (
	"context"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/emptypb"

	pb "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v1"
)

// Handle takes a client's event, which has the same effect as one of the run
// itself. An event that is nil is ignored.
func (s *Server) Handle(ctx context.Context, req *pb.Event) (*emptypb.Empty, error) {
	if err := s.session.Emit(ctx, proto.CloneOf(req)); err != nil {
		return nil, status.Errorf(codes.Unavailable, "the event was not taken: %v", err)
	}
	return &emptypb.Empty{}, nil
}
