package scaffold

import (
	"errors"
	"fmt"
	"strings"

	"google.golang.org/protobuf/types/descriptorpb"
)

// goPackages knows the Go package of each file's generated code. As for the
// plugins, an M option goes first, then what managed mode sets, then the file's
// own go_package.
type goPackages struct {
	gen    *bufGen
	mapped map[string]string // by the path of the .proto file
}

// mappedPackages are the values of M options. Of several for a file the last
// counts.
func mappedPackages(parameters []string) map[string]string {
	mapped := make(map[string]string)
	for _, p := range parameters {
		if name, value, ok := strings.Cut(p, "="); ok && strings.HasPrefix(name, "M") {
			mapped[name[1:]] = value
		}
	}
	return mapped
}

// known is the go_package of a file; "" if nothing tells. An M option that gives
// only the import path leaves the package the name that go_package gives it.
func (p *goPackages) known(f *imageFile) string {
	own := p.gen.goPackage(f)
	pkg, ok := p.mapped[f.path()]
	if !ok {
		return own
	}
	if _, name, _ := strings.Cut(own, ";"); name != "" && !strings.Contains(pkg, ";") {
		pkg += ";" + name
	}
	return pkg
}

// of is the go_package of a file. One that nobody knows is made up: protogen
// wants a package for each file of an image, also for those that the service
// does not touch.
func (p *goPackages) of(f *imageFile) string {
	if pkg := p.known(f); pkg != "" {
		return pkg
	}
	return "unknown.invalid/" + f.path()
}

// check reports each file whose Go package the service's code needs, and nothing
// tells.
func (p *goPackages) check(img *image, file *imageFile, service *descriptorpb.ServiceDescriptorProto) error {
	declaredIn := make(map[string]*imageFile)
	for _, f := range img.files {
		for _, m := range f.desc.GetMessageType() {
			declare(declaredIn, f, "."+fullName(f.desc.GetPackage(), m.GetName()), m)
		}
	}
	needed := []*imageFile{file}
	for _, m := range service.GetMethod() {
		needed = append(needed, declaredIn[m.GetInputType()], declaredIn[m.GetOutputType()])
	}
	var errs []error
	seen := make(map[*imageFile]bool)
	for _, f := range needed {
		if f == nil || seen[f] || p.known(f) != "" {
			continue
		}
		seen[f] = true
		errs = append(errs, fmt.Errorf("%[1]s: nothing says which Go package its generated code is in: "+
			"add --opt M%[1]s=IMPORT/PATH, or name with --buf-gen the buf.gen.yaml "+
			"whose managed mode sets go_package for it", f.path()))
	}
	return errors.Join(errs...)
}

// declare notes where a message and those nested in it are declared.
func declare(in map[string]*imageFile, f *imageFile, name string, m *descriptorpb.DescriptorProto) {
	in[name] = f
	for _, nested := range m.GetNestedType() {
		declare(in, f, name+"."+nested.GetName(), nested)
	}
}
