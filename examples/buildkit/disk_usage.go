package main

import (
	"context"

	control "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/buildkit/control"
)

// DiskUsage lists the cache records that match one of the filters.
func (s *Server) DiskUsage(_ context.Context, req *control.DiskUsageRequest) (*control.DiskUsageResponse, error) {
	want, err := parseFilters(req.GetFilter())
	if err != nil {
		return nil, err
	}
	return &control.DiskUsageResponse{Record: s.cache.Usage(want)}, nil
}
