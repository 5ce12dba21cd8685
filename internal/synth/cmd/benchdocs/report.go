package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"text/tabwriter"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/pluginpb"
)

// compare reads the outputs, notes their sizes and returns an error for each
// pair that should be equal and is not.
func (b *bench) compare(results []result) []error {
	var differences []error
	for i := range results {
		r := &results[i]
		t := b.templates[r.template]
		var texts [2][]byte
		var err error
		for p := range b.programs {
			if texts[p], err = readOutput(r.output[p]); err != nil {
				differences = append(differences, fmt.Errorf("%s, %d files, %s: %w", b.programs[p].name, r.files, t.name, err))
				break
			}
			r.size[p] = int64(len(texts[p]))
		}
		if err != nil || !t.same {
			continue
		}
		if d := firstDifference(texts[0], texts[1]); d != "" {
			differences = append(differences, fmt.Errorf("%d files, %s: the outputs differ %s", r.files, t.name, d))
		}
	}
	return differences
}

// readOutput returns the text of the one file in a response.
func readOutput(path string) ([]byte, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var response pluginpb.CodeGeneratorResponse
	if err := proto.Unmarshal(data, &response); err != nil {
		return nil, err
	}
	if response.Error != nil {
		return nil, fmt.Errorf("the plugin answers: %s", response.GetError())
	}
	if len(response.File) != 1 {
		return nil, fmt.Errorf("%d files in the response, want one", len(response.File))
	}
	return []byte(response.File[0].GetContent()), nil
}

// firstDifference says where two texts part, "" if they are equal.
func firstDifference(ours, theirs []byte) string {
	if bytes.Equal(ours, theirs) {
		return ""
	}
	at := 0
	for at < len(ours) && at < len(theirs) && ours[at] == theirs[at] {
		at++
	}
	line := 1 + bytes.Count(ours[:at], []byte("\n"))
	return fmt.Sprintf("at byte %d, line %d\n  ours   %q\n  theirs %q", at, line, around(ours, at), around(theirs, at))
}

// around cuts out the text near an offset.
func around(text []byte, at int) []byte {
	return text[max(0, at-40):min(len(text), at+60)]
}

// report prints one table: a line for each request and template.
func (b *bench) report(out io.Writer, results []result) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "\t\t\toutput\t\twall time\t\t\tCPU time\t\t\tpeak memory\t\t\tallocated\t\t\twall time per file\t\t")
	pair := b.programs[0].name + "\t" + b.programs[1].name + "\t"
	fmt.Fprint(w, "files\trequest\ttemplate\t"+pair)
	for range 4 {
		fmt.Fprint(w, pair+"ratio\t")
	}
	fmt.Fprintln(w, pair)
	for _, r := range results {
		ours, theirs := r.best[0], r.best[1]
		fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%s\t", r.files, megabytes(r.request), b.templates[r.template].name, megabytes(r.size[0]), megabytes(r.size[1]))
		fmt.Fprintf(w, "%s\t%s\t%s\t", seconds(ours.wall), seconds(theirs.wall), ratio(ours.wall, theirs.wall))
		fmt.Fprintf(w, "%s\t%s\t%s\t", seconds(ours.cpu), seconds(theirs.cpu), ratio(ours.cpu, theirs.cpu))
		fmt.Fprintf(w, "%s\t%s\t%s\t", megabytes(ours.peak), megabytes(theirs.peak), ratio(ours.peak, theirs.peak))
		fmt.Fprintf(w, "%s\t%s\t%s\t", megabytes(r.made[0]), megabytes(r.made[1]), ratio(r.made[0], r.made[1]))
		fmt.Fprintf(w, "%s\t%s\t\n", perFile(ours.wall, r.files), perFile(theirs.wall, r.files))
	}
	return w.Flush()
}

func megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }

func seconds(d time.Duration) string { return fmt.Sprintf("%.2f s", d.Seconds()) }

func perFile(d time.Duration, files int) string {
	return fmt.Sprintf("%.0f µs", float64(d.Microseconds())/float64(files))
}

// ratio is ours to theirs: below one is better than they are.
func ratio[N ~int64](ours, theirs N) string {
	if theirs == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", float64(ours)/float64(theirs))
}
