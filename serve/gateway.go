package serve

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"

	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"
	"google.golang.org/protobuf/encoding/protojson"
)

// JSON says how messages look as JSON.
type JSON int

const (
	// JSONDefault is what the gateway does by itself: lowerCamelCase names, and
	// all fields, also those that are not set.
	JSONDefault JSON = iota
	// JSONProtoNames has names as they are in the .proto file, and all fields,
	// also those that are not set. Fields that are not known are ignored on
	// input.
	JSONProtoNames
)

func (j JSON) valid() bool { return j == JSONDefault || j == JSONProtoNames }

func (j JSON) marshaler() runtime.Marshaler {
	m := protojson.MarshalOptions{EmitUnpopulated: true, UseProtoNames: j == JSONProtoNames}
	return &runtime.HTTPBodyMarshaler{Marshaler: &uploadMarshaler{&runtime.JSONPb{
		MarshalOptions:   m,
		UnmarshalOptions: protojson.UnmarshalOptions{DiscardUnknown: true},
	}}}
}

// The connection between the gateway and the services.
const (
	// pipeSize is the room for bytes on their way, in each direction.
	pipeSize = 256 << 10
	// pipeWindow is what a stream whose HTTP client is slow may hold up in
	// memory.
	pipeWindow = 64 << 10
	// pipeHeaders bounds the headers of a call, which were bounded before.
	pipeHeaders = 16 << 20
)

// gateway serves HTTP. It calls the services over a connection in memory.
type gateway struct {
	inner *grpc.Server
	pipe  *bufconn.Listener
	conn  *grpc.ClientConn
	http  *http.Server
	conns newConns
}

func (s *Server) newGateway() (_ *gateway, err error) {
	g := &gateway{pipe: bufconn.Listen(pipeSize)}
	defer func() {
		if err != nil {
			g.close()
		}
	}()
	if g.inner, err = s.newGRPC(true); err != nil {
		return nil, err
	}
	g.conn, err = grpc.NewClient("passthrough:///in-memory",
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) {
			return g.pipe.DialContext(ctx)
		}),
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(
			grpc.MaxCallSendMsgSize(s.cfg.MaxRecvBytes), grpc.MaxCallRecvMsgSize(s.cfg.MaxSendBytes)),
		grpc.WithStaticStreamWindowSize(pipeWindow),
		grpc.WithMaxHeaderListSize(pipeHeaders),
		grpc.WithIdleTimeout(0),
		grpc.WithDisableServiceConfig(),
		grpc.WithDisableRetry(),
		grpc.WithUnaryInterceptor(tagUnary),
		grpc.WithStreamInterceptor(tagStream),
	)
	if err != nil {
		return nil, fmt.Errorf("serve: gateway: %w", err)
	}
	mux, err := s.newMux(g.conn)
	if err != nil {
		return nil, err
	}
	g.http = s.newHTTP(g, s.handler(mux))
	return g, nil
}

// close gives back the connection. The inner server has to be stopped before.
func (g *gateway) close() {
	if g.conn != nil {
		g.conn.Close()
	}
	g.pipe.Close()
}

func (s *Server) newMux(conn *grpc.ClientConn) (*runtime.ServeMux, error) {
	m := s.cfg.JSON.marshaler()
	opts := append([]runtime.ServeMuxOption{
		runtime.WithMarshalerOption(runtime.MIMEWildcard, m),
		runtime.WithMarshalerOption(mimeSSE, &sseMarshaler{m}),
		runtime.WithErrorHandler(handleError),
	}, s.cfg.MuxOptions...)
	mux := runtime.NewServeMux(opts...)
	// The mux prefers routes that are added later, so those of services.
	for _, p := range []struct {
		path   string
		handle runtime.HandlerFunc
	}{{s.cfg.LivePath, s.live}, {s.cfg.ReadyPath, s.serveReady}} {
		if p.path == "-" {
			continue
		}
		if err := mux.HandlePath(http.MethodGet, p.path, p.handle); err != nil {
			return nil, fmt.Errorf("serve: path %q: %w", p.path, err)
		}
	}
	for _, svc := range s.services {
		var err error
		switch {
		case svc.HTTP != nil:
			err = svc.HTTP(context.Background(), mux, conn)
		case s.cfg.DefaultRoutes:
			err = addRoutes(mux, conn, svc)
		}
		if err != nil {
			return nil, fmt.Errorf("serve: HTTP routes of %s: %w", svc.Name(), err)
		}
	}
	return mux, nil
}

func (s *Server) newHTTP(g *gateway, h http.Handler) *http.Server {
	c := &s.cfg
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: atLeastZero(c.HandshakeTimeout),
		IdleTimeout:       forever(cmp.Or(c.IdleTimeout, defaultIdleHTTP)),
		MaxHeaderBytes:    c.MaxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelWarn),
		ConnState:         g.conns.track,
		BaseContext:       markLoopback,
		HTTP2: &http.HTTP2Config{
			MaxConcurrentStreams: c.MaxStreams,
			SendPingTimeout:      atLeastZero(c.KeepaliveInterval),
			PingTimeout:          atLeastZero(c.KeepaliveTimeout),
			WriteByteTimeout:     atLeastZero(c.WriteTimeout),
		},
	}
}

// newConns are connections that have not sent a request. A shutdown would wait
// for them.
type newConns struct {
	mu sync.Mutex
	m  map[net.Conn]struct{}
}

func (n *newConns) track(c net.Conn, state http.ConnState) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if state != http.StateNew {
		delete(n.m, c)
		return
	}
	if n.m == nil {
		n.m = map[net.Conn]struct{}{}
	}
	n.m[c] = struct{}{}
}

func (n *newConns) closeNew() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for c := range n.m {
		c.Close()
	}
	n.m = nil
}

// tagUnary and tagStream tell the inner server which HTTP request a call comes
// from.
func tagUnary(ctx context.Context, method string, req, res any,
	conn *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption,
) error {
	return invoke(tag(ctx, false), method, req, res, conn, opts...)
}

func tagStream(ctx context.Context, desc *grpc.StreamDesc,
	conn *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption,
) (grpc.ClientStream, error) {
	h, ok := ctx.Value(httpCallKey{}).(*httpCall)
	if !ok || !desc.ClientStreams {
		return open(tag(ctx, true), desc, conn, method, opts...)
	}
	h.duplex()
	s, err := open(tag(ctx, true), desc, conn, method, opts...)
	if err != nil {
		return nil, err
	}
	return newUpload(h, s), nil
}

func tag(ctx context.Context, stream bool) context.Context {
	h, ok := ctx.Value(httpCallKey{}).(*httpCall)
	if !ok {
		return ctx
	}
	h.called.Store(true)
	h.stream.Store(stream)
	return metadata.AppendToOutgoingContext(ctx, httpCallHeader, h.id)
}

// handleError is the gateway's own, but for errors that come from a body that
// was cut short, which it cannot tell from malformed JSON.
func handleError(
	ctx context.Context, mux *runtime.ServeMux, m runtime.Marshaler, w http.ResponseWriter, r *http.Request, err error,
) {
	if h, ok := r.Context().Value(httpCallKey{}).(*httpCall); ok && status.Code(err) == codes.InvalidArgument {
		if bodyErr := h.bodyError(); bodyErr != nil {
			err = bodyErr
		}
	}
	runtime.DefaultHTTPErrorHandler(ctx, mux, m, w, r, err)
}

// statusError is an error with an HTTP status that its code does not imply.
func statusError(httpStatus int, code codes.Code, format string, args ...any) error {
	return &runtime.HTTPStatusError{HTTPStatus: httpStatus, Err: status.Errorf(code, format, args...)}
}
