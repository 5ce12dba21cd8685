package case_test

import (
	"context"
	"testing"
	"time"

	"example.com/kits/CASE/pb"
	kit "example.com/kits/CASE/pb/closedpbkit"
)

func TestClosed(t *testing.T) {
	if k := kit.KindOfJobEvent(nil); k != kit.JobEventKindEnd {
		t.Errorf("the default kind is %v", k)
	}
	other := 0
	cases := kit.JobEventCases{Otherwise: func(*closedpb.JobEvent) error { other++; return nil }, End: func(*closedpb.JobEvent) error { other += 10; return nil }}
	if err := cases.Handle(nil); err != nil || other != 1 {
		t.Errorf("the nil event: %d, %v", other, err)
	}
	if err := cases.Handle(new(closedpb.JobEvent)); err != nil || other != 11 {
		t.Errorf("the event with the default: %d, %v", other, err)
	}
	var sent *closedpb.JobEvent
	em := kit.NewJobEventEmitter(func(_ context.Context, e *closedpb.JobEvent) error { sent = e; return nil },
		kit.WithJobEventClock(func() time.Time { return time.Unix(9, 0) }))
	if err := em.Begin(t.Context(), nil); err != nil || kit.KindOfJobEvent(sent) != kit.JobEventKindBegin || sent.GetTime() != 9 {
		t.Errorf("the event is %v, %v", sent, err)
	}
	if e := kit.NewStateEvent(kit.StateEventKindOn); e.GetKind() != closedpb.StateEvent_ON {
		t.Errorf("the event is %v", e)
	}
	if k := kit.StateEventKindOn_; k.String() != "on" {
		t.Errorf("the name that collides is %v", k)
	}
}
