package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/status"
)

// ErrShutdown is the cause with which the contexts of streams are cancelled
// when a server shuts down. As a gRPC status it is UNAVAILABLE.
var ErrShutdown error = shutdownError{}

type shutdownError struct{}

func (shutdownError) Error() string { return "server is shutting down" }

func (e shutdownError) GRPCStatus() *status.Status { return status.New(codes.Unavailable, e.Error()) }

// ErrForced is what Serve returns if calls still ran when Config.ShutdownTimeout
// was over.
var ErrForced = errors.New("serve: calls still ran at the end of the shutdown time, and were cut off")

// Server serves services. It is made by New, listens with Listen and runs with
// Serve, once.
type Server struct {
	cfg      Config // with defaults
	services []Service
	token    *bearer   // nil: everybody is let in
	tls      *certFile // nil: no TLS
	log      *slog.Logger

	health *health.Server
	ready  atomic.Bool
	active gauge
	// ending is done when streams have to end, with ErrShutdown as cause.
	ending context.Context
	end    context.CancelCauseFunc

	outer      *grpc.Server // for the outside
	handshakes handshakes   // of connections to it
	gateway    *gateway     // nil: no HTTP

	mu      sync.Mutex
	state   serverState
	grpcLns []net.Listener
	httpLns []net.Listener
}

type serverState int

const (
	stateNew serverState = iota
	stateListening
	stateServing
)

// Run serves until the context ends, and then shuts down, as Server.Serve does.
// All errors of the configuration are reported together, before anything is
// opened.
func Run(ctx context.Context, cfg Config, services ...Service) error {
	s, err := New(cfg, services...)
	if err != nil {
		return err
	}
	return s.Serve(ctx)
}

// Main is Run for the main function of a program: it shuts down on SIGINT and
// SIGTERM, dies of a second one, and exits with status 1 on an error.
func Main(cfg Config, services ...Service) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	if err := Run(ctx, cfg, services...); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// New checks the configuration, reads the files that it names, and makes a
// server. Its error holds all that is wrong.
func New(cfg Config, services ...Service) (*Server, error) {
	cfg = cfg.withDefaults()
	s := &Server{cfg: cfg, services: services, log: cfg.Logger, health: health.NewServer()}
	var tlsErr, tokenErr error
	if cfg.TLSCert != "" && cfg.TLSKey != "" {
		s.tls, tlsErr = openCertFile(cfg.TLSCert, cfg.TLSKey, cfg.TLSClientCA, cfg.Logger)
	}
	s.token, tokenErr = openToken(cfg.Token, cfg.TokenFile, cfg.field("TokenFile"))
	if err := errors.Join(cfg.check(services), tlsErr, tokenErr); err != nil {
		return nil, err
	}
	s.initHealth()
	s.ending, s.end = context.WithCancelCause(context.Background())
	return s, nil
}

// Listen opens the addresses. It is for those who want to know which, before
// they call Serve: a server that listens has to be served, if only with a
// context that has ended, to be closed. If one address cannot be opened, none
// stays open.
func (s *Server) Listen() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.listen()
}

func (s *Server) listen() (err error) {
	if s.state != stateNew {
		return errors.New("serve: the server listens already")
	}
	defer func() {
		if err != nil {
			s.close()
		}
	}()
	if s.outer, err = s.newGRPC(false); err != nil {
		return err
	}
	if len(s.cfg.HTTP) > 0 {
		if s.gateway, err = s.newGateway(); err != nil {
			return err
		}
	}
	open := opener{mode: s.cfg.SocketMode, owner: s.cfg.SocketOwner, secure: s.tls != nil || s.cfg.Insecure,
		needs: s.cfg.toExpose()}
	if s.grpcLns, err = open.all("gRPC", s.cfg.GRPC); err != nil {
		return err
	}
	if s.httpLns, err = open.all("HTTP", s.cfg.HTTP); err != nil {
		return err
	}
	s.state = stateListening
	return nil
}

// close gives back what Listen has opened.
func (s *Server) close() {
	for _, l := range s.grpcLns {
		l.Close()
	}
	for _, l := range s.httpLns {
		l.Close()
	}
	if s.gateway != nil {
		s.gateway.inner.Stop()
		s.gateway.close()
	}
	if s.outer != nil {
		s.outer.Stop()
	}
}

// GRPCAddrs are the addresses that gRPC is served on, in the order of
// Config.GRPC, with the ports that were free for 0.
func (s *Server) GRPCAddrs() []net.Addr { return s.addrs(&s.grpcLns) }

// HTTPAddrs are the addresses that HTTP is served on.
func (s *Server) HTTPAddrs() []net.Addr { return s.addrs(&s.httpLns) }

func (s *Server) addrs(lns *[]net.Listener) []net.Addr {
	s.mu.Lock()
	defer s.mu.Unlock()
	var addrs []net.Addr
	for _, l := range *lns {
		addrs = append(addrs, l.Addr())
	}
	return addrs
}

// SetReady says whether the server is ready for calls: Config.ReadyPath and the
// health of each service and of the whole tell. It changes nothing else. A
// server is ready once it is served, until it shuts down.
func (s *Server) SetReady(ready bool) {
	s.ready.Store(ready)
	if ready {
		s.health.Resume()
	} else {
		s.health.Shutdown()
	}
}

// newGRPC makes a gRPC server. The inner one is that of the gateway: nobody
// else connects to it.
func (s *Server) newGRPC(inner bool) (*grpc.Server, error) {
	c := &s.cfg
	calls := &calls{log: s.log, ending: s.ending, timeout: c.CallTimeout, active: &s.active, inner: inner}
	unary := []grpc.UnaryServerInterceptor{calls.unary}
	stream := []grpc.StreamServerInterceptor{calls.stream}
	if s.token != nil {
		unary, stream = append(unary, s.token.unary), append(stream, s.token.stream)
	}
	unary, stream = append(unary, c.UnaryInterceptors...), append(stream, c.StreamInterceptors...)
	opts := []grpc.ServerOption{
		grpc.ForceServerCodecV2(newCodec()),
		grpc.MaxRecvMsgSize(c.MaxRecvBytes),
		grpc.MaxSendMsgSize(c.MaxSendBytes),
		grpc.ChainUnaryInterceptor(unary...),
		grpc.ChainStreamInterceptor(stream...),
		grpc.UnknownServiceHandler(s.unknown),
	}
	if !inner {
		opts = append(opts, s.outerOptions()...)
	}
	for _, h := range c.StatsHandlers {
		opts = append(opts, grpc.StatsHandler(h))
	}
	opts = append(opts, c.ServerOptions...)
	// The innermost, so that the interceptors above see an error, no panic.
	opts = append(opts, grpc.ChainUnaryInterceptor(calls.guardUnary), grpc.ChainStreamInterceptor(calls.guardStream))

	g := grpc.NewServer(opts...)
	for _, svc := range s.services {
		svc.Register(g)
	}
	s.registerHealth(g)
	if !c.NoReflection {
		if err := s.registerReflection(g); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// outerOptions are those about connections from outside.
func (s *Server) outerOptions() []grpc.ServerOption {
	c := &s.cfg
	opts := []grpc.ServerOption{
		grpc.MaxConcurrentStreams(uint32(c.MaxStreams)),
		grpc.MaxHeaderListSize(uint32(c.MaxHeaderBytes)),
		grpc.ConnectionTimeout(forever(c.HandshakeTimeout)),
		grpc.KeepaliveParams(keepalive.ServerParameters{
			MaxConnectionIdle: atLeastZero(cmp.Or(c.IdleTimeout, defaultIdleGRPC)),
			MaxConnectionAge:  c.MaxConnectionAge,
			Time:              forever(c.KeepaliveInterval),
			Timeout:           forever(c.KeepaliveTimeout),
		}),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{
			MinTime:             max(c.MinPingInterval, 1),
			PermitWithoutStream: true,
		}),
	}
	if s.tls != nil {
		opts = append(opts, grpc.Creds(&fileCreds{
			TransportCredentials: credentials.NewTLS(s.tls.config("h2")),
			log:                  s.log,
		}))
	}
	return opts
}

// unknown answers calls of methods that there are not. It is a handler, so that
// such calls pass the log and the token check.
func (s *Server) unknown(_ any, stream grpc.ServerStream) error {
	method, _ := grpc.MethodFromServerStream(stream)
	service, name := splitMethod(method)
	for _, svc := range s.services {
		if svc.Name() == service {
			return status.Errorf(codes.Unimplemented, "unknown method %s for service %s", name, service)
		}
	}
	return status.Errorf(codes.Unimplemented, "unknown service %s", service)
}

// Serve serves until the context ends or a listener fails, and then shuts down:
//
//  1. Health becomes NOT_SERVING and Config.ReadyPath answers 503. Calls are
//     taken for Config.ShutdownDelay more.
//  2. Listeners are closed, and the functions of Config.OnShutdown called.
//  3. After Config.StreamGrace the contexts of streams are cancelled with
//     ErrShutdown, and they end with UNAVAILABLE. Unary calls go on. When no
//     call is left, answers that clients do not take are dropped after another
//     second.
//  4. After Config.ShutdownTimeout, all that is left is cut off, and ErrForced
//     returned.
//
// It returns nil if the context ended and the shutdown went well. It calls
// Listen if that has not been done.
func (s *Server) Serve(ctx context.Context) error {
	if err := s.begin(); err != nil {
		return err
	}
	failed := make(chan error, len(s.grpcLns)+len(s.httpLns))
	var served sync.WaitGroup
	s.SetReady(true) // before the first call, which may be a check
	s.start(&served, failed)

	var cause error
	select {
	case <-ctx.Done():
		s.log.Info("shutting down", "cause", context.Cause(ctx))
	case cause = <-failed:
		s.log.Error("shutting down", "error", cause)
	}
	return errors.Join(cause, s.stop(ctx, &served))
}

func (s *Server) begin() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state == stateServing {
		return errors.New("serve: Serve was called before; a server serves once")
	}
	if s.state == stateNew {
		if err := s.listen(); err != nil {
			return err
		}
	}
	s.state = stateServing
	return nil
}

// start serves each listener. Their failures go to a channel, which has room
// for all.
func (s *Server) start(served *sync.WaitGroup, failed chan<- error) {
	run := func(protocol string, l net.Listener, serve func(net.Listener) error) {
		served.Go(func() {
			if err := serve(l); err != nil && !errors.Is(err, http.ErrServerClosed) {
				failed <- fmt.Errorf("serve: %s on %s: %w", protocol, l.Addr(), err)
			}
		})
	}
	for _, l := range s.grpcLns {
		secure := s.tls != nil && !isUnix(l.Addr())
		s.log.Info("listening", "protocol", "grpc", "address", l.Addr().String(), "tls", secure)
		run("gRPC", s.handshakes.listener(l, s.log), s.outer.Serve)
	}
	if s.gateway == nil {
		return
	}
	served.Go(func() { _ = s.gateway.inner.Serve(s.gateway.pipe) })
	for _, l := range s.httpLns {
		secure := s.tls != nil && !isUnix(l.Addr())
		s.log.Info("listening", "protocol", "http", "address", l.Addr().String(), "tls", secure)
		if secure {
			l = s.tls.listener(l)
		}
		run("HTTP", l, s.gateway.http.Serve)
	}
}

func splitMethod(full string) (service, method string) {
	method = baseName(full)
	service = full[:len(full)-len(method)]
	if len(service) > 1 && service[0] == '/' {
		service = service[1 : len(service)-1]
	}
	return service, method
}
