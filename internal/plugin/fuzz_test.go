package plugin_test

import (
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/plugin"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/plugin/plugintest"
)

// fuzzParameters take the place of what the fuzzed bytes ask for, since a path
// of a template in them could name any file.
var fuzzParameters = []string{
	"json,out.json",
	"markdown,out.md,source_relative:b",
	"html,index.html",
	"template=docbook,layout=file,order=source",
	"template=markdown,layout=package,source_url=https://example.com/{path}#{line}-{end}",
}

// FuzzRequest: whatever comes in, what comes out is a response, or nothing but a
// message and status 1; and there is no panic.
func FuzzRequest(f *testing.F) {
	for _, req := range fuzzSeeds(f) {
		b := plugintest.Marshal(f, req)
		for i := range fuzzParameters {
			f.Add(b, uint(i))
		}
		f.Add(b[:len(b)/2], uint(0))
		f.Add(b[:len(b)-1], uint(0))
	}
	f.Add([]byte(nil), uint(0))
	f.Add([]byte("hello"), uint(0))
	f.Add(protowire.AppendVarint([]byte{0x7a}, 1<<60), uint(0))
	f.Fuzz(func(t *testing.T, request []byte, which uint) {
		p := plugin.Plugin{
			Name: "protoc-gen-fuzz",
			Generate: func(req *plugin.Request) ([]plugin.Output, error) {
				req.Parameter = fuzzParameters[which%uint(len(fuzzParameters))]
				return docs.Generate(req)
			},
		}
		got := plugintest.RunBytes(t, p, request)
		switch {
		case got.Status == 1:
			if got.Response != nil || !strings.HasPrefix(got.Stderr, "protoc-gen-fuzz: ") {
				t.Errorf("status 1 with response %v and standard error %q", got.Response, got.Stderr)
			}
		case got.Status != 0 || got.Response == nil || got.Stderr != "":
			t.Errorf("status %d with response %v and standard error %q", got.Status, got.Response, got.Stderr)
		case got.Response.Error != nil:
			if got.Response.GetError() == "" || got.Response.File != nil || strings.Contains(got.Response.GetError(), "internal error") {
				t.Errorf("the error %q with %d files", got.Response.GetError(), len(got.Response.File))
			}
		}
		names := make([]string, 0, len(got.Response.GetFile()))
		for _, file := range got.Response.GetFile() {
			if err := plugin.CheckOutputName(file.GetName()); err != nil {
				t.Error(err)
			}
			names = append(names, file.GetName())
		}
		if !slices.IsSorted(names) || len(slices.Compact(names)) != len(got.Response.GetFile()) {
			t.Errorf("files %q are not sorted, or one is there twice", names)
		}
	})
}

// fuzzSeeds are small requests that have all kinds of declarations.
func fuzzSeeds(f *testing.F) []*pluginpb.CodeGeneratorRequest {
	small := plugintest.Compile(f, map[string]string{"a.proto": `// Comment.
syntax = "proto3"; package p; message M { string a = 1; /* [x](y) | <b> */ }`})
	large := plugintest.Compile(f, map[string]string{
		"a.proto": `
			syntax = "proto2";
			package a;
			import "b.proto";
			message M {
				optional M self = 1;
				repeated b.N other = 2;
				map<string, E> labels = 3;
				oneof choice { int32 one = 4 [deprecated = true]; string two = 5; }
				optional group Result = 6 { required bytes raw = 1; }
				enum E { A = 0; B = 1; }
				reserved 7, 9 to 11;
				reserved "gone";
				extensions 100 to max;
				extend M { optional float x = 100 [default = inf]; }
			}`,
		"b.proto": `
			edition = "2023";
			package b;
			option features.field_presence = IMPLICIT;
			message N { string name = 1; N child = 2 [features.message_encoding = DELIMITED]; }
			service S { rpc Get(N) returns (stream N) { option idempotency_level = IDEMPOTENT; } }`,
	})
	// google.api.http and validate.rules, by their numbers.
	method := large.ProtoFile[0].Service[0].Method[0]
	method.Options.ProtoReflect().SetUnknown([]byte("\x82\xd3\xe4\x93\x02\x05\x12\x03/v1"))
	field := large.ProtoFile[1].MessageType[0].Field[0]
	field.Options = new(descriptorpb.FieldOptions)
	field.Options.ProtoReflect().SetUnknown([]byte("\xfa\x42\x04\x72\x02\x10\x05"))
	return []*pluginpb.CodeGeneratorRequest{small, large}
}
