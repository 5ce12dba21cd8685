package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"strconv"
	"time"

	"github.com/skaffoldgen/protoc-gen-skaffold/examples/skaffold/project"
	"github.com/skaffoldgen/protoc-gen-skaffold/examples/skaffold/recording"
	"github.com/skaffoldgen/protoc-gen-skaffold/serve"
)

// options are what the command line says.
type options struct {
	serve   serve.Config
	project project.Project

	rpcPort, rpcHTTPPort int

	demo        bool
	changeEvery time.Duration
	stepTime    time.Duration
	replay      string
	replaySpeed recording.Speed
	journal     string
	salvage     bool
	waitForConn bool
}

// noPort is the port that switches a protocol off.
const noPort = -1

const usage = `skaffold serves Skaffold's event API, v1 and v2, with a simulated dev loop behind it.

  go run ./examples/skaffold
  curl -N localhost:50052/v2/events

Flags:
`

// parse reads the command line. Its error is flag.ErrHelp after -help was
// printed.
func parse(args []string, out io.Writer) (*options, error) {
	o := &options{
		serve:       serve.Config{JSON: serve.JSONProtoNames},
		project:     demoProject(),
		replaySpeed: 1,
	}
	fs := flag.NewFlagSet("skaffold", flag.ContinueOnError)
	fs.SetOutput(out)
	fs.Usage = func() {
		fmt.Fprint(out, usage)
		fs.PrintDefaults()
	}
	fs.IntVar(&o.rpcPort, "rpc-port", 50051,
		"`port` of 127.0.0.1 to serve gRPC on; 0 is a free one, which the log names; -1 is none")
	fs.IntVar(&o.rpcHTTPPort, "rpc-http-port", 50052, "`port` of 127.0.0.1 to serve HTTP/JSON on, likewise")
	fs.BoolVar(&o.project.Auto.Build, "auto-build", true, "build when source files change")
	fs.BoolVar(&o.project.Auto.Sync, "auto-sync", true, "sync when other files change")
	fs.BoolVar(&o.project.Auto.Deploy, "auto-deploy", true, "deploy what was built")
	fs.BoolVar(&o.demo, "demo", true,
		"run the dev loop once at the start; without it nothing happens until a client asks for it")
	fs.DurationVar(&o.changeEvery, "demo-change-every", 30*time.Second,
		"with -demo, how often a file changes; 0 is never")
	fs.DurationVar(&o.stepTime, "demo-step", 300*time.Millisecond, "how long each step of the dev loop takes")
	fs.StringVar(&o.replay, "replay", "",
		"serve the events of `file`, as Skaffold's --event-log-file saves them (v1 or v2),\n"+
			"and of file"+recording.V2Suffix+" (v2) if that is there, instead of a dev loop")
	fs.Var(&o.replaySpeed, "replay-speed",
		"`speed` of -replay: 1x is the recorded pace, 10x ten times as fast, max at once")
	fs.StringVar(&o.journal, "journal", "",
		"keep the events of v1 in `file` and those of v2 in file"+recording.V2Suffix+
			",\nand go on with what they have; they grow without bound")
	fs.BoolVar(&o.salvage, "journal-salvage", false,
		"with -journal, go on without the lines that cannot be read, instead of refusing to start; the\n"+
			"log tells each, and a copy of the file is kept beside it, with the ending .broken")
	fs.BoolVar(&o.waitForConn, "wait-for-connection", false,
		"when told to end, wait until a client has asked for the v2 events; end at once when told again")
	o.serve.AddFlags(fs)
	if err := fs.Parse(args); err != nil {
		return nil, err
	}
	if fs.NArg() > 0 {
		return nil, fmt.Errorf("unexpected argument %q: there are flags only, see -help", fs.Arg(0))
	}
	return o, o.check(fs)
}

// check looks for what does not go together, and works out the addresses.
func (o *options) check(fs *flag.FlagSet) error {
	given := map[string]bool{}
	fs.Visit(func(f *flag.Flag) { given[f.Name] = true })
	var errs []error
	if o.replay != "" {
		if o.journal != "" {
			errs = append(errs, errors.New("-replay and -journal do not go together: a recording is on the disk already"))
		}
		if given["demo"] && o.demo {
			errs = append(errs, errors.New("-replay and -demo do not go together: use one of them"))
		}
		o.demo = false
	} else if o.salvage && o.journal == "" {
		errs = append(errs, errors.New("-journal-salvage needs -journal"))
	} else if given["replay-speed"] {
		errs = append(errs, errors.New("-replay-speed needs -replay"))
	}
	if o.changeEvery < 0 || o.stepTime < 0 {
		errs = append(errs, errors.New("-demo-change-every and -demo-step must not be negative"))
	}
	for _, p := range []struct {
		name, address string
		port          int
		addresses     *[]string
	}{
		{"rpc-port", "grpc", o.rpcPort, &o.serve.GRPC},
		{"rpc-http-port", "http", o.rpcHTTPPort, &o.serve.HTTP},
	} {
		switch {
		case p.port < noPort || p.port > 65535:
			errs = append(errs, fmt.Errorf("-%s %d: want a port up to 65535, 0 for a free one or -1 for none", p.name, p.port))
		case given[p.address] && given[p.name]:
			errs = append(errs, fmt.Errorf("-%s and -%s do not go together: use one of them", p.name, p.address))
		case !given[p.address] && p.port != noPort:
			*p.addresses = []string{net.JoinHostPort("127.0.0.1", strconv.Itoa(p.port))}
		}
	}
	if len(o.serve.GRPC) == 0 && len(o.serve.HTTP) == 0 && len(errs) == 0 {
		errs = append(errs, errors.New("nothing to serve: -rpc-port and -rpc-http-port are both -1"))
	}
	return errors.Join(errs...)
}
