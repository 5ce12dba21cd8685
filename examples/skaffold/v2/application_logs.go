package v2

import (
	"context"

	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/skaffoldgen/protoc-gen-skaffold/examples/skaffold/session"
	pb "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v2"
	"github.com/skaffoldgen/protoc-gen-skaffold/serve"
)

// ApplicationLogs sends what the application has logged in this iteration of the
// dev loop, and then each line as it comes.
func (s *Server) ApplicationLogs(ctx context.Context, _ *emptypb.Empty, stream serve.Sender[*pb.Event]) error {
	return session.Follow(ctx, s.session.ApplicationLogs, stream)
}
