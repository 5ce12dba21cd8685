package main

import (
	"context"

	control "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/buildkit/control"
	"github.com/skaffoldgen/protoc-gen-skaffold/serve"
)

// Status sends what a build reported, and what it reports until it ends. A
// build that is not there yet is waited for.
func (s *Server) Status(
	ctx context.Context, req *control.StatusRequest, stream serve.Sender[*control.StatusResponse],
) error {
	if err := requireRef(req.GetRef()); err != nil {
		return err
	}
	if err := sendTimestamp(ctx); err != nil {
		return err
	}
	reports, err := s.history.Status(ctx, req.GetRef(), s.statusWait)
	if err != nil {
		return buildError(err)
	}
	return serve.Follow(ctx, reports, stream)
}
