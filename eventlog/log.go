// Package eventlog keeps an ordered, bounded log of events for any number of
// readers.
//
// A Log numbers its events from 1. Readers own a cursor and pull: what was
// there before and what comes in are read by the same loop, in order, each
// event once. Appending never waits for a reader; one that falls behind the
// log's bounds is told what it missed.
package eventlog

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"sync"

	"google.golang.org/protobuf/proto"
)

// Seq is the number of an event in its log. The first has 1.
type Seq uint64

// ErrClosed is what Append returns after Close.
var ErrClosed = errors.New("eventlog: the log is closed")

// TrimmedError tells a reader that the event it wants next is no longer in the
// log.
type TrimmedError struct {
	From   Seq // what the reader wanted next
	Oldest Seq // the oldest that there is; one more than the last if there is none
}

func (e *TrimmedError) Error() string {
	return fmt.Sprintf("eventlog: event %d is no longer in the log, which begins with %d", e.From, e.Oldest)
}

// Config says how a log is kept. The zero value is a log of 65,536 events.
type Config[E any] struct {
	// MaxEvents bounds the number of events that are kept; 0 means 65,536.
	MaxEvents int
	// MaxBytes bounds the sum of their sizes, as Size tells them; 0 means 64 MiB
	// where there is a Size. The newest event is kept whatever its size is.
	MaxBytes int64
	Size     func(E) int
	// Clone copies an event that is appended, so that the caller may go on
	// changing it. Without it the log keeps what it is given.
	Clone func(E) E
	// Apply is called for each event, in order, before any reader sees it. Calls
	// of Apply and Snapshot never overlap.
	Apply func(Seq, E)
}

// Proto is the Config for messages: they are cloned, and measured by their
// encoded size.
func Proto[M proto.Message]() Config[M] {
	return Config[M]{
		Size:  func(m M) int { return proto.Size(m) },
		Clone: proto.CloneOf[M],
	}
}

// Log is an append-only log. Its methods may be called by any number of
// goroutines at a time.
type Log[E any] struct {
	cfg Config[E]

	mu     sync.Mutex
	recs   []*Record[E]
	last   Seq
	closed bool
	wake   chan struct{} // closed and replaced when something changes
}

// New makes an empty log.
func New[E any](cfg Config[E]) *Log[E] {
	return &Log[E]{cfg: cfg, wake: make(chan struct{})}
}

// Append adds an event and returns its number.
func (l *Log[E]) Append(e E) (Seq, error) {
	if l.cfg.Clone != nil {
		e = l.cfg.Clone(e)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return 0, ErrClosed
	}
	l.last++
	if l.cfg.Apply != nil {
		l.cfg.Apply(l.last, e)
	}
	l.recs = append(l.recs, &Record[E]{Seq: l.last, Event: e})
	l.wakeAll()
	return l.last, nil
}

// Snapshot calls f with the number of the last event, while no other event can
// be appended: state that f copies is the state after just that event, and a
// reader from the next one on sees every later change once. f may change the
// state too. It must not call the log.
func (l *Log[E]) Snapshot(f func(last Seq)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f(l.last)
}

// Last is the number of the last event; 0 if there was none.
func (l *Log[E]) Last() Seq {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.last
}

// Trim drops the events before one.
func (l *Log[E]) Trim(before Seq) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.recs) > 0 && l.recs[0].Seq < before {
		l.recs = l.recs[1:]
	}
}

// Close ends the log: readers get what is left and then io.EOF.
func (l *Log[E]) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.closed {
		l.closed = true
		l.wakeAll()
	}
	return nil
}

func (l *Log[E]) wakeAll() {
	close(l.wake)
	l.wake = make(chan struct{})
}

// Record is an event in a log. It is shared by all readers: they must not
// change the event.
type Record[E any] struct {
	Seq   Seq
	Event E

	once  sync.Once
	value any
	err   error
}

// Once returns what f makes of the event, which it is called for by the first
// reader alone; it is how an event that goes to many is encoded once. All
// callers have to mean the same thing by it.
func (r *Record[E]) Once(f func(E) (any, error)) (any, error) {
	r.once.Do(func() { r.value, r.err = f(r.Event) })
	return r.value, r.err
}

// Reader reads a log. It is not for use by several goroutines at a time, and
// needs no closing.
type Reader[E any] struct {
	log  *Log[E]
	next Seq
	opts readerOptions[E]
	err  error
}

type readerOptions[E any] struct {
	filter func(E) bool
	gap    func(from, to Seq) (E, bool)
}

// ReaderOption changes what a reader does.
type ReaderOption[E any] func(*readerOptions[E])

// Filter leaves out the events that keep does not keep.
func Filter[E any](keep func(E) bool) ReaderOption[E] {
	return func(o *readerOptions[E]) { o.filter = keep }
}

// Reader reads from an event on: 1 for all there ever was, Last()+1 for only
// what is to come, 0 for what is still there.
func (l *Log[E]) Reader(from Seq, opts ...ReaderOption[E]) *Reader[E] {
	r := &Reader[E]{log: l, next: from}
	for _, o := range opts {
		o(&r.opts)
	}
	return r
}

// Next returns the next event, waiting for it if need be. Its errors are
// io.EOF after the last event of a closed log, a *TrimmedError, and the
// context's cause.
func (r *Reader[E]) Next(ctx context.Context) (*Record[E], error) {
	for {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		rec, wake, err := r.try()
		switch {
		case err != nil:
			return nil, err
		case rec == nil:
			select {
			case <-ctx.Done():
			case <-wake:
			}
		case r.opts.filter == nil || r.opts.filter(rec.Event):
			return rec, nil
		}
	}
}

func (r *Reader[E]) try() (*Record[E], <-chan struct{}, error) {
	l := r.log
	l.mu.Lock()
	defer l.mu.Unlock()
	oldest := l.last + 1 - Seq(len(l.recs))
	switch {
	case r.next == 0:
		r.next = oldest
	case r.next < oldest:
		return nil, nil, &TrimmedError{From: r.next, Oldest: oldest}
	}
	if r.next > l.last {
		if l.closed {
			return nil, nil, io.EOF
		}
		return nil, l.wake, nil
	}
	rec := l.recs[r.next-oldest]
	r.next++
	return rec, nil, nil
}

// All yields the events until Next fails. Err tells why.
func (r *Reader[E]) All(ctx context.Context) iter.Seq2[Seq, E] {
	return func(yield func(Seq, E) bool) {
		for {
			rec, err := r.Next(ctx)
			if err != nil {
				if err != io.EOF {
					r.err = err
				}
				return
			}
			if !yield(rec.Seq, rec.Event) {
				return
			}
		}
	}
}

// Err is the error that ended All; nil at the end of a closed log.
func (r *Reader[E]) Err() error { return r.err }
