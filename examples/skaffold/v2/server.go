// Package v2 implements version 2 of Skaffold's event API: the service
// proto.v2.SkaffoldV2Service.
package v2

import (
	"context"
	"sync"

	"github.com/skaffoldgen/protoc-gen-skaffold/examples/skaffold/session"
	kit "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v2/skaffoldv2kit"
)

// Server implements the service.
type Server struct {
	session *Session
	runner  session.Runner

	connect   sync.Once
	connected chan struct{} // closed when a client asks for the events
}

var _ kit.SkaffoldV2ServiceServer = (*Server)(nil)

// NewServer serves a session. The control RPCs drive runner; they fail if it is
// nil.
func NewServer(s *Session, runner session.Runner) *Server {
	return &Server{session: s, runner: runner, connected: make(chan struct{})}
}

// WaitForConnection waits until a client has asked for the events, or until ctx
// ends, whose cause it returns then.
func (s *Server) WaitForConnection(ctx context.Context) error {
	select {
	case <-s.connected:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
