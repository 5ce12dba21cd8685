package synth

import (
	"strconv"
	"strings"
	"sync"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/timestamppb"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

// Paths of the files that requests import.
const (
	descriptorPath  = "google/protobuf/descriptor.proto"
	durationPath    = "google/protobuf/duration.proto"
	timestampPath   = "google/protobuf/timestamp.proto"
	httpPath        = "google/api/http.proto"
	annotationsPath = "google/api/annotations.proto"
	validatePath    = "validate/validate.proto"
	validatorPath   = "github.com/mwitkow/go-proto-validators/validator.proto"
)

// wellKnownTypes are message types that fields and methods refer to.
var wellKnownTypes = []struct{ name, file string }{
	{".google.protobuf.Duration", durationPath},
	{".google.protobuf.Timestamp", timestampPath},
	{".google.protobuf.Any", "google/protobuf/any.proto"},
	{".google.protobuf.Empty", "google/protobuf/empty.proto"},
	{".google.protobuf.StringValue", "google/protobuf/wrappers.proto"},
}

// wellKnownFiles are the files of google.protobuf, as protobuf-go has them.
var wellKnownFiles = sync.OnceValue(func() []*descriptorpb.FileDescriptorProto {
	var files []*descriptorpb.FileDescriptorProto
	for _, d := range []protoreflect.FileDescriptor{
		descriptorpb.File_google_protobuf_descriptor_proto, durationpb.File_google_protobuf_duration_proto,
		timestamppb.File_google_protobuf_timestamp_proto, anypb.File_google_protobuf_any_proto,
		emptypb.File_google_protobuf_empty_proto, wrapperspb.File_google_protobuf_wrappers_proto,
	} {
		files = append(files, protodesc.ToFileDescriptorProto(d))
	}
	return files
})

// libraryFiles are all files that a request imports but does not declare.
// They are shared between requests: nobody writes to them.
var libraryFiles = sync.OnceValue(func() []*descriptorpb.FileDescriptorProto {
	return append(wellKnownFiles(), httpFile(), annotationsFile(), validateFile(), validatorFile())
})

func libraryFile(path string) *descriptorpb.FileDescriptorProto {
	for _, f := range libraryFiles() {
		if f.GetName() == path {
			return f
		}
	}
	panic("synth: no library file " + path)
}

func httpFile() *descriptorpb.FileDescriptorProto {
	f := library("proto3", httpPath, "google.api")
	f.MessageType = []*descriptorpb.DescriptorProto{
		declare("Http", "repeated .google.api.HttpRule rules = 1", "optional bool fully_decode_reserved_expansion = 2"),
		declare("HttpRule",
			"optional string selector = 1", "oneof pattern",
			"optional string get = 2", "optional string put = 3", "optional string post = 4", "optional string delete = 5",
			"optional string patch = 6", "optional .google.api.CustomHttpPattern custom = 8", "end",
			"optional string body = 7", "optional string response_body = 12",
			"repeated .google.api.HttpRule additional_bindings = 11"),
		declare("CustomHttpPattern", "optional string kind = 1", "optional string path = 2"),
	}
	return f
}

func annotationsFile() *descriptorpb.FileDescriptorProto {
	f := library("proto3", annotationsPath, "google.api", httpPath, descriptorPath)
	f.Extension = []*descriptorpb.FieldDescriptorProto{extend("MethodOptions", "optional .google.api.HttpRule http = 72295728")}
	return f
}

func validatorFile() *descriptorpb.FileDescriptorProto {
	f := library("", validatorPath, "validator", descriptorPath)
	f.Extension = []*descriptorpb.FieldDescriptorProto{extend("FieldOptions", "optional .validator.FieldValidator field = 65020")}
	f.MessageType = []*descriptorpb.DescriptorProto{declare("FieldValidator", validatorFields...)}
	return f
}

var validatorFields = []string{
	"optional string regex = 1", "optional int64 int_gt = 2", "optional int64 int_lt = 3", "optional bool msg_exists = 4",
	"optional string human_error = 5", "optional double float_gt = 6", "optional double float_lt = 7",
	"optional double float_epsilon = 8", "optional double float_gte = 9", "optional double float_lte = 10",
	"optional bool string_not_empty = 11", "optional int64 repeated_count_min = 12", "optional int64 repeated_count_max = 13",
	"optional int64 length_gt = 14", "optional int64 length_lt = 15", "optional int64 length_eq = 16",
}

func validateFile() *descriptorpb.FileDescriptorProto {
	f := library("", validatePath, "validate", descriptorPath, durationPath, timestampPath)
	f.Extension = []*descriptorpb.FieldDescriptorProto{
		extend("MessageOptions", "optional bool disabled = 1071"),
		extend("OneofOptions", "optional bool required = 1071"),
		extend("FieldOptions", "optional .validate.FieldRules rules = 1071"),
	}
	fieldRules := []string{"optional .validate.MessageRules message = 17", "oneof type"}
	for _, r := range ruleMessages {
		fieldRules = append(fieldRules, "optional .validate."+r.message+" "+r.field+" = "+strconv.Itoa(r.number))
		f.MessageType = append(f.MessageType, declare(r.message, r.lines...))
	}
	f.MessageType = append(f.MessageType, declare("FieldRules", append(fieldRules, "end")...),
		declare("MessageRules", "optional bool skip = 1", "optional bool required = 2"))
	f.EnumType = []*descriptorpb.EnumDescriptorProto{{Name: proto.String("KnownRegex"), Value: []*descriptorpb.EnumValueDescriptorProto{
		{Name: proto.String("UNKNOWN"), Number: proto.Int32(0)},
		{Name: proto.String("HTTP_HEADER_NAME"), Number: proto.Int32(1)},
		{Name: proto.String("HTTP_HEADER_VALUE"), Number: proto.Int32(2)},
	}}}
	return f
}

// library starts a file that defines options.
func library(syntax, path, pkg string, deps ...string) *descriptorpb.FileDescriptorProto {
	f := &descriptorpb.FileDescriptorProto{Name: proto.String(path), Package: proto.String(pkg), Dependency: deps}
	if syntax != "" {
		f.Syntax = proto.String(syntax)
	}
	return f
}

// declare builds a message from lines as a .proto file has them; fields
// between "oneof NAME" and "end" are members of it.
func declare(name string, lines ...string) *descriptorpb.DescriptorProto {
	m := &descriptorpb.DescriptorProto{Name: proto.String(name)}
	inOneof := false
	for _, line := range lines {
		if oneof, ok := strings.CutPrefix(line, "oneof "); ok {
			m.OneofDecl = append(m.OneofDecl, &descriptorpb.OneofDescriptorProto{Name: proto.String(oneof)})
			inOneof = true
			continue
		}
		if line == "end" {
			inOneof = false
			continue
		}
		field := parseField(line)
		if inOneof {
			field.OneofIndex = proto.Int32(int32(len(m.OneofDecl) - 1))
		}
		m.Field = append(m.Field, field)
	}
	return m
}

// parseField reads "LABEL TYPE NAME = NUMBER".
func parseField(line string) *descriptorpb.FieldDescriptorProto {
	part := strings.Fields(line)
	number, err := strconv.Atoi(part[4])
	if err != nil {
		panic("synth: field " + line)
	}
	f := &descriptorpb.FieldDescriptorProto{
		Name: proto.String(part[2]), JsonName: proto.String(camelCase(part[2])), Number: proto.Int32(int32(number)), Label: labelOptional.Enum(),
	}
	if part[0] == "repeated" {
		f.Label = labelRepeated.Enum()
	}
	for _, s := range scalarTypes {
		if s.keyword == part[1] {
			f.Type = s.typ.Enum()
			return f
		}
	}
	f.Type, f.TypeName = typeMessage.Enum(), proto.String(part[1])
	if part[1] == ".validate.KnownRegex" {
		f.Type = typeEnum.Enum()
	}
	return f
}

func extend(options, line string) *descriptorpb.FieldDescriptorProto {
	x := parseField(line)
	x.Extendee = proto.String(optionsPackage + options)
	return x
}
