package v1

import (
	"context"

	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/skaffoldgen/protoc-gen-skaffold/examples/skaffold/session"
	pb "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v1"
)

// GetState returns the state. The header says which event was the last to change
// it.
func (s *Server) GetState(ctx context.Context, _ *emptypb.Empty) (*pb.State, error) {
	state, last := s.session.State()
	return state, session.SendLastEvent(ctx, last)
}
