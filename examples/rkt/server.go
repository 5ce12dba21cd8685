package main

import (
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	kit "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/rkt/v1alpha/rktv1alphakit"

	"github.com/skaffoldgen/protoc-gen-skaffold/examples/rkt/store"
)

// Server implements v1alpha.PublicAPI. Each RPC is in a file of its own.
type Server struct {
	store *store.Store
	clock Clock
}

var _ kit.PublicAPIServer = (*Server)(nil)

// NewServer makes a server of what a store has. The clock decides when streams
// end that were asked for until some time.
func NewServer(s *store.Store, c Clock) *Server { return &Server{store: s, clock: c} }

// pod finds a pod by the id that a client has sent.
func (s *Server) pod(id string) (store.Pod, error) {
	parsed, err := store.ParsePodID(id)
	if err != nil {
		return store.Pod{}, status.Error(codes.InvalidArgument, err.Error())
	}
	pod, ok := s.store.Pod(parsed)
	if !ok {
		return store.Pod{}, status.Errorf(codes.NotFound,
			"there is no pod %s; ListPods names those that there are", parsed)
	}
	return pod, nil
}
