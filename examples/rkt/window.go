package main

import (
	"context"
	"errors"
	"io"
	"math"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/skaffoldgen/protoc-gen-skaffold/eventlog"
)

// Clock tells the time, and waits for it.
type Clock interface {
	Now() time.Time
	// AfterFunc calls f in a goroutine when d has passed, unless stop is called
	// before that.
	AfterFunc(d time.Duration, f func()) (stop func() bool)
}

// systemClock is the clock of the machine.
type systemClock struct{}

func (systemClock) Now() time.Time { return time.Now() }

func (systemClock) AfterFunc(d time.Duration, f func()) func() bool { return time.AfterFunc(d, f).Stop }

// window is the time between two moments, in seconds since 1970. 0 stands for
// no bound. Neither moment is part of it.
type window struct{ since, until int64 }

func (w window) check() error {
	if w.since != 0 && w.until != 0 && w.until <= w.since {
		return status.Errorf(codes.InvalidArgument,
			"until_time (%d) has to be later than since_time (%d), or nothing is left in between", w.until, w.since)
	}
	return nil
}

// contains compares whole seconds, not time.Times, which cannot hold all that a
// request can ask for.
func (w window) contains(t time.Time) bool {
	s := t.Unix()
	return (w.since == 0 || s > w.since || s == w.since && t.Nanosecond() > 0) &&
		(w.until == 0 || s < w.until)
}

// errUntil is the cause of contexts that end with a window.
var errUntil = errors.New("the time until which was asked for has come")

// begin makes a context that ends with the window, and what to call when it is
// not needed any more.
func (w window) begin(ctx context.Context, c Clock) (context.Context, func()) {
	if w.until == 0 {
		return ctx, func() {}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	now := c.Now()
	if now.Unix() >= w.until {
		cancel(errUntil)
		return ctx, func() {}
	}
	seconds := min(w.until-now.Unix(), math.MaxInt64/int64(time.Second))
	left := time.Duration(seconds)*time.Second - time.Duration(now.Nanosecond())
	stop := c.AfterFunc(left, func() { cancel(errUntil) })
	return ctx, func() {
		stop()
		cancel(nil)
	}
}

// follow calls f for what is in a log from a number on, and what comes into it,
// until the window ends, the call ends, the log is closed or f returns false or
// an error. What was in the log before the window's end is not left out.
func follow[E any](
	ctx context.Context, c Clock, w window, log *eventlog.Log[E], from eventlog.Seq, f func(E) (more bool, err error),
) error {
	open, end := w.begin(ctx, c)
	defer end()
	reader := log.Reader(from)
	last := eventlog.Seq(math.MaxUint64)
	seen := max(from, 1) - 1
	for seen < last {
		rec, err := reader.Next(open)
		if errors.Is(err, errUntil) {
			open, last = ctx, log.Last()
			continue
		}
		if err != nil {
			return followError(ctx, err)
		}
		seen = rec.Seq
		if more, err := f(rec.Event); !more || err != nil {
			return err
		}
	}
	return nil
}

// followError is what a client is told when a log can be read no further.
func followError(ctx context.Context, err error) error {
	var trimmed *eventlog.TrimmedError
	switch _, isStatus := status.FromError(err); {
	case isStatus:
		return err // the server's reason to end the call
	case ctx.Err() != nil:
		return status.FromContextError(ctx.Err()).Err()
	case errors.Is(err, io.EOF):
		return status.Error(codes.Unavailable, "the server is shutting down; ask again when it is back")
	case errors.As(err, &trimmed):
		return status.Errorf(codes.OutOfRange,
			"the client fell behind: %d messages are no longer kept; list anew, and ask again",
			trimmed.Oldest-trimmed.From)
	}
	return status.Errorf(codes.Internal, "reading the log: %v", err)
}
