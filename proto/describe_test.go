package proto_test

import (
	"fmt"
	"sort"
	"strings"
	"testing"
	"unicode"

	"github.com/bufbuild/protocompile"
	"github.com/bufbuild/protocompile/linker"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// The files of this folder by import path, as buf.yaml lays the folders out.
const (
	skaffoldV1     = "skaffold.proto"
	skaffoldV2     = "v2/skaffold.proto"
	skaffoldEnums  = "enums/enums.proto"
	buildkitCtl    = "github.com/moby/buildkit/api/services/control/control.proto"
	buildkitWorker = "github.com/moby/buildkit/api/types/worker.proto"
	buildkitOps    = "github.com/moby/buildkit/solver/pb/ops.proto"
	buildkitPolicy = "github.com/moby/buildkit/sourcepolicy/pb/policy.proto"
	rktAPI         = "api/v1alpha/api.proto"
	gogoOptions    = "github.com/gogo/protobuf/gogoproto/gogo.proto"
	gogoStatus     = "github.com/gogo/googleapis/google/rpc/status.proto"
	apiAnnotations = "google/api/annotations.proto"
	apiHTTP        = "google/api/http.proto"
)

// source says where a .proto file lies on disk, by import path.
var source = map[string]string{
	skaffoldV1:     "skaffold/" + skaffoldV1,
	skaffoldV2:     "skaffold/" + skaffoldV2,
	skaffoldEnums:  "skaffold/" + skaffoldEnums,
	buildkitCtl:    "buildkit/" + buildkitCtl,
	buildkitWorker: "buildkit/" + buildkitWorker,
	buildkitOps:    "buildkit/" + buildkitOps,
	buildkitPolicy: "buildkit/" + buildkitPolicy,
	rktAPI:         "rkt/" + rktAPI,
	gogoOptions:    "third_party/" + gogoOptions,
	gogoStatus:     "third_party/" + gogoStatus,
	apiAnnotations: "third_party/" + apiAnnotations,
	apiHTTP:        "third_party/" + apiHTTP,
}

// olderSkaffoldV1 is the folder of an older edition of skaffold.proto. It has the import path and the names of the
// newer one, so the two are never compiled together.
const olderSkaffoldV1 = "../testdata/skaffold-v1-seed000"

// compile compiles the files, comments included, looking for them in the folders and then in third_party.
func compile(t *testing.T, folders []string, files ...string) linker.Files {
	t.Helper()
	compiler := protocompile.Compiler{
		Resolver: protocompile.WithStandardImports(&protocompile.SourceResolver{
			ImportPaths: append(folders, "third_party"),
		}),
		SourceInfoMode: protocompile.SourceInfoStandard,
	}
	compiled, err := compiler.Compile(t.Context(), files...)
	if err != nil {
		t.Fatalf("the protos do not compile: %v", err)
	}
	return compiled
}

// compileAll compiles every file of this folder.
func compileAll(t *testing.T) linker.Files {
	t.Helper()
	files := make([]string, 0, len(source))
	for path := range source {
		files = append(files, path)
	}
	sort.Strings(files)
	return compile(t, []string{"skaffold", "buildkit", "rkt"}, files...)
}

// compileOlder compiles the older edition of skaffold.proto.
func compileOlder(t *testing.T) linker.Files {
	t.Helper()
	return compile(t, []string{olderSkaffoldV1}, skaffoldV1, apiAnnotations)
}

// element is what a test compares of one message, field, enum, value, service, rpc or extension.
type element struct {
	Kind   string
	Name   string // full name; that of an enum value is in the scope of its enum, as protobuf has it
	Number string
	Type   string // "repeated proto.X", "map<string, int32>", "proto.X -> proto.Y"; of a message what is reserved
	// In is the oneof of a field, the streaming of an rpc and the message that an extension extends.
	In      string
	Options string // every option that is set, sorted by name; of a message-valued one the name alone
	Comment string // where the comments are: leading, trailing, - or both
}

func (e element) key() string { return e.Kind + " " + e.Name }

// describer turns descriptors into elements. Options are read with the extensions that the files themselves define.
type describer struct {
	files linker.Files
	out   []element
}

// describe lists the elements of a file: messages with their fields and then their nested elements, enums, extensions
// and services, each in the order of the file.
func describe(t *testing.T, files linker.Files, path string) []element {
	t.Helper()
	d := describer{files: files}
	file := find(t, files, path)
	d.messages(file.Messages())
	d.enums(file.Enums())
	d.extensions(file.Extensions())
	for i := range file.Services().Len() {
		service := file.Services().Get(i)
		d.add("service", service, element{})
		for i := range service.Methods().Len() {
			method := service.Methods().Get(i)
			d.add("rpc", method, element{
				Type: fmt.Sprintf("%s -> %s", method.Input().FullName(), method.Output().FullName()),
				In: fmt.Sprintf("client_stream=%t server_stream=%t",
					method.IsStreamingClient(), method.IsStreamingServer()),
			})
		}
	}
	return d.out
}

func find(t *testing.T, files linker.Files, path string) linker.File {
	t.Helper()
	file := files.FindFileByPath(path)
	if file == nil {
		t.Fatalf("%s was not compiled", path)
	}
	return file
}

func (d *describer) add(kind string, desc protoreflect.Descriptor, e element) {
	e.Kind, e.Name = kind, string(desc.FullName())
	e.Options = strings.Join(d.options(desc), ", ")
	e.Comment = commentPosition(desc)
	d.out = append(d.out, e)
}

func (d *describer) messages(messages protoreflect.MessageDescriptors) {
	for i := range messages.Len() {
		message := messages.Get(i)
		if message.IsMapEntry() {
			continue // part of the type of the map field
		}
		d.add("message", message, element{Type: reserved(message)})
		for i := range message.Fields().Len() {
			d.field("field", message.Fields().Get(i))
		}
		d.messages(message.Messages())
		d.enums(message.Enums())
		d.extensions(message.Extensions())
	}
}

func (d *describer) enums(enums protoreflect.EnumDescriptors) {
	for i := range enums.Len() {
		enum := enums.Get(i)
		d.add("enum", enum, element{})
		for i := range enum.Values().Len() {
			value := enum.Values().Get(i)
			d.add("value", value, element{Number: fmt.Sprint(value.Number())})
		}
	}
}

func (d *describer) extensions(extensions protoreflect.ExtensionDescriptors) {
	for i := range extensions.Len() {
		d.field("extension", extensions.Get(i))
	}
}

func (d *describer) field(kind string, field protoreflect.FieldDescriptor) {
	e := element{Number: fmt.Sprint(field.Number()), Type: fieldType(field)}
	if oneof := field.ContainingOneof(); oneof != nil {
		e.In = string(oneof.Name())
	}
	if field.IsExtension() {
		e.In = string(field.ContainingMessage().FullName())
	} else if field.JSONName() != jsonName(string(field.Name())) {
		e.Type += " as JSON " + field.JSONName()
	}
	d.add(kind, field, e)
}

// jsonName is the JSON name that a field has unless the file gives it another one.
func jsonName(name string) string {
	var camel strings.Builder
	upper := false
	for _, r := range name {
		if r != '_' && upper {
			r = unicode.ToUpper(r)
		}
		if upper = r == '_'; !upper {
			camel.WriteRune(r)
		}
	}
	return camel.String()
}

func reserved(message protoreflect.MessageDescriptor) string {
	var list []string
	for i := range message.ReservedRanges().Len() {
		list = append(list, fmt.Sprint(message.ReservedRanges().Get(i)))
	}
	for i := range message.ReservedNames().Len() {
		list = append(list, string(message.ReservedNames().Get(i)))
	}
	return strings.Join(list, ", ")
}

func fieldType(field protoreflect.FieldDescriptor) string {
	if field.IsMap() {
		return fmt.Sprintf("map<%s, %s>", fieldType(field.MapKey()), fieldType(field.MapValue()))
	}
	name := field.Kind().String()
	switch {
	case field.Message() != nil:
		name = string(field.Message().FullName())
	case field.Enum() != nil:
		name = string(field.Enum().FullName())
	}
	switch {
	case field.IsList():
		return "repeated " + name
	case field.Cardinality() == protoreflect.Required:
		return "required " + name
	case field.HasOptionalKeyword() && field.ParentFile().Syntax() == protoreflect.Proto3:
		return "optional " + name // in proto2 the word is on every such field and says nothing
	}
	return name
}

// options lists what is set in the options of desc, sorted.
func (d *describer) options(desc protoreflect.Descriptor) []string {
	var set []string
	for field, value := range known(desc.Options(), d.files).Range {
		name := string(field.Name())
		if field.IsExtension() {
			name = string(field.FullName())
		}
		switch {
		case field.Message() != nil:
			set = append(set, name)
		case field.Kind() == protoreflect.StringKind:
			set = append(set, fmt.Sprintf("%s=%q", name, value.String()))
		default:
			set = append(set, fmt.Sprintf("%s=%v", name, value.Interface()))
		}
	}
	sort.Strings(set)
	return set
}

// known reads options again with the extensions of the compiled files; the Go program knows none of them.
func known(options proto.Message, files linker.Files) protoreflect.Message {
	wire, err := proto.Marshal(options)
	if err != nil {
		panic(err) // they come out of the compiler
	}
	again := options.ProtoReflect().New()
	if err := (proto.UnmarshalOptions{Resolver: files.AsResolver()}).Unmarshal(wire, again.Interface()); err != nil {
		panic(err)
	}
	return again
}

func commentPosition(desc protoreflect.Descriptor) string {
	at := desc.ParentFile().SourceLocations().ByDescriptor(desc)
	switch leading, trailing := at.LeadingComments != "", at.TrailingComments != ""; {
	case leading && trailing:
		return "leading+trailing"
	case leading:
		return "leading"
	case trailing:
		return "trailing"
	}
	return "-"
}

// text is a comment without the one space that stands after // and without the line break at its end.
func text(comment string) string {
	lines := strings.Split(strings.TrimSuffix(comment, "\n"), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimPrefix(line, " ")
	}
	return strings.Join(lines, "\n")
}

// strayComments lists the comments of a file that belong to none of the elements that describe lists, and those that
// are detached from the element they precede, except in front of enum values: there they are the headings of sections.
func strayComments(file protoreflect.FileDescriptor) []string {
	elements := byPath(file)
	var stray []string
	for i := range file.SourceLocations().Len() {
		at := file.SourceLocations().Get(i)
		desc := elements[at.Path.String()]
		if comment := at.LeadingComments + at.TrailingComments; comment != "" && desc == nil {
			stray = append(stray, fmt.Sprintf("line %d: %s", at.StartLine+1, text(comment)))
		}
		if _, isValue := desc.(protoreflect.EnumValueDescriptor); len(at.LeadingDetachedComments) > 0 && !isValue {
			stray = append(stray, fmt.Sprintf("line %d: %q", at.StartLine+1, at.LeadingDetachedComments))
		}
	}
	return stray
}

// byPath finds the elements of a file by their path in its source info.
func byPath(file protoreflect.FileDescriptor) map[string]protoreflect.Descriptor {
	elements := make(map[string]protoreflect.Descriptor)
	var walk func(desc protoreflect.Descriptor)
	walk = func(desc protoreflect.Descriptor) {
		if message, ok := desc.(protoreflect.MessageDescriptor); ok && message.IsMapEntry() {
			return // not written in the file
		}
		elements[file.SourceLocations().ByDescriptor(desc).Path.String()] = desc
		switch desc := desc.(type) {
		case protoreflect.MessageDescriptor:
			each(desc.Fields(), walk)
			each(desc.Messages(), walk)
			each(desc.Enums(), walk)
		case protoreflect.EnumDescriptor:
			each(desc.Values(), walk)
		case protoreflect.ServiceDescriptor:
			each(desc.Methods(), walk)
		}
	}
	each(file.Messages(), walk)
	each(file.Enums(), walk)
	each(file.Services(), walk)
	return elements
}

// each calls do for every member of a list of descriptors.
func each[D protoreflect.Descriptor](list interface {
	Len() int
	Get(int) D
}, do func(protoreflect.Descriptor)) {
	for i := range list.Len() {
		do(list.Get(i))
	}
}

// compare reports, element by element, what is missing, what is too much and what differs, and then a wrong order.
func compare[E any](t *testing.T, want, got []E, key func(E) string) {
	t.Helper()
	keys := func(list []E) (names []string, byKey map[string]E) {
		byKey = make(map[string]E)
		for _, e := range list {
			if _, again := byKey[key(e)]; again {
				t.Errorf("%s is there twice", key(e))
			}
			names, byKey[key(e)] = append(names, key(e)), e
		}
		return names, byKey
	}
	wantNames, wanted := keys(want)
	gotNames, gotten := keys(got)
	same := true
	for _, name := range wantNames {
		have, ok := gotten[name]
		if !ok {
			t.Errorf("%s is missing, want %+v", name, wanted[name])
			same = false
		} else if diff := cmp.Diff(wanted[name], have); diff != "" {
			t.Errorf("%s differs (-want +got):\n%s", name, diff)
		}
	}
	for _, name := range gotNames {
		if _, ok := wanted[name]; !ok {
			t.Errorf("%s is in no facts, got %+v", name, gotten[name])
			same = false
		}
	}
	if same {
		if diff := cmp.Diff(wantNames, gotNames); diff != "" {
			t.Errorf("the order differs (-want +got):\n%s", diff)
		}
	}
}
