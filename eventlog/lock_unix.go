//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package eventlog

import (
	"errors"
	"io"
	"os"
	"syscall"
)

// lockFile holds a lock on a file until it is closed or the process ends. The
// file stays: were it removed, two could hold locks on files of that name.
func lockFile(name string) (io.Closer, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err != syscall.EINTR {
			break
		}
	}
	if err == nil {
		return fileLock{f}, nil
	}
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = ErrInUse
	}
	return nil, errors.Join(&os.PathError{Op: "lock", Path: name, Err: err}, f.Close())
}

type fileLock struct{ *os.File }

// Close unlocks the file, which closing it does not do while a process that is
// just being started has a copy of its descriptor.
func (l fileLock) Close() error {
	return errors.Join(syscall.Flock(int(l.Fd()), syscall.LOCK_UN), l.File.Close())
}

// syncDir puts the names of the files of a folder on the disk.
func syncDir(name string) error {
	d, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
