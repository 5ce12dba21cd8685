package main

import (
	"context"
	"os"
	"testing"

	"github.com/bufbuild/protocompile"
	"github.com/bufbuild/protocompile/protoutil"
	"github.com/rogpeppe/go-internal/testscript"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"protoc-gen-skaffold-go": main})
}

// TestScripts runs the program as a process of its own.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:             "testdata",
		ContinueOnError: true,
		Cmds:            map[string]func(*testscript.TestScript, bool, []string){"image": makeImage},
	})
}

// makeImage is the command `image OUTPUT FILE...`: what buf build makes of .proto
// files, which are sorted so that imports come first.
func makeImage(ts *testscript.TestScript, _ bool, args []string) {
	compiler := protocompile.Compiler{
		Resolver:       protocompile.WithStandardImports(&protocompile.SourceResolver{ImportPaths: []string{ts.MkAbs(".")}}),
		SourceInfoMode: protocompile.SourceInfoStandard,
	}
	files, err := compiler.Compile(context.Background(), args[1:]...)
	ts.Check(err)
	set := new(descriptorpb.FileDescriptorSet)
	for _, f := range files {
		set.File = append(set.File, protoutil.ProtoFromFileDescriptor(f))
	}
	b, err := proto.Marshal(set)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), b, 0o644))
}
