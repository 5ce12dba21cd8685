package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"

	pb "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/rkt/v1alpha"
)

// logged describes the pod web with the apps a and b, and mute, which has no
// log. Lines are letters and seconds after 1970. Apps in exited have exited.
func logged(a, b, exited string) string {
	lines := func(words string) string {
		var s []string
		for w := range strings.FieldsSeq(words) {
			s = append(s, fmt.Sprintf(`{"time": "1970-01-01T00:00:%sZ", "line": %q}`, w[1:], w))
		}
		return strings.Join(s, ",")
	}
	app := func(name string) string {
		state := 1
		if strings.Contains(exited, name) {
			state = 2
		}
		return fmt.Sprintf(`{"name": %q, "image": {"id": "i"}, "state": %d}`, name, state)
	}
	return fmt.Sprintf(`{"pods": [{"id": %q, "state": 4, "apps": [%s, %s, %s]}, {"id": %q, "state": 3, "apps": [%s]}],
		"logs": {%q: {"a": [%s], "b": [%s]}}}`,
		podWeb, app("a"), app("b"), app("mute"), podNext, app("a"), podWeb, lines(a), lines(b))
}

// follower is a client of GetLogs.
type follower struct {
	t      *testing.T
	stream grpc.ServerStreamingClient[pb.GetLogsResponse]
}

func (f *fixture) logs(ctx context.Context, request string) *follower {
	f.t.Helper()
	stream, err := f.GetLogs(ctx, parse(f.t, &pb.GetLogsRequest{}, `pod_id: "`+podWeb+`" `+request))
	if err != nil {
		f.t.Fatal(err)
	}
	return &follower{f.t, stream}
}

// want fails the test unless just these responses come next, each of which is
// the words of its lines.
func (l *follower) want(responses ...string) {
	l.t.Helper()
	for _, want := range responses {
		res, err := l.stream.Recv()
		if got := strings.Join(res.GetLines(), " "); err != nil || got != want {
			l.t.Fatalf("got %q, %v; want %q", got, err, want)
		}
	}
}

func (l *follower) wantEnd() {
	l.t.Helper()
	if res, err := l.stream.Recv(); !errors.Is(err, io.EOF) {
		l.t.Errorf("got %v, %v; want the end", res, err)
	}
}

// Without follow there is one response.
func TestGetLogs(t *testing.T) {
	f := start(t, logged("a10 a20 a30", "b15 b25", ""))
	for name, test := range map[string]struct{ request, want string }{
		"all apps":              {``, "a10 b15 a20 b25 a30"},
		"one app":               {`app_name: "a"`, "a10 a20 a30"},
		"lines":                 {`lines: 2`, "b25 a30"},
		"lines of an app":       {`app_name: "b" lines: 1`, "b25"},
		"more lines than are":   {`lines: 1000`, "a10 b15 a20 b25 a30"},
		"since":                 {`since_time: 15`, "a20 b25 a30"},
		"since the last":        {`since_time: 30`, ""},
		"until":                 {`until_time: 20`, "a10 b15"},
		"until the first":       {`until_time: 10`, ""},
		"between":               {`since_time: 10 until_time: 30`, "b15 a20 b25"},
		"last line between":     {`since_time: 10 until_time: 30 lines: 1`, "b25"},
		"until the future":      {`until_time: 99999`, "a10 b15 a20 b25 a30"},
		"since the future":      {`since_time: 99999`, ""},
		"all of it for one app": {`app_name: "a" since_time: 10 until_time: 30 lines: 5`, "a20"},
	} {
		t.Run(name, func(t *testing.T) {
			l := f.logs(t.Context(), test.request)
			l.t = t
			l.want(test.want)
			l.wantEnd()
		})
	}
}

func TestGetLogsErrors(t *testing.T) {
	f := start(t, logged("a10", "", ""))
	for name, test := range map[string]struct {
		request string
		code    codes.Code
		text    string
	}{
		"unknown app": {`app_name: "db"`, codes.NotFound, `shows no app "db"; InspectPod names its apps`},
		"app without log": {
			`app_name: "mute"`,
			codes.FailedPrecondition,
			`app "mute" of pod ` + podWeb + ` has no log`,
		},
		"the same, follow": {`app_name: "mute" follow: true`, codes.FailedPrecondition, "has no log"},
		"pod without logs": {
			`pod_id: "` + podNext + `"`,
			codes.FailedPrecondition,
			"pod " + podNext + " has no logs: it never ran",
		},
		"its app": {
			`pod_id: "` + podNext + `" app_name: "a"`,
			codes.FailedPrecondition,
			"has no log: it never ran",
		},
		"negative lines": {`lines: -1`, codes.InvalidArgument, "lines: -1 is less than none"},
		"impossible window": {
			`since_time: 20 until_time: 10`,
			codes.InvalidArgument,
			"until_time (10) has to be later than since_time (20)",
		},
	} {
		t.Run(name, func(t *testing.T) {
			req := parse(t, &pb.GetLogsRequest{}, test.request)
			if req.GetPodId() == "" {
				req.PodId = podWeb
			}
			stream, err := f.GetLogs(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}
			_, err = stream.Recv()
			wantCode(t, err, test.code, test.text)
		})
	}
}

func TestFollowLogs(t *testing.T) {
	f := start(t, logged("a10 a20", "b15", ""))
	all := f.logs(t.Context(), `follow: true`)
	one := f.logs(t.Context(), `follow: true app_name: "a" lines: 1`)
	late := f.logs(t.Context(), `follow: true since_time: 30`)
	all.want("a10 b15 a20")
	one.want("a20")
	late.want("")

	f.load(1001, logged("a10 a20", "b15 b25", ""))
	f.load(1002, logged("a10 a20 a31 a32", "b15 b25 b33", ""))
	all.want("b25", "a31 a32 b33")
	one.want("a31 a32")
	late.want("a31 a32 b33")

	// The log of one app ends before those of all.
	f.load(1003, logged("a10 a20 a31 a32 a40", "b15 b25 b33", "a"))
	all.want("a40")
	one.want("a40")
	late.want("a40")
	one.wantEnd()
	f.load(1004, logged("a10 a20 a31 a32 a40", "b15 b25 b33 b41", "ab"))
	all.want("b41")
	all.wantEnd()
	late.want("b41")
	late.wantEnd()
}

func TestFollowLogsOfExitedApp(t *testing.T) {
	f := start(t, logged("a10", "", "a"))
	l := f.logs(t.Context(), `follow: true app_name: "a"`)
	l.want("a10")
	l.wantEnd()
}

func TestFollowLogsOfGonePod(t *testing.T) {
	f := start(t, logged("a10", "", ""))
	l := f.logs(t.Context(), `follow: true`)
	l.want("a10")
	f.load(1001, `{}`)
	l.wantEnd()
}

func TestFollowLogsUntil(t *testing.T) {
	f := start(t, logged("a10", "", ""))
	f.clock.set(20)
	l := f.logs(t.Context(), `follow: true until_time: 30`)
	l.want("a10")
	<-f.clock.armed
	f.load(29, logged("a10 a29 a31", "", ""))
	f.clock.set(30)
	f.clock.ring()
	l.want("a29")
	l.wantEnd()
}

func TestFollowLogsUntilPast(t *testing.T) {
	f := start(t, logged("a10 a20", "", ""))
	l := f.logs(t.Context(), `follow: true until_time: 20`)
	l.want("a10")
	l.wantEnd()
}

// That the handler ends is what start checks at the end.
func TestFollowLogsLeave(t *testing.T) {
	f := start(t, logged("a10", "", ""))
	ctx, cancel := context.WithCancel(t.Context())
	l := f.logs(ctx, `follow: true until_time: 5000`)
	l.want("a10")
	<-f.clock.armed
	cancel()
	_, err := l.stream.Recv()
	wantCode(t, err, codes.Canceled, "")
}

func TestFollowLogsShutdown(t *testing.T) {
	f := start(t, logged("a10", "", ""))
	l := f.logs(t.Context(), `follow: true`)
	l.want("a10")
	if err := f.store.Close(); err != nil {
		t.Fatal(err)
	}
	_, err := l.stream.Recv()
	wantCode(t, err, codes.Unavailable, "the server is shutting down")
}

func TestGetLogsSendFails(t *testing.T) {
	f := start(t, logged("a10", "", ""))
	broken := errors.New("broken")
	req := &pb.GetLogsRequest{PodId: podWeb, Follow: true}
	err := f.server.GetLogs(t.Context(), req, failing[*pb.GetLogsResponse]{broken})
	if !errors.Is(err, broken) {
		t.Errorf("error %v, want that of the stream", err)
	}
}
