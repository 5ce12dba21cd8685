package main

import (
	"context"

	pb "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/rkt/v1alpha"
)

// InspectPod gets detailed pod information of the specified pod.
func (s *Server) InspectPod(_ context.Context, req *pb.InspectPodRequest) (*pb.InspectPodResponse, error) {
	pod, err := s.pod(req.GetId())
	if err != nil {
		return nil, err
	}
	return &pb.InspectPodResponse{Pod: pod.Full}, nil
}
