// Package plugin speaks the protocol of protoc and buf plugins: an encoded
// CodeGeneratorRequest on standard input, a CodeGeneratorResponse on standard
// output (google/protobuf/compiler/plugin.proto).
package plugin

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"runtime/debug"
	"slices"
	"strings"
)

// Plugin is a program that protoc or buf runs.
type Plugin struct {
	// Name is the program's name, as protoc and buf look it up.
	Name string
	// Usage is what --help prints below the synopsis.
	Usage string
	// Generate makes the output files. Its error goes into the response, where
	// protoc and buf show it to the user; errors joined with errors.Join take a
	// line each.
	Generate func(*Request) ([]Output, error)
	// Commands are what people call the program for, by the first argument. They
	// get the arguments behind it and return the exit status.
	Commands map[string]Command
}

// Command is something that the program does besides being a plugin.
type Command struct {
	// Synopsis is one line for --help, without the name of the program.
	Synopsis string
	Run      func(Process) int
}

// Process is what a plugin touches of the process it runs in.
type Process struct {
	Args   []string // without the program's own name
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer
}

// gcPercent trades a little time for memory: almost all that a plugin allocates
// lives as long as the process, so that the collector's usual slack of as much
// again would only be waiting to be freed. Measured on a module of 5,000 files
// it costs a few percent of the time and saves a quarter of the peak.
const gcPercent = 50

// Main runs the plugin in the current process and ends it.
func (p Plugin) Main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	os.Exit(p.Run(Process{Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}))
}

// Run runs the plugin once and returns the exit status: 0 also where the
// response carries an error, 1 where no response could be written, as
// plugin.proto asks.
func (p Plugin) Run(proc Process) int {
	if len(proc.Args) > 0 {
		return p.flag(proc)
	}
	if IsTerminal(proc.Stdin) {
		fmt.Fprintf(proc.Stderr, "%s is run by protoc or buf, which send it a request on standard input.\n\n%s", p.Name, p.help())
		return 1
	}
	if err := p.respond(proc); err != nil {
		fmt.Fprintf(proc.Stderr, "%s: %v\n", p.Name, err)
		return 1
	}
	return 0
}

// flag answers the calls that a person makes.
func (p Plugin) flag(proc Process) int {
	if c, ok := p.Commands[proc.Args[0]]; ok {
		proc.Args = proc.Args[1:]
		return c.Run(proc)
	}
	switch arg := proc.Args[0]; strings.TrimLeft(arg, "-") {
	case "help", "h":
		fmt.Fprint(proc.Stdout, p.help())
		return 0
	case "version":
		fmt.Fprintf(proc.Stdout, "%s version %s\n", p.Name, version())
		return 0
	default:
		fmt.Fprintf(proc.Stderr, "%s: unknown argument %q\n\n%s", p.Name, arg, p.help())
		return 1
	}
}

func (p Plugin) help() string {
	var commands strings.Builder
	for _, name := range slices.Sorted(maps.Keys(p.Commands)) {
		fmt.Fprintf(&commands, "       %s %s\n", p.Name, p.Commands[name].Synopsis)
	}
	return fmt.Sprintf("usage: buf generate, or protoc --plugin=%[1]s ...; %[1]s [--help | --version]\n%[3]s\n%[2]s", p.Name, p.Usage, &commands)
}

// version is the module version that the binary was built from. It is printed
// on request and never written to a generated file.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}

// IsTerminal tells whether a person types what is read.
func IsTerminal(r io.Reader) bool {
	f, ok := r.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && !isNull(info)
}

// isNull tells the null device, which is a character device as a terminal is.
func isNull(info os.FileInfo) bool {
	null, err := os.Stat(os.DevNull)
	return err == nil && os.SameFile(info, null)
}

func (p Plugin) respond(proc Process) error {
	req, err := ReadRequest(proc.Stdin)
	if err != nil {
		return err
	}
	files, err := p.generate(req, proc.Stderr)
	if err == nil {
		err = checkOutputs(files)
	}
	if err != nil {
		return writeResponse(proc.Stdout, err.Error(), nil)
	}
	return writeResponse(proc.Stdout, "", files)
}

// generate guards the process against a panic: the user sees an error that
// says which plugin failed, and the stack goes to standard error.
func (p Plugin) generate(req *Request, stderr io.Writer) (files []Output, err error) {
	defer func() {
		if r := recover(); r != nil {
			fmt.Fprintf(stderr, "%s: panic: %v\n%s", p.Name, r, debug.Stack())
			files, err = nil, fmt.Errorf("internal error: %v (this is a bug of %s; its stack is on standard error)", r, p.Name)
		}
	}()
	if len(req.FilesToGenerate) == 0 {
		return nil, errors.New("the request names no file to generate: give protoc or buf at least one .proto file")
	}
	req.Warn = func(message string) { fmt.Fprintf(stderr, "%s: warning: %s\n", p.Name, message) }
	return p.Generate(req)
}
