package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/dynamicpb"
)

// addRoutes adds the default routes of a service: POST /package.Service/Method.
func addRoutes(mux *runtime.ServeMux, conn *grpc.ClientConn, svc Service) error {
	if svc.File == nil {
		return errors.New("the service has no File, which default routes need")
	}
	name := protoreflect.FullName(svc.Name())
	sd := svc.File.Services().ByName(name.Name())
	if sd == nil || sd.FullName() != name {
		return fmt.Errorf("file %s does not declare the service", svc.File.Path())
	}
	for i := range sd.Methods().Len() {
		r := newRoute(mux, conn, sd.Methods().Get(i))
		if err := mux.HandlePath(http.MethodPost, r.method, r.serve); err != nil {
			return err
		}
	}
	return nil
}

// route is the default route of a method.
type route struct {
	mux    *runtime.ServeMux
	conn   *grpc.ClientConn
	method string // in full, which is the path too
	in     protoreflect.MessageType
	out    protoreflect.MessageType
	desc   grpc.StreamDesc
}

func newRoute(mux *runtime.ServeMux, conn *grpc.ClientConn, m protoreflect.MethodDescriptor) *route {
	return &route{
		mux:    mux,
		conn:   conn,
		method: fmt.Sprintf("/%s/%s", m.Parent().FullName(), m.Name()),
		in:     messageType(m.Input()),
		out:    messageType(m.Output()),
		desc: grpc.StreamDesc{
			StreamName:    string(m.Name()),
			ServerStreams: m.IsStreamingServer(),
			ClientStreams: m.IsStreamingClient(),
		},
	}
}

// messageType is the generated type of a message, or one made of its
// descriptor.
func messageType(d protoreflect.MessageDescriptor) protoreflect.MessageType {
	if t, err := protoregistry.GlobalTypes.FindMessageByName(d.FullName()); err == nil {
		return t
	}
	return dynamicpb.NewMessageType(d)
}

func (t *route) serve(w http.ResponseWriter, r *http.Request, _ map[string]string) {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	in, out := runtime.MarshalerForRequest(t.mux, r)
	ctx, err := runtime.AnnotateContext(ctx, t.mux, r, t.method, runtime.WithHTTPPathPattern(t.method))
	if err != nil {
		runtime.HTTPError(r.Context(), t.mux, out, w, r, err)
		return
	}
	req, err := t.read(in, r)
	switch {
	case err != nil:
		runtime.HTTPError(ctx, t.mux, out, w, r, err)
	case t.desc.ServerStreams:
		t.stream(ctx, out, w, r, req)
	default:
		t.unary(ctx, out, w, r, req)
	}
}

// read is the request message. An empty body is an empty message.
func (t *route) read(m runtime.Marshaler, r *http.Request) (proto.Message, error) {
	if t.desc.ClientStreams {
		return nil, status.Errorf(codes.Unimplemented,
			"%s takes a stream of messages, which its HTTP route cannot send: call it with gRPC", t.method)
	}
	req := t.in.New().Interface()
	if err := m.NewDecoder(r.Body).Decode(req); err != nil && !errors.Is(err, io.EOF) {
		return nil, status.Error(codes.InvalidArgument, err.Error())
	}
	// Only when all is read does the HTTP server notice that a client leaves.
	_, _ = io.Copy(io.Discard, r.Body)
	return req, nil
}

func (t *route) unary(
	ctx context.Context, m runtime.Marshaler, w http.ResponseWriter, r *http.Request, req proto.Message,
) {
	var md runtime.ServerMetadata
	res := t.out.New().Interface()
	err := t.conn.Invoke(ctx, t.method, req, res, grpc.Header(&md.HeaderMD), grpc.Trailer(&md.TrailerMD))
	ctx = runtime.NewServerMetadataContext(ctx, md)
	if err != nil {
		runtime.HTTPError(ctx, t.mux, m, w, r, err)
		return
	}
	runtime.ForwardResponseMessage(ctx, t.mux, m, w, r, res, t.mux.GetForwardResponseOptions()...)
}

func (t *route) stream(
	ctx context.Context, m runtime.Marshaler, w http.ResponseWriter, r *http.Request, req proto.Message,
) {
	stream, header, err := t.open(ctx, req)
	ctx = runtime.NewServerMetadataContext(ctx, runtime.ServerMetadata{HeaderMD: header})
	if err != nil {
		runtime.HTTPError(ctx, t.mux, m, w, r, err)
		return
	}
	recv := func() (proto.Message, error) {
		res := t.out.New().Interface()
		return res, stream.RecvMsg(res)
	}
	runtime.ForwardResponseStream(ctx, t.mux, m, w, r, recv, t.mux.GetForwardResponseOptions()...)
}

func (t *route) open(ctx context.Context, req proto.Message) (grpc.ClientStream, map[string][]string, error) {
	stream, err := t.conn.NewStream(ctx, &t.desc, t.method)
	if err != nil {
		return nil, nil, err
	}
	// An error of sending is io.EOF; what it stands for comes with the header.
	if err := stream.SendMsg(req); err != nil && !errors.Is(err, io.EOF) {
		return nil, nil, err
	}
	if err := stream.CloseSend(); err != nil {
		return nil, nil, err
	}
	header, err := stream.Header()
	return stream, header, err
}
