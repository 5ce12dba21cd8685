//go:build unix

package scaffold

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// Where these are set the process is one that TestSignals starts: it creates
// files in a folder, in one of the ways.
const (
	childFolder = "SCAFFOLD_TEST_FOLDER"
	childWay    = "SCAFFOLD_TEST_WAY"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(childFolder); dir != "" {
		if err := createUntilSignal(dir, ways[os.Getenv(childWay)]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// createUntilSignal creates a file, and gets stuck half-way in a second one, which
// it says, until a signal arrives.
func createUntilSignal(dir string, list []way) error {
	w, err := openWriter(dir)
	if err != nil {
		return err
	}
	defer w.close()
	w.ways = list
	w.write = func(ctx context.Context, f *os.File, content []byte) error {
		half := len(content) / 2
		if _, err := f.Write(content[:half]); err != nil {
			return err
		}
		if string(content) == "second" {
			fmt.Println("stuck")
			<-ctx.Done()
		}
		return writeSynced(ctx, f, content[half:])
	}
	p := &plan{files: []plannedFile{{"a.go", []byte("first")}, {"b.go", []byte("second")}, {"c.go", []byte("third")}}}
	return p.create(w, io.Discard)
}

// A process that is ended in the middle of a file leaves nothing of that file.
func TestSignals(t *testing.T) {
	eachWay(t, func(t *testing.T, way string, _ *writer) {
		signals := []syscall.Signal{syscall.SIGINT, syscall.SIGTERM}
		if way == unnamed {
			signals = append(signals, syscall.SIGKILL)
		}
		for _, signal := range signals {
			for range 20 {
				dir := t.TempDir()
				status, stderr := endInTheMiddle(t, dir, way, signal)
				wantFiles(t, dir, map[string]string{"a.go": "first"})
				if signal != syscall.SIGKILL && (status != 1 || !strings.Contains(stderr, signal.String()+" signal received")) {
					t.Errorf("%v: status %d, %s", signal, status, stderr)
				}
				if t.Failed() {
					return
				}
			}
		}
	})
}

// endInTheMiddle starts a process and sends it a signal while it writes a file.
func endInTheMiddle(t *testing.T, dir, way string, signal os.Signal) (status int, stderr string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = slices.Concat(os.Environ(), []string{childFolder + "=" + dir, childWay + "=" + way})
	var log bytes.Buffer
	cmd.Stderr = &log
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	said, err := io.ReadAll(io.LimitReader(stdout, int64(len("stuck\n"))))
	if err := errors.Join(err, cmd.Process.Signal(signal)); err != nil {
		t.Error(err)
	}
	_ = cmd.Wait() // its status says it
	if string(said) != "stuck\n" {
		t.Fatalf("the process says %q\n%s", said, log.String())
	}
	return cmd.ProcessState.ExitCode(), log.String()
}

// Where there are no links, files are created all the same.
func TestWithoutLinks(t *testing.T) {
	for _, errno := range []syscall.Errno{syscall.EPERM, syscall.ENOTSUP, syscall.EOPNOTSUPP, syscall.ENOSYS} {
		t.Run(errno.Error(), func(t *testing.T) {
			dir := t.TempDir()
			w := open(t, dir)
			w.ways[0] = func(*writer, context.Context, string, []byte) error { return errNoWay }
			w.link = func(oldName, newName string) error {
				return &os.LinkError{Op: "linkat", Old: oldName, New: newName, Err: errno}
			}
			if err := w.create(t.Context(), "a.go", []byte("package a\n")); err != nil {
				t.Error(err)
			}
			wantFiles(t, dir, map[string]string{"a.go": "package a\n"})
		})
	}
}
