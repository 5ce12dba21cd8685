// Command module writes the request of a large synthetic module to standard
// output, for programs that are not tests of this repository's main module.
//
//	go run ./internal/synth/cmd/module -files 500 -parameter template=html >request
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"os"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/synth"
)

func main() {
	files := flag.Int("files", 500, "files to generate")
	parameter := flag.String("parameter", "", "the plugin's `options`")
	flag.Parse()
	if err := run(os.Stdout, *files, *parameter); err != nil {
		fmt.Fprintln(os.Stderr, "module:", err)
		os.Exit(1)
	}
}

// fieldParameter is the number of CodeGeneratorRequest.parameter.
const fieldParameter = 2

func run(w io.Writer, files int, parameter string) error {
	out := bufio.NewWriter(w)
	if err := synth.WriteModule(out, files); err != nil {
		return err
	}
	field := protowire.AppendString(protowire.AppendTag(nil, fieldParameter, protowire.BytesType), parameter)
	if _, err := out.Write(field); err != nil {
		return err
	}
	return out.Flush()
}
