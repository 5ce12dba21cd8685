package main

import (
	"context"
	"iter"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	control "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/buildkit/control"
	"github.com/skaffoldgen/protoc-gen-skaffold/serve"
)

// Session is not implemented: only builds need one.
func (s *Server) Session(
	context.Context, iter.Seq2[*control.BytesMessage, error], serve.Sender[*control.BytesMessage],
) error {
	return status.Error(codes.Unimplemented, "moby.buildkit.v1.Control.Session is not implemented")
}
