package case_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"example.com/kits/CASE/pb"
	kit "example.com/kits/CASE/pb/featurespbkit"
)

// TestMixedLevels covers an opaque event that carries an open payload.
func TestMixedLevels(t *testing.T) {
	var sent *featurespb.Event
	em := kit.NewEventEmitter(func(_ context.Context, e *featurespb.Event) error { sent = e; return nil },
		kit.WithEventClock(func() time.Time { return time.UnixMilli(1234) }))
	if err := em.BError(t.Context(), nil, errors.New("broken")); err != nil {
		t.Fatal(err)
	}
	if *sent.GetB().Status != "Error" || sent.GetB().Error.GetMessage() != "broken" || sent.GetTimeMs() != 1234 {
		t.Errorf("the event is %v", sent)
	}
	if err := em.ARunning(t.Context(), featurespb.A_builder{}.Build()); err != nil {
		t.Fatal(err)
	}
	if status, ok := kit.EventStatus(sent); status != "Running" || !ok {
		t.Errorf("the status is %q, %v", status, ok)
	}
	if _, ok := kit.EventStatus(kit.NewEventB(nil)); ok {
		t.Error("an unset status is there")
	}
}
