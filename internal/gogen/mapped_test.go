package gogen_test

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/gogen"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/plugin"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/plugin/plugintest"
)

const mappedProto = `syntax = "proto3";
package other;
message A {}
message B {}
message Event { oneof what { A a = 1; B b = 2; } }
enum ExitCode { DONE = 0; }`

// A kit can stand beside a package that somebody else generated into another
// module: an M flag says where that is.
func TestKitOfMappedPackage(t *testing.T) {
	req := plugintest.Compile(t, map[string]string{"other/other.proto": mappedProto})
	files := generateKits(t, req, "paths=source_relative,Mother/other.proto=example.org/elsewhere/otherpb;otherpb")
	for _, name := range []string{"other/otherpbkit/other_events.go", "other/otherpbkit/other_codes.go"} {
		text, ok := files[name]
		if !ok {
			t.Errorf("there is no file %s", name)
		}
		if !strings.Contains(text, "package otherpbkit\n") || !strings.Contains(text, ` "example.org/elsewhere/otherpb"`) {
			t.Errorf("%s is not a kit of example.org/elsewhere/otherpb:\n%.600s", name, text)
		}
	}
	if len(files) != 2 {
		t.Errorf("%d files, want 2", len(files))
	}
}

// Without a Go package, the error says which flag would give one.
func TestMissingGoPackage(t *testing.T) {
	req := plugintest.Compile(t, map[string]string{"other/other.proto": mappedProto})
	req.Parameter = proto.String("paths=source_relative")
	resp := plugintest.Run(t, plugin.Plugin{Name: "protoc-gen-skaffold-go", Generate: gogen.Generate}, req)
	for _, want := range []string{`unable to determine Go import path for "other/other.proto"`, `a "M" argument on the command line`} {
		if !strings.Contains(resp.GetError(), want) {
			t.Errorf("error %q does not contain %q", resp.GetError(), want)
		}
	}
}
