package eventlog

import (
	"context"
	"fmt"
	"io"
	"iter"
)

// TrimmedError tells a reader that the event it wants next is no longer in the
// log.
type TrimmedError struct {
	From   Seq // what the reader wants next
	Oldest Seq // the oldest that there is; one more than the last if there is none
}

func (e *TrimmedError) Error() string {
	return fmt.Sprintf("eventlog: event %d is no longer in the log, which begins with %d", e.From, e.Oldest)
}

// AheadError tells a reader that it was made for an event that does not follow
// on what is in the log: its number is from another log, or made up.
type AheadError struct {
	From Seq // what the reader was made for
	Last Seq // the last event of the log then
}

func (e *AheadError) Error() string {
	return fmt.Sprintf("eventlog: event %d is ahead of the log, which ends with %d", e.From, e.Last)
}

// Reader reads a log. It is not for use by several goroutines at a time. It
// holds nothing of the log, and needs no closing.
type Reader[E any] struct {
	log   *Log[E]
	next  Seq        // 0: the oldest, whichever it is
	held  *Record[E] // what Peek has found
	opts  readerOptions[E]
	ahead error
	err   error
}

type readerOptions[E any] struct {
	filter func(E) bool
	gaps   func(from, to Seq)
}

// ReaderOption changes what a reader does.
type ReaderOption[E any] func(*readerOptions[E])

// Filter leaves out the events that keep does not keep. It is called by Next,
// once for each event, and must not change the event.
func Filter[E any](keep func(E) bool) ReaderOption[E] {
	return func(o *readerOptions[E]) { o.filter = keep }
}

// Gaps makes a reader that finds events missing go on with the oldest that there
// is instead of ending with a *TrimmedError. Next calls notice, with the first
// and the last of the missing, before it returns an event that comes after them.
func Gaps[E any](notice func(from, to Seq)) ReaderOption[E] {
	return func(o *readerOptions[E]) { o.gaps = notice }
}

// Reader reads from an event on: 1 for all there ever was, Last()+1 for only
// what is to come, 0 for what is still there when Next is first called. With
// more than Last()+1 the reader only returns an *AheadError.
func (l *Log[E]) Reader(from Seq, opts ...ReaderOption[E]) *Reader[E] {
	r := &Reader[E]{log: l, next: from}
	if last := l.Last(); from > last+1 {
		r.ahead = &AheadError{From: from, Last: last}
	}
	for _, o := range opts {
		o(&r.opts)
	}
	return r
}

// Next returns the next event, waiting for it if need be. Its errors are
// io.EOF after the last event of a closed log, a *TrimmedError, an *AheadError,
// and the context's cause, which comes before any event. An error does not move
// the reader: Next may be called again.
//
// An event that was lost from the journal, which Open has reported, is passed
// over; with Gaps it is noticed.
func (r *Reader[E]) Next(ctx context.Context) (*Record[E], error) {
	var w *waiters
	for {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		rec, err := r.poll()
		switch {
		case err != nil:
			return nil, err
		case rec != nil:
			if r.opts.filter == nil || r.opts.filter(rec.Event) {
				return rec, nil
			}
		case w == nil:
			w = r.log.wait() // and look again: an event may have come in between
		default:
			w.wait(ctx)
			w = nil
		}
	}
}

// Peek tells which event Next looks at next: that it returns, unless the reader
// has a Filter. It does not wait: if the event is still to come, that is the one
// after the last. If it is there it is held for Next, so that it is not missed
// even if the log drops it in between. The errors are a *TrimmedError and an
// *AheadError.
func (r *Reader[E]) Peek() (Seq, error) {
	if r.held == nil {
		rec, err := r.poll()
		if err != nil && err != io.EOF {
			return 0, err
		}
		if rec == nil {
			return r.next, nil
		}
		r.held = rec
	}
	return r.held.Seq, nil
}

// poll returns the next event, or nil if there is none yet.
func (r *Reader[E]) poll() (*Record[E], error) {
	if rec := r.held; rec != nil {
		r.held = nil
		return rec, nil
	}
	if r.ahead != nil {
		return nil, r.ahead
	}
	l := r.log
	for {
		closed := l.closed.Load() // before last, which does not change once this is true
		last, next := l.Last(), r.next
		if next == 0 {
			next = Seq(l.oldest.Load())
		}
		if next > last {
			r.next = next
			if closed {
				return nil, io.EOF
			}
			return nil, nil
		}
		if rec := l.ring.Load().at(next).Load(); rec != nil && rec.Seq == next {
			r.next = next + 1
			return rec, nil
		}
		if err := r.pass(next); err != nil {
			return nil, err
		}
	}
}

// pass deals with an event that is not there.
func (r *Reader[E]) pass(missing Seq) error {
	oldest := Seq(r.log.oldest.Load())
	switch {
	case oldest <= missing:
		oldest = missing + 1 // lost from the journal
	case r.next == 0:
		return nil // it went just now: take what is the oldest by now
	case r.opts.gaps == nil:
		return &TrimmedError{From: missing, Oldest: oldest}
	}
	r.next = oldest
	if r.opts.gaps != nil {
		r.opts.gaps(missing, oldest-1)
	}
	return nil
}

// All yields the events until Next fails. Err tells why it did.
func (r *Reader[E]) All(ctx context.Context) iter.Seq2[Seq, E] {
	return func(yield func(Seq, E) bool) {
		r.err = nil
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

// Err is the error that ended All; nil at the end of a closed log, and if the
// loop was left.
func (r *Reader[E]) Err() error { return r.err }

// waiters is a group of readers that wait for one change of the log. The change
// wakes one of them, which wakes the others: so a producer pays for one reader,
// however many there are.
type waiters struct {
	one chan struct{} // gets a single token, for the one that is woken first
	all chan struct{} // closed by that one
}

// wait joins the readers that wait for a change.
func (l *Log[E]) wait() *waiters {
	for {
		if w := l.waiting.Load(); w != nil {
			return w
		}
		w := &waiters{one: make(chan struct{}, 1), all: make(chan struct{})}
		if l.waiting.CompareAndSwap(nil, w) {
			return w
		}
	}
}

// wake ends the wait of the readers that have joined. Each group is woken once.
func (l *Log[E]) wake() {
	if l.waiting.Load() == nil {
		return
	}
	if w := l.waiting.Swap(nil); w != nil {
		w.one <- struct{}{}
	}
}

func (w *waiters) wait(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-w.all:
	case <-w.one:
		close(w.all)
	}
}
