package session

import (
	"context"
	"strconv"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/skaffoldgen/protoc-gen-skaffold/eventlog"
)

// The API's messages have no room for the numbers of events, so they travel as
// metadata; over HTTP, with the prefix "Grpc-Metadata-".
const (
	// LastEventKey is in the header of GetState: the number of the last event
	// that has gone into the state.
	LastEventKey = "skaffold-last-event"
	// AfterEventKey may be sent with Events: the number of the event after which
	// to begin. Events are numbered from 1 without gaps, so a client that counts
	// what it gets can go on after a lost connection.
	AfterEventKey = "skaffold-after-event"
)

// SendLastEvent tells a client of GetState how many events are in the state.
func SendLastEvent(ctx context.Context, last eventlog.Seq) error {
	return grpc.SetHeader(ctx, metadata.Pairs(LastEventKey, strconv.FormatUint(uint64(last), 10)))
}

// FirstEvent is the event from which a client of Events wants to read; 0 for all
// that there are.
func FirstEvent(ctx context.Context) (eventlog.Seq, error) {
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
