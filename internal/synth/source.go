package synth

import (
	"google.golang.org/protobuf/types/descriptorpb"
)

// Field numbers of the descriptor messages: the steps of a source path.
const (
	pathName = 1

	filePackage, fileDependency, fileMessage, fileEnum, fileService, fileExtension, fileOptions, fileSyntax = 2, 3, 4, 5, 6, 7, 8, 12

	messageField, messageNested, messageEnum, messageExtension, messageOptions, messageOneof = 2, 3, 4, 6, 7, 8

	fieldExtendee, fieldNumber, fieldLabel, fieldType, fieldTypeName, fieldOptions = 2, 3, 4, 5, 6, 8

	enumValue, valueNumber = 2, 2

	serviceMethod, methodInput, methodOutput, methodOptions, methodClientStreaming, methodServerStreaming = 2, 2, 3, 4, 5, 6
)

// visitElements calls visit with the path of every element of a file, outer
// before inner. Elements that are not in the source (map entries, synthetic
// oneofs) are visited too.
func visitElements(f *descriptorpb.FileDescriptorProto, visit func(path []int32)) {
	for i, m := range f.MessageType {
		visitMessage(m, step(nil, fileMessage, i), visit)
	}
	for i, e := range f.EnumType {
		visitEnum(e, step(nil, fileEnum, i), visit)
	}
	for i := range f.Extension {
		visit(step(nil, fileExtension, i))
	}
	for i, s := range f.Service {
		path := step(nil, fileService, i)
		visit(path)
		for j := range s.Method {
			visit(step(path, serviceMethod, j))
		}
	}
}

func visitMessage(m *descriptorpb.DescriptorProto, path []int32, visit func(path []int32)) {
	visit(path)
	for i := range m.Field {
		visit(step(path, messageField, i))
	}
	for i := range m.OneofDecl {
		visit(step(path, messageOneof, i))
	}
	for i, n := range m.NestedType {
		visitMessage(n, step(path, messageNested, i), visit)
	}
	for i, e := range m.EnumType {
		visitEnum(e, step(path, messageEnum, i), visit)
	}
	for i := range m.Extension {
		visit(step(path, messageExtension, i))
	}
}

func visitEnum(e *descriptorpb.EnumDescriptorProto, path []int32, visit func(path []int32)) {
	visit(path)
	for i := range e.Value {
		visit(step(path, enumValue, i))
	}
}

// step extends a path by an element of a repeated field, in a slice of its own.
func step(path []int32, field int32, index int) []int32 {
	return append(append([]int32(nil), path...), field, int32(index))
}

// sourceInfo draws comments for a file; nil for some, as descriptors have no
// source info unless it was asked for.
func (g *generator) sourceInfo(f *descriptorpb.FileDescriptorProto) *descriptorpb.SourceCodeInfo {
	if chance(g.rng, 0.05) {
		return nil
	}
	s := &sourceDrawer{generator: g, info: &descriptorpb.SourceCodeInfo{}}
	s.info.Location = append(s.info.Location, &descriptorpb.SourceCodeInfo_Location{Span: []int32{0, 0, 100000, 1}})
	s.element([]int32{fileSyntax})
	s.element([]int32{filePackage})
	visitElements(f, s.element)
	return s.info
}

type sourceDrawer struct {
	*generator
	info *descriptorpb.SourceCodeInfo
	line int32
}

// element adds the location of an element, and sometimes a second one for the
// same path, as compilers do for a block that several elements share.
func (s *sourceDrawer) element(path []int32) {
	if chance(s.rng, 0.1) {
		return
	}
	s.location(path)
	if chance(s.rng, 0.3) {
		s.location(append(append([]int32(nil), path...), pathName))
	}
	if chance(s.rng, 0.02) {
		s.location(path)
	}
}

func (s *sourceDrawer) location(path []int32) {
	s.line += 1 + int32(s.rng.IntN(4))
	loc := &descriptorpb.SourceCodeInfo_Location{Path: path, Span: []int32{s.line, 2, 40}}
	if chance(s.rng, 0.3) {
		loc.Span = []int32{s.line, 2, s.line + 1 + int32(s.rng.IntN(9)), 3}
	}
	if chance(s.rng, 0.6) {
		text := comment(s.rng)
		loc.LeadingComments = &text
	}
	if chance(s.rng, 0.2) {
		text := comment(s.rng)
		loc.TrailingComments = &text
	}
	for chance(s.rng, 0.1) {
		loc.LeadingDetachedComments = append(loc.LeadingDetachedComments, comment(s.rng))
	}
	s.info.Location = append(s.info.Location, loc)
}
