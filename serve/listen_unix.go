//go:build unix

package serve

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
	"time"
)

// socketMode gives a socket its mode before it has a name, so that at no moment
// more users than intended can connect. Systems that know no modes of sockets
// refuse, which does not matter: the file is given its mode later.
func socketMode(mode fs.FileMode) func(string, string, syscall.RawConn) error {
	return func(_, _ string, c syscall.RawConn) error {
		return c.Control(func(fd uintptr) { _ = syscall.Fchmod(int(fd), uint32(mode.Perm())) })
	}
}

// lockDir keeps other processes that open a socket in a folder from taking a
// new one for a stale one.
func lockDir(dir string) (unlock func(), err error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	for deadline := time.Now().Add(2 * answerTimeout); ; time.Sleep(10 * time.Millisecond) {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) || time.Now().After(deadline) {
			break
		}
	}
	// Where folders cannot be locked, it works without.
	return func() { f.Close() }, nil
}

func isAddrInUse(err error) bool { return errors.Is(err, syscall.EADDRINUSE) }

func isRefused(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) }
