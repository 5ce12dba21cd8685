package eventlog

import (
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
)

// nobody is the user without rights of its own.
const nobody = 65534

// asUser calls f as somebody who owns a folder but may not do as root may. If the
// test is run by root, f's own thread becomes another user towards files.
func asUser(t *testing.T, dir string, f func()) {
	t.Helper()
	if os.Getuid() != 0 {
		f()
		return
	}
	if err := os.Chown(dir, nobody, nobody); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Dir(dir), 0o711); err != nil { // of the test alone
		t.Fatal(err)
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	setfsuid(t, nobody)
	defer setfsuid(t, 0)
	f()
}

// setfsuid changes the user of this thread. Setfsuid itself reports no errors.
func setfsuid(t *testing.T, uid int) {
	t.Helper()
	syscall.Setfsuid(uid)
	if was, _, _ := syscall.RawSyscall(syscall.SYS_SETFSUID, ^uintptr(0), 0, 0); int(was) != uid {
		t.Fatalf("files are accessed as user %d, want %d", was, uid)
	}
}
