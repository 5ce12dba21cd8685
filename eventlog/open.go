package eventlog

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
)

// Recovery tells what Open found in a journal.
type Recovery struct {
	// Events is the number of events that were read and applied.
	Events int
	// Torn is the last line, if its writing was not finished: Append had not
	// returned a number for it. It has been cut off.
	Torn *TornError
	// Lost has what could not be read, with Journal.Salvage: a *LineError for a
	// line, which has been emptied, and a *MissingError for events that are
	// missing before a file, for which empty lines have been written.
	Lost []error
	// Kept are the names of the copies of files that lines were taken out of.
	Kept []string
}

// MissingError says that a file of a journal does not begin with the event that
// comes after those of the file before.
type MissingError struct {
	Name string // of the file that begins too late, or too early
	Want Seq    // the event that would come next
	Have Seq    // the first event of that file, as its name says
}

func (e *MissingError) Error() string {
	if e.Have < e.Want {
		return fmt.Sprintf("%s: the file begins with event %d, but the files before it have all up to %d",
			e.Name, e.Have, e.Want-1)
	}
	return fmt.Sprintf("%s: the file begins with event %d, and events %d to %d are not in the files before it",
		e.Name, e.Have, e.Want, e.Have-1)
}

// Open makes a log with a journal. What the journal holds is appended to the
// log, with the numbers that it had and through Apply, before Open returns; the
// bounds of the log then decide what of it can be read. The log has to be closed.
//
// A torn last line, as a crash leaves it, is cut off and told in Recovery.
// Anything else that is wrong is an error: a line that is not an event (a
// *LineError), events that are missing between two files (a *MissingError), a
// journal that is in use (ErrInUse). A line of a journal that is blank is a lost
// event. If Apply panics, Open does.
func Open[E any](cfg Config[E], j Journal[E]) (*Log[E], *Recovery, error) {
	if j.Path == "" || j.Lines.Encode == nil || j.Lines.Decode == nil {
		return nil, nil, errors.New("eventlog: a journal needs a Path, and Lines with Encode and Decode")
	}
	l := New(cfg)
	l.encode = j.Lines.Encode
	l.journal = &journal{
		path:         j.Path,
		sync:         j.Sync,
		maxBytes:     j.MaxBytes,
		segmentBytes: max(1, j.MaxBytes/8),
		maxLine:      j.Lines.maxLine(),
		openFile:     j.openFile,
		next:         1,
	}
	if j.openFile == nil {
		l.journal.openFile = openFile
	}
	r := recovery[E]{log: l, journal: l.journal, decode: j.Lines.Decode, salvage: j.Salvage}
	if err := r.run(); err != nil {
		return nil, nil, fmt.Errorf("eventlog: opening journal %s: %w", j.Path, err)
	}
	return l, &r.report, nil
}

// recovery reads a journal into a log.
type recovery[E any] struct {
	log     *Log[E]
	journal *journal
	decode  func([]byte) (E, error)
	salvage bool
	report  Recovery
}

func (r *recovery[E]) run() (err error) {
	j := r.journal
	if j.lock, err = lockFile(j.path + ".lock"); err != nil {
		return err
	}
	opened := false
	defer func() { // also when Apply panics
		if !opened {
			err = errors.Join(err, j.lock.Close())
		}
	}()
	if j.segments, err = findSegments(j.path); err != nil {
		return err
	}
	for i := range j.segments {
		if err := r.follows(i); err != nil {
			return err
		}
		if err := r.segment(&j.segments[i], i == len(j.segments)-1); err != nil {
			return err
		}
	}
	if err := r.openLast(); err != nil {
		return err
	}
	opened = true
	return nil
}

// openLast opens the last segment for writing, and makes the first of all.
func (r *recovery[E]) openLast() (err error) {
	j := r.journal
	if len(j.segments) == 0 {
		j.segments = []segment{{name: segmentName(j.path, 1), first: 1}}
		j.file, err = j.create(j.segments[0].name)
		return err
	}
	if j.file, err = j.openFile(j.segments[len(j.segments)-1].name, os.O_RDWR); err != nil {
		return err
	}
	j.rest = r.report.Torn != nil
	if err := j.cutRest(); err != nil {
		return errors.Join(err, j.file.Close())
	}
	return nil
}

// maxMissing bounds the number of events that Salvage puts empty lines for.
const maxMissing = 1 << 20

// follows checks that a segment begins where the one before ended.
func (r *recovery[E]) follows(i int) error {
	j, s := r.journal, r.journal.segments[i]
	if i == 0 {
		j.next = s.first
		r.log.begin(s.first)
	}
	if s.first == j.next {
		return nil
	}
	err := &MissingError{Name: s.name, Want: j.next, Have: s.first}
	switch {
	case s.first < j.next:
		return fmt.Errorf("%w; move the one that is wrong out of the folder", err)
	case s.first-j.next > maxMissing:
		return fmt.Errorf("%w; put back what is missing, or move the files before it out of the folder", err)
	case !r.salvage:
		return fmt.Errorf("%w; put back what is missing, or open the journal with Salvage to go on without", err)
	}
	r.report.Lost = append(r.report.Lost, err)
	return r.fill(&j.segments[i-1], int(s.first-j.next))
}

// fill puts empty lines at the end of a segment.
func (r *recovery[E]) fill(s *segment, lines int) error {
	f, err := r.journal.openFile(s.name, os.O_RDWR)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(bytes.Repeat([]byte("\n"), lines), s.size)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	s.size += int64(lines)
	r.journal.total += int64(lines)
	for range lines {
		r.lose()
	}
	return nil
}

// segment reads one of the files.
func (r *recovery[E]) segment(s *segment, last bool) error {
	info, err := os.Stat(s.name)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() { // and opening it might wait, or reading it never end
		return fmt.Errorf("%s is not a regular file", s.name)
	}
	f, err := os.Open(s.name)
	if err != nil {
		return err
	}
	defer f.Close()
	broken, err := r.lines(s, f, last)
	if err != nil {
		return err
	}
	r.journal.total += s.size
	if len(broken) == 0 {
		return nil
	}
	return r.mend(s.name, f, info.Mode().Perm(), broken)
}

// span is a part of a file.
type span struct{ from, to int64 }

// lines reads the events of a segment, up to a torn last line. It returns what
// has to be taken out of the file, and sets the segment's size to what it will
// be then.
func (r *recovery[E]) lines(s *segment, f io.Reader, last bool) (broken []span, err error) {
	scan := newLineScanner(s.name, f, r.journal.maxLine)
	for scan.next() {
		s.size += scan.size
		if scan.blank() {
			r.lose()
			continue
		}
		e, err := decodeLine(scan, r.decode)
		if err != nil {
			if err := r.refuse(err); err != nil {
				return nil, err
			}
			r.lose()
			s.size -= scan.size - 1
			broken = append(broken, span{scan.offset, scan.offset + scan.size - 1})
			continue
		}
		r.log.add(r.log.replayed(e))
		r.journal.next++
		r.report.Events++
	}
	var torn *TornError
	switch {
	case !errors.As(scan.err, &torn):
		return broken, scan.err
	case last:
		r.report.Torn = torn
		return broken, nil
	}
	// This file was whole once, for another follows. That one's name tells
	// whether the line had a number.
	if err := r.refuse(&LineError{Name: s.name, Line: torn.Line, Column: 1, Err: torn}); err != nil {
		return nil, err
	}
	return append(broken, span{torn.Offset, torn.Offset + torn.Bytes}), nil
}

// refuse takes note of a line that is not an event, or refuses to go on.
func (r *recovery[E]) refuse(err error) error {
	if !r.salvage {
		return fmt.Errorf("%w; mend the line by hand, or open the journal with Salvage to go on without it", err)
	}
	r.report.Lost = append(r.report.Lost, err)
	return nil
}

// lose passes over the number of a lost event.
func (r *recovery[E]) lose() {
	r.journal.next++
	r.log.lose()
}

// mend takes parts out of a file, after a copy of it was made.
func (r *recovery[E]) mend(name string, f *os.File, perm os.FileMode, broken []span) error {
	kept, err := keep(name, f, perm)
	if err != nil {
		return fmt.Errorf("keeping a copy of %s: %w", name, err)
	}
	r.report.Kept = append(r.report.Kept, kept)
	err = writeFile(name+".tmp", os.O_TRUNC, perm, func(w io.Writer) error {
		from := int64(0)
		for _, b := range broken {
			if _, err := io.Copy(w, io.NewSectionReader(f, from, b.from-from)); err != nil {
				return err
			}
			from = b.to
		}
		_, err := io.Copy(w, io.NewSectionReader(f, from, 1<<62))
		return err
	})
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := os.Rename(name+".tmp", name); err != nil {
		return err
	}
	return syncDir(filepath.Dir(name))
}

// keep copies a file to a new name beside it.
func keep(name string, f *os.File, perm os.FileMode) (string, error) {
	for n := 1; ; n++ {
		kept := name + ".broken"
		if n > 1 {
			kept += "." + strconv.Itoa(n)
		}
		err := writeFile(kept, os.O_EXCL, perm, func(w io.Writer) error {
			_, err := io.Copy(w, io.NewSectionReader(f, 0, 1<<62))
			return err
		})
		if !errors.Is(err, os.ErrExist) {
			return kept, err
		}
	}
}

// writeFile makes a file, and sees that it is on the disk.
func writeFile(name string, flag int, perm os.FileMode, write func(io.Writer) error) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|flag, perm)
	if err != nil {
		return err
	}
	if err = write(f); err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}
