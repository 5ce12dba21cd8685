package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/skaffoldgen/protoc-gen-skaffold/examples/rkt/store"
)

func TestParseFlags(t *testing.T) {
	for name, test := range map[string]struct {
		args      string
		inherited bool
		grpc      []string
		err       string
	}{
		"default": {"", false, []string{"localhost:15441"}, ""},
		"listen":  {"--listen localhost:0", false, []string{"localhost:0"}, ""},
		"other addresses": {
			"--grpc unix:///run/rkt.sock --grpc :1",
			false,
			[]string{"unix:///run/rkt.sock", ":1"},
			"",
		},
		"both":                   {"--listen :2 --grpc :1", false, []string{":2", ":1"}, ""},
		"inherited":              {"", true, []string{"fd://"}, ""},
		"inherited, of our own":  {"--grpc fd://3", true, []string{"fd://3"}, ""},
		"inherited, with listen": {"--listen :1", true, nil, "systemd has passed sockets"},
		"argument":               {"localhost:1", false, nil, `unexpected argument "localhost:1"`},
		"unknown flag":           {"--nosuch", false, nil, errUsage.Error()},
		"help":                   {"--help", false, nil, flag.ErrHelp.Error()},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			cfg, _, err := parseFlags(strings.Fields(test.args), &out, test.inherited)
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Errorf("error %v, want %q", err, test.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.grpc, cfg.GRPC); diff != "" {
				t.Errorf("addresses (-want +got):\n%s", diff)
			}
		})
	}
}

func TestHelp(t *testing.T) {
	var out bytes.Buffer
	if _, _, err := parseFlags([]string{"--help"}, &out, false); !errors.Is(err, flag.ErrHelp) {
		t.Fatal(err)
	}
	for _, want := range []string{"-listen address", "-data file", "localhost:15441", "SIGHUP"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("help has no %q:\n%s", want, &out)
		}
	}
}

func TestHasInheritedSockets(t *testing.T) {
	t.Setenv("LISTEN_FDS", "1")
	t.Setenv("LISTEN_PID", "1")
	if hasInheritedSockets() {
		t.Error("sockets for another process are taken for our own")
	}
}

func TestLoadFile(t *testing.T) {
	if d, err := load(""); err != nil || len(d.Pods) == 0 {
		t.Errorf("the sample: %v, %v", d, err)
	}
	bad := filepath.Join(t.TempDir(), "bad.json")
	if err := os.WriteFile(bad, []byte("{\n\"pods\": [{}]}"), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		bad:         bad + ": pods[0]: id: a pod's id is missing",
		bad + "x":   "--data: open " + bad + "x: no such file",
		t.TempDir(): "--data: read ",
	} {
		if _, err := load(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("load(%s): %v, want %q", path, err, want)
		}
	}
}

// lineWriter sends what is written to it.
type lineWriter chan string

func (w lineWriter) Write(line []byte) (int, error) {
	w <- string(line)
	return len(line), nil
}

// Each signal is a reload; what cannot be used changes nothing.
func TestReload(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data.json")
	s, err := store.New(parseData(t, images()), newFakeClock(1000).Now)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	lines, hangups, done := make(lineWriter), make(chan os.Signal), make(chan struct{})
	go func() {
		defer close(done)
		reload(ctx, hangups, s, path, slog.New(slog.NewTextHandler(lines, nil)))
	}()
	for _, step := range []struct{ text, want string }{
		{images("a"), "events=1"},
		{"{", "line 1, column 2: the JSON text ends too early"},
		{`{"pods": [{"id": "` + podWeb + `", "state": 6}]}`, "events=4"},
		{`{"pods": [{"id": "` + podWeb + `", "state": 4}]}`, "cannot go to POD_STATE_RUNNING"},
	} {
		if err := os.WriteFile(path, []byte(step.text), 0o600); err != nil {
			t.Fatal(err)
		}
		hangups <- syscall.SIGHUP
		if line := <-lines; !strings.Contains(line, step.want) {
			t.Errorf("the log says %q, want %q", line, step.want)
		}
	}
	cancel()
	<-done
	if _, ok := s.Pod(podWeb); !ok {
		t.Error("the last good description is not there")
	}
}
