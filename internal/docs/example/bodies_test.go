package example_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/bufbuild/protocompile/linker"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/api"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/example"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/rules"
)

// pages is the Maker that reference pages have.
var pages = example.Maker{
	Value: rules.Value,
	Skip:  func(f *api.Field) bool { return rules.HasBehavior(f.Options(), "OUTPUT_ONLY") },
}

// goldens are the .proto files of the golden pages, each case on its own.
func goldens(t *testing.T) map[string]map[string]string {
	t.Helper()
	thirdParty := sources(t, "../../../proto/third_party")
	out := map[string]map[string]string{
		"apis":    sources(t, "../../../proto/skaffold", "../../../proto/buildkit", "../../../proto/rkt", "../../../proto/third_party"),
		"hostile": {"hostile.proto": hostile + "service S { rpc Tree(.hostile.Tree) returns (.hostile.Nothing); rpc Self(.hostile.Self) returns (.hostile.Nothing); rpc Has(.hostile.HasSelf) returns (.hostile.Nothing); rpc Deep(.hostile.Deep) returns (.hostile.Nothing); rpc Known(.hostile.Known) returns (.hostile.Nothing); rpc Scalars(.hostile.Scalars) returns (.hostile.Nothing); }"},
	}
	for _, name := range []string{"language", "codes", "rules", "release", "hostile"} {
		files := maps.Clone(thirdParty)
		for path, text := range sources(t, "../../../testdata/"+name) {
			if strings.HasPrefix(path, "before/") {
				continue
			}
			files[strings.TrimPrefix(path, "imports/")] = text
		}
		out["testdata/"+name] = files
	}
	return out
}

// TestBodiesParse reads the bodies of all commands back, and all messages.
func TestBodiesParse(t *testing.T) {
	messages, bodies := 0, 0
	for name, files := range goldens(t) {
		model, registry := load(t, files)
		for _, f := range model.Files {
			for x := range f.AllMessages() {
				if text := pages.Message(x); text != "" && !x.IsMapEntry() {
					parse(t, registry, x.FullName, text)
					messages++
				}
			}
			for _, s := range f.Services {
				for _, rpc := range s.Methods {
					if body, ok := quotedAfter(pages.Grpcurl(rpc, "localhost:1"), " -d "); ok {
						parse(t, registry, rpc.Input.FullName, body)
						bodies++
					}
					for _, r := range rpc.Routes {
						if body, ok := quotedAfter(pages.Curl(rpc, r, "http://localhost"), " --data "); ok {
							parseBody(t, registry, rpc, r, body)
							bodies++
						} else if r.Body != "" && verbs[r.Verb] {
							t.Errorf("%s: %s %s has no body", name, r.Verb, r.Path)
						}
					}
				}
			}
		}
	}
	if messages < 200 || bodies < 50 {
		t.Errorf("only %d messages and %d bodies were tried", messages, bodies)
	}
}

var verbs = map[string]bool{"POST": true, "PUT": true, "PATCH": true}

// quotedAfter is the word in single quotes behind an option.
func quotedAfter(command, option string) (text string, ok bool) {
	_, rest, ok := strings.Cut(command, option+"'")
	if !ok {
		return "", false
	}
	rest = strings.ReplaceAll(rest, `'\''`, "\x00")
	text, _, ok = strings.Cut(rest, "'")
	return strings.ReplaceAll(text, "\x00", "'"), ok
}

// parseBody reads a body as the gateway does: as the request, or as one of its
// fields. What the path has of it is not in it.
func parseBody(t *testing.T, registry linker.Resolver, rpc *api.Method, r api.Route, body string) {
	t.Helper()
	if r.Body != "*" {
		body = `{"` + r.Body + `": ` + body + `}`
	}
	d, err := registry.FindDescriptorByName(protoreflect.FullName(rpc.Input.FullName))
	if err != nil {
		t.Fatal(err)
	}
	msg := dynamicpb.NewMessage(d.(protoreflect.MessageDescriptor))
	if err := (protojson.UnmarshalOptions{AllowPartial: true}).Unmarshal([]byte(body), msg); err != nil {
		t.Errorf("%s %s: %v\n%s", r.Verb, r.Path, err, body)
	}
}
