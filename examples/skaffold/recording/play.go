package recording

import (
	"context"
	"slices"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/skaffoldgen/protoc-gen-skaffold/examples/skaffold/session"
	v1 "github.com/skaffoldgen/protoc-gen-skaffold/examples/skaffold/v1"
	v2 "github.com/skaffoldgen/protoc-gen-skaffold/examples/skaffold/v2"
	pbv1 "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v1"
	kitv1 "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v1/skaffoldv1kit"
	pbv2 "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v2"
	kitv2 "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v2/skaffoldv2kit"
)

// Sleep waits for a time, or until ctx ends, whose error it returns then.
type Sleep func(ctx context.Context, d time.Duration) error

// Play lets happen again what was recorded. Events keep the times that they have.
// Where they are of both versions of the API they come in the order of time.
func (r *Recording) Play(ctx context.Context, s1 *v1.Session, s2 *v2.Session, speed Speed, sleep Sleep) error {
	var last time.Time
	for _, step := range r.steps(s1, s2) {
		if d := speed.pause(last, step.at); d > 0 {
			if err := sleep(ctx, d); err != nil {
				return err
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := step.do(); err != nil {
			return err
		}
		if step.at.After(last) {
			last = step.at
		}
	}
	return nil
}

// step is one line of a recording.
type step struct {
	at time.Time
	do func() error
}

// steps are all lines in the order of time. Lines without a time follow those
// before them in their file, and so do lines whose time goes back.
func (r *Recording) steps(s1 *v1.Session, s2 *v2.Session) []step {
	var steps []step
	resets := resetsV1{}
	var at time.Time
	for _, c := range r.V1 {
		change := session.Change[*pbv1.LogEntry]{Event: c.Event, Control: resets.control(c)}
		at = later(at, c.Event.GetTimestamp())
		steps = append(steps, step{at, func() error { return s1.Append(change) }})
	}
	at = time.Time{}
	for _, c := range r.V2 {
		change := session.Change[*pbv2.Event]{Event: c.Event, Control: controlV2(c)}
		at = later(at, c.Event.GetTimestamp())
		steps = append(steps, step{at, func() error { return s2.Append(change) }})
	}
	slices.SortStableFunc(steps, func(a, b step) int { return a.at.Compare(b.at) })
	return steps
}

func later(at time.Time, t *timestamppb.Timestamp) time.Time {
	if t.IsValid() && t.AsTime().After(at) {
		return t.AsTime()
	}
	return at
}

// resetsV1 finds out from the events what Skaffold has reset without an event: in
// a later iteration, what its first build or deployment will fill anew.
type resetsV1 struct{ due bool }

func (r *resetsV1) control(c *session.Change[*pbv1.LogEntry]) *session.Control {
	if c.Control != nil {
		return c.Control // a journal of ours: it was recorded
	}
	e := c.Event.GetEvent()
	switch kitv1.KindOfEvent(e) {
	case kitv1.EventKindDevLoopEvent:
		if e.GetDevLoopEvent().GetStatus() == kitv1.DevLoopEventStatusInProgress {
			r.due = e.GetDevLoopEvent().GetIteration() > 0
			return &session.Control{Loop: true}
		}
	case kitv1.EventKindBuildEvent:
		return r.take(session.ResetBuild)
	case kitv1.EventKindDeployEvent:
		return r.take(session.ResetDeploy)
	}
	return nil
}

func (r *resetsV1) take(reset session.Reset) *session.Control {
	if !r.due {
		return nil
	}
	r.due = false
	return &session.Control{Reset: reset}
}

// controlV2 does the same for v2, where each iteration begins with a new state.
func controlV2(c *session.Change[*pbv2.Event]) *session.Control {
	t := c.Event.GetTaskEvent()
	begins := t.GetTask() == kitv2.TaskEventTaskDevLoop && t.GetStatus() == kitv2.TaskEventStatusInProgress
	if c.Control != nil || !begins {
		return c.Control
	}
	return &session.Control{Loop: true, Reset: session.ResetAll}
}
