package devloop

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/skaffoldgen/protoc-gen-skaffold/eventlog"
	"github.com/skaffoldgen/protoc-gen-skaffold/examples/skaffold/project"
	"github.com/skaffoldgen/protoc-gen-skaffold/examples/skaffold/session"
	v1 "github.com/skaffoldgen/protoc-gen-skaffold/examples/skaffold/v1"
	v2 "github.com/skaffoldgen/protoc-gen-skaffold/examples/skaffold/v2"
	pbv1 "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v1"
	kitv1 "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v1/skaffoldv1kit"
	pbv2 "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v2"
	kitv2 "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v2/skaffoldv2kit"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// rig is a runner at work, whose steps fail as the test wants.
type rig struct {
	t       *testing.T
	v1      *v1.Session
	v2      *v2.Session
	runner  *Runner
	events1 *eventlog.Reader[*pbv1.LogEntry]
	events2 *eventlog.Reader[*pbv2.Event]
	stop    func() error

	mu     sync.Mutex
	fails  map[Step]error
	breaks map[Step]error // why no more events are taken once a step is done
	broken error          // why no events are taken
	logged chan string    // what the runner has logged
}

func newRig(t *testing.T, auto project.Triggers) *rig {
	t.Helper()
	p := project.Project{
		Artifacts: []project.Artifact{
			{Image: "web", Deployment: "web", LocalPort: 9000, Port: 8080},
			{Image: "db", Deployment: "db"},
		},
		Auto: auto,
	}
	now := func() time.Time { return time.Date(2021, 2, 3, 4, 5, 6, 0, time.UTC) }
	s1, _, err1 := v1.NewSession(session.Journal{}, p, now)
	s2, _, err2 := v2.NewSession(session.Journal{}, p, now)
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	r := &rig{
		t: t, v1: s1, v2: s2, events1: s1.Events(1), events2: s2.Events(1),
		fails: map[Step]error{}, breaks: map[Step]error{}, logged: make(chan string, 10),
	}
	r.runner = New(p, s1, s2, r.work, slog.New(slog.NewTextHandler(r, nil)))
	r.runner.emit1 = kitv1.NewEventEmitter(func(ctx context.Context, e *pbv1.Event) error {
		return r.take(func() error { return s1.Emit(ctx, e) })
	})
	r.runner.emit2 = kitv2.NewEventEmitter(func(ctx context.Context, e *pbv2.Event) error {
		return r.take(func() error { return s2.Emit(ctx, e) })
	})
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- r.runner.Run(ctx) }()
	r.stop = sync.OnceValue(func() error {
		cancel()
		return errors.Join(<-ended, s1.Close(), s2.Close())
	})
	t.Cleanup(func() {
		if err := r.stop(); err != nil {
			t.Error(err)
		}
	})
	return r
}

func (r *rig) work(_ context.Context, s Step) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.breaks[s]; err != nil {
		r.broken = err
	}
	return r.fails[s]
}

// take is an event that sessions take, unless they are broken.
func (r *rig) take(emit func() error) error {
	r.mu.Lock()
	err := r.broken
	r.mu.Unlock()
	if err != nil {
		return err
	}
	return emit()
}

// mend has sessions take events again.
func (r *rig) mend() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.broken = nil
	clear(r.breaks)
	clear(r.fails)
}

// Write is what the runner's log is written to.
func (r *rig) Write(line []byte) (int, error) {
	r.logged <- string(line)
	return len(line), nil
}

func (r *rig) fail(s Step, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.fails[s] = err
}

// log waits for what the runner logs.
func (r *rig) log() string {
	r.t.Helper()
	select {
	case line := <-r.logged:
		return line
	case <-time.After(time.Minute):
		r.t.Fatal("the runner has logged nothing")
		return ""
	}
}

// iteration returns what v1 and v2 tell, in a short form, up to the end of the
// iteration.
func (r *rig) iteration() (told1, told2 []string) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), time.Minute)
	defer cancel()
	for {
		rec, err := r.events1.Next(ctx)
		if err != nil {
			r.t.Fatal(err)
		}
		told1 = append(told1, short1(rec.Event))
		if e := rec.Event.GetEvent().GetDevLoopEvent(); e != nil && e.GetStatus() != kitv1.DevLoopEventStatusInProgress {
			break
		}
	}
	for {
		rec, err := r.events2.Next(ctx)
		if err != nil {
			r.t.Fatal(err)
		}
		told2 = append(told2, short2(rec.Event))
		if e := rec.Event.GetTaskEvent(); e.GetTask() == "DevLoop" && e.GetStatus() != kitv2.TaskEventStatusInProgress {
			break
		}
	}
	return told1, told2
}

func short1(entry *pbv1.LogEntry) string {
	e := entry.GetEvent()
	text := entry.GetEntry()
	if text == "" {
		text = kitv1.KindOfEvent(e).String()
	}
	if err, ok := kitv1.EventActionableErr(e); ok {
		code, _ := kitv1.EventErrCode(e)
		text += fmt.Sprintf(" {%v %q %d} %v", err.GetErrCode(), err.GetMessage(), len(err.GetSuggestions()), code)
	}
	if l := e.GetDevLoopEvent(); l != nil {
		text = fmt.Sprintf("%d: %s", l.GetIteration(), text)
	}
	return text
}

func short2(e *pbv2.Event) string {
	words := []string{kitv2.KindOfEvent(e).String()}
	add := func(s string, _ bool) {
		if s != "" {
			words = append(words, s)
		}
	}
	switch {
	case e.GetTaskEvent() != nil:
		words[0] = e.GetTaskEvent().GetId()
	default:
		add(kitv2.EventTaskID(e))
		add(kitv2.EventID(e))
		add(e.GetBuildSubtaskEvent().GetStep(), true)
	}
	add(kitv2.EventStatus(e))
	if e.GetSkaffoldLogEvent() != nil {
		add(kitv2.EventMessage(e))
	}
	if err, ok := kitv2.EventActionableErr(e); ok && err != nil {
		add(fmt.Sprintf("{%v %q %d}", err.GetErrCode(), err.GetMessage(), len(err.GetSuggestions())), true)
	}
	return strings.Join(words, " ")
}

func mustTell(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s: -want +got:\n%s", what, diff)
	}
}

const pending = `{STATUSCHECK_DEPLOYMENT_ROLLOUT_PENDING "waiting for rollout to finish: ` +
	`0 of 1 updated replicas are available..." 0}`

func TestFirstIteration(t *testing.T) {
	r := newRig(t, project.Triggers{Build: true, Sync: true, Deploy: true})
	if err := r.runner.Start(t.Context(), "{}"); err != nil {
		t.Fatal(err)
	}
	told1, told2 := r.iteration()
	mustTell(t, "v1", told1,
		"metaEvent",
		"0: Update initiated",
		"Build started for artifact web",
		"Build completed for artifact web",
		"Build started for artifact db",
		"Build completed for artifact db",
		"Deploy started",
		"Deploy completed",
		"Status check started",
		"Resource deployment/web status updated to In Progress "+pending+" OK",
		"Resource deployment/web status completed successfully",
		"Resource deployment/db status updated to In Progress "+pending+" OK",
		"Resource deployment/db status completed successfully",
		"Status check succeeded",
		"Forwarding container web to local port 9000",
		"0: Update succeeded",
	)
	mustTell(t, "v2", told2,
		"metaEvent",
		"DevLoop-1 InProgress",
		"Build-1 InProgress",
		"buildSubtaskEvent Build-1 web Cache InProgress",
		"buildSubtaskEvent Build-1 web Cache Failed",
		"buildSubtaskEvent Build-1 web Build InProgress",
		"skaffoldLogEvent Build-1 Building [web]...\n",
		"buildSubtaskEvent Build-1 web Build Succeeded",
		"buildSubtaskEvent Build-1 db Cache InProgress",
		"buildSubtaskEvent Build-1 db Cache Failed",
		"buildSubtaskEvent Build-1 db Build InProgress",
		"skaffoldLogEvent Build-1 Building [db]...\n",
		"buildSubtaskEvent Build-1 db Build Succeeded",
		"Build-1 Succeeded",
		"Test-1 InProgress",
		"testEvent Test-1 0 InProgress",
		"testEvent Test-1 0 Succeeded",
		"Test-1 Succeeded",
		"Render-1 InProgress",
		"renderEvent Render-1 0 InProgress",
		"renderEvent Render-1 0 Succeeded",
		"Render-1 Succeeded",
		"Deploy-1 InProgress",
		"deploySubtaskEvent Deploy-1 0 InProgress",
		"skaffoldLogEvent Deploy-1 Starting deploy...\n",
		"deploySubtaskEvent Deploy-1 0 Succeeded",
		"Deploy-1 Succeeded",
		"StatusCheck-1 InProgress",
		"statusCheckSubtaskEvent Deploy-1 deployment/web InProgress "+pending,
		"statusCheckSubtaskEvent Deploy-1 deployment/web Succeeded",
		"statusCheckSubtaskEvent Deploy-1 deployment/db InProgress "+pending,
		"statusCheckSubtaskEvent Deploy-1 deployment/db Succeeded",
		"StatusCheck-1 Succeeded",
		"PortForward-1 InProgress",
		"portEvent PortForward-1",
		"PortForward-1 Succeeded",
		"DevLoop-1 Succeeded",
	)
	rec, err := r.v2.ApplicationLogs(0).Next(t.Context())
	if err != nil || rec.Event.GetApplicationLogEvent().GetRichFormattedMessage() != "[web] listening on port 8080\n" {
		t.Errorf("first application log %v, error %v", rec, err)
	}
	state1, _ := r.v1.State()
	state2, _ := r.v2.State()
	for what, got := range map[string]string{
		"build of v1":        state1.BuildState.Artifacts["db"],
		"build code":         state1.BuildState.StatusCode.String(),
		"deploy of v1":       state1.DeployState.Status,
		"deploy code":        state1.DeployState.StatusCode.String(),
		"status check of v1": state1.StatusCheckState.Status,
		"status check code":  state1.StatusCheckState.StatusCode.String(),
		"build of v2":        state2.BuildState.Artifacts["db"],
		"deploy of v2":       state2.DeployState.Status,
		"status check of v2": state2.StatusCheckState.Status,
		"resource of v2":     state2.StatusCheckState.Resources["deployment/db"],
	} {
		want := map[string]string{
			"build of v1":        "Complete",
			"build code":         "OK",
			"deploy of v1":       "Complete",
			"deploy code":        "DEPLOY_SUCCESS",
			"status check of v1": "Succeeded",
			"status check code":  "STATUSCHECK_SUCCESS",
			"build of v2":        "Succeeded",
			"deploy of v2":       "Succeeded",
			"status check of v2": "NotStarted",
			"resource of v2":     "Succeeded",
		}[what]
		if got != want {
			t.Errorf("%s is %q, want %q", what, got, want)
		}
	}
}

// A change of one artifact's sources is one iteration, in which the others come
// from the cache.
func TestSourcesChanged(t *testing.T) {
	r := newRig(t, project.Triggers{Build: true, Deploy: true})
	r.runner.Execute(project.Build)
	r.iteration()
	r.runner.SourcesChanged("db")
	told1, told2 := r.iteration()
	mustTell(t, "v1", told1[:5],
		"1: Update initiated",
		"Build started for artifact db",
		"Build completed for artifact db",
		"Deploy started",
		"Deploy completed",
	)
	mustTell(t, "v2", told2[:8],
		"DevLoop-2 InProgress",
		"Build-2 InProgress",
		"buildSubtaskEvent Build-2 web Cache InProgress",
		"buildSubtaskEvent Build-2 web Cache Succeeded",
		"buildSubtaskEvent Build-2 db Cache InProgress",
		"buildSubtaskEvent Build-2 db Cache Failed",
		"buildSubtaskEvent Build-2 db Build InProgress",
		"skaffoldLogEvent Build-2 Building [db]...\n",
	)
	state, _ := r.v1.State()
	if got := state.BuildState.Artifacts["web"]; got != "Not Started" {
		t.Errorf("the artifact in the cache is %q", got)
	}
}

func TestFilesChanged(t *testing.T) {
	r := newRig(t, project.Triggers{Sync: true})
	r.runner.FilesChanged()
	told1, told2 := r.iteration()
	mustTell(t, "v1", told1,
		"0: Update initiated",
		"File sync started for 1 files for web",
		"File sync succeeded for 1 files for web",
		"File sync started for 1 files for db",
		"File sync succeeded for 1 files for db",
		"0: Update succeeded",
	)
	mustTell(t, "v2", told2,
		"DevLoop-1 InProgress",
		"fileSyncEvent Sync-1 0 InProgress",
		"fileSyncEvent Sync-1 0 Succeeded",
		"fileSyncEvent Sync-1 1 InProgress",
		"fileSyncEvent Sync-1 1 Succeeded",
		"DevLoop-1 Succeeded",
	)
}

// What is due waits for its trigger, in either version of the API, or for
// somebody who asks for it.
func TestTriggersHoldBack(t *testing.T) {
	r := newRig(t, project.Triggers{Build: true})
	set1 := func(s project.Stage, on bool) {
		t.Helper()
		if err := r.v1.SetTrigger(s, on, ""); err != nil {
			t.Fatal(err)
		}
		r.runner.TriggersChanged()
	}
	set2 := func(s project.Stage, on bool) {
		t.Helper()
		if err := r.v2.SetTrigger(s, on, ""); err != nil {
			t.Fatal(err)
		}
		r.runner.TriggersChanged()
	}
	r.runner.SourcesChanged("web")
	told1, _ := r.iteration() // deploying is switched off
	mustTell(t, "v1, build alone", told1,
		"0: Update initiated",
		"Build started for artifact web",
		"Build completed for artifact web",
		"0: Update succeeded",
	)

	set2(project.Build, false)
	r.runner.SourcesChanged("db") // waits
	r.runner.Execute(project.Deploy)
	told1, _ = r.iteration()
	mustTell(t, "v1, deploy alone", told1[:3], "1: Update initiated", "Deploy started", "Deploy completed")

	set1(project.Build, false)
	set2(project.Build, true)
	set1(project.Deploy, true)
	set2(project.Deploy, true) // nothing to deploy: it has just been done
	set1(project.Build, true)  // the last that held it back
	told1, _ = r.iteration()
	mustTell(t, "v1, build and deploy", told1[:4],
		"2: Update initiated",
		"Build started for artifact db",
		"Build completed for artifact db",
		"Deploy started",
	)
}

func TestFailures(t *testing.T) {
	broken := errors.New("exit status 1")
	tests := []struct {
		step   Step
		stages []project.Stage
		told1  []string // the last of them
		told2  []string
	}{
		{
			step:   Step{Build, "web"},
			stages: []project.Stage{project.Build},
			told1: []string{
				"Build started for artifact web",
				`Build failed for artifact web {BUILD_UNKNOWN "exit status 1" 1} BUILD_UNKNOWN`,
				`0: Update failed with error code BUILD_UNKNOWN`,
			},
			told2: []string{
				`buildSubtaskEvent Build-1 web Build Failed {BUILD_UNKNOWN "exit status 1" 1}`,
				`Build-1 Failed {BUILD_UNKNOWN "exit status 1" 1}`,
				"skaffoldLogEvent DevLoop-1 exit status 1\n",
				`DevLoop-1 Failed {BUILD_UNKNOWN "exit status 1" 1}`,
			},
		}, {
			step:   Step{Test, ""},
			stages: []project.Stage{project.Build},
			told1: []string{
				"Build completed for artifact db",
				`0: Update failed with error code UNKNOWN_ERROR`,
			},
			told2: []string{
				`testEvent Test-1 0 Failed {TEST_UNKNOWN "exit status 1" 1}`,
				`Test-1 Failed {TEST_UNKNOWN "exit status 1" 1}`,
				"skaffoldLogEvent DevLoop-1 exit status 1\n",
				`DevLoop-1 Failed {TEST_UNKNOWN "exit status 1" 1}`,
			},
		}, {
			step:   Step{Render, ""},
			stages: []project.Stage{project.Deploy},
			told1:  []string{"0: Update initiated", `0: Update failed with error code UNKNOWN_ERROR`},
			told2: []string{
				`renderEvent Render-1 0 Failed {UNKNOWN_ERROR "exit status 1" 1}`,
				`Render-1 Failed {UNKNOWN_ERROR "exit status 1" 1}`,
				"skaffoldLogEvent DevLoop-1 exit status 1\n",
				`DevLoop-1 Failed {UNKNOWN_ERROR "exit status 1" 1}`,
			},
		}, {
			step:   Step{Deploy, ""},
			stages: []project.Stage{project.Deploy},
			told1: []string{
				`Deploy failed {DEPLOY_UNKNOWN "exit status 1" 1} DEPLOY_UNKNOWN`,
				`0: Update failed with error code DEPLOY_UNKNOWN`,
			},
			told2: []string{
				`deploySubtaskEvent Deploy-1 0 Failed {DEPLOY_UNKNOWN "exit status 1" 1}`,
				`Deploy-1 Failed {DEPLOY_UNKNOWN "exit status 1" 1}`,
				"skaffoldLogEvent DevLoop-1 exit status 1\n",
				`DevLoop-1 Failed {DEPLOY_UNKNOWN "exit status 1" 1}`,
			},
		}, {
			step:   Step{StatusCheck, "deployment/web"},
			stages: []project.Stage{project.Deploy},
			told1: []string{
				`Resource deployment/web status failed with exit status 1 {STATUSCHECK_UNKNOWN "exit status 1" 1} OK`,
				`Status check failed {STATUSCHECK_UNKNOWN "exit status 1" 0} STATUSCHECK_UNKNOWN`,
				`0: Update failed with error code STATUSCHECK_UNKNOWN`,
			},
			told2: []string{
				`statusCheckSubtaskEvent Deploy-1 deployment/web Failed {STATUSCHECK_UNKNOWN "exit status 1" 1}`,
				`StatusCheck-1 Failed {STATUSCHECK_UNKNOWN "exit status 1" 1}`,
				"skaffoldLogEvent DevLoop-1 exit status 1\n",
				`DevLoop-1 Failed {STATUSCHECK_UNKNOWN "exit status 1" 1}`,
			},
		}, {
			step:   Step{PortForward, ""},
			stages: []project.Stage{project.Deploy},
			told1:  []string{"Status check succeeded", `0: Update failed with error code UNKNOWN_ERROR`},
			told2: []string{
				`PortForward-1 InProgress`,
				`PortForward-1 Failed {UNKNOWN_ERROR "exit status 1" 1}`,
				"skaffoldLogEvent DevLoop-1 exit status 1\n",
				`DevLoop-1 Failed {UNKNOWN_ERROR "exit status 1" 1}`,
			},
		}, {
			step:   Step{Sync, "web"},
			stages: []project.Stage{project.Sync},
			told1: []string{
				`File sync failed for 1 files for web {SYNC_UNKNOWN "exit status 1" 1} SYNC_UNKNOWN`,
				`0: Update failed with error code SYNC_UNKNOWN`,
			},
			told2: []string{
				`fileSyncEvent Sync-1 0 Failed {SYNC_UNKNOWN "exit status 1" 1}`,
				"skaffoldLogEvent DevLoop-1 exit status 1\n",
				`DevLoop-1 Failed {SYNC_UNKNOWN "exit status 1" 1}`,
			},
		},
	}
	for _, test := range tests {
		t.Run(string(test.step.Phase), func(t *testing.T) {
			r := newRig(t, project.Triggers{})
			r.fail(test.step, broken)
			r.runner.Execute(test.stages...)
			told1, told2 := r.iteration()
			mustTell(t, "v1", told1[max(0, len(told1)-len(test.told1)):], test.told1...)
			mustTell(t, "v2", told2[max(0, len(told2)-len(test.told2)):], test.told2...)

			// The next iteration tries again.
			r.fail(test.step, nil)
			r.runner.Execute(test.stages...)
			told1, _ = r.iteration()
			mustTell(t, "v1", told1[len(told1)-1:], "1: Update succeeded")
		})
	}
}

// A failed build is one that still has to be done.
func TestFailedBuildStaysDirty(t *testing.T) {
	r := newRig(t, project.Triggers{Build: true})
	r.fail(Step{Build, "web"}, errors.New("no"))
	r.runner.SourcesChanged("web")
	r.iteration()
	r.fail(Step{Build, "web"}, nil)
	r.runner.SourcesChanged("db")
	told1, _ := r.iteration()
	mustTell(t, "v1", told1,
		"1: Update initiated",
		"Build started for artifact web",
		"Build completed for artifact web",
		"Build started for artifact db",
		"Build completed for artifact db",
		"1: Update succeeded",
	)
}

// While a journal cannot be written nothing happens; then what was broken off is
// done again, and nothing that was asked for is lost.
func TestJournalFailsAndRecovers(t *testing.T) {
	full := &eventlog.JournalError{Path: "events.json", Err: errors.New("no space left on device")}
	for _, work := range []error{nil, errors.New("the work fails, too")} {
		for _, step := range []Step{{Build, "web"}, {Build, "db"}, {Test, ""}, {Deploy, ""}, {PortForward, ""}} {
			t.Run(fmt.Sprint(step, work), func(t *testing.T) {
				r := newRig(t, project.Triggers{Build: true, Deploy: true})
				r.mu.Lock()
				r.breaks[step], r.fails[step] = full, work
				r.mu.Unlock()
				r.runner.SourcesChanged("web", "db")
				if line := r.log(); !strings.Contains(line, "broken off") || !strings.Contains(line, full.Err.Error()) {
					t.Errorf("the log says %q", line)
				}
				r.mend()
				r.runner.TriggersChanged()
				told1, told2 := r.iteration()
				again := told1[slices.Index(told1, "1: Update initiated"):]
				mustTell(t, "v1", again[:7],
					"1: Update initiated",
					"Build started for artifact web",
					"Build completed for artifact web",
					"Build started for artifact db",
					"Build completed for artifact db",
					"Deploy started",
					"Deploy completed",
				)
				if last := told1[len(told1)-1] + ", " + told2[len(told2)-1]; last != "1: Update succeeded, DevLoop-2 Succeeded" {
					t.Errorf("the end is %s", last)
				}
			})
		}
	}
}

// An event that no session can take costs its iteration, and no other.
func TestEventThatIsRefused(t *testing.T) {
	r := newRig(t, project.Triggers{})
	r.mu.Lock()
	r.breaks[Step{Sync, "web"}] = errors.New("no such event")
	r.mu.Unlock()
	r.runner.Execute(project.Sync)
	if line := r.log(); !strings.Contains(line, "ended early") || !strings.Contains(line, "no such event") {
		t.Errorf("the log says %q", line)
	}
	r.mend()
	r.runner.TriggersChanged() // which has nothing to do again
	r.runner.Execute(project.Build)
	told1, _ := r.iteration()
	mustTell(t, "v1", told1[len(told1)-1:], "1: Update succeeded")
}

// A session that takes no more events ends the run, which says so.
func TestClosedSession(t *testing.T) {
	r := newRig(t, project.Triggers{})
	r.stop()
	r.runner.Execute(project.Build)
	if err := r.runner.Run(t.Context()); !errors.Is(err, eventlog.ErrClosed) {
		t.Errorf("error %v, want %v", err, eventlog.ErrClosed)
	}
}

// Both versions of the API drive the same dev loop.
func TestDefect17ControlOfV2DrivesTheRunner(t *testing.T) {
	r := newRig(t, project.Triggers{Build: true})
	server := v2.NewServer(r.v2, r.runner)
	enabled := func(on bool) *pbv2.TriggerRequest {
		return &pbv2.TriggerRequest{State: &pbv2.TriggerState{Val: &pbv2.TriggerState_Enabled{Enabled: on}}}
	}
	if _, err := server.AutoBuild(t.Context(), enabled(false)); err != nil {
		t.Fatal(err)
	}
	r.runner.SourcesChanged("web") // waits
	if _, err := server.Execute(t.Context(), &pbv2.UserIntentRequest{Intent: &pbv2.Intent{Sync: true}}); err != nil {
		t.Fatal(err)
	}
	told1, told2 := r.iteration()
	mustTell(t, "v1", told1[:2], "0: Update initiated", "File sync started for 1 files for web")
	mustTell(t, "v2", told2[:2], "DevLoop-1 InProgress", "fileSyncEvent Sync-1 0 InProgress")

	if _, err := server.AutoBuild(t.Context(), enabled(true)); err != nil {
		t.Fatal(err)
	}
	told1, _ = r.iteration()
	mustTell(t, "v1", told1[:2], "1: Update initiated", "Build started for artifact web")

	intent := &pbv2.UserIntentRequest{Intent: &pbv2.Intent{Devloop: true}}
	if _, err := server.Execute(t.Context(), intent); err != nil {
		t.Fatal(err)
	}
	told1, _ = r.iteration()
	mustTell(t, "v1", told1[:2], "2: Update initiated", "File sync started for 1 files for web")
}
