package main

import (
	"context"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	control "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/buildkit/control"
)

// Solve is not implemented: this server shows builds, it does not build.
func (s *Server) Solve(context.Context, *control.SolveRequest) (*control.SolveResponse, error) {
	return nil, status.Error(codes.Unimplemented, "moby.buildkit.v1.Control.Solve is not implemented")
}
