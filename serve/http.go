package serve

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"runtime/debug"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"
)

// handler is all around the routes. From the outside: log and panics, limits,
// host, CORS, cross-site requests, token, Config.HTTPMiddleware, Server-Sent Events.
func (s *Server) handler(mux *runtime.ServeMux) http.Handler {
	h := s.serveSSE(untilWriteFails(mux))
	for i := len(s.cfg.HTTPMiddleware) - 1; i >= 0; i-- {
		h = s.cfg.HTTPMiddleware[i](h)
	}
	fail := func(w http.ResponseWriter, r *http.Request, err error) {
		if r.ProtoMajor == 1 && r.ContentLength != 0 {
			w.Header().Set("Connection", "close") // or the body would be read first
		}
		_, m := runtime.MarshalerForRequest(mux, r)
		runtime.HTTPError(r.Context(), mux, m, w, r, err)
	}
	h = s.checkToken(h, fail)
	h = s.sameSite(h, fail)
	h = s.cors(h)
	h = s.checkHost(h, fail)
	h = s.limitBody(h, fail)
	return s.observe(h, fail)
}

type failFunc func(http.ResponseWriter, *http.Request, error)

// httpCall is an HTTP request, as the inner gRPC server wants to know it.
type httpCall struct {
	id     string
	remote net.Addr
	local  net.Addr
	tls    *tls.ConnectionState
	events *eventIDs // nil: the answer is no stream of Server-Sent Events

	called atomic.Bool // it became a call, which has a log line of its own
	stream atomic.Bool // of a method that streams
	body   atomic.Pointer[error]

	duplex func()                 // lets the body be read after the answer has begun
	upload atomic.Pointer[upload] // nil: messages do not come from the body
}

type httpCallKey struct{}

// httpCallHeader names the call's id in the metadata from the gateway to the
// inner server.
const httpCallHeader = "serve-http-call"

// httpCalls are the requests that run. They are found by id, because contexts
// do not go through connections.
var httpCalls struct {
	sync.Map // string -> *httpCall
	last     atomic.Uint64
}

func newHTTPCall(r *http.Request) *httpCall {
	h := &httpCall{id: strconv.FormatUint(httpCalls.last.Add(1), 10), tls: r.TLS, remote: remoteAddr(r)}
	h.local, _ = r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	httpCalls.Store(h.id, h)
	return h
}

func (h *httpCall) done() { httpCalls.Delete(h.id) }

// httpCallOf is the request that a call to the inner server comes from. The
// last value is the gateway's; others would be the client's.
func httpCallOf(ctx context.Context) *httpCall {
	ids := metadata.ValueFromIncomingContext(ctx, httpCallHeader)
	if len(ids) == 0 {
		return nil
	}
	h, _ := httpCalls.Load(ids[len(ids)-1])
	c, _ := h.(*httpCall)
	return c
}

// peer is the client as handlers see it.
func (h *httpCall) peer() *peer.Peer {
	p := &peer.Peer{Addr: h.remote, LocalAddr: h.local}
	if h.tls != nil {
		p.AuthInfo = credentials.TLSInfo{
			State:          *h.tls,
			CommonAuthInfo: credentials.CommonAuthInfo{SecurityLevel: credentials.PrivacyAndIntegrity},
		}
	}
	return p
}

func remoteAddr(r *http.Request) net.Addr {
	if local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok && isUnix(local) {
		return &net.UnixAddr{Net: "unix"}
	}
	if a, err := net.ResolveTCPAddr("tcp", r.RemoteAddr); err == nil {
		return a
	}
	return textAddr(r.RemoteAddr)
}

type textAddr string

func (textAddr) Network() string  { return "tcp" }
func (a textAddr) String() string { return string(a) }

// observe logs requests that did not become calls, and recovers panics.
func (s *Server) observe(next http.Handler, fail failFunc) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		start := time.Now()
		call := newHTTPCall(r)
		defer call.done()
		w := &response{ResponseWriter: rw, rc: http.NewResponseController(rw), timeout: s.cfg.WriteTimeout,
			challenge: s.token != nil}
		call.duplex = func() { w.duplex(r) }
		r = r.WithContext(context.WithValue(r.Context(), httpCallKey{}, call))
		defer w.finish()
		defer func() {
			if p := recover(); p != nil {
				s.httpPanic(w, r, p, fail)
			}
			if !call.called.Load() {
				s.logHTTP(r, call, w.status, time.Since(start))
			}
		}()
		next.ServeHTTP(w, r)
	})
}

func (s *Server) httpPanic(w *response, r *http.Request, p any, fail failFunc) {
	if p == http.ErrAbortHandler { //nolint:errorlint // the value itself is what is thrown
		panic(p)
	}
	s.log.Error("panic", "method", r.Method+" "+r.URL.Path, "panic", p, "stack", string(debug.Stack()))
	if w.status != 0 {
		panic(http.ErrAbortHandler) // the client must not take half an answer for a whole one
	}
	fail(w, r, errPanic)
}

func (s *Server) logHTTP(r *http.Request, call *httpCall, code int, d time.Duration) {
	level := slog.LevelInfo
	switch {
	case code >= http.StatusInternalServerError && code != http.StatusNotImplemented &&
		code != http.StatusServiceUnavailable:
		level = slog.LevelError
	case r.URL.Path == s.cfg.LivePath, r.URL.Path == s.cfg.ReadyPath:
		level = slog.LevelDebug
	}
	s.log.LogAttrs(r.Context(), level, "request",
		slog.String("method", r.Method+" "+r.URL.Path),
		slog.Int("status", code),
		slog.Duration("duration", d),
		slog.String("peer", addrString(call.remote)),
		slog.String("protocol", "http"))
}

// response is a ResponseWriter that bounds the time of each write.
type response struct {
	http.ResponseWriter
	rc        *http.ResponseController
	timeout   time.Duration
	challenge bool // 401 asks for a bearer token
	status    int  // 0: nothing was written
}

// Unwrap is for http.ResponseController.
func (w *response) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// WriteHeader sends the status and the headers.
func (w *response) WriteHeader(code int) {
	if code >= 200 && w.status == 0 {
		w.status = code
	}
	if code == http.StatusUnauthorized && w.challenge {
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	w.ResponseWriter.WriteHeader(code)
}

// duplex lets the body of a request with HTTP/1 be read after the answer has
// begun; the server would throw away what is left of it then. It has to be called
// before. Such a connection is not used again: net/http starts to read the next
// request while it still reads away the rest of the body.
func (w *response) duplex(r *http.Request) {
	if r.ProtoMajor == 1 && r.ContentLength != 0 {
		w.Header().Set("Connection", "close")
		_ = w.rc.EnableFullDuplex()
	}
}

// Write writes a part of the body.
func (w *response) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	w.arm()
	defer w.disarm()
	return w.ResponseWriter.Write(b)
}

// FlushError sends what was written.
func (w *response) FlushError() error {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	w.arm()
	defer w.disarm()
	return w.rc.Flush()
}

// Flush sends what was written.
func (w *response) Flush() { _ = w.FlushError() }

// finish bounds the last write, which the server does after the handler.
func (w *response) finish() {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	w.arm()
}

func (w *response) arm() {
	if w.timeout > 0 {
		_ = w.rc.SetWriteDeadline(time.Now().Add(w.timeout))
	}
}

// disarm takes the deadline away: with HTTP/2 it would end the stream, whether
// something is being written or not.
func (w *response) disarm() {
	if w.timeout > 0 {
		_ = w.rc.SetWriteDeadline(time.Time{})
	}
}

// untilWriteFails ends the request's context when something cannot be written,
// and does not tell the gateway, which would write a line to the standard error
// for each client that leaves. It stops at the end of the context.
func untilWriteFails(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		r, call := forGateway(ctx, r)
		next.ServeHTTP(&cancelWriter{w, http.NewResponseController(w), cancel, call}, r)
	})
}

type cancelWriter struct {
	http.ResponseWriter
	rc     *http.ResponseController
	cancel context.CancelFunc
	call   *httpCall // nil: none
}

// Unwrap is for http.ResponseController.
func (w *cancelWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// WriteHeader sends the status and the headers.
func (w *cancelWriter) WriteHeader(code int) {
	if w.call != nil {
		code = w.call.bodyStatus(code)
	}
	w.ResponseWriter.WriteHeader(code)
}

// Write writes, and does not fail.
func (w *cancelWriter) Write(b []byte) (int, error) {
	if _, err := w.ResponseWriter.Write(b); err != nil {
		w.cancel()
	}
	return len(b), nil
}

// FlushError flushes, and does not fail.
func (w *cancelWriter) FlushError() error {
	if err := w.rc.Flush(); err != nil {
		w.cancel()
	}
	return nil
}

// limitBody bounds the size of request bodies, and the time in which they have
// to arrive.
func (s *Server) limitBody(next http.Handler, fail failFunc) http.Handler {
	limit := int64(s.cfg.MaxBodyBytes)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength > limit {
			fail(w, r, errBodyTooLarge(limit))
			return
		}
		if r.Body != nil && r.Body != http.NoBody {
			call, _ := r.Context().Value(httpCallKey{}).(*httpCall)
			b := &body{
				ReadCloser: http.MaxBytesReader(w, r.Body, limit),
				timeout:    s.cfg.ReadTimeout,
				call:       call,
			}
			ctx, cancel := b.until(r.Context())
			defer cancel()
			r = r.WithContext(ctx)
			if s.cfg.ReadTimeout > 0 {
				// The HTTP server takes it away when the body has been read.
				_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(s.cfg.ReadTimeout))
			}
			r.Body = b
		}
		next.ServeHTTP(w, r)
	})
}

func errBodyTooLarge(limit int64) error {
	return statusError(http.StatusRequestEntityTooLarge, codes.ResourceExhausted,
		"the request's body is larger than %d bytes", limit)
}

// body is a request's body with a deadline, which remembers what went wrong.
type body struct {
	io.ReadCloser
	timeout time.Duration
	call    *httpCall
	mu      sync.Mutex // held while it is read
}

// until is a context that ends with the request's, but not before an error of
// reading is known: the HTTP server ends its own before it tells that one.
func (b *body) until(ctx context.Context) (context.Context, context.CancelFunc) {
	own, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		cancel()
	})
	return own, func() {
		stop()
		cancel()
	}
}

// Read reads a part of the body.
func (b *body) Read(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	n, err := b.ReadCloser.Read(p)
	if err == nil {
		return n, nil
	}
	var large *http.MaxBytesError
	var failed error
	switch {
	case errors.As(err, &large):
		failed = errBodyTooLarge(large.Limit)
	case errors.Is(err, os.ErrDeadlineExceeded):
		failed = statusError(http.StatusRequestTimeout, codes.DeadlineExceeded,
			"the request's body did not arrive within %s", b.timeout)
	}
	if failed != nil && b.call != nil {
		b.call.failBody(failed)
	}
	return n, err
}

// checkToken checks the token before anything of the request is read. Calls are
// checked again.
func (s *Server) checkToken(next http.Handler, fail failFunc) http.Handler {
	if s.token == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != s.cfg.LivePath && r.URL.Path != s.cfg.ReadyPath {
			if err := s.token.check(r.Header.Values("Authorization")); err != nil {
				fail(w, r, err)
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}
