package case_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"example.com/kits/CASE/pb"
	kit "example.com/kits/CASE/pb/groupspbkit"
)

func TestGroups(t *testing.T) {
	var sent *groupspb.Event
	em := kit.NewEventEmitter(func(_ context.Context, e *groupspb.Event) error { sent = e; return nil },
		kit.WithEventClock(func() time.Time { return time.Unix(0, 77) }))
	if err := em.StartedFailed(t.Context(), &groupspb.Event_Started{Id: proto.String("x")}, errors.New("broken")); err != nil {
		t.Fatal(err)
	}
	if sent.GetTimeNs() != 77 || sent.GetStarted().GetErr().GetMessage() != "broken" || kit.KindOfEvent(sent) != kit.EventKindStarted {
		t.Errorf("the event is %v", sent)
	}
	if id, ok := kit.EventID(sent); id != "x" || !ok {
		t.Errorf("the id is %q, %v", id, ok)
	}
	if id, ok := kit.EventID(kit.NewEventStarted(nil)); id != "none" || ok {
		t.Errorf("the unset id is %q, %v", id, ok)
	}
	if level, ok := kit.EventLevel(sent); level != groupspb.Level_LOW || ok {
		t.Errorf("the unset level is %v, %v", level, ok)
	}
	if err := em.StoppedGone(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if status, ok := kit.EventStatus(sent); status != kit.EventStoppedStatusGone || !ok {
		t.Errorf("the status is %q, %v", status, ok)
	}
}

// TestWrapper covers what only the Open API allows: a wrapper that is nil, and
// one of a nil payload.
func TestWrapper(t *testing.T) {
	for name, e := range map[string]*groupspb.Event{
		"nil wrapper": {What: (*groupspb.Event_Started_)(nil)},
		"nil payload": {What: (*groupspb.Event_Started_)(nil)},
	} {
		if k := kit.KindOfEvent(e); k != kit.EventKindUnset {
			t.Errorf("%s: the kind is %v", name, k)
		}
		if _, ok := kit.EventID(e); ok {
			t.Errorf("%s: it has an id", name)
		}
	}
	e := &groupspb.Event{What: &groupspb.Event_Started_{}}
	if k := kit.KindOfEvent(e); k != kit.EventKindStarted {
		t.Errorf("the kind of a nil payload is %v", k)
	}
	if p := kit.EventPayload(e); p != nil {
		t.Errorf("a nil payload is %v", p)
	}
	if id, ok := kit.EventID(e); id != "none" || ok {
		t.Errorf("the id is %q, %v", id, ok)
	}
	if must, ok := kit.EventMust(e); must != 0 || ok {
		t.Errorf("must is %d, %v", must, ok)
	}
}
