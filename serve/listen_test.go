package serve

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestParseAddress(t *testing.T) {
	for in, want := range map[string]string{
		":80":                 "127.0.0.1:80",
		"localhost:0":         "localhost:0",
		"tcp://127.0.0.1:80":  "127.0.0.1:80",
		"tcp://[::1]:80":      "[::1]:80",
		"unix:///run//a.sock": "unix:///run/a.sock",
		"fd://3":              "fd://3",
		"fd://":               "fd://",
		"fd://api":            "fd://api",
	} {
		a, err := parseAddress(in)
		if err != nil || a.String() != want {
			t.Errorf("%q: %v, %v, want %s", in, a, err, want)
		}
	}
	for in, want := range map[string]string{
		"":                  "no address",
		"80":                "no address",
		"tcp://host":        "no address",
		"host:http":         "no port",
		"host:99999":        "no port",
		"unix://run/a.sock": "no absolute path",
		"unix://":           "no absolute path",
		"npipe://x":         "unknown scheme",
		"fd://1":            "standard stream",
	} {
		if _, err := parseAddress(in); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", in, err, want)
		}
	}
}

func socketPath(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "s") // t.TempDir is too long for a socket on some systems
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return filepath.Join(dir, "s.sock")
}

func TestSocket(t *testing.T) {
	path := socketPath(t)
	r := start(t, Config{
		GRPC: []string{"unix://" + path}, SocketMode: 0o660, SocketOwner: strconv.Itoa(os.Getuid()),
	}, echo{}.service())
	if got, err := r.say(r.conn, "hello"); err != nil || got != "hello" {
		t.Errorf("%q, %v", got, err)
	}
	r.log.find(t, "call", "peer", "unix", "protocol", "grpc")
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o660 {
		t.Errorf("mode %o", info.Mode())
	}

	// A second server must not take it away from the first.
	second, err := New(Config{GRPC: []string{"unix://" + path}}, echo{}.service())
	if err != nil {
		t.Fatal(err)
	}
	if err := second.Listen(); err == nil || !strings.Contains(err.Error(), "is in use") {
		t.Errorf("second server: %v", err)
	}
	r.alive()

	if err := r.stop(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("after shutdown: %v", err)
	}
}

func TestSocketHTTP(t *testing.T) {
	path := socketPath(t)
	r := start(t, Config{HTTP: []string{"unix://" + path}, DefaultRoutes: true}, echo{}.service())
	conn, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "POST %s HTTP/1.0\r\n\r\n", sayMethod)
	r.log.find(t, "call", "method", sayMethod, "peer", "unix", "protocol", "http")
}

func TestStaleSocket(t *testing.T) {
	path := socketPath(t)
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	l.Close()
	r := start(t, Config{GRPC: []string{"unix://" + path}}, echo{}.service())
	r.alive()
}

func TestNoSocket(t *testing.T) {
	path := socketPath(t)
	if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := New(Config{GRPC: []string{"unix://" + path}}, echo{}.service())
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Listen(); err == nil || !strings.Contains(err.Error(), "no socket") {
		t.Errorf("Listen: %v", err)
	}
	if b, err := os.ReadFile(path); string(b) != "mine" {
		t.Errorf("the file: %q, %v", b, err)
	}
}

// Whoever replaces a socket keeps theirs.
func TestReplacedSocket(t *testing.T) {
	path := socketPath(t)
	r := start(t, Config{GRPC: []string{"unix://" + path}}, echo{}.service())
	if err := os.Rename(path, path+".old"); err != nil {
		t.Fatal(err)
	}
	other, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if err := r.stop(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Errorf("the socket of another: %v", err)
	}
}

// The mode of a socket is right from the first moment on.
func TestSocketModeEarly(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("other systems know no modes of sockets without a name")
	}
	path := socketPath(t)
	l, err := (&net.ListenConfig{Control: socketMode(0o600)}).Listen(t.Context(), "unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

// If one address cannot be opened, those before it are closed.
func TestListenFails(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	path := socketPath(t)
	for _, cfg := range []Config{
		{GRPC: []string{"unix://" + path, taken.Addr().String()}},
		{GRPC: []string{"unix://" + path}, HTTP: []string{taken.Addr().String()}},
	} {
		s, err := New(cfg, echo{}.service())
		if err != nil {
			t.Fatal(err)
		}
		err = s.Listen()
		if err == nil || !strings.Contains(err.Error(), taken.Addr().String()+" is in use: stop") {
			t.Errorf("Listen: %v", err)
		}
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the socket is still there: %v", err)
		}
		if err := s.Serve(t.Context()); err == nil {
			t.Error("Serve after Listen failed")
		}
	}
}

func TestInheritedFDs(t *testing.T) {
	env := map[string]string{"LISTEN_FDS": "3", "LISTEN_FDNAMES": "grpc:http:grpc", "LISTEN_PID": "7"}
	for _, tt := range []struct {
		name string
		pid  int
		want string
	}{
		{"", 7, "[3 4 5] <nil>"},
		{"grpc", 7, "[3 5] <nil>"},
		{"http", 7, "[4] <nil>"},
		{"9", 1, "[9] <nil>"},
		{"none", 7, "[] no socket was passed under that name: LISTEN_FDNAMES is \"grpc:http:grpc\""},
		{"", 8, "[] the sockets were passed to another process: LISTEN_PID is 7"},
	} {
		fds, err := inheritedFDs(tt.name, func(k string) string { return env[k] }, tt.pid)
		if got := fmt.Sprint(fds, " ", err); got != strings.Replace(tt.want, "] ", "]  ", 1) && got != tt.want {
			t.Errorf("%q: %s, want %s", tt.name, got, tt.want)
		}
	}
	if _, err := inheritedFDs("", func(string) string { return "" }, 1); err == nil {
		t.Error("nothing was passed, and there is no error")
	}
}

// A process serves on the socket that it was started with.
func TestInherited(t *testing.T) {
	if os.Getenv("SERVE_TEST_CHILD") != "" {
		Main(Config{HTTP: []string{"fd://"}, Insecure: os.Getenv("SERVE_TEST_CHILD") == "insecure"}, echo{}.service())
		os.Exit(0)
	}
	if runtime.GOOS == "windows" {
		t.Skip("Windows passes no descriptors")
	}
	for _, tt := range []struct{ addr, mode, want string }{
		{"127.0.0.1:0", "secure", ""},
		{"0.0.0.0:0", "insecure", ""},
		{"0.0.0.0:0", "secure", "other machines reach"},
	} {
		l, err := net.Listen("tcp", tt.addr)
		if err != nil {
			t.Fatal(err)
		}
		f, err := l.(*net.TCPListener).File()
		if err != nil {
			t.Fatal(err)
		}
		l.Close()
		var out strings.Builder
		cmd := exec.Command(os.Args[0], "-test.run=^TestInherited$")
		cmd.Env = append(os.Environ(), "LISTEN_FDS=1", "SERVE_TEST_CHILD="+tt.mode)
		cmd.ExtraFiles = []*os.File{f}
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		f.Close()
		_, port, _ := net.SplitHostPort(l.Addr().String())
		if tt.want == "" {
			conn, err := net.Dial("tcp", "127.0.0.1:"+port)
			if err != nil {
				t.Fatal(err)
			}
			conn.SetDeadline(time.Now().Add(patience))
			fmt.Fprintf(conn, "GET /readyz HTTP/1.0\r\n\r\n")
			b := make([]byte, 15)
			if _, err := conn.Read(b); err != nil || string(b) != "HTTP/1.0 200 OK" {
				t.Errorf("answer %q, %v", b, err)
			}
			conn.Close()
			cmd.Process.Signal(os.Interrupt)
		}
		err = cmd.Wait()
		if (err == nil) != (tt.want == "") || !strings.Contains(out.String(), tt.want) {
			t.Errorf("%s %s: %v\n%s", tt.addr, tt.mode, err, out.String())
		}
	}
}
