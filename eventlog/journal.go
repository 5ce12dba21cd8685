package eventlog

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// Journal says where and how the events of a log are kept on disk.
//
// The journal is a file of JSON Lines or, with MaxBytes, a row of such files:
// the first is Path itself, and one that begins with event n has n before its
// extension, as in events.00000000000000000512.jsonl beside events.jsonl. Their
// order and these names are all that tells the numbers of events. A file of that
// name with the ending .lock keeps a second process from the journal.
type Journal[E any] struct {
	// Path is the name of the file, in a folder that exists. Files are created
	// for their owner alone (mode 0600); those that exist keep their mode.
	Path string
	// Lines says how events are written and read.
	Lines Lines[E]
	// Sync says when what is written reaches the disk.
	Sync Sync
	// MaxBytes bounds the sum of the files' sizes, if it is more than 0: the
	// journal is split into files of about an eighth of it, and the oldest are
	// removed. Events that are gone from the journal are not replayed, so that
	// Apply should not depend on all. The file that is written to stays, so that
	// what a single event, or Update, writes may exceed the bound.
	MaxBytes int64
	// Salvage lets Open go on past lines that it cannot read and files that are
	// missing, instead of failing. A file with such lines is first copied, to
	// its name with the ending .broken. A lost event keeps its number, which
	// readers pass over, by an empty line in the journal.
	Salvage bool

	openFile func(name string, flag int) (file, error) // for tests; nil for openFile
}

// Sync says when the events of a journal reach the disk. A positive Sync is the
// longest time that this takes after Append: Sync(time.Second).
//
// What is written survives the end of the process, however it comes, with any
// policy; this is about the end of the system, as when the power fails.
type Sync time.Duration

const (
	// SyncAlways has each event on the disk before Append returns. Events that
	// are appended at the same time share the wait.
	SyncAlways Sync = 0
	// SyncNever leaves it to the operating system.
	SyncNever Sync = -1
)

// file is what a journal needs of a file that it writes to.
type file interface {
	io.WriterAt
	Truncate(size int64) error
	Sync() error
	Close() error
}

func openFile(name string, flag int) (file, error) { return os.OpenFile(name, flag, 0o600) }

// journal is the file side of a Journal: it knows lines, not events.
type journal struct {
	path         string
	sync         Sync
	maxBytes     int64
	segmentBytes int64
	maxLine      int
	openFile     func(name string, flag int) (file, error)
	lock         io.Closer

	mu       sync.Mutex // guards all below
	segments []segment  // oldest first, none missing; the last is written to
	file     file       // of the last segment
	next     Seq        // number of the next line
	total    int64      // sum of the segments' sizes
	buf      []byte     // for what is written in one go
	// rest tells that the file may go on after the segment's size, with what was
	// written in part or is not wanted. It has to be cut off before anything is
	// written.
	rest   bool
	failed error // why nothing can be written any more
	timer  intervalTimer
}

// JournalError is what Append and Update return if the files of the journal could
// not be written. The event is not in the log then. Unless it says that syncing
// has failed, later events may be appended again once the cause is gone.
type JournalError struct {
	Path string // of the journal
	Err  error  // why
}

func (e *JournalError) Error() string {
	return fmt.Sprintf("eventlog: the event is not appended: journal %s: %v", e.Path, e.Err)
}

// Unwrap returns the cause.
func (e *JournalError) Unwrap() error { return e.Err }

// checkLine tells whether what was encoded can be written, and read back.
func (j *journal) checkLine(b []byte) error {
	switch {
	case len(b) > j.maxLine:
		return fmt.Errorf("eventlog: the event is not appended, for it cannot be written to the journal: %w",
			&TooLongError{Bytes: int64(len(b)), Max: j.maxLine})
	case bytes.IndexByte(b, '\n') >= 0:
		return errors.New("eventlog: the event is not appended: Lines.Encode made more than one line of it")
	case len(bytes.TrimSpace(b)) == 0:
		return errors.New("eventlog: the event is not appended: Lines.Encode made a blank line of it")
	}
	return nil
}

// append writes lines, all or none of them, and syncs them if the policy is
// SyncAlways.
func (j *journal) append(lines [][]byte) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.write(lines); err != nil {
		return &JournalError{Path: j.path, Err: err}
	}
	return nil
}

func (j *journal) write(lines [][]byte) error {
	if j.failed != nil {
		return fmt.Errorf("nothing can be written until it is opened anew, since syncing failed: %w", j.failed)
	}
	if err := j.cutRest(); err != nil {
		return err
	}
	j.buf = j.buf[:0]
	for _, line := range lines {
		j.buf = append(append(j.buf, line...), '\n')
	}
	size := int64(len(j.buf))
	if err := j.makeRoom(size); err != nil {
		return err
	}
	s := &j.segments[len(j.segments)-1]
	if _, err := j.file.WriteAt(j.buf, s.size); err != nil {
		j.rest = true // even if it says that nothing was written, something may be
		return errors.Join(err, j.cutRest())
	}
	if j.sync == SyncAlways {
		if err := j.file.Sync(); err != nil {
			// What of it is on the disk is anybody's guess, and will be after
			// another sync that seems to succeed.
			j.failed, j.rest = err, true
			return errors.Join(err, j.cutRest())
		}
	} else if j.sync > 0 {
		j.timer.start(time.Duration(j.sync), j.syncLater)
	}
	s.size += size
	j.total += size
	j.next += Seq(len(lines))
	if cap(j.buf) > maxBatch {
		j.buf = nil
	}
	return nil
}

// unwrite takes back the last lines. If they cannot be cut off now, they are
// before anything else is written.
func (j *journal) unwrite(lines [][]byte) {
	j.mu.Lock()
	defer j.mu.Unlock()
	size := int64(len(lines))
	for _, line := range lines {
		size += int64(len(line))
	}
	j.segments[len(j.segments)-1].size -= size
	j.total -= size
	j.next -= Seq(len(lines))
	j.rest = true
	_ = j.cutRest() // tried again, and reported, by the next append
}

func (j *journal) cutRest() error {
	if !j.rest {
		return nil
	}
	if err := j.file.Truncate(j.segments[len(j.segments)-1].size); err != nil {
		return fmt.Errorf("cutting off what was written in part: %w", err)
	}
	j.rest = false
	return nil
}

// syncLater is what the timer of a positive Sync calls.
func (j *journal) syncLater() {
	j.mu.Lock()
	f := j.file
	j.mu.Unlock()
	err := f.Sync() // not under the lock: nobody has to wait for it
	if err == nil || errors.Is(err, os.ErrClosed) {
		return // whoever closed it has synced it
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.failed = err
}

func (j *journal) close() error {
	j.timer.stop()
	j.mu.Lock()
	defer j.mu.Unlock()
	err := j.cutRest()
	if j.sync != SyncNever && j.failed == nil {
		err = errors.Join(err, j.file.Sync())
	}
	if err = errors.Join(err, j.file.Close(), j.lock.Close()); err != nil {
		return fmt.Errorf("eventlog: closing journal %s: %w", j.path, err)
	}
	return nil
}

// intervalTimer calls a function some time after it was first started, once. It
// holds no goroutine while it waits.
type intervalTimer struct {
	mu      sync.Mutex
	timer   *time.Timer // nil if not started
	stopped bool
	running sync.WaitGroup
}

func (t *intervalTimer) start(d time.Duration, f func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.timer != nil || t.stopped {
		return
	}
	t.running.Add(1)
	t.timer = time.AfterFunc(d, func() {
		defer t.running.Done()
		t.mu.Lock()
		t.timer = nil // from here on, what is written starts it again
		t.mu.Unlock()
		f()
	})
}

// stop ends the timer, and waits for a call that has begun.
func (t *intervalTimer) stop() {
	t.mu.Lock()
	t.stopped = true
	if t.timer != nil && t.timer.Stop() {
		t.running.Done()
	}
	t.mu.Unlock()
	t.running.Wait()
}
