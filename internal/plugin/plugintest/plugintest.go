// Package plugintest gives tests what protoc and buf give a plugin: a request
// made of .proto files, and a run with bytes in and bytes out.
package plugintest

import (
	"bytes"
	"maps"
	"slices"
	"testing"

	"github.com/bufbuild/protocompile"
	"github.com/bufbuild/protocompile/protoutil"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/plugin"
)

// Compile makes a request of .proto files, given as sources by import path. It
// asks for output for the files to generate, in their order; for all files, in
// the order of their names, where it is given none. The request holds these
// files and all that they import, each after its own imports. Files of
// google/protobuf need no source.
func Compile(t testing.TB, files map[string]string, generate ...string) *pluginpb.CodeGeneratorRequest {
	t.Helper()
	if len(generate) == 0 {
		generate = slices.Sorted(maps.Keys(files))
	}
	compiler := protocompile.Compiler{
		Resolver: protocompile.WithStandardImports(&protocompile.SourceResolver{
			Accessor: protocompile.SourceAccessorFromMap(files),
		}),
		SourceInfoMode: protocompile.SourceInfoStandard,
	}
	compiled, err := compiler.Compile(t.Context(), generate...)
	if err != nil {
		t.Fatalf("the protos do not compile: %v", err)
	}
	req := &pluginpb.CodeGeneratorRequest{FileToGenerate: generate}
	seen := make(map[string]bool)
	for _, f := range compiled {
		req.ProtoFile = appendFile(req.ProtoFile, f, seen)
	}
	return req
}

// appendFile appends a file after the files that it imports.
func appendFile(list []*descriptorpb.FileDescriptorProto, f protoreflect.FileDescriptor, seen map[string]bool) []*descriptorpb.FileDescriptorProto {
	if seen[f.Path()] {
		return list
	}
	seen[f.Path()] = true
	for i := range f.Imports().Len() {
		list = appendFile(list, f.Imports().Get(i).FileDescriptor, seen)
	}
	// A copy, because the compiler shares the files of google/protobuf.
	return append(list, proto.CloneOf(protoutil.ProtoFromFileDescriptor(f)))
}

// Marshal encodes a request as protoc sends it.
func Marshal(t testing.TB, req *pluginpb.CodeGeneratorRequest) []byte {
	t.Helper()
	b, err := proto.MarshalOptions{Deterministic: true, AllowPartial: true}.Marshal(req)
	if err != nil {
		t.Fatalf("the request cannot be encoded: %v", err)
	}
	return b
}

// Result is what a run of a plugin leaves behind.
type Result struct {
	// Status is the exit status.
	Status int
	// Response is what the plugin wrote on standard output; nil if that is
	// nothing.
	Response *pluginpb.CodeGeneratorResponse
	// Stderr is what the plugin wrote on standard error.
	Stderr string
}

// RunBytes runs a plugin on an encoded request, whatever it may be.
func RunBytes(t testing.TB, p plugin.Plugin, request []byte) Result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	status := p.Run(plugin.Process{Stdin: bytes.NewReader(request), Stdout: &stdout, Stderr: &stderr})
	result := Result{Status: status, Stderr: stderr.String()}
	if stdout.Len() > 0 {
		result.Response = new(pluginpb.CodeGeneratorResponse)
		if err := proto.Unmarshal(stdout.Bytes(), result.Response); err != nil {
			t.Fatalf("standard output is not a CodeGeneratorResponse: %v", err)
		}
	}
	return result
}

// Run runs a plugin on a request and returns its response. A run without a
// response, and one that writes to standard error, fails the test.
func Run(t testing.TB, p plugin.Plugin, req *pluginpb.CodeGeneratorRequest) *pluginpb.CodeGeneratorResponse {
	t.Helper()
	result := RunBytes(t, p, Marshal(t, req))
	if result.Status != 0 || result.Stderr != "" || result.Response == nil {
		t.Fatalf("the plugin ended with status %d and wrote on standard error: %s", result.Status, result.Stderr)
	}
	return result.Response
}

// Files returns the files of a response, content by name. An error in the
// response, and two files of one name, fail the test.
func Files(t testing.TB, resp *pluginpb.CodeGeneratorResponse) map[string]string {
	t.Helper()
	if resp.Error != nil {
		t.Fatalf("the response carries an error: %s", resp.GetError())
	}
	files := make(map[string]string)
	for _, f := range resp.GetFile() {
		if _, ok := files[f.GetName()]; ok {
			t.Fatalf("the response has two files %q", f.GetName())
		}
		files[f.GetName()] = f.GetContent()
	}
	return files
}
