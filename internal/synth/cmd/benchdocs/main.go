// Command benchdocs compares two documentation plugins as whole processes:
// wall time, CPU time and peak memory for a large synthetic request, with a
// template of a user's own and with the built-in Markdown.
//
//	go run ./internal/synth/cmd/benchdocs -ours PATH -theirs PATH -sizes 500,5000
//
// Both programs get the same bytes. With the user's template they must print
// the same bytes too: where they do not, benchdocs shows the first difference
// and fails.
//
// Without -theirs our built-in formats are compared with a process that reads
// and unmarshals the request and does nothing else.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/pluginpb"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/synth"
)

func main() {
	if os.Getenv(readOnly) != "" {
		if err := readRequest(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, "benchdocs:", err)
			os.Exit(1)
		}
		return
	}
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "benchdocs:", err)
		os.Exit(1)
	}
}

// config is what the command line asks for.
type config struct {
	programs  [2]program
	templates []template
	sizes     []int
	runs      int
}

// program is one of the two plugins.
type program struct {
	name, path string
	env        []string
}

// template is what both programs print. The name of the user's template is that
// of a file in the directory in which the programs run.
type template struct {
	name, parameter string
	same            bool // whether the two outputs must be equal
}

var (
	// compared are what we and another plugin print.
	compared = []template{
		{"reference", "reference.tmpl,out.md", true},
		{"markdown", "markdown,out.md", false},
	}
	// builtin are what we print while another process only reads.
	builtin = []template{
		{"markdown", "template=markdown,output=out.md", false},
		{"html", "template=html,output=out.html", false},
		{"json", "template=json,output=out.json", false},
		{"docbook", "template=docbook,output=out.xml", false},
	}
)

// readOnly makes benchdocs a plugin that reads its request.
const readOnly = "BENCHDOCS_READ_ONLY"

// readRequest is all that such a plugin does.
func readRequest(in io.Reader, out io.Writer) error {
	data, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	if err := proto.Unmarshal(data, new(pluginpb.CodeGeneratorRequest)); err != nil {
		return err
	}
	response, err := proto.Marshal(&pluginpb.CodeGeneratorResponse{
		File: []*pluginpb.CodeGeneratorResponse_File{{Name: proto.String("nothing")}},
	})
	if err != nil {
		return err
	}
	_, err = out.Write(response)
	return err
}

func parseFlags(args []string) (config, error) {
	flags := flag.NewFlagSet("benchdocs", flag.ContinueOnError)
	ours := flags.String("ours", "", "`path` of our plugin")
	theirs := flags.String("theirs", "", "`path` of the plugin to compare with; without it, a process that only reads")
	files := flags.Int("files", 5000, "files to generate")
	sizes := flags.String("sizes", "", "comma-separated `list` of numbers of files to generate, instead of -files")
	runs := flags.Int("runs", 3, "runs of each process; the fastest counts")
	if err := flags.Parse(args); err != nil {
		return config{}, err
	}
	if *ours == "" {
		return config{}, errors.New("need -ours")
	}
	if *runs < 1 {
		return config{}, errors.New("need at least one run")
	}
	c := config{runs: *runs, templates: compared}
	other := program{name: "theirs", path: *theirs}
	var err error
	if *theirs == "" {
		c.templates, other.name, other.env = builtin, "read", []string{readOnly + "=1"}
		if other.path, err = os.Executable(); err != nil {
			return config{}, err
		}
	}
	if *sizes == "" {
		*sizes = strconv.Itoa(*files)
	}
	if c.sizes, err = parseSizes(*sizes); err != nil {
		return config{}, err
	}
	for i, p := range []program{{name: "ours", path: *ours}, other} {
		// The programs run in another directory.
		if p.path, err = filepath.Abs(p.path); err != nil {
			return config{}, err
		}
		c.programs[i] = p
	}
	return c, nil
}

func parseSizes(list string) ([]int, error) {
	var sizes []int
	for s := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(s))
		if err != nil || n < 1 {
			return nil, fmt.Errorf("-sizes: %q is not a number of files", s)
		}
		sizes = append(sizes, n)
	}
	return sizes, nil
}

func run(args []string, out io.Writer) error {
	c, err := parseFlags(args)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "benchdocs")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "reference.tmpl"), synth.Template("reference"), 0o600); err != nil {
		return err
	}
	b := &bench{config: c, dir: dir}
	results, err := b.measure()
	if err != nil {
		return err
	}
	// Reading the outputs takes memory, and a child starts with the peak of its
	// parent: compare after everything is measured.
	differences := b.compare(results)
	if err := b.report(out, results); err != nil {
		return err
	}
	return errors.Join(differences...)
}
