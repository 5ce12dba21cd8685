package eventlog_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/skaffoldgen/protoc-gen-skaffold/eventlog"
)

// Readers get what was there before them and what comes later, in one loop.
func Example() {
	l := eventlog.New(eventlog.Config[string]{MaxEvents: 1000})
	l.Append("build started")

	done := make(chan struct{})
	go func() {
		defer close(done)
		r := l.Reader(1)
		for seq, e := range r.All(context.Background()) {
			fmt.Println(seq, e)
		}
		if r.Err() != nil {
			log.Print(r.Err())
		}
	}()

	l.Append("build done")
	l.Close() // ends the reader, once it has read all
	<-done
	// Output:
	// 1 build started
	// 2 build done
}

// State, and the events that change it, without loss or doubles in between.
func ExampleLog_Snapshot() {
	status := map[string]string{} // only Apply and Snapshot touch it
	l := eventlog.New(eventlog.Config[string]{
		Apply: func(_ eventlog.Seq, e string) {
			name, state, _ := strings.Cut(e, " ")
			status[name] = state
		},
	})
	l.Append("web started")
	l.Append("web ready")

	var web string
	var from eventlog.Seq
	l.Snapshot(func(last eventlog.Seq) { web, from = status["web"], last+1 })
	fmt.Println("web is", web)

	r := l.Reader(from)
	l.Append("web stopped")
	rec, err := r.Next(context.Background())
	fmt.Println(rec.Seq, rec.Event, err)
	// Output:
	// web is ready
	// 3 web stopped <nil>
}

// An event that is appended only if the state allows it.
func ExampleLog_Update() {
	enabled := false
	l := eventlog.New(eventlog.Config[bool]{Apply: func(_ eventlog.Seq, e bool) { enabled = e }})
	enable := func() error {
		_, err := l.Update(func(eventlog.Seq) ([]bool, error) {
			if enabled {
				return nil, errors.New("it is enabled already")
			}
			return []bool{true}, nil
		})
		return err
	}
	fmt.Println(enable())
	fmt.Println(enable())
	// Output:
	// <nil>
	// it is enabled already
}

// A reader that would rather go on than end when it was too slow.
func ExampleGaps() {
	l := eventlog.New(eventlog.Config[string]{MaxEvents: 2})
	for _, e := range []string{"a", "b", "c", "d"} {
		l.Append(e)
	}
	l.Close()
	gaps := eventlog.Gaps[string](func(from, to eventlog.Seq) { fmt.Println("missed", from, "to", to) })
	for seq, e := range l.Reader(1, gaps).All(context.Background()) {
		fmt.Println(seq, e)
	}
	// Output:
	// missed 1 to 2
	// 3 c
	// 4 d
}

// A log that is there again after a crash.
func ExampleOpen() {
	dir, err := os.MkdirTemp("", "journal")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	journal := eventlog.Journal[*wrapperspb.StringValue]{
		Path: filepath.Join(dir, "events.jsonl"),
		Lines: eventlog.ProtoLines[*wrapperspb.StringValue](
			protojson.MarshalOptions{}, protojson.UnmarshalOptions{DiscardUnknown: true}),
		MaxBytes: 1 << 30,
	}
	for range 2 {
		l, recovery, err := eventlog.Open(eventlog.Proto[*wrapperspb.StringValue](), journal)
		if err != nil {
			log.Fatal(err)
		}
		if recovery.Torn != nil {
			log.Print(recovery.Torn)
		}
		seq, err := l.Append(wrapperspb.String("started"))
		fmt.Println(recovery.Events, "events are there, and now", seq, err)
		if err := l.Close(); err != nil {
			log.Print(err)
		}
	}
	// Output:
	// 0 events are there, and now 1 <nil>
	// 1 events are there, and now 2 <nil>
}

// Reading a file of events, whole or not.
func ExampleLines_Read() {
	lines := eventlog.ProtoLines[*wrapperspb.Int64Value](protojson.MarshalOptions{}, protojson.UnmarshalOptions{})
	file := strings.NewReader("\"1\"\n\"2\"\n\"3")
	for e, err := range lines.Read("events.jsonl", file) {
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(e.GetValue())
	}
	// Output:
	// 1
	// 2
	// events.jsonl:3:1: the last line is torn: it ends without a newline after 2 bytes
}
