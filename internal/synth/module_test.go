package synth

import (
	"bytes"
	"io"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
)

func TestModuleIsValid(t *testing.T) {
	req := Module(60)
	checkRequest(t, 0, req)
	if n := len(req.FileToGenerate); n != 60 {
		t.Errorf("%d files to generate", n)
	}
	if n := len(req.SourceFileDescriptors); n != 60 {
		t.Errorf("%d source files", n)
	}
}

// TestModuleHasItsShape guards what makes a benchmark of the module mean
// something: the size of a file and what is in it.
func TestModuleHasItsShape(t *testing.T) {
	const files = 100
	var size counter
	if err := WriteModule(&size, files); err != nil {
		t.Fatal(err)
	}
	if n := int(size) / files; n < 18000 || n > 23000 {
		t.Errorf("%d bytes a file", n)
	}
	count := map[string]int{}
	for i := range files {
		countElements(count, moduleFile(i))
	}
	for name, want := range map[string][2]int{
		"message": {8, 12}, "field": {35, 90}, "enum": {2, 2}, "method": {5, 5}, "route": {5, 5}, "map": {0, 2}, "oneof": {1, 1}, "import": {4, 5},
		"comment": {40, 100}, "location": {250, 600},
	} {
		if n := float64(count[name]) / files; n < float64(want[0]) || n > float64(want[1]) {
			t.Errorf("%.1f of %s a file, want %v", n, name, want)
		}
	}
	t.Log(count)
}

func countElements(count map[string]int, f *descriptorpb.FileDescriptorProto) {
	var message func(m *descriptorpb.DescriptorProto)
	message = func(m *descriptorpb.DescriptorProto) {
		if m.GetOptions().GetMapEntry() {
			count["map"]++
			return
		}
		count["message"]++
		count["field"] += len(m.Field)
		count["oneof"] += len(m.OneofDecl)
		for _, n := range m.NestedType {
			message(n)
		}
	}
	for _, m := range f.MessageType {
		message(m)
	}
	count["enum"] += len(f.EnumType)
	count["import"] += len(f.Dependency)
	for _, m := range f.Service[0].Method {
		count["method"]++
		if len(m.Options.ProtoReflect().GetUnknown()) > 0 {
			count["route"]++
		}
	}
	for _, loc := range f.SourceCodeInfo.Location {
		count["location"]++
		if loc.LeadingComments != nil {
			count["comment"]++
		}
	}
}

// TestModuleLocations checks that every path of the source info leads to an
// element, and that every element that is in the source has a location.
func TestModuleLocations(t *testing.T) {
	f := moduleFile(30)
	located := map[string]bool{}
	for _, loc := range f.SourceCodeInfo.Location {
		if n := len(loc.Span); n != 3 && n != 4 {
			t.Errorf("span %v of %v", loc.Span, loc.Path)
		}
		located[pathKey(loc.Path)] = true
	}
	visitElements(f, func(path []int32) {
		if !located[pathKey(path)] && !inMapEntry(f, path) {
			t.Errorf("no location for %v", path)
		}
	})
}

func pathKey(path []int32) string {
	b, err := proto.Marshal(&descriptorpb.SourceCodeInfo_Location{Path: path})
	if err != nil {
		panic(err)
	}
	return string(b)
}

func inMapEntry(f *descriptorpb.FileDescriptorProto, path []int32) bool {
	return len(path) >= 4 && path[0] == fileMessage && path[2] == messageNested &&
		f.MessageType[path[1]].NestedType[path[3]].GetOptions().GetMapEntry()
}

func TestModuleIsDeterministic(t *testing.T) {
	var a, b bytes.Buffer
	for _, w := range []io.Writer{&a, &b} {
		if err := WriteModule(w, 30); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Error("two modules of one size differ")
	}
}

func TestModuleNamesAreUnique(t *testing.T) {
	seen := map[string]bool{}
	for i := range 50000 {
		path := modulePath(i)
		if seen[path] {
			t.Fatalf("file %d: %s again", i, path)
		}
		seen[path] = true
	}
}

// counter counts what is written to it.
type counter int

func (c *counter) Write(b []byte) (int, error) {
	*c += counter(len(b))
	return len(b), nil
}
