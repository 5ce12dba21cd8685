// Package gogen generates kits: Go packages that stand beside those of
// protoc-gen-go and make an API's events and codes usable as typed Go, and its
// services ready to run.
package gogen

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strings"

	"google.golang.org/protobuf/compiler/protogen"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/gofeaturespb"
	"google.golang.org/protobuf/types/pluginpb"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/api"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/config"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/plugin"
)

// feature is a part of a kit, in files of its own.
type feature struct {
	name string
	// generate writes what the feature makes of one .proto file; nothing if the
	// file has nothing for it.
	generate func(*kit, *file) error
	// finish, if there is one, is called after generate of all files.
	finish func(*generator) error
}

// features are in the order in which they claim identifiers.
var features = []feature{
	{name: "events", generate: generateEvents},
	{name: "codes", generate: planCodes, finish: writeCodes},
	{name: "services", generate: generateServices},
}

// Generate makes the kits that a request asks for.
func Generate(req *plugin.Request) ([]plugin.Output, error) {
	parameter, wanted := req.Parameter, req.FilesToGenerate
	model, err := api.Build(req)
	if err != nil {
		return nil, err
	}
	g := &generator{model: model}
	if err := g.open(parameter, wanted); err != nil {
		return nil, err
	}
	if err := g.generate(); err != nil {
		return nil, err
	}
	return g.outputs(parameter)
}

// generator makes the kits of one request.
type generator struct {
	model  *api.Model
	config *config.Config
	gen    *protogen.Plugin
	kits   map[protogen.GoImportPath]*kit
	files  []kitFile

	found eventsFound

	features []feature
	suffix   string
	gateway  bool // services have the routes of protoc-gen-grpc-gateway's code

	tables *codeTables // nil until they are asked for
}

// open reads the options and hands the model's descriptors to protogen, which
// decides on Go names and import paths as protoc-gen-go does.
func (g *generator) open(parameter string, wanted []string) error {
	req := &pluginpb.CodeGeneratorRequest{Parameter: proto.String(parameter), FileToGenerate: wanted}
	for _, f := range g.model.All {
		desc, err := withGoFeatures(f.Desc)
		if err != nil {
			return fmt.Errorf("%s: %w", f.Path, err)
		}
		req.ProtoFile = append(req.ProtoFile, desc)
	}
	var configPath string
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.Func("features", "", g.addFeature)
	g.suffix = "kit"
	flags.Func("package_suffix", "", g.setSuffix)
	flags.Func("http", "", g.setHTTP)
	flags.StringVar(&configPath, "config", "", "")
	gen, err := protogen.Options{ParamFunc: func(name, value string) error {
		if flags.Lookup(name) == nil {
			return fmt.Errorf("unknown option %q: the options are config, features, http, package_suffix, and those of protoc-gen-go: paths, module, M, default_api_level, apilevelM", name)
		}
		return flags.Set(name, value)
	}}.New(req)
	if err != nil {
		return err
	}
	g.gen = gen
	if len(g.features) == 0 {
		g.features = slices.Clone(features)
	}
	if g.gateway && !slices.ContainsFunc(g.features, func(f feature) bool { return f.name == "services" }) {
		return errors.New("option http=gateway is about services, which the option features leaves out: add features=services, or leave http out")
	}
	slices.SortFunc(g.features, func(a, b feature) int { return cmp.Compare(indexOf(a.name), indexOf(b.name)) })
	if configPath != "" {
		g.config, err = config.Load(configPath, g.model)
	} else {
		g.config = new(config.Config)
	}
	return err
}

// withGoFeatures returns a file whose options have Go's features decoded. The
// model leaves all extensions encoded, but protogen reads the API level from
// these. Only files of editions can have them.
func withGoFeatures(desc *descriptorpb.FileDescriptorProto) (*descriptorpb.FileDescriptorProto, error) {
	if desc.GetSyntax() != "editions" {
		return desc, nil
	}
	b, err := proto.MarshalOptions{AllowPartial: true}.Marshal(desc)
	if err != nil {
		return nil, err
	}
	types := new(protoregistry.Types)
	if err := types.RegisterExtension(gofeaturespb.E_Go); err != nil {
		return nil, err
	}
	decoded := new(descriptorpb.FileDescriptorProto)
	return decoded, proto.UnmarshalOptions{AllowPartial: true, Resolver: types}.Unmarshal(b, decoded)
}

// indexOf is the place of a feature among all; -1 if there is no such.
func indexOf(name string) int {
	return slices.IndexFunc(features, func(f feature) bool { return f.name == name })
}

// suffixSyntax is what a package clause and a folder can both end in. It leaves
// _test out, which the go command does not take for a package's name.
var suffixSyntax = regexp.MustCompile(`^[a-z][a-z0-9]*$`)

func (g *generator) setSuffix(suffix string) error {
	if !suffixSyntax.MatchString(suffix) {
		return fmt.Errorf("option package_suffix=%s: it has to be small letters and digits that begin with a letter, such as kit", suffix)
	}
	g.suffix = suffix
	return nil
}

func (g *generator) setHTTP(value string) error {
	if value != "gateway" {
		return fmt.Errorf("option http=%s: the values are gateway", value)
	}
	g.gateway = true
	return nil
}

func (g *generator) addFeature(name string) error {
	i := indexOf(name)
	if i < 0 {
		names := make([]string, len(features))
		for i, f := range features {
			names[i] = f.name
		}
		return fmt.Errorf("unknown feature %q: the features are %s", name, strings.Join(names, ", "))
	}
	if !slices.ContainsFunc(g.features, func(f feature) bool { return f.name == name }) {
		g.features = append(g.features, features[i])
	}
	return nil
}

// generate goes through the files in the order of their names, so that the
// identifiers of a kit do not depend on the order of the request.
func (g *generator) generate() error {
	g.kits = make(map[protogen.GoImportPath]*kit)
	files := slices.Clone(g.gen.Files)
	slices.SortFunc(files, func(a, b *protogen.File) int { return cmp.Compare(a.Desc.Path(), b.Desc.Path()) })
	var errs []error
	for _, gf := range files {
		if !gf.Generate {
			continue
		}
		f := &file{File: gf, api: g.model.File(gf.Desc.Path())}
		k := g.kit(gf)
		for _, feature := range g.features {
			errs = append(errs, feature.generate(k, f))
		}
	}
	for _, feature := range g.features {
		if feature.finish != nil {
			errs = append(errs, feature.finish(g))
		}
	}
	return errors.Join(errs...)
}

// kit returns the kit of the Go package that a file belongs to.
func (g *generator) kit(f *protogen.File) *kit {
	k := g.kits[f.GoImportPath]
	if k == nil {
		name := string(f.GoPackageName) + g.suffix
		k = &kit{
			generator:  g,
			name:       protogen.GoPackageName(name),
			importPath: protogen.GoImportPath(path.Join(string(f.GoImportPath), name)),
			names:      newNames(),
		}
		k.reserveImports(g.importsOf(f.GoImportPath))
		g.kits[f.GoImportPath] = k
	}
	return k
}

// importsOf are the Go packages that types of a Go package's files can come from.
func (g *generator) importsOf(goPackage protogen.GoImportPath) []protogen.GoImportPath {
	var list []protogen.GoImportPath
	seen := make(map[string]bool)
	var visit func(protoreflect.FileDescriptor)
	visit = func(f protoreflect.FileDescriptor) {
		if seen[f.Path()] {
			return
		}
		seen[f.Path()] = true
		if file := g.gen.FilesByPath[f.Path()]; file != nil {
			list = append(list, file.GoImportPath)
		}
		for i := range f.Imports().Len() {
			visit(f.Imports().Get(i).FileDescriptor)
		}
	}
	for _, f := range g.gen.Files {
		if f.Generate && f.GoImportPath == goPackage {
			visit(f.Desc)
		}
	}
	return list
}

// file is a .proto file in both models: protogen's knows Go names, api's the
// comments.
type file struct {
	*protogen.File
	api *api.File
}

// kit is one Go package.
type kit struct {
	*generator
	name       protogen.GoPackageName
	importPath protogen.GoImportPath
	names      *names
	services   []*service // so far, where their names matter to the gateway's code
}

// kitFile is a file of a kit, and its path by the Go package.
type kitFile struct {
	*protogen.GeneratedFile
	name string
}

// newFile starts a file of the kit, <proto file>_<part>.go, up to its package
// clause. The lines about it are its part of the package comment.
func (k *kit) newFile(f *file, part string, about ...string) *protogen.GeneratedFile {
	dir, base := path.Split(f.GeneratedFilenamePrefix)
	name := path.Join(dir, string(k.name), base+"_"+part+".go")
	g := k.gen.NewGeneratedFile(name, k.importPath)
	k.files = append(k.files, kitFile{g, name})
	g.P("// Code generated by protoc-gen-skaffold-go. DO NOT EDIT.")
	g.P("// source: ", f.Desc.Path())
	g.P()
	about = append(wrapDoc(fmt.Sprintf("Package %s has the %s of %s as typed Go, for users of package %s.", k.name, part, f.Desc.Path(), f.GoPackageName)), about...)
	for _, line := range about {
		g.P(strings.TrimRight("// "+line, " "))
	}
	g.P("package ", k.name)
	g.P()
	return g
}

// outputs takes the files over from protogen, which formats them. It does what
// protogen's Response does, for several files at a time.
func (g *generator) outputs(parameter string) ([]plugin.Output, error) {
	module := ""
	for option := range strings.SplitSeq(parameter, ",") {
		if value, ok := strings.CutPrefix(option, "module="); ok && value != "" {
			module = value + "/"
		}
	}
	out := make([]plugin.Output, len(g.files))
	return out, api.Parallel(len(out), func(i int) error {
		content, err := g.files[i].Content()
		if err != nil {
			return err
		}
		name, ok := strings.CutPrefix(g.files[i].name, module)
		if !ok {
			return fmt.Errorf("%s: the file is not below the option module=%s", g.files[i].name, strings.TrimSuffix(module, "/"))
		}
		out[i] = plugin.Output{Name: name, Content: [][]byte{content}}
		return nil
	})
}
