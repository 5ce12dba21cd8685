package serve

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// An upload is the body of a request that becomes the stream of messages which a
// client sends. The gateway's generated handlers read it until an error, of
// whatever kind, and then close the stream, as if the client had sent all. So the
// error goes another way: it is kept with the request, and the inner server's
// stream ends with it where it would have ended well. It comes behind the
// messages before it, and handler and client see the same one.
//
// Nor are the gateway's handlers told of errors of sending, which come with the
// answer as well: they would write lines of grpclog to the standard error.
type upload struct {
	grpc.ClientStream
	call  *httpCall
	ended atomic.Bool // the call is over: nothing more can be sent
}

// newUpload makes a call take its messages from the body.
func newUpload(h *httpCall, s grpc.ClientStream) *upload {
	u := &upload{ClientStream: s, call: h}
	h.upload.Store(u)
	return u
}

// SendMsg sends a message. That the call is over is no error.
func (u *upload) SendMsg(m any) error {
	if err := u.ClientStream.SendMsg(m); err != nil {
		u.ended.Store(true)
	}
	return nil
}

// RecvMsg receives a part of the answer.
func (u *upload) RecvMsg(m any) error { return u.call.streamError(u.ClientStream.RecvMsg(m)) }

// callBody is a request's body that knows its call, for uploadMarshaler.
type callBody struct {
	io.ReadCloser
	call *httpCall
}

// uploadMarshaler keeps errors of decoding from the gateway's handlers, for calls
// whose messages come from the body.
type uploadMarshaler struct{ runtime.Marshaler }

// NewDecoder decodes a request's body.
func (m *uploadMarshaler) NewDecoder(r io.Reader) runtime.Decoder {
	dec := m.Marshaler.NewDecoder(r)
	b, ok := r.(*callBody)
	if !ok {
		return dec
	}
	n := 0
	return runtime.DecoderFunc(func(v any) error {
		u := b.call.upload.Load()
		if u != nil && u.ended.Load() {
			return io.EOF
		}
		err := dec.Decode(v)
		n++
		if u == nil || err == nil || errors.Is(err, io.EOF) {
			return err
		}
		b.call.failBody(status.Errorf(codes.InvalidArgument, "message %d of the request's body: %v", n, err))
		return io.EOF
	})
}

// failBody remembers what went wrong with the body; the first error counts.
func (h *httpCall) failBody(err error) { h.body.CompareAndSwap(nil, &err) }

// bodyError is what went wrong with the body, if anything. It is a
// *runtime.HTTPStatusError where its code does not imply the status.
func (h *httpCall) bodyError() error {
	if p := h.body.Load(); p != nil {
		return *p
	}
	return nil
}

// bodyStatus is the HTTP status of an answer that fails, which the gateway has
// from the error's code alone.
func (h *httpCall) bodyStatus(code int) int {
	var e *runtime.HTTPStatusError
	if errors.As(h.bodyError(), &e) && code == runtime.HTTPStatusFromCode(status.Code(e.Err)) {
		return e.HTTPStatus
	}
	return code
}

// receiveError is what the handler gets for an error of receiving: io.EOF only if
// the whole body was read.
func (h *httpCall) receiveError(err error) error {
	if errors.Is(err, io.EOF) {
		return cmp.Or(h.uploadError(), err)
	}
	return h.streamError(err)
}

// streamError is the reason why a stream was cancelled, if that is the body.
func (h *httpCall) streamError(err error) error {
	if status.Code(err) == codes.Canceled {
		return cmp.Or(h.uploadError(), err)
	}
	return err
}

// uploadError is what went wrong with the body of an upload, if anything, as a
// status.
func (h *httpCall) uploadError() error {
	if h.upload.Load() == nil {
		return nil
	}
	err := h.bodyError()
	var e *runtime.HTTPStatusError
	if errors.As(err, &e) {
		return e.Err
	}
	return err
}

// forGateway is a request as the gateway gets it: its body knows its call, and
// headers that cannot become metadata, of which grpclog would tell, are left out.
func forGateway(ctx context.Context, r *http.Request) (*http.Request, *httpCall) {
	r = r.WithContext(ctx)
	if !allMetadata(r.Header) {
		r.Header = r.Header.Clone()
		for name, values := range r.Header {
			values = slices.DeleteFunc(values, func(v string) bool { return !isMetadata(name, v) })
			if r.Header[name] = values; len(values) == 0 {
				delete(r.Header, name)
			}
		}
	}
	call, _ := ctx.Value(httpCallKey{}).(*httpCall)
	if call != nil && r.Body != nil {
		r.Body = &callBody{r.Body, call}
	}
	return r, call
}

func allMetadata(h http.Header) bool {
	for name, values := range h {
		for _, v := range values {
			if !isMetadata(name, v) {
				return false
			}
		}
	}
	return true
}

// isMetadata tells whether gRPC could send a header. Values of those that end in
// -Bin are decoded first.
func isMetadata(name, value string) bool {
	for _, c := range []byte(name) {
		if (c|0x20 < 'a' || c|0x20 > 'z') && (c < '0' || c > '9') && c != '-' && c != '_' && c != '.' {
			return false
		}
	}
	if strings.HasSuffix(name, "-Bin") {
		return true
	}
	for _, c := range []byte(value) {
		if c < ' ' || c > '~' {
			return false
		}
	}
	return true
}
