//go:build unix

package rkt

import (
	"slices"
	"testing"

	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	reflectionpb "google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/skaffoldgen/protoc-gen-skaffold/testdata/clients/rkt/api/v1alpha"
)

func TestHealth(t *testing.T) {
	s := start(t, `{}`)
	for _, service := range []string{"", v1alpha.PublicAPI_ServiceDesc.ServiceName} {
		res, err := healthpb.NewHealthClient(s.conn).Check(limited(t), &healthpb.HealthCheckRequest{Service: service})
		if err != nil || res.GetStatus() != healthpb.HealthCheckResponse_SERVING {
			t.Errorf("health of %q: %v, %v", service, res, err)
		}
	}
}

// What grpcurl does: list, describe, and call without stubs.
func TestReflection(t *testing.T) {
	s := start(t, filtered)
	stream, err := reflectionpb.NewServerReflectionClient(s.conn).ServerReflectionInfo(limited(t))
	if err != nil {
		t.Fatal(err)
	}
	ask := func(req *reflectionpb.ServerReflectionRequest) *reflectionpb.ServerReflectionResponse {
		t.Helper()
		if err := stream.Send(req); err != nil {
			t.Fatal(err)
		}
		res, err := stream.Recv()
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	list := ask(&reflectionpb.ServerReflectionRequest{
		MessageRequest: &reflectionpb.ServerReflectionRequest_ListServices{},
	})
	var services []string
	for _, service := range list.GetListServicesResponse().GetService() {
		services = append(services, service.GetName())
	}
	if !slices.Contains(services, "v1alpha.PublicAPI") {
		t.Fatalf("services %v", services)
	}
	described := ask(&reflectionpb.ServerReflectionRequest{
		MessageRequest: &reflectionpb.ServerReflectionRequest_FileContainingSymbol{
			FileContainingSymbol: "v1alpha.PublicAPI",
		},
	})
	file := &descriptorpb.FileDescriptorProto{}
	if err := proto.Unmarshal(described.GetFileDescriptorResponse().GetFileDescriptorProto()[0], file); err != nil {
		t.Fatal(err)
	}
	fd, err := protodesc.NewFile(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	call(t, s, fd.Services().ByName("PublicAPI").Methods().ByName("ListImages"))
}

func call(t *testing.T, s *server, method protoreflect.MethodDescriptor) {
	t.Helper()
	req, res := dynamicpb.NewMessage(method.Input()), dynamicpb.NewMessage(method.Output())
	if err := protojson.Unmarshal([]byte(`{"filters": [{"fullNames": ["nginx"]}]}`), req); err != nil {
		t.Fatal(err)
	}
	if err := s.conn.Invoke(limited(t), "/v1alpha.PublicAPI/ListImages", req, res); err != nil {
		t.Fatal(err)
	}
	images := res.Get(method.Output().Fields().ByName("images")).List()
	if images.Len() != 1 {
		t.Errorf("%d images, want nginx alone", images.Len())
	}
}
