package devloop

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/skaffoldgen/protoc-gen-skaffold/examples/skaffold/project"
	"github.com/skaffoldgen/protoc-gen-skaffold/examples/skaffold/session"
	v2 "github.com/skaffoldgen/protoc-gen-skaffold/examples/skaffold/v2"
	enums "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/enums"
	"github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/enums/skaffoldenumskit"
	pbv1 "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v1"
	kitv1 "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v1/skaffoldv1kit"
	pbv2 "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v2"
	kitv2 "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v2/skaffoldv2kit"
)

// iteration is one time through the dev loop.
type iteration struct {
	*Runner
	n1, n2 int32 // its number in v1, where the first is 0, and in v2, where it is 1
}

// iterate runs the stages that are due as one iteration. Its error is a *failure
// if their work failed.
func (r *Runner) iterate(ctx context.Context, due []project.Stage) error {
	it := iteration{Runner: r}
	if err := it.begin(due); err != nil {
		return err
	}
	err := it.run(ctx, due)
	var failed *failure
	switch {
	case err == nil:
		return errors.Join(
			it.emit1.DevLoopEventSucceeded(ctx, &pbv1.DevLoopEvent{Iteration: it.n1}),
			it.emit2.TaskEventSucceeded(ctx, it.task(kitv2.TaskEventTaskDevLoop)),
		)
	case ctx.Err() == nil && errors.As(err, &failed):
		return errors.Join(err, it.tellFailure(ctx, failed))
	}
	return err
}

// begin resets what the stages will fill anew, and tells that the iteration
// begins. The first finds nothing to reset.
func (it *iteration) begin(due []project.Stage) (err error) {
	if it.v1.Loops() > 0 {
		switch {
		case slices.Contains(due, project.Build):
			err = it.v1.Reset(session.ResetBuild)
		case slices.Contains(due, project.Deploy):
			err = it.v1.Reset(session.ResetDeploy)
		}
	}
	if err == nil {
		it.n1, err = it.v1.BeginLoop()
	}
	if err == nil {
		it.n2, err = it.v2.BeginLoop()
	}
	return err
}

func (it *iteration) run(ctx context.Context, due []project.Stage) error {
	if slices.Contains(due, project.Sync) {
		if err := it.sync(ctx); err != nil {
			return err
		}
	}
	deploy := slices.Contains(due, project.Deploy)
	if slices.Contains(due, project.Build) {
		if err := it.build(ctx); err != nil {
			return err
		}
		if err := it.test(ctx); err != nil {
			return err
		}
		deploy = it.deployNext() || deploy
	}
	if !deploy {
		return nil
	}
	for _, phase := range []func(context.Context) error{it.render, it.deploy, it.statusCheck, it.portForward} {
		if err := phase(ctx); err != nil {
			return err
		}
	}
	return it.applicationLogs(ctx)
}

// tellFailure tells why the iteration has ended early.
func (it *iteration) tellFailure(ctx context.Context, f *failure) error {
	return errors.Join(
		it.log(ctx, kitv2.TaskEventTaskDevLoop, "%v", f),
		it.emit1.DevLoopEvent(ctx, &pbv1.DevLoopEvent{
			Iteration: it.n1,
			Status:    kitv1.DevLoopEventStatusFailed,
			Err:       &pbv1.ActionableErr{ErrCode: f.v1().Code(), Message: f.Error()},
		}),
		it.emit2.TaskEventFailed(ctx, it.task(kitv2.TaskEventTaskDevLoop), f.v2()),
	)
}

// task is a task of this iteration, as v2 knows them.
func (it *iteration) task(name string) *pbv2.TaskEvent {
	return &pbv2.TaskEvent{Id: it.id(name), Task: name, Iteration: it.n2}
}

func (it *iteration) id(task string) string { return v2.TaskID(task, it.n2) }

// inTask runs f as a task of v2: it tells when that begins and how it ends.
func (it *iteration) inTask(ctx context.Context, name, description string, f func() error) error {
	begin := it.task(name)
	begin.Description = description
	if err := it.emit2.TaskEventInProgress(ctx, begin); err != nil {
		return err
	}
	err := f()
	var failed *failure
	switch {
	case err == nil:
		return it.emit2.TaskEventSucceeded(ctx, it.task(name))
	case errors.As(err, &failed):
		return errors.Join(err, it.emit2.TaskEventFailed(ctx, it.task(name), failed.v2()))
	}
	return err
}

// log tells what Skaffold prints on the terminal.
func (it *iteration) log(ctx context.Context, task, format string, args ...any) error {
	const noSubtask = "-1"
	return it.emit2.SkaffoldLogEvent(ctx, &pbv2.SkaffoldLogEvent{
		TaskId:    it.id(task),
		SubtaskId: noSubtask,
		Level:     enums.LogLevel_STANDARD,
		Message:   fmt.Sprintf(format+"\n", args...),
	})
}

// told is what clients are told of a step.
type told struct {
	begin, done func() error
	fail        func(*failure) error
}

// step does the work of a step, and tells of it. Its error is a *failure if the
// work failed.
func (it *iteration) step(ctx context.Context, s Step, tell told) error {
	if err := tell.begin(); err != nil {
		return err
	}
	err := it.work(ctx, s)
	switch {
	case ctx.Err() != nil: // the error is that of work cut short
		return ctx.Err()
	case err == nil:
		return tell.done()
	}
	f := &failure{s.Phase, err}
	return errors.Join(f, tell.fail(f))
}

// failure is the error of a step.
type failure struct {
	phase Phase
	err   error
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// v1 is the failure with the code and the suggestions of v1.
func (f *failure) v1() *kitv1.ActionableError {
	phase := map[Phase]kitv1.StatusCodePhase{
		Build:       kitv1.StatusCodePhaseBuild,
		Deploy:      kitv1.StatusCodePhaseDeploy,
		StatusCheck: kitv1.StatusCodePhaseStatusCheck,
		Sync:        kitv1.StatusCodePhaseSync,
	}[f.phase]
	return kitv1.ClassifyActionableError(phase, f.err)
}

// v2 is the same for v2, which knows more phases.
func (f *failure) v2() *kitv2.ActionableError {
	phase := map[Phase]skaffoldenumskit.StatusCodePhase{
		Build:       skaffoldenumskit.StatusCodePhaseBuild,
		Test:        skaffoldenumskit.StatusCodePhaseTest,
		Render:      skaffoldenumskit.StatusCodePhaseRender,
		Deploy:      skaffoldenumskit.StatusCodePhaseDeploy,
		StatusCheck: skaffoldenumskit.StatusCodePhaseStatusCheck,
		PortForward: skaffoldenumskit.StatusCodePhasePortForward,
		Sync:        skaffoldenumskit.StatusCodePhaseSync,
	}[f.phase]
	return kitv2.ClassifyActionableError(phase, f.err)
}
