package api_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/api"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/plugin"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/plugin/plugintest"
)

// build makes the model of a request.
func build(t *testing.T, req *pluginpb.CodeGeneratorRequest) *api.Model {
	t.Helper()
	read, err := plugin.ReadRequest(bytes.NewReader(plugintest.Marshal(t, req)))
	if err != nil {
		t.Fatal(err)
	}
	model, err := api.Build(read)
	if err != nil {
		t.Fatal(err)
	}
	return model
}

// buildFile makes the model of one file, a.proto.
func buildFile(t *testing.T, source string) *api.Model {
	t.Helper()
	return build(t, plugintest.Compile(t, map[string]string{"a.proto": source}))
}

func TestPresence(t *testing.T) {
	tests := []struct {
		name, source string
		edition      descriptorpb.Edition // in place of the source's, unless 0
		edit         func(*descriptorpb.FileDescriptorProto)
		want         string // the fields of message M, then the file's extensions
	}{
		{
			name: "proto2",
			source: `syntax = "proto2";
				message M {
					optional int32 a = 1; required int32 b = 2; repeated int32 c = 3; optional M d = 4; oneof o { int32 e = 5; }
					map<int32, int32> f = 6; optional group G = 7 {} required M h = 8; repeated M i = 9; extensions 100 to 200;
				}
				extend M { optional int32 x = 100; repeated int32 y = 101; }`,
			want: "a optional, b required, c repeated, d optional, e optional, f repeated, g optional, h required, i repeated, x optional, y repeated",
		},
		{
			name: "proto3",
			source: `syntax = "proto3";
				import "google/protobuf/descriptor.proto";
				enum E { Z = 0; }
				message M {
					int32 a = 1; optional int32 b = 2; repeated int32 c = 3; M d = 4; oneof o { int32 e = 5; M f = 6; } map<int32, M> g = 7;
					E h = 8; string i = 9; optional M j = 10;
				}
				extend google.protobuf.FileOptions { int32 x = 50000; repeated int32 y = 50001; optional int32 z = 50002; }`,
			want: "a implicit, b optional, c repeated, d optional, e optional, f optional, g repeated, h implicit, i implicit, j optional, x optional, y repeated, z optional",
		},
		{
			name: "edition 2023",
			source: `edition = "2023";
				message M {
					int32 a = 1; int32 b = 2 [features.field_presence = IMPLICIT]; int32 c = 3 [features.field_presence = LEGACY_REQUIRED];
					repeated int32 d = 4; M e = 5; oneof o { int32 f = 6; } map<int32, int32> g = 7; extensions 100;
					M h = 8 [features.field_presence = LEGACY_REQUIRED]; int32 i = 9 [features.field_presence = EXPLICIT];
				}
				extend M { int32 x = 100; }`,
			want: "a optional, b implicit, c required, d repeated, e optional, f optional, g repeated, h required, i optional, x optional",
		},
		{
			name: "edition 2023, implicit by its file",
			source: `edition = "2023";
				option features.field_presence = IMPLICIT;
				message M {
					int32 a = 1; int32 b = 2 [features.field_presence = EXPLICIT]; int32 c = 3 [features.field_presence = LEGACY_REQUIRED];
					repeated int32 d = 4; M e = 5; oneof o { int32 f = 6; } map<int32, int32> g = 7; extensions 100;
				}
				extend M { int32 x = 100; }`,
			want: "a implicit, b optional, c required, d repeated, e optional, f optional, g repeated, x optional",
		},
		{
			name: "edition 2024",
			source: `edition = "2023";
				message M { int32 a = 1; int32 b = 2 [features.field_presence = IMPLICIT]; M c = 3; }`,
			edition: descriptorpb.Edition_EDITION_2024,
			want:    "a optional, b implicit, c optional",
		},
		{
			name: "edition 2024, implicit by its file",
			source: `edition = "2023";
				option features.field_presence = IMPLICIT;
				message M { int32 a = 1; int32 b = 2 [features.field_presence = EXPLICIT]; M c = 3; }`,
			edition: descriptorpb.Edition_EDITION_2024,
			want:    "a implicit, b optional, c optional",
		},
		{
			// The compilers refuse the feature on a message; a request can have it,
			// and features are handed down through all levels.
			name: "implicit by its message",
			source: `edition = "2023";
				message M { message N { int32 n = 1; } int32 a = 1; int32 b = 2 [features.field_presence = EXPLICIT]; }`,
			edit: func(f *descriptorpb.FileDescriptorProto) {
				f.MessageType[0].Options = &descriptorpb.MessageOptions{
					Features: &descriptorpb.FeatureSet{FieldPresence: descriptorpb.FeatureSet_IMPLICIT.Enum()},
				}
			},
			want: "a implicit, b optional, n implicit",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			req := plugintest.Compile(t, map[string]string{"a.proto": test.source})
			file := req.ProtoFile[len(req.ProtoFile)-1]
			if test.edition != 0 {
				file.Edition = test.edition.Enum()
			}
			if test.edit != nil {
				test.edit(file)
			}
			f := build(t, req).Files[0]
			var got []string
			for m := range f.AllMessages() {
				if m.IsMapEntry() {
					continue
				}
				for _, x := range m.Fields {
					got = append(got, x.Name+" "+x.Presence().String())
				}
			}
			for _, x := range f.Extensions {
				got = append(got, x.Name+" "+x.Presence().String())
			}
			if diff := cmp.Diff(strings.Split(test.want, ", "), got); diff != "" {
				t.Errorf("presence (-want +got):\n%s", diff)
			}
		})
	}
}

func TestIsDelimited(t *testing.T) {
	tests := []struct {
		name, source, want string // the names of the delimited fields
	}{
		{"group", `syntax = "proto2"; message M { optional group G = 1 {} optional M a = 2; }`, "g"},
		{"proto3", `syntax = "proto3"; message M { M a = 1; map<int32, M> b = 2; }`, ""},
		{"field", `edition = "2023"; message M { M a = 1; M b = 2 [features.message_encoding = DELIMITED]; repeated M c = 3 [features.message_encoding = DELIMITED]; }`, "b c"},
		{
			"file",
			`edition = "2023"; option features.message_encoding = DELIMITED; message M { M a = 1; int32 b = 2; map<int32, M> c = 3; M d = 4 [features.message_encoding = LENGTH_PREFIXED]; message N { M e = 1; } }`,
			"a e", // and neither the map c nor the value in its entry
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for m := range buildFile(t, test.source).Files[0].AllMessages() {
				for _, x := range m.Fields {
					if x.IsDelimited() {
						got = append(got, x.Name)
					}
				}
			}
			if got := strings.Join(got, " "); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestSyntax(t *testing.T) {
	tests := []struct {
		source                string
		edition               descriptorpb.Edition
		wantSyntax, wantNamed string
	}{
		{"", 0, "proto2", ""},
		{`syntax = "proto2";`, 0, "proto2", ""},
		{`syntax = "proto3";`, 0, "proto3", ""},
		{`edition = "2023";`, 0, "editions", "2023"},
		{`edition = "2023";`, descriptorpb.Edition_EDITION_2024, "editions", "2024"},
	}
	for _, test := range tests {
		req := plugintest.Compile(t, map[string]string{"a.proto": test.source})
		if test.edition != 0 {
			req.ProtoFile[0].Edition = test.edition.Enum()
		}
		f := build(t, req).Files[0]
		if f.Syntax() != test.wantSyntax || f.EditionName() != test.wantNamed {
			t.Errorf("%q: syntax %q and edition %q, want %q and %q", test.source, f.Syntax(), f.EditionName(), test.wantSyntax, test.wantNamed)
		}
	}
}

// everything has a declaration of each kind, each of them on a line of its own.
const everything = `
// File.
syntax = "proto2";
// Package.
package p;
message M { // M
  // a
  optional int32 a = 1;
  enum E { // E
    A = 0; // A
  }
  oneof o { // o
    string b = 2;
  }
  message N {
    // Group.
    repeated group G = 1 {
      optional int32 c = 1; // c
    }
  }
  extensions 100
    to 200;
  map<string, N> d = 3;
  extend M {
    optional int32 x = 100; // x
  }
}
enum F { B = 0;
}
extend M { optional
  int32 y = 101; }
service S {
  rpc R(M)
    returns (M); // R
}
`

// declarations lists all declarations of a file, by their full names.
func declarations(f *api.File) (names []string, decls []*api.Decl) {
	add := func(name string, d *api.Decl) {
		names = append(names, name)
		decls = append(decls, d)
	}
	add(f.Path, &f.Decl)
	for m := range f.AllMessages() {
		add(m.FullName, &m.Decl)
		for _, o := range m.Oneofs {
			add(o.FullName(), &o.Decl)
		}
		for _, x := range slices.Concat(m.Fields, m.Extensions) {
			add(x.FullName(), &x.Decl)
		}
	}
	for e := range f.AllEnums() {
		add(e.FullName, &e.Decl)
		for _, v := range e.Values {
			add(v.FullName(), &v.Decl)
		}
	}
	for _, x := range f.Extensions {
		add(x.FullName(), &x.Decl)
	}
	for _, s := range f.Services {
		add(s.FullName, &s.Decl)
		for _, rpc := range s.Methods {
			add(rpc.FullName(), &rpc.Decl)
		}
	}
	return names, decls
}

func TestPositionsAndComments(t *testing.T) {
	f := buildFile(t, everything).Files[0]
	names, decls := declarations(f)
	var got []string
	for i, d := range decls {
		comments := strings.TrimSpace(d.Comments.Leading) + "|" + strings.TrimSpace(d.Comments.Trailing)
		got = append(got, fmt.Sprintf("%s %s-%d %s", names[i], d.Pos(), d.EndLine(), comments))
	}
	want := []string{
		"a.proto a.proto:3:1-3 File.|",
		"p.M a.proto:6:1-27 |M",
		"p.M.o a.proto:12:3-14 |o",
		"p.M.a a.proto:8:3-8 a|",
		"p.M.b a.proto:13:5-13 |",
		"p.M.d a.proto:23:3-23 |",
		"p.M.x a.proto:25:5-25 |x",
		"p.M.N a.proto:15:3-20 |",
		"p.M.N.g a.proto:17:5-19 |", // the comment of a group is on its message
		"p.M.N.G a.proto:17:5-19 Group.|",
		"p.M.N.G.c a.proto:18:7-18 |c",
		"p.M.DEntry a.proto-0 |", // nobody has written the entry of a map
		"p.M.DEntry.key a.proto-0 |",
		"p.M.DEntry.value a.proto-0 |",
		"p.F a.proto:28:1-29 |",
		"p.B a.proto:28:10-28 |", // a value is a sibling of its enum
		"p.M.E a.proto:9:3-11 |E",
		"p.M.A a.proto:10:5-10 |A",
		"p.y a.proto:30:12-31 |",
		"p.S a.proto:32:1-35 |",
		"p.S.R a.proto:33:3-34 |R",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("positions and comments (-want +got):\n%s", diff)
	}
	if got, want := f.PackageComments.Leading, " Package.\n"; got != want {
		t.Errorf("comment of the package %q, want %q", got, want)
	}
}

// Without source info there are no places, and the file's path is all that an
// error can name.
func TestPositionsWithoutSourceInfo(t *testing.T) {
	req := plugintest.Compile(t, map[string]string{"a.proto": everything})
	req.ProtoFile[0].SourceCodeInfo = nil
	names, decls := declarations(build(t, req).Files[0])
	for i, d := range decls {
		if got := d.Pos().String(); got != "a.proto" || d.EndLine() != 0 || d.Comments.Leading != "" {
			t.Errorf("%s: position %s to %d, comment %q; want a.proto to 0 without a comment", names[i], got, d.EndLine(), d.Comments.Leading)
		}
	}
}

// Paths of source info that lead nowhere do no harm.
func TestSourceInfoOfNothing(t *testing.T) {
	req := plugintest.Compile(t, map[string]string{"a.proto": everything})
	info := req.ProtoFile[0].SourceCodeInfo
	for _, path := range [][]int32{
		{}, {4}, {4, -1}, {4, 9}, {4, 0, 2}, {4, 0, 2, 99}, {4, 0, 8, 7}, {4, 0, 6, 5}, {4, 0, 4, 0, 2, 9}, {4, 0, 99, 0}, {4, 0, 2, 0, 1, 0},
		{5, 9}, {5, 0, 2, 9}, {5, 0, 9, 0}, {6, 9}, {6, 0, 2, 9}, {6, 0, 9, 0}, {7, 9}, {7, 0, 2, 0}, {3, 0}, {99}, {99, 1}, {4, 0, 3, 0, 3, 0, 3, 9},
	} {
		info.Location = append(info.Location, &descriptorpb.SourceCodeInfo_Location{
			Path: path, Span: []int32{100, 0, 1}, LeadingComments: new("nowhere"),
		})
	}
	names, decls := declarations(build(t, req).Files[0])
	for i, d := range decls {
		if d.Comments.Leading == "nowhere" || d.Pos().Line == 101 {
			t.Errorf("%s has what is said about nothing", names[i])
		}
	}
}

// The value of an enum stands under the last comment that is detached from it or
// from a value above.
func TestSections(t *testing.T) {
	e := buildFile(t, `syntax = "proto3";
enum E {
  A = 0;
  // Comment of B.
  B = 1;

  // First section.

  C = 2;
  D = 3; // Comment of D.

  // Heading of no section, since another follows.

  // Second
  // section.

  // Comment of F.
  F = 4;
}`).Files[0].Enums[0]
	want := map[string]string{"A": "", "B": "", "C": "First section.", "D": "First section.", "F": "Second\n section."}
	got := make(map[string]string)
	for _, v := range e.Values {
		got[v.Name] = v.Section
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("sections (-want +got):\n%s", diff)
	}
}

func TestFieldTypes(t *testing.T) {
	m := buildFile(t, `syntax = "proto3"; package p;
		enum E { Z = 0; }
		message LogEntry { string key = 1; string value = 2; }
		message M {
			int32 a = 1; M b = 2; E c = 3; map<string, E> d = 4; repeated LogEntry e = 5; optional int32 f = 6; oneof o { bytes g = 7; }
		}`).Message("p.M")
	var got []string
	for _, x := range m.Fields {
		line := fmt.Sprintf("%s %s map=%t", x.Name, x.TypeName(), x.IsMap())
		if key := x.MapKey(); key != nil {
			line += " " + key.TypeName() + " " + x.MapValue().TypeName()
		}
		if x.Oneof != nil {
			line += fmt.Sprintf(" %s synthetic=%t", x.Oneof.Name, x.Oneof.IsSynthetic())
		}
		got = append(got, line)
	}
	want := []string{
		"a int32 map=false",
		"b p.M map=false",
		"c p.E map=false",
		"d p.M.DEntry map=true string p.E",
		"e p.LogEntry map=false", // a name alone makes no map
		"f int32 map=false _f synthetic=true",
		"g bytes map=false o synthetic=false",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("fields (-want +got):\n%s", diff)
	}
}

func TestNames(t *testing.T) {
	for _, test := range []struct{ source, wantMessages, wantEnums string }{
		{`package a.b; message M { message N { enum E { Z = 0; } } }`, "M=a.b.M, M.N=a.b.M.N", "M.N.E=a.b.M.N.E"},
		{`message M { message N { enum E { Z = 0; } } }`, "M=M, M.N=M.N", "M.N.E=M.N.E"},
	} {
		f := buildFile(t, `syntax = "proto3"; `+test.source).Files[0]
		var messages, enums []string
		for m := range f.AllMessages() {
			messages = append(messages, m.LongName()+"="+m.FullName)
		}
		for e := range f.AllEnums() {
			enums = append(enums, e.LongName()+"="+e.FullName)
		}
		if got := strings.Join(messages, ", "); got != test.wantMessages {
			t.Errorf("%s: messages %s, want %s", test.source, got, test.wantMessages)
		}
		if got := strings.Join(enums, ", "); got != test.wantEnums {
			t.Errorf("%s: enums %s, want %s", test.source, got, test.wantEnums)
		}
	}
}

// Files keep the order in which output is asked for, and imports are found but
// not listed.
func TestFiles(t *testing.T) {
	model := build(t, plugintest.Compile(t, map[string]string{
		"a.proto":   `syntax = "proto3"; import "lib.proto"; message A { lib.L l = 1; }`,
		"b.proto":   `syntax = "proto3";`,
		"lib.proto": `syntax = "proto3"; package lib; message L {} enum K { Z = 0; }`,
	}, "b.proto", "a.proto"))
	var got []string
	for _, f := range model.Files {
		got = append(got, f.Path)
	}
	if diff := cmp.Diff([]string{"b.proto", "a.proto"}, got); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	lib := model.File("lib.proto")
	if lib == nil || lib.Generated() || !model.File("a.proto").Generated() {
		t.Errorf("lib.proto is %v; want an import, and a.proto to be generated", lib)
	}
	if l := model.Message("lib.L"); l == nil || model.Message("A").Fields[0].Message != l || model.Enum("lib.K") == nil {
		t.Error("the types of lib.proto are not found")
	}
	if model.File("c.proto") != nil || model.Message("lib.K") != nil || model.Enum("lib.L") != nil {
		t.Error("something is found that does not exist")
	}
}
