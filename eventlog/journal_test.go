package eventlog

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/structpb"
)

// jsonLines are lines of values that encoding/json takes.
func jsonLines[E any]() Lines[E] {
	return Lines[E]{
		Encode: func(e E) ([]byte, error) { return json.Marshal(e) },
		Decode: func(line []byte) (e E, err error) { return e, json.Unmarshal(line, &e) },
	}
}

func testJournalOf[E any](t testing.TB, sync Sync) Journal[E] {
	return Journal[E]{Path: filepath.Join(t.TempDir(), "events.jsonl"), Lines: jsonLines[E](), Sync: sync}
}

func testJournal(t testing.TB, sync Sync) Journal[int] { return testJournalOf[int](t, sync) }

func mustOpen[E any](t testing.TB, cfg Config[E], j Journal[E]) (*Log[E], *Recovery) {
	t.Helper()
	l, rec, err := Open(cfg, j)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l, rec
}

func writeTo(t testing.TB, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func wantFile(t testing.TB, path, want string) {
	t.Helper()
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("%s holds %q, %v; want %q", filepath.Base(path), got, err, want)
	}
}

// events of a log in full, as number:event.
func contents[E any](t testing.TB, l *Log[E]) string {
	t.Helper()
	var b strings.Builder
	r := l.Reader(0, Gaps[E](func(from, to Seq) { fmt.Fprintf(&b, "%d-%d:lost ", from, to) }))
	for range l.Last() {
		rec, err := r.poll()
		if err != nil {
			t.Fatal(err)
		}
		if rec == nil {
			break
		}
		fmt.Fprintf(&b, "%d:%v ", rec.Seq, rec.Event)
	}
	return strings.TrimSpace(b.String())
}

var policies = []Sync{SyncAlways, Sync(time.Millisecond), SyncNever}

func TestJournalIsReplayed(t *testing.T) {
	for _, policy := range policies {
		t.Run(fmt.Sprint(int64(policy)), func(t *testing.T) {
			j := testJournal(t, policy)
			want := ""
			for round := range 3 {
				var applied strings.Builder
				l, rec := mustOpen(t, Config[int]{Apply: func(seq Seq, e int) {
					fmt.Fprintf(&applied, "%d:%d ", seq, e)
				}}, j)
				if got := strings.TrimSpace(applied.String()); got != want || contents(t, l) != want {
					t.Errorf("applied %q, in the log %q; want %q", got, contents(t, l), want)
				}
				if rec.Events != 2*round || rec.Torn != nil || rec.Lost != nil || rec.Kept != nil {
					t.Errorf("recovery of %d events: %+v", 2*round, rec)
				}
				mustAppend(t, l, round*10, round*10+1)
				want = contents(t, l)
				if err := l.Close(); err != nil {
					t.Error(err)
				}
			}
			if want != "1:0 2:1 3:10 4:11 5:20 6:21" {
				t.Errorf("the log is %q", want)
			}
			wantFile(t, j.Path, "0\n1\n10\n11\n20\n21\n")
		})
	}
}

func TestJournalOfMessages(t *testing.T) {
	j := Journal[*structpb.Struct]{
		Path:  filepath.Join(t.TempDir(), "events"), // no extension
		Lines: ProtoLines[*structpb.Struct](protojson.MarshalOptions{Multiline: true}, protojson.UnmarshalOptions{}),
	}
	m, err := structpb.NewStruct(map[string]any{"text": "two\nlines", "list": []any{1.0, "x"}})
	if err != nil {
		t.Fatal(err)
	}
	l, _ := mustOpen(t, Proto[*structpb.Struct](), j)
	mustAppend(t, l, m, m)
	l.Close()
	wantFile(t, j.Path, strings.Repeat(`{"list":[1,"x"],"text":"two\nlines"}`+"\n", 2))
	l, _ = mustOpen(t, Proto[*structpb.Struct](), j)
	for _, e := range rest(t, l, l.Reader(1)) {
		if e.Fields["text"].GetStringValue() != "two\nlines" {
			t.Errorf("event %v", e)
		}
	}
}

func TestTornLastLine(t *testing.T) {
	tests := []struct {
		content string
		want    string
		torn    *TornError
	}{
		{content: "1\n2\n3", want: "1:1 2:2", torn: &TornError{Line: 3, Column: 1, Offset: 4, Bytes: 1}},
		{content: "1\n{\"a", want: "1:1", torn: &TornError{Line: 2, Column: 1, Offset: 2, Bytes: 3}},
		{content: "x", want: "", torn: &TornError{Line: 1, Column: 1, Offset: 0, Bytes: 1}},
		{content: "1\n" + strings.Repeat("\x00", 100_000), want: "1:1",
			torn: &TornError{Line: 2, Column: 1, Offset: 2, Bytes: 100_000}},
		{content: "", want: ""},
		{content: "1\r\n", want: "1:1"},
		{content: "\n\n3\n", want: "1-1:lost 2-2:lost 3:3"},
	}
	for i, tt := range tests {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			j := testJournal(t, SyncAlways)
			writeTo(t, j.Path, tt.content)
			l, rec := mustOpen(t, Config[int]{}, j)
			if contents(t, l) != tt.want {
				t.Errorf("the log is %q, want %q", contents(t, l), tt.want)
			}
			if tt.torn != nil {
				tt.torn.Name = j.Path
			}
			if (rec.Torn == nil) != (tt.torn == nil) || rec.Torn != nil && *rec.Torn != *tt.torn {
				t.Errorf("Torn = %+v, want %+v", rec.Torn, tt.torn)
			}
			mustAppend(t, l, 7)
			want := contents(t, l)
			l.Close()
			l, rec = mustOpen(t, Config[int]{}, j)
			if contents(t, l) != want || rec.Torn != nil {
				t.Errorf("after an append and a restart the log is %q, want %q; torn: %v", contents(t, l), want, rec.Torn)
			}
		})
	}
}

func TestBrokenLineIsRefused(t *testing.T) {
	j := testJournal(t, SyncAlways)
	const content = "1\n\"äöü\" 2\n3\n"
	writeTo(t, j.Path, content)
	_, _, err := Open(Config[int]{}, j)
	var line *LineError
	if !errors.As(err, &line) || line.Line != 2 || line.Column != 7 || line.Name != j.Path {
		t.Fatalf("Open = %v", err)
	}
	want := "eventlog: opening journal " + j.Path + ": " + j.Path + ":2:7: " +
		"invalid character '2' after top-level value; " +
		"mend the line by hand, or open the journal with Salvage to go on without it"
	if err.Error() != want {
		t.Errorf("got  %s\nwant %s", err, want)
	}
	wantFile(t, j.Path, content)
	if entries, _ := filepath.Glob(j.Path + ".*"); !slices.Equal(entries, []string{j.Path + ".lock"}) {
		t.Errorf("there is %v", entries)
	}
}

func TestSalvage(t *testing.T) {
	j := testJournal(t, SyncAlways)
	j.Salvage = true
	j.Lines.MaxLine = 20
	content := "1\nbad\n3\n" + strings.Repeat("9", 50) + "\n5\nto"
	writeTo(t, j.Path, content)
	if err := os.Chmod(j.Path, 0o640); err != nil {
		t.Fatal(err)
	}
	l, rec := mustOpen(t, Config[int]{}, j)
	const want = "1:1 2-2:lost 3:3 4-4:lost 5:5"
	if contents(t, l) != want || rec.Events != 3 {
		t.Errorf("the log is %q, want %q; %d events", contents(t, l), want, rec.Events)
	}
	var tooLong *TooLongError
	if len(rec.Lost) != 2 || !strings.HasPrefix(rec.Lost[0].Error(), j.Path+":2:1: ") ||
		!errors.As(rec.Lost[1], &tooLong) || *tooLong != (TooLongError{50, 20}) {
		t.Errorf("Lost = %v", rec.Lost)
	}
	if rec.Torn == nil || rec.Torn.Bytes != 2 || rec.Torn.Line != 6 {
		t.Errorf("Torn = %v", rec.Torn)
	}
	if !slices.Equal(rec.Kept, []string{j.Path + ".broken"}) {
		t.Errorf("Kept = %v", rec.Kept)
	}
	wantFile(t, j.Path+".broken", content)
	wantFile(t, j.Path, "1\n\n3\n\n5\n")
	if info, err := os.Stat(j.Path); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("%v, %v; want mode 0640", info.Mode(), err)
	}
	mustAppend(t, l, 6)

	// Readers without Gaps pass over what was lost; the report came from Open.
	wantEvents(t, rest(t, l, l.Reader(1)), 1, 3, 5, 6)

	// From then on the journal is as good as any, with the same numbers.
	j.Salvage = false
	l, rec = mustOpen(t, Config[int]{}, j)
	if contents(t, l) != want+" 6:6" || rec.Lost != nil || rec.Kept != nil {
		t.Errorf("the log is %q; recovery %+v", contents(t, l), rec)
	}
	l.Close()

	// Another time, the copy of the first is not overwritten.
	writeTo(t, j.Path, "bad\n")
	j.Salvage = true
	if _, rec = mustOpen(t, Config[int]{}, j); !slices.Equal(rec.Kept, []string{j.Path + ".broken.2"}) {
		t.Errorf("Kept = %v", rec.Kept)
	}
	wantFile(t, j.Path+".broken", content)
}

func segments(t testing.TB, path string) (names []string) {
	t.Helper()
	list, err := findSegments(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range list {
		names = append(names, filepath.Base(s.name))
	}
	return names
}

func TestRotation(t *testing.T) {
	j := testJournal(t, SyncAlways)
	j.MaxBytes = 80 // files of 10 bytes, of 5 events each
	want := Seq(1)
	for range 5 {
		l, _ := mustOpen(t, Config[int]{}, j)
		if l.Last() != want-1 {
			t.Fatalf("the journal ends with %d, want %d", l.Last(), want-1)
		}
		for range 23 {
			seq, err := l.Append(int(want) % 10)
			if err != nil || seq != want {
				t.Fatalf("Append = %d, %v; want %d", seq, err, want)
			}
			want++
			var sum int64
			for _, name := range segments(t, j.Path) {
				info, err := os.Stat(filepath.Join(filepath.Dir(j.Path), name))
				if err != nil {
					t.Fatal(err)
				}
				sum += info.Size()
			}
			if sum > j.MaxBytes {
				t.Fatalf("the journal has %d bytes, more than %d", sum, j.MaxBytes)
			}
		}
		l.Close()
	}
	l, rec := mustOpen(t, Config[int]{}, j)
	names := segments(t, j.Path)
	if rec.Events != 40 || len(names) != 8 || names[0] != "events.00000000000000000076.jsonl" {
		t.Errorf("%d events in %v", rec.Events, names)
	}
	for seq, e := range l.Reader(0).All(limit(t)) {
		if int(seq)%10 != e {
			t.Errorf("event %d has number %d", e, seq)
		}
		if seq == l.Last() {
			break
		}
	}
	var trimmed *TrimmedError
	if _, err := l.Reader(75).Next(limit(t)); !errors.As(err, &trimmed) || trimmed.Oldest != 76 {
		t.Errorf("a reader from 75 gets %v", err)
	}
}

func TestNumbersSurviveWhereNothingElseDoes(t *testing.T) {
	j := testJournal(t, SyncAlways)
	writeTo(t, segmentName(j.Path, 1000), "")
	l, _ := mustOpen(t, Config[int]{}, j)
	if l.Last() != 999 || contents(t, l) != "" {
		t.Errorf("Last = %d", l.Last())
	}
	for range 2 {
		var trimmed *TrimmedError
		if _, err := l.Reader(1).Next(limit(t)); !errors.As(err, &trimmed) || *trimmed != (TrimmedError{1, 1000}) {
			t.Errorf("a reader from 1 gets %v", err)
		}
		mustAppend(t, l, 5)
	}
	if contents(t, l) != "1000:5 1001:5" {
		t.Errorf("the log is %q", contents(t, l))
	}
}

func TestMissingSegment(t *testing.T) {
	files := func(t *testing.T, name ...string) Journal[int] {
		j := testJournal(t, SyncAlways)
		for i := 0; i < len(name); i += 2 {
			var first Seq
			fmt.Sscan(name[i], &first)
			writeTo(t, segmentName(j.Path, first), name[i+1])
		}
		return j
	}
	tests := []struct {
		name     string
		files    []string
		err      string // of Open without Salvage
		salvaged string
		refused  bool // with Salvage, too
	}{
		{name: "missing", files: []string{"1", "1\n2\n", "5", "5\n"},
			err:      "begins with event 5, and events 3 to 4 are not in the files before it; put back",
			salvaged: "1:1 2:2 3-3:lost 4-4:lost 5:5"},
		{name: "overlap", files: []string{"1", "1\n2\n3\n", "3", "3\n"},
			err: "begins with event 3, but the files before it have all up to 3", refused: true},
		{name: "too many", files: []string{"1", "1\n", "9000000000", "2\n"},
			err: "begins with event 9000000000, and events 2 to 8999999999 are", refused: true},
		{name: "torn before another file", files: []string{"1", "1\n2\n3", "4", "4\n"},
			err: ":3:1: ", salvaged: "1:1 2:2 3-3:lost 4:4"},
		{name: "rubbish before another file", files: []string{"1", "1\n2\n3", "3", "3\n"},
			err: ":3:1: ", salvaged: "1:1 2:2 3:3"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			j := files(t, tt.files...)
			if _, _, err := Open(Config[int]{}, j); err == nil || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("Open = %v, want %q in it", err, tt.err)
			}
			j.Salvage = true
			l, rec, err := Open(Config[int]{}, j)
			if tt.refused {
				var missing *MissingError
				if !errors.As(err, &missing) {
					t.Errorf("Open with Salvage = %v, want a MissingError", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if contents(t, l) != tt.salvaged || len(rec.Lost) == 0 {
				t.Errorf("the log is %q, want %q; lost %v", contents(t, l), tt.salvaged, rec.Lost)
			}
			l.Close()
			j.Salvage = false // is not needed a second time
			if l, _ = mustOpen(t, Config[int]{}, j); contents(t, l) != tt.salvaged {
				t.Errorf("opened again, the log is %q, want %q", contents(t, l), tt.salvaged)
			}
		})
	}
}

func TestOtherFilesAreLeftAlone(t *testing.T) {
	j := testJournal(t, SyncAlways)
	dir := filepath.Dir(j.Path)
	for _, name := range []string{
		"events.jsonl.bak", "events.5.jsonl", "events.00000000000000000001.jsonl", "events.0000000000000000000x.jsonl",
		"events.00000000000000000005", "other.00000000000000000005.jsonl", "00000000000000000005.jsonl",
	} {
		writeTo(t, filepath.Join(dir, name), "rubbish")
	}
	l, _ := mustOpen(t, Config[int]{}, j)
	if l.Last() != 0 {
		t.Errorf("Last = %d", l.Last())
	}
}

func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	writeTo(t, filepath.Join(dir, "file"), "")
	if err := os.Mkdir(filepath.Join(dir, "folder.jsonl"), 0o700); err != nil {
		t.Fatal(err)
	}
	lines := jsonLines[int]()
	tests := []struct {
		name string
		j    Journal[int]
		want string
	}{
		{"no path", Journal[int]{Lines: lines}, "needs a Path"},
		{"no lines", Journal[int]{Path: filepath.Join(dir, "a")}, "Lines with Encode and Decode"},
		{"a folder that does not exist", Journal[int]{Path: filepath.Join(dir, "none", "a"), Lines: lines}, "no such file"},
		{"a file as a folder", Journal[int]{Path: filepath.Join(dir, "file", "a"), Lines: lines}, "not a directory"},
		{"a folder as a file", Journal[int]{Path: filepath.Join(dir, "folder.jsonl"), Lines: lines}, "not a regular file"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l, rec, err := Open(Config[int]{}, tt.j)
			if l != nil || rec != nil || err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Open = %v, %v, %v; want an error with %q", l, rec, err, tt.want)
			}
		})
	}
}

func TestReadOnlyFolder(t *testing.T) {
	j := testJournal(t, SyncAlways)
	dir := filepath.Dir(j.Path)
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	asUser(t, dir, func() {
		if _, err := os.ReadDir(dir); err != nil {
			t.Fatalf("the folder cannot even be read: %v", err)
		}
		if _, _, err := Open(Config[int]{}, j); !errors.Is(err, os.ErrPermission) {
			t.Errorf("Open = %v, want that it is not permitted", err)
		}
	})
}

func TestJournalIsForOneLog(t *testing.T) {
	j := testJournal(t, SyncAlways)
	l, _ := mustOpen(t, Config[int]{}, j)
	if _, _, err := Open(Config[int]{}, j); !errors.Is(err, ErrInUse) {
		t.Errorf("Open = %v, want ErrInUse", err)
	}
	mustAppend(t, l, 1)
	l.Close()
	mustOpen(t, Config[int]{}, j)
}

func TestOpenThatFailsKeepsNoLock(t *testing.T) {
	j := testJournal(t, SyncAlways)
	writeTo(t, j.Path, "1\n")
	func() {
		defer func() {
			if v := recover(); v != "boom" {
				t.Errorf("Open panicked with %v", v)
			}
		}()
		Open(Config[int]{Apply: func(Seq, int) { panic("boom") }}, j)
	}()
	mustOpen(t, Config[int]{}, j)
}

func TestLinesThatAreRefused(t *testing.T) {
	j := testJournalOf[string](t, SyncAlways)
	broken := errors.New("broken")
	j.Lines.MaxLine = 5
	j.Lines.Encode = func(e string) ([]byte, error) {
		if e == "broken" {
			return nil, broken
		}
		return []byte(e), nil
	}
	l, _ := mustOpen(t, Config[string]{}, j)
	var tooLong *TooLongError
	for _, e := range []string{"broken", "123456", "1\n2", "", " "} {
		_, err := l.Append(e)
		_, err2 := l.Update(func(Seq) ([]string, error) { return []string{"1", e}, nil })
		if err == nil || err2 == nil || err.Error() != err2.Error() {
			t.Errorf("%q: Append = %v, Update = %v", e, err, err2)
		}
		if e == "broken" && !errors.Is(err, broken) || len(e) > 5 && e != "broken" && !errors.As(err, &tooLong) {
			t.Errorf("%q: Append = %v", e, err)
		}
	}
	mustAppend(t, l, "12345")
	wantFile(t, j.Path, "12345\n")
}

// faulty is a file whose calls can be made to fail.
type faulty struct {
	file
	*faults
}

type faults struct {
	mu                    sync.Mutex
	write, truncate, sync error
	part                  int // how much of a failing write is done
	open                  error
	syncs, writes         int
	syncing               chan struct{} // if not nil, a sync sends on it before it begins
}

func (f *faults) set(change func(*faults)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change(f)
}

func (f *faults) openFile(name string, flag int) (file, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.open != nil {
		return nil, &os.PathError{Op: "open", Path: name, Err: f.open}
	}
	inner, err := openFile(name, flag)
	if err != nil {
		return nil, err
	}
	return faulty{inner, f}, nil
}

func (f faulty) WriteAt(b []byte, at int64) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.writes++
	if f.write != nil {
		n, _ := f.file.WriteAt(b[:min(f.part, len(b))], at)
		return n, f.write
	}
	return f.file.WriteAt(b, at)
}

func (f faulty) Truncate(size int64) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.truncate != nil {
		return f.truncate
	}
	return f.file.Truncate(size)
}

func (f faulty) Sync() error {
	f.mu.Lock()
	f.syncs++
	err, syncing := f.sync, f.syncing
	f.mu.Unlock()
	if syncing != nil {
		syncing <- struct{}{}
	}
	if err != nil {
		return err
	}
	return f.file.Sync()
}

// wantRefused appends in both ways, wants the error, and that readers go on.
func wantRefused(t *testing.T, l *Log[int], want error) {
	t.Helper()
	before := contents(t, l)
	for range 2 {
		if seq, err := l.Append(98); seq != 0 || !errors.Is(err, want) {
			t.Errorf("Append = %d, %v; want %v", seq, err, want)
		}
		if seq, err := l.Update(func(Seq) ([]int, error) { return []int{98, 99}, nil }); seq != 0 || !errors.Is(err, want) {
			t.Errorf("Update = %d, %v; want %v", seq, err, want)
		}
	}
	if after := contents(t, l); after != before {
		t.Errorf("the log was %q and is %q", before, after)
	}
}

func TestWriteFails(t *testing.T) {
	for _, policy := range policies {
		for part := range 7 { // of "98\n99\n"
			t.Run(fmt.Sprint(int64(policy), " part ", part), func(t *testing.T) {
				var f faults
				j := testJournal(t, policy)
				j.openFile = f.openFile
				l, _ := mustOpen(t, Config[int]{}, j)
				mustAppend(t, l, 1)
				f.set(func(f *faults) { f.write, f.part = syscall.ENOSPC, part })
				wantRefused(t, l, syscall.ENOSPC)
				var failed *JournalError
				if _, err := l.Append(98); !errors.As(err, &failed) || failed.Path != j.Path {
					t.Errorf("Append = %v, want a JournalError", err)
				}
				wantFile(t, j.Path, "1\n")

				// What cannot be cut off is cut off later.
				f.set(func(f *faults) { f.truncate = syscall.EIO })
				if _, err := l.Append(98); !errors.Is(err, syscall.ENOSPC) || !errors.Is(err, syscall.EIO) {
					t.Errorf("Append = %v", err)
				}
				f.set(func(f *faults) { f.write = nil })
				wantRefused(t, l, syscall.EIO)
				f.set(func(f *faults) { f.write, f.truncate = nil, nil })
				mustAppend(t, l, 2)
				wantFile(t, j.Path, "1\n2\n")
				if got := contents(t, l); got != "1:1 2:2" {
					t.Errorf("the log is %q", got)
				}
				if err := l.Close(); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

func TestSyncFails(t *testing.T) {
	for _, policy := range policies[:2] {
		t.Run(fmt.Sprint(int64(policy)), func(t *testing.T) {
			var f faults
			j := testJournal(t, policy)
			j.openFile = f.openFile
			l, _ := mustOpen(t, Config[int]{}, j)
			mustAppend(t, l, 1)
			f.set(func(f *faults) { f.sync = syscall.EIO })
			if policy > 0 {
				for err := error(nil); err == nil; _, err = l.Append(2) {
				}
			}
			wantRefused(t, l, syscall.EIO)
			f.set(func(f *faults) { f.sync = nil })
			wantRefused(t, l, syscall.EIO) // what is on the disk is not known until the next Open
			last := l.Last()
			if err := l.Close(); err != nil {
				t.Error(err)
			}
			if l, _ = mustOpen(t, Config[int]{}, j); l.Last() != last {
				t.Errorf("Last = %d, want %d", l.Last(), last)
			}
		})
	}
}

func TestRotationFails(t *testing.T) {
	var f faults
	j := testJournal(t, SyncNever)
	j.MaxBytes, j.openFile = 32, f.openFile
	l, _ := mustOpen(t, Config[int]{}, j)
	mustAppend(t, l, 1, 2)
	f.set(func(f *faults) { f.open = syscall.EROFS })
	wantRefused(t, l, syscall.EROFS)
	wantFile(t, j.Path, "1\n2\n")
	f.set(func(f *faults) { f.open = nil })
	mustAppend(t, l, 3)
	f.set(func(f *faults) { f.sync = syscall.EIO })
	mustAppend(t, l, 4)
	wantRefused(t, l, syscall.EIO)
	if got := segments(t, j.Path); !slices.Equal(got, []string{"events.jsonl", "events.00000000000000000003.jsonl"}) {
		t.Errorf("files %v", got)
	}
}

// A real full disk: /dev/full takes nothing.
func TestFullDevice(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip(err)
	}
	full := false
	j := testJournal(t, SyncNever)
	j.MaxBytes = 16 // files of one event
	j.openFile = func(name string, flag int) (file, error) {
		if full {
			f, err := os.OpenFile("/dev/full", os.O_RDWR, 0)
			return fullDevice{f}, err
		}
		return openFile(name, flag)
	}
	l, _ := mustOpen(t, Config[int]{}, j)
	mustAppend(t, l, 1)
	full = true
	wantRefused(t, l, syscall.ENOSPC)
}

// fullDevice has nothing to cut off, and would refuse it.
type fullDevice struct{ *os.File }

func (fullDevice) Truncate(int64) error { return nil }

// Events that are appended at the same time share a write and a sync.
func TestGroupCommit(t *testing.T) {
	const group = 20
	var f faults
	j := testJournal(t, SyncAlways)
	j.openFile = f.openFile
	l, _ := mustOpen(t, Config[int]{}, j)
	syncing := make(chan struct{})
	f.set(func(f *faults) { f.syncing = syncing })
	var wg sync.WaitGroup
	wg.Go(func() { mustAppend(t, l, 0) })
	queued := func() int {
		l.queue.mu.Lock()
		defer l.queue.mu.Unlock()
		return len(l.queue.entries)
	}
	for { // until the first is at its sync, where it waits
		f.mu.Lock()
		n := f.syncs
		f.mu.Unlock()
		if n == 1 {
			break
		}
		time.Sleep(time.Microsecond)
	}
	for e := range group {
		wg.Go(func() { mustAppend(t, l, e+1) })
	}
	for queued() < group {
		time.Sleep(time.Microsecond)
	}
	if l.Last() != 0 {
		t.Errorf("event %d can be read before it is synced", l.Last())
	}
	l.Snapshot(func(last Seq) { // does not wait for the disk
		if last != 0 {
			t.Errorf("a snapshot sees event %d before it is synced", last)
		}
	})
	<-syncing
	<-syncing
	wg.Wait()
	f.set(func(f *faults) { f.syncing = nil })
	if f.syncs != 2 || f.writes != 2 {
		t.Errorf("%d writes and %d syncs for %d events, want 2", f.writes, f.syncs, group+1)
	}
	if l.Last() != group+1 {
		t.Errorf("Last = %d", l.Last())
	}
}

func TestBatchesAreBounded(t *testing.T) {
	var q queue[int]
	for range 5 {
		q.add(&entry[int]{line: make([]byte, maxBatch/2)})
	}
	q.add(&entry[int]{line: make([]byte, 2*maxBatch)})
	var got []int
	for batch := q.take(); len(batch) > 0; batch = q.take() {
		got = append(got, len(batch))
	}
	wantEvents(t, got, 2, 2, 1, 1)
}

func TestIntervalSync(t *testing.T) {
	var f faults
	j := testJournal(t, Sync(time.Millisecond))
	j.openFile = f.openFile
	l, _ := mustOpen(t, Config[int]{}, j)
	syncs := func() (n int) {
		f.set(func(f *faults) { n = f.syncs })
		return n
	}
	for round := range 3 {
		before := syncs()
		mustAppend(t, l, round)
		for deadline := time.Now().Add(time.Minute); syncs() == before; time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatal("nothing was synced")
			}
		}
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}

	j.Sync = Sync(time.Hour) // Close does not wait for it, and syncs
	l, _ = mustOpen(t, Config[int]{}, j)
	mustAppend(t, l, 3)
	before := syncs()
	if err := l.Close(); err != nil || syncs() != before+1 {
		t.Errorf("Close = %v after %d syncs", err, syncs()-before)
	}
}

func TestAppendAfterCloseOfJournal(t *testing.T) {
	j := testJournal(t, SyncAlways)
	l, _ := mustOpen(t, Config[int]{}, j)
	mustAppend(t, l, 1)
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if _, err := l.Append(2); err != ErrClosed {
		t.Errorf("Append = %v, want ErrClosed", err)
	}
	if got := contents(t, l); got != "1:1" {
		t.Errorf("the closed log is %q", got)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}

func TestManyProducersOfJournal(t *testing.T) {
	const producers, events = 8, 200
	for _, policy := range policies {
		t.Run(fmt.Sprint(int64(policy)), func(t *testing.T) {
			j := testJournalOf[[2]int](t, policy)
			j.MaxBytes = 1 << 16
			l, _ := mustOpen(t, Config[[2]int]{}, j)
			var wg sync.WaitGroup
			for p := range producers {
				wg.Go(func() {
					for n := range events {
						mustAppend(t, l, [2]int{p, n})
					}
				})
			}
			r := l.Reader(1)
			next := make([]int, producers)
			for range producers * events {
				rec, err := r.Next(limit(t))
				if err != nil {
					t.Fatal(err)
				}
				if p := rec.Event[0]; rec.Event[1] != next[p] {
					t.Fatalf("event %v, want %d", rec.Event, next[p])
				} else {
					next[p]++
				}
			}
			wg.Wait()
			want := contents(t, l)
			l.Close()
			if l, _ = mustOpen(t, Config[[2]int]{}, j); contents(t, l) != want {
				t.Error("the journal has something else")
			}
		})
	}
}
