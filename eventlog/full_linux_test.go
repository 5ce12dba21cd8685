package eventlog

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// mountSmall mounts a file system of 64 KiB where the system lets the test.
func mountSmall(t *testing.T) (dir string) {
	dir = t.TempDir()
	if err := syscall.Mount("eventlog", dir, "tmpfs", 0, "size=64k"); err != nil {
		t.Skip("mounting a file system: ", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// A file system that is full, and then is not; and one that cannot be written to.
func TestFullFileSystem(t *testing.T) {
	for _, policy := range policies {
		j := testJournalOf[string](t, policy)
		dir := mountSmall(t)
		j.Path = filepath.Join(dir, "events.jsonl")
		filler := filepath.Join(dir, "filler")
		writeTo(t, filler, strings.Repeat("x", 20_000))

		l, _, err := Open(Config[string]{}, j)
		if err != nil {
			t.Fatal(err)
		}
		event := strings.Repeat("e", 1000)
		for err == nil {
			_, err = l.Append(event)
		}
		if !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("Append = %v, want that no space is left", err)
		}
		last := l.Last()
		if rec, err := l.Reader(last).Next(limit(t)); err != nil || rec.Event != event {
			t.Errorf("Next = %v, %v", rec, err)
		}
		if err := os.Remove(filler); err != nil {
			t.Fatal(err)
		}
		if seq, err := l.Append("more"); seq != last+1 || err != nil {
			t.Errorf("with space again, Append = %d, %v; want %d", seq, err, last+1)
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}

		if err := syscall.Mount("", dir, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
			t.Fatal(err)
		}
		if _, _, err := Open(Config[string]{}, j); !errors.Is(err, syscall.EROFS) {
			t.Errorf("Open = %v, want that the file system is read-only", err)
		}
		if err := syscall.Mount("", dir, "", syscall.MS_REMOUNT, "size=64k"); err != nil {
			t.Fatal(err)
		}
		l, rec, err := Open(Config[string]{}, j)
		if err != nil {
			t.Fatal(err)
		}
		if l.Last() != last+1 || rec.Torn != nil {
			t.Errorf("Last = %d, want %d; torn: %v", l.Last(), last+1, rec.Torn)
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
}
