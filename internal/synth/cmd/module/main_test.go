package main

import (
	"bytes"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/pluginpb"
)

func TestRun(t *testing.T) {
	var out bytes.Buffer
	if err := run(&out, 2, "template=html"); err != nil {
		t.Fatal(err)
	}
	req := new(pluginpb.CodeGeneratorRequest)
	if err := proto.Unmarshal(out.Bytes(), req); err != nil {
		t.Fatal(err)
	}
	if len(req.FileToGenerate) != 2 || req.GetParameter() != "template=html" {
		t.Errorf("the request asks for %q with %q", req.FileToGenerate, req.GetParameter())
	}
}
