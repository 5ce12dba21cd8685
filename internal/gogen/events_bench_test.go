package gogen_test

import (
	"context"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	skaffoldv2 "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v2"
	kit "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v2/skaffoldv2kit"
)

// benchEvents are of the first kind, of one in the middle and of the last.
func benchEvents() []*skaffoldv2.Event {
	return []*skaffoldv2.Event{
		kit.NewMetaEvent(&skaffoldv2.MetaEvent{Entry: "Starting"}),
		kit.NewFileSyncEvent(&skaffoldv2.FileSyncEvent{TaskId: "Sync-1", Status: "Succeeded"}),
		kit.NewExecEvent(&skaffoldv2.ExecSubtaskEvent{TaskId: "Exec-1", Status: "Failed", ActionableErr: new(skaffoldv2.ActionableErr)}),
	}
}

func BenchmarkEventKind(b *testing.B) {
	list := benchEvents()
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if kit.KindOfEvent(list[i%len(list)]) == kit.EventKindUnset {
			b.Fatal("unset")
		}
	}
}

func BenchmarkEventCases(b *testing.B) {
	list := benchEvents()
	seen := 0
	cases := kit.EventCases{
		FileSyncEvent: func(*skaffoldv2.Event, *skaffoldv2.FileSyncEvent) error { seen++; return nil },
		Otherwise:     func(*skaffoldv2.Event) error { seen++; return nil },
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if err := cases.Handle(list[i%len(list)]); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEventAccessors(b *testing.B) {
	list := benchEvents()
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		e := list[i%len(list)]
		_, hasTask := kit.EventTaskID(e)
		_, hasStatus := kit.EventStatus(e)
		_, failed := kit.EventActionableErr(e)
		if failed && !(hasTask && hasStatus) {
			b.Fatal("a failure without a task")
		}
	}
}

// BenchmarkEventEmitter compares the emitter with making the same event by hand.
func BenchmarkEventEmitter(b *testing.B) {
	ctx := b.Context()
	sink := func(context.Context, *skaffoldv2.Event) error { return nil }
	p := &skaffoldv2.BuildSubtaskEvent{Artifact: "image"}
	b.Run("emitter", func(b *testing.B) {
		em := kit.NewEventEmitter(sink)
		b.ReportAllocs()
		for b.Loop() {
			if err := em.BuildSubtaskEventInProgress(ctx, p); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("by hand", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			p.Status = "InProgress"
			e := &skaffoldv2.Event{
				Timestamp: timestamppb.New(time.Now()),
				EventType: &skaffoldv2.Event_BuildSubtaskEvent{BuildSubtaskEvent: p},
			}
			if err := sinkOf(sink)(ctx, e); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// sinkOf keeps the compiler from looking through a sink, which an emitter cannot
// do either.
//
//go:noinline
func sinkOf(sink func(context.Context, *skaffoldv2.Event) error) func(context.Context, *skaffoldv2.Event) error {
	return sink
}
