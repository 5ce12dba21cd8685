// Rkt serves rkt's API (v1alpha.PublicAPI) from a description of pods and
// images in JSON. See its README.md.
package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strconv"
	"syscall"

	kit "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/rkt/v1alpha/rktv1alphakit"
	"github.com/skaffoldgen/protoc-gen-skaffold/serve"

	"github.com/skaffoldgen/protoc-gen-skaffold/examples/rkt/store"
)

// defaultListen is where rkt's API service listens unless told otherwise.
const defaultListen = "localhost:15441"

// sample is served if no description is given.
//
//go:embed sample.json
var sample []byte

func main() {
	logger := slog.New(slog.NewTextHandler(os.Stderr, nil))
	err := run(os.Args[1:], os.Stderr, logger)
	switch {
	case err == nil || errors.Is(err, flag.ErrHelp):
	case errors.Is(err, errUsage):
		os.Exit(2) // the flag package has told why
	default:
		fmt.Fprintln(os.Stderr, "rkt:", err)
		os.Exit(1)
	}
}

var errUsage = errors.New("wrong usage")

func run(args []string, stderr io.Writer, logger *slog.Logger) error {
	cfg, path, err := parseFlags(args, stderr, hasInheritedSockets())
	if err != nil {
		return err
	}
	data, err := load(path)
	if err != nil {
		return err
	}
	clock := systemClock{}
	s, err := store.New(data, clock.Now)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once

	cfg.Logger = logger
	cfg.OnShutdown = append(cfg.OnShutdown, func(context.Context) error { return s.Close() })
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	defer signal.Stop(hangups)
	go reload(ctx, hangups, s, path, logger)
	return serve.Run(ctx, cfg, kit.NewPublicAPIService(NewServer(s, clock)))
}

// parseFlags returns what to serve on, and the path of the description.
func parseFlags(args []string, stderr io.Writer, inherited bool) (cfg serve.Config, path string, err error) {
	flags := flag.NewFlagSet("rkt", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprint(stderr, "Usage: rkt [flags]\n\nServes rkt's API from a description of pods and images.\n"+
			"SIGHUP reads the description again.\n\nFlags:\n")
		flags.PrintDefaults()
	}
	cfg.AddFlags(flags)
	flags.StringVar(&path, "data", "", "`file` that describes pods and images in JSON (default: a sample)")
	listen := flags.String("listen", "", "`address` to serve gRPC on (default "+defaultListen+
		", or the sockets that systemd passes)")
	if err := flags.Parse(args); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			err = errUsage
		}
		return cfg, "", err
	}
	if flags.NArg() > 0 {
		return cfg, "", fmt.Errorf("unexpected argument %q: there are only flags, see --help", flags.Arg(0))
	}
	switch {
	case inherited && *listen != "":
		return cfg, "", errors.New("--listen was given, but systemd has passed sockets to listen on (LISTEN_FDS): " +
			"use one of them")
	case inherited && len(cfg.GRPC) == 0:
		cfg.GRPC = []string{"fd://"}
	case *listen != "":
		cfg.GRPC = append([]string{*listen}, cfg.GRPC...)
	case len(cfg.GRPC) == 0:
		cfg.GRPC = []string{defaultListen}
	}
	return cfg, path, nil
}

// hasInheritedSockets tells whether systemd passes sockets to this process.
func hasInheritedSockets() bool {
	n, err := strconv.Atoi(os.Getenv("LISTEN_FDS"))
	return err == nil && n > 0 && os.Getenv("LISTEN_PID") == strconv.Itoa(os.Getpid())
}

// load reads a description; that of no path is the sample.
func load(path string) (*store.Data, error) {
	text, name := sample, "sample.json"
	if path != "" {
		f, err := os.Open(path)
		if err != nil {
			return nil, fmt.Errorf("--data: %w", err)
		}
		defer f.Close()
		if text, err = io.ReadAll(io.LimitReader(f, store.MaxDataSize+1)); err != nil {
			return nil, fmt.Errorf("--data: %w", err)
		}
		name = path
	}
	data, err := store.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return data, nil
}

// reload reads the description again on each signal, until the context ends. A
// description that cannot be used is reported, and the old one stays.
func reload(ctx context.Context, hangups <-chan os.Signal, s *store.Store, path string, logger *slog.Logger) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-hangups:
		}
		if path == "" {
			logger.Warn("SIGHUP: there is nothing to read again; start with --data")
			continue
		}
		data, err := load(path)
		if err != nil {
			logger.Error("SIGHUP: the old description stays", "error", err)
			continue
		}
		n, err := s.Load(ctx, data)
		if err != nil {
			logger.Error("SIGHUP: the old description stays", "file", path, "error", err)
			continue
		}
		logger.Info("SIGHUP: read the description again", "file", path, "events", n)
	}
}
