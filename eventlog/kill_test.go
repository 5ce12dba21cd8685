package eventlog

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// childEnv makes the test's binary a process that appends until it is killed.
const childEnv = "EVENTLOG_TEST_CHILD"

// childEvent tells who appended it: goroutine and count, in one life of the child.
type childEvent struct {
	Life, Goroutine, N int
	Pad                string `json:",omitempty"`
}

// childTask is what a child is to do.
type childTask struct {
	Path     string
	Sync     Sync
	MaxBytes int64
	Life     int
}

func (c childTask) journal() Journal[childEvent] {
	return Journal[childEvent]{Path: c.Path, Lines: jsonLines[childEvent](), Sync: c.Sync, MaxBytes: c.MaxBytes}
}

// ack is what a child prints once the log has returned a number for an event.
type ack struct {
	Seq   Seq
	Event childEvent
}

func runAsChild() bool {
	text := os.Getenv(childEnv)
	if text == "" {
		return false
	}
	if err := child(text); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return true
}

// child appends events from several goroutines. It stays to be killed.
func child(text string) error {
	var task childTask
	if err := json.Unmarshal([]byte(text), &task); err != nil {
		return err
	}
	l, _, err := Open(Config[childEvent]{}, task.journal())
	if err != nil {
		return err
	}
	var wg sync.WaitGroup
	errs := make([]error, 4)
	for id := range errs {
		wg.Go(func() { errs[id] = childAppends(l, childEvent{Life: task.Life, Goroutine: id}) })
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, os.Stdin) // until the parent is gone, should it fail to kill
	return err
}

func childAppends(l *Log[childEvent], e childEvent) error {
	rnd := rand.New(rand.NewPCG(uint64(e.Life), uint64(e.Goroutine)))
	for e.N < 500 {
		e.Pad = ""
		if rnd.IntN(20) == 0 {
			e.Pad = strings.Repeat("x", rnd.IntN(20_000))
		}
		events := []childEvent{e}
		e.N++
		var seq Seq
		var err error
		if rnd.IntN(4) > 0 {
			seq, err = l.Append(events[0])
		} else {
			events = append(events, childEvent{Life: e.Life, Goroutine: e.Goroutine, N: e.N})
			e.N++
			seq, err = l.Update(func(Seq) ([]childEvent, error) { return events, nil })
		}
		if err != nil {
			return err
		}
		for i, e := range events {
			e.Pad = ""
			line, err := json.Marshal(ack{Seq: seq - Seq(len(events)-1-i), Event: e})
			if err != nil {
				return err
			}
			if _, err := os.Stdout.Write(append(line, '\n')); err != nil {
				return err
			}
		}
	}
	return nil
}

// A process that is killed while it appends loses no event that it had a number
// for, whatever the policy: the operating system has the bytes.
func TestKill(t *testing.T) {
	lives := 35 // times six journals
	if testing.Short() {
		lives = 5
	}
	for _, policy := range policies {
		for _, maxBytes := range []int64{0, 1 << 20} {
			t.Run(fmt.Sprintf("sync %d, %d bytes", int64(policy), maxBytes), func(t *testing.T) {
				t.Parallel()
				task := childTask{Path: filepath.Join(t.TempDir(), "events.jsonl"), Sync: policy, MaxBytes: maxBytes}
				rnd := rand.New(rand.NewPCG(9, uint64(policy)+uint64(maxBytes)))
				var last Seq
				var acks, torn int
				for task.Life = range lives {
					acked := killedChild(t, task, rnd.IntN(300)-20)
					acks += len(acked)
					l, rec := mustOpen(t, Config[childEvent]{}, task.journal())
					if rec.Torn != nil {
						torn++
					}
					last = checkLife(t, l, task.Life, last, acked)
					if err := l.Close(); err != nil || t.Failed() {
						t.Fatalf("life %d: %v", task.Life, err)
					}
				}
				t.Logf("%d events were acknowledged, of %d; %d torn lines", acks, last, torn)
			})
		}
	}
}

// killedChild starts a child, kills it when it has acknowledged so many events,
// and returns all that it acknowledged.
func killedChild(t *testing.T, task childTask, after int) (acked []ack) {
	text, err := json.Marshal(task)
	if err != nil {
		t.Fatal(err)
	}
	var stderr strings.Builder
	cmd := exec.CommandContext(limit(t), os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+string(text))
	cmd.Stderr = &stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if after < 0 { // while it starts, opens and begins
		go func() {
			time.Sleep(time.Duration(-after) * time.Millisecond)
			cmd.Process.Kill()
		}()
	}
	lines := bufio.NewScanner(stdout)
	for lines.Scan() {
		var a ack
		if err := json.Unmarshal(lines.Bytes(), &a); err != nil {
			break // it was killed in the middle of it
		}
		acked = append(acked, a)
		if len(acked) == after {
			cmd.Process.Kill()
		}
	}
	cmd.Process.Kill()
	_ = cmd.Wait() // it was killed
	if stderr.Len() > 0 {
		t.Fatalf("the child failed: %s", stderr.String())
	}
	return acked
}

// checkLife checks what a killed child left, and returns the last number.
func checkLife(t *testing.T, l *Log[childEvent], life int, before Seq, acked []ack) Seq {
	found := make(map[Seq]childEvent)
	next := make(map[int]int) // by goroutine
	r := l.Reader(0)
	for want := Seq(0); want < l.Last(); {
		rec, err := r.Next(limit(t))
		if err != nil {
			t.Fatal(err)
		}
		if want != 0 && rec.Seq != want+1 {
			t.Errorf("event %d follows on %d", rec.Seq, want)
		}
		want = rec.Seq
		e := rec.Event
		e.Pad = ""
		found[rec.Seq] = e
		if (e.Life == life) != (rec.Seq > before) {
			t.Errorf("life %d begins with %d and has %+v at %d", life, before+1, e, rec.Seq)
		}
		if e.Life == life {
			if n := next[e.Goroutine]; e.N != n && n > 0 {
				t.Errorf("event %+v, want %d", e, n)
			}
			next[e.Goroutine] = e.N + 1
		}
	}
	for _, a := range acked {
		e, ok := found[a.Seq]
		if a.Seq > l.Last() || ok && e != a.Event || !ok && a.Seq > l.Last()-Seq(len(found)) {
			t.Errorf("event %d was acknowledged as %+v and is %+v", a.Seq, a.Event, e)
		}
	}
	return l.Last()
}
