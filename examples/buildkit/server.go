package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/skaffoldgen/protoc-gen-skaffold/examples/buildkit/internal/builds"
	"github.com/skaffoldgen/protoc-gen-skaffold/examples/buildkit/internal/cache"
	"github.com/skaffoldgen/protoc-gen-skaffold/examples/buildkit/internal/description"
	"github.com/skaffoldgen/protoc-gen-skaffold/examples/buildkit/internal/filter"
	"github.com/skaffoldgen/protoc-gen-skaffold/gen/go/buildkit/control/buildkitcontrolkit"
	types "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/buildkit/types"
)

// Server implements moby.buildkit.v1.Control. Each method has a file of its
// own.
type Server struct {
	version *types.BuildkitVersion
	workers []*types.WorkerRecord
	cache   *cache.Cache
	history *builds.History
	// statusWait is how long Status waits for a build that is not there yet.
	statusWait time.Duration
}

var _ buildkitcontrolkit.ControlServer = (*Server)(nil)

// NewServer makes a server of a description, whose completed builds it stores.
// It fails if one of them cannot be stored.
func NewServer(d *description.Description, history *builds.History, statusWait time.Duration) (*Server, error) {
	for _, b := range d.Builds {
		if b.StartAfter != nil {
			continue
		}
		if err := history.Store(&b.Recording); err != nil {
			return nil, err
		}
	}
	return &Server{d.Version, d.Workers, d.Cache, history, statusWait}, nil
}

// parseFilters reads the filters of a request.
func parseFilters(texts []string) (filter.Filter, error) {
	f, err := filter.Parse(texts...)
	if err != nil {
		return filter.Filter{}, status.Error(codes.InvalidArgument, err.Error())
	}
	return f, nil
}

// sendTimestamp sends the header that tells clients how far their clock is from
// the server's.
func sendTimestamp(ctx context.Context) error {
	now := time.Now().UTC().Format(time.RFC3339Nano)
	return grpc.SendHeader(ctx, metadata.Pairs("buildkit-current-timestamp", now))
}

// maxRef bounds the refs of requests, in bytes. BuildKit's own have 25.
const maxRef = 1 << 10

// requireRef refuses a request that does not say which build it is about.
func requireRef(ref string) error {
	if ref == "" || len(ref) > maxRef {
		return status.Errorf(codes.InvalidArgument, "the Ref has %d bytes; it has to name a build", len(ref))
	}
	return nil
}

// buildError is the status for an error of the history.
func buildError(err error) error {
	const list = "ListenBuildHistory tells which builds there are"
	switch {
	case err == nil:
		return nil
	case errors.Is(err, builds.ErrUnknown):
		return status.Error(codes.NotFound, fmt.Sprintf("%v; %s", err, list))
	case errors.Is(err, builds.ErrActive):
		return status.Error(codes.FailedPrecondition, fmt.Sprintf("%v; wait for its COMPLETE event", err))
	case errors.Is(err, builds.ErrClosed):
		return status.Error(codes.Unavailable, err.Error())
	}
	return err
}
