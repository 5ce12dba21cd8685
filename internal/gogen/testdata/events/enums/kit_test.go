package case_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"example.com/kits/CASE/otherpb"
	"example.com/kits/CASE/pb"
	kit "example.com/kits/CASE/pb/enumspbkit"
)

func TestMachineKinds(t *testing.T) {
	var got []string
	for k := range kit.MachineEventKinds() {
		e := kit.NewMachineEvent(k)
		if kit.KindOfMachineEvent(e) != k || e.GetKind() != k.Kind() {
			t.Errorf("the event for %v is of kind %v", k, kit.KindOfMachineEvent(e))
		}
		got = append(got, fmt.Sprintf("%v %d %v", k, k, k.Group()))
	}
	want := []string{"KIND_VM_UP 1 VM", "KIND_VM_DOWN -1 VM", "KIND_DISK_ADDED 2147483647 DISK",
		"KIND_DISK_removed -2147483648 DISK"}
	if !slices.Equal(got, want) {
		t.Errorf("the kinds are %q", got)
	}
	if k, err := kit.ParseMachineEventKind("KIND_VM_RUNNING"); err != nil || k != kit.MachineEventKindVmUp {
		t.Errorf("the alias is parsed as %v, %v", k, err)
	}
	if k := kit.MachineEventKindUnspecified; k.Group() != "" || k != 0 {
		t.Errorf("the unspecified kind is %d of the group %q", k, k.Group())
	}
}

func TestUnknown(t *testing.T) {
	for _, e := range []*enumspb.MachineEvent{nil, {}, {Kind: 12345}} {
		unknown := false
		cases := kit.MachineEventCases{Otherwise: func(*enumspb.MachineEvent) error { unknown = true; return nil }}
		if err := cases.Handle(e); err != nil || !unknown {
			t.Errorf("%v: unknown is %v, %v", e, unknown, err)
		}
	}
	if got := kit.KindOfMachineEvent(&enumspb.MachineEvent{Kind: 12345}).String(); got != "MachineEventKind(12345)" {
		t.Errorf("a newer kind is %q", got)
	}
}

func TestMachineEmitter(t *testing.T) {
	var sent *enumspb.MachineEvent
	em := kit.NewMachineEventEmitter(func(_ context.Context, e *enumspb.MachineEvent) error { sent = e; return nil },
		kit.WithMachineEventClock(func() time.Time { return time.Unix(5, 6) }))
	if err := em.VmDown(t.Context(), &enumspb.MachineEvent{Phase: kit.MachineEventPhaseLate}); err != nil {
		t.Fatal(err)
	}
	if sent.GetKind() != enumspb.Kind_KIND_VM_DOWN || sent.GetUpdated().GetNanos() != 6 || sent.GetPhase() != "late" {
		t.Errorf("the event is %v", sent)
	}
	if err := em.Emit(t.Context(), kit.MachineEventKindDiskAdded, sent); err != nil || sent.GetKind() != enumspb.Kind_KIND_DISK_ADDED {
		t.Errorf("the event is %v, %v", sent, err)
	}
}

// visitor is a visitor for which only nil events come.
type visitor struct {
	kit.EventVisitor
	called *string
}

func (v visitor) VisitUnknown(e *enumspb.Event) error {
	if e == nil {
		*v.called += "visited nil "
	}
	return nil
}

// TestImported covers an enum of another package, whose zero is a kind.
func TestImported(t *testing.T) {
	if k := kit.KindOfEvent(nil); k != kit.EventKindStarted || k.What() != otherpb.EventType_STARTED {
		t.Errorf("the kind of nil is %v", k)
	}
	called := ""
	nothing := kit.EventCases{
		Started:   func(*enumspb.Event) error { called += "started "; return nil },
		Otherwise: func(*enumspb.Event) error { called += "otherwise "; return nil },
	}
	if err := errors.Join(nothing.Handle(nil), nothing.Handle(new(enumspb.Event)), kit.VisitEvent(nil, visitor{called: &called})); err != nil || called != "otherwise started visited nil " {
		t.Errorf("called are %q, %v", called, err)
	}
	called = ""
	cases := kit.EventCases{
		String:     func(*enumspb.Event) error { called += "string "; return nil },
		Handle_:    func(*enumspb.Event) error { called += "Handle "; return nil },
		Otherwise_: func(*enumspb.Event) error { called += "otherwise "; return nil },
		X5:         func(*enumspb.Event) error { called += "_5 "; return nil },
		Unknown:    func(*enumspb.Event) error { called += "unknown "; return nil },
		Otherwise:  func(*enumspb.Event) error { called += "else "; return nil },
	}
	for k := range kit.EventKinds() {
		if err := cases.Handle(kit.NewEvent(k)); err != nil {
			t.Fatal(err)
		}
	}
	if called != "else else string Handle otherwise _5 else unknown " {
		t.Errorf("called are %q", called)
	}
	if kit.EventStatusOn != "on" {
		t.Error("the documented value differs")
	}
	em := kit.NewEventEmitter(func(_ context.Context, e *enumspb.Event) error { called = e.GetWhat().String(); return nil })
	if err := em.Emit_(t.Context(), nil); err != nil || called != "emit" {
		t.Errorf("sent is %q, %v", called, err)
	}
}
