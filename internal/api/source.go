package api

import (
	"fmt"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
)

// Field numbers of descriptor.proto that a source path is made of.
const (
	pathFilePackage   = 2
	pathFileImport    = 3
	pathFileMessage   = 4
	pathFileEnum      = 5
	pathFileService   = 6
	pathFileExtension = 7
	pathFileSyntax    = 12
	pathFileEdition   = 14 // protoc's; buf records an edition under syntax

	pathMessageField     = 2
	pathMessageNested    = 3
	pathMessageEnum      = 4
	pathMessageExtension = 6
	pathMessageOneof     = 8

	pathEnumValue     = 2
	pathServiceMethod = 2
)

// Field numbers of SourceCodeInfo and SourceCodeInfo.Location.
const (
	fieldLocation protowire.Number = 1

	fieldPath     protowire.Number = 1
	fieldSpan     protowire.Number = 2
	fieldLeading  protowire.Number = 3
	fieldTrailing protowire.Number = 4
	fieldDetached protowire.Number = 6
)

// location is a SourceCodeInfo.Location whose strings are not copied yet.
type location struct {
	path, span        []int32
	leading, trailing []byte
	detached          [][]byte
}

func (l *location) commented() bool {
	return len(l.leading) > 0 || len(l.trailing) > 0 || len(l.detached) > 0
}

// attachSource gives the declarations of f their comments and positions.
//
// Source info is more than half of a request, and almost all of it tells where
// single words stand. Decoding it field by field, and keeping only what belongs
// to a declaration, takes a small part of the time and the memory of
// unmarshalling it.
func (f *File) attachSource(info []byte) error {
	var loc location
	for len(info) > 0 {
		num, typ, n := protowire.ConsumeTag(info)
		if n < 0 {
			return fmt.Errorf("%s: broken source info: %w", f.Path, protowire.ParseError(n))
		}
		info = info[n:]
		if num != fieldLocation || typ != protowire.BytesType {
			if n = protowire.ConsumeFieldValue(num, typ, info); n < 0 {
				return fmt.Errorf("%s: broken source info: %w", f.Path, protowire.ParseError(n))
			}
			info = info[n:]
			continue
		}
		b, n := protowire.ConsumeBytes(info)
		if n < 0 {
			return fmt.Errorf("%s: broken source info: %w", f.Path, protowire.ParseError(n))
		}
		info = info[n:]
		if err := loc.decode(b); err != nil {
			return fmt.Errorf("%s: broken source info: %w", f.Path, err)
		}
		if err := f.attach(&loc); err != nil {
			return err
		}
	}
	return nil
}

func (l *location) decode(b []byte) error {
	*l = location{path: l.path[:0], span: l.span[:0], detached: l.detached[:0]}
	for len(b) > 0 {
		num, typ, n := protowire.ConsumeTag(b)
		if n < 0 {
			return protowire.ParseError(n)
		}
		b = b[n:]
		var err error
		switch num {
		case fieldPath:
			l.path, n, err = consumeInts(l.path, typ, b)
		case fieldSpan:
			l.span, n, err = consumeInts(l.span, typ, b)
		case fieldLeading:
			l.leading, n = protowire.ConsumeBytes(b)
		case fieldTrailing:
			l.trailing, n = protowire.ConsumeBytes(b)
		case fieldDetached:
			var text []byte
			text, n = protowire.ConsumeBytes(b)
			l.detached = append(l.detached, text)
		default:
			n = protowire.ConsumeFieldValue(num, typ, b)
		}
		if err != nil {
			return err
		}
		if n < 0 {
			return protowire.ParseError(n)
		}
		b = b[n:]
	}
	return nil
}

// consumeInts reads one element of a repeated int32, packed or not.
func consumeInts(list []int32, typ protowire.Type, b []byte) ([]int32, int, error) {
	if typ == protowire.VarintType {
		v, n := protowire.ConsumeVarint(b)
		return append(list, int32(v)), n, nil
	}
	packed, size := protowire.ConsumeBytes(b)
	if size < 0 {
		return list, size, nil
	}
	for len(packed) > 0 {
		v, n := protowire.ConsumeVarint(packed)
		if n < 0 {
			return list, 0, protowire.ParseError(n)
		}
		list = append(list, int32(v))
		packed = packed[n:]
	}
	return list, size, nil
}

// attach hands a location to the declaration that its path names, if any. Of
// several locations with one path the last that has a comment wins.
func (f *File) attach(l *location) error {
	d, comments := f.find(l.path)
	if d == nil {
		return nil
	}
	if d.line == 0 && len(l.span) >= 3 {
		d.line, d.column, d.endLine = l.span[0]+1, l.span[1]+1, l.span[0]+1
		if len(l.span) > 3 {
			d.endLine = l.span[2] + 1
		}
	}
	if !l.commented() {
		return nil
	}
	if err := l.checkText(f.Path); err != nil {
		return err
	}
	*comments = Comments{Leading: string(l.leading), Trailing: string(l.trailing)}
	for _, text := range l.detached {
		comments.Detached = append(comments.Detached, string(text))
	}
	return nil
}

func (l *location) checkText(path string) error {
	texts := append([][]byte{l.leading, l.trailing}, l.detached...)
	for _, text := range texts {
		if utf8.Valid(text) {
			continue
		}
		pos := Position{Path: path}
		if len(l.span) >= 2 {
			pos.Line, pos.Column = int(l.span[0])+1, int(l.span[1])+1
		}
		return errorAt(pos, "a comment of this declaration is not valid UTF-8 (%q): save the file as UTF-8", firstInvalid(text))
	}
	return nil
}

// firstInvalid is the first byte of text that is not part of a UTF-8 sequence,
// with a little of the text before it.
func firstInvalid(text []byte) []byte {
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && n == 1 {
			return text[max(0, i-12) : i+1]
		}
		i += n
	}
	return nil
}

// find returns the declaration at a source path and where its comments go. It
// returns nil for paths inside a declaration and for paths that lead nowhere.
func (f *File) find(path []int32) (*Decl, *Comments) {
	if len(path) == 1 {
		switch path[0] {
		case pathFileSyntax, pathFileEdition:
			return &f.Decl, &f.Comments
		case pathFilePackage:
			return &Decl{}, &f.PackageComments
		}
		return nil, nil
	}
	if len(path) < 2 || len(path)%2 != 0 {
		return nil, nil
	}
	d := f.findIn(path)
	if d == nil {
		return nil, nil
	}
	return d, &d.Comments
}

func (f *File) findIn(path []int32) *Decl {
	kind, i, rest := path[0], path[1], path[2:]
	switch kind {
	case pathFileImport:
		if d := at(f.imports, i); d != nil && len(rest) == 0 {
			return d
		}
	case pathFileMessage:
		if m := at(f.Messages, i); m != nil {
			return m.find(rest)
		}
	case pathFileEnum:
		if e := at(f.Enums, i); e != nil {
			return e.find(rest)
		}
	case pathFileService:
		if s := at(f.Services, i); s != nil {
			return s.find(rest)
		}
	case pathFileExtension:
		if x := at(f.Extensions, i); x != nil && len(rest) == 0 {
			return &x.Decl
		}
	}
	return nil
}

func (m *Message) find(path []int32) *Decl {
	if len(path) == 0 {
		return &m.Decl
	}
	kind, i, rest := path[0], path[1], path[2:]
	switch kind {
	case pathMessageNested:
		if n := at(m.Messages, i); n != nil {
			return n.find(rest)
		}
	case pathMessageEnum:
		if e := at(m.Enums, i); e != nil {
			return e.find(rest)
		}
	}
	if len(rest) > 0 {
		return nil
	}
	switch kind {
	case pathMessageField:
		if x := at(m.Fields, i); x != nil {
			return &x.Decl
		}
	case pathMessageExtension:
		if x := at(m.Extensions, i); x != nil {
			return &x.Decl
		}
	case pathMessageOneof:
		if o := at(m.Oneofs, i); o != nil {
			return &o.Decl
		}
	}
	return nil
}

func (e *Enum) find(path []int32) *Decl {
	if len(path) == 0 {
		return &e.Decl
	}
	if v := at(e.Values, path[1]); v != nil && len(path) == 2 && path[0] == pathEnumValue {
		return &v.Decl
	}
	return nil
}

func (s *Service) find(path []int32) *Decl {
	if len(path) == 0 {
		return &s.Decl
	}
	if m := at(s.Methods, path[1]); m != nil && len(path) == 2 && path[0] == pathServiceMethod {
		return &m.Decl
	}
	return nil
}

// at returns the element of list at i, or nil: a path may be any numbers.
func at[T any](list []*T, i int32) *T {
	if i < 0 || int(i) >= len(list) {
		return nil
	}
	return list[i]
}
