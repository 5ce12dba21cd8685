package session

import (
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/skaffoldgen/protoc-gen-skaffold/examples/skaffold/project"
)

// Runner runs the stages that clients ask for. Its methods return at once.
type Runner interface {
	// Check tells why nothing can run now: nil if all is well.
	Check() error
	// Execute runs stages once, whatever their triggers say.
	Execute(stages ...project.Stage)
	// TriggersChanged tells that a trigger was switched.
	TriggersChanged()
}

// ErrNoRunner is the answer to those who want to drive a session that nothing
// runs.
var ErrNoRunner = status.Error(codes.FailedPrecondition,
	"this session is a recording, which nobody can drive: start the server without -replay")
