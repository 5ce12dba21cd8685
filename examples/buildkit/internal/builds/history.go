// Package builds has the builds that a server knows: those that run, those that
// are stored, what they reported, and a builder that shows recorded ones again.
package builds

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/skaffoldgen/protoc-gen-skaffold/eventlog"
	control "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/buildkit/control"
)

// What errors of a History are about. Most go on with the ref of a build.
var (
	ErrUnknown = errors.New("no such job")
	ErrExists  = errors.New("there is already a build")
	ErrActive  = errors.New("the build has not ended yet")
	ErrClosed  = errors.New("the server is shutting down")
)

// Config says how long builds are kept. A build goes when it is older than
// MaxAge and there are MaxEntries that completed after it; pinned ones stay and
// do not count.
type Config struct {
	MaxEntries int
	MaxAge     time.Duration
}

// History is the set of all builds, and the events of their coming and going.
// Its methods may be called by any number of goroutines at a time.
type History struct {
	cfg Config
	// events has the changes of builds. They are made by its Apply, and read in
	// its Snapshot and Update, so that who reads both sees each change once.
	events *eventlog.Log[*control.BuildHistoryEvent]
	builds map[string]*build
}

// build is a build in one of its states; another state is another build.
type build struct {
	record *control.BuildHistoryRecord
	active bool
	seq    eventlog.Seq // of the event that made it
	status *eventlog.Log[*control.StatusResponse]
}

// New makes a History without builds.
func New(cfg Config) *History {
	h := &History{cfg: cfg, builds: map[string]*build{}}
	events := eventlog.Proto[*control.BuildHistoryEvent]()
	events.Apply = h.apply
	h.events = eventlog.New(events)
	return h
}

// apply does what an event says. The log calls it, for one event at a time.
func (h *History) apply(seq eventlog.Seq, e *control.BuildHistoryEvent) {
	ref := e.GetRecord().GetRef()
	switch e.GetType() {
	case control.BuildHistoryEventType_STARTED:
		h.builds[ref] = &build{record: e.GetRecord(), active: true, seq: seq, status: newStatus()}
	case control.BuildHistoryEventType_COMPLETE:
		b := *h.builds[ref]
		if b.active {
			b.active, b.seq = false, seq
		}
		b.record = e.GetRecord()
		h.builds[ref] = &b
	case control.BuildHistoryEventType_DELETED:
		delete(h.builds, ref)
	}
}

// changes are what follows from looking at the builds as they are.
type changes []*control.BuildHistoryEvent

// update appends the changes that decide finds. It must not call the log.
func (h *History) update(decide func() (changes, error)) error {
	_, err := h.events.Update(func(eventlog.Seq) ([]*control.BuildHistoryEvent, error) { return decide() })
	if errors.Is(err, eventlog.ErrClosed) {
		return ErrClosed
	}
	return err
}

// get returns a build, or nil, and the number of the event that comes next.
func (h *History) get(ref string) (b *build, next eventlog.Seq) {
	h.events.Snapshot(func(last eventlog.Seq) { b, next = h.builds[ref], last+1 })
	return b, next
}

// Store adds a build that has been completed, as if it had always been there:
// there is no event. Without a time of its creation it starts now; without one
// of its completion it takes as long as its steps.
func (h *History) Store(r *Recording) error {
	rec := proto.CloneOf(r.Record)
	if rec.GetCreatedAt() == nil {
		rec.CreatedAt = timestamppb.Now()
	}
	start := rec.GetCreatedAt().AsTime()
	frames := r.frames(start)
	if len(r.Steps) > 0 {
		end := start.Add(frames[len(frames)-1].after)
		if rec.GetCompletedAt() != nil {
			end = rec.GetCompletedAt().AsTime()
		}
		rec = r.result(rec, frames, end, nil)
	}
	if rec.GetCompletedAt() == nil {
		rec.CompletedAt = rec.GetCreatedAt()
	}
	b := &build{record: rec, status: newStatus()}
	for _, f := range frames {
		if err := b.report(f.status); err != nil {
			return err
		}
	}
	if err := b.status.Close(); err != nil {
		return err
	}
	return h.update(func() (changes, error) {
		if h.builds[rec.GetRef()] != nil {
			return nil, fmt.Errorf("%w %s", ErrExists, rec.GetRef())
		}
		h.builds[rec.GetRef()] = b
		return nil, nil
	})
}

// start adds a build that runs.
func (h *History) start(rec *control.BuildHistoryRecord) (*build, error) {
	if err := h.update(func() (changes, error) {
		if h.builds[rec.GetRef()] != nil {
			return nil, fmt.Errorf("%w %s", ErrExists, rec.GetRef())
		}
		return changes{event(control.BuildHistoryEventType_STARTED, rec)}, nil
	}); err != nil {
		return nil, err
	}
	b, _ := h.get(rec.GetRef())
	return b, nil
}

// complete makes a build that runs a stored one, and lets go of old ones.
func (h *History) complete(b *build, rec *control.BuildHistoryRecord) error {
	if err := b.status.Close(); err != nil {
		return err
	}
	if err := h.update(func() (changes, error) {
		return changes{event(control.BuildHistoryEventType_COMPLETE, rec)}, nil
	}); err != nil {
		return err
	}
	return h.expire()
}

// expire deletes the builds that are no longer to be kept.
func (h *History) expire() error {
	oldest := time.Now().Add(-h.cfg.MaxAge)
	return h.update(func() (gone changes, err error) {
		unpinned := h.unpinned()
		for _, b := range slices.Backward(unpinned[min(h.cfg.MaxEntries, len(unpinned)):]) {
			if b.completed().Before(oldest) {
				gone = append(gone, deletion(b.record.GetRef()))
			}
		}
		return gone, nil
	})
}

// unpinned are the stored builds that may go, the newest first.
func (h *History) unpinned() []*build {
	var found []*build
	for _, b := range h.builds {
		if !b.active && !b.record.GetPinned() {
			found = append(found, b)
		}
	}
	slices.SortFunc(found, func(a, b *build) int {
		return cmp.Or(b.completed().Compare(a.completed()), cmp.Compare(b.seq, a.seq),
			cmp.Compare(a.record.GetRef(), b.record.GetRef()))
	})
	return found
}

func (b *build) completed() time.Time { return b.record.GetCompletedAt().AsTime() }

// change appends the event, if there is one, that follows from a stored build.
func (h *History) change(ref string, decide func(*build) *control.BuildHistoryEvent) error {
	return h.update(func() (changes, error) {
		b := h.builds[ref]
		if b == nil {
			return nil, fmt.Errorf("%w %s", ErrUnknown, ref)
		}
		if b.active {
			return nil, fmt.Errorf("%w: %s", ErrActive, ref)
		}
		if e := decide(b); e != nil {
			return changes{e}, nil
		}
		return nil, nil
	})
}

// Pin sets whether a stored build is kept whatever its age is. Each call gives
// the record a new generation and listeners a COMPLETE event.
func (h *History) Pin(ref string, pinned bool) error {
	return h.change(ref, func(b *build) *control.BuildHistoryEvent {
		rec := proto.CloneOf(b.record)
		rec.Pinned = pinned
		rec.Generation++
		return event(control.BuildHistoryEventType_COMPLETE, rec)
	})
}

// Delete removes a stored build, pinned or not.
func (h *History) Delete(ref string) error {
	return h.change(ref, func(*build) *control.BuildHistoryEvent { return deletion(ref) })
}

// Finalize returns when the record of a stored build is final, which here it
// always is.
func (h *History) Finalize(ref string) error {
	return h.change(ref, func(*build) *control.BuildHistoryEvent { return nil })
}

func event(kind control.BuildHistoryEventType, rec *control.BuildHistoryRecord) *control.BuildHistoryEvent {
	return &control.BuildHistoryEvent{Type: kind, Record: rec}
}

func deletion(ref string) *control.BuildHistoryEvent {
	return event(control.BuildHistoryEventType_DELETED, &control.BuildHistoryRecord{Ref: ref})
}

// Query says which builds a listener wants.
type Query struct {
	Ref        string // only this one, if not empty
	ActiveOnly bool   // do not begin with stored builds
}

// Listen returns the builds that there are, as events, and a reader of all
// later ones. Running builds come first, in the order in which they started,
// then stored ones, in the order in which they completed. Every change is in
// one of the two, once. The events are shared and must not be changed.
func (h *History) Listen(q Query) ([]*control.BuildHistoryEvent, *eventlog.Reader[*control.BuildHistoryEvent]) {
	var found []*build
	var next eventlog.Seq
	h.events.Snapshot(func(last eventlog.Seq) {
		next = last + 1
		for ref, b := range h.builds {
			if (q.Ref == "" || q.Ref == ref) && (b.active || !q.ActiveOnly) {
				found = append(found, b)
			}
		}
	})
	slices.SortFunc(found, func(a, b *build) int {
		return cmp.Or(
			cmp.Compare(a.kind(), b.kind()),
			cmp.Compare(a.seq, b.seq),
			a.completed().Compare(b.completed()),
			cmp.Compare(a.record.GetRef(), b.record.GetRef()),
		)
	})
	events := make([]*control.BuildHistoryEvent, len(found))
	for i, b := range found {
		events[i] = event(b.kind(), b.record)
	}
	return events, h.events.Reader(next, eventlog.Filter(func(e *control.BuildHistoryEvent) bool {
		return q.Ref == "" || q.Ref == e.GetRecord().GetRef()
	}))
}

// kind is the event that made the build what it is.
func (b *build) kind() control.BuildHistoryEventType {
	if b.active {
		return control.BuildHistoryEventType_STARTED
	}
	return control.BuildHistoryEventType_COMPLETE
}

// Status reads all that a build reported and will report, to its end. A build
// that is not there is waited for, for so long.
func (h *History) Status(ctx context.Context, ref string,
	wait time.Duration) (*eventlog.Reader[*control.StatusResponse], error) {
	b, next := h.get(ref)
	if b == nil {
		if err := h.await(ctx, ref, next, wait); err != nil {
			return nil, err
		}
		b, _ = h.get(ref)
	}
	if b == nil {
		return nil, fmt.Errorf("%w %s", ErrUnknown, ref)
	}
	return b.status.Reader(1), nil
}

// await returns when a build has started, or the time to wait for it is over.
func (h *History) await(ctx context.Context, ref string, next eventlog.Seq, wait time.Duration) error {
	ctx, cancel := context.WithTimeoutCause(ctx, wait, ErrUnknown)
	defer cancel()
	started := h.events.Reader(next, eventlog.Filter(func(e *control.BuildHistoryEvent) bool {
		return e.GetType() == control.BuildHistoryEventType_STARTED && e.GetRecord().GetRef() == ref
	}))
	switch _, err := started.Next(ctx); {
	case errors.Is(err, ErrUnknown):
		return nil
	case errors.Is(err, io.EOF):
		return ErrClosed
	default:
		return err
	}
}

// Close ends all that listen, when they have read what there is. No build can
// be added or changed any more.
func (h *History) Close() error {
	err := h.events.Close()
	var all []*build
	h.events.Snapshot(func(eventlog.Seq) {
		for _, b := range h.builds {
			all = append(all, b)
		}
	})
	for _, b := range all {
		err = errors.Join(err, b.status.Close())
	}
	return err
}
