package serve

import (
	"bufio"
	"context"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/skaffoldgen/protoc-gen-skaffold/eventlog"
)

// resumable follows a log behind the last event that a client has got. It leaves
// out events that are empty.
func resumable(log *eventlog.Log[*text]) Service {
	return echo{watch: func(ctx context.Context, m *text, to Sender[*text]) error {
		if m.Value == "greet" { // a message that is no event
			if err := to.Send(wrapperspb.String("hello")); err != nil {
				return err
			}
		}
		first := eventlog.Seq(1)
		if last, ok := LastEventID(ctx); ok {
			first = eventlog.Seq(last) + 1
		}
		keep := eventlog.Filter(func(m *text) bool { return m.Value != "" })
		if m.Value == "func" {
			return FollowFunc(ctx, log.Reader(first, keep), to,
				func(rec *eventlog.Record[*text]) (*text, error) { return rec.Event, nil })
		}
		return Follow(ctx, log.Reader(first, keep), to)
	}}.service()
}

func TestEventIDs(t *testing.T) {
	log := eventlog.New(eventlog.Proto[*text]())
	for _, s := range []string{"a", "", "b", "c"} {
		log.Append(wrapperspb.String(s))
	}
	log.Close()
	r := start(t, Config{DefaultRoutes: true, SSEHeartbeat: -1}, resumable(log))
	event := func(id int, s string) string { return "id: " + strconv.Itoa(id) + "\ndata: \"" + s + "\"\n\n" }
	all := event(1, "a") + event(3, "b") + event(4, "c")
	const ahead = "event: error\n" +
		`data: {"code":11,"message":"event 10 is ahead of the log: the last is 4","details":[]}` + "\n\n"
	for _, tt := range []struct{ name, body, last, want string }{
		{"from the first on", `""`, "", all},
		{"mapped", `"func"`, "", all},
		{"a message without an id", `"greet"`, "", "data: \"hello\"\n\n" + all},
		{"behind the last", `""`, "3", event(4, "c")},
		{"nothing left", `""`, "4", ""},
		{"of another log", `""`, "9", ahead},
		{"no number", `""`, "x", all},
		{"too large", `""`, "18446744073709551615", all},
	} {
		t.Run(tt.name, func(t *testing.T) {
			header := []string{"Accept", "text/event-stream"}
			if tt.last != "" {
				header = append(header, "Last-Event-ID", tt.last)
			}
			if _, body := r.do("POST", watchMethod, tt.body, header...); body != tt.want {
				t.Errorf("got\n%s\nwant\n%s", body, tt.want)
			}
		})
	}
	// Only clients of Server-Sent Events have ids, and no client can take those of
	// another's stream.
	if _, body := r.do("POST", watchMethod, `""`, "Last-Event-ID", "3"); strings.Count(body, "\n") != 3 {
		t.Errorf("lines of JSON: %s", body)
	}
	ctx := metadata.AppendToOutgoingContext(t.Context(), "last-event-id", "3", httpCallHeader, "1")
	if got, err := recv(r.watch(ctx, "")); err != nil || got != "a" {
		t.Errorf("gRPC: %q, %v", got, err)
	}
}

// A client that lost its connection half-way gets each event once.
func TestEventIDsReconnect(t *testing.T) {
	log := eventlog.New(eventlog.Proto[*text]())
	r := start(t, Config{DefaultRoutes: true}, resumable(log))
	const n = 100
	last := ""
	for i := 1; i <= n; i++ {
		log.Append(wrapperspb.String(strconv.Itoa(i)))
		if i%10 > 0 {
			continue
		}
		ctx, leave := context.WithCancel(t.Context())
		res := r.request(ctx, "POST", watchMethod, http.NoBody, "Accept", "text/event-stream", "Last-Event-ID", last)
		lines := bufio.NewScanner(res.Body)
		for want := i - 9; want <= i; {
			if !lines.Scan() {
				t.Fatal(lines.Err())
			}
			if id, ok := strings.CutPrefix(lines.Text(), "id: "); ok {
				last = id
			} else if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				if number := strconv.Itoa(want); data != `"`+number+`"` || last != number {
					t.Fatalf("event %s is %s, want %s", last, data, number)
				}
				want++
			}
		}
		leave()
		res.Body.Close()
	}
}

func TestSetEventIDElsewhere(t *testing.T) {
	SetEventID(t.Context(), 1) // does nothing
	if id, ok := LastEventID(t.Context()); ok {
		t.Errorf("id %d without a call", id)
	}
}
