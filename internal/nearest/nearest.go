// Package nearest finds what a misspelt word was probably meant to be.
package nearest

import (
	"slices"
	"strings"
)

// Word returns the known word that comes closest to a wrong one, whatever its
// case: by fewer than half of its letters. It is empty where none is that close.
// Of several the first in alphabetical order is meant.
func Word(wrong string, known []string) string {
	best, least := "", max(1, len(wrong)/2)+1
	for _, word := range slices.Sorted(slices.Values(known)) {
		if d := distance(strings.ToLower(wrong), strings.ToLower(word)); d < least {
			best, least = word, d
		}
	}
	return best
}

// distance counts the bytes to insert, delete or replace to get from a to b
// (Levenshtein).
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
