package v2

import (
	"context"

	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/skaffoldgen/protoc-gen-skaffold/examples/skaffold/session"
	pb "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v2"
	"github.com/skaffoldgen/protoc-gen-skaffold/serve"
)

// Events sends all events that are kept, and then each as it comes. The header
// says which is the first.
func (s *Server) Events(ctx context.Context, _ *emptypb.Empty, stream serve.Sender[*pb.Event]) error {
	if _, err := session.FirstEvent(ctx); err != nil {
		return err // that is no client yet
	}
	s.connect.Do(func() { close(s.connected) })
	return session.Follow(ctx, s.session.Events, stream)
}
