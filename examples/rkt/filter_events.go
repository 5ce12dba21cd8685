package main

import (
	"slices"

	pb "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/rkt/v1alpha"

	"github.com/skaffoldgen/protoc-gen-skaffold/examples/rkt/store"
)

// matchEvent tells whether an event satisfies all rules of a filter. An empty
// rule is none.
func matchEvent(o store.Occurrence, f *pb.EventFilter) bool {
	e := o.Event
	return anyOf(f.GetTypes(), func(t pb.EventType) bool { return t == e.GetType() }) &&
		anyOf(f.GetIds(), func(id string) bool { return samePod(e.GetId(), id) }) &&
		(len(f.GetNames()) == 0 || slices.Contains(f.GetNames(), e.GetFrom())) &&
		window{f.GetSinceTime(), f.GetUntilTime()}.contains(o.At)
}
