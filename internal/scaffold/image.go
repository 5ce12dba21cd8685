package scaffold

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/api"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/nearest"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/plugin"
)

// Field numbers of a buf image: a FileDescriptorSet (descriptor.proto) whose
// files may carry an extension of buf's (buf/alpha/image/v1/image.proto).
const (
	fieldOptions      protowire.Number = 8
	fieldGoPackage    protowire.Number = 11
	fieldBufExtension protowire.Number = 8042
	fieldIsImport     protowire.Number = 1
	fieldModuleInfo   protowire.Number = 2
	fieldModuleName   protowire.Number = 1
)

// image is a set of .proto files with all that they import, imports first.
type image struct {
	files  []*imageFile
	byPath map[string]*imageFile
}

// imageFile is one .proto file of an image.
type imageFile struct {
	desc     *descriptorpb.FileDescriptorProto // without source info
	raw      []byte
	imported bool   // only there because others import it
	module   string // of the buf schema registry; "" where the image does not say
}

func (f *imageFile) path() string { return f.desc.GetName() }

// openImage reads an image from a file, or from standard input if no file is
// named.
func openImage(name string, stdin io.Reader) (*image, error) {
	source := name
	var b []byte
	var err error
	if name == "" || name == "-" {
		source = "standard input"
		b, err = io.ReadAll(stdin)
	} else {
		b, err = readNamedFile("--image", name)
	}
	if err != nil {
		return nil, err
	}
	img, err := parseImage(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", source, err)
	}
	return img, nil
}

func parseImage(b []byte) (*image, error) {
	req, err := plugin.ReadImage(b)
	if err != nil {
		return nil, err
	}
	img := &image{byPath: make(map[string]*imageFile)}
	for _, f := range req.Files {
		if err := img.add(f); err != nil {
			return nil, err
		}
	}
	return img, img.checkImports()
}

// checkImports refuses an image that was made without imports.
func (img *image) checkImports() error {
	for _, f := range img.files {
		for _, name := range f.desc.GetDependency() {
			if img.byPath[name] == nil {
				return fmt.Errorf("the image has %s, but not %s, which it imports: %s", f.path(), name, plugin.ImageRemedy)
			}
		}
	}
	return nil
}

func (img *image) add(file plugin.File) error {
	f := &imageFile{desc: new(descriptorpb.FileDescriptorProto), raw: file.Descriptor}
	unmarshal := proto.UnmarshalOptions{AllowPartial: true, Resolver: (*protoregistry.Types)(nil)}
	if err := unmarshal.Unmarshal(file.Descriptor, f.desc); err != nil {
		return fmt.Errorf("the image has a broken descriptor of %s (%w): %s", file.Path, err, plugin.ImageRemedy)
	}
	f.desc.SourceCodeInfo = nil
	f.readExtension()
	img.files = append(img.files, f)
	img.byPath[f.path()] = f
	return nil
}

// readExtension takes what buf says about a file out of its unknown fields.
func (f *imageFile) readExtension() {
	for _, info := range bytesFields(f.desc.ProtoReflect().GetUnknown(), fieldBufExtension) {
		_ = api.EachField(info, func(num protowire.Number, typ protowire.Type, value []byte) error {
			if num == fieldIsImport && typ == protowire.VarintType {
				v, _ := protowire.ConsumeVarint(value)
				f.imported = v != 0
			}
			return nil
		})
		for _, module := range bytesFields(info, fieldModuleInfo) {
			for _, name := range bytesFields(module, fieldModuleName) {
				f.module = moduleName(name)
			}
		}
	}
}

// moduleName is the name as people write it: buf.build/acme/shop.
func moduleName(name []byte) string {
	var parts []string
	for num := protowire.Number(1); num <= 3; num++ { // remote, owner, repository
		for _, part := range bytesFields(name, num) {
			parts = append(parts, string(part))
		}
	}
	return strings.Join(parts, "/")
}

// bytesFields are the length-delimited values of a field in an encoded message,
// up to the first byte that is no message.
func bytesFields(message []byte, number protowire.Number) (values [][]byte) {
	_ = api.EachField(message, func(num protowire.Number, typ protowire.Type, value []byte) error {
		if num == number && typ == protowire.BytesType {
			values = append(values, value)
		}
		return nil
	})
	return values
}

// service finds a service by its full name. Without a name it is the only one
// of the image's own files.
func (img *image) service(name string) (*imageFile, *descriptorpb.ServiceDescriptorProto, error) {
	type found struct {
		file *imageFile
		desc *descriptorpb.ServiceDescriptorProto
	}
	all, own := make(map[string]found), []string{}
	for _, f := range img.files {
		for _, s := range f.desc.GetService() {
			full := fullName(f.desc.GetPackage(), s.GetName())
			all[full] = found{f, s}
			if !f.imported {
				own = append(own, full)
			}
		}
	}
	slices.Sort(own)
	if name == "" && len(own) == 1 {
		name = own[0]
	}
	s, ok := all[strings.TrimPrefix(name, ".")]
	switch {
	case ok:
		return s.file, s.desc, nil
	case len(own) == 0:
		return nil, nil, errors.New("the image declares no service: build it from the .proto file that does")
	case name == "":
		return nil, nil, usageError("the image has several services, so that --service has to name one: %s",
			strings.Join(own, ", "))
	}
	if meant := meantService(name, own); meant != "" {
		return nil, nil, usageError("the image has no service %q; did you mean %q? It has: %s",
			name, meant, strings.Join(own, ", "))
	}
	return nil, nil, usageError("the image has no service %q; it has: %s", name, strings.Join(own, ", "))
}

// meantService is what a wrong name probably means: a service whose name is
// close, in whatever package, or one whose full name is.
func meantService(wrong string, known []string) string {
	full := make(map[string]string)
	for _, name := range slices.Backward(known) {
		full[lastPart(name)] = name
	}
	if meant := nearest.Word(lastPart(wrong), slices.Collect(maps.Keys(full))); meant != "" {
		return full[meant]
	}
	return nearest.Word(wrong, known)
}

func lastPart(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

func fullName(pkg, name string) string {
	if pkg == "" {
		return name
	}
	return pkg + "." + name
}

// request is what buf would send a plugin for the Go package of one file: that
// package's files are to be generated, and the image's other files are there to
// be imported.
func (img *image) request(of *imageFile, parameter string, packageOf func(*imageFile) string) *plugin.Request {
	req := &plugin.Request{Parameter: parameter}
	wanted := importPath(packageOf(of))
	for _, f := range img.files {
		pkg := packageOf(f)
		if importPath(pkg) == wanted {
			req.FilesToGenerate = append(req.FilesToGenerate, f.path())
		}
		req.Files = append(req.Files, plugin.File{Path: f.path(), Descriptor: f.withGoPackage(pkg)})
	}
	return req
}

// withGoPackage is the encoded file with another go_package. A message that
// comes twice is merged, and the later value wins.
func (f *imageFile) withGoPackage(pkg string) []byte {
	if pkg == f.desc.GetOptions().GetGoPackage() {
		return f.raw
	}
	options := protowire.AppendString(protowire.AppendTag(nil, fieldGoPackage, protowire.BytesType), pkg)
	raw := protowire.AppendTag(slices.Clip(f.raw), fieldOptions, protowire.BytesType)
	return protowire.AppendBytes(raw, options)
}

// importPath is a go_package without the package name that may follow it.
func importPath(goPackage string) string {
	before, _, _ := strings.Cut(goPackage, ";")
	return path.Clean(before)
}
