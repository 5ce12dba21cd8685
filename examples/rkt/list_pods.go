package main

import (
	"context"

	"google.golang.org/grpc/status"

	pb "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/rkt/v1alpha"
)

// ListPods lists rkt pods on the machine: those that satisfy any of the
// filters. Without detail they come without their manifests.
func (s *Server) ListPods(ctx context.Context, req *pb.ListPodsRequest) (*pb.ListPodsResponse, error) {
	res := &pb.ListPodsResponse{}
	for _, pod := range s.store.Pods() {
		if ctx.Err() != nil {
			return nil, status.FromContextError(ctx.Err()).Err()
		}
		if !matchPod(pod.Full, req.GetFilters()) {
			continue
		}
		if req.GetDetail() {
			res.Pods = append(res.Pods, pod.Full)
		} else {
			res.Pods = append(res.Pods, pod.Brief)
		}
	}
	return res, nil
}
