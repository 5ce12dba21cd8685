package cache

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/skaffoldgen/protoc-gen-skaffold/examples/buildkit/internal/filter"
	control "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/buildkit/control"
)

// PruneOptions say which records may go. The zero value lets go all that are
// not in use, shared, internal or a frontend's.
type PruneOptions struct {
	// Filter is for the records that may go.
	Filter filter.Filter
	// All lets shared, internal and frontends' records go too.
	All bool
	// KeepDuration keeps the records that were used during this time; 0 keeps
	// none.
	KeepDuration time.Duration
	// KeepBytes ends pruning as soon as all records that are not shared have
	// fewer bytes together; the least valuable record goes first. 0: all that
	// may go, go.
	KeepBytes int64
}

// Prune removes records, and calls removed for each. A record that others are
// built on goes only after these. If removed fails or the context ends, Prune
// returns that error; what is not yet removed stays. It may run several times
// at once.
func (c *Cache) Prune(ctx context.Context, opts PruneOptions, removed func(*control.UsageRecord) error) error {
	usedAfter := time.Now().Add(-opts.KeepDuration)
	for {
		batch := c.take(opts, usedAfter)
		if len(batch) == 0 {
			return nil
		}
		for _, r := range batch {
			if err := removed(r.UsageRecord); err != nil {
				return err
			}
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
}

// take removes the records that can go now, and returns them; if bytes are to
// be kept, it is one record at a time. Removing them may make others such ones.
func (c *Cache) take(opts PruneOptions, usedAfter time.Time) []*record {
	c.mu.Lock()
	defer c.mu.Unlock()
	if opts.KeepBytes > 0 && c.privateBytes() < opts.KeepBytes {
		return nil
	}
	var batch []*record
	for _, r := range c.records {
		if r.prunable(opts, usedAfter) {
			batch = append(batch, r)
		}
	}
	sortByValue(batch)
	if opts.KeepBytes > 0 && len(batch) > 1 {
		batch = batch[:1]
	}
	for _, r := range batch {
		delete(c.records, r.GetID())
		for _, id := range r.GetParents() {
			c.records[id].children--
		}
	}
	return batch
}

func (c *Cache) privateBytes() int64 {
	var total int64
	for _, r := range c.records {
		if !r.GetShared() {
			total += r.GetSize()
		}
	}
	return total
}

func (r *record) prunable(opts PruneOptions, usedAfter time.Time) bool {
	if r.GetInUse() || r.children > 0 {
		return false
	}
	special := r.GetShared() || r.GetRecordType() == typeInternal || r.GetRecordType() == typeFrontend
	if special && !opts.All {
		return false
	}
	if used := r.GetLastUsedAt(); opts.KeepDuration > 0 && used != nil && used.AsTime().After(usedAfter) {
		return false
	}
	return opts.Filter.Match(r.field)
}

// sortByValue puts first what is used least. The value of a record is its rank
// by last use plus its rank by count of uses, each as a part of the highest;
// equals have the same rank, and never used is the lowest. Among records of one
// value, the one used longest ago is first.
func sortByValue(records []*record) {
	byLastUse := func(a, b *record) int {
		return a.GetLastUsedAt().AsTime().Compare(b.GetLastUsedAt().AsTime())
	}
	byCount := func(a, b *record) int { return cmp.Compare(a.GetUsageCount(), b.GetUsageCount()) }
	never := func(r *record) bool { return r.GetLastUsedAt() == nil }
	unused := func(r *record) bool { return r.GetUsageCount() == 0 }

	value := make(map[*record]float64, len(records))
	addRanks(value, records, byLastUse, never)
	addRanks(value, records, byCount, unused)
	slices.SortFunc(records, func(a, b *record) int {
		return cmp.Or(
			cmp.Compare(value[a], value[b]),
			byLastUse(a, b),
			strings.Compare(a.GetID(), b.GetID()),
		)
	})
}

// addRanks adds ranks from 0 to 1 to values. Records that are lowest have 0; the
// others count from 1, before they are divided by the highest.
func addRanks(value map[*record]float64, records []*record, by func(a, b *record) int, lowest func(*record) bool) {
	sorted := slices.DeleteFunc(slices.Clone(records), lowest)
	slices.SortFunc(sorted, by)
	rank := make([]int, len(sorted))
	highest := 0
	for i := range sorted {
		if i == 0 || by(sorted[i-1], sorted[i]) != 0 {
			highest++
		}
		rank[i] = highest
	}
	for i, r := range sorted {
		value[r] += float64(rank[i]) / float64(highest)
	}
}
