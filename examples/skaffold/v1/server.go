// Package v1 implements version 1 of Skaffold's event API: the service
// proto.SkaffoldService.
package v1

import (
	"github.com/skaffoldgen/protoc-gen-skaffold/examples/skaffold/session"
	kit "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v1/skaffoldv1kit"
)

// Server implements the service.
type Server struct {
	session *Session
	runner  session.Runner
}

var _ kit.SkaffoldServiceServer = (*Server)(nil)

// NewServer serves a session. The control RPCs drive runner; they fail if it is
// nil.
func NewServer(s *Session, runner session.Runner) *Server {
	return &Server{session: s, runner: runner}
}
