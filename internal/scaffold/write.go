package scaffold

import (
	"context"
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
// whole, and never takes the place of another: it is written without a name, or
// under a temporary one, and then linked. Where the file system has no links it is
// written in place. The folder is opened once, so that no symbolic link leads out
// of it.
type writer struct {
	dir  string
	root *os.Root
	// ways create a file, the best first. One that is not to be had here fails with
	// errNoWay and has changed nothing.
	ways []way
	// write fills a file, link gives one another name; variables so that tests can
	// have them fail.
	write func(context.Context, *os.File, []byte) error
	link  func(oldName, newName string) error
}

// way creates a file, or fails and leaves nothing.
type way func(w *writer, ctx context.Context, name string, content []byte) error

var errNoWay = errors.New("the file system has no such way to create a file")

// Names of files that are being written. The go command ignores names that begin
// with a dot.
const (
	temporaryPrefix = ".scaffold-"
	temporarySuffix = ".tmp"
	// temporaryAge is when a file that is being written is taken for a left-over of
	// a process that was killed: writing takes less than a second.
	temporaryAge = time.Hour

	filePerm fs.FileMode = 0o644 // before the umask
)

func openWriter(dir string) (*writer, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("--dir: %w", err)
	}
	w := &writer{
		dir: dir, root: root, ways: []way{(*writer).createUnnamed, (*writer).createNamed, (*writer).createInPlace},
		write: writeSynced, link: root.Link,
	}
	w.removeLeftOvers()
	return w, nil
}

func (w *writer) close() { _ = w.root.Close() }

// writeSynced fails if the context has ended by then.
func writeSynced(ctx context.Context, f *os.File, content []byte) error {
	if _, err := f.Write(content); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	return context.Cause(ctx)
}

// removeLeftOvers removes what processes that were killed have left, where files
// have a temporary name. It does not matter if it fails.
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

// create creates a file of the folder. It fails if there is one of that name,
// whatever it is, and if the context ends.
func (w *writer) create(ctx context.Context, name string, content []byte) error {
	if name != filepath.Base(name) {
		return w.failed(name, errors.New("it is not in the folder itself"))
	}
	err := context.Cause(ctx)
	for i := 0; i < len(w.ways) && (err == nil || errors.Is(err, errNoWay)); i++ {
		if err = w.ways[i](w, ctx, name, content); err == nil {
			return nil
		}
	}
	return w.failed(name, err)
}

// createNamed writes a file under a temporary name. A process that is killed
// leaves that one.
func (w *writer) createNamed(ctx context.Context, name string, content []byte) (err error) {
	temporary := temporaryPrefix + rand.Text() + temporarySuffix
	f, err := w.root.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, filePerm)
	if err != nil {
		return err
	}
	defer func() {
		if removal := w.root.Remove(temporary); err == nil {
			err = removal
		}
	}()
	if err := errors.Join(w.write(ctx, f, content), f.Close()); err != nil {
		return err
	}
	err = w.link(temporary, name)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		// Systems say in too many ways that they have no links. If it is something
		// else, writing in place says what.
		return fmt.Errorf("%w: %w", errNoWay, err)
	}
	return err
}

// createInPlace writes a file under its own name. A process that is killed leaves
// what it has written up to then.
func (w *writer) createInPlace(ctx context.Context, name string, content []byte) error {
	f, err := w.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, filePerm)
	if err != nil {
		return err
	}
	err = errors.Join(w.write(ctx, f, content), f.Close())
	if err != nil {
		err = errors.Join(err, w.root.Remove(name))
	}
	return err
}

func (w *writer) failed(name string, err error) error {
	place := filepath.Join(w.dir, name)
	switch {
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("%s has appeared in the meantime and is left alone: run the command again", place)
	case errors.Is(err, context.Canceled):
		return fmt.Errorf("%s is not created: %w: run the command again to go on", place, err)
	}
	return fmt.Errorf("%s is not created: %w", place, err)
}

// displayPath is how messages name a file of a folder.
func displayPath(dir, name string) string { return filepath.Join(dir, name) }
