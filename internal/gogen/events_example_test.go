package gogen_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	skaffoldv2 "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v2"
	kit "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v2/skaffoldv2kit"
)

// A consumer reads a stream of events, follows the builds, and reports whatever
// fails, of any kind.
func Example_consumer() {
	received := []*skaffoldv2.Event{
		kit.NewMetaEvent(&skaffoldv2.MetaEvent{Entry: "Starting"}),
		kit.NewBuildSubtaskEvent(&skaffoldv2.BuildSubtaskEvent{TaskId: "Build-0", Artifact: "web", Status: "InProgress"}),
		kit.NewDeploySubtaskEvent(&skaffoldv2.DeploySubtaskEvent{TaskId: "Deploy-0", Status: "Failed",
			ActionableErr: &skaffoldv2.ActionableErr{Message: "no such cluster"}}),
		new(skaffoldv2.Event), // of a kind that this program does not know
	}
	cases := kit.EventCases{
		BuildSubtaskEvent: func(_ *skaffoldv2.Event, build *skaffoldv2.BuildSubtaskEvent) error {
			fmt.Printf("building %s: %s\n", build.GetArtifact(), build.GetStatus())
			return nil
		},
		Otherwise: func(e *skaffoldv2.Event) error {
			if failure, ok := kit.EventActionableErr(e); ok {
				task, _ := kit.EventTaskID(e)
				return fmt.Errorf("%v of %s: %s", kit.KindOfEvent(e), task, failure.GetMessage())
			}
			fmt.Println("not handled:", kit.KindOfEvent(e))
			return nil
		},
	}
	for _, e := range received {
		if err := cases.Handle(e); err != nil {
			fmt.Println("failed:", err)
		}
	}
	// Output:
	// not handled: metaEvent
	// building web: InProgress
	// failed: deploySubtaskEvent of Deploy-0: no such cluster
	// not handled: unset
}

// A producer emits the events of a build. The sink is where they go: a log, a
// stream, or both.
func Example_producer() {
	sink := func(_ context.Context, e *skaffoldv2.Event) error {
		status, _ := kit.EventStatus(e)
		failure, _ := kit.EventActionableErr(e)
		fmt.Printf("%s %v %s %q\n", e.GetTimestamp().AsTime().Format(time.TimeOnly), kit.KindOfEvent(e), status, failure.GetMessage())
		return nil
	}
	now := time.Date(2024, 5, 17, 9, 30, 0, 0, time.UTC)
	em := kit.NewEventEmitter(sink, kit.WithEventClock(func() time.Time { return now }))
	build := func() *skaffoldv2.BuildSubtaskEvent {
		return &skaffoldv2.BuildSubtaskEvent{TaskId: "Build-0", Artifact: "web", Step: kit.BuildSubtaskEventStepBuild}
	}

	ctx := context.Background()
	if err := em.BuildSubtaskEventInProgress(ctx, build()); err != nil {
		fmt.Println(err)
	}
	now = now.Add(3 * time.Second)
	if err := em.BuildSubtaskEventFailed(ctx, build(), errors.New("exit status 2")); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 09:30:00 buildSubtaskEvent InProgress ""
	// 09:30:03 buildSubtaskEvent Failed "exit status 2"
}
