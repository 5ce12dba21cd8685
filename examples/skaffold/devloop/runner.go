// Package devloop simulates the dev loop of Skaffold: it builds, tests and
// deploys nothing, but tells of it as Skaffold does, in both versions of the API.
package devloop

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"

	"github.com/skaffoldgen/protoc-gen-skaffold/eventlog"
	"github.com/skaffoldgen/protoc-gen-skaffold/examples/skaffold/project"
	v1 "github.com/skaffoldgen/protoc-gen-skaffold/examples/skaffold/v1"
	v2 "github.com/skaffoldgen/protoc-gen-skaffold/examples/skaffold/v2"
	pbv1 "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v1"
	kitv1 "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v1/skaffoldv1kit"
	pbv2 "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v2"
	kitv2 "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v2/skaffoldv2kit"
)

// Work stands in for what a step does: building an image, say. It takes as long
// as the step takes, and its error is why the step failed. It returns when ctx
// ends, at the latest.
type Work func(ctx context.Context, step Step) error

// Step is a piece of work.
type Step struct {
	Phase Phase
	Name  string // of the artifact or the deployment; "" for a step for all of them
}

// Phase is a part of the dev loop, named as in the ids of tasks.
type Phase string

// The phases that do some work.
const (
	Build       Phase = "Build"
	Test        Phase = "Test"
	Render      Phase = "Render"
	Deploy      Phase = "Deploy"
	StatusCheck Phase = "StatusCheck"
	PortForward Phase = "PortForward"
	Sync        Phase = "Sync"
)

// stages are those that can be due, in the order in which they run.
var stages = []project.Stage{project.Sync, project.Build, project.Deploy}

// Runner runs the dev loop, one iteration after the other. It knows no clock and
// no files: its user says when files have changed, and how long work takes.
type Runner struct {
	project project.Project
	v1      *v1.Session
	v2      *v2.Session
	emit1   *kitv1.EventEmitter
	emit2   *kitv2.EventEmitter
	work    Work
	log     *slog.Logger
	wake    chan struct{} // has a token when something may have become due

	mu    sync.Mutex
	todo  agenda
	taken agenda // what the iteration that runs has taken of it
}

// agenda is what there is to do.
type agenda struct {
	asked   map[project.Stage]bool // to be run once, whatever the triggers say
	waiting map[project.Stage]bool // for their triggers
	dirty   map[string]bool        // images whose files have changed since they were built
}

func newAgenda() agenda {
	return agenda{asked: map[project.Stage]bool{}, waiting: map[project.Stage]bool{}, dirty: map[string]bool{}}
}

func (a *agenda) add(b agenda) {
	maps.Copy(a.asked, b.asked)
	maps.Copy(a.waiting, b.waiting)
	maps.Copy(a.dirty, b.dirty)
}

// New makes a runner for the two sessions of a run. log gets what keeps it from
// telling them what happens.
func New(p project.Project, s1 *v1.Session, s2 *v2.Session, work Work, log *slog.Logger) *Runner {
	return &Runner{
		project: p,
		v1:      s1,
		v2:      s2,
		emit1:   kitv1.NewEventEmitter(s1.Emit),
		emit2:   kitv2.NewEventEmitter(s2.Emit),
		work:    work,
		log:     log,
		wake:    make(chan struct{}, 1),
		todo:    newAgenda(),
		taken:   newAgenda(),
	}
}

// Check tells why nothing can run: sessions that cannot be told of it.
func (r *Runner) Check() error { return errors.Join(r.v1.Check(), r.v2.Check()) }

// Start tells clients that the run begins, and asks for the first iteration.
func (r *Runner) Start(ctx context.Context, version string) error {
	entry := "Starting Skaffold: " + version
	state1, _ := r.v1.State()
	state2, _ := r.v2.State()
	err := errors.Join(
		r.emit1.MetaEvent(ctx, &pbv1.MetaEvent{Entry: entry, Metadata: state1.GetMetadata()}),
		r.emit2.MetaEvent(ctx, &pbv2.MetaEvent{Entry: entry, Metadata: state2.GetMetadata()}),
	)
	r.Execute(project.Build, project.Deploy)
	return err
}

// Execute has stages run once, whatever their triggers say. Building is building
// all artifacts.
func (r *Runner) Execute(stages ...project.Stage) {
	r.mu.Lock()
	for _, s := range stages {
		r.todo.asked[s] = true
	}
	if slices.Contains(stages, project.Build) {
		r.soil(r.project.Images())
	}
	r.mu.Unlock()
	r.look()
}

// TriggersChanged has the runner look whether something may run now: after
// triggers were switched, and when a session takes changes again.
func (r *Runner) TriggersChanged() { r.look() }

// SourcesChanged tells that files have changed which are built into images.
func (r *Runner) SourcesChanged(images ...string) {
	r.mu.Lock()
	r.soil(images)
	r.todo.waiting[project.Build] = true
	r.mu.Unlock()
	r.look()
}

// FilesChanged tells that files have changed which are only copied into running
// containers.
func (r *Runner) FilesChanged() {
	r.mu.Lock()
	r.todo.waiting[project.Sync] = true
	r.mu.Unlock()
	r.look()
}

func (r *Runner) soil(images []string) {
	for _, image := range images {
		r.todo.dirty[image] = true
	}
}

func (r *Runner) look() {
	select {
	case r.wake <- struct{}{}:
	default: // it will look anyway
	}
}

// Run runs iterations as they become due, until ctx ends or a session is closed.
// An iteration whose work fails does not end it. One that the journal of a session
// does not take is broken off, and is due again when the runner looks next.
func (r *Runner) Run(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-r.wake:
		}
		if err := r.runDue(ctx); err != nil {
			return err
		}
	}
}

// runDue runs what is due. Its error is eventlog.ErrClosed.
func (r *Runner) runDue(ctx context.Context) error {
	for due := r.due(); len(due) > 0; due = r.due() {
		err := r.iterate(ctx, due)
		var journal *eventlog.JournalError
		var failed *failure
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, eventlog.ErrClosed):
			return err
		case errors.As(err, &journal):
			r.log.Error("an iteration of the dev loop is broken off, until the journal can be written", "error", err)
			r.putBack()
			return nil
		case err != nil && !errors.As(err, &failed):
			r.log.Error("an iteration of the dev loop has ended early", "error", err)
		}
	}
	return nil
}

// putBack has to be done again what the iteration has taken.
func (r *Runner) putBack() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.todo.add(r.taken)
}

// due takes the stages that may run now.
func (r *Runner) due() []project.Stage {
	r.mu.Lock()
	r.taken = newAgenda()
	r.mu.Unlock()
	var due []project.Stage
	for _, s := range stages {
		if r.take(s) {
			due = append(due, s)
		}
	}
	return due
}

// take tells whether a stage is to be run, and forgets that it is. Nothing holds
// it up if its trigger is switched on in both versions of the API.
func (r *Runner) take(s project.Stage) bool {
	auto := r.v1.Trigger(s) && r.v2.Trigger(s)
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.todo.asked[s] && !(r.todo.waiting[s] && auto) {
		return false
	}
	move(s, r.todo.asked, r.taken.asked)
	move(s, r.todo.waiting, r.taken.waiting)
	return true
}

// move moves a stage from one set to another, if it is there.
func move(s project.Stage, from, to map[project.Stage]bool) {
	if from[s] {
		to[s] = true
		delete(from, s)
	}
}

// takeDirty takes the images that have to be built.
func (r *Runner) takeDirty() map[string]bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	dirty := r.todo.dirty
	r.todo.dirty = map[string]bool{}
	r.taken.add(agenda{dirty: dirty})
	return dirty
}

// deployNext tells whether what was just built may be deployed in the same
// iteration. If not, it waits for its trigger.
func (r *Runner) deployNext() bool {
	r.mu.Lock()
	r.todo.waiting[project.Deploy] = true
	r.mu.Unlock()
	return r.take(project.Deploy)
}
