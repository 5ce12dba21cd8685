package builds

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/skaffoldgen/protoc-gen-skaffold/eventlog"
	control "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/buildkit/control"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// recording is a build of 5 s, whose third step fails if it is told to.
func recording(ref, failure string) *Recording {
	second := Duration(time.Second)
	return &Recording{
		Record: &control.BuildHistoryRecord{Ref: ref, Frontend: "dockerfile.v0"},
		Steps: []Step{
			{Name: "load", Took: second, Progress: []Task{{ID: "context", Name: "transfer", Total: 42}}},
			{Name: "from", Inputs: []string{"load"}, Cached: true},
			{Name: "run", Inputs: []string{"from"}, Took: 3 * second, Log: "one\ntwo", Error: failure,
				Warnings: []Warning{{Level: 1, Short: "careful", Detail: []string{"why"}, URL: "http://x"}}},
			{Name: "export", Inputs: []string{"run", "load"}, Took: second},
		},
	}
}

// show is a status in one line, with times since the start of the build.
func show(start time.Time, s *control.StatusResponse) string {
	names := map[string]string{}
	for _, step := range recording("", "").frames(start)[0].status.GetVertexes() {
		names[step.GetDigest()] = step.GetName()
	}
	var parts []string
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	at := func(t *timestamppb.Timestamp) string {
		if t == nil {
			return "-"
		}
		return t.AsTime().Sub(start).String()
	}
	for _, v := range s.GetVertexes() {
		add("%s[%s %s%s%s]", v.GetName(), at(v.GetStarted()), at(v.GetCompleted()),
			map[bool]string{true: " cached"}[v.GetCached()], strings.TrimSuffix(" "+v.GetError(), " "))
	}
	for _, t := range s.GetStatuses() {
		add("%s:%s=%d/%d[%s %s]", names[t.GetVertex()], t.GetID(), t.GetCurrent(), t.GetTotal(),
			at(t.GetStarted()), at(t.GetCompleted()))
	}
	for _, l := range s.GetLogs() {
		add("%s>%q[%s]", names[l.GetVertex()], l.GetMsg(), at(l.GetTimestamp()))
	}
	for _, w := range s.GetWarnings() {
		add("%s!%s", names[w.GetVertex()], w.GetShort())
	}
	return strings.Join(parts, " ")
}

var (
	wholeStatus = []string{
		"load[- -] from[- - cached] run[- -] export[- -] load[0s -] load:context=0/42[0s -]",
		"load[0s 1s] from[1s 1s cached] run[1s -] load:context=42/42[0s 1s]",
		`run>"one\n"[2s]`,
		`run>"two"[3s]`,
		"run[1s 4s] export[4s -] run!careful",
		"export[4s 5s]",
	}
	failedStatus = append(slices.Clone(wholeStatus[:4]), "run[1s 4s exit code: 1] run!careful")
)

func TestFrames(t *testing.T) {
	start := time.Unix(1000, 0)
	for _, test := range []struct {
		failure string
		want    []string
	}{{"", wholeStatus}, {"exit code: 1", failedStatus}} {
		var got []string
		for _, f := range recording("a", test.failure).frames(start) {
			got = append(got, show(start, f.status))
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("failure %q: the frames are\n%s\nwant\n%s", test.failure,
				strings.Join(got, "\n"), strings.Join(test.want, "\n"))
		}
	}
}

func TestCheck(t *testing.T) {
	for _, test := range []struct {
		change func(*Recording)
		want   string
	}{
		{func(r *Recording) {}, ""},
		{func(r *Recording) { r.Steps = nil }, ""},
		{func(r *Recording) { r.Record = nil }, "no Ref"},
		{func(r *Recording) { r.Record.Ref = "" }, "no Ref"},
		{func(r *Recording) { r.Record.CreatedAt = &timestamppb.Timestamp{Nanos: -1} }, "timestamp"},
		{func(r *Recording) { r.Steps[0].Name = "" }, "step 1 has no name"},
		{func(r *Recording) { r.Steps[2].Name = "load" }, `step 3: there are two with the name "load"`},
		{func(r *Recording) { r.Steps[1].Inputs = []string{"run"} }, `no step before it is named "run"`},
		{func(r *Recording) { r.Steps[0].Inputs = []string{"load"} }, `no step before it is named "load"`},
		{func(r *Recording) { r.Steps[0].Took = -1 }, `step "load": steps take between no time and`},
		{func(r *Recording) { r.Steps[2].Took = longest }, `step "run": steps take between no time and`},
		{func(r *Recording) { r.Steps[1].Took = 1 }, `step "from" is cached`},
		{func(r *Recording) { r.Steps[1].Error = "x" }, `step "from" is cached`},
	} {
		r := recording("a", "")
		test.change(r)
		err := r.Check()
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("the error is %v, want %q", err, test.want)
		}
	}
}

func TestDuration(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"1.5s": 1500 * time.Millisecond, "0s": 0, "-1s": -1, "": -1, "1": -1, // -1: an error
	} {
		var d Duration
		err := d.UnmarshalText([]byte(text))
		if (err != nil) != (want < 0) || err == nil && time.Duration(d) != want {
			t.Errorf("%q is %v, %v; want %v", text, time.Duration(d), err, want)
		}
	}
}

func TestSplit(t *testing.T) {
	log := func(msg string) *control.VertexLog {
		return &control.VertexLog{Vertex: "v", Stream: 2, Msg: []byte(msg)}
	}
	for _, test := range []struct {
		logs []string
		want string // messages, with their pieces of output
	}{
		{nil, "[]"},
		{[]string{"abcd"}, "[abcd]"},
		{[]string{"ab", "cd"}, "[ab cd]"},
		{[]string{"abcde"}, "[abcd] [e]"},
		{[]string{"abc", "de", "f"}, "[abc d] [e f]"},
		{[]string{"abcd", "e"}, "[abcd] [e]"},
		{[]string{"abcdefghi"}, "[abcd] [efgh] [i]"},
		{[]string{"abcd", "", "e"}, "[abcd ] [e]"},
	} {
		status := &control.StatusResponse{
			Vertexes: []*control.Vertex{{Name: "v"}}, Statuses: []*control.VertexStatus{{ID: "s"}},
			Warnings: []*control.VertexWarning{{Level: 1}},
		}
		for _, l := range test.logs {
			status.Logs = append(status.Logs, log(l))
		}
		parts := slices.Collect(split(status, 4))
		var got []string
		for i, p := range parts {
			var pieces []string
			for _, l := range p.GetLogs() {
				pieces = append(pieces, string(l.GetMsg()))
				if l.GetVertex() != "v" || l.GetStream() != 2 {
					t.Errorf("%q: a piece is %v", test.logs, l)
				}
			}
			got = append(got, "["+strings.Join(pieces, " ")+"]")
			first, last := i == 0, i == len(parts)-1
			if (len(p.GetVertexes()) > 0) != first || (len(p.GetStatuses()) > 0) != first ||
				(len(p.GetWarnings()) > 0) != last {
				t.Errorf("%q: message %d of %d is %v", test.logs, i+1, len(parts), p)
			}
		}
		if got := strings.Join(got, " "); got != test.want {
			t.Errorf("%q: %s, want %s", test.logs, got, test.want)
		}
	}
}

// TestLongOutput reports more output than fits a message.
func TestLongOutput(t *testing.T) {
	b := &build{status: newStatus()}
	output := bytes.Repeat([]byte("0123456789abcdef"), 3*maxLogs/16)
	if err := b.report(&control.StatusResponse{Logs: []*control.VertexLog{{Msg: output}}}); err != nil {
		t.Fatal(err)
	}
	b.status.Close()
	var got []byte
	for _, s := range b.status.Reader(1).All(t.Context()) {
		size := 0
		for _, l := range s.GetLogs() {
			size += len(l.GetMsg())
			got = append(got, l.GetMsg()...)
		}
		if size > 1<<20 {
			t.Errorf("a message has %d bytes of output", size)
		}
	}
	if !bytes.Equal(got, output) {
		t.Errorf("the pieces are not the output")
	}
}

// read is all that a build reports until it ends, as show shows it, with the
// time of arrival.
func read(ctx context.Context, h *History, ref string, start time.Time) ([]string, error) {
	reader, err := h.Status(ctx, ref, 0)
	if err != nil {
		return nil, err
	}
	var got []string
	for _, s := range reader.All(ctx) {
		got = append(got, time.Since(start).String()+" "+show(start, s))
	}
	return got, reader.Err()
}

func TestRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, start := New(Config{MaxEntries: 10, MaxAge: time.Hour}), time.Now()
		_, events := h.Listen(Query{})
		var wg sync.WaitGroup
		defer wg.Wait()
		wg.Go(func() {
			if err := h.Run(t.Context(), recording("recorded", ""), "a"); err != nil {
				t.Error(err)
			}
		})
		if e := next(t, events); e.GetType() != control.BuildHistoryEventType_STARTED || e.GetRecord().GetRef() != "a" ||
			!e.GetRecord().GetCreatedAt().AsTime().Equal(start) || e.GetRecord().GetNumTotalSteps() != 4 {
			t.Errorf("the first event is %v", e)
		}
		time.Sleep(2500 * time.Millisecond) // in the middle of the build
		got, err := read(t.Context(), h, "a", start)
		if err != nil {
			t.Error(err)
		}
		arrival := []string{"2.5s", "2.5s", "2.5s", "3s", "4s", "5s"}
		for i, want := range wholeStatus {
			if want := arrival[i] + " " + want; i >= len(got) || got[i] != want {
				t.Errorf("message %d is %s\nwant %s", i, slices.Concat(got, make([]string, 9))[i], want)
			}
		}
		rec := next(t, events).GetRecord()
		if rec.GetNumCompletedSteps() != 4 || rec.GetNumCachedSteps() != 1 || rec.GetNumTotalSteps() != 4 ||
			rec.GetError() != nil || rec.GetFrontend() != "dockerfile.v0" ||
			!rec.GetCompletedAt().AsTime().Equal(start.Add(5*time.Second)) {
			t.Errorf("the record is %v", rec)
		}
		if again, err := read(t.Context(), h, "a", start); err != nil || len(again) != len(wholeStatus) {
			t.Errorf("the status of the stored build has %d messages, %v; want %d", len(again), err, len(wholeStatus))
		}
	})
}

func TestRunFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, start := New(Config{MaxEntries: 10, MaxAge: time.Hour}), time.Now()
		if err := h.Run(t.Context(), recording("a", "exit code: 1"), "a"); err != nil {
			t.Fatal(err)
		}
		if got, err := read(t.Context(), h, "a", start); err != nil || len(got) != len(failedStatus) {
			t.Errorf("the status has %d messages, %v; want %d", len(got), err, len(failedStatus))
		}
		rec := stored(h, "a")
		if rec.GetError().GetMessage() != "failed to solve: run: exit code: 1" ||
			rec.GetError().GetCode() != int32(codes.Unknown) ||
			rec.GetNumTotalSteps() != 4 || rec.GetNumCompletedSteps() != 3 {
			t.Errorf("the record is %v", rec)
		}
		if err := h.Run(t.Context(), recording("a", ""), "a"); !errors.Is(err, ErrExists) {
			t.Errorf("running a ref again: %v, want ErrExists", err)
		}
	})
}

func TestRunCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, start := New(Config{MaxEntries: 10, MaxAge: time.Hour}), time.Now()
		stop := errors.New("stopped")
		ctx, cancel := context.WithTimeoutCause(t.Context(), 3500*time.Millisecond, stop)
		defer cancel()
		if err := h.Run(ctx, recording("a", ""), "a"); err != stop {
			t.Errorf("Run returns %v, want the context's cause", err)
		}
		got, err := read(t.Context(), h, "a", start)
		if want := "3.5s run[1s 3.5s stopped]"; err != nil || got[len(got)-1] != want {
			t.Errorf("the last message is %s, %v\nwant %s", got[len(got)-1], err, want)
		}
		rec := stored(h, "a")
		if rec.GetError().GetCode() != int32(codes.Canceled) || rec.GetError().GetMessage() != "stopped" ||
			rec.GetNumCompletedSteps() != 3 {
			t.Errorf("the record is %v", rec)
		}
	})
}

func TestStatusWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, start := New(Config{MaxEntries: 10, MaxAge: time.Hour}), time.Now()
		_, err := h.Status(t.Context(), "a", 6*time.Second)
		if !errors.Is(err, ErrUnknown) || !strings.Contains(err.Error(), "no such job a") {
			t.Errorf("an unknown ref: %v, want ErrUnknown", err)
		}
		if waited := time.Since(start); waited != 6*time.Second {
			t.Errorf("it waited %v, want 6s", waited)
		}
		gone := errors.New("gone")
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, gone)
		defer cancel()
		if _, err := h.Status(ctx, "a", time.Minute); err != gone {
			t.Errorf("a caller that goes: %v, want the context's cause", err)
		}

		var wg sync.WaitGroup
		defer wg.Wait()
		start = time.Now()
		wg.Go(func() {
			time.Sleep(time.Second)
			if err := h.Run(t.Context(), recording("b", ""), "b"); err != nil {
				t.Error(err)
			}
		})
		wg.Go(func() {
			time.Sleep(2 * time.Second)
			if err := h.Run(t.Context(), recording("a", ""), "a"); err != nil {
				t.Error(err)
			}
		})
		if _, err := h.Status(t.Context(), "a", 6*time.Second); err != nil {
			t.Error(err)
		}
		if waited := time.Since(start); waited != 2*time.Second {
			t.Errorf("it waited %v for a build that starts after 2s", waited)
		}
	})
}

func TestStatusOfClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := New(Config{MaxEntries: 10, MaxAge: time.Hour})
		var wg sync.WaitGroup
		wg.Go(func() {
			if _, err := h.Status(t.Context(), "a", time.Minute); !errors.Is(err, ErrClosed) {
				t.Errorf("waiting when the history is closed: %v, want ErrClosed", err)
			}
		})
		synctest.Wait()
		if err := h.Close(); err != nil {
			t.Error(err)
		}
		wg.Wait()
		if err := h.Run(t.Context(), recording("a", ""), "a"); !errors.Is(err, ErrClosed) {
			t.Errorf("Run: %v, want ErrClosed", err)
		}
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
}

// next is the next event, which has to come.
func next(t *testing.T, r *eventlog.Reader[*control.BuildHistoryEvent]) *control.BuildHistoryEvent {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	rec, err := r.Next(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return rec.Event
}

// stored is the record of a build.
func stored(h *History, ref string) *control.BuildHistoryRecord {
	for _, e := range first(h.Listen(Query{Ref: ref})) {
		return e.GetRecord()
	}
	return nil
}

func first[A, B any](a A, _ B) A { return a }

// brief is an event such as "STARTED a".
func brief(e *control.BuildHistoryEvent) string {
	return e.GetType().String() + " " + e.GetRecord().GetRef()
}

func briefs(events []*control.BuildHistoryEvent) string {
	var all []string
	for _, e := range events {
		all = append(all, brief(e))
	}
	return strings.Join(all, ", ")
}

func TestStore(t *testing.T) {
	h := New(Config{MaxEntries: 10, MaxAge: time.Hour})
	start := time.Unix(1000, 0)
	r := recording("a", "exit code: 1")
	r.Record.CreatedAt, r.Record.Pinned = timestamppb.New(start), true
	if err := h.Store(r); err != nil {
		t.Fatal(err)
	}
	rec := stored(h, "a")
	if !rec.GetPinned() ||
		rec.GetNumTotalSteps() != 4 || rec.GetNumCompletedSteps() != 3 || rec.GetNumCachedSteps() != 1 ||
		!rec.GetCompletedAt().AsTime().Equal(start.Add(4*time.Second)) || rec.GetError() == nil {
		t.Errorf("the record is %v", rec)
	}
	if got, err := read(t.Context(), h, "a", start); err != nil || len(got) != len(failedStatus) {
		t.Errorf("the status has %d messages, %v; want %d", len(got), err, len(failedStatus))
	}
	if err := h.Store(r); !errors.Is(err, ErrExists) {
		t.Errorf("storing it again: %v, want ErrExists", err)
	}
	bare := &Recording{Record: &control.BuildHistoryRecord{Ref: "b", NumTotalSteps: 7}}
	if err := h.Store(bare); err != nil {
		t.Fatal(err)
	}
	rec = stored(h, "b")
	if rec.GetCreatedAt() == nil || rec.GetCompletedAt() == nil || rec.GetNumTotalSteps() != 7 {
		t.Errorf("the record of a build without steps is %v", rec)
	}
}

func TestListen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := New(Config{MaxEntries: 10, MaxAge: time.Hour})
		ctx, stop := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		run := func(ctx context.Context, ref string, more time.Duration) {
			r := recording(ref, "")
			r.Steps[0].Took += Duration(more)
			wg.Go(func() { _ = h.Run(ctx, r, ref) })
			synctest.Wait()
		}
		run(t.Context(), "y", time.Second)
		run(t.Context(), "z", 0) // ends before y
		time.Sleep(7 * time.Second)
		run(ctx, "c", 0)
		run(ctx, "b", 0)
		for _, test := range []struct {
			query Query
			want  string
		}{
			{Query{}, "STARTED c, STARTED b, COMPLETE z, COMPLETE y"},
			{Query{ActiveOnly: true}, "STARTED c, STARTED b"},
			{Query{Ref: "z"}, "COMPLETE z"},
			{Query{Ref: "b"}, "STARTED b"},
			{Query{Ref: "z", ActiveOnly: true}, ""},
			{Query{Ref: "nothing"}, ""},
		} {
			if got := briefs(first(h.Listen(test.query))); got != test.want {
				t.Errorf("%+v: %s, want %s", test.query, got, test.want)
			}
		}
		_, all := h.Listen(Query{ActiveOnly: true})
		_, one := h.Listen(Query{Ref: "z"})
		stop()
		wg.Wait()
		for range 2 {
			if e := next(t, all); e.GetType() != control.BuildHistoryEventType_COMPLETE {
				t.Errorf("a build ends with %s", brief(e))
			}
		}
		if err := errors.Join(h.Pin("z", true), h.Pin("y", true), h.Delete("z")); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"COMPLETE z", "COMPLETE y", "DELETED z"} {
			if got := brief(next(t, all)); got != want {
				t.Errorf("the next event is %s, want %s", got, want)
			}
		}
		for _, want := range []string{"COMPLETE z", "DELETED z"} {
			if got := brief(next(t, one)); got != want {
				t.Errorf("the next event of z is %s, want %s", got, want)
			}
		}
		if err := h.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := all.Next(t.Context()); err != io.EOF {
			t.Errorf("after Close: %v, want io.EOF", err)
		}
	})
}

func TestUpdate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := New(Config{MaxEntries: 10, MaxAge: time.Hour})
		var wg sync.WaitGroup
		wg.Go(func() { _ = h.Run(t.Context(), recording("active", ""), "active") })
		synctest.Wait()
		if err := h.Store(recording("stored", "")); err != nil {
			t.Fatal(err)
		}
		for ref, want := range map[string]error{"nothing": ErrUnknown, "active": ErrActive} {
			for name, f := range map[string]func(string) error{
				"pin":      func(ref string) error { return h.Pin(ref, true) },
				"delete":   h.Delete,
				"finalize": h.Finalize,
			} {
				if err := f(ref); !errors.Is(err, want) || !strings.HasSuffix(err.Error(), " "+ref) {
					t.Errorf("%s %s: %v, want %v", name, ref, err, want)
				}
			}
		}
		if err := h.Finalize("stored"); err != nil {
			t.Error(err)
		}
		for i, pinned := range []bool{true, true, false} {
			before := stored(h, "stored")
			if err := h.Pin("stored", pinned); err != nil {
				t.Error(err)
			}
			if rec := stored(h, "stored"); rec.GetPinned() != pinned || rec.GetGeneration() != int32(i+1) {
				t.Errorf("pin %t: the record is %v", pinned, rec)
			}
			if before.GetGeneration() != int32(i) {
				t.Errorf("a record that a listener has was changed to %v", before)
			}
		}
		if err := h.Delete("stored"); err != nil {
			t.Error(err)
		}
		if rec := stored(h, "stored"); rec != nil {
			t.Errorf("the deleted record is %v", rec)
		}
		if _, err := h.Status(t.Context(), "stored", 0); !errors.Is(err, ErrUnknown) {
			t.Errorf("the status of a deleted build: %v, want ErrUnknown", err)
		}
		wg.Wait()
	})
}

// TestExpire keeps builds for an hour, two at least, and pinned ones.
func TestExpire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := New(Config{MaxEntries: 2, MaxAge: time.Hour})
		build := func(ref string) {
			if err := h.Run(t.Context(), recording(ref, ""), ref); err != nil {
				t.Error(err)
			}
		}
		expect := func(want string) {
			t.Helper()
			if got := briefs(first(h.Listen(Query{}))); got != want {
				t.Errorf("there are %s, want %s", got, want)
			}
		}
		_, events := h.Listen(Query{})
		build("a")
		build("b")
		build("c")
		if err := h.Pin("b", true); err != nil {
			t.Error(err)
		}
		build("d")
		expect("COMPLETE a, COMPLETE b, COMPLETE c, COMPLETE d")
		time.Sleep(time.Hour)
		expect("COMPLETE a, COMPLETE b, COMPLETE c, COMPLETE d")
		build("e")
		expect("COMPLETE b, COMPLETE d, COMPLETE e")
		var deleted []string
		for len(deleted) < 2 {
			if e := next(t, events); e.GetType() == control.BuildHistoryEventType_DELETED {
				deleted = append(deleted, e.GetRecord().GetRef())
			}
		}
		if !slices.Equal(deleted, []string{"a", "c"}) {
			t.Errorf("deleted are %q", deleted)
		}
	})
}

// TestListenMissesNothing has listeners come at any time while builds come, are
// changed and go. Each follows what it is told, and complains of an event that
// cannot be the next one: if one was missed, or came twice, or in another order.
func TestListenMissesNothing(t *testing.T) {
	const writers, builds, listeners = 4, 150, 40
	h := New(Config{MaxEntries: builds * writers, MaxAge: time.Hour})
	var writing, listening sync.WaitGroup
	for w := range writers {
		writing.Go(func() {
			for i := range builds {
				if err := live(h, fmt.Sprintf("%d.%d", w, i)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	states := make([]map[string]string, listeners)
	for i := range listeners {
		listening.Go(func() {
			for range rand.IntN(200) {
				h.get("") // come at another time than the others
			}
			states[i] = follow(t, h)
		})
	}
	writing.Wait()
	if err := h.Close(); err != nil {
		t.Error(err)
	}
	listening.Wait()
	want := map[string]string{}
	for _, e := range first(h.Listen(Query{})) {
		want[e.GetRecord().GetRef()] = state(e)
	}
	for i, got := range states {
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("listener %d ends with %v\nwant %v", i, got, want)
		}
	}
}

// live is the life of a build; every third is left at its end.
func live(h *History, ref string) error {
	rec := &control.BuildHistoryRecord{Ref: ref}
	b, err := h.start(rec)
	if err != nil {
		return err
	}
	if err := h.complete(b, rec); err != nil {
		return err
	}
	err = errors.Join(h.Pin(ref, true), h.Pin(ref, false))
	if rand.IntN(3) > 0 {
		err = errors.Join(err, h.Delete(ref))
	}
	return err
}

// state is what a build is after an event: "" if it is gone.
func state(e *control.BuildHistoryEvent) string {
	switch e.GetType() {
	case control.BuildHistoryEventType_STARTED:
		return "active"
	case control.BuildHistoryEventType_COMPLETE:
		return fmt.Sprint("generation ", e.GetRecord().GetGeneration())
	}
	return ""
}

// follow listens to the end, and returns the state of each build then.
func follow(t *testing.T, h *History) map[string]string {
	replay, events := h.Listen(Query{})
	states := map[string]string{}
	for _, e := range replay {
		if states[e.GetRecord().GetRef()] != "" {
			t.Errorf("%s is there twice", e.GetRecord().GetRef())
		}
		states[e.GetRecord().GetRef()] = state(e)
	}
	successor := map[string]string{
		"": "active", "active": "generation 0", "generation 0": "generation 1", "generation 1": "generation 2",
		"generation 2": "",
	}
	for _, e := range events.All(t.Context()) {
		ref := e.GetRecord().GetRef()
		if was, is := states[ref], state(e); successor[was] != is {
			t.Errorf("%s goes from %q to %q", ref, was, is)
		}
		if states[ref] = state(e); states[ref] == "" {
			delete(states, ref)
		}
	}
	if err := events.Err(); err != nil {
		t.Error(err)
	}
	return states
}
