package gogen

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/compiler/protogen"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/api"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/plugin"
)

// ServiceKit is what hand-written code has to know of a service's kit.
type ServiceKit struct {
	Service *api.Service
	Package GoPackage
	// Server is the interface that an implementation has, and Create the function
	// that makes a serve.Service of one.
	Server, Create string
	// Routes tells whether the kit brings HTTP routes of the service's own.
	Routes bool
	// Doc are the lines of a text about the service.
	Doc     []string
	Methods []KitMethod
}

// KitMethod is a method of the interface.
type KitMethod struct {
	Name string
	API  *api.Method
	// Doc are the lines of the method's doc comment, without comment markers.
	Doc           []string
	Input, Output GoType // message types; the Go types are pointers to them
}

// GoPackage is a package and how its clause names it.
type GoPackage struct{ Path, Name string }

// GoType is a type of a package.
type GoType struct {
	Package GoPackage
	Name    string
}

// ServiceKitOf tells what the kit of a service looks like, which Generate makes
// of the same request. The option config is ignored: it says nothing about
// services. The service has to be in one of the files to generate.
func ServiceKitOf(req *plugin.Request, fullName string) (*ServiceKit, error) {
	parameter, wanted := req.Parameter, req.FilesToGenerate
	model, err := api.Build(req)
	if err != nil {
		return nil, err
	}
	g := &generator{model: model}
	if err := g.open(withoutConfig(parameter), wanted); err != nil {
		return nil, err
	}
	i := slices.IndexFunc(g.features, func(f feature) bool { return f.name == "services" })
	if i < 0 {
		return nil, errors.New("the option features leaves services out, so that there is no kit to stand on: " +
			"add features=services")
	}
	var found *service
	g.features[i].generate = func(k *kit, f *file) error {
		for i := range f.Services {
			s, err := k.service(f, i)
			if err != nil {
				return err
			}
			if s.api.FullName == fullName {
				found = s
			}
		}
		return nil
	}
	if err := g.generate(); err != nil {
		return nil, err
	}
	if found == nil {
		return nil, fmt.Errorf("no file to generate declares the service %s", fullName)
	}
	return found.describe(), nil
}

// withoutConfig leaves the option config out of a parameter.
func withoutConfig(parameter string) string {
	isConfig := func(o string) bool { return strings.HasPrefix(o, "config=") }
	return strings.Join(slices.DeleteFunc(strings.Split(parameter, ","), isConfig), ",")
}

func (s *service) describe() *ServiceKit {
	description := &ServiceKit{
		Service: s.api,
		Package: GoPackage{string(s.kit.importPath), string(s.kit.name)},
		Server:  s.server,
		Create:  s.create,
		Routes:  s.routes,
		Doc:     docLines(descriptions(s.api.Comments)),
	}
	for _, m := range s.methods {
		description.Methods = append(description.Methods, KitMethod{
			Name: m.name, API: m.api, Doc: docLines(describedMethod(m)),
			Input: s.kit.goType(m.Input), Output: s.kit.goType(m.Output),
		})
	}
	return description
}

// docLines are the lines of paragraphs, with an empty one between two.
func docLines(paragraphs []string) []string {
	var lines []string
	for i, paragraph := range paragraphs {
		if i > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, wrapDoc(paragraph)...)
	}
	return lines
}

func (g *generator) goType(m *protogen.Message) GoType {
	f := g.gen.FilesByPath[m.Desc.ParentFile().Path()]
	return GoType{Package: GoPackage{string(f.GoImportPath), string(f.GoPackageName)}, Name: m.GoIdent.GoName}
}
