package main

import (
	"context"

	"github.com/skaffoldgen/protoc-gen-skaffold/examples/buildkit/internal/builds"
	control "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/buildkit/control"
	"github.com/skaffoldgen/protoc-gen-skaffold/serve"
)

// ListenBuildHistory sends the builds that run, as STARTED, those that are
// stored, as COMPLETE, and then, unless the client wants to leave early, each
// change: once, and in order.
func (s *Server) ListenBuildHistory(
	ctx context.Context, req *control.BuildHistoryRequest, stream serve.Sender[*control.BuildHistoryEvent],
) error {
	if err := sendTimestamp(ctx); err != nil {
		return err
	}
	known, changes := s.history.Listen(builds.Query{Ref: req.GetRef(), ActiveOnly: req.GetActiveOnly()})
	for _, e := range known {
		if err := stream.Send(e); err != nil {
			return err
		}
	}
	if req.GetEarlyExit() {
		return nil
	}
	return serve.Follow(ctx, changes, stream)
}
