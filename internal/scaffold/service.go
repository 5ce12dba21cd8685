package scaffold

import (
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/gogen"
)

// service is the service to implement.
type service struct {
	*gogen.ServiceKit
	// packages are the names of the Go packages that an implementation can come
	// across, by their paths: those of the API, the kit, and what handlers use.
	packages map[string]string
	// messages are the paths of the packages whose types RPCs take and return, now
	// or earlier.
	messages map[string]bool
}

func newService(kit *gogen.ServiceKit, img *image, packages *goPackages) *service {
	s := &service{ServiceKit: kit, packages: map[string]string{
		contextPackage:   "context",
		iterPackage:      "iter",
		servePackage:     "serve",
		kit.Package.Path: kit.Package.Name,
	}, messages: make(map[string]bool)}
	for _, f := range img.files {
		s.messages[importPath(packages.of(f))] = true
	}
	for _, m := range kit.Methods {
		for _, t := range []gogen.GoType{m.Input, m.Output} {
			s.packages[t.Package.Path] = t.Package.Name
			s.messages[t.Package.Path] = true
		}
	}
	return s
}
