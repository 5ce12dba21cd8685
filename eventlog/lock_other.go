//go:build !(darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd || windows)

package eventlog

import (
	"errors"
	"fmt"
	"io"
	"runtime"
)

// lockFile refuses: without a lock two processes could spoil a journal.
func lockFile(string) (io.Closer, error) {
	return nil, fmt.Errorf("journals need file locks, which are not used on %s: %w", runtime.GOOS, errors.ErrUnsupported)
}

func syncDir(string) error { return nil }
