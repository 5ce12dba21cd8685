package serve

import (
	"context"
	"errors"
	"io"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/skaffoldgen/protoc-gen-skaffold/eventlog"
)

// Follow sends what a reader of a log yields, until the log is closed, the
// context ends or sending fails. Its error can be returned by a handler as it
// is: nil at the end of a closed log, OUT_OF_RANGE if events were dropped before
// they were read or the reader begins beyond the log, CANCELLED,
// DEADLINE_EXCEEDED or, at shutdown, UNAVAILABLE if the context ended.
//
// An event is encoded once for all streams of servers of this package that
// follow the same log, which needs Record.Once to be used by nobody else; the
// encoding is kept with the event. Interceptors that look at what such streams
// are sent then see a proto.Message that wraps the event; ProtoReflect tells
// its type. On other streams events are sent one by one.
//
// Clients of Server-Sent Events get the events' numbers as ids: see LastEventID.
func Follow[M proto.Message](ctx context.Context, r *eventlog.Reader[M], to Sender[M]) error {
	send := senderOf(to)
	for {
		rec, err := r.Next(ctx)
		if err != nil {
			return followError(ctx, err)
		}
		SetEventID(ctx, uint64(rec.Seq))
		if err := send(rec); err != nil {
			return err
		}
	}
}

// senderOf is the way to send a record to a stream.
func senderOf[M proto.Message](to Sender[M]) func(*eventlog.Record[M]) error {
	plain := func(rec *eventlog.Record[M]) error { return to.Send(rec.Event) }
	stream, ok := to.(interface {
		Context() context.Context
		SendMsg(any) error
	})
	if !ok || stream.Context().Value(served{}) == nil {
		return plain
	}
	return func(rec *eventlog.Record[M]) error {
		v, err := rec.Once(func(m M) (any, error) {
			e, err := encode(m)
			if err != nil {
				return nil, err // no nil *encoded, which a record would take for a value
			}
			return e, nil
		})
		if err != nil {
			return status.Errorf(codes.Internal, "event %d: %v", rec.Seq, err)
		}
		e, ok := v.(*encoded)
		if !ok { // Once was used for something else
			return plain(rec)
		}
		return stream.SendMsg(e)
	}
}

// FollowFunc is Follow for logs whose events are not what is sent: f makes a
// message of each. An error of f ends it. Messages are encoded for each stream.
func FollowFunc[E any, M proto.Message](
	ctx context.Context, r *eventlog.Reader[E], to Sender[M], f func(*eventlog.Record[E]) (M, error),
) error {
	for {
		rec, err := r.Next(ctx)
		if err != nil {
			return followError(ctx, err)
		}
		m, err := f(rec)
		if err != nil {
			return err
		}
		SetEventID(ctx, uint64(rec.Seq))
		if err := to.Send(m); err != nil {
			return err
		}
	}
}

// followError is the status for an error of Reader.Next.
func followError(ctx context.Context, err error) error {
	var trimmed *eventlog.TrimmedError
	var ahead *eventlog.AheadError
	switch {
	case errors.Is(err, io.EOF):
		return nil
	case errors.As(err, &ahead):
		return status.Errorf(codes.OutOfRange, "event %d is ahead of the log: the last is %d", ahead.From, ahead.Last)
	case errors.As(err, &trimmed):
		return status.Errorf(codes.OutOfRange,
			"event %d is no longer kept: the oldest is %d", trimmed.From, trimmed.Oldest)
	}
	if st, ok := status.FromError(err); ok {
		return st.Err()
	}
	if ctx.Err() != nil {
		// The cause says more than the error, but may be of any type.
		return status.Error(status.FromContextError(ctx.Err()).Code(), err.Error())
	}
	return err
}
