package main

import (
	"context"

	control "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/buildkit/control"
)

// UpdateBuildHistory deletes a stored build, or waits until its record is
// final, or pins or unpins it; the first of these that the request asks for.
func (s *Server) UpdateBuildHistory(
	_ context.Context, req *control.UpdateBuildHistoryRequest,
) (*control.UpdateBuildHistoryResponse, error) {
	err := requireRef(req.GetRef())
	switch {
	case err != nil:
		return nil, err
	case req.GetDelete():
		err = s.history.Delete(req.GetRef())
	case req.GetFinalize():
		err = s.history.Finalize(req.GetRef())
	default:
		err = s.history.Pin(req.GetRef(), req.GetPinned())
	}
	if err != nil {
		return nil, buildError(err)
	}
	return &control.UpdateBuildHistoryResponse{}, nil
}
