// Package cache keeps the records of a build cache: which there are, which are
// wanted, and which can go.
package cache

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/skaffoldgen/protoc-gen-skaffold/examples/buildkit/internal/filter"
	control "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/buildkit/control"
)

// The types of records that pruning treats in a way of their own.
const (
	typeRegular  = "regular"
	typeInternal = "internal"
	typeFrontend = "frontend"
)

// Cache is a set of records. Its methods may be called by any number of
// goroutines at a time.
type Cache struct {
	mu      sync.Mutex
	records map[string]*record
}

// record is a record and the number of those in the cache that are built on
// it, which alone changes.
type record struct {
	*control.UsageRecord
	children int
}

// New makes a cache of copies of records. A record without a type is regular,
// one without a time of creation is created now; one that is in use or shared
// makes its parents so too. Records that contradict each other are an error.
func New(usage []*control.UsageRecord, now time.Time) (*Cache, error) {
	c := &Cache{records: make(map[string]*record, len(usage))}
	var total int64
	for i, u := range usage {
		if err := check(u); err != nil {
			return nil, fmt.Errorf("record %d, %q: %w", i+1, u.GetID(), err)
		}
		if c.records[u.GetID()] != nil {
			return nil, fmt.Errorf("record %d: there are two with the ID %q", i+1, u.GetID())
		}
		if u.GetSize() > math.MaxInt64-total {
			return nil, fmt.Errorf("record %d, %q: all sizes together are more than an int64 holds", i+1, u.GetID())
		}
		total += u.GetSize()
		c.records[u.GetID()] = &record{UsageRecord: withDefaults(u, now)}
	}
	if err := c.link(); err != nil {
		return nil, err
	}
	return c, nil
}

// check refuses what no cache has.
func check(u *control.UsageRecord) error {
	switch {
	case u.GetID() == "":
		return errors.New("it has no ID")
	case u.GetSize() < 0 || u.GetUsageCount() < 0:
		return errors.New("its Size or its UsageCount is negative")
	//lint:ignore SA1019 it is refused because it is deprecated
	case u.GetParent() != "":
		return errors.New("its Parent is a deprecated field: name the parents in Parents")
	}
	for _, t := range []*timestamppb.Timestamp{u.GetCreatedAt(), u.GetLastUsedAt()} {
		if t != nil && !t.IsValid() {
			return t.CheckValid()
		}
	}
	return nil
}

func withDefaults(u *control.UsageRecord, now time.Time) *control.UsageRecord {
	u = proto.CloneOf(u)
	if u.GetRecordType() == "" {
		u.RecordType = typeRegular
	}
	if u.GetCreatedAt() == nil {
		u.CreatedAt = timestamppb.New(now)
	}
	slices.Sort(u.Parents)
	u.Parents = slices.Compact(u.Parents)
	return u
}

// link counts children, and hands on to parents what children make of them.
func (c *Cache) link() error {
	for _, r := range c.records {
		for _, id := range r.GetParents() {
			p := c.records[id]
			if p == nil {
				return fmt.Errorf("record %q: there is no record %q, which it names as a parent", r.GetID(), id)
			}
			p.children++
		}
	}
	// Children come before their parents: a record is visited when all its
	// children have been.
	left := make(map[string]int, len(c.records))
	var ready []*record
	for id, r := range c.records {
		left[id] = r.children
		if r.children == 0 {
			ready = append(ready, r)
		}
	}
	for ; len(ready) > 0; ready = ready[1:] {
		r := ready[0]
		delete(left, r.GetID())
		for _, id := range r.GetParents() {
			p := c.records[id]
			p.InUse = p.InUse || r.InUse
			p.Shared = p.Shared || r.Shared
			if left[id]--; left[id] == 0 {
				ready = append(ready, p)
			}
		}
	}
	for id := range left {
		return fmt.Errorf("record %q is its own ancestor, or that of one that is", id)
	}
	return nil
}

// Usage returns the records that a filter wants, the oldest first. They are
// shared and must not be changed.
func (c *Cache) Usage(want filter.Filter) []*control.UsageRecord {
	c.mu.Lock()
	records := slices.Collect(maps.Values(c.records))
	c.mu.Unlock()
	var usage []*control.UsageRecord
	for _, r := range records {
		if want.Match(r.field) {
			usage = append(usage, r.UsageRecord)
		}
	}
	slices.SortFunc(usage, func(a, b *control.UsageRecord) int {
		return cmp.Or(
			a.GetCreatedAt().AsTime().Compare(b.GetCreatedAt().AsTime()),
			strings.Compare(a.GetID(), b.GetID()),
		)
	})
	return usage
}

// field is what filters see of a record.
func (r *record) field(path []string) (value string, present bool) {
	switch path[0] {
	case "id":
		return r.GetID(), true
	case "parents":
		return strings.Join(r.GetParents(), ";"), len(r.GetParents()) > 0
	case "description":
		return r.GetDescription(), r.GetDescription() != ""
	case "type":
		return r.GetRecordType(), true
	case "inuse":
		return "", r.GetInUse()
	case "mutable":
		return "", r.GetMutable()
	case "immutable":
		return "", !r.GetMutable()
	case "shared":
		return "", r.GetShared()
	case "private":
		return "", !r.GetShared()
	}
	return "", false
}
