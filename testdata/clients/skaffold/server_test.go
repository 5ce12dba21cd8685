package skaffold

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	proto "github.com/skaffoldgen/protoc-gen-skaffold/testdata/clients/skaffold/proto/v1"
	v2 "github.com/skaffoldgen/protoc-gen-skaffold/testdata/clients/skaffold/proto/v2"
)

// patience bounds what a test waits for; nothing takes nearly as long.
const patience = time.Minute

// binary is the server, built once.
var binary string

func TestMain(m *testing.M) { os.Exit(buildAndRun(m)) }

func buildAndRun(m *testing.M) int {
	dir, err := os.MkdirTemp("", "skaffold")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	binary = filepath.Join(dir, "skaffold")
	if runtime.GOOS == "windows" {
		binary += ".exe"
	}
	build := exec.Command("go", "build", "-o", binary, "./examples/skaffold")
	build.Dir = "../../.."
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%v: %v\n%s", build, err, out)
		return 1
	}
	return m.Run()
}

// server is a process that serves, and clients of it.
type server struct {
	t    *testing.T
	cmd  *exec.Cmd
	conn *grpc.ClientConn
	v1   proto.SkaffoldServiceClient
	v2   v2.SkaffoldV2ServiceClient
	http string // host:port

	log    sync.WaitGroup // who reads it
	killed bool
}

var listening = regexp.MustCompile(`msg=listening protocol=(grpc|http) address=(\S+)`)

// start starts a server on free ports. Nothing happens in it by itself, and steps
// of its dev loop take no time.
func start(t *testing.T, args ...string) *server {
	t.Helper()
	args = append([]string{"--rpc-port=0", "--rpc-http-port=0", "--demo=false", "--demo-step=0"}, args...)
	s := &server{t: t, cmd: exec.Command(binary, args...)}
	stderr, err := s.cmd.StderrPipe()
	must(t, err)
	must(t, s.cmd.Start())
	t.Cleanup(s.kill)

	addresses := make(chan [2]string, 2)
	s.log.Go(func() {
		defer close(addresses)
		found := 0
		lines := bufio.NewScanner(stderr)
		for lines.Scan() {
			if m := listening.FindStringSubmatch(lines.Text()); m != nil && found < cap(addresses) {
				found++
				addresses <- [2]string{m[1], m[2]}
			}
		}
		_, _ = io.Copy(io.Discard, stderr)
	})
	byProtocol := map[string]string{}
	timeout := time.After(patience)
	for len(byProtocol) < cap(addresses) {
		select {
		case a, ok := <-addresses:
			if !ok {
				t.Fatalf("%v has ended without listening", s.cmd)
			}
			byProtocol[a[0]] = a[1]
		case <-timeout:
			t.Fatalf("%v does not listen", s.cmd)
		}
	}
	s.http = byProtocol["http"]
	s.conn, err = grpc.NewClient(byProtocol["grpc"], grpc.WithTransportCredentials(insecure.NewCredentials()))
	must(t, err)
	s.v1, s.v2 = proto.NewSkaffoldServiceClient(s.conn), v2.NewSkaffoldV2ServiceClient(s.conn)
	return s
}

// kill ends the server in the hard way.
func (s *server) kill() {
	if s.killed {
		return
	}
	s.killed = true
	if s.conn != nil {
		s.conn.Close()
	}
	if err := s.cmd.Process.Kill(); err != nil {
		s.t.Error(err)
	}
	s.log.Wait()
	_ = s.cmd.Wait() // which says that it was killed
}

// limited is a context for calls: one that waits in vain fails.
func limited(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
