package scaffold

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// createUnnamed writes a file that has no name until it is whole. The kernel
// drops it with the process, so that not even one that is killed leaves anything.
func (w *writer) createUnnamed(ctx context.Context, name string, content []byte) error {
	f, err := w.root.OpenFile(".", os.O_WRONLY|unix.O_TMPFILE, filePerm)
	if err != nil {
		return fmt.Errorf("%w: %w", errNoWay, err)
	}
	defer func() { _ = f.Close() }() // synced: there is nothing left to fail
	if err := w.write(ctx, f, content); err != nil {
		return err
	}
	folder, err := w.root.Open(".")
	if err != nil {
		return err
	}
	defer func() { _ = folder.Close() }()
	// Linking the descriptor itself is a privilege; its name in /proc is not.
	of := fmt.Sprintf("/proc/self/fd/%d", f.Fd())
	err = unix.Linkat(unix.AT_FDCWD, of, int(folder.Fd()), name, unix.AT_SYMLINK_FOLLOW)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%w: %w", errNoWay, err) // also without /proc
	}
	return err
}
