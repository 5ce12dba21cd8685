package case_test

import (
	"context"
	"testing"

	"example.com/kits/CASE/pb"
	kit "example.com/kits/CASE/pb/pbkit"
)

// TestOnePackage covers a kit of two files, whose events share a payload.
func TestOnePackage(t *testing.T) {
	var sent *pb.LateEvent
	em := kit.NewLateEventEmitter(func(_ context.Context, e *pb.LateEvent) error { sent = e; return nil })
	if err := em.StartedOn(t.Context(), nil); err != nil || sent.GetStarted().GetStatus() != kit.JobStatusOn {
		t.Errorf("the event is %v, %v", sent, err)
	}
	e := kit.NewLateEvent(kit.NewLateEventAgain(kit.NewEventStopped(nil)))
	if k := kit.KindOfLateEvent(e.GetLateEvent()); k != kit.LateEventKindAgain {
		t.Errorf("the kind is %v", k)
	}
	if kit.KindOfOPEvent(kit.NewOPEventX(nil)) != kit.OPEventKindX || kit.KindOfOPEvent_(kit.NewOPEventX_(nil)) != kit.OPEventKind_X {
		t.Error("names that collide are mixed up")
	}
}
