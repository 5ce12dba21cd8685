package main

import (
	"context"

	"github.com/skaffoldgen/protoc-gen-skaffold/examples/buildkit/internal/filter"
	control "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/buildkit/control"
)

// ListWorkers lists the workers that match one of the filters, by the fields id
// and labels.NAME.
func (s *Server) ListWorkers(
	_ context.Context, req *control.ListWorkersRequest,
) (*control.ListWorkersResponse, error) {
	want, err := parseFilters(req.GetFilter())
	if err != nil {
		return nil, err
	}
	res := &control.ListWorkersResponse{}
	for _, w := range s.workers {
		if want.Match(func(path []string) (string, bool) {
			switch path[0] {
			case "id":
				return w.GetID(), true
			case "labels":
				return filter.Labels(w.GetLabels(), path[1:])
			}
			return "", false
		}) {
			res.Record = append(res.Record, w)
		}
	}
	return res, nil
}
