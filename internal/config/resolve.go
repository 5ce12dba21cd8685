package config

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// PhaseOf returns the phase of a value; nil if it has none. A single value goes
// before a prefix, and a longer prefix before a shorter one.
func (c *Codes) PhaseOf(value string) *Phase {
	if slices.Contains(c.NoPhase, value) {
		return nil
	}
	var best *Phase
	longest := -1
	for i := range c.Phases {
		p := &c.Phases[i]
		if slices.Contains(p.Values, value) {
			return p
		}
		for _, prefix := range p.Prefixes {
			if len(prefix) > longest && strings.HasPrefix(value, prefix) {
				best, longest = p, len(prefix)
			}
		}
	}
	return best
}

// ClassOf returns the class of a value; nil if it has none. A single value goes
// before a range.
func (c *Codes) ClassOf(value string, number int32) *Class {
	for i := range c.Classes {
		if slices.Contains(c.Classes[i].Values, value) {
			return &c.Classes[i]
		}
	}
	for i := range c.Classes {
		for _, text := range c.Classes[i].Ranges {
			if r, err := parseSpan(text); err == nil && r.first <= number && number <= r.last {
				return &c.Classes[i]
			}
		}
	}
	return c.DefaultClass
}

// span is a range of numbers, both ends included.
type span struct{ first, last int32 }

func (s span) overlaps(t span) bool { return s.first <= t.last && t.first <= s.last }

var spanSyntax = regexp.MustCompile(`^\s*(-?\d+)\s*(?:-\s*(-?\d+)\s*)?$`)

// parseSpan reads 200-250, -5 - -1 or 404.
func parseSpan(text string) (span, error) {
	parts := spanSyntax.FindStringSubmatch(text)
	if parts == nil {
		return span{}, fmt.Errorf("%q is no range of numbers: write it as 200-250", text)
	}
	if parts[2] == "" {
		parts[2] = parts[1]
	}
	first, err := strconv.ParseInt(parts[1], 10, 32)
	if err != nil {
		return span{}, fmt.Errorf("%s in %q is no number of an enum value: they have 32 bits", parts[1], text)
	}
	last, err := strconv.ParseInt(parts[2], 10, 32)
	if err != nil {
		return span{}, fmt.Errorf("%s in %q is no number of an enum value: they have 32 bits", parts[2], text)
	}
	if first > last {
		return span{}, fmt.Errorf("the range %q ends before it begins: write %d-%d", text, last, first)
	}
	return span{int32(first), int32(last)}, nil
}

// grpcCodes are the names of google.rpc.Code in the order of their numbers.
var grpcCodes = []string{
	"OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS",
	"PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE",
	"UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED",
}
