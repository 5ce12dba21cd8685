// Command skaffold serves Skaffold's event API, v1 and v2, over gRPC and HTTP.
// Behind it is a simulated dev loop, or a recording of a real one. See README.md.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/skaffoldgen/protoc-gen-skaffold/eventlog"
	"github.com/skaffoldgen/protoc-gen-skaffold/examples/skaffold/devloop"
	"github.com/skaffoldgen/protoc-gen-skaffold/examples/skaffold/recording"
	"github.com/skaffoldgen/protoc-gen-skaffold/examples/skaffold/session"
	v1 "github.com/skaffoldgen/protoc-gen-skaffold/examples/skaffold/v1"
	v2 "github.com/skaffoldgen/protoc-gen-skaffold/examples/skaffold/v2"
	kitv1 "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v1/skaffoldv1kit"
	kitv2 "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v2/skaffoldv2kit"
	"github.com/skaffoldgen/protoc-gen-skaffold/serve"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // so that a second signal ends the process at once
	switch err := run(ctx, os.Args[1:], os.Stderr); {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintln(os.Stderr, "skaffold:", err)
		os.Exit(1)
	}
}

// run serves until ctx ends. out gets the log.
func run(ctx context.Context, args []string, out io.Writer) error {
	o, err := parse(args, out)
	if err != nil {
		return err
	}
	o.serve.Logger = slog.New(slog.NewTextHandler(out, nil))
	a, err := newApp(o)
	if err != nil {
		return err
	}
	return a.run(ctx)
}

// app is a run of Skaffold with both versions of its API.
type app struct {
	*options
	log     *slog.Logger
	v1      *v1.Session
	v2      *v2.Session
	server2 *v2.Server
	server  *serve.Server
	runner  *devloop.Runner      // nil: a recording is played
	record  *recording.Recording // nil: there is a runner

	journalChanged chan struct{} // has a token when a journal's Check may have changed
}

// retryEvery is how often a journal that could not be written is tried again.
const retryEvery = time.Second

// newApp reads the files that the options name, and checks all else.
func newApp(o *options) (_ *app, err error) {
	a := &app{options: o, log: o.serve.Logger, journalChanged: make(chan struct{}, 1)}
	if o.replay != "" {
		if a.record, err = recording.Open(o.replay); err != nil {
			return nil, err
		}
		for _, torn := range a.record.Torn {
			a.log.Warn("the recording ends early", "error", torn)
		}
	}
	if err := a.openSessions(); err != nil {
		return nil, errors.Join(err, a.closeSessions())
	}
	var driver session.Runner
	if a.record == nil {
		a.runner = devloop.New(o.project, a.v1, a.v2, a.work, a.log)
		driver = a.runner
	}
	a.server2 = v2.NewServer(a.v2, driver)
	o.serve.OnShutdown = append(o.serve.OnShutdown, func(context.Context) error { return a.closeSessions() })
	a.server, err = serve.New(o.serve,
		kitv1.NewSkaffoldService(v1.NewServer(a.v1, driver)),
		kitv2.NewSkaffoldV2Service(a.server2),
	)
	if err == nil {
		err = a.server.Listen()
	}
	if err != nil {
		return nil, errors.Join(err, a.closeSessions())
	}
	return a, nil
}

func (a *app) openSessions() (err error) {
	journal1, journal2 := a.journalOf(""), a.journalOf(recording.V2Suffix)
	var r *eventlog.Recovery
	if a.v1, r, err = v1.NewSession(journal1, a.project, time.Now); err != nil {
		return adviseSalvage(err)
	}
	a.report(journal1.Path, r)
	if a.v2, r, err = v2.NewSession(journal2, a.project, time.Now); err != nil {
		return adviseSalvage(err)
	}
	a.report(journal2.Path, r)
	return nil
}

// journalOf is the journal of a version of the API, whose files end in suffix.
func (a *app) journalOf(suffix string) session.Journal {
	if a.journal == "" {
		return session.Journal{}
	}
	return session.Journal{Path: a.journal + suffix, Salvage: a.salvage, Changed: func() {
		select {
		case a.journalChanged <- struct{}{}:
		default: // it will be looked at anyway
		}
	}}
}

// adviseSalvage adds how to go on without a line that cannot be read.
func adviseSalvage(err error) error {
	var line *eventlog.LineError
	if errors.As(err, &line) {
		return fmt.Errorf("%w: that is what -journal-salvage does", err)
	}
	return err
}

// report tells what was found in a journal, and what not.
func (a *app) report(path string, r *eventlog.Recovery) {
	if path == "" {
		return
	}
	log := a.log.With("journal", path)
	log.Info("the journal has been read", "events", r.Events, "lost", len(r.Lost), "torn", r.Torn != nil)
	if r.Torn != nil {
		log.Warn("the journal's last line was torn, and has been cut off", "error", r.Torn)
	}
	for _, err := range r.Lost {
		log.Warn("an event is lost, for its line could not be read", "error", err)
	}
	for _, copied := range r.Kept {
		log.Warn("the journal as it was, with the lines that are lost, has been kept", "file", copied)
	}
}

// closeSessions ends the streams of events. It is a part of shutting down.
func (a *app) closeSessions() error {
	var err1, err2 error
	if a.v1 != nil {
		err1 = a.v1.Close()
	}
	if a.v2 != nil {
		err2 = a.v2.Close()
	}
	return errors.Join(err1, err2)
}

// run serves until ctx ends, and plays the recording or runs the dev loop
// meanwhile.
func (a *app) run(ctx context.Context) error {
	var wg sync.WaitGroup
	defer wg.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	background := func(what string, f func(context.Context) error) {
		wg.Go(func() {
			// What has happened so far can be read on.
			if err := f(ctx); err != nil && ctx.Err() == nil {
				a.log.Error(what, "error", err)
			}
		})
	}
	const ended = "nothing happens any more"
	if a.record != nil {
		background(ended, a.play)
	} else {
		background(ended, a.runner.Run)
		background(ended, a.watchJournals)
	}
	if a.demo {
		background("clients have not been told of the start", a.start)
		background(ended, a.changes)
	}
	return a.server.Serve(a.serving(ctx))
}

// watchJournals has the server say that it is not ready while a journal cannot be
// written, and the dev loop go on when it can.
func (a *app) watchJournals(ctx context.Context) error {
	ready := true
	for {
		var retry <-chan time.Time
		if !ready {
			retry = time.After(retryEvery)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-a.journalChanged:
		case <-retry:
		}
		was, err := ready, a.runner.Check()
		if ready = err == nil; ctx.Err() != nil {
			return nil // readiness is the shutdown's now
		}
		if !ready {
			a.server.SetReady(false) // each time: a server that has just begun says that it is ready
		}
		switch {
		case was && !ready:
			a.log.Error("the journal cannot be written: what would change anything is refused until it can", "error", err)
		case !was && ready:
			a.server.SetReady(true)
			a.log.Info("the journal can be written again")
		}
		if ready {
			a.runner.TriggersChanged() // for what has been broken off
		}
	}
}

// serving is the context to serve in. It ends with ctx, but not before a client
// has asked for events if the options say so.
func (a *app) serving(ctx context.Context) context.Context {
	if !a.waitForConn {
		return ctx
	}
	serving, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	context.AfterFunc(ctx, func() {
		// Who does not want to wait sends a second signal.
		_ = a.server2.WaitForConnection(serving)
		stop(context.Cause(ctx))
	})
	return serving
}

// play plays the recording.
func (a *app) play(ctx context.Context) error {
	if err := a.record.Play(ctx, a.v1, a.v2, a.replaySpeed, sleep); err != nil {
		return err
	}
	a.log.Info("the recording has been played to its end")
	return nil
}

// sleep waits for a time, or until ctx ends.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
