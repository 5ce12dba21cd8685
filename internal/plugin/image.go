package plugin

import (
	"bytes"
	"errors"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
)

// fieldImageFile is the number of google.protobuf.FileDescriptorSet.file, which a
// buf image has too.
const fieldImageFile protowire.Number = 1

// ImageRemedy says how to make an image, for errors about what is none.
const ImageRemedy = "make one with `buf build -o -`, or with `protoc --descriptor_set_out=FILE --include_imports --include_source_info`"

// ReadImage reads an image, which is a FileDescriptorSet, as a request for all of
// its files.
func ReadImage(b []byte) (*Request, error) {
	if err := checkImage(b); err != nil {
		return nil, err
	}
	req := new(Request)
	seen := make(map[string]bool)
	for len(b) > 0 {
		num, typ, n := protowire.ConsumeTag(b)
		if n < 0 || num == fieldImageFile && typ != protowire.BytesType {
			return nil, errors.New("this is not an image: " + ImageRemedy)
		}
		size := protowire.ConsumeFieldValue(num, typ, b[n:])
		if size < 0 {
			return nil, fmt.Errorf("this is not an image, or one that is cut off (%w): %s", protowire.ParseError(size), ImageRemedy)
		}
		if num == fieldImageFile {
			raw, _ := protowire.ConsumeBytes(b[n:])
			path, err := filePath(raw)
			switch {
			case err != nil || path == "":
				return nil, errors.New("this is not an image: " + ImageRemedy)
			case seen[path]:
				return nil, fmt.Errorf("the image has %s twice: %s", path, ImageRemedy)
			}
			seen[path] = true
			req.Files = append(req.Files, File{Path: path, Descriptor: raw})
			req.FilesToGenerate = append(req.FilesToGenerate, path)
		}
		b = b[n+size:]
	}
	if len(req.Files) == 0 {
		return nil, errors.New("this is not an image, or one without files: " + ImageRemedy)
	}
	return req, nil
}

// checkImage tells what people take for an image.
func checkImage(b []byte) error {
	text := bytes.TrimLeft(b, " \t\r\n\ufeff")
	switch {
	case len(text) == 0:
		return errors.New("the image is empty, so that the command before this one has probably failed: " + ImageRemedy)
	case text[0] == '{':
		return errors.New("the image is JSON, and it has to be binary: give buf build an output such as `-o -` or `-o image.binpb`, without #format=json")
	case bytes.HasPrefix(b, []byte{0x1f, 0x8b}), bytes.HasPrefix(b, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		return errors.New("the image is compressed: give buf build an output such as `-o -` or `-o image.binpb`, without .gz or .zst")
	}
	return nil
}
