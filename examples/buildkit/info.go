package main

import (
	"context"

	control "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/buildkit/control"
)

// Info tells the server's version. Clients call it to see whether there is a
// server.
func (s *Server) Info(context.Context, *control.InfoRequest) (*control.InfoResponse, error) {
	return &control.InfoResponse{BuildkitVersion: s.version}, nil
}
