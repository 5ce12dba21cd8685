package v1

import (
	"context"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/skaffoldgen/protoc-gen-skaffold/eventlog"
	"github.com/skaffoldgen/protoc-gen-skaffold/examples/skaffold/project"
	"github.com/skaffoldgen/protoc-gen-skaffold/examples/skaffold/session"
	pb "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v1"
	kit "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v1/skaffoldv1kit"
)

// Session is a run of Skaffold as v1 of the API shows it.
type Session struct {
	*session.Session[*pb.LogEntry, *pb.State]
	now project.Clock
}

// NewSession begins a session, or goes on with that of the journal.
func NewSession(journal session.Journal, p project.Project, now project.Clock) (*Session, *eventlog.Recovery, error) {
	s, recovery, err := session.New(journal, newModel(p))
	if err != nil {
		return nil, nil, err
	}
	return &Session{s, now}, recovery, nil
}

// Emit adds an event that happens now and belongs to the session from then on. It is what an
// EventEmitter sends to. A nil event is ignored.
func (s *Session) Emit(_ context.Context, e *pb.Event) error {
	if e == nil {
		return nil
	}
	return s.Append(session.Change[*pb.LogEntry]{Event: s.entry(e)})
}

// BeginLoop begins an iteration of the dev loop and returns its number: the
// first is 0.
func (s *Session) BeginLoop() (iteration int32, err error) {
	_, err = s.Session.BeginLoop("", func(loop int) *pb.LogEntry {
		iteration = int32(loop - 1)
		return s.entry(kit.NewDevLoopEvent(&pb.DevLoopEvent{
			Iteration: iteration,
			Status:    kit.DevLoopEventStatusInProgress,
		}))
	})
	return iteration, err
}

// entry is the line of the log for an event that happens now.
func (s *Session) entry(e *pb.Event) *pb.LogEntry {
	return &pb.LogEntry{Timestamp: timestamppb.New(s.now()), Event: e, Entry: entryText(e)}
}
