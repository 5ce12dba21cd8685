package store

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/skaffoldgen/protoc-gen-skaffold/eventlog"
	pb "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/rkt/v1alpha"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var noon = time.Date(2016, 4, 1, 12, 0, 0, 0, time.UTC)

func atNoon() time.Time { return noon }

func newStore(t *testing.T, text string) *Store {
	t.Helper()
	s, err := New(mustParse(t, text), atNoon)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *Store) mustLoad(t *testing.T, text string) {
	t.Helper()
	if _, err := s.Load(t.Context(), mustParse(t, text)); err != nil {
		t.Fatal(err)
	}
}

func TestLoad(t *testing.T) {
	s := newStore(t, onePod("PREPARED", "", ""))
	if last := s.Events().Last(); last != 0 {
		t.Errorf("%d events of what was there at start, want none", last)
	}
	n, err := s.Load(t.Context(), mustParse(t, onePod("RUNNING", `, "manifest": {"a": 1}`, "")))
	if n != 2 || err != nil {
		t.Fatalf("Load = %d, %v; want 2 events", n, err)
	}
	pod, ok := s.Pod(podA)
	if !ok || pod.Full.GetState() != pb.PodState_POD_STATE_RUNNING || string(pod.Full.GetManifest()) != `{"a":1}` {
		t.Errorf("pod = %v, %v", pod.Full, ok)
	}
	if pod.Brief.Manifest != nil || len(pod.Brief.GetApps()) != 1 {
		t.Errorf("without detail the pod is %v; only the manifest should be missing", pod.Brief)
	}
	rec, err := s.Events().Reader(0).Next(t.Context())
	if err != nil || rec.Event.Event.GetType() != pb.EventType_EVENT_TYPE_POD_STARTED ||
		rec.Event.Event.GetTime() != noon.Unix() || !rec.Event.At.Equal(noon) {
		t.Errorf("first event = %+v, %v", rec, err)
	}
}

func TestLoadRefused(t *testing.T) {
	s := newStore(t, onePod("EXITED", "", ""))
	_, err := s.Load(t.Context(), mustParse(t, onePod("RUNNING", "", "")))
	if err == nil {
		t.Fatal("a pod that has exited runs again")
	}
	if pod, _ := s.Pod(podA); pod.Full.GetState() != pb.PodState_POD_STATE_EXITED || s.Events().Last() != 0 {
		t.Errorf("after a refused description: pod %v, %d events", pod.Full, s.Events().Last())
	}
}

func TestClosed(t *testing.T) {
	s := newStore(t, `{}`)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Load(t.Context(), mustParse(t, onePod("RUNNING", "", ""))); !errors.Is(err, eventlog.ErrClosed) {
		t.Errorf("Load after Close: %v", err)
	}
}

// withLogs is a description of a running pod with the apps a and b, of which
// those in exited have exited. Lines are letters and seconds.
func withLogs(a, b, exited string) string {
	app := func(name string) string {
		state := "RUNNING"
		if strings.Contains(exited, name) {
			state = "EXITED"
		}
		return fmt.Sprintf(`{"name": %q, "image": {"id": "i"}, "state": "APP_STATE_%s"}`, name, state)
	}
	lines := func(seconds string) string {
		var s []string
		for f := range strings.FieldsSeq(seconds) {
			s = append(s, fmt.Sprintf(`{"time": "2016-04-01T12:00:%sZ", "line": %q}`, f[1:], f))
		}
		return strings.Join(s, ",")
	}
	return fmt.Sprintf(`{"pods": [{"id": %q, "state": 4, "apps": [%s, %s]}], "logs": {%q: {"a": [%s], "b": [%s]}}}`,
		podA, app("a"), app("b"), podA, lines(a), lines(b))
}

// words are lines as withLogs writes them.
func words(lines []Line) string {
	var s []string
	for _, l := range lines {
		s = append(s, l.Text)
	}
	return strings.Join(s, " ")
}

func TestPodLog(t *testing.T) {
	type addition struct{ lines, live string }
	for name, test := range map[string]struct {
		before, after string
		history       string // after
		added         *addition
	}{
		"same": {withLogs("a01", "b02", ""), withLogs("a01", "b02", ""), "a01 b02", nil},
		"one line": {
			withLogs("a01", "b02", ""),
			withLogs("a01 a03", "b02", ""),
			"a01 b02 a03",
			&addition{"a03", "a b"},
		},
		"older line of b": {withLogs("a03", "", ""), withLogs("a03", "b02", ""), "b02 a03", &addition{"b02", "a b"}},
		"both, by time": {
			withLogs("a01", "", ""),
			withLogs("a01 a04 a05", "b03 b06", ""),
			"a01 b03 a04 a05 b06",
			&addition{"b03 a04 a05 b06", "a b"},
		},
		"same time": {
			withLogs("", "", ""),
			withLogs("a01 a02", "b01 b02", ""),
			"a01 b01 a02 b02",
			&addition{"a01 b01 a02 b02", "a b"},
		},
		"rotated": {
			withLogs("a01 a02 a03", "", ""),
			withLogs("a03 a04", "", ""),
			"a03 a04",
			&addition{"a04", "a b"},
		},
		"only rotated": {withLogs("a01 a02 a03", "", ""), withLogs("a03", "", ""), "a03", nil},
		"all new": {
			withLogs("a01 a02", "", ""),
			withLogs("a05 a06", "", ""),
			"a05 a06",
			&addition{"a05 a06", "a b"},
		},
		"repeated": {
			withLogs("a01 a01", "", ""),
			withLogs("a01 a01 a01", "", ""),
			"a01 a01 a01",
			&addition{"a01", "a b"},
		},
		"app exits": {withLogs("a01", "", ""), withLogs("a01 a02", "", "a"), "a01 a02", &addition{"a02", "b"}},
		"both exit": {withLogs("a01", "", "a"), withLogs("a01", "", "ab"), "a01", &addition{"", ""}},
		"pod goes":  {withLogs("a01", "", ""), `{}`, "a01", &addition{"", ""}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t, test.before)
			pod, _ := s.Pod(podA)
			next := pod.Log.Snapshot().Next
			s.mustLoad(t, test.after)

			snapshot := pod.Log.Snapshot()
			if got := words(snapshot.Lines); got != test.history {
				t.Errorf("history = %q, want %q", got, test.history)
			}
			if test.added == nil {
				if snapshot.Next != next {
					t.Errorf("%d additions, want none", snapshot.Next-next)
				}
				return
			}
			rec, err := pod.Log.Additions().Reader(next).Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			got := addition{words(rec.Event.Lines), strings.Join(rec.Event.Live, " ")}
			if got != *test.added || snapshot.Next != next+1 {
				t.Errorf("%d additions, the first %+v; want one, %+v", snapshot.Next-next, got, *test.added)
			}
		})
	}
}

func TestPodLogHas(t *testing.T) {
	s := newStore(t, fmt.Sprintf(`{"pods": [{"id": %q, "state": 4, "apps": [
			{"name": "a", "image": {"id": "i"}}, {"name": "mute", "image": {"id": "i"}}]}],
		"logs": {%q: {"a": []}}}`, podA, podA))
	pod, _ := s.Pod(podA)
	snapshot := pod.Log.Snapshot()
	if !snapshot.Has("a") || !snapshot.Has("") || snapshot.Has("mute") {
		t.Errorf("Has: a %v, any %v, mute %v", snapshot.Has("a"), snapshot.Has(""), snapshot.Has("mute"))
	}
	if diff := cmp.Diff([]string{"a"}, snapshot.Live); diff != "" {
		t.Errorf("live (-want +got):\n%s", diff)
	}
}

func TestNoLogBeforeRun(t *testing.T) {
	s := newStore(t, onePod("PREPARED", "", ""))
	if pod, _ := s.Pod(podA); pod.Log != nil {
		t.Error("a pod that never ran has a log")
	}
}

// A snapshot and the additions after it are each line once, whatever happens
// meanwhile.
func TestSnapshotAndAdditions(t *testing.T) {
	const rounds, readers = 50, 4
	description := func(n int) string {
		var a []string
		for i := range n {
			a = append(a, fmt.Sprintf("a%02d", i))
		}
		exited := ""
		if n == rounds {
			exited = "ab"
		}
		return withLogs(strings.Join(a, " "), "", exited)
	}
	s := newStore(t, description(0))
	pod, _ := s.Pod(podA)
	var wg sync.WaitGroup
	for range readers {
		wg.Go(func() {
			snapshot := pod.Log.Snapshot()
			lines, live := snapshot.Lines[:len(snapshot.Lines):len(snapshot.Lines)], snapshot.Live
			for reader := pod.Log.Additions().Reader(snapshot.Next); len(live) > 0; {
				rec, err := reader.Next(t.Context())
				if err != nil {
					t.Error(err)
					return
				}
				lines, live = append(lines, rec.Event.Lines...), rec.Event.Live
			}
			if want := words(mustParse(t, description(rounds)).Logs[podA]["a"]); words(lines) != want {
				t.Errorf("got %q, want %q", words(lines), want)
			}
		})
	}
	for n := range rounds + 1 {
		s.mustLoad(t, description(n))
	}
	wg.Wait()
}
