package main

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/skaffoldgen/protoc-gen-skaffold/examples/buildkit/internal/builds"
	"github.com/skaffoldgen/protoc-gen-skaffold/examples/buildkit/internal/description"
)

// The demonstration runs a build, pauses, and runs the next. It deletes its own
// builds again when there are too many of them.
const (
	demoPause = 3 * time.Second
	demoKeep  = 10
)

// builder runs recorded builds: those of the description whose time has come,
// and those of the demonstration.
type builder struct {
	history *builds.History
	log     *slog.Logger
	live    []description.Build
	demo    []*builds.Recording // nil: no demonstration
}

func newBuilder(
	d *description.Description, history *builds.History, demo bool, log *slog.Logger,
) (*builder, error) {
	b := &builder{history: history, log: log}
	for i := range d.Builds {
		build := &d.Builds[i]
		if build.StartAfter != nil {
			b.live = append(b.live, *build)
		}
		if demo && len(build.Steps) > 0 {
			b.demo = append(b.demo, &build.Recording)
		}
	}
	if demo && len(b.demo) == 0 {
		return nil, errors.New("--demo: the description has no build with steps, which could be shown")
	}
	return b, nil
}

// start starts all builds. They end with the context, or when the returned
// function is called, which waits for that.
func (b *builder) start(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	for i := range b.live {
		build := &b.live[i]
		running.Go(func() {
			if pause(ctx, time.Duration(*build.StartAfter)) {
				b.run(ctx, &build.Recording, build.Record.GetRef())
			}
		})
	}
	if b.demo != nil {
		running.Go(func() { b.demonstrate(ctx) })
	}
	return func() {
		cancel()
		running.Wait()
	}
}

func (b *builder) demonstrate(ctx context.Context) {
	var refs []string
	for i := 0; pause(ctx, demoPause); i++ {
		ref := strings.ToLower(rand.Text())[:25] // as long as BuildKit's
		b.run(ctx, b.demo[i%len(b.demo)], ref)
		if refs = append(refs, ref); len(refs) > demoKeep {
			// It may be gone, or pinned, in which case it goes too.
			_ = b.history.Delete(refs[0])
			refs = refs[1:]
		}
	}
}

// run runs a build, whose failure is of interest to those who listen only.
func (b *builder) run(ctx context.Context, r *builds.Recording, ref string) {
	err := b.history.Run(ctx, r, ref)
	if err != nil && ctx.Err() == nil && !errors.Is(err, builds.ErrClosed) {
		b.log.Error("a build could not be shown", "ref", ref, "error", err)
	}
}

// pause tells whether a time went by before the context ended.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}
