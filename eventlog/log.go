package eventlog

import (
	"errors"
	"sync"
	"sync/atomic"
)

// Seq is the number of an event in its log. The first has 1.
type Seq uint64

// ErrClosed is what Append and Update return after Close.
var ErrClosed = errors.New("eventlog: the log is closed")

// ErrInUse is what Open returns for a journal that another log has open, in this
// process or another.
var ErrInUse = errors.New("the journal is in use by another process, or another log of this one")

// Bounds of a log whose Config has none.
const (
	defaultMaxEvents = 65_536
	defaultMaxBytes  = 64 << 20
)

// Config says how a log is kept. The zero value is a log of 65,536 events.
//
// Its functions must not call the log, whose locks are held while they run. If
// one of them panics the event is not appended, the log goes on as if it had
// never come, and Append panics: with the same value, or, if the log has a
// journal and it was Apply, with an error that wraps it and tells its stack.
type Config[E any] struct {
	// MaxEvents bounds the number of events that are kept in memory; 0 or less
	// means 65,536.
	MaxEvents int
	// MaxBytes bounds the sum of their sizes, as Size tells them and, once it is
	// made, the Size of what Record.OnceFor keeps with them: that takes effect
	// when the next event is appended. 0 or less means 64 MiB. It has no effect
	// without Size. The newest event is kept whatever its size is.
	MaxBytes int64
	// Size tells how many bytes an event counts for. For the bound to be one of
	// memory it has to tell what the event takes there, as that of Proto does:
	// the encoding of a message is often a fraction of it.
	Size func(E) int
	// Clone copies an event that is appended, so that the caller may go on
	// changing it. Without it the log keeps what it is given, and the caller
	// must not change that.
	Clone func(E) E
	// Apply is called for each event, in order, before any reader sees it. Calls
	// of Apply, of Snapshot's function and of Update's function never overlap.
	// It must not change the event.
	Apply func(Seq, E)
}

// Log is an append-only log. Its methods may be called by any number of
// goroutines at a time. It needs no closing unless it has a journal.
type Log[E any] struct {
	cfg     Config[E]
	journal *journal // nil if there is none
	encode  func(E) ([]byte, error)
	queue   queue[E] // events on their way into the journal

	// write is held by the producer whose turn it is, from its decision to the
	// last of its events. state is held, after write if both are, by whoever
	// uses the state or changes the fields below: not while the disk is at work.
	write sync.Mutex
	state sync.Mutex

	// Readers take no lock. What they find is in order because a producer sets
	// oldest before it empties slots, and last after it has filled one.
	ring    atomic.Pointer[ring[E]]
	oldest  atomic.Uint64 // of the events that are kept; last+1 if there is none
	last    atomic.Uint64 // of all events
	closed  atomic.Bool
	waiting atomic.Pointer[waiters] // nil if no reader waits

	bytes atomic.Int64 // sum of the sizes of what is kept
}

// New makes an empty log, which is kept in memory only.
func New[E any](cfg Config[E]) *Log[E] {
	if cfg.MaxEvents <= 0 {
		cfg.MaxEvents = defaultMaxEvents
	}
	if cfg.MaxBytes <= 0 {
		cfg.MaxBytes = defaultMaxBytes
	}
	l := &Log[E]{cfg: cfg}
	l.ring.Store(newRing[E](16))
	l.oldest.Store(1)
	return l
}

// Append adds an event and returns its number. It never waits for a reader.
//
// Its error is ErrClosed after Close, a *JournalError if the journal could not
// be written, or says why the event cannot be written to any; the event is not in
// the log then.
func (l *Log[E]) Append(e E) (Seq, error) {
	rec := l.record(e)
	if l.journal != nil {
		return l.appendShared(rec)
	}
	defer l.wake() // after the unlocking, so that who wakes up does not run into it
	l.write.Lock()
	defer l.write.Unlock()
	if l.closed.Load() {
		return 0, ErrClosed
	}
	return l.add(rec), nil
}

// Update appends the events that decide returns, and no others come between the
// decision and them: decide may look at the state, which Apply keeps, and at
// the number of the last event. Update returns the number of the last event of
// the log, which is the last one appended if there are any.
//
// If decide fails its error is returned as it is and nothing is appended. A
// change of the state that events tell is left to Apply, for the journal may
// refuse them; a change that no event tells may be made by decide itself. It
// must not call the log.
//
// The events are appended all or none, but for two cases: if Apply panics those
// before are in the log, and a process that dies while they are written may
// leave only the first of them in the journal.
func (l *Log[E]) Update(decide func(last Seq) ([]E, error)) (Seq, error) {
	defer l.wake()
	l.write.Lock()
	defer l.write.Unlock()
	if l.closed.Load() {
		return 0, ErrClosed
	}
	events, err := l.decide(decide)
	if err != nil {
		return 0, err
	}
	records := make([]*Record[E], len(events))
	for i, e := range events {
		records[i] = l.record(e)
	}
	if l.journal != nil {
		return l.appendAll(records)
	}
	for _, rec := range records {
		l.add(rec)
	}
	return l.Last(), nil
}

func (l *Log[E]) decide(f func(last Seq) ([]E, error)) ([]E, error) {
	l.state.Lock()
	defer l.state.Unlock()
	return f(l.Last())
}

// Snapshot calls f with the number of the last event, while no other event can
// come in: state that f copies is the state after just that event, and a reader
// from the next one on sees every later change once. f must not call the log.
//
// f may change the state too, but a change that an Update decides by belongs
// into an Update: Snapshot does not wait for events that are being written to
// the disk.
func (l *Log[E]) Snapshot(f func(last Seq)) {
	l.state.Lock()
	defer l.state.Unlock()
	f(l.Last())
}

// Last is the number of the last event; 0 if there was none.
func (l *Log[E]) Last() Seq { return Seq(l.last.Load()) }

// Trim drops the events before one from memory. It does not change the journal.
func (l *Log[E]) Trim(before Seq) {
	l.state.Lock()
	defer l.state.Unlock()
	l.drop(min(before, l.Last()+1))
}

// Close ends the log: readers get what is left and then io.EOF. A journal is
// synced, unless its policy is SyncNever, and closed; an error of that is
// returned. More calls do nothing and return nil.
func (l *Log[E]) Close() error {
	l.write.Lock()
	defer l.write.Unlock()
	if l.closed.Swap(true) {
		return nil
	}
	l.wake()
	if l.journal == nil {
		return nil
	}
	return l.journal.close()
}

// record makes the record of an event that is to be appended.
func (l *Log[E]) record(e E) *Record[E] {
	if l.cfg.Clone != nil {
		e = l.cfg.Clone(e)
	}
	return l.replayed(e)
}

// replayed is record for an event that nobody else has.
func (l *Log[E]) replayed(e E) *Record[E] {
	rec := &Record[E]{Event: e}
	if l.cfg.Size != nil {
		rec.size.Store(int64(max(0, l.cfg.Size(e))))
		rec.sum = &l.bytes
	}
	return rec
}

// add takes a record into the log; it is the producer's turn.
func (l *Log[E]) add(rec *Record[E]) Seq {
	l.state.Lock()
	defer l.state.Unlock()
	rec.Seq = l.Last() + 1
	if l.cfg.Apply != nil {
		l.cfg.Apply(rec.Seq, rec.Event)
	}
	size := rec.size.Load()
	l.makeRoom(size)
	l.ring.Load().at(rec.Seq).Store(rec)
	l.bytes.Add(size)
	l.last.Store(uint64(rec.Seq))
	return rec.Seq
}

// begin makes an empty log begin with an event.
func (l *Log[E]) begin(first Seq) {
	l.oldest.Store(uint64(first))
	l.last.Store(uint64(first - 1))
}

// lose gives a number to an event that is lost: its slot stays empty.
func (l *Log[E]) lose() {
	l.makeRoom(0)
	l.last.Add(1)
}

func (l *Log[E]) kept() uint64 { return l.last.Load() + 1 - l.oldest.Load() }

// makeRoom sees to a free slot, within the bounds, for an event of that size.
func (l *Log[E]) makeRoom(size int64) {
	for l.full(size) {
		l.drop(Seq(l.oldest.Load()) + 1)
	}
	l.grow()
}

// full tells whether an event has to go before one of that size can come.
func (l *Log[E]) full(size int64) bool {
	n := l.kept()
	return n > 0 && (n >= uint64(l.cfg.MaxEvents) || l.bytes.Load()+size > l.cfg.MaxBytes)
}

// drop lets go of the events before one.
func (l *Log[E]) drop(before Seq) {
	r, from := l.ring.Load(), Seq(l.oldest.Load())
	if before <= from {
		return
	}
	l.oldest.Store(uint64(before)) // first: a reader that finds a slot empty looks here for the reason
	for seq := from; seq < before; seq++ {
		if rec := r.at(seq).Swap(nil); rec != nil {
			l.bytes.Add(-rec.size.Swap(dropped))
		}
	}
}

// grow doubles the ring if no slot is free. Readers may go on in the old one.
func (l *Log[E]) grow() {
	old := l.ring.Load()
	if l.kept() < uint64(len(old.slots)) {
		return
	}
	r := newRing[E](2 * len(old.slots))
	for seq := Seq(l.oldest.Load()); seq <= l.Last(); seq++ {
		r.at(seq).Store(old.at(seq).Load())
	}
	l.ring.Store(r)
}

// ring holds events in slots by their number; the number of slots is a power
// of two.
type ring[E any] struct {
	slots []atomic.Pointer[Record[E]]
}

func newRing[E any](slots int) *ring[E] {
	return &ring[E]{slots: make([]atomic.Pointer[Record[E]], slots)}
}

func (r *ring[E]) at(seq Seq) *atomic.Pointer[Record[E]] {
	return &r.slots[uint64(seq)&uint64(len(r.slots)-1)]
}
