package eventlog

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"weak"

	"go.uber.org/goleak"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

func TestMain(m *testing.M) {
	if runAsChild() {
		return
	}
	goleak.VerifyTestMain(m)
}

// limit ends what would otherwise hang.
func limit(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func mustAppend[E any](t testing.TB, l *Log[E], events ...E) {
	t.Helper()
	for _, e := range events {
		if _, err := l.Append(e); err != nil {
			t.Fatalf("Append(%v): %v", e, err)
		}
	}
}

// rest reads what is there and closes the log for it.
func rest[E any](t testing.TB, l *Log[E], r *Reader[E]) (events []E) {
	t.Helper()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	for _, e := range r.All(limit(t)) {
		events = append(events, e)
	}
	if r.Err() != nil {
		t.Fatal(r.Err())
	}
	return events
}

func wantEvents[E comparable](t testing.TB, got []E, want ...E) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got events %v, want %v", got, want)
	}
}

func TestNumbersBeginWithOne(t *testing.T) {
	l := New(Config[string]{})
	if l.Last() != 0 {
		t.Errorf("Last of an empty log is %d", l.Last())
	}
	for want := Seq(1); want <= 100; want++ {
		if seq, err := l.Append("x"); seq != want || err != nil {
			t.Fatalf("Append = %d, %v; want %d", seq, err, want)
		}
	}
	if l.Last() != 100 {
		t.Errorf("Last = %d", l.Last())
	}
}

func TestReaderFrom(t *testing.T) {
	const kept, all = 4, 10 // 7, 8, 9, 10 are there
	tests := []struct {
		from    Seq
		opts    []ReaderOption[Seq]
		want    []Seq
		wantErr error
	}{
		{from: 0, want: []Seq{7, 8, 9, 10}},
		{from: 7, want: []Seq{7, 8, 9, 10}},
		{from: 9, want: []Seq{9, 10}},
		{from: 11, want: nil},
		{from: 1, wantErr: &TrimmedError{From: 1, Oldest: 7}},
		{from: 6, wantErr: &TrimmedError{From: 6, Oldest: 7}},
		{from: 12, wantErr: &AheadError{From: 12, Last: 10}},
		{from: ^Seq(0), wantErr: &AheadError{From: ^Seq(0), Last: 10}},
		{from: 0, opts: []ReaderOption[Seq]{Filter(func(e Seq) bool { return e%2 == 0 })}, want: []Seq{8, 10}},
		{from: 1, opts: []ReaderOption[Seq]{Gaps[Seq](func(Seq, Seq) {})}, want: []Seq{7, 8, 9, 10}},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprintf("%d with %d options", tt.from, len(tt.opts)), func(t *testing.T) {
			l := New(Config[Seq]{MaxEvents: kept})
			for e := Seq(1); e <= all; e++ {
				mustAppend(t, l, e)
			}
			r := l.Reader(tt.from, tt.opts...)
			l.Close()
			var got []Seq
			for seq, e := range r.All(limit(t)) {
				if seq != e {
					t.Errorf("event %d has number %d", e, seq)
				}
				got = append(got, e)
			}
			wantEvents(t, got, tt.want...)
			if fmt.Sprint(r.Err()) != fmt.Sprint(tt.wantErr) {
				t.Errorf("Err = %v, want %v", r.Err(), tt.wantErr)
			}
		})
	}
}

func TestErrorsAreTyped(t *testing.T) {
	l := New(Config[int]{MaxEvents: 1})
	mustAppend(t, l, 1, 2)
	var trimmed *TrimmedError
	if _, err := l.Reader(1).Next(limit(t)); !errors.As(err, &trimmed) || *trimmed != (TrimmedError{1, 2}) {
		t.Errorf("got %v, want a TrimmedError from 1, oldest 2", err)
	}
	var ahead *AheadError
	if _, err := l.Reader(9).Next(limit(t)); !errors.As(err, &ahead) || *ahead != (AheadError{9, 2}) {
		t.Errorf("got %v, want an AheadError from 9, last 2", err)
	}
	for _, err := range []error{trimmed, ahead} {
		if err.Error() == "" {
			t.Errorf("%T has no text", err)
		}
	}
}

func TestErrorDoesNotMoveReader(t *testing.T) {
	l := New(Config[int]{MaxEvents: 2})
	r := l.Reader(1)
	cancelled, cancel := context.WithCancelCause(context.Background())
	gone := errors.New("the client is gone")
	cancel(gone)
	mustAppend(t, l, 1)
	if _, err := r.Next(cancelled); err != gone {
		t.Errorf("Next of an ended context = %v, want its cause", err)
	}
	if rec, err := r.Next(limit(t)); err != nil || rec.Event != 1 {
		t.Errorf("Next = %v, %v; want event 1", rec, err)
	}
	l.Close()
	for range 2 {
		if _, err := r.Next(limit(t)); err != io.EOF {
			t.Errorf("Next of a closed log = %v, want io.EOF", err)
		}
	}
}

func TestFromZeroDoesNotSkipWhatComesWhileItWaits(t *testing.T) {
	l := New(Config[int]{MaxEvents: 2})
	r := l.Reader(0)
	first := make(chan error)
	ctx, cancel := context.WithCancel(limit(t))
	go func() {
		_, err := r.Next(ctx)
		first <- err
	}()
	for l.waiting.Load() == nil {
		runtime.Gosched()
	}
	cancel()
	if err := <-first; err != context.Canceled {
		t.Fatal(err)
	}
	mustAppend(t, l, 1, 2, 3)
	if _, err := r.Next(limit(t)); err == nil || err.Error() != (&TrimmedError{1, 2}).Error() {
		t.Errorf("Next = %v, want that event 1 is gone", err)
	}
}

func TestGapsAreNoticedBeforeWhatFollows(t *testing.T) {
	l := New(Config[int]{MaxEvents: 3})
	var story []string
	r := l.Reader(1, Gaps[int](func(from, to Seq) { story = append(story, fmt.Sprintf("lost %d-%d", from, to)) }))
	mustAppend(t, l, 1)
	for i := range 2 {
		rec, err := r.Next(limit(t))
		if err != nil {
			t.Fatal(err)
		}
		story = append(story, fmt.Sprint(rec.Seq))
		if i == 0 {
			mustAppend(t, l, 2, 3, 4, 5, 6)
		}
	}
	l.Trim(100)
	mustAppend(t, l, 7)
	for _, e := range rest(t, l, r) {
		story = append(story, fmt.Sprint(e))
	}
	wantEvents(t, story, "1", "lost 2-3", "4", "lost 5-6", "7")
}

func TestBounds(t *testing.T) {
	size := func(s string) int { return len(s) }
	tests := []struct {
		name   string
		cfg    Config[string]
		append []string
		want   []string
	}{
		{"count", Config[string]{MaxEvents: 2}, []string{"a", "b", "c"}, []string{"b", "c"}},
		{"bytes", Config[string]{MaxBytes: 4, Size: size}, []string{"aa", "b", "cc"}, []string{"b", "cc"}},
		{"exactly", Config[string]{MaxBytes: 4, Size: size}, []string{"aa", "bb"}, []string{"aa", "bb"}},
		{"newest stays", Config[string]{MaxBytes: 4, Size: size}, []string{"a", "b", "large event"}, []string{"large event"}},
		{"after a large one", Config[string]{MaxBytes: 4, Size: size}, []string{"large event", "a"}, []string{"a"}},
		{"bytes without size", Config[string]{MaxBytes: 1}, []string{"aa", "bb"}, []string{"aa", "bb"}},
		{"negative sizes", Config[string]{MaxBytes: 1, Size: func(string) int { return -5 }},
			[]string{"a", "b"}, []string{"a", "b"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := New(tt.cfg)
			mustAppend(t, l, tt.append...)
			wantEvents(t, rest(t, l, l.Reader(0)), tt.want...)
		})
	}
}

func TestDefaultBounds(t *testing.T) {
	l := New(Config[int]{MaxEvents: -1})
	for e := range defaultMaxEvents + 10 {
		mustAppend(t, l, e)
	}
	if got := len(rest(t, l, l.Reader(0))); got != defaultMaxEvents {
		t.Errorf("%d events are kept, want %d", got, defaultMaxEvents)
	}
}

func TestTrim(t *testing.T) {
	l := New(Config[int]{Size: func(int) int { return 8 }})
	mustAppend(t, l, 1, 2, 3, 4)
	l.Trim(3)
	l.Trim(2) // does not bring anything back
	if l.bytes.Load() != 16 {
		t.Errorf("%d bytes are counted, want 16", l.bytes.Load())
	}
	l.Trim(1000) // no more than there is
	mustAppend(t, l, 5)
	if l.Last() != 5 {
		t.Errorf("Last = %d, want 5", l.Last())
	}
	wantEvents(t, rest(t, l, l.Reader(0)), 5)
}

// What is dropped is free, whatever readers there are.
func TestDroppedEventsAreFreed(t *testing.T) {
	type event [1 << 10]byte
	l := New(Config[*event]{MaxEvents: 4})
	slow := l.Reader(1)
	var events []weak.Pointer[event]
	for range 100 {
		e := new(event)
		events = append(events, weak.Make(e))
		mustAppend(t, l, e)
	}
	if _, err := slow.Next(limit(t)); err == nil {
		t.Error("the slow reader did not learn that its events are gone")
	}
	alive := func() (n int) {
		for _, e := range events {
			if e.Value() != nil {
				n++
			}
		}
		return n
	}
	for deadline := time.Now().Add(time.Minute); alive() > 4 && time.Now().Before(deadline); {
		runtime.GC()
	}
	if n := alive(); n != 4 {
		t.Errorf("%d events are in memory, want 4", n)
	}
	runtime.KeepAlive(l)
	runtime.KeepAlive(slow)
}

// A reader that is dropped leaves nothing behind.
func TestReadersNeedNoClosing(t *testing.T) {
	l := New(Config[int]{})
	mustAppend(t, l, 1)
	var readers []weak.Pointer[Reader[int]]
	for range 100 {
		r := l.Reader(0)
		if _, err := r.Next(limit(t)); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := r.Next(ctx); err == nil {
			t.Fatal("a second event")
		}
		readers = append(readers, weak.Make(r))
	}
	alive := func(p weak.Pointer[Reader[int]]) bool { return p.Value() != nil }
	for deadline := time.Now().Add(time.Minute); slices.ContainsFunc(readers, alive) && time.Now().Before(deadline); {
		runtime.GC()
	}
	if slices.ContainsFunc(readers, alive) {
		t.Error("a reader is still in memory")
	}
	runtime.KeepAlive(l)
}

// Replay and live are one sequence. Readers with random stalls
// each get every event once, in order, while others are appended.
func TestTotalOrderWithStalls(t *testing.T) {
	const readers, events = 30, 5000
	l := New(Config[int]{MaxEvents: events})
	var wg sync.WaitGroup
	for id := range readers {
		rnd := rand.New(rand.NewPCG(4, uint64(id)))
		for l.Last() < Seq(rnd.IntN(events/20)) { // come at different times
			mustAppend(t, l, int(l.Last())+1)
		}
		wg.Go(func() {
			want := Seq(1)
			r := l.Reader(1)
			for seq, e := range r.All(limit(t)) {
				if seq != want || e != int(want) {
					t.Errorf("reader %d: event %d with number %d, want %d", id, e, seq, want)
					return
				}
				want++
				for range rnd.IntN(3) * rnd.IntN(20) {
					runtime.Gosched()
				}
			}
			if want != events+1 || r.Err() != nil {
				t.Errorf("reader %d ended before %d: %v", id, want, r.Err())
			}
		})
	}
	for l.Last() < events {
		mustAppend(t, l, int(l.Last())+1)
	}
	l.Close()
	wg.Wait()
}

// As above with a log that is too short: what is not read is noticed.
func TestEachEventIsReadOrNoticed(t *testing.T) {
	const readers, events = 20, 5000
	l := New(Config[int]{MaxEvents: 16})
	var wg sync.WaitGroup
	for id := range readers {
		rnd := rand.New(rand.NewPCG(5, uint64(id)))
		wg.Go(func() {
			want := Seq(1)
			r := l.Reader(1, Gaps[int](func(from, to Seq) {
				if from != want || to < from {
					t.Errorf("reader %d: a gap of %d to %d, want one from %d", id, from, to, want)
				}
				want = to + 1
			}))
			for seq, e := range r.All(limit(t)) {
				if seq != want || e != int(want) {
					t.Errorf("reader %d: event %d with number %d, want %d", id, e, seq, want)
					return
				}
				want++
				for range rnd.IntN(3) * rnd.IntN(100) {
					runtime.Gosched()
				}
			}
			if want != events+1 || r.Err() != nil {
				t.Errorf("reader %d ended before %d: %v", id, want, r.Err())
			}
		})
	}
	for l.Last() < events {
		mustAppend(t, l, int(l.Last())+1)
		runtime.Gosched()
	}
	l.Close()
	wg.Wait()
}

// Without Gaps nothing is passed over in silence, however fast events go.
func TestNothingIsPassedOverInSilence(t *testing.T) {
	const events = 100_000
	l := New(Config[int]{MaxEvents: 2})
	var wg sync.WaitGroup
	ctx := limit(t)
	for range 3 {
		wg.Go(func() {
			for next := Seq(1); ; {
				r := l.Reader(next)
				for seq := range r.All(ctx) {
					if seq != next {
						t.Errorf("event %d after %d, and no word of it", seq, next-1)
						return
					}
					next++
				}
				var trimmed *TrimmedError
				if !errors.As(r.Err(), &trimmed) {
					if r.Err() != nil || next != events+1 {
						t.Errorf("ended before event %d: %v", next, r.Err())
					}
					return
				}
				next = trimmed.Oldest
			}
		})
	}
	for e := range events {
		mustAppend(t, l, e)
	}
	l.Close()
	wg.Wait()
}

func TestManyProducers(t *testing.T) {
	const producers, events = 8, 500
	type event struct{ producer, n int }
	var applied []event
	l := New(Config[event]{Apply: func(_ Seq, e event) { applied = append(applied, e) }})
	var wg sync.WaitGroup
	for p := range producers {
		wg.Go(func() {
			last := Seq(0)
			for n := range events {
				seq, err := l.Append(event{p, n})
				if err != nil || seq <= last {
					t.Errorf("Append = %d, %v after %d", seq, err, last)
				}
				last = seq
			}
		})
	}
	wg.Wait()
	next := make([]int, producers)
	got := rest(t, l, l.Reader(1))
	for _, e := range got {
		if e.n != next[e.producer] {
			t.Fatalf("event %v, want number %d", e, next[e.producer])
		}
		next[e.producer]++
	}
	wantEvents(t, applied, got...)
	if len(got) != producers*events {
		t.Errorf("%d events", len(got))
	}
}

// Readers that do not read cost a producer nothing, nor do readers that failed.
func TestSlowAndDeadReadersDoNotHoldUpAppend(t *testing.T) {
	l := New(Config[int]{MaxEvents: 100})
	mustAppend(t, l, 0)
	var stuck, dead []*Reader[int]
	block, blocked := make(chan struct{}), make(chan struct{}, 10)
	var wg sync.WaitGroup
	for range 10 {
		r := l.Reader(1)
		stuck = append(stuck, r)
		wg.Go(func() {
			for range r.All(limit(t)) {
				blocked <- struct{}{}
				<-block
			}
		})
		d := l.Reader(1)
		if _, err := d.Next(limit(t)); err != nil {
			t.Fatal(err)
		}
		dead = append(dead, d) // and never read again
	}
	for range 10 {
		<-blocked
	}
	for e := range 10_000 {
		mustAppend(t, l, e)
	}
	if got := len(rest(t, l, l.Reader(0))); got != 100 {
		t.Errorf("a healthy reader got %d events, want 100", got)
	}
	close(block)
	wg.Wait()
	for _, r := range append(stuck, dead...) {
		var trimmed *TrimmedError
		if _, err := r.Next(limit(t)); !errors.As(err, &trimmed) {
			t.Errorf("Next of a reader that fell behind = %v, want a TrimmedError", err)
		}
	}
}

// A wait ends with its context, not with the next event.
func TestWaitsEndWithTheirContext(t *testing.T) {
	l := New(Config[int]{})
	gone := errors.New("gone")
	var ends []context.CancelCauseFunc
	done := make(chan error)
	for range 100 {
		ctx, end := context.WithCancelCause(context.Background())
		ends = append(ends, end)
		go func() {
			_, err := l.Reader(1).Next(ctx)
			done <- err
		}()
	}
	for _, end := range ends {
		end(gone)
	}
	for range ends {
		if err := <-done; err != gone {
			t.Errorf("Next = %v, want the context's cause", err)
		}
	}
}

// A wake-up reaches all that wait, though those that are woken first may be
// leaving just then.
func TestWakeUpIsNotLostWithReadersThatLeave(t *testing.T) {
	for round := range 200 {
		l := New(Config[int]{})
		ctx, leave := context.WithCancel(context.Background())
		var wg sync.WaitGroup
		for id := range 16 {
			wg.Go(func() {
				wait := limit(t)
				if id%2 == 0 {
					wait = ctx
				}
				rec, err := l.Reader(1).Next(wait)
				if err == nil && rec.Event == 7 || id%2 == 0 && err == context.Canceled {
					return
				}
				t.Errorf("round %d, reader %d: %v, %v", round, id, rec, err)
			})
		}
		for range round % 10 {
			runtime.Gosched()
		}
		go leave()
		mustAppend(t, l, 7)
		wg.Wait()
		leave()
	}
}

// Close lets readers have what is left and ends their waits;
// Append fails then, and never panics.
func TestCloseDrainsAndEndsWaits(t *testing.T) {
	l := New(Config[int]{})
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() {
			want := 1
			r := l.Reader(1)
			for _, e := range r.All(limit(t)) {
				if e != want {
					t.Errorf("event %d, want %d", e, want)
				}
				want++
			}
			if want != 4 || r.Err() != nil {
				t.Errorf("ended before event %d with %v", want, r.Err())
			}
		})
	}
	mustAppend(t, l, 1, 2, 3)
	l.Close()
	wg.Wait()
	for range 2 {
		if _, err := l.Append(4); err != ErrClosed {
			t.Errorf("Append = %v, want ErrClosed", err)
		}
		_, err := l.Update(func(Seq) ([]int, error) { t.Error("decide was called"); return nil, nil })
		if err != ErrClosed {
			t.Errorf("Update = %v, want ErrClosed", err)
		}
		if err := l.Close(); err != nil {
			t.Errorf("Close = %v", err)
		}
	}
}

// Whoever comes while the log is closed is either in it or refused.
func TestCloseWhileAppending(t *testing.T) {
	for range 50 {
		l := New(Config[int]{})
		var wg sync.WaitGroup
		var taken atomic.Int64
		for range 4 {
			wg.Go(func() {
				for e := 0; ; e++ {
					if _, err := l.Append(e); err == ErrClosed {
						return
					} else if err != nil {
						t.Error(err)
					}
					taken.Add(1)
				}
			})
		}
		var read int64
		wg.Go(func() {
			for range l.Reader(1, Gaps[int](func(from, to Seq) { read += int64(to - from + 1) })).All(limit(t)) {
				read++
			}
		})
		for l.Last() < 10 {
			runtime.Gosched()
		}
		l.Close()
		wg.Wait()
		if taken.Load() != read {
			t.Fatalf("%d events were taken, %d read", taken.Load(), read)
		}
	}
}

// The last event is not overlooked by a reader that sees the log closed.
func TestCloseRightAfterAppend(t *testing.T) {
	ctx := limit(t)
	for round := range 5000 {
		l := New(Config[int]{})
		read := make(chan int)
		go func() {
			n := 0
			for range l.Reader(1).All(ctx) {
				n++
			}
			read <- n
		}()
		for range round % 50 {
			l.Last() // at another moment of the reader's each time
		}
		mustAppend(t, l, 1)
		l.Close()
		if n := <-read; n != 1 {
			t.Fatalf("round %d: %d events were read, want 1", round, n)
		}
	}
}

// What the caller does to its message after Append is not seen.
func TestCallerMayChangeItsMessage(t *testing.T) {
	var applied []string
	cfg := Proto[*wrapperspb.StringValue]()
	cfg.Apply = func(_ Seq, m *wrapperspb.StringValue) { applied = append(applied, m.Value) }
	l := New(cfg)
	m := wrapperspb.String("first")
	mustAppend(t, l, m)
	m.Value = "second"
	mustAppend(t, l, m)
	m.Value = "third"
	var got []string
	for _, e := range rest(t, l, l.Reader(1)) {
		got = append(got, e.Value)
	}
	wantEvents(t, got, "first", "second")
	wantEvents(t, applied, "first", "second")
}

func TestProtoCountsBytes(t *testing.T) {
	cfg := Proto[*wrapperspb.StringValue]()
	m := wrapperspb.String("12345678")
	cfg.MaxBytes = int64(2*cfg.Size(m) + 1)
	l := New(cfg)
	for range 5 {
		mustAppend(t, l, m)
	}
	if got := rest(t, l, l.Reader(0)); len(got) != 2 {
		t.Errorf("%d events are kept, want 2", len(got))
	}
}

// A snapshot and a stream from the next event on give each
// change once, while events are appended and the state is changed by hand.
func TestSnapshotThenStream(t *testing.T) {
	const producers, events = 4, 1000
	sum := 0
	l := New(Config[int]{Apply: func(_ Seq, e int) { sum += e }})
	var wg, producing sync.WaitGroup
	for range producers {
		producing.Go(func() {
			for e := range events {
				mustAppend(t, l, e)
			}
		})
	}
	for range 20 {
		wg.Go(func() {
			var mine int
			var from Seq
			l.Snapshot(func(last Seq) { mine, from = sum, last+1 })
			for _, e := range l.Reader(from).All(limit(t)) {
				mine += e
			}
			if want := producers * events * (events - 1) / 2; mine != want {
				t.Errorf("from event %d on: a sum of %d, want %d", from, mine, want)
			}
		})
	}
	producing.Wait()
	l.Close()
	wg.Wait()
}

// No change is lost between a decision and what follows from it.
func TestUpdateDecidesByState(t *testing.T) {
	const goroutines, tries = 8, 500
	for _, journal := range []bool{false, true} {
		t.Run(fmt.Sprint("journal ", journal), func(t *testing.T) {
			balance := 0
			cfg := Config[int]{Apply: func(_ Seq, e int) { balance += e }}
			l := New(cfg)
			if journal {
				l, _ = mustOpen(t, cfg, testJournal(t, SyncNever))
			}
			full := errors.New("full")
			var wg sync.WaitGroup
			for range goroutines {
				wg.Go(func() {
					for range tries {
						_, err := l.Update(func(Seq) ([]int, error) {
							if balance >= 100 {
								return nil, full
							}
							return []int{1, 1}, nil
						})
						if err != nil && err != full {
							t.Error(err)
						}
					}
				})
			}
			wg.Wait()
			if balance != 100 || l.Last() != 100 {
				t.Errorf("balance %d after %d events, want 100", balance, l.Last())
			}
			if seq, err := l.Update(func(Seq) ([]int, error) { return nil, nil }); seq != 100 || err != nil {
				t.Errorf("Update without events = %d, %v", seq, err)
			}
			l.Close()
		})
	}
}

// A panic of what the log was given does not keep a lock, and leaves no event.
func TestPanics(t *testing.T) {
	boom := errors.New("boom")
	at := func(place string) Config[string] {
		check := func(where, e string) {
			if e == "bad" && where == place {
				panic(boom)
			}
		}
		return Config[string]{
			Clone: func(e string) string { check("Clone", e); return e },
			Size:  func(e string) int { check("Size", e); return len(e) },
			Apply: func(_ Seq, e string) { check("Apply", e) },
		}
	}
	panicOf := func(f func()) (v any) {
		defer func() { v = recover() }()
		f()
		return nil
	}
	wantBoom := func(t *testing.T, what string, f func()) {
		t.Helper()
		err, _ := panicOf(f).(error)
		if !errors.Is(err, boom) {
			t.Errorf("%s: panic with %v, want %v", what, err, boom)
		}
	}
	for _, place := range []string{"Clone", "Size", "Apply", "Encode"} {
		for _, journal := range []bool{false, true} {
			t.Run(fmt.Sprint(place, " journal ", journal), func(t *testing.T) {
				if place == "Encode" && !journal {
					t.Skip("nothing is encoded without a journal")
				}
				l, j := New(at(place)), testJournalOf[string](t, SyncNever)
				if journal {
					encode := j.Lines.Encode
					j.Lines.Encode = func(e string) ([]byte, error) {
						if e == "bad" && place == "Encode" {
							panic(boom)
						}
						return encode(e)
					}
					l, _ = mustOpen(t, at(place), j)
				}
				mustAppend(t, l, "one")
				wantBoom(t, "Append", func() { l.Append("bad") })
				wantBoom(t, "Update", func() { l.Update(func(Seq) ([]string, error) { return []string{"bad"}, nil }) })
				wantBoom(t, "decide", func() { l.Update(func(Seq) ([]string, error) { panic(boom) }) })
				wantBoom(t, "Snapshot", func() { l.Snapshot(func(Seq) { panic(boom) }) })
				mustAppend(t, l, "two")
				want := []string{"one", "two"}
				if place == "Apply" {
					wantBoom(t, "Update of three", func() {
						l.Update(func(Seq) ([]string, error) { return []string{"three", "bad", "four"}, nil })
					})
					mustAppend(t, l, "five")
					want = append(want, "three", "five")
				}
				wantEvents(t, rest(t, l, l.Reader(1)), want...)
				if journal {
					l, _ = mustOpen(t, at(place), j)
					wantEvents(t, rest(t, l, l.Reader(1)), want...)
				}
			})
		}
	}
}

// A goroutine that Apply ends, as t.FailNow would, keeps no lock either.
func TestApplyEndsGoroutine(t *testing.T) {
	j := testJournalOf[string](t, SyncNever)
	l, _ := mustOpen(t, Config[string]{Apply: func(_ Seq, e string) {
		if e == "exit" {
			runtime.Goexit()
		}
	}}, j)
	mustAppend(t, l, "one")
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		l.Append("exit")
		t.Error("Append returned")
	}()
	<-ended
	mustAppend(t, l, "two")
	l.Close()
	l, _ = mustOpen(t, Config[string]{}, j)
	wantEvents(t, rest(t, l, l.Reader(1)), "one", "two")
}

func TestOnce(t *testing.T) {
	l := New(Config[int]{})
	mustAppend(t, l, 6)
	rec, err := l.Reader(1).Next(limit(t))
	if err != nil {
		t.Fatal(err)
	}
	type upper struct{}
	keys := []any{nil, upper{}, "text", "json"}
	calls := make([]atomic.Int64, len(keys))
	var wg sync.WaitGroup
	for range 50 {
		for i, key := range keys {
			wg.Go(func() {
				made, err := rec.OnceFor(key, func(e int) (any, error) {
					calls[i].Add(1)
					return e*10 + i, nil
				})
				if made != 60+i || err != nil {
					t.Errorf("OnceFor(%v) = %v, %v", key, made, err)
				}
			})
		}
	}
	wg.Wait()
	for i := range calls {
		if n := calls[i].Load(); n != 1 {
			t.Errorf("key %v: made %d times", keys[i], n)
		}
	}
	if made, err := rec.Once(nil); made != 60 || err != nil {
		t.Errorf("Once = %v, %v; want what was made for nil", made, err)
	}
}

func TestOnceFails(t *testing.T) {
	l := New(Config[int]{})
	mustAppend(t, l, 6)
	rec, _ := l.Reader(1).Next(limit(t))
	broken := errors.New("broken")
	for range 2 {
		if _, err := rec.Once(func(int) (any, error) { return nil, broken }); err != broken {
			t.Errorf("Once = %v, want %v", err, broken)
		}
	}
	for range 2 {
		func() {
			defer func() { recover() }()
			if _, err := rec.OnceFor(1, func(int) (any, error) { panic(broken) }); err == nil {
				t.Error("OnceFor of what panicked has no error")
			}
		}()
	}
}

func TestAllMayBeLeft(t *testing.T) {
	l := New(Config[int]{})
	mustAppend(t, l, 1, 2, 3)
	r := l.Reader(1)
	for range r.All(limit(t)) {
		break
	}
	if r.Err() != nil {
		t.Errorf("Err = %v", r.Err())
	}
	wantEvents(t, rest(t, l, r), 2, 3)
}

// What Peek has told comes next, even if the log drops it first.
func TestPeek(t *testing.T) {
	peek := func(r *Reader[int], want Seq) {
		t.Helper()
		if got, err := r.Peek(); got != want || err != nil {
			t.Errorf("Peek = %d, %v; want %d", got, err, want)
		}
	}
	l := New(Config[int]{MaxEvents: 2})
	empty, ahead := l.Reader(0), l.Reader(2)
	peek(empty, 1)
	for e := range 3 {
		mustAppend(t, l, 10*(e+1))
	}
	oldest, next := l.Reader(0), l.Reader(4)
	peek(oldest, 2)
	peek(oldest, 2)
	peek(next, 4)
	mustAppend(t, l, 40) // and event 2 is dropped
	for _, want := range []int{20, 30, 40} {
		if rec, err := oldest.Next(t.Context()); err != nil || rec.Event != want {
			t.Errorf("Next = %v, %v; want %d", rec, err, want)
		}
	}
	peek(oldest, 5)
	peek(next, 4)

	var trimmed *TrimmedError
	if _, err := l.Reader(1).Peek(); !errors.As(err, &trimmed) || trimmed.Oldest != 3 {
		t.Errorf("Peek = %v, want that event 1 is gone", err)
	}
	var tooFar *AheadError
	if _, err := ahead.Peek(); !errors.As(err, &tooFar) {
		t.Errorf("Peek = %v, want that event 2 was ahead", err)
	}
	l.Close()
	peek(oldest, 5)
	if _, err := oldest.Next(t.Context()); err != io.EOF {
		t.Errorf("Next = %v, want the end", err)
	}
}

// An event that a reader holds is the next one, but only if the context lives.
func TestPeekThenCancel(t *testing.T) {
	l := New(Config[int]{})
	mustAppend(t, l, 1)
	r := l.Reader(0)
	if _, err := r.Peek(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.Next(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Next = %v, want that the context has ended", err)
	}
	if rec, err := r.Next(t.Context()); err != nil || rec.Seq != 1 {
		t.Errorf("Next = %v, %v; want event 1", rec, err)
	}
}
