// Command buildkit serves BuildKit's Control API from memory: workers, a build
// cache that can be pruned, and builds that have been recorded. BuildKit's own
// clients work with it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/skaffoldgen/protoc-gen-skaffold/examples/buildkit/internal/builds"
	"github.com/skaffoldgen/protoc-gen-skaffold/examples/buildkit/internal/description"
	"github.com/skaffoldgen/protoc-gen-skaffold/gen/go/buildkit/control/buildkitcontrolkit"
	"github.com/skaffoldgen/protoc-gen-skaffold/serve"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	switch err := run(ctx, os.Args[1:], os.Stderr); {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintln(os.Stderr, "buildkit:", err)
		os.Exit(1)
	}
}

// run serves until the context ends. Logs go to a writer.
func run(ctx context.Context, args []string, logs io.Writer) error {
	opts, err := parseFlags(args, logs)
	if err != nil {
		return err
	}
	d, err := load(opts.store)
	if err != nil {
		return err
	}
	history := builds.New(opts.history)
	server, err := NewServer(d, history, opts.statusWait)
	if err != nil {
		return err
	}
	cfg := opts.serve
	cfg.OnShutdown = append(cfg.OnShutdown, func(context.Context) error { return history.Close() })
	builder, err := newBuilder(d, history, opts.demo, cfg.Logger)
	if err != nil {
		return err
	}
	srv, err := serve.New(cfg, buildkitcontrolkit.NewControlService(server))
	if err != nil {
		return err
	}
	if err := srv.Listen(); err != nil {
		return err
	}
	defer builder.start(ctx)()
	return srv.Serve(ctx)
}

// load reads a file with a description, or the one that is built in.
func load(file string) (*description.Description, error) {
	if file == "" {
		return description.Sample()
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("--store: %w", err)
	}
	defer f.Close()
	d, err := description.Load(f)
	if err != nil {
		return nil, fmt.Errorf("--store %s: %w", file, err)
	}
	return d, nil
}
