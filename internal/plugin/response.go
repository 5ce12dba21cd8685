package plugin

import (
	"bufio"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"
)

// Field numbers of google.protobuf.compiler.CodeGeneratorResponse (plugin.proto).
const (
	fieldError             protowire.Number = 1
	fieldSupportedFeatures protowire.Number = 2
	fieldMinimumEdition    protowire.Number = 3
	fieldMaximumEdition    protowire.Number = 4
	fieldResponseFile      protowire.Number = 15

	fieldOutputName    protowire.Number = 1
	fieldOutputContent protowire.Number = 15
)

// What a plugin of this project declares to be able to read.
const (
	supportedFeatures = uint64(pluginpb.CodeGeneratorResponse_FEATURE_PROTO3_OPTIONAL |
		pluginpb.CodeGeneratorResponse_FEATURE_SUPPORTS_EDITIONS)
	minimumEdition = descriptorpb.Edition_EDITION_PROTO2
	maximumEdition = descriptorpb.Edition_EDITION_2024
)

// Output is one generated file.
type Output struct {
	// Name is the path below the output folder, with forward slashes.
	Name string
	// Content is the file's text, in pieces that are written one after the
	// other: a large page need not be copied together first.
	Content [][]byte
}

// Size is the number of bytes of the file.
func (o Output) Size() int {
	n := 0
	for _, piece := range o.Content {
		n += len(piece)
	}
	return n
}

// maxMessageSize is the largest message that protobuf implementations take.
const maxMessageSize = 1<<31 - 1

// checkOutputs refuses what protoc or buf would refuse without saying why, or
// would write outside the output folder. It sorts the files by name, so that a
// response does not depend on the order in which they were made.
func checkOutputs(files []Output) error {
	slices.SortFunc(files, func(a, b Output) int { return strings.Compare(a.Name, b.Name) })
	size := 0
	for i, f := range files {
		if err := CheckOutputName(f.Name); err != nil {
			return err
		}
		if i > 0 && files[i-1].Name == f.Name {
			return fmt.Errorf("output file %q would be written twice", f.Name)
		}
		if size += f.Size(); size > maxMessageSize {
			return fmt.Errorf("the output is larger than the 2 GiB that a response can carry (at %q): generate fewer files at once", f.Name)
		}
	}
	return nil
}

// CheckOutputName reports why name cannot be a file below the output folder.
func CheckOutputName(name string) error {
	switch {
	case name == "" || name == ".":
		return fmt.Errorf("output file name %q is empty: name a file", name)
	case strings.HasSuffix(name, "/"):
		return fmt.Errorf("output file name %q is a folder: name a file in it", name)
	case strings.Contains(name, `\`):
		return fmt.Errorf("output file name %q has a backslash: use forward slashes", name)
	case strings.ContainsAny(name, "\x00\n\r"):
		return fmt.Errorf("output file name %q has a control character: leave it out", name)
	case path.IsAbs(name), len(name) > 1 && name[1] == ':':
		return fmt.Errorf("output file name %q is absolute: it has to be relative to the output folder", name)
	case name == "..", strings.HasPrefix(path.Clean(name), "../"):
		return fmt.Errorf("output file name %q leaves the output folder: write it without '..'", name)
	case path.Clean(name) != name:
		return fmt.Errorf("output file name %q is not clean: write %q", name, path.Clean(name))
	}
	return nil
}

// writeResponse encodes a response. With a non-empty message it carries that
// error and no file.
func writeResponse(w io.Writer, message string, files []Output) error {
	out := bufio.NewWriterSize(w, 1<<16)
	var head []byte
	if message != "" {
		head = protowire.AppendTag(head, fieldError, protowire.BytesType)
		head = protowire.AppendString(head, strings.ToValidUTF8(message, "\uFFFD"))
		files = nil
	}
	head = appendVarintField(head, fieldSupportedFeatures, supportedFeatures)
	head = appendVarintField(head, fieldMinimumEdition, uint64(minimumEdition))
	head = appendVarintField(head, fieldMaximumEdition, uint64(maximumEdition))
	if _, err := out.Write(head); err != nil {
		return err
	}
	for _, f := range files {
		if err := writeOutput(out, f); err != nil {
			return err
		}
	}
	return out.Flush()
}

func writeOutput(w io.Writer, f Output) error {
	size := f.Size()
	var name []byte
	name = protowire.AppendTag(name, fieldOutputName, protowire.BytesType)
	name = protowire.AppendString(name, f.Name)
	name = protowire.AppendTag(name, fieldOutputContent, protowire.BytesType)
	name = protowire.AppendVarint(name, uint64(size))

	var head []byte
	head = protowire.AppendTag(head, fieldResponseFile, protowire.BytesType)
	head = protowire.AppendVarint(head, uint64(len(name)+size))
	if _, err := w.Write(append(head, name...)); err != nil {
		return err
	}
	for _, piece := range f.Content {
		if _, err := w.Write(piece); err != nil {
			return err
		}
	}
	return nil
}

func appendVarintField(b []byte, num protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, num, protowire.VarintType), v)
}
