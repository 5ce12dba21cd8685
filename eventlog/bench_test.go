package eventlog

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/typepb"
)

var readerCounts = []int{0, 1, 100, 1000}

// BenchmarkAppend appends beside readers that follow, that stay at the first
// event, and that all wait for each event.
func BenchmarkAppend(b *testing.B) {
	for _, n := range readerCounts {
		b.Run(fmt.Sprintf("following/readers=%d", n), func(b *testing.B) {
			l := New(Config[int]{})
			stop := follow(l, n, func() {})
			var took []time.Duration
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if i%16 > 0 {
					l.Append(1)
					continue
				}
				begin := time.Now()
				l.Append(1)
				took = append(took, time.Since(begin))
			}
			b.StopTimer()
			reportMedian(b, took)
			stop()
		})
		b.Run(fmt.Sprintf("idle/readers=%d", n), func(b *testing.B) {
			l := New(Config[int]{})
			l.Append(1)
			readers := make([]*Reader[int], n)
			for i := range readers {
				readers[i] = l.Reader(1)
				if _, err := readers[i].Next(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportAllocs()
			for b.Loop() {
				l.Append(1)
			}
			runtime.KeepAlive(readers)
		})
		b.Run(fmt.Sprintf("waiting/readers=%d", n), func(b *testing.B) { benchmarkWaiting(b, n) })
	}
}

// benchmarkWaiting appends to n readers that wait. ns/op is the time until all
// have the event; append-ns the median of what the call of Append takes.
func benchmarkWaiting(b *testing.B, n int) {
	l := New(Config[int]{})
	var got atomic.Int64
	stop := follow(l, n, func() { got.Add(1) })
	var took []time.Duration
	b.ReportAllocs()
	for b.Loop() {
		got.Store(0)
		begin := time.Now()
		l.Append(1)
		took = append(took, time.Since(begin))
		for got.Load() < int64(n) {
			runtime.Gosched()
		}
	}
	b.StopTimer()
	reportMedian(b, took)
	stop()
}

// reportMedian reports what a call of Append takes, without the work of readers
// that the same processors do meanwhile.
func reportMedian(b *testing.B, took []time.Duration) {
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2]), "append-ns")
}

// follow starts readers, and returns what ends them.
func follow(l *Log[int], n int, got func()) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			for range l.Reader(1, Gaps[int](func(Seq, Seq) {})).All(ctx) {
				got()
			}
		})
	}
	return func() {
		cancel()
		wg.Wait()
	}
}

// BenchmarkRead reads events that are there.
func BenchmarkRead(b *testing.B) {
	l := New(Config[int]{})
	for e := range defaultMaxEvents {
		l.Append(e)
	}
	b.RunParallel(func(pb *testing.PB) {
		r := l.Reader(1)
		for pb.Next() {
			if r.next > l.Last() {
				r = l.Reader(1)
			}
			if _, err := r.Next(b.Context()); err != nil {
				b.Error(err)
			}
		}
	})
}

// BenchmarkFanOut makes what readers send of an event, once for all or once for
// each.
func BenchmarkFanOut(b *testing.B) {
	const readers = 100
	marshal := func(e *typepb.Field) (any, error) { return protojson.Marshal(e) }
	for _, once := range []bool{true, false} {
		b.Run(fmt.Sprintf("once=%t/readers=%d", once, readers), func(b *testing.B) {
			l := New(Proto[*typepb.Field]())
			all := make([]*Reader[*typepb.Field], readers)
			for i := range all {
				all[i] = l.Reader(1)
			}
			b.ReportAllocs()
			for b.Loop() {
				l.Append(benchEvent)
				for _, r := range all {
					rec, err := r.Next(b.Context())
					if err == nil && once {
						_, err = rec.Once(marshal)
					} else if err == nil {
						_, err = marshal(rec.Event)
					}
					if err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

var benchEvent = &typepb.Field{Name: "some_field", Number: 7, JsonName: "someField", TypeUrl: "example.com/type"}

// BenchmarkJournal appends messages to a journal, one by one and from many
// goroutines.
func BenchmarkJournal(b *testing.B) {
	for _, policy := range []Sync{SyncAlways, Sync(10 * time.Millisecond), SyncNever} {
		name := map[bool]string{true: time.Duration(policy).String(), false: "never"}[policy >= 0]
		for _, producers := range []int{1, 64} {
			b.Run(fmt.Sprintf("sync=%s/producers=%d", name, producers), func(b *testing.B) {
				j := Journal[*typepb.Field]{
					Path:     b.TempDir() + "/events.jsonl",
					Lines:    ProtoLines[*typepb.Field](protojson.MarshalOptions{}, protojson.UnmarshalOptions{}),
					Sync:     policy,
					MaxBytes: 64 << 20,
				}
				l, _ := mustOpen(b, Proto[*typepb.Field](), j)
				b.ReportAllocs()
				b.SetParallelism(max(1, producers/runtime.GOMAXPROCS(0)))
				b.ResetTimer()
				if producers == 1 {
					for range b.N {
						mustAppend(b, l, benchEvent)
					}
					return
				}
				b.RunParallel(func(pb *testing.PB) {
					for pb.Next() {
						if _, err := l.Append(benchEvent); err != nil {
							b.Error(err)
						}
					}
				})
			})
		}
	}
}
