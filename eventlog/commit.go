package eventlog

import (
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
)

// maxBatch bounds, in bytes, what is written to the journal in one go. A single
// event may be larger.
const maxBatch = 1 << 20

// errAborted is the error of events whose fate was in the hands of a goroutine
// that ended before it was done.
var errAborted = errors.New("eventlog: the event was not appended, for the writing of those before it was aborted")

// entry is an event on its way into the journal and the log.
type entry[E any] struct {
	rec  *Record[E]
	line []byte // without its newline

	// Set by whoever commits it.
	done     bool
	err      error
	panicked *applyPanic
}

func (l *Log[E]) entry(rec *Record[E]) (*entry[E], error) {
	line, err := l.encode(rec.Event)
	if err != nil {
		return nil, fmt.Errorf("eventlog: the event is not appended, for it cannot be written to the journal: %w", err)
	}
	if err := l.journal.checkLine(line); err != nil {
		return nil, err
	}
	return &entry[E]{rec: rec, line: line}, nil
}

// result is what Append returns for the entry.
func (p *entry[E]) result() (Seq, error) {
	if p.panicked != nil {
		panic(p.panicked)
	}
	if p.err != nil {
		return 0, p.err
	}
	return p.rec.Seq, nil
}

// appendShared appends by way of the queue: whoever has its turn writes what all
// have queued, so that those that wait for their turn share one write, and one
// sync of the disk.
func (l *Log[E]) appendShared(rec *Record[E]) (Seq, error) {
	p, err := l.entry(rec)
	if err != nil {
		return 0, err
	}
	l.queue.add(p)
	l.write.Lock()
	defer l.write.Unlock()
	for !p.done {
		l.commit(l.queue.take())
	}
	return p.result()
}

// appendAll appends records in one go; it is the producer's turn.
func (l *Log[E]) appendAll(records []*Record[E]) (Seq, error) {
	entries := make([]*entry[E], len(records))
	for i, rec := range records {
		var err error
		if entries[i], err = l.entry(rec); err != nil {
			return 0, err
		}
	}
	for _, p := range entries {
		p.err = errAborted
	}
	if err := l.writeAll(entries); err != nil {
		return 0, err
	}
	l.addAll(entries) // if Apply panics, what follows is not appended
	for _, p := range entries {
		if _, err := p.result(); err != nil {
			return 0, err
		}
	}
	return l.Last(), nil
}

// commit writes entries to the journal and then takes them into the log. An
// entry whose Apply panics is cut out of the journal again.
func (l *Log[E]) commit(batch []*entry[E]) {
	defer l.wake()
	for _, p := range batch {
		p.done, p.err = true, errAborted
	}
	for len(batch) > 0 {
		if err := l.writeAll(batch); err != nil {
			for _, p := range batch {
				p.err = err
			}
			return
		}
		batch = l.addAll(batch)
	}
}

func (l *Log[E]) writeAll(batch []*entry[E]) error {
	if l.closed.Load() {
		return ErrClosed
	}
	return l.journal.append(lines(batch))
}

func lines[E any](batch []*entry[E]) [][]byte {
	lines := make([][]byte, len(batch))
	for i, p := range batch {
		lines[i] = p.line
	}
	return lines
}

// addAll takes what is written into the log, up to an entry whose Apply panics.
// It returns the entries after that one, which are no longer written then.
func (l *Log[E]) addAll(batch []*entry[E]) (rest []*entry[E]) {
	n := 0
	defer func() {
		if n == len(batch) {
			return
		}
		// This is also the way of a goroutine that Apply ends.
		batch[n].panicked = &applyPanic{Value: recover(), Stack: debug.Stack()}
		l.journal.unwrite(lines(batch[n:]))
		rest = batch[n+1:]
	}()
	for ; n < len(batch); n++ {
		l.add(batch[n].rec)
		batch[n].err = nil
	}
	return nil
}

// applyPanic carries a panic of Apply to the goroutine that appended the event,
// which need not be the one that called Apply.
type applyPanic struct {
	Value any
	Stack []byte
}

func (p *applyPanic) Error() string {
	return fmt.Sprintf("eventlog: Apply panicked: %v\n\n%s", p.Value, p.Stack)
}

func (p *applyPanic) Unwrap() error {
	err, _ := p.Value.(error)
	return err
}

// queue holds the entries of producers that wait for their turn.
type queue[E any] struct {
	mu      sync.Mutex
	entries []*entry[E]
}

func (q *queue[E]) add(p *entry[E]) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.entries = append(q.entries, p)
}

// take removes the first entries, as many as make a batch.
func (q *queue[E]) take() []*entry[E] {
	q.mu.Lock()
	defer q.mu.Unlock()
	n, size := 0, 0
	for n < len(q.entries) && (n == 0 || size+len(q.entries[n].line) <= maxBatch) {
		size += len(q.entries[n].line)
		n++
	}
	batch := q.entries[:n:n]
	if q.entries = q.entries[n:]; len(q.entries) == 0 {
		q.entries = nil // the batch is all that holds them
	}
	return batch
}
