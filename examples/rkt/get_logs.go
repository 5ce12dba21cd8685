package main

import (
	"context"
	"slices"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	pb "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/rkt/v1alpha"
	"github.com/skaffoldgen/protoc-gen-skaffold/serve"

	"github.com/skaffoldgen/protoc-gen-skaffold/examples/rkt/store"
)

// GetLogs gets the logs for a pod, or for one of its apps: in one response, and
// if the request says to follow, in a further one whenever lines come in. To
// follow ends when no line can come any more: the app has exited, or all of the
// pod's apps have.
func (s *Server) GetLogs(ctx context.Context, req *pb.GetLogsRequest, stream serve.Sender[*pb.GetLogsResponse]) error {
	w := window{req.GetSinceTime(), req.GetUntilTime()}
	if err := w.check(); err != nil {
		return err
	}
	if req.GetLines() < 0 {
		return status.Errorf(codes.InvalidArgument,
			"lines: %d is less than none; leave it out for all lines", req.GetLines())
	}
	log, err := s.log(req.GetPodId(), req.GetAppName())
	if err != nil {
		return err
	}
	snapshot := log.Snapshot()
	if !snapshot.Has(req.GetAppName()) {
		return noLogs(req.GetPodId(), req.GetAppName())
	}
	past := texts(snapshot.Lines, req.GetAppName(), w)
	if n := int(req.GetLines()); n > 0 && n < len(past) {
		past = past[len(past)-n:]
	}
	if err := stream.Send(&pb.GetLogsResponse{Lines: past}); err != nil {
		return err
	}
	if !req.GetFollow() || !live(snapshot.Live, req.GetAppName()) {
		return nil
	}
	return follow(ctx, s.clock, w, log.Additions(), snapshot.Next, func(a store.Addition) (bool, error) {
		if lines := texts(a.Lines, req.GetAppName(), w); len(lines) > 0 {
			if err := stream.Send(&pb.GetLogsResponse{Lines: lines}); err != nil {
				return false, err
			}
		}
		return live(a.Live, req.GetAppName()), nil
	})
}

// log finds the log that a request asks for.
func (s *Server) log(id, app string) (*store.PodLog, error) {
	pod, err := s.pod(id)
	if err != nil {
		return nil, err
	}
	isApp := func(a *pb.App) bool { return a.GetName() == app }
	switch {
	case app != "" && !slices.ContainsFunc(pod.Full.GetApps(), isApp):
		return nil, status.Errorf(codes.NotFound,
			"pod %s shows no app %q; InspectPod names its apps", pod.Full.GetId(), app)
	case pod.Log == nil:
		return nil, noLogs(id, app)
	}
	return pod.Log, nil
}

func noLogs(id, app string) error {
	if app != "" {
		return status.Errorf(codes.FailedPrecondition,
			"app %q of pod %s has no log: it never ran, or does not write to the journal", app, id)
	}
	return status.Errorf(codes.FailedPrecondition,
		"pod %s has no logs: it never ran, or none of its apps writes to the journal", id)
}

// texts are the lines of an app, or of all, that are in a window.
func texts(lines []store.Line, app string, w window) []string {
	var texts []string
	for _, l := range lines {
		if (app == "" || l.App == app) && w.contains(l.Time) {
			texts = append(texts, l.Text)
		}
	}
	return texts
}

// live tells whether an app, or any, may still write lines.
func live(apps []string, app string) bool {
	return slices.Contains(apps, app) || app == "" && len(apps) > 0
}
