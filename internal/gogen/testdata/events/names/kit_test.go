package case_test

import (
	"context"
	"errors"
	"testing"

	"example.com/kits/CASE/p"
	kit "example.com/kits/CASE/p/pkit"
)

// TestNames covers identifiers that collide; what matters is that they compile.
func TestNames(t *testing.T) {
	var sent *p.Event
	em := kit.NewEventEmitter(func(_ context.Context, e *p.Event) error { sent = e; return nil })
	if err := em.BuildFailed_(t.Context(), nil, errors.New("x")); err != nil || kit.KindOfEvent(sent) != kit.EventKindBuild {
		t.Errorf("the event is %v, %v", sent, err)
	}
	if err := em.BuildFailed(t.Context(), nil); err != nil || kit.KindOfEvent(sent) != kit.EventKindBuildFailed {
		t.Errorf("the event is %v, %v", sent, err)
	}
	if kit.EventKindUnset.String() != "unset_" || kit.EventKindUnset_.String() != "unset" {
		t.Errorf("unset is %v, %v", kit.EventKindUnset, kit.EventKindUnset_)
	}
	if kit.PStatusFailed != "failed" || kit.PStatusFailed_ != "Failed" || kit.PStatusFailed__ != "FAILED" || kit.PStatus1st != "1st" {
		t.Error("the documented values differ")
	}
}
