// Package serve runs gRPC services as a well-behaved process: gRPC and
// HTTP/JSON, health, reflection, limits, logs, and a shutdown that ends live
// streams. The services come from generated kits.
//
// Run serves what a Config says; its zero value is safe to use. HTTP requests
// become calls over a connection in memory, and pass the same interceptors as
// calls from outside. What goes through them, from the outside:
//
//   - HTTP requests: log and recovery of panics, limits, the refusal of
//     unknown hosts, CORS, the refusal of browsers' cross-site requests, the token
//     check, Config.HTTPMiddleware, Server-Sent Events, routes;
//   - calls: Config.StatsHandlers, log and recovery of panics, the token check,
//     Config.UnaryInterceptors or Config.StreamInterceptors, those of
//     Config.ServerOptions, the handler.
//
// Config.Logger gets all that the package logs. The gateway's generated handlers
// and gRPC itself write to grpclog, which belongs to the process and is left
// alone: a program that wants its lines elsewhere calls grpclog.SetLoggerV2. What
// clients send makes no line there.
//
// A stream that follows an event log is one call of Follow, which encodes each
// event once for all streams.
package serve

import (
	"context"
	"errors"
	"io"
	"iter"
	"strings"

	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// Service is one gRPC service with all that is needed to serve it. Generated
// kits make Services from implementations; there is no need to fill one in by
// hand.
type Service struct {
	// Desc is what gRPC registers. Its handlers are bound to the
	// implementation: it is registered with a nil one.
	Desc *grpc.ServiceDesc
	// File is the file that declares the service.
	File protoreflect.FileDescriptor
	// HTTP adds the routes of the service's google.api.http options to a
	// gateway, as protoc-gen-grpc-gateway's RegisterXxxHandler does. Nil: the
	// service has no routes of its own.
	HTTP func(context.Context, *runtime.ServeMux, *grpc.ClientConn) error
}

// Name is the full name of the service, such as "grpc.health.v1.Health".
func (s Service) Name() string { return s.Desc.ServiceName }

// Register adds the service to a gRPC server.
func (s Service) Register(r grpc.ServiceRegistrar) { r.RegisterService(s.Desc, nil) }

// Sender is the sending side of a stream. Send returns when the message is
// accepted for sending, which waits for a slow receiver; its error ends the
// stream. It must not be called by two goroutines at a time. The types of
// google.golang.org/grpc for streams that send are Senders too.
type Sender[M any] interface {
	Send(M) error
}

// message is a pointer to a generated message type.
type message[T any] interface {
	*T
	proto.Message
}

// Unary describes a method that takes one message and returns one. The method
// is named in full, as in "/grpc.health.v1.Health/Check".
func Unary[Req, Res any, ReqPtr message[Req], ResPtr message[Res]](
	method string, call func(context.Context, ReqPtr) (ResPtr, error),
) grpc.MethodDesc {
	handle := func(ctx context.Context, req any) (any, error) { return call(ctx, req.(ReqPtr)) }
	return grpc.MethodDesc{
		MethodName: baseName(method),
		Handler: func(
			_ any, ctx context.Context, decode func(any) error, intercept grpc.UnaryServerInterceptor,
		) (any, error) {
			req := ReqPtr(new(Req))
			if err := decode(req); err != nil {
				return nil, err
			}
			if intercept == nil {
				return handle(ctx, req)
			}
			return intercept(ctx, req, &grpc.UnaryServerInfo{FullMethod: method}, handle)
		},
	}
}

// ServerStream describes a method that takes one message and sends any number.
func ServerStream[Req, Res any, ReqPtr message[Req], ResPtr message[Res]](
	method string, call func(context.Context, ReqPtr, Sender[ResPtr]) error,
) grpc.StreamDesc {
	return grpc.StreamDesc{
		StreamName:    baseName(method),
		ServerStreams: true,
		Handler: func(_ any, s grpc.ServerStream) error {
			req := ReqPtr(new(Req))
			if err := s.RecvMsg(req); err != nil {
				return err
			}
			return call(s.Context(), req, stream[ResPtr]{s})
		},
	}
}

// ClientStream describes a method that takes any number of messages and returns
// one. The sequence ends after the client's last message, or with an error; it
// can be ranged over once.
func ClientStream[Req, Res any, ReqPtr message[Req], ResPtr message[Res]](
	method string, call func(context.Context, iter.Seq2[ReqPtr, error]) (ResPtr, error),
) grpc.StreamDesc {
	return grpc.StreamDesc{
		StreamName:    baseName(method),
		ClientStreams: true,
		Handler: func(_ any, s grpc.ServerStream) error {
			res, err := call(s.Context(), received[Req, ReqPtr](s))
			if err != nil {
				return err
			}
			return s.SendMsg(res)
		},
	}
}

// BidiStream describes a method that takes and sends any number of messages, in
// any order.
func BidiStream[Req, Res any, ReqPtr message[Req], ResPtr message[Res]](
	method string, call func(context.Context, iter.Seq2[ReqPtr, error], Sender[ResPtr]) error,
) grpc.StreamDesc {
	return grpc.StreamDesc{
		StreamName:    baseName(method),
		ServerStreams: true,
		ClientStreams: true,
		Handler: func(_ any, s grpc.ServerStream) error {
			return call(s.Context(), received[Req, ReqPtr](s), stream[ResPtr]{s})
		},
	}
}

// received is what a client sends. An error is the last that the sequence has;
// the client's end of sending is none.
func received[Req any, ReqPtr message[Req]](s grpc.ServerStream) iter.Seq2[ReqPtr, error] {
	return func(yield func(ReqPtr, error) bool) {
		for {
			req := ReqPtr(new(Req))
			switch err := s.RecvMsg(req); {
			case errors.Is(err, io.EOF):
				return
			case err != nil:
				yield(nil, err)
				return
			}
			if !yield(req, nil) {
				return
			}
		}
	}
}

// stream is the Sender of a gRPC stream.
type stream[M any] struct{ grpc.ServerStream }

func (s stream[M]) Send(m M) error { return s.SendMsg(m) }

// baseName is the part of a full method name behind its last slash.
func baseName(method string) string { return method[strings.LastIndexByte(method, '/')+1:] }
