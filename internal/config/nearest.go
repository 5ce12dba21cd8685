package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/nearest"
)

// didYouMean is what an error ends with: the known name that is closest to a
// wrong one, or nothing where none is close.
func didYouMean(wrong string, known []string) string {
	meant := nearest.Word(wrong, known)
	for _, name := range slices.Sorted(slices.Values(known)) {
		if lastPart(name) == lastPart(wrong) || len(wrong) > 2 && strings.HasPrefix(name, wrong) {
			meant = name
			break
		}
	}
	if meant == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", meant)
}

// lastPart is the last name of a full proto name: the package is what is most
// often forgotten.
func lastPart(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }
