package main

import (
	"bufio"
	"net/http"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/skaffoldgen/protoc-gen-skaffold/examples/skaffold/session"
	pbv1 "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v1"
	kitv1 "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v1/skaffoldv1kit"
	pbv2 "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v2"
	kitv2 "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v2/skaffoldv2kit"
)

// Of the events that are no longer kept a client learns from the number of the
// first that it gets, and goes on from there by counting.
func TestResumeAfterTrimming(t *testing.T) {
	p := start(t, "-demo=false")
	const kept, gone = 65_536, 3
	for n := range int32(kept + gone) {
		must(t, p.app.v1.Emit(t.Context(), kitv1.NewPortEvent(&pbv1.PortEvent{LocalPort: n + 1})))
		must(t, p.app.v2.Emit(t.Context(), kitv2.NewPortEvent(&pbv2.PortForwardEvent{LocalPort: n + 1})))
	}

	events1, err := p.v1.Events(limited(t), &emptypb.Empty{})
	must(t, err)
	mustBegin(t, events1, "4")
	if e, err := events1.Recv(); err != nil || e.GetEvent().GetPortEvent().GetLocalPort() != 4 {
		t.Errorf("v1 begins with %v, error %v", e, err)
	}
	log, err := p.v1.EventLog(limited(t))
	must(t, err)
	mustBegin(t, log, "4")
	events2, err := p.v2.Events(limited(t), &emptypb.Empty{})
	must(t, err)
	mustBegin(t, events2, "4")
	if e, err := events2.Recv(); err != nil || e.GetPortEvent().GetLocalPort() != 4 {
		t.Errorf("v2 begins with %v, error %v", e, err)
	}

	after := func(n string) (*pbv2.Event, string, error) {
		ctx := metadata.AppendToOutgoingContext(limited(t), session.AfterEventKey, n)
		events, err := p.v2.Events(ctx, &emptypb.Empty{})
		must(t, err)
		e, err := events.Recv()
		header, _ := events.Header()
		return e, strings.Join(header.Get(session.FirstEventKey), " "), err
	}
	if e, first, err := after("4"); err != nil || first != "5" || e.GetPortEvent().GetLocalPort() != 5 {
		t.Errorf("after event 4: header %q, event %v, error %v", first, e, err)
	}
	if _, first, err := after("1"); status.Code(err) != codes.OutOfRange || first != "" {
		t.Errorf("after event 1: header %q, error %v, want that event 2 is no longer kept", first, err)
	}

	for path, port := range map[string]string{"/v1/events": `"localPort":4`, "/v2/events": `"localPort":4`} {
		p.mustSee(path, "", "4", "4", port)
		p.mustSee(path, "65538", "65539", "65539", strings.Replace(port, "4", "65539", 1))
	}
}

// mustBegin checks which event a stream says that it begins with.
func mustBegin(t *testing.T, stream interface{ Header() (metadata.MD, error) }, want string) {
	t.Helper()
	header, err := stream.Header()
	must(t, err)
	if got := header.Get(session.FirstEventKey); len(got) != 1 || got[0] != want {
		t.Errorf("the stream says that it begins with event %q, want %s", got, want)
	}
}

// mustSee asks for Server-Sent Events, as a browser does that has got some, and
// checks the first.
func (p *process) mustSee(path, lastID, first, id, data string) {
	p.t.Helper()
	req, err := http.NewRequestWithContext(limited(p.t), http.MethodGet, p.url+path, nil)
	must(p.t, err)
	req.Header.Set("Accept", "text/event-stream")
	if lastID != "" {
		req.Header.Set("Last-Event-ID", lastID)
	}
	res, err := http.DefaultClient.Do(req)
	must(p.t, err)
	defer res.Body.Close()
	if got := res.Header.Get("Grpc-Metadata-" + session.FirstEventKey); got != first {
		p.t.Errorf("%s after %q: header %q, want %s", path, lastID, got, first)
	}
	lines := bufio.NewReader(res.Body)
	line, err := lines.ReadString('\n')
	for err == nil && strings.TrimRight(line, "\n") != "id: "+id {
		if strings.HasPrefix(line, "data:") {
			p.t.Errorf("%s after %q: %swithout its id %s", path, lastID, line, id)
		}
		line, err = lines.ReadString('\n')
	}
	must(p.t, err)
	line, err = lines.ReadString('\n')
	must(p.t, err)
	if !strings.Contains(strings.ReplaceAll(line, "_p", "P"), data) {
		p.t.Errorf("%s after %q: event %s has %s, want %s", path, lastID, id, line, data)
	}
}

// The logs of an iteration that has ended are gone; the header tells.
func TestResumeApplicationLogs(t *testing.T) {
	p := start(t, "-demo=false")
	logs, err := p.v2.ApplicationLogs(limited(t), &emptypb.Empty{})
	must(t, err)
	mustBegin(t, logs, "1") // though there is none
	say := func(text string) {
		_, err := p.v2.Handle(limited(t), kitv2.NewApplicationLogEvent(&pbv2.ApplicationLogEvent{Message: text}))
		must(t, err)
	}
	say("a")
	say("b")
	_, err = p.app.v2.BeginLoop()
	must(t, err)
	say("c")
	say("d")
	for after, want := range map[string]string{"": "3 c", "1": "3 c", "3": "4 d"} {
		ctx := limited(t)
		if after != "" {
			ctx = metadata.AppendToOutgoingContext(ctx, session.AfterEventKey, after)
		}
		logs, err := p.v2.ApplicationLogs(ctx, &emptypb.Empty{})
		must(t, err)
		first, text, _ := strings.Cut(want, " ")
		mustBegin(t, logs, first)
		if e, err := logs.Recv(); err != nil || e.GetApplicationLogEvent().GetMessage() != text {
			t.Errorf("after %q: log %v, error %v, want %s", after, e, err, text)
		}
	}
}
