// Package scaffold writes the start of a service into a folder of the user's: a
// program that runs at once and answers UNIMPLEMENTED to each RPC, one file per
// RPC, for the user to fill in. Files are created and never changed; run again it
// adds what is missing, and Check tells how the folder and the API differ.
package scaffold

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/gogen"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/plugin"
)

// Program is the name of the program that the command is part of, in messages
// and in buf.gen.yaml.
const Program = "protoc-gen-skaffold-go"

// Synopsis is one line about the command, for the program's own help.
const Synopsis = "scaffold --dir DIR [--service NAME] [--module PATH] [--check]"

const usage = `usage: buf build -o - | ` + Program + ` ` + Synopsis + `

Scaffold writes the start of a service into a folder: main.go, server.go, one
file for each RPC, which answers UNIMPLEMENTED until you fill it in, a test that
calls each RPC, and a go.mod where one is needed. The folder is yours: files are
created and never changed. Run again it adds what is missing, such as the file of
a new RPC; a handler that you have moved to another file is not missing.

`

// status of the process.
const (
	statusOK      = 0
	statusProblem = 1 // the input, the folder, or what --check has found
	statusUsage   = 2
)

// options are the command line.
type options struct {
	service, dir, module string
	image, bufGen        string
	opts                 []string
	check                bool
}

// errUsage is what the command line says wrong.
type errUsage struct{ error }

func usageError(format string, args ...any) error { return errUsage{fmt.Errorf(format, args...)} }

// Run runs the command and returns the exit status: 0 if all is well, 1 if the
// input or the folder is not as it has to be or Check finds something, 2 for a
// wrong command line.
func Run(proc plugin.Process) int {
	o, help, err := parse(proc.Args)
	if help != "" {
		fmt.Fprint(proc.Stdout, help)
		return statusOK
	}
	if err == nil {
		out := bufio.NewWriter(proc.Stdout)
		err = o.run(proc.Stdin, out)
		err = errors.Join(err, out.Flush())
	}
	if err == nil {
		return statusOK
	}
	if findings := (findings)(nil); errors.As(err, &findings) {
		return statusProblem // printed
	}
	fmt.Fprintf(proc.Stderr, "%s scaffold: %v\n", Program, err)
	if errors.As(err, new(errUsage)) {
		return statusUsage
	}
	return statusProblem
}

// parse reads the command line. It returns the help text if that is asked for.
func parse(args []string) (*options, string, error) {
	o := new(options)
	flags := flag.NewFlagSet("scaffold", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&o.service, "service", "", "full `name` of the service; not needed if the image has only one")
	flags.StringVar(&o.dir, "dir", "", "`folder` to write to; it is made if it does not exist")
	flags.StringVar(&o.module, "module", "", "module `path` of the folder: its go.mod is written, if it has none;\n"+
		"without it the folder belongs to the module around it")
	flags.StringVar(&o.image, "image", "", "`file` of the image, as buf build or protoc --descriptor_set_out write it\n"+
		"(default: standard input)")
	flags.StringVar(&o.bufGen, "buf-gen", "", "buf.gen.yaml: `file` that says where the generated Go packages are\n"+
		"(default: buf.gen.yaml of the current folder, if there is one)")
	flags.Func("opt", "`option` of the plugin that the kits were generated with, such as Mfile.proto=import/path;\n"+
		"may be repeated, and goes before those of the buf.gen.yaml", func(s string) error {
		o.opts = append(o.opts, s)
		return nil
	})
	flags.BoolVar(&o.check, "check", false, "write nothing; report RPCs without a handler, handlers without an RPC,\n"+
		"and those whose types have changed, and exit with 1 if there are any")
	err := flags.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return nil, helpText(flags), nil
	case err != nil:
		return nil, "", usageError("%w; --help lists the flags", err)
	case flags.NArg() > 0:
		return nil, "", usageError("unknown argument %q: there are only flags; --help lists them", flags.Arg(0))
	case o.dir == "":
		return nil, "", usageError("--dir is missing: name the folder to write to, such as --dir ./server")
	}
	return o, "", nil
}

func helpText(flags *flag.FlagSet) string {
	var b strings.Builder
	b.WriteString(usage)
	flags.SetOutput(&b)
	flags.PrintDefaults()
	b.WriteString("\nIt exits with 0 if all is well, 1 if something is wrong, 2 if the command line is.\n")
	return b.String()
}

// run does what the command line says.
func (o *options) run(stdin io.Reader, out io.Writer) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("internal error: %v (this is a bug)\n%s", r, debug.Stack())
		}
	}()
	if o.image == "" && plugin.IsTerminal(stdin) {
		return usageError("there is no image: pipe one in, as in `buf build -o - | %s scaffold …`, "+
			"or name its file with --image", Program)
	}
	s, err := o.findService(stdin)
	if err != nil {
		return err
	}
	if o.check {
		return o.runCheck(s, out)
	}
	return o.runCreate(s, out)
}

// findService finds the service and what its kit looks like.
func (o *options) findService(stdin io.Reader) (*service, error) {
	gen, err := readBufGen(o.bufGen)
	if err != nil {
		return nil, err
	}
	img, err := openImage(o.image, stdin)
	if err != nil {
		return nil, err
	}
	file, desc, err := img.service(o.service)
	if err != nil {
		return nil, err
	}
	var parameters []string
	for _, opt := range append(gen.options(Program), o.opts...) {
		parameters = append(parameters, strings.Split(opt, ",")...)
	}
	packages := &goPackages{gen: gen, mapped: mappedPackages(parameters)}
	if err := packages.check(img, file, desc); err != nil {
		return nil, err
	}
	req := img.request(file, strings.Join(parameters, ","), packages.of)
	kit, err := gogen.ServiceKitOf(req, fullName(file.desc.GetPackage(), desc.GetName()))
	if err != nil {
		return nil, err
	}
	return newService(kit, img, packages), nil
}

// runCreate creates what is missing and says what it has done. All that can be
// wrong with the folder is found before the first file is written.
func (o *options) runCreate(s *service, out io.Writer) error {
	target, err := openTarget(o.dir, o.module, s)
	if err != nil {
		return err
	}
	folder, err := readFolder(o.dir, s)
	if err != nil {
		return err
	}
	plan, err := newPlan(target, folder)
	if err != nil {
		return err
	}
	if err := plan.write(o.dir, out); err != nil {
		return err
	}
	if len(plan.files) > 0 {
		for _, step := range target.nextSteps() {
			fmt.Fprintln(out, step)
		}
	}
	return nil
}

// write creates the files.
func (p *plan) write(dir string, out io.Writer) error {
	if len(p.files) > 0 {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return fmt.Errorf("--dir: %w", err)
		}
		w, err := openWriter(dir)
		if err != nil {
			return err
		}
		defer w.close()
		if err := p.create(w, out); err != nil {
			return err
		}
	}
	for _, line := range p.kept {
		fmt.Fprintln(out, line)
	}
	return nil
}

// create creates the files one after the other. A signal that would end the
// process is held back until the file that is being written has been removed: the
// rest is not created then. Before and after, signals act at once.
func (p *plan) create(w *writer, out io.Writer) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	for _, f := range p.files {
		if err := w.create(ctx, f.name, f.content); err != nil {
			return err
		}
		fmt.Fprintf(out, "created %s\n", displayPath(w.dir, f.name))
	}
	return nil
}
