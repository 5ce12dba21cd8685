package plugin_test

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/plugin"
)

func TestReadImage(t *testing.T) {
	file := func(name string) *descriptorpb.FileDescriptorProto {
		return &descriptorpb.FileDescriptorProto{Name: proto.String(name), Package: proto.String("a")}
	}
	encode := func(files ...*descriptorpb.FileDescriptorProto) string {
		b, err := proto.Marshal(&descriptorpb.FileDescriptorSet{File: files})
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	tests := []struct{ name, image, want, err string }{
		{"two files", encode(file("a.proto"), file("b/c.proto")), "a.proto b/c.proto", ""},
		{"nothing", "", "", "the image is empty"},
		{"white space", "\n", "", "the image is empty"},
		{"JSON", ` {"file": []}`, "", "the image is JSON"},
		{"gzip", "\x1f\x8b\x08", "", "the image is compressed"},
		{"zstd", "\x28\xb5\x2f\xfd", "", "the image is compressed"},
		{"text", "hello", "", "this is not an image"},
		{"cut off", encode(file("a.proto"))[:8], "", "cut off"},
		{"without files", "\x12\x01x", "", "without files"},
		{"a file without a name", encode(&descriptorpb.FileDescriptorProto{Package: proto.String("a")}), "", "this is not an image"},
		{"a broken file", "\x0a\x02\x0a\x09", "", "this is not an image"},
		{"twice", encode(file("a.proto"), file("a.proto")), "", "has a.proto twice"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			req, err := plugin.ReadImage([]byte(test.image))
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Fatalf("got the error %v, want one with %q", err, test.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(req.FilesToGenerate, " "); got != test.want {
				t.Errorf("got the files %s, want %s", got, test.want)
			}
		})
	}
}
