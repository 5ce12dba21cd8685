package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/skaffoldgen/protoc-gen-skaffold/examples/skaffold/session"
	pbv1 "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v1"
	pbv2 "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v2"
	kitv2 "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v2/skaffoldv2kit"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// process is the program, run by a test.
type process struct {
	t     *testing.T
	app   *app
	end   context.CancelFunc
	ended chan error
	conn  *grpc.ClientConn
	v1    pbv1.SkaffoldServiceClient
	v2    pbv2.SkaffoldV2ServiceClient
	url   string
}

// start runs the program on free ports. Steps of its dev loop take no time.
func start(t *testing.T, args ...string) *process {
	t.Helper()
	o, err := parse(append([]string{"-rpc-port=0", "-rpc-http-port=0", "-demo-step=0"}, args...), io.Discard)
	must(t, err)
	o.serve.Logger = slog.New(slog.DiscardHandler)
	a, err := newApp(o)
	must(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	p := &process{t: t, app: a, end: cancel, ended: make(chan error, 1)}
	go func() { p.ended <- a.run(ctx) }()
	p.conn, err = grpc.NewClient(a.server.GRPCAddrs()[0].String(),
		grpc.WithTransportCredentials(insecure.NewCredentials()))
	must(t, err)
	p.v1, p.v2 = pbv1.NewSkaffoldServiceClient(p.conn), pbv2.NewSkaffoldV2ServiceClient(p.conn)
	p.url = "http://" + a.server.HTTPAddrs()[0].String()
	t.Cleanup(p.stop)
	return p
}

// stop ends the program, and checks that it does so well.
func (p *process) stop() {
	p.t.Helper()
	if p.conn == nil {
		return
	}
	p.end()
	if err := <-p.ended; err != nil {
		p.t.Error(err)
	}
	p.conn.Close()
	p.conn = nil
	http.DefaultClient.CloseIdleConnections()
}

// limited is a context for the calls of a test: one that waits in vain fails.
func limited(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// until receives events until one is as wanted, which it returns.
func until[E any](t *testing.T, stream grpc.ServerStreamingClient[E], want func(*E) bool) *E {
	t.Helper()
	for {
		e, err := stream.Recv()
		must(t, err)
		if want(e) {
			return e
		}
	}
}

func loopEnds(e *pbv2.Event) bool {
	return e.GetTaskEvent().GetTask() == kitv2.TaskEventTaskDevLoop &&
		e.GetTaskEvent().GetStatus() != kitv2.TaskEventStatusInProgress
}

// The first thing that somebody new to it tries.
func TestDemo(t *testing.T) {
	p := start(t)
	events, err := p.v2.Events(limited(t), &emptypb.Empty{})
	must(t, err)
	end := until(t, events, loopEnds)
	if got := end.GetTaskEvent().GetStatus(); got != kitv2.TaskEventStatusSucceeded {
		t.Errorf("the first iteration has ended with %q", got)
	}
	logs, err := p.v2.ApplicationLogs(limited(t), &emptypb.Empty{})
	must(t, err)
	if e, err := logs.Recv(); err != nil || e.GetApplicationLogEvent() == nil {
		t.Errorf("application log %v, error %v", e, err)
	}
}

func TestWithoutDemo(t *testing.T) {
	p := start(t, "-demo=false")
	_, err := p.v1.Execute(limited(t), &pbv1.UserIntentRequest{Intent: &pbv1.Intent{Build: true}})
	must(t, err)
	events, err := p.v2.Events(limited(t), &emptypb.Empty{})
	must(t, err)
	first, err := events.Recv()
	must(t, err)
	if got := first.GetTaskEvent().GetId(); got != "DevLoop-1" {
		t.Errorf("the first event is %v", first)
	}
	until(t, events, loopEnds)
}

func TestFilesChangeInDemo(t *testing.T) {
	p := start(t, "-demo-change-every=1ms")
	events, err := p.v2.Events(limited(t), &emptypb.Empty{})
	must(t, err)
	until(t, events, func(e *pbv2.Event) bool { return e.GetFileSyncEvent() != nil })
	until(t, events, func(e *pbv2.Event) bool {
		return e.GetTaskEvent().GetTask() == kitv2.TaskEventTaskDeploy && e.GetTaskEvent().GetIteration() > 2
	})
}

// GetState says which event it goes up to, and Events can go on from there.
func TestDefect14StateThenEvents(t *testing.T) {
	p := start(t, "-demo=false")
	for port := range int32(3) {
		_, err := p.v2.Handle(limited(t), kitv2.NewPortEvent(&pbv2.PortForwardEvent{LocalPort: port}))
		must(t, err)
	}
	var header metadata.MD
	state, err := p.v2.GetState(limited(t), &emptypb.Empty{}, grpc.Header(&header))
	must(t, err)
	last := header.Get(session.LastEventKey)
	if len(state.GetForwardedPorts()) != 3 || len(last) != 1 || last[0] != "3" {
		t.Fatalf("%d ports, header %v", len(state.GetForwardedPorts()), header)
	}
	ctx := metadata.AppendToOutgoingContext(limited(t), session.AfterEventKey, last[0])
	events, err := p.v2.Events(ctx, &emptypb.Empty{})
	must(t, err)
	_, err = p.v2.Handle(limited(t), kitv2.NewPortEvent(&pbv2.PortForwardEvent{LocalPort: 9000}))
	must(t, err)
	e, err := events.Recv()
	must(t, err)
	if e.GetPortEvent().GetLocalPort() != 9000 {
		t.Errorf("the next event is %v", e)
	}
	for value, code := range map[string]codes.Code{"x": codes.InvalidArgument, "1000": codes.OutOfRange} {
		ctx := metadata.AppendToOutgoingContext(limited(t), session.AfterEventKey, value)
		events, err := p.v1.Events(ctx, &emptypb.Empty{})
		must(t, err)
		if _, err := events.Recv(); status.Code(err) != code {
			t.Errorf("after event %s: error %v, want %v", value, err, code)
		}
	}
}

// Streams end, with all that has happened, when the program does; nobody has to
// be cut off.
func TestDefect08ShutdownEndsStreams(t *testing.T) {
	p := start(t, "-demo=false")
	_, err := p.v2.Handle(limited(t), kitv2.NewTerminationEvent(nil))
	must(t, err)
	_, err = p.v1.Handle(limited(t), &pbv1.Event{})
	must(t, err)
	events, err := p.v2.Events(limited(t), &emptypb.Empty{})
	must(t, err)
	logs, err := p.v2.ApplicationLogs(limited(t), &emptypb.Empty{})
	must(t, err)
	log, err := p.v1.EventLog(limited(t))
	must(t, err)
	_, err = events.Recv()
	must(t, err)
	_, err = log.Recv()
	must(t, err)
	_, err = p.v2.Handle(limited(t), kitv2.NewApplicationLogEvent(nil))
	must(t, err)
	_, err = logs.Recv()
	must(t, err)
	res, err := http.Get(p.url + "/v1/events")
	must(t, err)
	defer res.Body.Close()
	lines := bufio.NewReader(res.Body)
	_, err = lines.ReadString('\n')
	must(t, err)

	p.end()
	for what, recv := range map[string]func() error{
		"Events":          func() error { _, err := events.Recv(); return err },
		"ApplicationLogs": func() error { _, err := logs.Recv(); return err },
		"EventLog":        func() error { _, err := log.Recv(); return err },
		"HTTP":            func() error { _, err := lines.ReadString('\n'); return err },
	} {
		if err := recv(); err != io.EOF {
			t.Errorf("%s has ended with %v", what, err)
		}
	}
	p.stop() // with no error
}

func TestJournalAcrossRestarts(t *testing.T) {
	journal := "-journal=" + filepath.Join(t.TempDir(), "events.json")
	p := start(t, journal)
	events, err := p.v2.Events(limited(t), &emptypb.Empty{})
	must(t, err)
	until(t, events, loopEnds)
	_, err = p.v2.AutoBuild(limited(t), &pbv2.TriggerRequest{})
	must(t, err)
	_, err = p.v1.AutoDeploy(limited(t),
		&pbv1.TriggerRequest{State: &pbv1.TriggerState{Val: &pbv1.TriggerState_Enabled{}}})
	must(t, err)
	before := p.states()
	if o, err := parse([]string{"-rpc-port=0", "-rpc-http-port=-1", journal}, io.Discard); err != nil {
		t.Error(err)
	} else if _, err := newApp(o); err == nil || !strings.Contains(err.Error(), "in use") {
		t.Errorf("a journal that is in use can be opened again: %v", err)
	}
	p.stop()

	p = start(t, journal, "-demo=false")
	if after := p.states(); after != before {
		t.Errorf("after the restart:\n%s\nbefore:\n%s", after, before)
	}
	events, err = p.v2.Events(limited(t), &emptypb.Empty{})
	must(t, err)
	until(t, events, loopEnds)
}

// states are the states of both versions, as JSON, with the numbers of their
// last events.
func (p *process) states() string {
	p.t.Helper()
	var states strings.Builder
	for _, path := range []string{"/v1/state", "/v2/state"} {
		res, err := http.Get(p.url + path)
		must(p.t, err)
		body, err := io.ReadAll(res.Body)
		must(p.t, err)
		must(p.t, res.Body.Close())
		var compact bytes.Buffer
		must(p.t, json.Compact(&compact, body))
		fmt.Fprintln(&states, res.Header.Get("Grpc-Metadata-"+session.LastEventKey), &compact)
	}
	return states.String()
}

func TestReplay(t *testing.T) {
	p := start(t, "-replay=recording/testdata/events.json", "-replay-speed=max")
	events1, err := p.v1.Events(limited(t), &emptypb.Empty{})
	must(t, err)
	until(t, events1, func(e *pbv1.LogEntry) bool { return e.GetEntry() == "Update failed with error code BUILD_UNKNOWN" })
	events2, err := p.v2.Events(limited(t), &emptypb.Empty{})
	must(t, err)
	e := until(t, events2, func(e *pbv2.Event) bool { return e.GetTaskEvent().GetId() == "DevLoop-2" })
	if want := time.Date(2021, 6, 1, 10, 1, 0, 50e6, time.UTC); !e.GetTimestamp().AsTime().Equal(want) {
		t.Errorf("time %v, want that of the recording", e.GetTimestamp().AsTime())
	}
	_, err = p.v2.Execute(limited(t), &pbv2.UserIntentRequest{Intent: &pbv2.Intent{Devloop: true}})
	if status.Code(err) != codes.FailedPrecondition {
		t.Errorf("a recording can be driven: %v", err)
	}
}

// The recorded pace is kept: of an hour, nothing passes in the time of a test.
func TestReplayAtRecordedPace(t *testing.T) {
	p := start(t, "-replay=testdata/slow.json.v2")
	events, err := p.v2.Events(limited(t), &emptypb.Empty{})
	must(t, err)
	_, err = events.Recv()
	must(t, err)
	var header metadata.MD
	_, err = p.v2.GetState(limited(t), &emptypb.Empty{}, grpc.Header(&header))
	must(t, err)
	if got := header.Get(session.LastEventKey); got[0] != "1" {
		t.Errorf("%s events have been played", got)
	}
}

func TestWaitForConnection(t *testing.T) {
	p := start(t, "-demo=false", "-wait-for-connection")
	_, err := p.v2.Handle(limited(t), &pbv2.Event{})
	must(t, err)
	p.end() // which is put off
	_, err = p.v2.GetState(limited(t), &emptypb.Empty{})
	must(t, err)
	events, err := p.v2.Events(limited(t), &emptypb.Empty{})
	must(t, err)
	_, err = events.Recv()
	must(t, err)
	if _, err := events.Recv(); err != io.EOF {
		t.Errorf("the stream has ended with %v", err)
	}
}

func TestBadOptions(t *testing.T) {
	for args, want := range map[string]string{
		"x":                                  `unexpected argument "x"`,
		"-nonsense":                          "flag provided but not defined: -nonsense",
		"-rpc-port=-2":                       "-rpc-port -2: want a port up to 65535",
		"-rpc-http-port=65536":               "-rpc-http-port 65536: want",
		"-rpc-port=-1 -rpc-http-port=-1":     "nothing to serve",
		"-grpc=127.0.0.1:0 -rpc-port=1":      "-rpc-port and -grpc do not go together",
		"-replay=a -journal=b":               "-replay and -journal do not go together",
		"-replay=a -demo":                    "-replay and -demo do not go together",
		"-replay-speed=2x":                   "-replay-speed needs -replay",
		"-journal-salvage":                   "-journal-salvage needs -journal",
		"-replay=a -replay-speed=soon":       `want "max", or a number such as 1x`,
		"-demo-step=-1s":                     "must not be negative",
		"-demo-change-every=-1s -rpc-port=x": "invalid value",
	} {
		_, err := parse(strings.Fields(args), io.Discard)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q in it", args, err, want)
		}
	}
	var help bytes.Buffer
	if _, err := parse([]string{"-help"}, &help); !errors.Is(err, flag.ErrHelp) {
		t.Errorf("-help: error %v", err)
	}
	for _, want := range []string{"curl -N localhost:50052/v2/events", "-rpc-http-port", "-tls-cert"} {
		if !strings.Contains(help.String(), want) {
			t.Errorf("the help says nothing of %s", want)
		}
	}
}

func TestAddresses(t *testing.T) {
	for args, want := range map[string]string{
		"":                               "[127.0.0.1:50051] [127.0.0.1:50052]",
		"-rpc-port=-1":                   "[] [127.0.0.1:50052]",
		"-rpc-http-port=-1 -rpc-port=0":  "[127.0.0.1:0] []",
		"-grpc=unix:///tmp/s":            "[unix:///tmp/s] [127.0.0.1:50052]",
		"-http=[::1]:80 -http=[::1]:81 ": "[127.0.0.1:50051] [[::1]:80 [::1]:81]",
	} {
		o, err := parse(strings.Fields(args), io.Discard)
		must(t, err)
		if got := fmt.Sprint(o.serve.GRPC, o.serve.HTTP); got != want {
			t.Errorf("%s: addresses %s, want %s", args, got, want)
		}
	}
}

func TestStartErrors(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	must(t, err)
	for args, want := range map[string]string{
		"-rpc-port=" + port:                  port,
		"-rpc-port=0 -rpc-http-port=" + port: port,
		"-replay=testdata/missing":           "testdata/missing",
		"-replay=main.go":                    "main.go:1:1:",
		"-journal=testdata/missing/events":   "testdata/missing",
		"-tls-cert=testdata/missing":         "tls-key",
	} {
		if err := run(t.Context(), strings.Fields(args), io.Discard); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q in it", args, err, want)
		}
	}
}
