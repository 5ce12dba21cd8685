package plugin

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"google.golang.org/protobuf/encoding/protowire"
)

// Field numbers of google.protobuf.compiler.CodeGeneratorRequest (plugin.proto).
const (
	fieldFileToGenerate        protowire.Number = 1
	fieldParameter             protowire.Number = 2
	fieldCompilerVersion       protowire.Number = 3
	fieldProtoFile             protowire.Number = 15
	fieldSourceFileDescriptors protowire.Number = 17
)

// fieldFileName is the number of google.protobuf.FileDescriptorProto.name.
const fieldFileName protowire.Number = 1

// Request is a CodeGeneratorRequest whose files are still encoded, so that a
// plugin unmarshals only what it needs, and can do so in parallel.
type Request struct {
	// Parameter is the options string; protoc and buf have already joined
	// several options with commas.
	Parameter string
	// FilesToGenerate are the paths of the files that output is asked for, in
	// the order of the command line (protoc) or of buf's own walk.
	FilesToGenerate []string
	// Files are all files that the request carries, each once, imports before
	// their importers.
	Files []File
	// Warn tells the user of something that does not stop the plugin; nil where
	// nobody listens. protoc and buf show it as it comes.
	Warn func(message string)
}

// File is one encoded FileDescriptorProto.
type File struct {
	// Path is the name that other files import this one by.
	Path string
	// Descriptor is the encoded message. For a file to generate it is the copy
	// of source_file_descriptors where the request has one, since only that
	// copy keeps the options with source retention.
	Descriptor []byte
}

// ReadRequest reads an encoded CodeGeneratorRequest. It holds one copy of each
// file and drops the other while reading. Its errors are those that plugin.proto
// wants on standard error: the bytes are not a request.
func ReadRequest(r io.Reader) (*Request, error) {
	d := &requestReader{r: bufio.NewReaderSize(r, 1<<20), index: make(map[string]int)}
	for {
		err := d.field()
		if errors.Is(err, io.EOF) {
			return &d.req, nil
		}
		if err != nil {
			return nil, fmt.Errorf("cannot read the CodeGeneratorRequest on standard input: %w", err)
		}
	}
}

type requestReader struct {
	r     *bufio.Reader
	req   Request
	index map[string]int // path to position in req.Files
}

// field reads one field of the request. It returns io.EOF, unwrapped, at the
// end of the input and nowhere else.
func (d *requestReader) field() error {
	if _, err := d.r.Peek(1); err != nil {
		return err
	}
	tag, err := d.varint()
	if err != nil {
		return err
	}
	num, typ := protowire.DecodeTag(tag)
	if num < protowire.MinValidNumber {
		return fmt.Errorf("byte sequence is not a protobuf message (field number %d)", num)
	}
	switch num {
	case fieldFileToGenerate, fieldParameter, fieldCompilerVersion, fieldProtoFile, fieldSourceFileDescriptors:
		if typ != protowire.BytesType {
			return fmt.Errorf("field %d has wire type %d, want %d", num, typ, protowire.BytesType)
		}
	}
	return d.value(num, typ)
}

func (d *requestReader) value(num protowire.Number, typ protowire.Type) error {
	switch typ {
	case protowire.VarintType:
		_, err := d.varint()
		return err
	case protowire.Fixed32Type:
		return d.discard(num, 4)
	case protowire.Fixed64Type:
		return d.discard(num, 8)
	case protowire.BytesType:
		size, err := d.varint()
		if err != nil {
			return err
		}
		return d.bytesValue(num, size)
	default:
		return fmt.Errorf("field %d has wire type %d, which no CodeGeneratorRequest contains", num, typ)
	}
}

func (d *requestReader) bytesValue(num protowire.Number, size uint64) error {
	switch num {
	case fieldFileToGenerate, fieldParameter, fieldProtoFile, fieldSourceFileDescriptors:
	default:
		return d.discard(num, size)
	}
	b, err := d.bytes(num, size)
	if err != nil {
		return err
	}
	switch num {
	case fieldFileToGenerate:
		d.req.FilesToGenerate = append(d.req.FilesToGenerate, string(b))
		return nil
	case fieldParameter:
		d.req.Parameter = string(b)
		return nil
	default:
		return d.file(b, num == fieldSourceFileDescriptors)
	}
}

// file keeps an encoded file. A source copy takes the place of the other one.
func (d *requestReader) file(b []byte, source bool) error {
	path, err := filePath(b)
	if err != nil {
		return err
	}
	i, seen := d.index[path]
	switch {
	case !seen:
		d.index[path] = len(d.req.Files)
		d.req.Files = append(d.req.Files, File{Path: path, Descriptor: b})
	case source:
		d.req.Files[i].Descriptor = b
	default:
		return fmt.Errorf("file %q is contained twice", path)
	}
	return nil
}

// filePath finds the name in an encoded FileDescriptorProto.
func filePath(b []byte) (string, error) {
	for rest := b; len(rest) > 0; {
		num, typ, n := protowire.ConsumeTag(rest)
		if n < 0 {
			return "", fmt.Errorf("broken file descriptor: %w", protowire.ParseError(n))
		}
		rest = rest[n:]
		if num == fieldFileName && typ == protowire.BytesType {
			name, n := protowire.ConsumeBytes(rest)
			if n < 0 {
				return "", fmt.Errorf("broken file descriptor: %w", protowire.ParseError(n))
			}
			return string(name), nil
		}
		if n = protowire.ConsumeFieldValue(num, typ, rest); n < 0 {
			return "", fmt.Errorf("broken file descriptor: %w", protowire.ParseError(n))
		}
		rest = rest[n:]
	}
	return "", errors.New("a file descriptor has no name")
}

func (d *requestReader) varint() (uint64, error) {
	var buf [10]byte
	for i := range buf {
		c, err := d.r.ReadByte()
		if errors.Is(err, io.EOF) {
			return 0, errors.New("truncated: the input ends inside a number")
		}
		if err != nil {
			return 0, err
		}
		buf[i] = c
		if c < 0x80 {
			v, n := protowire.ConsumeVarint(buf[:i+1])
			if n < 0 {
				return 0, protowire.ParseError(n)
			}
			return v, nil
		}
	}
	return 0, errors.New("byte sequence is not a protobuf message (a number has more than 10 bytes)")
}

// trusted is how much is allocated on the word of a length prefix alone; more
// has to arrive first, so that a few forged bytes cannot exhaust memory.
const trusted = 1 << 20

func (d *requestReader) bytes(num protowire.Number, size uint64) ([]byte, error) {
	b := make([]byte, min(size, trusted))
	n, err := io.ReadFull(d.r, b)
	for err == nil && uint64(n) < size {
		more := min(size-uint64(n), uint64(n))
		b = append(b, make([]byte, more)...)
		var m int
		m, err = io.ReadFull(d.r, b[n:])
		n += m
	}
	return b[:n], truncated(err, num, size, uint64(n))
}

func (d *requestReader) discard(num protowire.Number, size uint64) error {
	const chunk = 1 << 30 // io.CopyN takes an int64, a length prefix may be larger
	for left := size; left > 0; {
		n, err := io.CopyN(io.Discard, d.r, int64(min(left, chunk)))
		left -= uint64(n)
		if err != nil {
			return truncated(err, num, size, size-left)
		}
	}
	return nil
}

func truncated(err error, num protowire.Number, want, got uint64) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("truncated: field %d should have %d bytes, the input ends after %d", num, want, got)
	}
	return err
}
