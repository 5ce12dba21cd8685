package store

import (
	"cmp"
	"slices"

	"github.com/skaffoldgen/protoc-gen-skaffold/eventlog"
	pb "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/rkt/v1alpha"
)

// PodLog is the log of a pod: the lines of its apps, in order of time.
type PodLog struct {
	log *eventlog.Log[Addition]
	// next is what state becomes when the next addition is in the log. Only the
	// one goroutine that adds sees it.
	next  logState
	state logState // guarded by log
}

// Addition is what comes into the log of a pod at once.
type Addition struct {
	// Lines are the new ones.
	Lines []Line
	// Live are the apps that may still write lines.
	Live []string
}

// logState is never changed, only replaced.
type logState struct {
	byApp map[string][]Line
	lines []Line // of all apps
	live  []string
}

// LogSnapshot is the log of a pod at one moment.
type LogSnapshot struct {
	// Lines are in order of time. They are shared: nobody may change them.
	Lines []Line
	// Live are the apps that may still write lines.
	Live []string
	// Next is the addition after this moment.
	Next eventlog.Seq
	has  map[string][]Line
}

// Has tells whether an app has a log, be it empty; "" stands for any app.
func (s LogSnapshot) Has(app string) bool {
	if app == "" {
		return len(s.has) > 0
	}
	_, ok := s.has[app]
	return ok
}

func newPodLog() *PodLog {
	p := &PodLog{}
	p.log = eventlog.New(eventlog.Config[Addition]{
		Size:  additionSize,
		Apply: func(eventlog.Seq, Addition) { p.state = p.next },
	})
	return p
}

// additionSize is about what an addition needs in memory, in bytes.
func additionSize(a Addition) int {
	size := 64
	for _, l := range a.Lines {
		size += 64 + len(l.Text)
	}
	return size
}

// Snapshot returns the log as it is now.
func (p *PodLog) Snapshot() LogSnapshot {
	var s LogSnapshot
	p.log.Snapshot(func(last eventlog.Seq) {
		s = LogSnapshot{Lines: p.state.lines, Live: p.state.live, Next: last + 1, has: p.state.byApp}
	})
	return s
}

// Additions is what comes in.
func (p *PodLog) Additions() *eventlog.Log[Addition] { return p.log }

// update makes the log what a description says of it. There is no pod any more
// if pod is nil: then the lines stay, but no more will come.
func (p *PodLog) update(pod *pb.Pod, byApp map[string][]Line) error {
	next := logState{byApp: byApp, live: liveApps(pod, byApp)}
	var added []Line
	for app, lines := range byApp {
		next.lines = append(next.lines, lines...)
		added = append(added, newLines(p.state.byApp[app], lines)...)
	}
	sortLines(next.lines)
	sortLines(added)
	p.next = next
	if len(added) == 0 && slices.Equal(p.state.live, next.live) {
		p.log.Snapshot(func(eventlog.Seq) { p.state = next })
		return nil
	}
	_, err := p.log.Append(Addition{Lines: added, Live: next.live})
	return err
}

// liveApps are the apps of a pod that run and have a log, in order of name.
func liveApps(pod *pb.Pod, byApp map[string][]Line) []string {
	var live []string
	for _, app := range pod.GetApps() {
		if _, ok := byApp[app.GetName()]; ok && app.GetState() == pb.AppState_APP_STATE_RUNNING {
			live = append(live, app.GetName())
		}
	}
	slices.Sort(live)
	return live
}

// sortLines sorts by time. Lines of one app are already in order, and stay in
// it; where the times of two apps' lines are the same, names decide.
func sortLines(lines []Line) {
	slices.SortStableFunc(lines, func(a, b Line) int {
		return cmp.Or(a.Time.Compare(b.Time), cmp.Compare(a.App, b.App))
	})
}

// newLines are the lines of after that were not in before. A log grows at its
// end, and may lose lines at its beginning.
func newLines(before, after []Line) []Line {
	for i := range before {
		if kept := before[i:]; len(kept) <= len(after) && slices.Equal(kept, after[:len(kept)]) {
			return after[len(kept):]
		}
	}
	return after
}
