package serve

import (
	"context"
	"net/http"
	"strconv"
	"sync"
)

// SetEventID numbers the next message that the handler of a stream sends: to
// clients of Server-Sent Events it goes as an event with that id, which a
// browser whose connection breaks sends back when it connects anew. Calls that
// come otherwise are not concerned, and 0 is no id. Follow and FollowFunc number
// messages by themselves, with the numbers of their events.
func SetEventID(ctx context.Context, id uint64) {
	if ids := eventIDsOf(ctx); ids != nil {
		ids.set(id)
	}
}

// LastEventID is the id of the last event that a client of Server-Sent Events
// has got before its connection broke, and whether it says one. A handler may
// begin to send behind it:
//
//	first := eventlog.Seq(1)
//	if last, ok := serve.LastEventID(ctx); ok {
//		first = eventlog.Seq(last) + 1
//	}
//	return serve.Follow(ctx, log.Reader(first), stream)
//
// What is no number below 2⁶³ is no id of ours: it is passed over.
func LastEventID(ctx context.Context) (id uint64, ok bool) {
	ids := eventIDsOf(ctx)
	if ids == nil || ids.last == nil {
		return 0, false
	}
	return *ids.last, true
}

func eventIDsOf(ctx context.Context) *eventIDs {
	if h, ok := ctx.Value(httpCallKey{}).(*httpCall); ok {
		return h.events
	}
	return nil
}

// eventIDs are the ids of one stream of Server-Sent Events. They go beside the
// messages, which have no room for them, from the handler's side of the
// connection in memory to that of the HTTP client; flow control bounds how many.
type eventIDs struct {
	last *uint64 // that the client has got; nil: it says none

	mu   sync.Mutex
	next uint64   // of the message to come; 0: none
	sent []uint64 // of the messages on their way
}

func newEventIDs(h http.Header) *eventIDs {
	ids := &eventIDs{}
	if last, err := strconv.ParseUint(h.Get("Last-Event-ID"), 10, 63); err == nil {
		ids.last = &last
	}
	return ids
}

func (e *eventIDs) set(id uint64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.next = id
}

// push is called for each message that is sent, before it is.
func (e *eventIDs) push() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.sent = append(e.sent, e.next)
	e.next = 0
}

// pop is called for each message that has come: it is the id of it.
func (e *eventIDs) pop() uint64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.sent) == 0 {
		return 0
	}
	id := e.sent[0]
	e.sent = e.sent[1:]
	return id
}
