// Package session keeps what the event API shows of one run of Skaffold: its
// events, and the state that follows from them.
package session

import (
	"errors"
	"sync/atomic"

	"google.golang.org/protobuf/proto"

	"github.com/skaffoldgen/protoc-gen-skaffold/eventlog"
	"github.com/skaffoldgen/protoc-gen-skaffold/examples/skaffold/project"
)

// Model is the state of a session. A Session calls its methods one at a time.
type Model[E, S proto.Message] interface {
	// Apply is called for each event, whatever is in it: clients can send any.
	Apply(E)
	// Loop is called when an iteration of the dev loop begins, before Reset.
	Loop()
	Reset(Reset)
	// Trigger is a trigger of the state, to be read or set; nil for a stage that
	// does not exist.
	Trigger(project.Stage) *bool
	// State returns a copy.
	State() S
}

// Session is a run of Skaffold in one version of the API. Its methods may be
// called by any number of goroutines at a time.
//
// All that happens goes through one log, the history, and takes effect in its
// order: on the model, and on the log of events that clients read. So the two
// never disagree.
type Session[E, S proto.Message] struct {
	history *eventlog.Log[*Change[E]]
	events  *eventlog.Log[E]

	changed func()      // called when failing changes; may be nil
	failing atomic.Bool // the journal could not be written the last time

	// What follows changes in apply alone, under the history's lock.
	model Model[E, S]
	loops int // iterations of the dev loop that have begun
}

// New begins a session. What its journal has already is read first, and the
// session goes on from there. The Recovery tells what was read, and what is lost:
// the last line, for one, if the process that wrote it has crashed.
func New[E, S proto.Message](journal Journal, model Model[E, S]) (*Session[E, S], *eventlog.Recovery, error) {
	events := eventlog.Proto[E]()
	events.Clone = nil
	s := &Session[E, S]{events: eventlog.New(events), model: model, changed: journal.Changed}
	history := eventlog.Config[*Change[E]]{
		MaxEvents: 1, // nobody reads it: what clients read is in events
		Apply:     func(_ eventlog.Seq, c *Change[E]) { s.apply(c) },
	}
	if journal.Path == "" {
		s.history = eventlog.New(history)
		return s, &eventlog.Recovery{}, nil
	}
	var recovery *eventlog.Recovery
	var err error
	s.history, recovery, err = eventlog.Open(history, eventlog.Journal[*Change[E]]{
		Path:    journal.Path,
		Lines:   Lines[E](),
		Salvage: journal.Salvage,
	})
	return s, recovery, err
}

// apply lets a change take effect. It runs under the history's lock.
func (s *Session[E, S]) apply(c *Change[E]) {
	if k := c.Control; k != nil {
		if k.Loop {
			s.loops++
			s.model.Loop()
		}
		if k.Reset != "" {
			s.model.Reset(k.Reset)
		}
		if t := s.model.Trigger(k.Stage); t != nil {
			*t = k.Auto
		}
	}
	if c.hasEvent() {
		s.model.Apply(c.Event)
		// The log of events is closed after the history, so it takes all.
		_, _ = s.events.Append(c.Event)
	}
}

// Append adds a change to the history. The event belongs to the session from
// then on, and nobody may change it. The error is eventlog.ErrClosed after
// Close, or the journal's.
func (s *Session[E, S]) Append(c Change[E]) error {
	_, err := s.history.Append(&c)
	return s.note(err)
}

// Reset starts a part of the state anew.
func (s *Session[E, S]) Reset(r Reset) error {
	return s.Append(Change[E]{Control: &Control{Reset: r}})
}

// ErrAlreadySet is what SetTrigger returns where there is nothing to change.
var ErrAlreadySet = errors.New("the trigger is already set so")

// SetTrigger switches the trigger of a stage and resets what r says, unless r is
// "".
func (s *Session[E, S]) SetTrigger(stage project.Stage, on bool, r Reset) error {
	_, err := s.history.Update(func(eventlog.Seq) ([]*Change[E], error) {
		if t := s.model.Trigger(stage); t == nil || *t == on {
			return nil, ErrAlreadySet
		}
		return []*Change[E]{{Control: &Control{Stage: stage, Auto: on, Reset: r}}}, nil
	})
	return s.note(err)
}

// Trigger tells whether a stage runs by itself.
func (s *Session[E, S]) Trigger(stage project.Stage) (on bool) {
	s.history.Snapshot(func(eventlog.Seq) {
		if t := s.model.Trigger(stage); t != nil {
			on = *t
		}
	})
	return on
}

// BeginLoop begins an iteration of the dev loop, whose number it returns: the
// first has 1. The event that tells of it is made by event; r is what is reset
// at the same time.
func (s *Session[E, S]) BeginLoop(r Reset, event func(loop int) E) (loop int, err error) {
	_, err = s.history.Update(func(eventlog.Seq) ([]*Change[E], error) {
		loop = s.loops + 1
		return []*Change[E]{{Event: event(loop), Control: &Control{Loop: true, Reset: r}}}, nil
	})
	return loop, s.note(err)
}

// Loops is the number of iterations that have begun.
func (s *Session[E, S]) Loops() (n int) {
	s.history.Snapshot(func(eventlog.Seq) { n = s.loops })
	return n
}

// State returns a copy of the state, and the number of the last event that has
// gone into it: the events from the next one on tell all that comes after.
func (s *Session[E, S]) State() (state S, last eventlog.Seq) {
	s.history.Snapshot(func(eventlog.Seq) {
		state, last = s.model.State(), s.events.Last()
	})
	return state, last
}

// Events reads the events from one on; 0 is the oldest that is still kept.
func (s *Session[E, S]) Events(from eventlog.Seq) *eventlog.Reader[E] {
	return s.events.Reader(from)
}

// Close ends the session: readers get the events that are left, and then io.EOF.
func (s *Session[E, S]) Close() error {
	return errors.Join(s.history.Close(), s.events.Close())
}
