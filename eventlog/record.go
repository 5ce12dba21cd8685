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

	size int64
	made atomic.Pointer[made] // what Once and OnceFor have made
}

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
// ==, and should be few. What was made is kept as long as the record is, and
// does not count for Config.MaxBytes.
func (r *Record[E]) OnceFor(key any, f func(E) (any, error)) (any, error) {
	m := r.slot(key)
	m.once.Do(func() {
		m.err = errPanicked
		m.value, m.err = f(r.Event)
	})
	return m.value, m.err
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
