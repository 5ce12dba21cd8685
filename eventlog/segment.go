package eventlog

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// segment is one of the files of a journal.
type segment struct {
	name  string
	first Seq   // number of its first line
	size  int64 // up to where it is good
}

// segmentName is the name of the segment of a journal that begins with an event.
func segmentName(path string, first Seq) string {
	if first == 1 {
		return path
	}
	ext := filepath.Ext(path)
	return fmt.Sprintf("%s.%020d%s", strings.TrimSuffix(path, ext), uint64(first), ext)
}

// findSegments lists the segments of a journal, oldest first.
func findSegments(path string) ([]segment, error) {
	dir, base := filepath.Split(path)
	if dir == "" {
		dir = "."
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	ext := filepath.Ext(base)
	stem := strings.TrimSuffix(base, ext) + "."
	var segments []segment
	for _, entry := range entries {
		first := uint64(1)
		if entry.Name() != base {
			number, ok := strings.CutPrefix(entry.Name(), stem)
			if first, err = strconv.ParseUint(strings.TrimSuffix(number, ext), 10, 64); !ok || err != nil {
				continue
			}
		}
		name := segmentName(path, Seq(first))
		if filepath.Base(name) == entry.Name() {
			segments = append(segments, segment{name: name, first: Seq(first)})
		}
	}
	slices.SortFunc(segments, func(a, b segment) int {
		if a.first < b.first {
			return -1
		}
		return 1
	})
	return segments, nil
}

// makeRoom sees to a segment that takes size bytes more, within the bounds.
func (j *journal) makeRoom(size int64) error {
	if j.maxBytes <= 0 {
		return nil
	}
	if s := j.segments[len(j.segments)-1]; s.size > 0 && s.size+size > j.segmentBytes {
		if err := j.rotate(); err != nil {
			return fmt.Errorf("beginning a new file: %w", err)
		}
	}
	for j.total+size > j.maxBytes && len(j.segments) > 1 {
		if err := os.Remove(j.segments[0].name); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("removing the oldest file: %w", err)
		}
		j.total -= j.segments[0].size
		j.segments = slices.Delete(j.segments, 0, 1)
	}
	return nil
}

// rotate begins a new segment. The old one is synced first, whatever the policy
// is, so that no crash leaves events missing between the two.
func (j *journal) rotate() error {
	if err := j.file.Sync(); err != nil {
		j.failed = err
		return err
	}
	s := segment{name: segmentName(j.path, j.next), first: j.next}
	f, err := j.create(s.name)
	if err != nil {
		return err
	}
	old := j.file
	j.file, j.segments = f, append(j.segments, s)
	return old.Close()
}

// create makes an empty file that is there after a crash, too.
func (j *journal) create(name string) (file, error) {
	f, err := j.openFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return nil, err
	}
	if err := syncDir(filepath.Dir(name)); err != nil {
		return nil, errors.Join(err, f.Close(), os.Remove(name))
	}
	return f, nil
}
