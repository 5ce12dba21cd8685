package case_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"example.com/kits/CASE/otherpb"
	"example.com/kits/CASE/pb"
	kit "example.com/kits/CASE/pb/shapespbkit"
)

var (
	_ kit.EventVisitor       = visitor{}
	_ kit.EventEmitterOption = kit.WithEventClock(nil)
)

// later is an event of a variant that is newer than the protobuf package.
func later(t *testing.T) *shapespb.Event {
	e := new(shapespb.Event)
	b := protowire.AppendTag(nil, 999, protowire.BytesType)
	b = protowire.AppendString(b, "new")
	if err := proto.Unmarshal(b, e); err != nil {
		t.Fatal(err)
	}
	return e
}

func events() map[kit.EventKind]*shapespb.Event {
	return map[kit.EventKind]*shapespb.Event{
		kit.EventKindQueued:      kit.NewEventQueued(nil),
		kit.EventKindFinished:    kit.NewEventFinished(new(shapespb.Job)),
		kit.EventKindRemote:      kit.NewEventRemote(new(otherpb.Remote)),
		kit.EventKindInner:       kit.NewEventInner(new(shapespb.Event_Inner)),
		kit.EventKindNote:        kit.NewEventNote("n"),
		kit.EventKindBlob:        kit.NewEventBlob([]byte("b")),
		kit.EventKindExitCode:    kit.NewEventExitCode(7),
		kit.EventKindColor:       kit.NewEventColor(shapespb.Color_RED),
		kit.EventKindSize:        kit.NewEventSize(otherpb.Size_SIZE_BIG),
		kit.EventKindDepth:       kit.NewEventDepth(shapespb.Event_Inner_DEEP),
		kit.EventKindEmpty:       kit.NewEventEmpty(nil),
		kit.EventKindOld:         kit.NewEventOld(nil),
		kit.EventKindSyncedEvent: kit.NewSyncedEvent(nil),
		kit.EventKindDeploy:      kit.NewEventDeploy(nil),
	}
}

func TestKinds(t *testing.T) {
	var names []string
	for k := range kit.EventKinds() {
		e := events()[k]
		if got := kit.KindOfEvent(e); got != k {
			t.Errorf("the event for %v is of kind %v", k, got)
		}
		if back, err := kit.ParseEventKind(k.String()); err != nil || back != k {
			t.Errorf("%v is parsed as %v, %v", k, back, err)
		}
		b, err := proto.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		sent := new(shapespb.Event)
		if err := proto.Unmarshal(b, sent); err != nil || kit.KindOfEvent(sent) != k {
			t.Errorf("an event of kind %v arrives as %v, %v", k, kit.KindOfEvent(sent), err)
		}
		names = append(names, fmt.Sprintf("%v=%d", k, k))
	}
	want := []string{"queued=2", "finished=30", "remote=4", "inner=5", "note=6", "blob=7", "exit_code=8", "color=9",
		"size=10", "depth=11", "empty=12", "old=13", "synced_event=14", "deploy=15"}
	if !slices.Equal(names, want) {
		t.Errorf("the kinds are %v, want %v", names, want)
	}
	for range kit.EventKinds() {
		break
	}
}

func TestUnknown(t *testing.T) {
	for name, e := range map[string]*shapespb.Event{"nil": nil, "empty": new(shapespb.Event), "later": later(t)} {
		if k := kit.KindOfEvent(e); k != kit.EventKindUnset || k.String() != "unset" {
			t.Errorf("%s: the kind is %v", name, k)
		}
		if p := kit.EventPayload(e); p != nil {
			t.Errorf("%s: the payload is %v", name, p)
		}
		if id, ok := kit.EventID(e); id != "" || ok {
			t.Errorf("%s: the id is %q, %v", name, id, ok)
		}
		if err := kit.VisitEvent(e, visitor{}); !errors.Is(err, errUnknown) {
			t.Errorf("%s: the visitor returns %v", name, err)
		}
		if err := new(kit.EventCases).Handle(e); err != nil {
			t.Errorf("%s: no case returns %v", name, err)
		}
		cases := kit.EventCases{Otherwise: func(*shapespb.Event) error { return errUnknown }}
		if err := cases.Handle(e); !errors.Is(err, errUnknown) {
			t.Errorf("%s: the cases return %v", name, err)
		}
	}
	if got := kit.EventKind(999).String(); got != "EventKind(999)" {
		t.Errorf("the kind 999 is %q", got)
	}
	if _, err := kit.ParseEventKind("999"); err == nil || err.Error() != `shapespbkit: "999" is no kind of shapes.Event` {
		t.Errorf("the error is %v", err)
	}
}

func TestPayload(t *testing.T) {
	job := new(shapespb.Job)
	if got := kit.EventPayload(kit.NewEventQueued(job)); got != proto.Message(job) {
		t.Errorf("the payload is %v", got)
	}
	if got := kit.EventPayload(kit.NewEventNote("n")); got != nil {
		t.Errorf("the payload of a note is %v", got)
	}
	if got := kit.EventPayload(kit.NewEventDeploy(nil)); got == nil {
		t.Error("a nil payload is no empty one")
	}
}

var errUnknown = errors.New("unknown")

// said is what a visitor returns.
type said string

func (s said) Error() string { return string(s) }

type visitor struct{}

func (visitor) VisitQueued(_ *shapespb.Event, p *shapespb.Job) error        { return said("queued") }
func (visitor) VisitFinished(_ *shapespb.Event, p *shapespb.Job) error      { return said("finished") }
func (visitor) VisitRemote(_ *shapespb.Event, p *otherpb.Remote) error      { return said("remote") }
func (visitor) VisitInner(_ *shapespb.Event, p *shapespb.Event_Inner) error { return said("inner") }
func (visitor) VisitNote(_ *shapespb.Event, v string) error                 { return said(v) }
func (visitor) VisitBlob(_ *shapespb.Event, v []byte) error                 { return said(v) }
func (visitor) VisitExitCode(_ *shapespb.Event, v int32) error              { return said(fmt.Sprint(v)) }
func (visitor) VisitColor(_ *shapespb.Event, v shapespb.Color) error        { return said(v.String()) }
func (visitor) VisitSize(_ *shapespb.Event, v otherpb.Size) error           { return said(v.String()) }
func (visitor) VisitDepth(_ *shapespb.Event, v shapespb.Event_Inner_Depth) error {
	return said(v.String())
}
func (visitor) VisitEmpty(_ *shapespb.Event, p *shapespb.Empty) error { return said("empty") }
func (visitor) VisitOld(_ *shapespb.Event, p *shapespb.Old) error     { return said("old") }
func (visitor) VisitSyncedEvent(_ *shapespb.Event, p *shapespb.FileSyncEvent) error {
	return said("synced")
}
func (visitor) VisitDeploy(_ *shapespb.Event, p *shapespb.Deploy) error { return said("deploy") }
func (visitor) VisitUnknown(*shapespb.Event) error                      { return errUnknown }

func TestVisit(t *testing.T) {
	want := map[kit.EventKind]string{
		kit.EventKindQueued: "queued", kit.EventKindFinished: "finished", kit.EventKindRemote: "remote", kit.EventKindInner: "inner",
		kit.EventKindNote: "n", kit.EventKindBlob: "b", kit.EventKindExitCode: "7", kit.EventKindColor: "RED",
		kit.EventKindSize: "SIZE_BIG", kit.EventKindDepth: "DEEP", kit.EventKindEmpty: "empty", kit.EventKindOld: "old",
		kit.EventKindSyncedEvent: "synced", kit.EventKindDeploy: "deploy",
	}
	for k, e := range events() {
		if err := kit.VisitEvent(e, visitor{}); err == nil || err.Error() != want[k] {
			t.Errorf("%v: the visitor returns %v", k, err)
		}
	}
	cases := kit.EventCases{ExitCode: func(_ *shapespb.Event, v int32) error { return said(fmt.Sprint(v)) }}
	if err := cases.Handle(kit.NewEventExitCode(3)); err == nil || err.Error() != "3" {
		t.Errorf("the case returns %v", err)
	}
	if err := cases.Handle(kit.NewEventNote("")); err != nil {
		t.Errorf("another case returns %v", err)
	}
}

func TestAccessors(t *testing.T) {
	var queued *shapespb.Event
	em := kit.NewEventEmitter(func(_ context.Context, e *shapespb.Event) error { queued = e; return nil })
	if err := em.QueuedFailed(t.Context(), nil, errors.New("no")); err != nil {
		t.Fatal(err)
	}
	if status, ok := kit.EventStatus(queued); status != kit.EventStatusFailed || !ok {
		t.Errorf("the status is %q, %v", status, ok)
	}
	if id, ok := kit.EventID(queued); id != "" || ok != !hasPresence(queued) {
		t.Errorf("the id is %q, %v", id, ok)
	}
	if _, ok := kit.EventID(kit.NewEventNote("n")); ok {
		t.Error("a note has an id")
	}
	if v, ok := kit.EventValue(queued); v != 0 || ok {
		t.Errorf("the value is %d, %v", v, ok)
	}
	if tags, ok := kit.EventTags(queued); tags != nil || !ok {
		t.Errorf("the tags are %v, %v", tags, ok)
	}
	if sizes, ok := kit.EventSizes(kit.NewEventDeploy(nil)); sizes != nil || !ok {
		t.Errorf("the sizes are %v, %v", sizes, ok)
	}
	if size, ok := kit.EventSize(queued); size != otherpb.Size_SIZE_UNSPECIFIED || ok != !hasPresence(queued) {
		t.Errorf("the size is %v, %v", size, ok)
	}
}

// hasPresence tells whether an unset id differs from an empty one.
func hasPresence(e *shapespb.Event) bool {
	return kit.EventPayload(e).ProtoReflect().Descriptor().Fields().ByName("id").HasPresence()
}

func TestValues(t *testing.T) {
	for got, want := range map[string]string{
		kit.JobStatusNotStarted:           "Not Started",
		kit.JobStatusNotStarted_:          "NotStarted",
		kit.JobStatus100:                  "100%",
		kit.JobStatusAB:                   `a "b"`,
		kit.JobStatusValue5:               "!",
		kit.JobStatusValue6:               "?",
		kit.JobStatusÉté:                  "été",
		kit.JobStatusFailed:               "Failed",
		kit.RemoteStatusFar:               "Far",
		kit.FileSyncEventStatusNotStarted: "Not started",
		kit.DeployStateDown:               "Down",
		kit.EventStatusDone:               "Done",
	} {
		if got != want {
			t.Errorf("a constant is %q, want %q", got, want)
		}
	}
}

// coded is an error that has a message of its own.
type coded struct{ error }

func (c coded) Proto() *shapespb.Problem_Error {
	return proto.CloneOf(problem)
}

var problem = func() *shapespb.Problem_Error {
	p := new(shapespb.Problem_Error)
	b := protowire.AppendVarint(protowire.AppendTag(nil, 2, protowire.VarintType), 42)
	if err := proto.Unmarshal(b, p); err != nil {
		panic(err)
	}
	return p
}()

// red is an error that has a code, and a message only if it has one.
type red struct{ message *shapespb.Problem_Error }

func (*red) Error() string                    { return "red" }
func (r *red) Proto() *shapespb.Problem_Error { return r.message }
func (*red) Code() shapespb.Color             { return shapespb.Color_RED }

// TestErrors covers what the default makes of an error.
func TestErrors(t *testing.T) {
	var sent *shapespb.Event
	em := kit.NewEventEmitter(func(_ context.Context, e *shapespb.Event) error { sent = e; return nil })
	for _, c := range []struct {
		err  error
		text string
		code shapespb.Color
	}{
		{errors.New("a\xffb"), "a\uFFFDb", 0},
		{fmt.Errorf("around: %w", new(red)), "around: red", shapespb.Color_RED},
		{errors.Join(errors.New("first"), new(red)), "first\nred", shapespb.Color_RED},
		{(*red)(nil), "red", 0},
		{(*shy)(nil), "<nil>", 0},
	} {
		if err := em.FinishedFailed(t.Context(), nil, c.err); err != nil {
			t.Fatal(err)
		}
		got := sent.GetFinished().GetErr()
		if got.GetMessage() != c.text || got.GetColor() != c.code {
			t.Errorf("%T gives %v", c.err, got)
		}
		if _, err := proto.Marshal(sent); err != nil {
			t.Error(err)
		}
	}
	if err := em.FinishedFailed(t.Context(), nil, &red{problem}); err != nil || sent.GetFinished().GetErr() == problem || !proto.Equal(sent.GetFinished().GetErr(), problem) {
		t.Errorf("the message is not a copy of the error's: %v, %v", sent, err)
	}
}

// shy is an error whose methods panic for nil.
type shy struct{ text string }

func (s *shy) Error() string { return s.text }

func TestEmitter(t *testing.T) {
	var sent *shapespb.Event
	sink := func(_ context.Context, e *shapespb.Event) error { sent = e; return nil }
	now := time.Date(2020, 1, 2, 3, 4, 5, 6, time.UTC)
	em := kit.NewEventEmitter(sink, kit.WithEventClock(func() time.Time { return now }))
	ctx := t.Context()
	for _, c := range []struct {
		name string
		err  error
		kind kit.EventKind
	}{
		{"queued", em.Queued(ctx, nil), kit.EventKindQueued},
		{"note", em.Note(ctx, "n"), kit.EventKindNote},
		{"failed", em.FinishedFailed(ctx, nil, fmt.Errorf("wrapped: %w", coded{errors.New("c")})), kit.EventKindFinished},
	} {
		if c.err != nil {
			t.Errorf("%s: %v", c.name, c.err)
		}
	}
	if k := kit.KindOfEvent(sent); k != kit.EventKindFinished {
		t.Fatalf("the kind is %v", k)
	}
	if got := sent.GetAt().AsTime(); !got.Equal(now) {
		t.Errorf("the time is %v", got)
	}
	if got := sent.GetFinished().GetErr(); got.GetCode() != 42 || sent.GetFinished().GetStatus() != "Failed" {
		t.Errorf("the event is %v", sent)
	}
	if err := em.FinishedFailed(ctx, nil, errors.New("plain")); err != nil || sent.GetFinished().GetErr().GetMessage() != "plain" {
		t.Errorf("the event is %v, %v", sent, err)
	}
	if err := em.FinishedFailed(ctx, nil, nil); err != nil || sent.GetFinished().GetErr() != nil {
		t.Errorf("the event is %v, %v", sent, err)
	}
	em = kit.NewEventEmitter(sink, kit.WithEventErrors(func(error) *shapespb.Problem_Error { return nil }))
	if err := em.FinishedFailed(ctx, nil, errors.New("plain")); err != nil || sent.GetFinished().GetErr() != nil {
		t.Errorf("the event is %v, %v", sent, err)
	}
	if err := em.Emit(ctx, nil); err != nil || sent.GetAt() == nil || kit.KindOfEvent(sent) != kit.EventKindUnset {
		t.Errorf("the nil event is sent as %v, %v", sent, err)
	}
	em = kit.NewEventEmitter(func(context.Context, *shapespb.Event) error { return errUnknown })
	if err := em.Empty(ctx, nil); !errors.Is(err, errUnknown) {
		t.Errorf("the error of the sink is %v", err)
	}
}

func TestAllocations(t *testing.T) {
	e := kit.NewEventQueued(nil)
	if n := testing.AllocsPerRun(100, func() {
		if kit.KindOfEvent(e).String() == "" {
			t.Fail()
		}
		_, _ = kit.EventID(e)
		_ = kit.EventPayload(e)
		_ = kit.VisitEvent(e, nobody{})
	}); n != 0 {
		t.Errorf("reading an event allocates %v times", n)
	}
}

// TestEmitterAllocations allows one allocation for an event of the Open API, and
// as many as there are parts where only setters can put them together.
func TestEmitterAllocations(t *testing.T) {
	em := kit.NewEventEmitter(func(context.Context, *shapespb.Event) error { return nil })
	most := 1.0
	if _, ok := any(new(shapespb.Event)).(interface{ ClearWhat() }); ok {
		most = 3
	}
	ctx, p := t.Context(), new(shapespb.Job)
	if n := testing.AllocsPerRun(100, func() { _ = em.Finished(ctx, p) }); n > most {
		t.Errorf("sending an event allocates %v times, want %v", n, most)
	}
}

// nobody returns no error, so that no call allocates one.
type nobody struct{ visitor }

func (nobody) VisitQueued(*shapespb.Event, *shapespb.Job) error { return nil }

func TestNested(t *testing.T) {
	e := kit.NewOuterStepEventBegin(nil)
	if k := kit.KindOfOuterStepEvent(e); k != kit.OuterStepEventKindBegin {
		t.Errorf("the kind is %v", k)
	}
}
