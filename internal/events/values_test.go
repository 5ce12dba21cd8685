package events_test

import (
	"slices"
	"testing"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/events"
)

func TestDocumented(t *testing.T) {
	for _, c := range []struct {
		comment string
		want    []string
	}{
		{"", nil},
		{"artifact name", nil},
		{" status oneof: InProgress, Completed, Failed", []string{"InProgress", "Completed", "Failed"}},
		{"status oneof: Completed or Failed", []string{"Completed", "Failed"}},
		{"dev loop status oneof: In Progress, Completed, Failed\n", []string{"In Progress", "Completed", "Failed"}},
		{"status of file sync. one of: Not Started, In progress, Succeeded, Failed.", []string{"Not Started", "In progress", "Succeeded", "Failed"}},
		{`Status could be one of "InProgress", "Completed" or "Failed".`, []string{"InProgress", "Completed", "Failed"}},
		{`one of "A", "B", or "C"; more`, []string{"A", "B", "C"}},
		{"can be: <br>\n - `\"Not started\"`: not yet started <br>\n - `\"Complete\"`: build succeeded\n", []string{"Not started", "Complete"}},
		{"The state can be <br>\n - `a`\n - `b`\n\n - `c`", []string{"a", "b"}},
		{"can be `on` or `off`.", []string{"on", "off"}},
		{"One of: “left” and “right”", []string{"left", "right"}},
		{"one of: 'x'|'y'", []string{"x", "y"}},
		{"Should be one of [maven, gradle]", nil},
		{"one of: [maven, gradle].", []string{"maven", "gradle"}},
		{"one of: linux/amd64, linux/arm64", []string{"linux/amd64", "linux/arm64"}},
		{"one of: a,\nb,\nc\nand this goes on", []string{"a", "b", "c"}},
		{"one of: order, ornament or android", []string{"order", "ornament", "android"}},
		{"one of: a, a", nil},
		{"oneof: A, A, B", []string{"A", "B"}},
		{"Can be:\n- Started: it runs\n- Failed: it broke", []string{"Started", "Failed"}},
		{"Can be: <br>\n * In Progress: it runs: on <br>\n   and on\n * Failed: it broke\n\n - Not: this", []string{"In Progress", "Failed"}},
		{"Can be:\n- Started: it runs\n- Failed", nil},
		{"Can be:\n- what the user says: any word\n- or nothing at all then: none", nil},
		// What is no list of values:
		{"the actual event that is one of", nil},
		{"It is one of MetaEvent, BuildEvent, or PortEvent.", nil},
		{`resource type e.g. "pod", "service".`, nil},
		{"one of: whatever the user happens to want, or else nothing", nil},
		{"one of: A", nil},
		{"This is one of the things, as they say.", nil},
		{`can be "a"`, nil},
		{"Someone of: a, b", nil},
		{"one of: a, b and then some more words follow", nil},
	} {
		if got := events.Documented(c.comment); !slices.Equal(got, c.want) {
			t.Errorf("%q lists %q, want %q", c.comment, got, c.want)
		}
	}
}

func FuzzDocumented(f *testing.F) {
	f.Add("one of: a, b")
	f.Add("can be:\n - `\"x\"`: y\n - `z`")
	f.Fuzz(func(t *testing.T, comment string) {
		values := events.Documented(comment)
		if len(values) == 1 {
			t.Errorf("a list of one: %q", values)
		}
		if len(slices.Compact(slices.Sorted(slices.Values(values)))) != len(values) {
			t.Errorf("a value twice: %q", values)
		}
	})
}
