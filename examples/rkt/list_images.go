package main

import (
	"context"

	"google.golang.org/grpc/status"

	pb "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/rkt/v1alpha"
)

// ListImages lists the images on the machine: those that satisfy any of the
// filters. Without detail they come without their manifests.
func (s *Server) ListImages(ctx context.Context, req *pb.ListImagesRequest) (*pb.ListImagesResponse, error) {
	res := &pb.ListImagesResponse{}
	for _, image := range s.store.Images() {
		if ctx.Err() != nil {
			return nil, status.FromContextError(ctx.Err()).Err()
		}
		if !matchImage(image.Full, req.GetFilters()) {
			continue
		}
		if req.GetDetail() {
			res.Images = append(res.Images, image.Full)
		} else {
			res.Images = append(res.Images, image.Brief)
		}
	}
	return res, nil
}
