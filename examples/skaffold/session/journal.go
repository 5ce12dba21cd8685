package session

import (
	"errors"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/skaffoldgen/protoc-gen-skaffold/eventlog"
)

// Journal says where a session is kept. The zero value keeps it in memory alone.
type Journal struct {
	Path    string // of the file; "" is none
	Salvage bool   // go on without the lines that cannot be read, instead of failing
	// Changed is called when the file can no longer be written, and when it can
	// again, if it is not nil. It must not wait, nor use the session.
	Changed func()
}

// Check tells why nothing can be added to the session: nil if all is well. If the
// journal could not be written the last time, it is tried again, with a change
// that changes nothing.
func (s *Session[E, S]) Check() error {
	if !s.failing.Load() {
		return nil
	}
	return s.Append(Change[E]{Control: &Control{}})
}

// note takes note of whether the journal could be written, and passes on the
// error. Those that are about the change itself say nothing of the journal.
func (s *Session[E, S]) note(err error) error {
	var failed *eventlog.JournalError
	failing := errors.As(err, &failed)
	if err != nil && !failing {
		return err
	}
	if s.failing.Swap(failing) != failing && s.changed != nil {
		s.changed()
	}
	return err
}

// Refused is the status for a change that a session did not take, what being what
// was not done: UNAVAILABLE if the journal cannot be written, or the session is
// over; INVALID_ARGUMENT if the change is one that cannot be kept.
func Refused(what string, err error) error {
	var failed *eventlog.JournalError
	switch {
	case errors.As(err, &failed):
		return status.Errorf(codes.Unavailable,
			"%s: try again later, for the journal cannot be written now: %v", what, failed.Err)
	case errors.Is(err, eventlog.ErrClosed):
		return status.Errorf(codes.Unavailable, "%s: %v", what, err)
	}
	return status.Errorf(codes.InvalidArgument, "%s: %v", what, err)
}
