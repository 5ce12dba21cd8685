package main

import (
	"context"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	pb "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/rkt/v1alpha"

	"github.com/skaffoldgen/protoc-gen-skaffold/examples/rkt/store"
)

// InspectImage gets the detailed image information of the specified image.
func (s *Server) InspectImage(_ context.Context, req *pb.InspectImageRequest) (*pb.InspectImageResponse, error) {
	id := req.GetId()
	if err := store.CheckImageID(id); err != nil {
		return nil, status.Error(codes.InvalidArgument, err.Error())
	}
	image, ok := s.store.Image(id)
	if !ok {
		return nil, status.Errorf(codes.NotFound, "there is no image %s; ListImages names those that there are", id)
	}
	return &pb.InspectImageResponse{Image: image}, nil
}
