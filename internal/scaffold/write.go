package scaffold

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// writer creates files in a folder. A file appears under its name at once and
// whole, and never takes the place of another: it is written under a name of its
// own and then linked. The folder is opened once, so that no symbolic link leads
// out of it.
type writer struct {
	dir  string
	root *os.Root
	// write fills a file; a variable so that tests can have it fail.
	write func(*os.File, []byte) error
}

// Names of files that are being written. The go command ignores names that begin
// with a dot.
const (
	temporaryPrefix = ".scaffold-"
	temporarySuffix = ".tmp"
	// temporaryAge is when a file that is being written is taken for a left-over of
	// a process that was killed: writing takes less than a second.
	temporaryAge = time.Hour
)

func openWriter(dir string) (*writer, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("--dir: %w", err)
	}
	w := &writer{dir: dir, root: root, write: writeSynced}
	w.removeLeftOvers()
	return w, nil
}

func (w *writer) close() { _ = w.root.Close() }

func writeSynced(f *os.File, content []byte) error {
	if _, err := f.Write(content); err != nil {
		return err
	}
	return f.Sync()
}

// removeLeftOvers removes what processes that were killed have left. It does not
// matter if it fails.
func (w *writer) removeLeftOvers() {
	entries, _ := fs.ReadDir(w.root.FS(), ".")
	for _, entry := range entries {
		name := entry.Name()
		if !strings.HasPrefix(name, temporaryPrefix) || !strings.HasSuffix(name, temporarySuffix) {
			continue
		}
		if info, err := entry.Info(); err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) > temporaryAge {
			_ = w.root.Remove(name)
		}
	}
}

// create creates a file. It fails if there is one of that name, whatever it is.
func (w *writer) create(name string, content []byte) (err error) {
	temporary := temporaryPrefix + rand.Text() + temporarySuffix
	f, err := w.root.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return w.failed(name, err)
	}
	defer func() {
		if removal := w.root.Remove(temporary); err == nil && removal != nil {
			err = w.failed(name, removal)
		}
	}()
	if err := errors.Join(w.write(f, content), f.Close()); err != nil {
		return w.failed(name, err)
	}
	if err := w.root.Link(temporary, name); err != nil {
		if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, fs.ErrPermission) {
			err = fmt.Errorf("%w: the file system has to support hard links", err)
		}
		return w.failed(name, err)
	}
	return nil
}

func (w *writer) failed(name string, err error) error {
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s has appeared in the meantime and is left alone: run the command again",
			filepath.Join(w.dir, name))
	}
	return fmt.Errorf("%s is not created: %w", filepath.Join(w.dir, name), err)
}

// displayPath is how messages name a file of a folder.
func displayPath(dir, name string) string { return filepath.Join(dir, name) }
