//go:build linux || darwin

package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"

	pbv1 "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v1"
	kitv1 "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v1/skaffoldv1kit"
	pbv2 "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v2"
	kitv2 "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v2/skaffoldv2kit"
)

// fullAt is the size beyond which limitFiles lets no file grow: more than any
// file has that the test does not mean.
const fullAt = 1 << 20

// limitFiles has writes to large files fail, as on a full disk, until the
// returned function is called.
func limitFiles(t *testing.T) (unlimit func()) {
	t.Helper()
	var before syscall.Rlimit
	must(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &before))
	signal.Ignore(syscall.SIGXFSZ)
	must(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: fullAt, Max: before.Max}))
	unlimit = func() {
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
			t.Error(err)
		}
		signal.Reset(syscall.SIGXFSZ)
	}
	t.Cleanup(unlimit)
	return unlimit
}

// ready waits until the server says that it is ready, or that it is not.
func (p *process) ready(want bool) {
	p.t.Helper()
	code := map[bool]int{true: http.StatusOK, false: http.StatusServiceUnavailable}[want]
	for deadline := time.Now().Add(time.Minute); ; {
		res, err := http.Get(p.url + "/readyz")
		must(p.t, err)
		res.Body.Close()
		if res.StatusCode == code {
			return
		}
		if time.Now().After(deadline) {
			p.t.Fatalf("readiness has the status %d, want %d", res.StatusCode, code)
		}
	}
}

// mustRefuse checks that calls which would change something say why they do not.
func (p *process) mustRefuse() {
	p.t.Helper()
	ctx := limited(p.t)
	enabled1 := &pbv1.TriggerRequest{State: &pbv1.TriggerState{Val: &pbv1.TriggerState_Enabled{}}}
	// The first ones write to both journals, and so find out.
	for _, c := range []struct {
		name string
		call func() (*emptypb.Empty, error)
	}{
		{"Handle of v1", func() (*emptypb.Empty, error) { return p.v1.Handle(ctx, &pbv1.Event{}) }},
		{"Handle of v2", func() (*emptypb.Empty, error) { return p.v2.Handle(ctx, &pbv2.Event{}) }},
		{"Execute of v1", func() (*emptypb.Empty, error) {
			return p.v1.Execute(ctx, &pbv1.UserIntentRequest{Intent: &pbv1.Intent{Build: true}})
		}},
		{"Execute of v2, which resets nothing", func() (*emptypb.Empty, error) {
			return p.v2.Execute(ctx, &pbv2.UserIntentRequest{Intent: &pbv2.Intent{Sync: true}})
		}},
		{"AutoSync of v1", func() (*emptypb.Empty, error) { return p.v1.AutoSync(ctx, enabled1) }},
		{"AutoBuild of v2", func() (*emptypb.Empty, error) { return p.v2.AutoBuild(ctx, &pbv2.TriggerRequest{}) }},
	} {
		_, err := c.call()
		if status.Code(err) != codes.Unavailable || !strings.Contains(status.Convert(err).Message(), "file too large") {
			p.t.Errorf("%s: error %v, want UNAVAILABLE and the reason", c.name, err)
		}
	}
}

// A write that fails leaves no lock held: what is there can be read, what would
// be lost is refused, and all goes on when writes succeed again.
func TestDefect09FailedWrites(t *testing.T) {
	p := start(t, "-demo=false", "-journal="+filepath.Join(t.TempDir(), "events.json"))
	text := strings.Repeat("x", fullAt/4)
	for range 5 {
		_, err := p.v1.Handle(limited(t), kitv1.NewMetaEvent(&pbv1.MetaEvent{Entry: text}))
		must(t, err)
		_, err = p.v2.Handle(limited(t), kitv2.NewMetaEvent(&pbv2.MetaEvent{Entry: text}))
		must(t, err)
	}
	events, err := p.v2.Events(limited(t), &emptypb.Empty{})
	must(t, err)
	before := p.states()
	p.ready(true)

	unlimit := limitFiles(t)
	p.mustRefuse()
	p.ready(false)
	p.mustRefuse()
	if now := p.states(); now != before {
		t.Errorf("the states were\n%s\nand are\n%s", before, now)
	}
	for range 5 {
		if _, err := events.Recv(); err != nil {
			t.Fatal(err)
		}
	}

	unlimit()
	p.ready(true) // though nobody calls
	_, err = p.v2.Execute(limited(t), &pbv2.UserIntentRequest{Intent: &pbv2.Intent{Devloop: true}})
	must(t, err)
	if end := until(t, events, loopEnds); end.GetTaskEvent().GetStatus() != kitv2.TaskEventStatusSucceeded {
		t.Errorf("the iteration has ended so: %v", end)
	}

	// The first call may come before the server has noticed.
	unlimit = limitFiles(t)
	p.mustRefuse()
	unlimit()
	_, err = p.v1.Execute(limited(t), &pbv1.UserIntentRequest{Intent: &pbv1.Intent{Build: true}})
	must(t, err)
	until(t, events, loopEnds)
	p.ready(true)
}

// A line that cannot be read is told where it is and how to go on without.
func TestJournalSalvage(t *testing.T) {
	file := filepath.Join(t.TempDir(), "events.json")
	const good = `{"metaEvent":{"entry":"good"}}` + "\n"
	must(t, os.WriteFile(file+".v2", []byte(good+"{broken\n"+good+`{"metaEv`), 0o600))
	args := []string{"-rpc-port=0", "-rpc-http-port=0", "-demo=false", "-journal=" + file}
	err := run(t.Context(), args, io.Discard)
	if err == nil || !strings.Contains(err.Error(), file+".v2:2:") || !strings.Contains(err.Error(), "-journal-salvage") {
		t.Errorf("error %v, want the line and the flag in it", err)
	}

	var log strings.Builder
	o, err := parse(append(args, "-journal-salvage"), &log)
	must(t, err)
	o.serve.Logger = slog.New(slog.NewTextHandler(&log, nil))
	a, err := newApp(o)
	must(t, err)
	_, last := a.v2.State()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	must(t, a.run(ctx)) // to its end, at once
	if last != 2 {
		t.Errorf("%d events, want the 2 that can be read", last)
	}
	for _, want := range []string{
		fmt.Sprintf("journal=%s.v2 events=2 lost=1 torn=true", file),
		"line was torn, and has been cut off",
		"an event is lost", file + ".v2:2:",
		"file=" + file + ".v2.broken",
	} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log does not say %q:\n%s", want, &log)
		}
	}
}
