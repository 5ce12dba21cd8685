package synth

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
	"unicode/utf8"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"
)

func seeded(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

func TestRandomIsValid(t *testing.T) {
	for seed := range uint64(3000) {
		checkRequest(t, seed, Random(seeded(seed)))
		if t.Failed() {
			return
		}
	}
}

// checkRequest wants a request as a compiler would send it.
func checkRequest(t *testing.T, seed uint64, req *pluginpb.CodeGeneratorRequest) {
	t.Helper()
	if _, err := protodesc.NewFiles(&descriptorpb.FileDescriptorSet{File: req.ProtoFile}); err != nil {
		t.Errorf("seed %d: %v", seed, err)
	}
	if _, err := proto.Marshal(req); err != nil {
		t.Errorf("seed %d: %v", seed, err)
	}
	seen := map[string]*descriptorpb.FileDescriptorProto{}
	for _, f := range req.ProtoFile {
		for _, dep := range f.Dependency {
			if seen[dep] == nil {
				t.Errorf("seed %d: %s stands before its import %s", seed, f.GetName(), dep)
			}
		}
		for _, loc := range f.GetSourceCodeInfo().GetLocation() {
			if !utf8.ValidString(loc.GetLeadingComments() + loc.GetTrailingComments()) {
				t.Errorf("seed %d: %s: comment is not valid UTF-8", seed, f.GetName())
			}
		}
		seen[f.GetName()] = f
	}
	for _, name := range req.FileToGenerate {
		if seen[name] == nil {
			t.Errorf("seed %d: no file %s", seed, name)
		}
	}
	for _, f := range req.SourceFileDescriptors {
		if !proto.Equal(f, seen[f.GetName()]) || !slices.Contains(req.FileToGenerate, f.GetName()) {
			t.Errorf("seed %d: source file %s is not one to generate", seed, f.GetName())
		}
	}
}

// TestRandomSurvivesTheWire wants options to be bytes that a reader keeps or
// decodes as it likes.
func TestRandomSurvivesTheWire(t *testing.T) {
	for seed := range uint64(100) {
		first := encode(t, Random(seeded(seed)))
		req := &pluginpb.CodeGeneratorRequest{}
		if err := proto.Unmarshal(first, req); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if !bytes.Equal(first, encode(t, req)) {
			t.Errorf("seed %d: decoding and encoding changes the request", seed)
		}
	}
}

func TestRandomIsDeterministic(t *testing.T) {
	for seed := range uint64(50) {
		a, b := encode(t, Random(seeded(seed))), encode(t, Random(seeded(seed)))
		if !bytes.Equal(a, b) {
			t.Errorf("seed %d gives two requests", seed)
		}
		if bytes.Equal(a, encode(t, Random(seeded(seed+1)))) {
			t.Errorf("seeds %d and %d give one request", seed, seed+1)
		}
	}
}

func encode(t *testing.T, m proto.Message) []byte {
	t.Helper()
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestUniqueNames(t *testing.T) {
	s := newScope()
	tests := []struct {
		name, want string
		field      bool
	}{
		{"foo_bar", "foo_bar", true},
		{"fooBar", "fooBar2", true},
		{"foo_bar", "foo_bar3", true},
		{"Foo", "Foo", false},
		{"Foo", "Foo2", false},
		{"foo", "foo", true},
	}
	for _, test := range tests {
		unique := s.unique
		if test.field {
			unique = s.uniqueField
		}
		if got := unique(test.name); got != test.want {
			t.Errorf("%s: got %s, want %s", test.name, got, test.want)
		}
	}
}

func TestDerivedNames(t *testing.T) {
	tests := []struct{ field, json, entry string }{
		{"foo_bar", "fooBar", "FooBarEntry"},
		{"x", "x", "XEntry"},
		{"_lead", "Lead", "LeadEntry"},
		{"a__b", "aB", "ABEntry"},
		{"HTTPPort", "HTTPPort", "HTTPPortEntry"},
		{"v1_beta_2", "v1Beta2", "V1Beta2Entry"},
	}
	for _, test := range tests {
		if got := camelCase(test.field); got != test.json {
			t.Errorf("JSON name of %s: got %s, want %s", test.field, got, test.json)
		}
		if got := mapEntryName(test.field); got != test.entry {
			t.Errorf("entry of %s: got %s, want %s", test.field, got, test.entry)
		}
	}
}
