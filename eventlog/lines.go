package eventlog

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// defaultMaxLine bounds lines where Lines has no bound of its own.
const defaultMaxLine = 16 << 20

// Lines says how events are written as JSON Lines, one event a line, and read.
// ProtoLines has them for messages.
type Lines[E any] struct {
	// Encode makes the line of an event, without a newline in it or after it.
	// Nobody may change the line afterwards. It may be called by several
	// goroutines at a time.
	Encode func(E) ([]byte, error)
	// Decode reads such a line, which it must not keep. An error that tells
	// where in the line it is, as those of encoding/json and protojson do, gives
	// a LineError its column.
	Decode func([]byte) (E, error)
	// MaxLine bounds the length of a line in bytes; 0 or less means 16 MiB.
	MaxLine int
}

func (l Lines[E]) maxLine() int {
	if l.MaxLine <= 0 {
		return defaultMaxLine
	}
	return l.MaxLine
}

// Read yields the events of r, whose lines errors place in a file of that name.
// Blank lines are passed over.
//
// A line that is not an event is yielded as a *LineError, after which the loop
// may go on with the next line; one that is longer than MaxLine is a *LineError
// with a *TooLongError in it, and takes no memory beyond MaxLine. If the last
// line has no newline the loop ends with a *TornError: whoever wrote it did not
// finish, and what is there may not be all. An error of r itself ends the loop,
// too.
func (l Lines[E]) Read(name string, r io.Reader) iter.Seq2[E, error] {
	return func(yield func(E, error) bool) {
		var none E
		s := newLineScanner(name, r, l.maxLine())
		for s.next() {
			if s.blank() {
				continue
			}
			e, err := decodeLine(s, l.Decode)
			if !yield(e, err) {
				return
			}
		}
		if s.err != nil {
			yield(none, s.err)
		}
	}
}

// decodeLine decodes the line that a scanner stands at. Its error is a
// *LineError.
func decodeLine[E any](s *lineScanner, decode func([]byte) (E, error)) (e E, err error) {
	if err = s.tooLong(); err == nil {
		e, err = decode(s.line)
	}
	if err != nil {
		var none E
		return none, newLineError(s.name, s.number, s.line, err)
	}
	return e, nil
}

// LineError says that a line is not an event.
type LineError struct {
	Name   string // of the file
	Line   int    // from 1
	Column int    // in characters, from 1
	Err    error  // what is wrong
}

func (e *LineError) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.Name, e.Line, e.Column, place.ReplaceAllString(e.Err.Error(), ":"))
}

func (e *LineError) Unwrap() error { return e.Err }

// TooLongError says that a line is longer than it may be.
type TooLongError struct {
	Bytes int64 // its length
	Max   int   // Lines.MaxLine
}

func (e *TooLongError) Error() string {
	return fmt.Sprintf("the line has %d bytes, and at most %d are allowed", e.Bytes, e.Max)
}

// TornError says that the last line has no newline: its writing was not
// finished.
type TornError struct {
	Name   string // of the file
	Line   int    // from 1
	Column int    // always 1, where the torn line begins
	Offset int64  // of that in the file
	Bytes  int64  // of the torn line
}

func (e *TornError) Error() string {
	return fmt.Sprintf("%s:%d:%d: the last line is torn: it ends without a newline after %d bytes",
		e.Name, e.Line, e.Column, e.Bytes)
}

// place finds the position in errors of protojson, whose line is always 1 here.
var place = regexp.MustCompile(`:?[ \x{a0}]\(line 1:(\d+)\):`)

func newLineError(name string, number int, line []byte, err error) *LineError {
	e := &LineError{Name: name, Line: number, Column: 1, Err: err}
	var syntax *json.SyntaxError
	var mismatch *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		e.Column = column(line, syntax.Offset)
	case errors.As(err, &mismatch):
		e.Column = column(line, mismatch.Offset)
	case strings.HasSuffix(err.Error(), io.ErrUnexpectedEOF.Error()): // protojson's is another one
		e.Column = column(line, int64(len(line))) + 1
	default:
		if m := place.FindStringSubmatch(err.Error()); m != nil {
			e.Column, _ = strconv.Atoi(m[1]) // digits; too many of them leave the largest int
		}
	}
	return e
}

// column turns the number of bytes up to and with a character into its column.
func column(line []byte, offset int64) int {
	return max(1, utf8.RuneCount(line[:min(max(offset, 0), int64(len(line)))]))
}

// lineScanner reads lines of bounded length and counts.
type lineScanner struct {
	name string
	r    *bufio.Reader
	max  int

	line   []byte // the line, without its newline; no more than max and one of its bytes
	number int    // of the line, from 1
	offset int64  // of the line's first byte
	size   int64  // of the whole line with its newline
	err    error  // what ended the lines; nil at their regular end
}

func newLineScanner(name string, r io.Reader, maxLine int) *lineScanner {
	return &lineScanner{name: name, r: bufio.NewReaderSize(r, 64<<10), max: maxLine}
}

// next goes to the next line that has a newline. If there is none it returns
// false and sets err: to a *TornError if something else is there.
func (s *lineScanner) next() bool {
	s.offset += s.size
	s.number++
	s.line, s.size = s.line[:0], 0
	for {
		part, err := s.r.ReadSlice('\n')
		s.size += int64(len(part))
		if room := s.max + 2 - len(s.line); room > 0 {
			s.line = append(s.line, part[:min(room, len(part))]...)
		}
		switch {
		case err == nil:
			s.line = bytes.TrimSuffix(s.line, []byte("\n"))
			return true
		case err == bufio.ErrBufferFull:
		case err != io.EOF:
			s.err = fmt.Errorf("%s:%d:1: reading: %w", s.name, s.number, err)
			return false
		case s.size > 0:
			s.err = &TornError{Name: s.name, Line: s.number, Column: 1, Offset: s.offset, Bytes: s.size}
			return false
		default:
			return false
		}
	}
}

// tooLong is the error of the line if it is longer than it may be.
func (s *lineScanner) tooLong() error {
	if s.size-1 > int64(s.max) {
		return &TooLongError{Bytes: s.size - 1, Max: s.max}
	}
	return nil
}

func (s *lineScanner) blank() bool { return s.tooLong() == nil && len(bytes.TrimSpace(s.line)) == 0 }
