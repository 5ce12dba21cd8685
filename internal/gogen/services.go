package gogen

import (
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/compiler/protogen"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/api"
)

// Packages that only services need.
const (
	grpcPackage  protogen.GoImportPath = "google.golang.org/grpc"
	servePackage protogen.GoImportPath = "github.com/skaffoldgen/protoc-gen-skaffold/serve"
)

// generateServices is the feature services.
func generateServices(k *kit, f *file) error {
	if len(f.Services) == 0 {
		return nil
	}
	list := make([]*service, len(f.Services))
	var about []string
	for i := range f.Services {
		s, err := k.service(f, i)
		if err != nil {
			return err
		}
		list[i] = s
		about = append(about, s.about()...)
	}
	if err := checkImports(f, list); err != nil {
		return err
	}
	g := k.newFile(f, "services", about...)
	if k.usesDeprecated(list) {
		g.P("//lint:file-ignore SA1019 What is deprecated is still part of the API.")
		g.P()
	}
	locals := newServiceLocals(g, list)
	for _, s := range list {
		w := &serviceWriter{GeneratedFile: g, service: s, local: locals}
		w.write()
	}
	return nil
}

// service is a service with its Go names.
type service struct {
	*protogen.Service
	api     *api.Service
	kit     *kit
	file    *file
	methods []*serviceMethod
	routes  bool // the gateway's code has a function that registers routes for it

	server, create, funcs string // identifiers of the kit
}

// serviceMethod is a method with its Go names.
type serviceMethod struct {
	*protogen.Method
	api *api.Method

	name  string // of the interface's method
	field string // of the function that stands for it
}

// service claims the identifiers of the i-th service of a file.
func (k *kit) service(f *file, i int) (*service, error) {
	s := &service{Service: f.Services[i], api: f.api.Services[i], kit: k, file: f}
	methods := newMethodNames()
	for j, m := range s.Methods {
		method := &serviceMethod{Method: m, api: s.api.Methods[j]}
		method.name = methods.claim(m.GoName)
		s.methods = append(s.methods, method)
	}
	for _, m := range s.methods { // a field of the struct must not be named as a method of it
		m.field = methods.claim(m.name + "Func")
	}
	s.server = k.names.claim(s.GoName + "Server")
	s.create = k.names.claim("New" + strings.TrimSuffix(s.GoName, "Service") + "Service")
	s.funcs = k.names.claim(s.GoName + "Funcs")
	if k.gateway {
		s.routes = hasRoutes(s.api)
		if err := k.checkGateway(s); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// newMethodNames are the names in a type's methods and fields. Those whose
// signature go vet knows are taken.
func newMethodNames() *names {
	n := newNames()
	for _, name := range []string{
		"GobDecode", "GobEncode", "MarshalJSON", "MarshalXML", "ReadByte", "ReadRune",
		"UnmarshalJSON", "UnmarshalXML", "UnreadByte", "UnreadRune", "WriteByte",
	} {
		n.taken[name] = true
	}
	return n
}

// hasRoutes tells whether protoc-gen-grpc-gateway makes a handler of a service: if
// a method of it has a path.
func hasRoutes(s *api.Service) bool {
	return slices.ContainsFunc(s.Methods, func(m *api.Method) bool {
		return slices.ContainsFunc(m.Routes, func(r api.Route) bool { return r.Path != "" })
	})
}

// checkGateway reports a service for which there cannot be a gateway: the code
// that the kit would refer to does not compile, since two of its declarations have
// one name.
func (k *kit) checkGateway(s *service) error {
	const advice = "so that their code does not compile: rename one of them, or leave the option http=gateway out"
	for _, other := range k.services {
		if other.GoName == s.GoName && (other.routes || s.routes) {
			return &api.Error{Pos: s.api.Pos(), Message: fmt.Sprintf(
				"protoc-gen-go-grpc and protoc-gen-grpc-gateway call both %s and %s (%s) %s, %s",
				s.api.FullName, other.api.FullName, other.api.Pos(), s.GoName, advice)}
		}
	}
	k.services = append(k.services, s)
	if !s.routes {
		return nil
	}
	seen := make(map[string]*serviceMethod)
	for _, m := range s.methods {
		if other := seen[m.GoName]; other != nil {
			return &api.Error{Pos: m.api.Pos(), Message: fmt.Sprintf(
				"protoc-gen-go-grpc and protoc-gen-grpc-gateway call both %s and %s (%s) %s, %s",
				m.api.FullName(), other.api.FullName(), other.api.Pos(), m.GoName, advice)}
		}
		seen[m.GoName] = m
	}
	return nil
}

// about is what the package's documentation says of the service: how to run it.
func (s *service) about() []string {
	lines := []string{"", "# " + s.GoName, ""}
	lines = append(lines, wrapDoc("An implementation of "+s.server+", of all its methods or of some with "+s.funcs+
		" embedded, becomes a running server:")...)
	call := fmt.Sprintf(`err := serve.Run(ctx, serve.Config{GRPC: []string{"localhost:50051"}}, %s.%s(impl))`, s.kit.name, s.create)
	return append(lines, "", "\t"+call)
}

// serviceImports are the packages that the code of services imports, each once.
func serviceImports(list []*service) []protogen.GoImportPath {
	imports := []protogen.GoImportPath{list[0].file.GoImportPath, servePackage, grpcPackage}
	add := func(more ...protogen.GoImportPath) {
		for _, path := range more {
			if !slices.Contains(imports, path) {
				imports = append(imports, path)
			}
		}
	}
	for _, s := range list {
		for _, m := range s.methods {
			add(contextPackage, grpcCodesPackage, grpcStatusPackage, m.Input.GoIdent.GoImportPath, m.Output.GoIdent.GoImportPath)
			if m.Desc.IsStreamingClient() {
				add(iterPackage)
			}
		}
	}
	return imports
}

// checkImports reports a package that no file can import by the name that protogen
// gives it.
func checkImports(f *file, list []*service) error {
	for _, path := range serviceImports(list) {
		if importName(path) == "init" {
			return &api.Error{Pos: f.api.Pos(), Message: fmt.Sprintf(
				"the kit has to import the Go package %s, and Go allows no import to be named init: "+
					"give it a go_package whose last element is another", path)}
		}
	}
	return nil
}

// usesDeprecated tells whether the code of services names anything of other
// packages that is deprecated, which linters would complain about.
func (k *kit) usesDeprecated(list []*service) bool {
	for _, s := range list {
		for _, m := range s.methods {
			if saysDeprecated(m.api.Input) || saysDeprecated(m.api.Output) {
				return true
			}
		}
	}
	imports := serviceImports(list)
	return slices.ContainsFunc(k.gen.Files, func(f *protogen.File) bool {
		return slices.Contains(imports, f.GoImportPath) && k.model.File(f.Desc.Path()).Options().Deprecated()
	})
}
