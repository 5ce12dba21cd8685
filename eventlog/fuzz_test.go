package eventlog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// rawLines are lines of any JSON, as it is.
func rawLines(maxLine int) Lines[string] {
	return Lines[string]{
		Encode: func(e string) ([]byte, error) { return []byte(e), nil },
		Decode: func(line []byte) (string, error) {
			var v any
			return string(line), json.Unmarshal(line, &v)
		},
		MaxLine: maxLine,
	}
}

// model says what a file of lines holds, in the simplest way.
type model struct {
	lines  []string // without newlines
	torn   string   // after the last newline
	broken []int    // indexes of lines that are no events
	blank  []int
}

func newModel(data []byte, maxLine int) (m model) {
	m.lines = strings.Split(string(data), "\n")
	m.torn = m.lines[len(m.lines)-1]
	m.lines = m.lines[:len(m.lines)-1]
	for i, line := range m.lines {
		switch {
		case len(line) > maxLine:
			m.broken = append(m.broken, i)
		case strings.TrimSpace(line) == "":
			m.blank = append(m.blank, i)
		case !json.Valid([]byte(line)):
			m.broken = append(m.broken, i)
		}
	}
	return m
}

const fuzzMaxLine = 40

func addSeeds(f *testing.F) {
	for _, seed := range []string{
		"", "\n", "1\n2\n", "1\n2", "{\"a\":1}\n{\"a", "1\n\n3\n", "1\nx y\n3\n", "\x00\x00\n1\n", "\xff\n", "1\r\n\r\n",
		strings.Repeat("1", 50) + "\n2\n", "1\n" + strings.Repeat("1", 50), strings.Repeat(" ", 41) + "\n",
	} {
		f.Add([]byte(seed), true)
		f.Add([]byte(seed), false)
	}
}

// Whatever a journal's file holds: it is refused and left as it is, or each of
// its events is in the log, with its number, and all else is reported.
func FuzzJournal(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, data []byte, salvage bool) {
		m := newModel(data, fuzzMaxLine)
		j := testJournalOf[string](t, SyncNever)
		j.Lines, j.Salvage = rawLines(fuzzMaxLine), salvage
		writeTo(t, j.Path, string(data))

		l, rec, err := Open(Config[string]{}, j)
		if len(m.broken) > 0 && !salvage {
			var line *LineError
			if !errors.As(err, &line) || line.Line != m.broken[0]+1 || line.Column < 1 {
				t.Fatalf("Open = %v, want that line %d is broken", err, m.broken[0]+1)
			}
			wantFile(t, j.Path, string(data))
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		want := m.contents()
		if got := contents(t, l); got != want {
			t.Fatalf("the log is %q, want %q", got, want)
		}
		checkRecovery(t, m, rec, data)
		mustAppend(t, l, "7")
		m.lines = append(m.lines, "7")
		want = m.contents()
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		j.Salvage = false
		l, rec = mustOpen(t, Config[string]{}, j)
		if got := contents(t, l); got != want || rec.Torn != nil {
			t.Fatalf("opened again, the log is %q, want %q; torn: %v", got, want, rec.Torn)
		}
		l.Close()
	})
}

func (m model) contents() string {
	var b strings.Builder
	for i, line := range m.lines {
		if slices.Contains(m.broken, i) || slices.Contains(m.blank, i) {
			fmt.Fprintf(&b, "%d-%d:lost ", i+1, i+1)
		} else {
			fmt.Fprintf(&b, "%d:%s ", i+1, line)
		}
	}
	return strings.TrimSpace(b.String())
}

func checkRecovery(t *testing.T, m model, rec *Recovery, data []byte) {
	t.Helper()
	if rec.Events != len(m.lines)-len(m.broken)-len(m.blank) || len(rec.Lost) != len(m.broken) {
		t.Errorf("%d events, lost %v; want %d lost", rec.Events, rec.Lost, len(m.broken))
	}
	if (rec.Torn != nil) != (m.torn != "") || rec.Torn != nil && rec.Torn.Bytes != int64(len(m.torn)) {
		t.Errorf("Torn = %v, want %q", rec.Torn, m.torn)
	}
	if len(m.broken) == 0 {
		if rec.Kept != nil {
			t.Errorf("Kept = %v", rec.Kept)
		}
		return
	}
	if kept, err := os.ReadFile(rec.Kept[0]); err != nil || !bytes.Equal(kept, data) {
		t.Errorf("the copy holds %q, %v; want %q", kept, err, data)
	}
}

// Read yields each line or its error, in order, however the bytes come.
func FuzzReadLines(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, data []byte, slowly bool) {
		m := newModel(data, fuzzMaxLine)
		var r io.Reader = bytes.NewReader(data)
		if slowly {
			r = iotest.OneByteReader(r)
		}
		var got, want []string
		for e, err := range rawLines(fuzzMaxLine).Read("f", r) {
			var line *LineError
			var torn *TornError
			switch {
			case errors.As(err, &line):
				got = append(got, fmt.Sprint(line.Line, " broken"))
			case errors.As(err, &torn):
				got = append(got, fmt.Sprint(torn.Line, " torn ", torn.Offset, torn.Bytes))
			case err != nil:
				t.Fatal(err)
			default:
				got = append(got, e)
			}
		}
		for i, line := range m.lines {
			switch {
			case slices.Contains(m.broken, i):
				want = append(want, fmt.Sprint(i+1, " broken"))
			case !slices.Contains(m.blank, i):
				want = append(want, line)
			}
		}
		if m.torn != "" {
			want = append(want, fmt.Sprint(len(m.lines)+1, " torn ", len(data)-len(m.torn), len(m.torn)))
		}
		if !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}
