package main

import (
	"context"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	pb "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/rkt/v1alpha"
	"github.com/skaffoldgen/protoc-gen-skaffold/serve"

	"github.com/skaffoldgen/protoc-gen-skaffold/examples/rkt/store"
)

// ListenEvents listens for the events. It sends what has happened since the
// server started, as far as the filter lets it through, and then what happens.
//
// The headers are sent at once: a client that has them misses nothing that it
// does not find by listing.
func (s *Server) ListenEvents(
	ctx context.Context, req *pb.ListenEventsRequest, stream serve.Sender[*pb.ListenEventsResponse],
) error {
	filter := req.GetFilter()
	w := window{filter.GetSinceTime(), filter.GetUntilTime()}
	if err := w.check(); err != nil {
		return err
	}
	if err := sendHeader(ctx); err != nil {
		return err
	}
	return follow(ctx, s.clock, w, s.store.Events(), 0, func(o store.Occurrence) (bool, error) {
		if !matchEvent(o, filter) {
			return true, nil
		}
		return true, stream.Send(&pb.ListenEventsResponse{Events: []*pb.Event{o.Event}})
	})
}

// sendHeader tells the client of a stream that its request is accepted.
func sendHeader(ctx context.Context) error {
	if grpc.ServerTransportStreamFromContext(ctx) == nil {
		return nil // not called over gRPC: there is nobody to tell
	}
	return grpc.SendHeader(ctx, metadata.MD{})
}
