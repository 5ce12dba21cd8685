//go:build unix

package rkt

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/skaffoldgen/protoc-gen-skaffold/testdata/clients/rkt/api/v1alpha"
)

// patience bounds what a test waits for; nothing takes nearly as long.
const patience = time.Minute

// binary is the server, built once.
var binary string

func TestMain(m *testing.M) { os.Exit(buildAndRun(m)) }

func buildAndRun(m *testing.M) int {
	dir, err := os.MkdirTemp("", "rkt")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	binary = filepath.Join(dir, "rkt")
	build := exec.Command("go", "build", "-o", binary, "./examples/rkt")
	build.Dir = "../../.."
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%v: %v\n%s", build, err, out)
		return 1
	}
	return m.Run()
}

// server is a running server and a client of it.
type server struct {
	v1alpha.PublicAPIClient
	conn  *grpc.ClientConn
	t     *testing.T
	cmd   *exec.Cmd
	data  string // path of the description
	lines chan string

	terminated bool
}

// start starts a server with a description, and connects to it.
func start(t *testing.T, description string) *server {
	t.Helper()
	data := filepath.Join(t.TempDir(), "data.json")
	write(t, data, description)
	return run(t, exec.Command(binary, "--listen", "localhost:0", "--data", data), data)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

var listening = regexp.MustCompile(`msg=listening protocol=grpc address=(\S+)`)

// run starts a command, waits for it to say where it listens, and connects.
func run(t *testing.T, cmd *exec.Cmd, data string) *server {
	t.Helper()
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s := &server{t: t, cmd: cmd, data: data, lines: make(chan string, 1000)}
	go s.read(stderr)
	t.Cleanup(s.stop)
	address := listening.FindStringSubmatch(s.waitFor("msg=listening"))[1]
	s.conn, err = grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	s.PublicAPIClient = v1alpha.NewPublicAPIClient(s.conn)
	return s
}

// read makes lines of what the server logs; what nobody waits for is dropped.
func (s *server) read(stderr io.Reader) {
	defer close(s.lines)
	for scanner := bufio.NewScanner(stderr); scanner.Scan(); {
		select {
		case s.lines <- scanner.Text():
		default:
		}
	}
}

// waitFor returns the next line of the log that has a text.
func (s *server) waitFor(text string) string {
	s.t.Helper()
	timeout := time.After(patience)
	var seen []string
	for {
		select {
		case line, ok := <-s.lines:
			if !ok {
				s.t.Fatalf("the server ended without saying %q:\n%s", text, strings.Join(seen, "\n"))
			}
			if strings.Contains(line, text) {
				return line
			}
			seen = append(seen, line)
		case <-timeout:
			s.t.Fatalf("the server does not say %q:\n%s", text, strings.Join(seen, "\n"))
		}
	}
}

// load gives the server another description and waits until it has it.
func (s *server) load(description string) {
	s.t.Helper()
	write(s.t, s.data, description)
	if err := s.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		s.t.Fatal(err)
	}
	if line := s.waitFor("SIGHUP"); !strings.Contains(line, "level=INFO") {
		s.t.Fatal(line)
	}
}

// terminate asks the server to end, once: a second signal would kill it.
func (s *server) terminate() {
	if s.terminated {
		return
	}
	s.terminated = true
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		s.t.Error(err)
	}
}

// stop ends the server and checks that it ends well.
func (s *server) stop() {
	if s.conn != nil {
		s.conn.Close()
	}
	s.terminate()
	kill := time.AfterFunc(patience, func() { _ = s.cmd.Process.Kill() })
	defer kill.Stop()
	for range s.lines { // to the end: Wait closes the pipe
	}
	if err := s.cmd.Wait(); err != nil {
		s.t.Errorf("the server ended with %v", err)
	}
}

// limited is a context for a test's calls.
func limited(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}

func TestSample(t *testing.T) {
	s := run(t, exec.Command(binary, "--listen", "localhost:0"), "")
	info, err := s.GetInfo(limited(t), &v1alpha.GetInfoRequest{})
	if err != nil || info.GetInfo().GetApiVersion() != "1.0.0-alpha" {
		t.Errorf("GetInfo = %v, %v", info, err)
	}
}

// systemd passes sockets as descriptors from 3 on, and says for whom they are.
func activated(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	f, err := l.(*net.TCPListener).File()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	script := `LISTEN_PID=$$ LISTEN_FDS=1 exec "$0" "$@"`
	cmd := exec.Command("/bin/sh", append([]string{"-c", script, binary}, args...)...)
	cmd.ExtraFiles = []*os.File{f}
	return cmd
}

func TestInheritedSocket(t *testing.T) {
	s := run(t, activated(t), "")
	if _, err := s.GetInfo(limited(t), &v1alpha.GetInfoRequest{}); err != nil {
		t.Error(err)
	}
}

func TestInheritedSocketAndListen(t *testing.T) {
	out, err := activated(t, "--listen", "localhost:0").CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 1 || !strings.Contains(string(out), "systemd has passed sockets") {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestBadData(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data.json")
	write(t, data, `{"pods": [{"id": "web"}]}`)
	const want = `pods[0]: id: "web" is not a pod's id`
	out, err := exec.Command(binary, "--listen", "localhost:0", "--data", data).CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 1 || !strings.Contains(string(out), want) {
		t.Errorf("%v\n%s", err, out)
	}
}
