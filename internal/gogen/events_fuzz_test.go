package gogen_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"
)

// FuzzNames makes requests whose names collide once they are Go names, and
// type-checks the kits: every identifier has to be there, once, and to be what its
// users take it for. The bytes decide on the names and on the shape.
func FuzzNames(f *testing.F) {
	f.Add([]byte(nil))
	for i := range 24 {
		seed := make([]byte, 400)
		for j := range seed {
			seed[j] = byte(j*(2*i+1) + i*i + j*j/7)
		}
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		req, options := drawRequest(&drawer{data: data})
		pb, err := tryProtocGenGo(req, options)
		if err != nil {
			t.Skip(err)
		}
		checkKits(t, req, options, pb)
	})
}

// checkKits makes the kits of a request and type-checks them beside the protobuf
// packages.
func checkKits(t *testing.T, req *pluginpb.CodeGeneratorRequest, options string, pb map[string]string) {
	t.Helper()
	checker := newChecker()
	if err := checker.add(pb); err != nil {
		t.Skip(err) // protoc-gen-go does not resolve all collisions
	}
	kits := generateKits(t, req, options)
	if err := checker.add(kits); err != nil {
		for _, name := range slices.Sorted(maps.Keys(kits)) {
			t.Logf("%s:\n%s", name, kits[name])
		}
		t.Fatal(err)
	}
	for name, text := range kits {
		if formatted, err := format.Source([]byte(text)); err != nil || string(formatted) != text {
			t.Errorf("%s is not formatted (%v):\n%s", name, err, text)
		}
	}
}

// drawer turns bytes into choices; without any it chooses the first.
type drawer struct {
	data  []byte
	words []string // of names; nil for the usual ones
	n     int      // names so far
}

func (d *drawer) below(n int) int {
	if len(d.data) == 0 {
		return 0
	}
	b := d.data[0]
	d.data = d.data[1:]
	return int(b) % n
}

// ugly are the words of names: those that kits use themselves, keywords,
// predeclared identifiers, and spellings that become one in camel case.
var ugly = strings.Fields(`event Event EVENT kind Kind Type type string String nil func Unset unset Handle Otherwise Emit emit
	Unknown unknown p e v k c em ctx err ok proto context fmt iter strconv errors time timestamppb Failed failed Payload Visitor
	Cases Emitter Option Parts Kinds Group New Parse KindOf Visit With Clock Errors _ __ a_b aB A_b AB a b build build_failed
	status Status id ID Id uuid Get Set Has Which case_ Descriptor Reset ProtoReflect Build any error append x1 _1 Error message V sink now parts`)

func (d *drawer) name() string {
	words := d.words
	if words == nil {
		words = ugly
	}
	name := words[d.below(len(words))]
	if d.below(3) == 1 {
		name += []string{"", "_"}[d.below(2)] + words[d.below(len(words))]
	}
	return name
}

// unique draws a name that is not taken.
func (d *drawer) unique(taken map[string]bool, ending string) string {
	name := d.name() + ending
	for taken[name] {
		d.n++
		name = fmt.Sprintf("%s%d", name, d.n)
	}
	taken[name] = true
	return name
}

// drawRequest makes a request of two files: the events and a package that they
// import.
func drawRequest(d *drawer) (*pluginpb.CodeGeneratorRequest, string) {
	options := "module=example.com/f"
	edition := d.below(3)
	if edition > 0 {
		options += ",default_api_level=" + []string{"API_OPEN", "API_HYBRID", "API_OPAQUE"}[d.below(3)]
	}
	other := drawFile(d, "other.proto", edition)
	taken := make(map[string]bool)
	for range 2 {
		drawPayload(d, other, taken)
	}
	main := drawFile(d, "main.proto", edition)
	if main.GetPackage() == other.GetPackage() {
		main.Package = proto.String(main.GetPackage() + "2")
	}
	main.Dependency = []string{"other.proto"}
	taken = make(map[string]bool)
	var payloads []string
	for range 1 + d.below(4) {
		payloads = append(payloads, "."+main.GetPackage()+"."+drawPayload(d, main, taken))
	}
	for _, m := range other.GetMessageType() {
		payloads = append(payloads, "."+other.GetPackage()+"."+m.GetName())
	}
	for range 1 + d.below(3) {
		drawOneofEvent(d, main, taken, payloads)
	}
	for range d.below(3) {
		drawEnumEvent(d, main, taken)
	}
	for range d.below(3) {
		drawCodes(d, main, taken)
	}
	for range d.below(3) {
		drawService(d, main, taken, payloads)
	}
	return &pluginpb.CodeGeneratorRequest{
		FileToGenerate: []string{"main.proto", "other.proto"},
		ProtoFile:      []*descriptorpb.FileDescriptorProto{other, main},
	}, options
}

func drawFile(d *drawer, name string, edition int) *descriptorpb.FileDescriptorProto {
	base := strings.Trim(d.name(), "_")
	if base == "" {
		base = "x"
	}
	f := &descriptorpb.FileDescriptorProto{
		Name:    proto.String(name),
		Package: proto.String("q" + strings.TrimSuffix(name, ".proto")),
		Options: &descriptorpb.FileOptions{
			GoPackage: proto.String("example.com/f/" + strings.TrimSuffix(name, ".proto") + "/" + base),
		},
		SourceCodeInfo: new(descriptorpb.SourceCodeInfo),
	}
	if edition > 0 {
		f.Syntax, f.Edition = proto.String("editions"), descriptorpb.Edition_EDITION_2023.Enum()
	}
	return f
}

// scalars are the types of fields that are not messages.
var scalars = []descriptorpb.FieldDescriptorProto_Type{
	descriptorpb.FieldDescriptorProto_TYPE_STRING, descriptorpb.FieldDescriptorProto_TYPE_STRING, descriptorpb.FieldDescriptorProto_TYPE_INT64,
	descriptorpb.FieldDescriptorProto_TYPE_BYTES, descriptorpb.FieldDescriptorProto_TYPE_BOOL, descriptorpb.FieldDescriptorProto_TYPE_DOUBLE,
}

func drawPayload(d *drawer, f *descriptorpb.FileDescriptorProto, taken map[string]bool) string {
	m := &descriptorpb.DescriptorProto{Name: proto.String(d.unique(taken, ""))}
	fields := make(map[string]bool)
	index := int32(len(f.GetMessageType()))
	for i := range 1 + d.below(6) {
		x := newField(d.unique(fields, ""), i+1)
		x.Type = scalars[d.below(len(scalars))].Enum()
		if d.below(5) == 1 {
			x.Label = descriptorpb.FieldDescriptorProto_LABEL_REPEATED.Enum()
		}
		m.Field = append(m.Field, x)
		if d.below(2) == 1 {
			comment := fmt.Sprintf("one of: %q, %q, %q, Failed, ", d.name(), d.name(), " - "+d.name())
			comment = strings.TrimSuffix(comment, ", ")
			f.SourceCodeInfo.Location = append(f.SourceCodeInfo.Location, &descriptorpb.SourceCodeInfo_Location{
				Path: []int32{4, index, 2, int32(i)}, Span: []int32{1, 1, 2}, TrailingComments: &comment,
			})
		}
	}
	f.MessageType = append(f.MessageType, m)
	return m.GetName()
}

func newField(name string, number int) *descriptorpb.FieldDescriptorProto {
	return &descriptorpb.FieldDescriptorProto{
		Name: &name, Number: proto.Int32(int32(number)), Label: descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum(),
	}
}

func drawOneofEvent(d *drawer, f *descriptorpb.FileDescriptorProto, taken map[string]bool, payloads []string) {
	m := &descriptorpb.DescriptorProto{Name: proto.String(d.unique(taken, "Event"))}
	fields := make(map[string]bool)
	m.OneofDecl = []*descriptorpb.OneofDescriptorProto{{Name: proto.String(d.unique(fields, ""))}}
	for i := range 2 + d.below(6) {
		x := newField(d.unique(fields, ""), i+1)
		x.OneofIndex = proto.Int32(0)
		if i < 2 || d.below(3) > 0 {
			x.Type = descriptorpb.FieldDescriptorProto_TYPE_MESSAGE.Enum()
			x.TypeName = proto.String(payloads[d.below(len(payloads))])
		} else {
			x.Type = scalars[d.below(len(scalars))].Enum()
		}
		m.Field = append(m.Field, x)
	}
	if d.below(2) == 1 {
		x := newField(d.unique(fields, "time_ms"), 100)
		x.Type = descriptorpb.FieldDescriptorProto_TYPE_INT64.Enum()
		m.Field = append(m.Field, x)
	}
	if d.below(3) == 1 { // nested in a message
		m = &descriptorpb.DescriptorProto{Name: proto.String(d.unique(taken, "")), NestedType: []*descriptorpb.DescriptorProto{m}}
	}
	f.MessageType = append(f.MessageType, m)
}

func drawEnumEvent(d *drawer, f *descriptorpb.FileDescriptorProto, taken map[string]bool) {
	name := d.unique(taken, "Event")
	enum := drawEnum(d, taken, "Type")
	x := newField("type", 1)
	x.Type = descriptorpb.FieldDescriptorProto_TYPE_ENUM.Enum()
	x.TypeName = proto.String("." + f.GetPackage() + "." + enum.GetName())
	f.EnumType = append(f.EnumType, enum)
	f.MessageType = append(f.MessageType, &descriptorpb.DescriptorProto{Name: &name, Field: []*descriptorpb.FieldDescriptorProto{x}})
}

// drawCodes draws an enum that is a table of codes by its name, sparse or dense.
func drawCodes(d *drawer, f *descriptorpb.FileDescriptorProto, taken map[string]bool) {
	enum := drawEnum(d, taken, "Code")
	step := int32(1 + d.below(200))
	for _, v := range enum.GetValue()[1:] { // the first value of an open enum is 0
		v.Number = proto.Int32((v.GetNumber() - int32(d.below(2))*4) * step)
	}
	seen := make(map[int32]bool)
	for _, v := range enum.GetValue() {
		if seen[v.GetNumber()] {
			enum.Options = &descriptorpb.EnumOptions{AllowAlias: proto.Bool(true)}
		}
		seen[v.GetNumber()] = true
	}
	f.EnumType = append(f.EnumType, enum)
}

// drawEnum draws an enum of two values or more, numbered from 0.
func drawEnum(d *drawer, taken map[string]bool, ending string) *descriptorpb.EnumDescriptorProto {
	enum := &descriptorpb.EnumDescriptorProto{Name: proto.String(d.unique(taken, ending))}
	prefix := []string{"", strings.ToUpper(enum.GetName()) + "_", "A_"}[d.below(3)]
	for i := range 2 + d.below(6) {
		enum.Value = append(enum.Value, &descriptorpb.EnumValueDescriptorProto{
			Name: proto.String(d.unique(taken, "")), Number: proto.Int32(int32(i)),
		})
		v := enum.Value[i]
		if renamed := prefix + v.GetName(); !taken[renamed] {
			taken[renamed] = true
			v.Name = &renamed
		}
	}
	return enum
}

// tryProtocGenGo is protocGenGo for a request that may be wrong.
func tryProtocGenGo(req *pluginpb.CodeGeneratorRequest, options string) (files map[string]string, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("protoc-gen-go: %v", r)
		}
	}()
	return makeWithProtocGenGo(req, options)
}

// checker type-checks packages that import each other and those of the
// protobuf module.
type checker struct {
	fset     *token.FileSet
	packages map[string]*types.Package
	compiled types.Importer
}

func newChecker() *checker {
	fset := token.NewFileSet()
	return &checker{
		fset:     fset,
		packages: make(map[string]*types.Package),
		compiled: importer.ForCompiler(fset, "gc", exportData),
	}
}

// exportData opens what the compiler wrote about a package.
func exportData(path string) (io.ReadCloser, error) {
	file, ok := exportFiles()[path]
	if !ok {
		return nil, fmt.Errorf("no export data for %q", path)
	}
	return os.Open(file)
}

// exportFiles are the files with the export data of all packages that generated
// code imports.
var exportFiles = sync.OnceValue(func() map[string]string {
	out, err := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Export", "context", "errors", "fmt", "iter", "reflect", "strconv",
		"sync", "time", "unsafe", "github.com/skaffoldgen/protoc-gen-skaffold/serve", "google.golang.org/protobuf/proto", "google.golang.org/protobuf/reflect/protoreflect",
		"google.golang.org/protobuf/runtime/protoimpl", "google.golang.org/protobuf/types/known/timestamppb").Output()
	if err != nil {
		panic(err)
	}
	files := make(map[string]string)
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct{ ImportPath, Export string }
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return files
		} else if err != nil {
			panic(err)
		}
		files[p.ImportPath] = p.Export
	}
})

// Import makes checker a types.Importer.
func (c *checker) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if p := c.packages[path]; p != nil {
		return p, nil
	}
	return c.compiled.Import(path)
}

// add checks packages, those of a folder being one. other sorts after main, which
// imports it.
func (c *checker) add(files map[string]string) error {
	folders := make(map[string][]*ast.File)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if strings.HasSuffix(name, "_protoopaque.pb.go") {
			continue // in place of the other one, under a build tag
		}
		parsed, err := parser.ParseFile(c.fset, name, files[name], parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		folder := path.Join("example.com/f", path.Dir(name))
		folders[folder] = append(folders[folder], parsed)
	}
	for _, folder := range slices.Backward(slices.Sorted(maps.Keys(folders))) {
		config := types.Config{Importer: c, GoVersion: "go1.23"}
		p, err := config.Check(folder, c.fset, folders[folder], nil)
		if err != nil {
			return fmt.Errorf("%s: %w", folder, err)
		}
		c.packages[folder] = p
	}
	return nil
}
