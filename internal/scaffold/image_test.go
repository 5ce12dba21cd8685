package scaffold

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
)

// testFile is a file of an image.
func testFile(path, pkg, goPackage string) *imageFile {
	return &imageFile{desc: &descriptorpb.FileDescriptorProto{
		Name: &path, Package: &pkg, Options: &descriptorpb.FileOptions{GoPackage: &goPackage},
	}}
}

func TestImageErrors(t *testing.T) {
	valid := testImage(t, "a.proto")
	for name, test := range map[string]struct{ image, want string }{
		"empty":      {"", "the image is empty"},
		"space":      {" \n", "the image is empty"},
		"JSON":       {`{"file": []}`, "the image is JSON, and it has to be binary: give buf build an output such as `-o -`"},
		"gzip":       {"\x1f\x8b\x08\x00", "the image is compressed"},
		"zstd":       {"\x28\xb5\x2f\xfd", "the image is compressed"},
		"text":       {"syntax = \"proto3\";\n", "this is not an image"},
		"cut off":    {valid[:len(valid)-3], "this is not an image, or one that is cut off"},
		"no files":   {"\x10\x01", "this is not an image, or one without files"},
		"no name":    {"\x0a\x00", "this is not an image"},
		"wrong type": {"\x08\x01", "this is not an image"},
		"twice":      {valid + valid, "the image has a.proto twice"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := parseImage([]byte(test.image)); err == nil || !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("error %v, want %s", err, test.want)
			}
		})
	}
}

func testImage(t *testing.T, paths ...string) string {
	t.Helper()
	set := new(descriptorpb.FileDescriptorSet)
	for _, path := range paths {
		set.File = append(set.File, &descriptorpb.FileDescriptorProto{Name: proto.String(path), Syntax: proto.String("proto3")})
	}
	b, err := proto.Marshal(set)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// What buf says about a file in its extension.
func TestBufExtension(t *testing.T) {
	bytes := func(b []byte, num protowire.Number, value []byte) []byte {
		return protowire.AppendBytes(protowire.AppendTag(b, num, protowire.BytesType), value)
	}
	var name []byte
	for i, part := range []string{"buf.build", "acme", "shop"} {
		name = bytes(name, protowire.Number(i+1), []byte(part))
	}
	info := protowire.AppendVarint(protowire.AppendTag(nil, fieldIsImport, protowire.VarintType), 1)
	info = bytes(info, fieldModuleInfo, bytes(nil, fieldModuleName, name))
	raw := bytes([]byte("\x0a\x01a"), fieldBufExtension, info)
	img, err := parseImage(bytes(nil, 1, raw))
	if err != nil {
		t.Fatal(err)
	}
	if f := img.files[0]; !f.imported || f.module != "buf.build/acme/shop" {
		t.Errorf("imported %v, of module %q", f.imported, f.module)
	}
}

// The go_package of a file is replaced in the encoded file, all else is kept.
func TestWithGoPackage(t *testing.T) {
	desc := &descriptorpb.FileDescriptorProto{
		Name:    proto.String("a.proto"),
		Options: &descriptorpb.FileOptions{GoPackage: proto.String("old"), JavaPackage: proto.String("java")},
	}
	raw, err := proto.Marshal(desc)
	if err != nil {
		t.Fatal(err)
	}
	f := &imageFile{desc: desc, raw: raw}
	got := new(descriptorpb.FileDescriptorProto)
	if err := proto.Unmarshal(f.withGoPackage("example.com/new;n"), got); err != nil {
		t.Fatal(err)
	}
	if got.GetOptions().GetGoPackage() != "example.com/new;n" || got.GetOptions().GetJavaPackage() != "java" || got.GetName() != "a.proto" {
		t.Errorf("the file is %v", got)
	}
}

func FuzzImage(f *testing.F) {
	f.Add([]byte("\x0a\x03\x0a\x01a"))
	f.Add([]byte("\x0a\x08\x0a\x01a\xd2\xf6\x03\x02\x08\x01"))
	f.Fuzz(func(t *testing.T, b []byte) {
		img, err := parseImage(b)
		if err == nil {
			_, _, _ = img.service("a.B")
		}
	})
}
