package serve

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/reflection"
	reflectionv1 "google.golang.org/grpc/reflection/grpc_reflection_v1"
	reflectionv1alpha "google.golang.org/grpc/reflection/grpc_reflection_v1alpha"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
)

// registerReflection adds reflection, v1 and v1alpha, unless it is among the
// services.
func (s *Server) registerReflection(g *grpc.Server) error {
	var files []protoreflect.FileDescriptor
	info := g.GetServiceInfo()
	for _, svc := range s.services {
		if svc.File != nil {
			files = append(files, svc.File)
		}
	}
	known, err := newFileSet(files)
	if err != nil {
		return err
	}
	opts := reflection.ServerOptions{Services: g, DescriptorResolver: known}
	if _, ok := info[reflectionv1.ServerReflection_ServiceDesc.ServiceName]; !ok {
		reflectionv1.RegisterServerReflectionServer(g, reflection.NewServerV1(opts))
	}
	if _, ok := info[reflectionv1alpha.ServerReflection_ServiceDesc.ServiceName]; !ok {
		reflectionv1alpha.RegisterServerReflectionServer(g, reflection.NewServer(opts))
	}
	return nil
}

// fileSet finds descriptors for reflection. It knows files by the paths they
// are imported with, too.
//
// The import of a file whose Go code registers it under another path, as happens
// where a plugin was told where the code of an import lives, finds nothing in
// the registry. For such an import there is an alias: a file with nothing but a
// public import of the file that declares what the importing file uses.
type fileSet struct {
	files   map[string]protoreflect.FileDescriptor // by path
	aliases map[string]*alias
	paths   []string             // of aliases, in the order they were found
	own     *protoregistry.Files // of files that the global registry may not have
}

// alias is a path that files are imported with, but not registered under.
type alias struct {
	path    string
	targets []string // what it imports publicly
	file    protoreflect.FileDescriptor
}

// newFileSet finds the files that some files import, directly or not.
func newFileSet(files []protoreflect.FileDescriptor) (*fileSet, error) {
	s := &fileSet{
		files:   map[string]protoreflect.FileDescriptor{},
		aliases: map[string]*alias{},
		own:     &protoregistry.Files{},
	}
	for _, f := range files {
		s.add(f)
	}
	for _, p := range s.paths {
		if err := s.build(s.aliases[p]); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// add adds a file and all that it needs.
func (s *fileSet) add(f protoreflect.FileDescriptor) {
	if s.files[f.Path()] != nil || f.IsPlaceholder() {
		return
	}
	s.files[f.Path()] = f
	if registered, err := protoregistry.GlobalFiles.FindFileByPath(f.Path()); err != nil || registered != f {
		_ = s.own.RegisterFile(f) // fails if the names are there already, which does no harm
	}
	var missing []string // paths of imports that are not registered
	reachable := map[string]bool{f.Path(): true}
	for i := range f.Imports().Len() {
		imp := f.Imports().Get(i)
		if imp.IsPlaceholder() {
			missing = append(missing, imp.Path())
			continue
		}
		addReachable(reachable, imp.FileDescriptor)
		s.add(imp.FileDescriptor)
	}
	used := usedFiles(f)
	for _, u := range used {
		s.add(u)
	}
	used = slices.DeleteFunc(used, func(u protoreflect.FileDescriptor) bool { return reachable[u.Path()] })
	s.assign(missing, used)
}

// addReachable adds a file, and what it imports publicly.
func addReachable(set map[string]bool, f protoreflect.FileDescriptor) {
	set[f.Path()] = true
	for i := range f.Imports().Len() {
		if imp := f.Imports().Get(i); imp.IsPublic && !set[imp.Path()] {
			addReachable(set, imp.FileDescriptor)
		}
	}
}

// assign finds out which of the files that are used each missing import stands
// for: the one whose path ends alike. What then is left over is given to imports
// without a file.
func (s *fileSet) assign(missing []string, used []protoreflect.FileDescriptor) {
	for _, p := range missing {
		if s.aliases[p] == nil {
			s.aliases[p] = &alias{path: p}
			s.paths = append(s.paths, p)
		}
	}
	var left []protoreflect.FileDescriptor
	for _, u := range used {
		best, length := "", 0
		for _, p := range missing {
			if n := commonSuffix(p, u.Path()); n > length {
				best, length = p, n
			}
		}
		if best == "" {
			left = append(left, u)
			continue
		}
		s.aliases[best].point(u.Path())
	}
	for _, u := range left {
		for _, p := range missing {
			if len(s.aliases[p].targets) == 0 && !s.imports(u, p, map[string]bool{}) {
				s.aliases[p].point(u.Path())
				break
			}
		}
	}
}

func (a *alias) point(target string) {
	if !slices.Contains(a.targets, target) {
		a.targets = append(a.targets, target)
	}
}

// imports tells whether a file imports a path, directly or not: an alias of
// that path must not point to it.
func (s *fileSet) imports(f protoreflect.FileDescriptor, p string, seen map[string]bool) bool {
	if seen[f.Path()] {
		return false
	}
	seen[f.Path()] = true
	for i := range f.Imports().Len() {
		imp := f.Imports().Get(i)
		if imp.Path() == p || !imp.IsPlaceholder() && s.imports(imp.FileDescriptor, p, seen) {
			return true
		}
	}
	return false
}

// commonSuffix counts the elements at the end of two paths that are the same.
func commonSuffix(a, b string) int {
	n := 0
	for a != "" && b != "" && path.Base(a) == path.Base(b) {
		n++
		a, b = parentPath(a), parentPath(b)
	}
	return n
}

func parentPath(p string) string {
	i := strings.LastIndexByte(p, '/')
	return p[:max(i, 0)]
}

// build makes the file of an alias.
func (s *fileSet) build(a *alias) error {
	fd := &descriptorpb.FileDescriptorProto{Name: proto.String(a.path), Syntax: proto.String("proto3")}
	for i, t := range a.targets {
		fd.Dependency = append(fd.Dependency, t)
		fd.PublicDependency = append(fd.PublicDependency, int32(i))
	}
	f, err := protodesc.NewFile(fd, s)
	if err != nil {
		return fmt.Errorf("serve: reflection: import %q: %w", a.path, err)
	}
	a.file = f
	return nil
}

// FindFileByPath finds a file by the path it is registered under or imported
// with.
func (s *fileSet) FindFileByPath(p string) (protoreflect.FileDescriptor, error) {
	if f := s.files[p]; f != nil {
		return f, nil
	}
	if a := s.aliases[p]; a != nil && a.file != nil {
		return a.file, nil
	}
	return protoregistry.GlobalFiles.FindFileByPath(p)
}

// FindDescriptorByName finds a declaration.
func (s *fileSet) FindDescriptorByName(name protoreflect.FullName) (protoreflect.Descriptor, error) {
	if d, err := s.own.FindDescriptorByName(name); err == nil {
		return d, nil
	}
	return protoregistry.GlobalFiles.FindDescriptorByName(name)
}

// usedFiles are the files of the types that a file names, each once, in the
// order they come in.
func usedFiles(f protoreflect.FileDescriptor) []protoreflect.FileDescriptor {
	u := &uses{seen: map[string]bool{f.Path(): true}}
	u.messages(f.Messages())
	u.extensions(f.Extensions())
	for i := range f.Services().Len() {
		methods := f.Services().Get(i).Methods()
		for j := range methods.Len() {
			u.add(methods.Get(j).Input())
			u.add(methods.Get(j).Output())
		}
	}
	return u.files
}

type uses struct {
	seen  map[string]bool
	files []protoreflect.FileDescriptor
}

func (u *uses) add(d protoreflect.Descriptor) {
	f := d.ParentFile()
	if d.IsPlaceholder() || f == nil || u.seen[f.Path()] {
		return
	}
	u.seen[f.Path()] = true
	u.files = append(u.files, f)
}

func (u *uses) messages(ms protoreflect.MessageDescriptors) {
	for i := range ms.Len() {
		m := ms.Get(i)
		for j := range m.Fields().Len() {
			u.field(m.Fields().Get(j))
		}
		u.extensions(m.Extensions())
		u.messages(m.Messages())
	}
}

func (u *uses) extensions(xs protoreflect.ExtensionDescriptors) {
	for i := range xs.Len() {
		u.add(xs.Get(i).ContainingMessage())
		u.field(xs.Get(i))
	}
}

func (u *uses) field(f protoreflect.FieldDescriptor) {
	if m := f.Message(); m != nil {
		u.add(m)
	}
	if e := f.Enum(); e != nil {
		u.add(e)
	}
}
