package eventlog

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/fieldmaskpb"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/typepb"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

// shapes are messages of which each takes memory in another way.
func shapes(t testing.TB) map[string]proto.Message {
	t.Helper()
	entries := func(n int, value func(i int) any) *structpb.Struct {
		fields := map[string]any{}
		for i := range n {
			fields[fmt.Sprint("key", i)] = value(i)
		}
		s, err := structpb.NewStruct(fields)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	paths := make([]string, 40)
	numbers := make([]int32, 400)
	for i := range paths {
		paths[i] = fmt.Sprint("path", i)
	}
	for i := range numbers {
		numbers[i] = int32(i)
	}
	return map[string]proto.Message{
		"empty":            &emptypb.Empty{},
		"few fields":       &typepb.Field{Name: "some_field", Number: 7, JsonName: "someField", TypeUrl: "example.com/type"},
		"one entry":        entries(1, func(int) any { return true }),
		"numbers in a map": entries(40, func(i int) any { return i }),
		"strings in a map": entries(40, func(i int) any { return fmt.Sprint("value", i) }),
		"maps in a map":    entries(9, func(int) any { return map[string]any{"a": nil} }),
		"list":             entries(1, func(int) any { return []any{1, 2, 3, "four"} }),
		"strings":          &fieldmaskpb.FieldMask{Paths: paths},
		"small integers":   &descriptorpb.SourceCodeInfo_Location{Path: numbers, Span: numbers},
		"optional fields": &descriptorpb.FieldDescriptorProto{
			Name: proto.String("x"), Number: proto.Int32(1), OneofIndex: proto.Int32(0), Proto3Optional: proto.Bool(true),
		},
		"bytes":  wrapperspb.Bytes(make([]byte, 1000)),
		"string": wrapperspb.String(strings.Repeat("x", 5000)),
		"messages": &typepb.Type{Name: "x", Fields: []*typepb.Field{
			{Name: "a"}, {Name: "b", Options: []*typepb.Option{{Name: "c"}}}, {},
		}},
	}
}

// encoding is what a test makes of an event.
type encoding []byte

func (e encoding) Size() int { return len(e) }

// MaxBytes bounds memory, also that of what Once keeps, within a factor of two.
func TestMaxBytesBoundsMemory(t *testing.T) {
	const bound = 2 << 20
	for name, m := range shapes(t) {
		for _, once := range []bool{false, true} {
			data, err := proto.Marshal(m)
			if err != nil {
				t.Fatal(err)
			}
			cfg := Proto[proto.Message]()
			cfg.MaxBytes = bound
			before := heap()
			l := New(cfg)
			for r := l.Reader(1); r.next < 3*Seq(l.kept()+1) || l.oldest.Load() == 1; {
				e := m.ProtoReflect().New().Interface()
				if err := proto.Unmarshal(data, e); err != nil {
					t.Fatal(err)
				}
				mustAppend(t, l, e)
				rec, err := r.Next(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if !once {
					continue
				}
				if _, err := rec.Once(func(m proto.Message) (any, error) {
					b, err := proto.Marshal(m)
					return encoding(b), err
				}); err != nil {
					t.Fatal(err)
				}
			}
			held := heap() - before
			t.Logf("%s (once: %t): %d events of %d bytes encoded hold %.2f of the bound",
				name, once, l.kept(), len(data), float64(held)/bound)
			if held > 2*bound || held < bound/2 {
				t.Errorf("%s (once: %t): %d events of %d bytes hold %d bytes of memory with a bound of %d",
					name, once, l.kept(), len(data), held, bound)
			}
			runtime.KeepAlive(l)
		}
	}
}

// heap is how much memory is in use.
func heap() int64 {
	runtime.GC()
	runtime.GC() // what the first has left in pools
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// What was made of an event counts as long as the event is kept, and no longer.
func TestOnceCountsForMaxBytes(t *testing.T) {
	l := New(Config[int]{MaxBytes: 100, Size: func(int) int { return 10 }})
	made := func(size int) func(int) (any, error) {
		return func(int) (any, error) { return make(encoding, size), nil }
	}
	r := l.Reader(1)
	records := make([]*Record[int], 4)
	for i := range records {
		mustAppend(t, l, i)
		rec, err := r.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		records[i] = rec
	}
	for range 2 { // the second time nothing is made
		for key, size := range []int{20, 30} {
			if _, err := records[1].OnceFor(key, made(size)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := records[2].Once(func(int) (any, error) { return "of no known size", nil }); err != nil {
		t.Fatal(err)
	}
	if got := l.bytes.Load(); got != 90 {
		t.Errorf("%d bytes, want 4 times 10, 20 and 30", got)
	}
	mustAppend(t, l, 5)
	if l.oldest.Load() != 1 {
		t.Error("an event was dropped though the log has room")
	}
	mustAppend(t, l, 6)
	mustAppend(t, l, 7)
	if got := l.oldest.Load(); got != 3 || l.bytes.Load() != 50 {
		t.Errorf("the oldest is %d, and there are %d bytes; want 3 and 50", got, l.bytes.Load())
	}
	if _, err := records[0].Once(made(1000)); err != nil || l.bytes.Load() != 50 {
		t.Errorf("a dropped event counts: %d bytes, error %v", l.bytes.Load(), err)
	}
}

// Events are dropped while readers make something of them: the sum stays right.
func TestOnceWhileDropped(t *testing.T) {
	l := New(Config[int]{MaxEvents: 4, Size: func(int) int { return 10 }})
	var wg sync.WaitGroup
	for range 4 {
		r := l.Reader(1, Gaps[int](func(Seq, Seq) {}))
		wg.Go(func() {
			for {
				rec, err := r.Next(t.Context())
				if err != nil {
					return
				}
				for key := range 3 {
					rec.OnceFor(key, func(int) (any, error) { return make(encoding, 7), nil })
				}
			}
		})
	}
	for i := range 5000 {
		mustAppend(t, l, i)
	}
	l.Close()
	wg.Wait()
	l.Trim(l.Last() + 1)
	if got := l.bytes.Load(); got != 0 {
		t.Errorf("an empty log counts %d bytes", got)
	}
}

func BenchmarkMemoryOf(b *testing.B) {
	for name, m := range shapes(b) {
		b.Run(name+"/of=memory", func(b *testing.B) {
			for b.Loop() {
				memoryOf(m)
			}
		})
		b.Run(name+"/of=encoding", func(b *testing.B) {
			for b.Loop() {
				proto.Size(m)
			}
		})
		b.Run(name+"/of=clone", func(b *testing.B) {
			for b.Loop() {
				proto.Clone(m)
			}
		})
	}
}
