package serve

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"
	"google.golang.org/genproto/googleapis/api/httpbody"
	"google.golang.org/protobuf/proto"
)

// mimeSSE is the type of Server-Sent Events.
const mimeSSE = "text/event-stream"

// messageStart is what the event of a message begins with; that of an error
// begins with its name.
const messageStart = "data: "

// openTime is when a stream on which nothing has come yet is opened by a
// comment, for browsers wait for that. Errors before it have their HTTP status.
const openTime = time.Second

// sseMarshaler writes what the gateway sends on a stream as Server-Sent Events:
// the messages themselves as unnamed events, an error as the event "error" with
// a google.rpc.Status. The gateway ends each with a line feed more. All else is
// JSON as usual.
type sseMarshaler struct{ runtime.Marshaler }

// Marshal encodes a message, or a part of a stream, which the gateway puts into
// a map.
func (m *sseMarshaler) Marshal(v any) ([]byte, error) {
	switch v := v.(type) {
	case map[string]any:
		if result, ok := v["result"]; ok && len(v) == 1 {
			return m.event("", result)
		}
	case map[string]proto.Message:
		if st, ok := v["error"]; ok && len(v) == 1 {
			return m.event("error", st)
		}
	}
	return m.Marshaler.Marshal(v)
}

// event is an event without the empty line that ends it.
func (m *sseMarshaler) event(name string, v any) ([]byte, error) {
	data, err := m.Marshaler.Marshal(v)
	if err != nil {
		return nil, err
	}
	var buf bytes.Buffer
	if name != "" {
		buf.WriteString("event: " + name + "\n")
	}
	var compact bytes.Buffer
	if json.Compact(&compact, data) == nil {
		data = compact.Bytes()
	}
	// JSON needs no line feeds, but a marshaler of the user's may write others.
	for line := range bytes.Lines(bytes.ReplaceAll(data, []byte("\r"), nil)) {
		buf.WriteString(messageStart)
		buf.Write(bytes.TrimSuffix(line, []byte("\n")))
		buf.WriteByte('\n')
	}
	return buf.Bytes(), nil
}

// ContentType is that of answers without a stream, and of errors on streams.
func (m *sseMarshaler) ContentType(v any) string {
	if _, ok := v.(map[string]proto.Message); ok {
		return mimeSSE
	}
	return m.Marshaler.ContentType(v)
}

// StreamContentType is that of a stream. Bodies of the service's own stay what
// they are.
func (m *sseMarshaler) StreamContentType(v any) string {
	if b, ok := v.(*httpbody.HttpBody); ok {
		return b.GetContentType()
	}
	return mimeSSE
}

// Delimiter is the rest of the empty line that ends an event.
func (m *sseMarshaler) Delimiter() []byte { return []byte("\n") }

// serveSSE turns streams to Server-Sent Events for those who ask for them.
func (s *Server) serveSSE(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !acceptsSSE(r.Header) {
			next.ServeHTTP(w, r)
			return
		}
		r = r.Clone(r.Context())
		r.Header["Accept"] = []string{mimeSSE} // the gateway knows whole values only
		call, _ := r.Context().Value(httpCallKey{}).(*httpCall)
		if call != nil {
			call.events = newEventIDs(r.Header)
		}
		sse := &sseWriter{w: w, rc: http.NewResponseController(w), header: w.Header().Clone(), call: call}
		sse.beat(s.cfg.SSEHeartbeat)
		defer sse.close()
		next.ServeHTTP(sse, r)
	})
}

// acceptsSSE tells whether a client asks for events by name.
func acceptsSSE(h http.Header) bool {
	for _, v := range h.Values("Accept") {
		for part := range strings.SplitSeq(v, ",") {
			t, params, err := mime.ParseMediaType(part)
			if err != nil || t != mimeSSE {
				continue
			}
			if q, err := strconv.ParseFloat(params["q"], 64); err != nil || q > 0 {
				return true
			}
		}
	}
	return false
}

// sseWriter is the ResponseWriter of one request. It writes whole events, and
// comments while there are none: a client that is gone is noticed when they
// cannot be written.
type sseWriter struct {
	call   *httpCall
	header http.Header // the handler's; comments may send w's before it is ready

	mu    sync.Mutex // held while w is used
	w     http.ResponseWriter
	rc    *http.ResponseController
	buf   bytes.Buffer // what was written since the last flush
	sent  bool         // the status was written
	ended bool         // the handler has returned
	every time.Duration
	timer *time.Timer
}

// Header is what WriteHeader sends.
func (w *sseWriter) Header() http.Header { return w.header }

// WriteHeader sends the status and the headers, unless a comment was sent
// before.
func (w *sseWriter) WriteHeader(code int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.writeHeader(code, w.header)
}

func (w *sseWriter) writeHeader(code int, header http.Header) {
	if w.sent {
		return
	}
	w.sent = code >= http.StatusOK
	h := w.w.Header()
	for k, v := range header {
		h[k] = v
	}
	if strings.HasPrefix(h.Get("Content-Type"), mimeSSE) {
		h.Set("Cache-Control", "no-cache")
		h.Set("X-Accel-Buffering", "no") // the same for proxies that would collect events
	}
	w.w.WriteHeader(code)
}

// Write keeps a part of an event until it is whole.
func (w *sseWriter) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.buf.Write(b)
}

// FlushError sends what was written.
func (w *sseWriter) FlushError() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.flush(w.header)
}

// Flush sends what was written.
func (w *sseWriter) Flush() { _ = w.FlushError() }

func (w *sseWriter) flush(header http.Header) error {
	w.writeHeader(http.StatusOK, header)
	_, err := w.w.Write(w.withID(w.buf.Bytes()))
	w.buf.Reset() // also where the client is gone: what comes until the handler notices must not pile up
	if err != nil {
		return err
	}
	if w.timer != nil {
		w.timer.Reset(w.every)
	}
	return w.rc.Flush()
}

// withID is what is about to be written, behind its id if it is a message that
// has one.
func (w *sseWriter) withID(event []byte) []byte {
	if w.call == nil || w.call.events == nil || !bytes.HasPrefix(event, []byte(messageStart)) {
		return event
	}
	if id := w.call.events.pop(); id > 0 {
		return fmt.Appendf(nil, "id: %d\n%s", id, event)
	}
	return event
}

// Unwrap is for http.ResponseController.
func (w *sseWriter) Unwrap() http.ResponseWriter { return w.w }

// beat starts to write comments.
func (w *sseWriter) beat(every time.Duration) {
	if every <= 0 {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.every = every
	w.timer = time.AfterFunc(min(every, openTime), w.comment)
}

// comment writes a comment, unless it is too late, or there is an event half
// written, or the answer is no stream.
func (w *sseWriter) comment() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended {
		return
	}
	stream := w.call != nil && w.call.stream.Load()
	if w.sent {
		stream = strings.HasPrefix(w.w.Header().Get("Content-Type"), mimeSSE)
	}
	if !stream || w.buf.Len() > 0 {
		w.timer.Reset(w.every)
		return
	}
	w.buf.WriteString(":\n\n")
	// An error ends the request's context, and so the handler.
	_ = w.flush(http.Header{"Content-Type": {mimeSSE}})
}

// close sends the rest, and ends the comments.
func (w *sseWriter) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended = true
	if w.timer != nil {
		w.timer.Stop()
		w.timer = nil
	}
	if w.sent || w.buf.Len() > 0 {
		_ = w.flush(w.header)
	}
}
