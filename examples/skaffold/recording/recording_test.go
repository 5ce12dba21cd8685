package recording

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/skaffoldgen/protoc-gen-skaffold/eventlog"
	"github.com/skaffoldgen/protoc-gen-skaffold/examples/skaffold/project"
	"github.com/skaffoldgen/protoc-gen-skaffold/examples/skaffold/session"
	v1 "github.com/skaffoldgen/protoc-gen-skaffold/examples/skaffold/v1"
	v2 "github.com/skaffoldgen/protoc-gen-skaffold/examples/skaffold/v2"
	pbv1 "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v1"
	pbv2 "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v2"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	fileV1 = "testdata/events.json"
	fileV2 = fileV1 + V2Suffix
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func sessions(t *testing.T, journal string) (*v1.Session, *v2.Session) {
	t.Helper()
	var journal1, journal2 session.Journal
	if journal != "" {
		journal1.Path, journal2.Path = journal, journal+V2Suffix
	}
	s1, _, err := v1.NewSession(journal1, project.Project{}, time.Now)
	must(t, err)
	s2, _, err := v2.NewSession(journal2, project.Project{}, time.Now)
	must(t, err)
	t.Cleanup(func() { s1.Close(); s2.Close() })
	return s1, s2
}

func drain[E proto.Message](t *testing.T, r *eventlog.Reader[E]) []E {
	t.Helper()
	var events []E
	for _, e := range r.All(t.Context()) {
		events = append(events, e)
	}
	must(t, r.Err())
	return events
}

// fromFile reads events without the code under test.
func fromFile[E proto.Message](t *testing.T, name string) []E {
	t.Helper()
	data, err := os.ReadFile(name)
	must(t, err)
	var events []E
	for line := range bytes.Lines(data) {
		var none E
		e := none.ProtoReflect().New().Interface().(E)
		must(t, protojson.Unmarshal(line, e))
		events = append(events, e)
	}
	return events
}

func mustEqual(t *testing.T, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
		t.Errorf("%s: -want +got:\n%s", what, diff)
	}
}

// noSleep notes the pauses.
func noSleep(pauses *[]time.Duration) Sleep {
	return func(_ context.Context, d time.Duration) error {
		*pauses = append(*pauses, d)
		return nil
	}
}

func TestPlay(t *testing.T) {
	r, err := Open(fileV1)
	must(t, err)
	s1, s2 := sessions(t, "")
	var pauses []time.Duration
	must(t, r.Play(t.Context(), s1, s2, 10, noSleep(&pauses)))

	state1, _ := s1.State()
	state2, _ := s2.State()
	// The last iteration has built, and failed: nothing of the first is left.
	mustEqual(t, "artifacts of v1", state1.GetBuildState().GetArtifacts(), map[string]string{"leeroy-web": "Failed"})
	mustEqual(t, "code of v1", state1.GetBuildState().GetStatusCode(), pbv1.StatusCode_BUILD_UNKNOWN)
	mustEqual(t, "artifacts of v2", state2.GetBuildState().GetArtifacts(), map[string]string{"leeroy-web": "Failed"})
	mustEqual(t, "deploy of v1", state1.GetDeployState(), &pbv1.DeployState{Status: "Not Started"})
	mustEqual(t, "deploy of v2", state2.GetDeployState(), &pbv2.DeployState{Status: "NotStarted"})
	mustEqual(t, "ports of v1", len(state1.GetForwardedPorts()), 0)
	if s1.Loops() != 2 || s2.Loops() != 2 {
		t.Errorf("%d and %d iterations, want 2", s1.Loops(), s2.Loops())
	}

	s1.Close()
	s2.Close()
	mustEqual(t, "events of v1", drain(t, s1.Events(0)), fromFile[*pbv1.LogEntry](t, fileV1))
	mustEqual(t, "events of v2", drain(t, s2.Events(0)), fromFile[*pbv2.Event](t, fileV2))

	var sum time.Duration
	for _, d := range pauses {
		sum += d
	}
	// From the first to the last event of both files, ten times as fast.
	if want := (61*time.Second + 150*time.Millisecond) / 10; sum != want {
		t.Errorf("the pauses take %v, want %v", sum, want)
	}
	if want := 5 * time.Millisecond; pauses[0] != want {
		t.Errorf("the first pause takes %v, want %v", pauses[0], want)
	}
}

func TestPlayOneVersion(t *testing.T) {
	dir := t.TempDir()
	data1, err := os.ReadFile(fileV1)
	must(t, err)
	data2, err := os.ReadFile(fileV2)
	must(t, err)
	for name, data := range map[string][]byte{
		"one": data1, "two": data2, "old.v2": data1, "empty": nil, "blank": []byte("\n\n"),
	} {
		must(t, os.WriteFile(filepath.Join(dir, name), data, 0o600))
	}
	for name, want := range map[string][2]int{
		"one": {15, 0}, "two": {0, 16}, "old.v2": {15, 0}, "empty": {0, 0}, "blank": {0, 0},
	} {
		r, err := Open(filepath.Join(dir, name))
		must(t, err)
		s1, s2 := sessions(t, "")
		var pauses []time.Duration
		must(t, r.Play(t.Context(), s1, s2, 0, noSleep(&pauses)))
		_, last1 := s1.State()
		_, last2 := s2.State()
		if got := [2]int{int(last1), int(last2)}; got != want || len(pauses) > 0 {
			t.Errorf("%s: %v events of v1 and v2, want %v; %d pauses", name, got, want, len(pauses))
		}
	}
}

// What a session keeps in its journal can be played: with all that was no event.
func TestPlayJournal(t *testing.T) {
	r, err := Open(fileV1)
	must(t, err)
	file := filepath.Join(t.TempDir(), "journal")
	s1, s2 := sessions(t, file)
	must(t, r.Play(t.Context(), s1, s2, 0, nil))
	must(t, s1.SetTrigger(project.Sync, true, session.ResetBuild))
	must(t, s2.SetTrigger(project.Build, true, session.ResetDeploy))
	must(t, errors.Join(s1.Close(), s2.Close()))

	journal, err := Open(file)
	must(t, err)
	again1, again2 := sessions(t, "")
	must(t, journal.Play(t.Context(), again1, again2, 0, nil))
	want1, _ := s1.State()
	want2, _ := s2.State()
	got1, _ := again1.State()
	got2, _ := again2.State()
	mustEqual(t, "state of v1", got1, want1)
	mustEqual(t, "state of v2", got2, want2)
	must(t, errors.Join(again1.Close(), again2.Close()))
	mustEqual(t, "events of v1", drain(t, again1.Events(0)), drain(t, s1.Events(0)))
	mustEqual(t, "events of v2", drain(t, again2.Events(0)), drain(t, s2.Events(0)))
}

func TestPlayEnds(t *testing.T) {
	r, err := Open(fileV1)
	must(t, err)
	s1, s2 := sessions(t, "")
	ctx, cancel := context.WithCancel(t.Context())
	count := 0
	err = r.Play(ctx, s1, s2, 1, func(ctx context.Context, _ time.Duration) error {
		if count++; count == 3 {
			cancel()
		}
		return ctx.Err()
	})
	_, last1 := s1.State()
	_, last2 := s2.State()
	if !errors.Is(err, context.Canceled) || last1+last2 != 3 {
		t.Errorf("error %v after %d events", err, last1+last2)
	}
	s2.Close()
	if err := r.Play(t.Context(), s1, s2, 0, nil); !errors.Is(err, eventlog.ErrClosed) {
		t.Errorf("error %v, want %v", err, eventlog.ErrClosed)
	}
}

func TestTornRecording(t *testing.T) {
	file := filepath.Join(t.TempDir(), "torn")
	must(t, os.WriteFile(file, []byte(`{"event":{"metaEvent":{}}}`+"\n"+`{"event":{"meta`), 0o600))
	r, err := Open(file)
	must(t, err)
	if len(r.V1) != 1 || len(r.Torn) != 1 || r.Torn[0].Line != 2 {
		t.Errorf("%d events, torn: %v", len(r.V1), r.Torn)
	}
}

func TestOpenErrors(t *testing.T) {
	file := filepath.Join(t.TempDir(), "bad")
	for text, want := range map[string]string{
		`{"event":{"metaEvent":{}}}` + "\n" + `{"event":{"metaEvent":7}}` + "\n": "bad:2:",
		`{"taskEvent":{"iteration":"x"}}` + "\n":                                 "bad:1:",
		"hello\n":                                                                "bad:1:1: invalid character",
	} {
		must(t, os.WriteFile(file, []byte(text), 0o600))
		_, err := Open(file)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "one event a line") {
			t.Errorf("%q: error %v, want %q in it", text, err, want)
		}
	}
	if _, err := Open(file + "missing"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v for a file that is not there", err)
	}
	must(t, os.WriteFile(file, nil, 0o600))
	must(t, os.WriteFile(file+V2Suffix, []byte("{\n"), 0o600))
	if _, err := Open(file); err == nil || !strings.Contains(err.Error(), "bad.v2:1:") {
		t.Errorf("error %v for a bad second file", err)
	}
}

func TestSpeed(t *testing.T) {
	for text, want := range map[string]string{
		"1x": "1x", "1": "1x", "0.5x": "0.5x", "100": "100x", "max": "max",
	} {
		var s Speed
		if err := s.Set(text); err != nil || s.String() != want {
			t.Errorf("%q: %v, %v, want %s", text, &s, err, want)
		}
	}
	for _, text := range []string{"", "x", "0", "-1x", "NaN", "Inf", "1e10", "fast", "1xx"} {
		s := Speed(3)
		if err := s.Set(text); err == nil || s != 3 {
			t.Errorf("%q: %v, no error", text, &s)
		}
	}
}

// Lines without a time, and lines whose time goes back, stay where they are.
func TestOrder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "events")
	line := func(time, text string) string {
		return fmt.Sprintf(`{%s"event":{"metaEvent":{}},"entry":%q}`+"\n", time, text)
	}
	must(t, os.WriteFile(file, []byte(
		line("", "a")+
			line(`"timestamp":"2021-01-01T00:00:10Z",`, "b")+
			line(`"timestamp":"2021-01-01T00:00:05Z",`, "c")+
			line("", "d")+
			line(`"timestamp":"2021-01-01T00:00:11Z",`, "e")), 0o600))
	r, err := Open(file)
	must(t, err)
	s1, s2 := sessions(t, "")
	var pauses []time.Duration
	must(t, r.Play(t.Context(), s1, s2, 1, noSleep(&pauses)))
	s1.Close()
	var got []string
	for _, e := range drain(t, s1.Events(0)) {
		got = append(got, e.GetEntry())
	}
	if !slices.Equal(got, []string{"a", "b", "c", "d", "e"}) || !slices.Equal(pauses, []time.Duration{time.Second}) {
		t.Errorf("played %v with pauses %v", got, pauses)
	}
}
