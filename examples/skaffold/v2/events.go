package v2

import (
	"context"

	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/skaffoldgen/protoc-gen-skaffold/examples/skaffold/session"
	pb "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v2"
	"github.com/skaffoldgen/protoc-gen-skaffold/serve"
)

// Events sends all events from the first on, and then each as it comes.
func (s *Server) Events(ctx context.Context, _ *emptypb.Empty, stream serve.Sender[*pb.Event]) error {
	first, err := session.FirstEvent(ctx)
	if err != nil {
		return err
	}
	s.connect.Do(func() { close(s.connected) })
	return serve.Follow(ctx, s.session.Events(first), stream)
}
