package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	control "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/buildkit/control"
)

func TestFlags(t *testing.T) {
	runtimeDir := t.TempDir()
	t.Setenv("XDG_RUNTIME_DIR", runtimeDir)
	opts, err := parseFlags(nil, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"unix://" + runtimeDir + "/buildkit/buildkitd.sock"}; !slices.Equal(opts.serve.GRPC, want) {
		t.Errorf("the default addresses are %q, want %q", opts.serve.GRPC, want)
	}
	if info, err := os.Stat(filepath.Join(runtimeDir, "buildkit")); err != nil || !info.IsDir() {
		t.Errorf("the folder of the default address is %v, %v", info, err)
	}
	if opts.serve.MaxRecvBytes != 16<<20 || opts.serve.MaxSendBytes != 16<<20 || opts.statusWait != 6*time.Second {
		t.Errorf("the defaults are %+v", opts)
	}
	opts, err = parseFlags([]string{"--addr", "unix:///a", "--addr=tcp://localhost:1", "--addr", "fd://3",
		"--tlscert", "c", "--tlskey", "k", "--tlscacert", "a", "--shutdown-timeout", "3s"}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"unix:///a", "tcp://localhost:1", "fd://3"}; !slices.Equal(opts.serve.GRPC, want) {
		t.Errorf("the addresses are %q, want %q", opts.serve.GRPC, want)
	}
	if c := opts.serve; c.TLSCert != "c" || c.TLSKey != "k" || c.TLSClientCA != "a" || c.ShutdownTimeout != 3*time.Second {
		t.Errorf("the configuration is %+v", c)
	}
}

func TestFlagErrors(t *testing.T) {
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	file := filepath.Join(t.TempDir(), "store.json")
	if err := os.WriteFile(file, []byte(`{"workers": [{}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	empty := filepath.Join(t.TempDir(), "store.json")
	if err := os.WriteFile(empty, []byte(`{}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ args, want string }{
		{"--addr /run/x.sock", "it has no scheme: is it unix:///run/x.sock?"},
		{"--addr localhost:1234", "it has no scheme: is it tcp://localhost:1234?"},
		{"--addr npipe:////./pipe/x", `unknown scheme "npipe"`},
		{"--addr tcp://0.0.0.0:0", "it needs TLS"},
		{"--nothing", "-nothing"},
		{"nothing", `"nothing" is no flag`},
		{"--status-wait -1s", "--status-wait is negative"},
		{"--history-max-entries -1", "cannot be negative"},
		{"--history-max-age -1s", "cannot be negative"},
		{"--log-format xml", "it is json or text"},
		{"--store /nothing", "--store: open /nothing"},
		{"--store " + file, "--store " + file + ": workers[0] has no ID"},
		{"--demo --store " + empty, "--demo: the description has no build"},
	} {
		if err := run(t.Context(), strings.Fields(test.args), io.Discard); err == nil ||
			!strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %s", test.args, err, test.want)
		}
	}
}

func TestHelp(t *testing.T) {
	var out bytes.Buffer
	if err := run(t.Context(), []string{"--help"}, &out); !errors.Is(err, flag.ErrHelp) {
		t.Errorf("the error is %v, want flag.ErrHelp", err)
	}
	for _, want := range []string{"Usage: buildkit", "-addr", "-store", "-tls-cert"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the help does not name %s:\n%s", want, &out)
		}
	}
}

// listening is a writer of logs that tells when the server listens.
type listening struct {
	once sync.Once
	c    chan struct{}
}

func (l *listening) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte("listening")) {
		l.once.Do(func() { close(l.c) })
	}
	return len(p), nil
}

// TestRun serves on a socket, and ends with a listener still there.
func TestRun(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "b.sock")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	logs := &listening{c: make(chan struct{})}
	ended := make(chan error, 1)
	go func() { ended <- run(ctx, []string{"--addr", "unix://" + socket, "--demo"}, logs) }()
	select {
	case <-logs.c:
	case err := <-ended:
		t.Fatal(err)
	}
	conn, err := grpc.NewClient("unix://"+socket, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", socket)
		}))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	events, err := control.NewControlClient(conn).ListenBuildHistory(t.Context(), &control.BuildHistoryRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := events.Recv(); err != nil {
		t.Fatal(err)
	}
	cancel()
	for err == nil {
		_, err = events.Recv()
	}
	if err != io.EOF {
		t.Errorf("the stream ends with %v, want io.EOF", err)
	}
	if err := <-ended; err != nil {
		t.Errorf("the server ends with %v", err)
	}
	if _, err := os.Stat(socket); err == nil {
		t.Error("the socket is still there")
	}
}
