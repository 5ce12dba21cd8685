package serve

import (
	"context"
	"log/slog"
	"net"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"
)

// calls is what happens around every call: the log line, the end at shutdown,
// and the recovery of panics.
type calls struct {
	log     *slog.Logger
	ending  context.Context
	timeout time.Duration // of unary calls that have none
	active  *gauge
	inner   bool // calls come from the gateway
}

// served marks the contexts of calls that a Server serves.
type served struct{}

// call is one call.
type call struct {
	*calls
	ctx      context.Context
	method   string
	protocol string
	http     *httpCall // nil: the call comes from outside
	start    time.Time
}

func (c *calls) begin(ctx context.Context, method string) *call {
	c.active.add(1)
	k := &call{calls: c, method: method, protocol: "grpc", start: time.Now()}
	if c.inner {
		if h := httpCallOf(ctx); h != nil {
			k.protocol, k.http = "http", h
			ctx = context.WithValue(peer.NewContext(ctx, h.peer()), httpCallKey{}, h)
		}
	}
	k.ctx = context.WithValue(ctx, served{}, true)
	return k
}

// finish writes the log line.
func (c *call) finish(err error) {
	defer c.active.add(-1)
	st := statusOf(err)
	level := slog.LevelInfo
	switch {
	case st.Code() == codes.Internal, st.Code() == codes.Unknown, st.Code() == codes.DataLoss:
		level = slog.LevelError
	case strings.HasPrefix(c.method, healthPrefix):
		level = slog.LevelDebug
	}
	if !c.log.Enabled(c.ctx, level) {
		return
	}
	attrs := []slog.Attr{
		slog.String("method", c.method),
		slog.String("code", st.Code().String()),
		slog.Duration("duration", time.Since(c.start)),
		slog.String("peer", peerOf(c.ctx)),
		slog.String("protocol", c.protocol),
	}
	if err != nil {
		attrs = append(attrs, slog.String("error", st.Message()))
	}
	c.log.LogAttrs(c.ctx, level, "call", attrs...)
}

func (c *calls) unary(
	ctx context.Context, req any, info *grpc.UnaryServerInfo, handle grpc.UnaryHandler,
) (res any, err error) {
	k := c.begin(ctx, info.FullMethod)
	defer func() { k.finish(err) }()
	defer c.recover(info.FullMethod, &err)
	ctx = k.ctx
	if _, ok := ctx.Deadline(); !ok && c.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.timeout)
		defer cancel()
	}
	return handle(ctx, req)
}

func (c *calls) stream(
	srv any, s grpc.ServerStream, info *grpc.StreamServerInfo, handle grpc.StreamHandler,
) (err error) {
	k := c.begin(s.Context(), info.FullMethod)
	defer func() { k.finish(err) }()
	ctx, cancel := context.WithCancelCause(k.ctx)
	defer cancel(nil)
	stop := context.AfterFunc(c.ending, func() {
		cancel(ErrShutdown)
		endStream(ctx)
	})
	defer func() {
		if !stop() {
			err = status.Convert(ErrShutdown).Err()
		}
	}()
	defer c.recover(info.FullMethod, &err)
	stream := &serverStream{ServerStream: s, ctx: ctx, http: k.http}
	err = handle(srv, stream)
	if err == nil && stream.cut.Load() {
		return k.http.uploadError() // no handler makes a success of it
	}
	return err
}

// endStream ends a stream whose handler may be waiting for its client, which
// notices then. gRPC has no other way to wake it than to end the stream for
// good.
func endStream(ctx context.Context) {
	type writer interface{ WriteStatus(*status.Status) error }
	if w, ok := grpc.ServerTransportStreamFromContext(ctx).(writer); ok {
		_ = w.WriteStatus(status.Convert(ErrShutdown))
	}
}

// serverStream is a stream with a context of its own.
type serverStream struct {
	grpc.ServerStream
	ctx  context.Context
	http *httpCall   // nil: the call comes from outside
	cut  atomic.Bool // the handler was told that the body of http is not whole
}

// Context is the context of the call.
func (s *serverStream) Context() context.Context { return s.ctx }

// SendMsg sends a message, and its id beside it.
func (s *serverStream) SendMsg(m any) error {
	if s.http != nil && s.http.events != nil {
		s.http.events.push()
	}
	return s.ServerStream.SendMsg(m)
}

// RecvMsg receives a message.
func (s *serverStream) RecvMsg(m any) error {
	err := s.ServerStream.RecvMsg(m)
	if s.http == nil || err == nil {
		return err
	}
	if cut := s.http.uploadError(); cut != nil {
		err = s.http.receiveError(err)
		s.cut.Store(true)
	}
	return err
}

func (c *calls) guardUnary(
	ctx context.Context, req any, info *grpc.UnaryServerInfo, handle grpc.UnaryHandler,
) (res any, err error) {
	defer c.recover(info.FullMethod, &err)
	return handle(ctx, req)
}

func (c *calls) guardStream(
	srv any, s grpc.ServerStream, info *grpc.StreamServerInfo, handle grpc.StreamHandler,
) (err error) {
	defer c.recover(info.FullMethod, &err)
	return handle(srv, s)
}

// recover makes an error of a panic. Clients are told nothing about it. It has
// to be deferred.
func (c *calls) recover(method string, err *error) {
	if p := recover(); p != nil {
		c.log.Error("panic", "method", method, "panic", p, "stack", string(debug.Stack()))
		*err = errPanic
	}
}

var errPanic = status.Error(codes.Internal, "internal error")

// statusOf is the status that gRPC makes of a handler's error.
func statusOf(err error) *status.Status {
	if st, ok := status.FromError(err); ok {
		return st
	}
	return status.FromContextError(err)
}

// peerOf is the address of the client.
func peerOf(ctx context.Context) string {
	if p, ok := peer.FromContext(ctx); ok {
		return addrString(p.Addr)
	}
	return ""
}

// addrString is an address as text. Clients of socket files have none.
func addrString(a net.Addr) string {
	if a == nil {
		return ""
	}
	if s := a.String(); a.Network() != "unix" || s != "" && s != "@" {
		return s
	}
	return "unix"
}
