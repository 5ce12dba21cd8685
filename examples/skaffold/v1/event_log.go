package v1

import (
	"context"
	"iter"

	pb "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v1"
	"github.com/skaffoldgen/protoc-gen-skaffold/serve"
)

// EventLog sends what Events does. What the client sends is not read: it never
// meant anything.
func (s *Server) EventLog(
	ctx context.Context, _ iter.Seq2[*pb.LogEntry, error], stream serve.Sender[*pb.LogEntry],
) error {
	return s.follow(ctx, stream)
}
