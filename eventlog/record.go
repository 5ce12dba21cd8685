package eventlog

import (
	"errors"
	"sync"
	"sync/atomic"
)

// Record is an event in a log. It is shared by all readers: they must not
// change the event.
type Record[E any] struct {
	Seq   Seq
	Event E

	size atomic.Int64         // what it counts for in sum, or dropped
	sum  *atomic.Int64        // the log's; nil if that does not count
	made atomic.Pointer[made] // what Once and OnceFor have made
}

// dropped is the size of a record that is no longer in its log.
const dropped = -1

// made is one value that was made of an event; they form a list, which only
// grows at its head.
type made struct {
	key   any
	once  sync.Once
	value any
	err   error
	next  *made
}

// errPanicked is for those that ask for what a function was to make.
var errPanicked = errors.New("eventlog: nothing was made of the event, for the function that makes it panicked")

// Once returns what f makes of the event. Only the first caller's f is called:
// it is how an event that goes to many readers is encoded once. All callers of
// Once have to mean the same thing by it; those that differ use OnceFor.
func (r *Record[E]) Once(f func(E) (any, error)) (any, error) { return r.OnceFor(nil, f) }

// OnceFor is Once for the readers that use the same key: a type of its own for
// each thing that is made, or what tells encoders apart. Keys are compared with
// ==, and should be few. What was made is kept as long as the record is. If it
// has a method Size() int, as a slice of bytes could have in a type of its own,
// that is added to what the event counts for in Config.MaxBytes; if not it does
// not count.
func (r *Record[E]) OnceFor(key any, f func(E) (any, error)) (any, error) {
	m := r.slot(key)
	m.once.Do(func() {
		m.err = errPanicked
		m.value, m.err = f(r.Event)
		if v, ok := m.value.(interface{ Size() int }); ok {
			r.grow(int64(max(0, v.Size())))
		}
	})
	return m.value, m.err
}

// grow adds to what the record counts for, as long as it is in the log.
func (r *Record[E]) grow(n int64) {
	if r.sum == nil {
		return
	}
	for size := r.size.Load(); size != dropped; size = r.size.Load() {
		if r.size.CompareAndSwap(size, size+n) {
			r.sum.Add(n) // if it is dropped before this, both together are right
			return
		}
	}
}

// slot finds or adds the place of a key.
func (r *Record[E]) slot(key any) *made {
	var add *made
	for {
		head := r.made.Load()
		for m := head; m != nil; m = m.next {
			if m.key == key {
				return m
			}
		}
		if add == nil {
			add = &made{key: key}
		}
		add.next = head
		if r.made.CompareAndSwap(head, add) {
			return add
		}
	}
}
