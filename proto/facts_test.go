// Package proto_test compares the .proto files of this folder with what is known of the originals: tables of facts
// in testdata/facts and the published pages in testdata/seeds. Each comparison goes both ways, so that nothing is
// missing in a file and nothing is in it that has no source.
package proto_test

import (
	"fmt"
	"sort"
	"strings"
	"testing"

	"github.com/bufbuild/protocompile/linker"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/reflect/protoreflect"
)

const (
	facts = "../testdata/facts/"
	seeds = "../testdata/seeds/"
)

// TestSkaffoldV1 compares the two editions of Skaffold's v1, of which only reference pages are published: their
// elements with the tables, and their comments, word by word, with the pages.
func TestSkaffoldV1(t *testing.T) {
	tests := []struct {
		name    string
		compile func(*testing.T) linker.Files
		facts   string
		// page reads the comments of the reference page, and asPrinted gives ours the form they have there.
		page      func(*testing.T, []element) []described
		asPrinted func(described) described
	}{
		{
			name:    "newer",
			compile: compileAll,
			facts:   facts + "skaffold-v1-seed002.tsv",
			page: func(t *testing.T, _ []element) []described {
				return markdownPage(read(t, seeds+"002-skaffold-v1.md"))
			},
			asPrinted: func(d described) described { return d },
		},
		{
			name:    "older",
			compile: compileOlder,
			facts:   facts + "skaffold-v1-seed000.tsv",
			page: func(t *testing.T, elements []element) []described {
				return plainPage(read(t, seeds+"000-skaffold-v1-older.txt"), elements)
			},
			asPrinted: func(d described) described {
				d.Text = strings.Join(strings.Fields(d.Text), " ")
				return d
			},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			files := test.compile(t)
			file := find(t, files, skaffoldV1)
			known := elementFacts(t, test.facts)
			t.Run("elements", func(t *testing.T) {
				compare(t, known, describe(t, files, skaffoldV1), element.key)
			})
			t.Run("comments", func(t *testing.T) {
				ours := comments(file)
				for i := range ours {
					ours[i] = test.asPrinted(ours[i])
				}
				compare(t, sorted(test.page(t, known)), sorted(ours), described.key)
			})
			t.Run("no other comments", func(t *testing.T) {
				if stray := strayComments(file); len(stray) > 0 {
					t.Errorf("comments that no page shows:\n%s", strings.Join(stray, "\n"))
				}
			})
			t.Run("header", func(t *testing.T) {
				want := header{Syntax: "proto3", Package: "proto", Imports: []string{
					"google/api/annotations.proto", "google/protobuf/empty.proto", "google/protobuf/timestamp.proto",
				}}
				if diff := cmp.Diff(want, describeHeader(t, files, skaffoldV1)); diff != "" {
					t.Errorf("the file differs above its elements (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// TestEnums compares the enums of which the line breaks of each comment and the headings of the sections are known.
func TestEnums(t *testing.T) {
	files := compileAll(t)
	tests := []struct {
		file  string
		facts string
	}{
		{skaffoldV1, "skaffold-v1-enums-seed002.tsv"},
		{skaffoldEnums, "skaffold-enums-v2.tsv"},
	}
	for _, test := range tests {
		t.Run(test.file, func(t *testing.T) {
			compare(t, enumFacts(t, facts+test.facts), describeEnums(find(t, files, test.file)), enumFact.key)
		})
	}
	t.Run("the older edition has no sections", func(t *testing.T) {
		// Its page shows none, and the headings of the newer one need not have been there.
		for _, fact := range describeEnums(find(t, compileOlder(t), skaffoldV1)) {
			if fact.Section != "" || fact.Deprecated != "" {
				t.Errorf("%s: got section %q and deprecated %q, want none", fact.key(), fact.Section, fact.Deprecated)
			}
		}
	})
	t.Run("enums.proto has nothing else", func(t *testing.T) {
		file := find(t, files, skaffoldEnums)
		if stray := strayComments(file); len(stray) > 0 {
			t.Errorf("comments that belong to no element:\n%s", strings.Join(stray, "\n"))
		}
		for _, e := range describe(t, files, skaffoldEnums) {
			if e.Kind != "enum" && e.Kind != "value" {
				t.Errorf("got a %s, want only enums", e.key())
			}
			if e.Options != "" && e.Options != "deprecated=true" {
				t.Errorf("%s has the options %s", e.key(), e.Options)
			}
		}
		want := header{Syntax: "proto3", Package: "proto.enums"}
		if diff := cmp.Diff(want, describeHeader(t, files, skaffoldEnums)); diff != "" {
			t.Errorf("the file differs above its elements (-want +got):\n%s", diff)
		}
	})
}

// route is the HTTP request that reaches an rpc.
type route struct {
	RPC, Verb, Path, Body string
	Rest                  string // whatever else the rule says, which no route has
}

func (r route) key() string { return r.RPC }

// TestRoutes compares the HTTP routes of Skaffold's services.
func TestRoutes(t *testing.T) {
	const v1, v2 = "proto.SkaffoldService.", "proto.v2.SkaffoldV2Service."
	wantV1 := []route{
		{RPC: v1 + "GetState", Verb: "get", Path: "/v1/state"},
		{RPC: v1 + "EventLog", Verb: "get", Path: "/v1/event_log"},
		{RPC: v1 + "Events", Verb: "get", Path: "/v1/events"},
		{RPC: v1 + "Execute", Verb: "post", Path: "/v1/execute", Body: "intent"},
		{RPC: v1 + "AutoBuild", Verb: "put", Path: "/v1/build/auto_execute", Body: "state"},
		{RPC: v1 + "AutoSync", Verb: "put", Path: "/v1/sync/auto_execute", Body: "state"},
		{RPC: v1 + "AutoDeploy", Verb: "put", Path: "/v1/deploy/auto_execute", Body: "state"},
		{RPC: v1 + "Handle", Verb: "post", Path: "/v1/events/handle", Body: "*"},
	}
	wantV2 := []route{
		{RPC: v2 + "GetState", Verb: "get", Path: "/v2/state"},
		{RPC: v2 + "Events", Verb: "get", Path: "/v2/events"},
		{RPC: v2 + "ApplicationLogs", Verb: "get", Path: "/v2/applicationLogs"},
		{RPC: v2 + "Execute", Verb: "post", Path: "/v2/execute", Body: "intent"},
		{RPC: v2 + "AutoBuild", Verb: "put", Path: "/v2/build/auto_execute", Body: "state"},
		{RPC: v2 + "AutoSync", Verb: "put", Path: "/v2/sync/auto_execute", Body: "state"},
		{RPC: v2 + "AutoDeploy", Verb: "put", Path: "/v2/deploy/auto_execute", Body: "state"},
		{RPC: v2 + "Handle", Verb: "post", Path: "/v2/events/handle", Body: "*"},
	}
	tests := []struct {
		name    string
		compile func(*testing.T) linker.Files
		file    string
		want    []route
	}{
		{"v1", compileAll, skaffoldV1, wantV1},
		{"v1, older", compileOlder, skaffoldV1, wantV1},
		{"v2", compileAll, skaffoldV2, wantV2},
		{"BuildKit has none", compileAll, buildkitCtl, nil},
		{"rkt has none", compileAll, rktAPI, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			compare(t, test.want, routes(t, test.compile(t), test.file), route.key)
		})
	}
}

func routes(t *testing.T, files linker.Files, path string) []route {
	t.Helper()
	var all []route
	services := find(t, files, path).Services()
	for i := range services.Len() {
		methods := services.Get(i).Methods()
		for i := range methods.Len() {
			method := methods.Get(i)
			for option, value := range known(method.Options(), files).Range {
				if option.FullName() != "google.api.http" {
					continue
				}
				r := route{RPC: string(method.FullName())}
				for field, value := range value.Message().Range {
					switch {
					case field.ContainingOneof() != nil && field.Kind() == protoreflect.StringKind:
						r.Verb, r.Path = string(field.Name()), value.String()
					case field.Name() == "body":
						r.Body = value.String()
					default:
						r.Rest += fmt.Sprintf("%s: %v ", field.Name(), value)
					}
				}
				all = append(all, r)
			}
		}
	}
	return all
}

// TestSources compares the files of which the source itself is published, token by token, comments included.
func TestSources(t *testing.T) {
	tests := []struct {
		file string
		seed func(*testing.T) string
	}{
		{skaffoldV2, func(t *testing.T) string {
			// The page passed through a mirror that rewrote the host of every address. It is the only repair.
			const mirror, host = "github.aaakk.us.kg", "github.com"
			page := read(t, seeds+"001-skaffold-v2.proto.txt")
			if n := strings.Count(page, mirror); n != 1 {
				t.Fatalf("the seed names %s %d times, want once", mirror, n)
			}
			return fromSyntax(t, strings.Replace(page, mirror, host, 1))
		}},
		{buildkitCtl, func(t *testing.T) string {
			return fromSyntax(t, read(t, seeds+"003-buildkit-control.proto.txt"))
		}},
		{rktAPI, func(t *testing.T) string {
			return fromNumberedWords(t, read(t, seeds+"004-rkt-api.proto.txt"))
		}},
	}
	for _, test := range tests {
		t.Run(test.file, func(t *testing.T) {
			compareTokens(t, tokens(t, test.seed(t)), tokens(t, read(t, source[test.file])))
		})
	}
}

// TestBuildKitImports compares what control.proto imports. Comments are left out: those files have none of the
// original's.
func TestBuildKitImports(t *testing.T) {
	files := compileAll(t)
	known := buildkitImports(t, facts+"buildkit-imports.md")
	var paths []string
	for path := range known {
		paths = append(paths, path)
	}
	sort.Strings(paths)
	want := []string{gogoStatus, gogoOptions, buildkitWorker, buildkitOps, buildkitPolicy}
	if diff := cmp.Diff(want, paths); diff != "" {
		t.Fatalf("the facts are of other files (-want +got):\n%s", diff)
	}
	for _, path := range paths {
		t.Run(path, func(t *testing.T) {
			compareWithoutComments(t, known[path].Elements, describe(t, files, path))
			if diff := cmp.Diff(known[path].Header, describeHeader(t, files, path)); diff != "" {
				t.Errorf("the file differs above its elements (-want +got):\n%s", diff)
			}
		})
	}
}

// TestGoogleAPI compares the option google.api.http and its messages with their definition.
func TestGoogleAPI(t *testing.T) {
	files := compileAll(t)
	const goPackage = `go_package="google.golang.org/genproto/googleapis/api/annotations;annotations"`
	const rule = "google.api.HttpRule"
	field := func(name, number, typ string) element {
		return element{Kind: "field", Name: "google.api." + name, Number: number, Type: typ}
	}
	pattern := func(name, number, typ string) element {
		e := field("HttpRule."+name, number, typ)
		e.In = "pattern"
		return e
	}
	tests := []struct {
		file     string
		header   header
		elements []element
	}{
		{
			apiAnnotations,
			header{
				Syntax: "proto3", Package: "google.api", Options: []string{goPackage},
				Imports: []string{"google/api/http.proto", "google/protobuf/descriptor.proto"},
			},
			[]element{{
				Kind: "extension", Name: "google.api.http", Number: "72295728", Type: rule,
				In: "google.protobuf.MethodOptions",
			}},
		},
		{
			apiHTTP,
			header{Syntax: "proto3", Package: "google.api", Options: []string{goPackage}},
			[]element{
				{Kind: "message", Name: "google.api.Http"},
				field("Http.rules", "1", "repeated "+rule),
				field("Http.fully_decode_reserved_expansion", "2", "bool"),
				{Kind: "message", Name: rule},
				field("HttpRule.selector", "1", "string"),
				pattern("get", "2", "string"),
				pattern("put", "3", "string"),
				pattern("post", "4", "string"),
				pattern("delete", "5", "string"),
				pattern("patch", "6", "string"),
				pattern("custom", "8", "google.api.CustomHttpPattern"),
				field("HttpRule.body", "7", "string"),
				field("HttpRule.response_body", "12", "string"),
				field("HttpRule.additional_bindings", "11", "repeated "+rule),
				{Kind: "message", Name: "google.api.CustomHttpPattern"},
				field("CustomHttpPattern.kind", "1", "string"),
				field("CustomHttpPattern.path", "2", "string"),
			},
		},
	}
	for _, test := range tests {
		t.Run(test.file, func(t *testing.T) {
			compareWithoutComments(t, test.elements, describe(t, files, test.file))
			if diff := cmp.Diff(test.header, describeHeader(t, files, test.file)); diff != "" {
				t.Errorf("the file differs above its elements (-want +got):\n%s", diff)
			}
		})
	}
}

func compareWithoutComments(t *testing.T, want, got []element) {
	t.Helper()
	for i := range got {
		got[i].Comment = ""
	}
	compare(t, want, got, element.key)
}

func describeHeader(t *testing.T, files linker.Files, path string) header {
	t.Helper()
	file := find(t, files, path)
	h := header{
		Syntax:  file.Syntax().String(),
		Package: string(file.Package()),
		Options: (&describer{files: files}).options(file),
	}
	for i := range file.Imports().Len() {
		h.Imports = append(h.Imports, file.Imports().Get(i).Path())
	}
	return h
}
