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
}

// newApp reads the files that the options name, and checks all else.
func newApp(o *options) (_ *app, err error) {
	a := &app{options: o, log: o.serve.Logger}
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
		a.runner = devloop.New(o.project, a.v1, a.v2, a.work)
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

func (a *app) openSessions() error {
	journal1, journal2 := a.journal, ""
	if a.journal != "" {
		journal2 = a.journal + recording.V2Suffix
	}
	var r1, r2 *eventlog.Recovery
	var err error
	if a.v1, r1, err = v1.NewSession(journal1, a.project, time.Now); err != nil {
		return err
	}
	if a.v2, r2, err = v2.NewSession(journal2, a.project, time.Now); err != nil {
		return err
	}
	for _, r := range []*eventlog.Recovery{r1, r2} {
		if r.Torn != nil {
			a.log.Warn("the journal's last line was torn, and has been cut off", "error", r.Torn)
		}
	}
	return nil
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
	background := func(f func(context.Context) error) {
		wg.Go(func() {
			// What has happened so far can be read on.
			if err := f(ctx); err != nil && ctx.Err() == nil {
				a.log.Error("nothing happens any more", "error", err)
			}
		})
	}
	if a.record != nil {
		background(a.play)
	} else {
		background(a.runner.Run)
	}
	if a.demo {
		background(a.start)
		background(a.changes)
	}
	return a.server.Serve(a.serving(ctx))
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
