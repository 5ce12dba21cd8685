//go:build !unix

package serve

import (
	"errors"
	"io/fs"
	"syscall"
)

func socketMode(fs.FileMode) func(string, string, syscall.RawConn) error { return nil }

func lockDir(string) (unlock func(), err error) { return func() {}, nil }

// What Windows says instead of EADDRINUSE and ECONNREFUSED.
const (
	wsaeAddrInUse   = syscall.Errno(10048)
	wsaeConnRefused = syscall.Errno(10061)
)

func isAddrInUse(err error) bool {
	return errors.Is(err, wsaeAddrInUse) || errors.Is(err, syscall.EADDRINUSE)
}

func isRefused(err error) bool {
	return errors.Is(err, wsaeConnRefused) || errors.Is(err, syscall.ECONNREFUSED)
}
