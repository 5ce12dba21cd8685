package buildkit_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/moby/buildkit/client"
)

// binary is the server, built once.
var binary string

func TestMain(m *testing.M) { os.Exit(build(m)) }

func build(m *testing.M) int {
	dir, err := os.MkdirTemp("", "buildkit")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	binary = filepath.Join(dir, "server")
	cmd := exec.Command("go", "build", "-o", binary, ".")
	cmd.Dir = filepath.Join("..", "..", "..", "examples", "buildkit")
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "building the server:", err)
		return 1
	}
	return m.Run()
}

// start runs a server until the test ends. It returns its address in the form
// of a client: unix://… or tcp://….
func start(t *testing.T, network, store string, args ...string) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "bk") // t.TempDir may be too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	file := filepath.Join(dir, "store.json")
	if err := os.WriteFile(file, []byte(store), 0o600); err != nil {
		t.Fatal(err)
	}
	addr := map[string]string{"unix": "unix://" + filepath.Join(dir, "b.sock"), "tcp": "tcp://127.0.0.1:0"}[network]
	args = append([]string{"--addr", addr, "--store", file, "--log-format", "json"}, args...)
	return run(t, network, args...)
}

func run(t *testing.T, network string, args ...string) string {
	t.Helper()
	cmd := exec.Command(binary, args...)
	logs, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	address, ended := make(chan string, 1), make(chan struct{})
	go func() { // reads all, so that the server never waits for a reader
		defer close(ended)
		var all []string
		for lines := bufio.NewScanner(logs); lines.Scan(); {
			all = append(all, lines.Text())
			var line struct{ Msg, Address string }
			if json.Unmarshal(lines.Bytes(), &line) == nil && line.Msg == "listening" {
				address <- line.Address
			}
		}
		close(address)
		if t.Failed() {
			t.Logf("the server's log:\n%s", strings.Join(all, "\n"))
		}
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		<-ended
		if err := cmd.Wait(); err != nil {
			t.Errorf("the server ends with %v", err)
		}
	})
	select {
	case a, ok := <-address:
		if !ok {
			t.Fatal("the server ended before it listened")
		}
		return network + "://" + a
	case <-time.After(time.Minute):
		t.Fatal("the server does not listen")
	}
	return ""
}

func connect(t *testing.T, address string) *client.Client {
	t.Helper()
	c, err := client.New(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// overBoth runs a test over a socket and over tcp, each with a server of its
// own.
func overBoth(t *testing.T, store string, f func(t *testing.T, ctx context.Context, c *client.Client), args ...string) {
	for _, network := range []string{"unix", "tcp"} {
		t.Run(network, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			f(t, ctx, connect(t, start(t, network, store, args...)))
		})
	}
}
