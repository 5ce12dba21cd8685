package config

import (
	"fmt"
	"slices"
	"strings"
)

// didYouMean is what an error ends with: the known name that is closest to a
// wrong one, or nothing where none is close.
func didYouMean(wrong string, known []string) string {
	known = slices.Sorted(slices.Values(known))
	best, least := "", max(1, len(wrong)/2)+1
	for _, name := range known {
		if lastPart(name) == lastPart(wrong) || len(wrong) > 2 && strings.HasPrefix(name, wrong) {
			return fmt.Sprintf("; did you mean %q?", name)
		}
		if d := distance(strings.ToLower(wrong), strings.ToLower(name)); d < least {
			best, least = name, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", best)
}

// lastPart is the last name of a full proto name: the package is what is most
// often forgotten.
func lastPart(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

// distance counts the letters to insert, delete or replace to get from a to b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			next := diagonal
			if a[i] != b[j] {
				next = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], next
		}
	}
	return row[len(b)]
}
