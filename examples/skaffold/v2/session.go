package v2

import (
	"context"
	"errors"
	"fmt"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/skaffoldgen/protoc-gen-skaffold/eventlog"
	"github.com/skaffoldgen/protoc-gen-skaffold/examples/skaffold/project"
	"github.com/skaffoldgen/protoc-gen-skaffold/examples/skaffold/session"
	pb "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v2"
	kit "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v2/skaffoldv2kit"
)

// Session is a run of Skaffold as v2 of the API shows it.
type Session struct {
	*session.Session[*pb.Event, *pb.State]
	now project.Clock
	// logs are the application's, of the current iteration: they are neither
	// among the events nor in the journal.
	logs *eventlog.Log[*pb.Event]
}

// NewSession begins a session, or goes on with that of the journal.
func NewSession(journal session.Journal, p project.Project, now project.Clock) (*Session, *eventlog.Recovery, error) {
	bounds := eventlog.Proto[*pb.Event]()
	bounds.Clone = nil
	logs := eventlog.New(bounds)
	s, recovery, err := session.New(journal, newModel(p, func() { logs.Trim(logs.Last() + 1) }))
	if err != nil {
		return nil, nil, err
	}
	return &Session{s, now, logs}, recovery, nil
}

// Emit adds an event that happens now and belongs to the session from then on. It is what an
// EventEmitter sends to. A nil event is ignored.
func (s *Session) Emit(_ context.Context, e *pb.Event) error {
	if e == nil {
		return nil
	}
	e.Timestamp = timestamppb.New(s.now())
	return s.Append(session.Change[*pb.Event]{Event: e})
}

// Append adds a change, whose event keeps the time that it has.
func (s *Session) Append(c session.Change[*pb.Event]) error {
	if kit.KindOfEvent(c.Event) == kit.EventKindApplicationLogEvent {
		_, err := s.logs.Append(c.Event)
		return err
	}
	return s.Session.Append(c)
}

// BeginLoop begins an iteration of the dev loop and returns its number: the
// first is 1. The state starts anew, and the application's logs are emptied.
func (s *Session) BeginLoop() (iteration int32, err error) {
	_, err = s.Session.BeginLoop(session.ResetAll, func(loop int) *pb.Event {
		iteration = int32(loop)
		e := kit.NewTaskEvent(&pb.TaskEvent{
			Id:        TaskID(kit.TaskEventTaskDevLoop, iteration),
			Task:      kit.TaskEventTaskDevLoop,
			Iteration: iteration,
			Status:    kit.TaskEventStatusInProgress,
		})
		e.Timestamp = timestamppb.New(s.now())
		return e
	})
	return iteration, err
}

// TaskID is the id of a task in an iteration of the dev loop.
func TaskID(task string, iteration int32) string { return fmt.Sprintf("%s-%d", task, iteration) }

// ApplicationLogs reads the application's logs of this iteration and the next
// ones, from a line on; 0 is the oldest. Lines of an iteration that has ended are
// passed over.
func (s *Session) ApplicationLogs(from eventlog.Seq) *eventlog.Reader[*pb.Event] {
	return s.logs.Reader(from, eventlog.Gaps[*pb.Event](func(_, _ eventlog.Seq) {}))
}

// Close ends the session: readers get the events that are left, and then io.EOF.
func (s *Session) Close() error {
	return errors.Join(s.Session.Close(), s.logs.Close())
}
