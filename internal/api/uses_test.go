package api_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/api"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/plugin/plugintest"
)

func TestUsedBy(t *testing.T) {
	model := build(t, plugintest.Compile(t, map[string]string{
		"a.proto": `
			syntax = "proto2";
			package a;
			import "lib.proto";
			service S {
				rpc Same(Used) returns (Used);
				rpc Other(Empty) returns (stream lib.Thing);
			}
			message Used {
				optional Used self = 1;
				repeated Used selves = 2;
				map<string, Used> mine = 3;
				extensions 100;
			}
			message Empty {}
			message User {
				optional Used one = 1;
				repeated Used many = 2;
				map<string, Used> named = 3;
				map<string, Kind> kinds = 4;
				oneof choice { Used chosen = 5; }
				optional group Box = 6 { optional Used boxed = 1; }
				enum Kind { Z = 0; }
				extend Used { optional Kind kind = 100; }
			}
			extend lib.Thing { optional Used more = 100; }`,
		"b.proto": `
			syntax = "proto3";
			package b;
			import "a.proto";
			message Late { a.Used used = 1; optional a.User.Kind kind = 2; }`,
		"lib.proto": `
			syntax = "proto2";
			package lib;
			message Thing { optional Part part = 1; extensions 100; }
			message Part {}`,
	}, "b.proto", "a.proto"))
	tests := []struct {
		of   api.Type
		want []string
	}{
		// In the order of the files; of a file, RPCs come first, then extensions. A
		// type's use of itself does not count.
		{model.Message("a.Used"), []string{
			"b.Late.used", "a.S.Same", "a.more", "a.User.one", "a.User.many", "a.User.named", "a.User.chosen", "a.User.Box.boxed",
		}},
		{model.Enum("a.User.Kind"), []string{"b.Late.kind", "a.User.kinds", "a.User.kind"}},
		{model.Message("a.User.Box"), []string{"a.User.box"}},
		{model.Message("a.Empty"), []string{"a.S.Other"}},
		{model.Message("lib.Thing"), []string{"a.S.Other"}}, // an extension of it is no use
		{model.Message("lib.Part"), nil},                    // an import's use does not count
		{model.Message("b.Late"), nil},
		{model.Message("a.User"), nil},
	}
	for _, test := range tests {
		var got []string
		for _, use := range model.UsedBy(test.of) {
			got = append(got, use.Name)
			if want := use.Name[:1] + ".proto"; use.File.Path != want { // the packages are named as the files are
				t.Errorf("use %s is in %s, want %s", use.Name, use.File.Path, want)
			}
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("uses of %s (-want +got):\n%s", test.of.Declaration().Name, diff)
		}
	}
}

func TestWellKnownURL(t *testing.T) {
	const page = "https://protobuf.dev/reference/protobuf/google.protobuf/#"
	for name, want := range map[string]string{
		"google.protobuf.Any":         page + "any",
		"google.protobuf.Timestamp":   page + "timestamp",
		"google.protobuf.FieldMask":   page + "field-mask",
		"google.protobuf.NullValue":   page + "null-value",
		"google.protobuf.UInt32Value": page + "uint32-value", // a run of capitals is one word
		"google.protobuf.Int64Value":  page + "int64-value",
		"google.protobuf.BoolValue":   page + "bool-value",
		"google.protobuf.Struct":      page + "struct",
		"google.protobuf.EnumValue":   page + "enum-value",

		"google.protobuf.FileOptions":      "", // not on that page
		"google.protobuf.compiler.Version": "",
		"google.protobuf.":                 "",
		"google.api.Http":                  "",
		"Timestamp":                        "",
		"my.google.protobuf.Any":           "",
		"":                                 "",
	} {
		if got := api.WellKnownURL(name); got != want {
			t.Errorf("WellKnownURL(%q) = %q, want %q", name, got, want)
		}
	}
}
