package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/skaffoldgen/protoc-gen-skaffold/examples/buildkit/internal/builds"
	"github.com/skaffoldgen/protoc-gen-skaffold/serve"
)

// maxMessage bounds messages both ways, in bytes, as BuildKit's clients do.
const maxMessage = 16 << 20

// options are what the flags say.
type options struct {
	serve      serve.Config
	history    builds.Config
	store      string
	statusWait time.Duration
	demo       bool
}

// parseFlags reads the command line. Help and later logs go to a writer.
func parseFlags(args []string, out io.Writer) (options, error) {
	opts := options{serve: serve.Config{MaxRecvBytes: maxMessage, MaxSendBytes: maxMessage}}
	fs := flag.NewFlagSet("buildkit", flag.ContinueOnError)
	fs.SetOutput(io.Discard) // errors are returned
	fs.Func("addr", "`address` to listen on: unix:///path, tcp://host:port or fd://3; may be repeated "+
		"(default "+defaultAddress()+")", opts.addAddress)
	fs.StringVar(&opts.store, "store", "", "JSON `file` with what to show; see README.md (default: a small sample)")
	fs.BoolVar(&opts.demo, "demo", false, "run the builds of the store again and again")
	fs.DurationVar(&opts.statusWait, "status-wait", 6*time.Second, "how long Status waits for an unknown build")
	fs.IntVar(&opts.history.MaxEntries, "history-max-entries", 50,
		"`number` of stored builds that are kept whatever their age is")
	fs.DurationVar(&opts.history.MaxAge, "history-max-age", 48*time.Hour, "age up to which all stored builds are kept")
	logFormat := fs.String("log-format", "text", "log formatter: json or text")
	fs.StringVar(&opts.serve.TLSCert, "tlscert", "", "the same as -tls-cert, `file`")
	fs.StringVar(&opts.serve.TLSKey, "tlskey", "", "the same as -tls-key, `file`")
	fs.StringVar(&opts.serve.TLSClientCA, "tlscacert", "", "the same as -tls-client-ca, `file`")
	addServeFlags(fs, &opts.serve)
	if err := fs.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			fs.SetOutput(out)
			fmt.Fprintln(out, "Usage: buildkit [flags]\n\nServes BuildKit's Control API from memory. Flags:")
			fs.PrintDefaults()
		}
		return options{}, err
	}
	if err := opts.check(fs); err != nil {
		return options{}, err
	}
	switch *logFormat {
	case "json":
		opts.serve.Logger = slog.New(slog.NewJSONHandler(out, nil))
	case "text":
		opts.serve.Logger = slog.New(slog.NewTextHandler(out, nil))
	default:
		return options{}, fmt.Errorf("--log-format %s: it is json or text", *logFormat)
	}
	return opts, opts.setDefaultAddress()
}

// addServeFlags adds the flags of package serve, but for those of addresses and
// of HTTP.
func addServeFlags(fs *flag.FlagSet, cfg *serve.Config) {
	all := flag.NewFlagSet("", flag.ContinueOnError)
	cfg.AddFlags(all)
	all.VisitAll(func(f *flag.Flag) {
		switch f.Name {
		case "grpc", "http", "cors-origin", "host", "default-routes":
			return
		}
		fs.Var(f.Value, f.Name, f.Usage)
	})
}

func (o *options) check(fs *flag.FlagSet) error {
	switch {
	case fs.NArg() > 0:
		return fmt.Errorf("%q is no flag; --help lists them", fs.Arg(0))
	case o.statusWait < 0:
		return errors.New("--status-wait is negative; 0 does not wait")
	case o.history.MaxEntries < 0 || o.history.MaxAge < 0:
		return errors.New("--history-max-entries and --history-max-age cannot be negative")
	}
	return nil
}

// addAddress takes a value of --addr. An address needs its scheme, so that a
// path without one is not taken for a host.
func (o *options) addAddress(addr string) error {
	if !strings.Contains(addr, "://") {
		scheme := "tcp"
		if strings.Contains(addr, "/") {
			scheme = "unix"
		}
		return fmt.Errorf("it has no scheme: is it %s://%s?", scheme, addr)
	}
	o.serve.GRPC = append(o.serve.GRPC, addr)
	return nil
}

// defaultAddress is where BuildKit's clients look: the socket of a daemon
// without root privileges, if there is a place for it.
func defaultAddress() string {
	if dir, _, _ := strings.Cut(os.Getenv("XDG_RUNTIME_DIR"), ":"); dir != "" {
		return "unix://" + filepath.Join(dir, "buildkit", "buildkitd.sock")
	}
	return "unix:///run/buildkit/buildkitd.sock"
}

// setDefaultAddress takes the default address if there is no other. Its folder
// is made: nobody else would.
func (o *options) setDefaultAddress() error {
	if len(o.serve.GRPC) > 0 {
		return nil
	}
	addr := defaultAddress()
	o.serve.GRPC = []string{addr}
	if err := os.MkdirAll(filepath.Dir(strings.TrimPrefix(addr, "unix://")), 0o700); err != nil {
		return fmt.Errorf("the default address is %s: %w; name another one with --addr", addr, err)
	}
	return nil
}
