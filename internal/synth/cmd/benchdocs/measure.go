package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/synth"
)

// bench runs the programs in a directory of its own.
type bench struct {
	config
	dir string
}

// result is what was measured for one request and one template.
type result struct {
	files    int
	template int // index into config.templates
	request  int64
	output   [2]string // paths of the responses
	size     [2]int64  // of the text in the responses
	best     [2]sample // by program
	made     [2]int64  // bytes allocated, by program
}

// sample is the cost of one process.
type sample struct {
	wall, cpu time.Duration
	peak      int64 // bytes
}

// measure runs everything. It keeps its own memory small on purpose: on Linux
// a child's peak starts at that of its parent, so the request goes to the
// child as a file and its output into one, neither through this process.
func (b *bench) measure() ([]result, error) {
	var results []result
	for _, files := range b.sizes {
		request := filepath.Join(b.dir, fmt.Sprintf("request-%d", files))
		size, err := writeRequest(request, files)
		if err != nil {
			return nil, err
		}
		for t := range b.templates {
			r := result{files: files, template: t, request: size}
			if err := setParameter(request, size, b.templates[t].parameter); err != nil {
				return nil, err
			}
			if err := b.measureOne(request, &r); err != nil {
				return nil, err
			}
			results = append(results, r)
		}
		if err := os.Remove(request); err != nil {
			return nil, err
		}
	}
	return results, nil
}

// measureOne runs both programs in turn, so that a slow moment of the machine
// meets both, each first every other time, so that neither gains by its place.
// It keeps the fastest run of each.
func (b *bench) measureOne(request string, r *result) error {
	for i := range b.runs {
		for turn := range b.programs {
			p := (i + turn) % len(b.programs)
			r.output[p] = filepath.Join(b.dir, fmt.Sprintf("%s-%d-%s", b.programs[p].name, r.files, b.templates[r.template].name))
			s, _, err := b.runProcess(b.programs[p], request, r.output[p])
			if err != nil {
				return fmt.Errorf("%s, %d files, %s: %w", b.programs[p].name, r.files, b.templates[r.template].name, err)
			}
			if i == 0 || s.wall < r.best[p].wall {
				r.best[p] = s
			}
		}
	}
	// One more run each, whose time does not count: the trace costs some.
	for p := range b.programs {
		_, trace, err := b.runProcess(b.programs[p], request, r.output[p], "GODEBUG=gctrace=1")
		if err != nil {
			return err
		}
		r.made[p] = allocated(trace)
	}
	return nil
}

// heapSizes are a collection's heap sizes in the runtime's trace, in MB: when it
// began, when it ended, and what was live then.
var heapSizes = regexp.MustCompile(`(?m)^gc \d+ .* (\d+)->(\d+)->(\d+) MB`)

// allocated adds up what was allocated between the collections of a trace. It
// leaves out what came after the last one, and is exact to 1 MB for each.
func allocated(trace []byte) int64 {
	var total, live int64
	for _, m := range heapSizes.FindAllSubmatch(trace, -1) {
		var size [3]int64
		for i := range size {
			size[i], _ = strconv.ParseInt(string(m[i+1]), 10, 64) // digits, by the pattern
		}
		total += size[1] - live
		live = size[2]
	}
	return total << 20
}

// runProcess runs a plugin once, from a file into a file, and returns its cost
// and what it wrote on standard error.
func (b *bench) runProcess(p program, request, output string, env ...string) (sample, []byte, error) {
	in, err := os.Open(request)
	if err != nil {
		return sample{}, nil, err
	}
	defer in.Close()
	out, err := os.Create(output)
	if err != nil {
		return sample{}, nil, err
	}
	defer out.Close()
	var stderr bytes.Buffer
	cmd := exec.Command(p.path)
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = b.dir, in, out, &stderr
	cmd.Env = append(append(os.Environ(), p.env...), env...)
	start := time.Now()
	err = cmd.Run()
	wall := time.Since(start)
	if err != nil {
		return sample{}, nil, fmt.Errorf("%w\n%s", err, stderr.Bytes())
	}
	s := sample{wall: wall, cpu: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		s.peak = usage.Maxrss
		if runtime.GOOS != "darwin" { // there it is in bytes already
			s.peak *= 1024
		}
	}
	return s, stderr.Bytes(), out.Close()
}

// writeRequest writes a request without a parameter and returns its size.
func writeRequest(path string, files int) (int64, error) {
	f, err := os.Create(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	if err := synth.WriteModule(f, files); err != nil {
		return 0, err
	}
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), f.Close()
}

// setParameter replaces what stands behind the first size bytes of a request
// by the parameter: fields of a message may come in any order, so the large
// part need not be written again.
func setParameter(path string, size int64, parameter string) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Truncate(size); err != nil {
		return err
	}
	field := protowire.AppendTag(nil, 2, protowire.BytesType)
	field = protowire.AppendString(field, parameter)
	if _, err := f.WriteAt(field, size); err != nil {
		return err
	}
	return f.Close()
}
