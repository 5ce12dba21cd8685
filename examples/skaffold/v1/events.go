package v1

import (
	"context"

	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/skaffoldgen/protoc-gen-skaffold/examples/skaffold/session"
	pb "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v1"
	"github.com/skaffoldgen/protoc-gen-skaffold/serve"
)

// Events sends all events that are kept, and then each as it comes. The header
// says which is the first.
func (s *Server) Events(ctx context.Context, _ *emptypb.Empty, stream serve.Sender[*pb.LogEntry]) error {
	return s.follow(ctx, stream)
}

func (s *Server) follow(ctx context.Context, stream serve.Sender[*pb.LogEntry]) error {
	return session.Follow(ctx, s.session.Events, stream)
}
