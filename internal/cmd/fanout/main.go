// Fanout measures how an event log served over gRPC bears many subscribers, some
// of which take nothing: it starts a server as a process of its own, subscribes
// over loopback, appends events, and checks that each healthy subscriber gets all
// of them in order.
//
//	go run ./internal/cmd/fanout -subscribers 1000 -stalled 10 -events 100000
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"time"
)

// load is what a run does. The server gets it from its parent, on the command
// line.
type load struct {
	subscribers, stalled, events, size, connections int
	timeout                                         time.Duration
	server                                          bool
}

func main() {
	var l load
	flag.IntVar(&l.subscribers, "subscribers", 1000, "streams, those that stall included")
	flag.IntVar(&l.stalled, "stalled", 10, "streams whose client never reads")
	flag.IntVar(&l.events, "events", 100_000, "events to append")
	flag.IntVar(&l.size, "size", 128, "bytes of an event, at least 8")
	flag.IntVar(&l.connections, "connections", 50, "connections that the healthy streams share")
	flag.DurationVar(&l.timeout, "timeout", 30*time.Minute, "when to give up")
	flag.BoolVar(&l.server, "server", false, "be the server; for the command itself")
	flag.Parse()
	if l.stalled > l.subscribers || l.size < 8 || l.connections < 1 || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "fanout: -stalled has to be at most -subscribers, -size at least 8, -connections at least 1, and there are no arguments")
		os.Exit(2)
	}
	ctx, cancel := context.WithTimeout(context.Background(), l.timeout)
	defer cancel()
	run := l.measure
	if l.server {
		run = l.serve
	}
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "fanout:", err)
		os.Exit(1)
	}
}
