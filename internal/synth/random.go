package synth

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"
)

// generator is the state of one request being drawn. It works in passes over
// all files, because a field may refer to any type declared in its own file or
// in one before it: first the types are declared, then they are filled, then
// options and comments are laid over the finished elements.
type generator struct {
	rng      *rand.Rand
	files    []*file
	packages map[string]*scope
	messages []*message
	enums    []*enum
	options  []*customOption
	// numbers holds the next free extension number of an extendee.
	numbers map[string]int32
	// definitions is whether the request carries the files that define the
	// well-known custom options, as it does when a compiler made it.
	definitions bool
}

// file is a file being drawn; files only import files before them.
type file struct {
	pb     *descriptorpb.FileDescriptorProto
	index  int
	proto3 bool
	names  *scope
}

// message is a declared message, referable from its own file and later ones.
type message struct {
	pb    *descriptorpb.DescriptorProto
	file  *file
	full  string
	names *scope
}

// enum is a declared enum.
type enum struct {
	pb   *descriptorpb.EnumDescriptorProto
	file *file
	full string
}

// Random draws a valid request from rng: the same state of rng gives the same
// request.
//
// The request is one that protoc-gen-doc v1.5.1 (pgd), the program to compare
// with, answers in every format. Left out for it:
//   - pgd crashes on a requested file and on a public import that the request
//     does not hold; no compiler sends either.
//   - pgd fails, in its json format only, on numbers in validate.rules and
//     validator.field that are not finite.
//   - Builds of pgd differ in whether they know ignore_empty and strict of
//     validate.rules.
//   - pgd does not declare support for editions.
//
// The files that define options are shared between requests: do not change
// them.
func Random(rng *rand.Rand) *pluginpb.CodeGeneratorRequest {
	g := &generator{
		rng:         rng,
		packages:    map[string]*scope{},
		numbers:     map[string]int32{},
		definitions: chance(rng, 0.5),
	}
	generate, imported := 1+rng.IntN(4), rng.IntN(3)
	g.declareFiles(generate + imported)
	for _, f := range g.files {
		g.fillFile(f)
	}
	for _, f := range g.files {
		g.optionsOfFile(f)
	}
	requested := g.requested(generate)
	for _, f := range g.files {
		f.pb.SourceCodeInfo = g.sourceInfo(f.pb)
	}
	return g.request(requested)
}

// declareFiles draws the files and declares every type in them.
func (g *generator) declareFiles(n int) {
	packages := pick(g.rng, packageSets)
	for i := range n {
		f := &file{index: i, proto3: chance(g.rng, 0.5), pb: &descriptorpb.FileDescriptorProto{
			Name: proto.String(fmt.Sprintf(pick(g.rng, fileNames), fmt.Sprintf("%c%d", 'a'+g.rng.IntN(26), i))),
		}}
		pkg := pick(g.rng, packages)
		if pkg != "" {
			f.pb.Package = proto.String(pkg)
		}
		switch {
		case f.proto3:
			f.pb.Syntax = proto.String("proto3")
		case chance(g.rng, 0.3):
			// Compilers leave the syntax of proto2 out, but may set it.
			f.pb.Syntax = proto.String("proto2")
		}
		if g.packages[pkg] == nil {
			g.packages[pkg] = newScope()
		}
		f.names = g.packages[pkg]
		g.files = append(g.files, f)
		g.declareTypes(f)
	}
}

// requested picks the files to generate, all but a few, and has every other
// file imported by a later one, so that it is part of the request.
func (g *generator) requested(generate int) []*file {
	requested := append([]*file(nil), g.files...)
	for len(requested) > generate {
		i := g.rng.IntN(len(requested) - 1) // the last file has no importer
		last := requested[len(requested)-1]
		g.use(last, requested[i].pb)
		requested = append(requested[:i], requested[i+1:]...)
	}
	if chance(g.rng, 0.3) {
		g.rng.Shuffle(len(requested), func(i, j int) { requested[i], requested[j] = requested[j], requested[i] })
	}
	return requested
}

// request puts the files into one request, in a compiler's order.
func (g *generator) request(requested []*file) *pluginpb.CodeGeneratorRequest {
	req := &pluginpb.CodeGeneratorRequest{
		CompilerVersion: &pluginpb.Version{Major: proto.Int32(5), Minor: proto.Int32(29), Patch: proto.Int32(3)},
	}
	for _, f := range requested {
		req.FileToGenerate = append(req.FileToGenerate, f.pb.GetName())
	}
	req.ProtoFile = g.closure(requested)
	if chance(g.rng, 0.03) {
		// Some tools ask for the imports too.
		extra := pick(g.rng, req.ProtoFile)
		if !contains(req.FileToGenerate, extra.GetName()) {
			req.FileToGenerate = append(req.FileToGenerate, extra.GetName())
		}
	}
	if chance(g.rng, 1.0/3) {
		for _, f := range req.ProtoFile {
			if contains(req.FileToGenerate, f.GetName()) {
				req.SourceFileDescriptors = append(req.SourceFileDescriptors, f)
			}
		}
	}
	return req
}

// closure lists the files and all they import, every import before its
// importer.
func (g *generator) closure(roots []*file) []*descriptorpb.FileDescriptorProto {
	known := map[string]*descriptorpb.FileDescriptorProto{}
	for _, f := range g.files {
		known[f.pb.GetName()] = f.pb
	}
	for _, f := range libraryFiles() {
		known[f.GetName()] = f
	}
	var list []*descriptorpb.FileDescriptorProto
	seen := map[string]bool{}
	var visit func(name string)
	visit = func(name string) {
		if seen[name] {
			return
		}
		seen[name] = true
		for _, dep := range known[name].GetDependency() {
			visit(dep)
		}
		list = append(list, known[name])
	}
	for _, f := range roots {
		visit(f.pb.GetName())
	}
	return list
}

// use has f import the file dep, unless it sees it already. Some imports are
// public, so that later files see dep through f.
func (g *generator) use(f *file, dep *descriptorpb.FileDescriptorProto) {
	name := dep.GetName()
	if name == f.pb.GetName() || g.sees(f.pb, name) {
		return
	}
	f.pb.Dependency = append(f.pb.Dependency, name)
	if chance(g.rng, 0.2) {
		f.pb.PublicDependency = append(f.pb.PublicDependency, int32(len(f.pb.Dependency)-1))
	}
}

// sees is whether f imports the file of that name, itself or publicly through
// another one.
func (g *generator) sees(f *descriptorpb.FileDescriptorProto, name string) bool {
	for _, dep := range f.GetDependency() {
		if dep == name || g.passesOn(dep, name) {
			return true
		}
	}
	return false
}

func (g *generator) passesOn(through, name string) bool {
	for _, f := range g.files {
		if f.pb.GetName() != through {
			continue
		}
		for _, i := range f.pb.GetPublicDependency() {
			if dep := f.pb.GetDependency()[i]; dep == name || g.passesOn(dep, name) {
				return true
			}
		}
	}
	return false
}

// join adds a name to the full name of its scope, which may be empty.
func join(scope, name string) string {
	return strings.TrimPrefix(scope+"."+name, ".")
}

func contains(list []string, s string) bool {
	for _, item := range list {
		if item == s {
			return true
		}
	}
	return false
}
