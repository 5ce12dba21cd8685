package main

import (
	"slices"
	"strings"

	pb "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/rkt/v1alpha"
)

// matchPod tells whether a pod satisfies any of the filters; without filters
// every pod does.
func matchPod(pod *pb.Pod, filters []*pb.PodFilter) bool {
	return len(filters) == 0 || slices.ContainsFunc(filters, func(f *pb.PodFilter) bool { return podHasAll(pod, f) })
}

// podHasAll tells whether a pod satisfies all rules of a filter. An empty rule
// is none.
func podHasAll(pod *pb.Pod, f *pb.PodFilter) bool {
	return anyOf(f.GetIds(), func(id string) bool { return samePod(pod.GetId(), id) }) &&
		anyOf(f.GetStates(), func(s pb.PodState) bool { return s == pod.GetState() }) &&
		allOf(f.GetAppNames(), func(name string) bool {
			return slices.ContainsFunc(pod.GetApps(), func(a *pb.App) bool { return a.GetName() == name })
		}) &&
		allOf(f.GetImageIds(), func(id string) bool {
			return slices.ContainsFunc(pod.GetApps(), func(a *pb.App) bool { return a.GetImage().GetId() == id })
		}) &&
		allOf(f.GetNetworkNames(), func(name string) bool {
			return slices.ContainsFunc(pod.GetNetworks(), func(n *pb.Network) bool { return n.GetName() == name })
		}) &&
		hasKeyValues(pod.GetAnnotations(), f.GetAnnotations()) &&
		anyOf(f.GetCgroups(), func(c string) bool { return c == pod.GetCgroup() }) &&
		anyOf(f.GetPodSubCgroups(), func(sub string) bool {
			// The pod's cgroup is the prefix of what is asked for, not the other
			// way round. A pod that is not running has none.
			return pod.GetCgroup() != "" && strings.HasPrefix(sub, pod.GetCgroup())
		})
}

// samePod tells whether an id in a request is the id of a pod, however it is
// written.
func samePod(id, asked string) bool {
	switch len(asked) {
	case len(id):
		return strings.EqualFold(id, asked)
	case len(id) - 4: // without dashes
		return strings.EqualFold(strings.ReplaceAll(id, "-", ""), asked)
	}
	return false
}

// anyOf is a rule of which one value has to match; there may be no rule.
func anyOf[T any](rule []T, match func(T) bool) bool {
	return len(rule) == 0 || slices.ContainsFunc(rule, match)
}

// allOf is a rule of which all values have to match.
func allOf[T any](rule []T, match func(T) bool) bool {
	return !slices.ContainsFunc(rule, func(v T) bool { return !match(v) })
}

// hasKeyValues tells whether all pairs of a rule are among those of a subject.
func hasKeyValues(have, rule []*pb.KeyValue) bool {
	return allOf(rule, func(want *pb.KeyValue) bool {
		return slices.ContainsFunc(have, func(kv *pb.KeyValue) bool {
			return kv.GetKey() == want.GetKey() && kv.GetValue() == want.GetValue()
		})
	})
}
