// Package gen_test links all generated Go code into one program.
package gen_test

import (
	"bufio"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/bufbuild/protocompile"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/descriptorpb"

	buildkitcontrol "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/buildkit/control"
	buildkitpb "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/buildkit/pb"
	buildkitsourcepolicy "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/buildkit/sourcepolicy"
	buildkittypes "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/buildkit/types"
	"github.com/skaffoldgen/protoc-gen-skaffold/gen/go/gogoproto"
	rktv1alpha "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/rkt/v1alpha"
	skaffoldenums "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/enums"
	skaffoldv1 "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v1"
	skaffoldv2 "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v2"
)

// linked are the generated files: by the import path of their .proto file the descriptor that the Go package registers.
var linked = map[string]protoreflect.FileDescriptor{
	"skaffold.proto":        skaffoldv1.File_skaffold_proto,
	"v2/skaffold.proto":     skaffoldv2.File_v2_skaffold_proto,
	"enums/enums.proto":     skaffoldenums.File_enums_enums_proto,
	"api/v1alpha/api.proto": rktv1alpha.File_api_v1alpha_api_proto,

	"github.com/moby/buildkit/api/services/control/control.proto": buildkitcontrol.File_github_com_moby_buildkit_api_services_control_control_proto,
	"github.com/moby/buildkit/api/types/worker.proto":             buildkittypes.File_github_com_moby_buildkit_api_types_worker_proto,
	"github.com/moby/buildkit/solver/pb/ops.proto":                buildkitpb.File_github_com_moby_buildkit_solver_pb_ops_proto,
	"github.com/moby/buildkit/sourcepolicy/pb/policy.proto":       buildkitsourcepolicy.File_github_com_moby_buildkit_sourcepolicy_pb_policy_proto,
	"github.com/gogo/protobuf/gogoproto/gogo.proto":               gogoproto.File_github_com_gogo_protobuf_gogoproto_gogo_proto,
}

// TestRegistered shows that the packages live together: two files that define the same name, or have the same path,
// would have ended the program before any test. Each must also be found where other programs will look for it.
func TestRegistered(t *testing.T) {
	for path, want := range linked {
		got, err := protoregistry.GlobalFiles.FindFileByPath(path)
		if err != nil {
			t.Errorf("%s is not registered: %v", path, err)
			continue
		}
		if got != want {
			t.Errorf("%s is registered by another package than the generated one", path)
		}
	}
}

// TestNothingUnlinked holds the list above against what lies on disk.
func TestNothingUnlinked(t *testing.T) {
	var onDisk []string
	err := filepath.WalkDir("go", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".pb.go") || strings.HasSuffix(path, "_grpc.pb.go") {
			return err
		}
		onDisk = append(onDisk, protoOf(t, path))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for path := range linked {
		want = append(want, path)
	}
	sort.Strings(want)
	sort.Strings(onDisk)
	if diff := cmp.Diff(want, onDisk); diff != "" {
		t.Errorf("gen/go is made from other .proto files than this test links (-linked +on disk):\n%s", diff)
	}
}

// protoOf reads in its first lines which .proto file a generated file was made from.
func protoOf(t *testing.T, path string) string {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if source, ok := strings.CutPrefix(lines.Text(), "// source: "); ok {
			return source
		}
	}
	t.Fatalf("%s doesn't say which .proto file it was made from", path)
	return ""
}

// TestCurrent compares the descriptors in the generated code with the .proto files as they are now.
func TestCurrent(t *testing.T) {
	paths := []string{"google/api/annotations.proto"} // for its option; its Go code is not ours
	for path := range linked {
		paths = append(paths, path)
	}
	compiler := protocompile.Compiler{
		Resolver: protocompile.WithStandardImports(&protocompile.SourceResolver{
			ImportPaths: []string{"../proto/skaffold", "../proto/buildkit", "../proto/rkt", "../proto/third_party"},
		}),
	}
	files, err := compiler.Compile(t.Context(), paths...)
	if err != nil {
		t.Fatal(err)
	}
	// plain is a file as descriptor message, with the options that the files themselves define and without the
	// go_package, which buf.gen.yaml decides.
	plain := func(file protoreflect.FileDescriptor) *descriptorpb.FileDescriptorProto {
		wire, err := proto.Marshal(protodesc.ToFileDescriptorProto(file))
		if err != nil {
			t.Fatal(err)
		}
		var message descriptorpb.FileDescriptorProto
		if err := (proto.UnmarshalOptions{Resolver: files.AsResolver()}).Unmarshal(wire, &message); err != nil {
			t.Fatal(err)
		}
		if message.Options == nil {
			message.Options = new(descriptorpb.FileOptions)
		}
		message.Options.GoPackage = nil
		return &message
	}
	for path, have := range linked {
		want := plain(files.FindFileByPath(path))
		if diff := cmp.Diff(want, plain(have), protocmp.Transform()); diff != "" {
			t.Errorf("the Go code of %s is not made from the file as it is; run go generate (-file +code):\n%s", path, diff)
		}
	}
}

// TestStatusIsShared shows that BuildKit's errors are gRPC's own google.rpc.Status, found under that file's path and not
// under the one that control.proto imports.
func TestStatusIsShared(t *testing.T) {
	record := (*buildkitcontrol.BuildHistoryRecord)(nil).ProtoReflect().Descriptor()
	status := record.Fields().ByName("error").Message()
	if got, want := status.ParentFile().Path(), "google/rpc/status.proto"; got != want {
		t.Errorf("the error of %s is defined in %s, want %s", record.FullName(), got, want)
	}
	imported := "github.com/gogo/googleapis/google/rpc/status.proto"
	if _, err := protoregistry.GlobalFiles.FindFileByPath(imported); err == nil {
		t.Errorf("%s is registered; a second google.rpc.Status must not be generated", imported)
	}
}
