package session

import (
	"context"
	"strconv"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/skaffoldgen/protoc-gen-skaffold/eventlog"
	"github.com/skaffoldgen/protoc-gen-skaffold/serve"
)

// The API's messages have no room for the numbers of events, so they travel as
// metadata; over HTTP, with the prefix "Grpc-Metadata-". Server-Sent Events have
// them as ids, which browsers send back by themselves.
const (
	// LastEventKey is in the header of GetState: the number of the last event
	// that has gone into the state.
	LastEventKey = "skaffold-last-event"
	// FirstEventKey is in the header of a stream of events: the number of the
	// first that it sends, which is not 1 where the oldest are no longer kept. In
	// Events the others have the numbers after it, without gaps, so that a client
	// that counts what it gets can go on after a lost connection. In
	// ApplicationLogs numbers are missing where an iteration has ended before all
	// of its logs were sent.
	FirstEventKey = "skaffold-first-event"
	// AfterEventKey may be sent with a request for a stream of events: the number
	// of the event after which to begin.
	AfterEventKey = "skaffold-after-event"
)

// SendLastEvent tells a client of GetState how many events are in the state.
func SendLastEvent(ctx context.Context, last eventlog.Seq) error {
	return grpc.SetHeader(ctx, header(LastEventKey, last))
}

func header(key string, seq eventlog.Seq) metadata.MD {
	return metadata.Pairs(key, strconv.FormatUint(uint64(seq), 10))
}

// Follow sends events from where the client wants to begin, and tells it the
// number of the first. read makes a reader from an event on; 0 is the oldest.
func Follow[E proto.Message](
	ctx context.Context, read func(from eventlog.Seq) *eventlog.Reader[E], stream serve.Sender[E],
) error {
	from, err := FirstEvent(ctx)
	if err != nil {
		return err
	}
	r := read(from)
	first, err := r.Peek()
	// An error is one that serve.Follow returns as a status. Where there is no
	// call, as in tests, there is no header.
	if err == nil && grpc.ServerTransportStreamFromContext(ctx) != nil {
		if err := grpc.SendHeader(ctx, header(FirstEventKey, first)); err != nil {
			return err
		}
	}
	return serve.Follow(ctx, r, stream)
}

// FirstEvent is the event from which the client of a stream wants to read; 0 for
// all that there are. What a browser has got when its connection broke counts
// more than where it has begun.
func FirstEvent(ctx context.Context) (eventlog.Seq, error) {
	if last, ok := serve.LastEventID(ctx); ok {
		return eventlog.Seq(last) + 1, nil
	}
	values := metadata.ValueFromIncomingContext(ctx, AfterEventKey)
	if len(values) == 0 {
		return 0, nil
	}
	after, err := strconv.ParseUint(values[0], 10, 63)
	if err != nil {
		return 0, status.Errorf(codes.InvalidArgument, "%s: %q is no number of an event: %v",
			AfterEventKey, values[0], err)
	}
	return eventlog.Seq(after) + 1, nil
}
