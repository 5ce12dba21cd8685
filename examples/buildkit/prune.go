package main

import (
	"context"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/skaffoldgen/protoc-gen-skaffold/examples/buildkit/internal/cache"
	control "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/buildkit/control"
	"github.com/skaffoldgen/protoc-gen-skaffold/serve"
)

// Prune removes cache records and sends each when it is gone. The stream ends
// when there is nothing more to remove.
func (s *Server) Prune(
	ctx context.Context, req *control.PruneRequest, stream serve.Sender[*control.UsageRecord],
) error {
	want, err := parseFilters(req.GetFilter())
	if err != nil {
		return err
	}
	if req.GetKeepDuration() < 0 || req.GetKeepBytes() < 0 {
		return status.Error(codes.InvalidArgument, "keepDuration and keepBytes cannot be negative; 0 keeps nothing")
	}
	return s.cache.Prune(ctx, cache.PruneOptions{
		Filter:       want,
		All:          req.GetAll(),
		KeepDuration: time.Duration(req.GetKeepDuration()),
		KeepBytes:    req.GetKeepBytes(),
	}, stream.Send)
}
