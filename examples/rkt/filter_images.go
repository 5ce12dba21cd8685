package main

import (
	"slices"
	"strings"

	pb "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/rkt/v1alpha"
)

// matchImage tells whether an image satisfies any of the filters; without
// filters every image does.
func matchImage(image *pb.Image, filters []*pb.ImageFilter) bool {
	return len(filters) == 0 ||
		slices.ContainsFunc(filters, func(f *pb.ImageFilter) bool { return imageHasAll(image, f) })
}

// imageHasAll tells whether an image satisfies all rules of a filter. An empty
// rule is none; so is a time of 0.
func imageHasAll(image *pb.Image, f *pb.ImageFilter) bool {
	name, imported := image.GetName(), image.GetImportTimestamp()
	return anyOf(f.GetIds(), func(id string) bool { return id == image.GetId() }) &&
		anyOf(f.GetPrefixes(), func(prefix string) bool { return strings.HasPrefix(name, prefix) }) &&
		anyOf(f.GetBaseNames(), func(base string) bool { return base == baseName(name) }) &&
		anyOf(f.GetKeywords(), func(word string) bool { return strings.Contains(name, word) }) &&
		hasKeyValues(image.GetLabels(), f.GetLabels()) &&
		(f.GetImportedAfter() == 0 || imported > f.GetImportedAfter()) &&
		(f.GetImportedBefore() == 0 || imported < f.GetImportedBefore()) &&
		hasKeyValues(image.GetAnnotations(), f.GetAnnotations()) &&
		anyOf(f.GetFullNames(), func(full string) bool { return full == name })
}

// baseName is the part of an image's name behind its last slash.
func baseName(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }
