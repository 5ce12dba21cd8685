package cache_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/skaffoldgen/protoc-gen-skaffold/examples/buildkit/internal/cache"
	"github.com/skaffoldgen/protoc-gen-skaffold/examples/buildkit/internal/filter"
	control "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/buildkit/control"
)

var now = time.Now()

// rec makes a record of 10 bytes that was used some hours ago, so many times.
func rec(id string, hoursAgo int, uses int64, change ...func(*control.UsageRecord)) *control.UsageRecord {
	r := &control.UsageRecord{ID: id, Size: 10, UsageCount: uses, CreatedAt: timestamppb.New(now)}
	if uses > 0 {
		r.LastUsedAt = timestamppb.New(now.Add(-time.Duration(hoursAgo) * time.Hour))
	}
	for _, f := range change {
		f(r)
	}
	return r
}

func inUse(r *control.UsageRecord)   { r.InUse = true }
func shared(r *control.UsageRecord)  { r.Shared = true }
func mutable(r *control.UsageRecord) { r.Mutable = true }

func size(n int64) func(*control.UsageRecord) {
	return func(r *control.UsageRecord) { r.Size = n }
}

func kind(s string) func(*control.UsageRecord) {
	return func(r *control.UsageRecord) { r.RecordType = s }
}

func on(parents ...string) func(*control.UsageRecord) {
	return func(r *control.UsageRecord) { r.Parents = parents }
}

func text(s string) func(*control.UsageRecord) {
	return func(r *control.UsageRecord) { r.Description = s }
}

func list(records ...*control.UsageRecord) []*control.UsageRecord { return records }

func newCache(t *testing.T, records []*control.UsageRecord) *cache.Cache {
	t.Helper()
	c, err := cache.New(records, now)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func parse(t *testing.T, filters ...string) filter.Filter {
	t.Helper()
	f, err := filter.Parse(filters...)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// ids are the IDs of records, in order, with spaces between.
func ids(records []*control.UsageRecord) string {
	var all []string
	for _, r := range records {
		all = append(all, r.GetID())
	}
	return strings.Join(all, " ")
}

func prune(t *testing.T, c *cache.Cache, opts cache.PruneOptions) []*control.UsageRecord {
	t.Helper()
	var removed []*control.UsageRecord
	if err := c.Prune(t.Context(), opts, func(r *control.UsageRecord) error {
		removed = append(removed, r)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return removed
}

func TestPrune(t *testing.T) {
	special := list(
		rec("frontend", 9, 1, kind("frontend")),
		rec("internal", 8, 1, kind("internal")),
		rec("mount", 7, 1, kind("exec.cachemount"), mutable),
		rec("regular", 6, 1),
		rec("shared", 5, 1, shared),
		rec("used", 4, 1, inUse),
	)
	chain := list(
		rec("base", 9, 1), rec("middle", 8, 1, on("base")), rec("top", 7, 1, on("middle")),
		rec("other", 6, 1, on("base")),
	)
	uses := list(
		rec("often", 1, 9), rec("once", 1, 1), rec("long ago", 9, 9), rec("never", 0, 0),
	)
	for _, test := range []struct {
		name    string
		records []*control.UsageRecord
		opts    cache.PruneOptions
		want    string // in the order of removal
	}{
		{"nothing there", nil, cache.PruneOptions{All: true, KeepBytes: 1}, ""},
		{"what may go", special, cache.PruneOptions{}, "mount regular"},
		{"all", special, cache.PruneOptions{All: true}, "frontend internal mount regular shared"},

		{"by type", special, cache.PruneOptions{Filter: parse(t, "type==regular")}, "regular"},
		{"a type that needs all", special, cache.PruneOptions{Filter: parse(t, "type==internal")}, ""},
		{"all of a type", special, cache.PruneOptions{All: true, Filter: parse(t, "type==internal")}, "internal"},
		{"filters are alternatives", special,
			cache.PruneOptions{Filter: parse(t, "id==mount", "id==regular")}, "mount regular"},
		{"selectors are not", special, cache.PruneOptions{Filter: parse(t, "mutable,type==regular")}, ""},
		{"mutable", special, cache.PruneOptions{Filter: parse(t, "mutable")}, "mount"},
		{"immutable", special, cache.PruneOptions{Filter: parse(t, "immutable")}, "regular"},
		{"shared", special, cache.PruneOptions{All: true, Filter: parse(t, "shared")}, "shared"},
		{"private", special, cache.PruneOptions{All: true, Filter: parse(t, "private,type~=r")},
			"frontend internal regular"},
		{"in use", special, cache.PruneOptions{All: true, Filter: parse(t, "inuse")}, ""},

		{"children first", chain, cache.PruneOptions{}, "top other middle base"},
		{"a child that does not match keeps its parents", chain,
			cache.PruneOptions{Filter: parse(t, "id!=top")}, "other"},
		{"a child in use keeps its parents", list(rec("base", 3, 1), rec("top", 2, 1, on("base"), inUse), rec("x", 1, 1)),
			cache.PruneOptions{All: true}, "x"},
		{"parents of shared records are shared",
			list(rec("base", 3, 1), rec("top", 2, 1, on("base"), shared), rec("x", 1, 1)),
			cache.PruneOptions{}, "x"},
		{"by parents", chain, cache.PruneOptions{Filter: parse(t, "parents==base")}, "other"},
		{"two parents", list(rec("a", 3, 1), rec("b", 2, 1), rec("merged", 1, 1, on("b", "a", "b"))),
			cache.PruneOptions{}, "merged a b"},

		{"older than", special, cache.PruneOptions{All: true, KeepDuration: 6*time.Hour + time.Minute},
			"frontend internal mount"},
		{"never used is old", uses, cache.PruneOptions{KeepDuration: 5 * time.Hour}, "never long ago"},

		{"never used is older than everything", uses, cache.PruneOptions{KeepDuration: 100 * 365 * 24 * time.Hour},
			"never"},
		{"least valuable first", uses, cache.PruneOptions{}, "never long ago once often"},
		{"enough room", uses, cache.PruneOptions{KeepBytes: 41}, ""},
		{"room for less than what is there", uses, cache.PruneOptions{KeepBytes: 40}, "never"},
		{"room for half", uses, cache.PruneOptions{KeepBytes: 25}, "never long ago"},
		{"no room", uses, cache.PruneOptions{KeepBytes: 1}, "never long ago once often"},
		{"room, by filter", uses, cache.PruneOptions{KeepBytes: 25, Filter: parse(t, "id~=o")}, "long ago once"},
		{"room and time", uses, cache.PruneOptions{KeepBytes: 1, KeepDuration: 5 * time.Hour}, "never long ago"},
		{"room and children", chain, cache.PruneOptions{KeepBytes: 11}, "top middle other"},
		{"shared records take no room", list(rec("s", 2, 1, shared, size(1000)), rec("a", 1, 1)),
			cache.PruneOptions{KeepBytes: 11, All: true}, ""},
		{"removed shared records make no room",
			list(rec("s", 9, 1, shared, size(1000)), rec("a", 2, 1), rec("b", 1, 1)),
			cache.PruneOptions{KeepBytes: 11, All: true}, "s a"},
		{"last use and number of uses", list(rec("a", 1, 1), rec("b", 2, 9), rec("c", 3, 9)),
			cache.PruneOptions{}, "c a b"},
		{"ranks are those of what is left", list(rec("a", 1, 1), rec("b", 2, 9), rec("c", 3, 9)),
			cache.PruneOptions{KeepBytes: 1}, "c b a"},
		{"equal value: the one used longest ago", list(rec("new", 1, 1), rec("old", 5, 2), rec("mid", 3, 1)),
			cache.PruneOptions{KeepBytes: 21}, "mid"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := newCache(t, test.records)
			removed := prune(t, c, test.opts)
			if got := ids(removed); got != test.want {
				t.Errorf("removed %q, want %q", got, test.want)
			}
			left := len(test.records) - len(removed)
			if got := c.Usage(filter.Filter{}); len(got) != left {
				t.Errorf("%q are left, want %d records", ids(got), left)
			}
			if again := prune(t, c, test.opts); len(again) > 0 {
				t.Errorf("pruning again removes %q", ids(again))
			}
		})
	}
}

// TestPruneAgain prunes what only became removable by other removals.
func TestPruneAgain(t *testing.T) {
	c := newCache(t, list(rec("base", 3, 1), rec("top", 2, 1, on("base"))))
	if got := ids(prune(t, c, cache.PruneOptions{Filter: parse(t, "id==base")})); got != "" {
		t.Errorf("removed %q, which others are built on", got)
	}
	if got := ids(prune(t, c, cache.PruneOptions{Filter: parse(t, "id==top")})); got != "top" {
		t.Errorf("removed %q, want top", got)
	}
	if got := ids(prune(t, c, cache.PruneOptions{Filter: parse(t, "id==base")})); got != "base" {
		t.Errorf("removed %q, want base", got)
	}
}

func TestPruneEndsEarly(t *testing.T) {
	records := list(rec("a", 3, 1), rec("b", 2, 1), rec("c", 1, 1))
	opts := cache.PruneOptions{KeepBytes: 1}

	c, gone := newCache(t, records), errors.New("gone")
	if err := c.Prune(t.Context(), opts, func(*control.UsageRecord) error { return gone }); err != gone {
		t.Errorf("the error is %v, want that of the receiver", err)
	}
	if got := ids(c.Usage(filter.Filter{})); got != "b c" {
		t.Errorf("%q are left, want all but the one that was removed", got)
	}

	c = newCache(t, records)
	ctx, cancel := context.WithCancelCause(t.Context())
	err := c.Prune(ctx, opts, func(*control.UsageRecord) error { cancel(gone); return nil })
	if err != gone {
		t.Errorf("the error is %v, want the context's cause", err)
	}
	if got := ids(c.Usage(filter.Filter{})); got != "b c" {
		t.Errorf("%q are left, want all but the one that was removed", got)
	}
}

// TestPruneConcurrently removes each record once, children before parents,
// however many prune and look.
func TestPruneConcurrently(t *testing.T) {
	const chains, length, pruners = 20, 10, 4
	var records []*control.UsageRecord
	name := func(chain, i int) string { return strconv.Itoa(chain) + "." + strconv.Itoa(i) }
	for chain := range chains {
		for i := range length {
			r := rec(name(chain, i), 1, 1)
			if i > 0 {
				r.Parents = []string{name(chain, i-1)}
			}
			records = append(records, r)
		}
	}
	c := newCache(t, records)
	removed := make([][]*control.UsageRecord, pruners)
	var wg sync.WaitGroup
	for i := range pruners {
		wg.Go(func() {
			if err := c.Prune(t.Context(), cache.PruneOptions{KeepBytes: 1}, func(r *control.UsageRecord) error {
				removed[i] = append(removed[i], r)
				return nil
			}); err != nil {
				t.Error(err)
			}
		})
		wg.Go(func() { checkWhole(t, c.Usage(filter.Filter{})) })
	}
	wg.Wait()
	all := slices.Concat(removed...)
	if len(all) != chains*length {
		t.Errorf("%d records were removed, of %d", len(all), chains*length)
	}
	seen := map[string]bool{}
	for _, r := range all {
		if seen[r.GetID()] {
			t.Errorf("%s was removed twice", r.GetID())
		}
		seen[r.GetID()] = true
	}
}

// checkWhole checks that no record has lost a parent.
func checkWhole(t *testing.T, records []*control.UsageRecord) {
	there := map[string]bool{}
	for _, r := range records {
		there[r.GetID()] = true
	}
	for _, r := range records {
		for _, p := range r.GetParents() {
			if !there[p] {
				t.Errorf("%s is there without its parent %s", r.GetID(), p)
			}
		}
	}
}

func TestUsage(t *testing.T) {
	at := func(hours int) func(*control.UsageRecord) {
		return func(r *control.UsageRecord) { r.CreatedAt = timestamppb.New(now.Add(time.Duration(hours) * time.Hour)) }
	}
	c := newCache(t, list(
		rec("d", 1, 1, at(3), mutable, text("local source for context"), kind("source.local")),
		rec("c", 1, 1, at(1), on("a", "b"), inUse),
		rec("b", 1, 1, at(2)),
		rec("a", 1, 1, at(1), text("pulled from docker.io/library/alpine:3.20")),
		rec("e", 1, 1, at(4), on("a"), shared),
	))
	for _, test := range []struct{ filters, want string }{
		{"", "a c b d e"},
		{"id==a", "a"},
		{"type==regular", "a c b e"},
		{"type==source.local", "d"},
		{"description~=^pulled.*alpine", "a"},
		{"description", "a d"},
		{"parents==a;b", "c"},
		{"parents~=a", "c e"},
		{"inuse", "a c b"},
		{"mutable", "d"},
		{"immutable", "a c b e"},
		{"shared", "a e"},
		{"private,immutable,type!=x", "c b"},
		{"nothing", ""},
		{"id==a|id==d", "a d"},
	} {
		want := parse(t, strings.Split(test.filters, "|")...)
		if got := ids(c.Usage(want)); got != test.want {
			t.Errorf("%q: %q, want %q", test.filters, got, test.want)
		}
	}
}

func TestNewCompletes(t *testing.T) {
	given := &control.UsageRecord{ID: "a"}
	c := newCache(t, list(given))
	want := &control.UsageRecord{ID: "a", RecordType: "regular", CreatedAt: timestamppb.New(now)}
	if got := c.Usage(filter.Filter{})[0]; !proto.Equal(got, want) {
		t.Errorf("the record is %v\nwant %v", got, want)
	}
	if !proto.Equal(given, &control.UsageRecord{ID: "a"}) {
		t.Errorf("the caller's record was changed to %v", given)
	}
}

func TestNewRefuses(t *testing.T) {
	//lint:ignore SA1019 it is refused because it is deprecated
	oldParent := func(r *control.UsageRecord) { r.Parent = "b" }
	invalid := func(r *control.UsageRecord) { r.LastUsedAt = &timestamppb.Timestamp{Nanos: -1} }
	for _, test := range []struct {
		records []*control.UsageRecord
		want    string
	}{
		{list(nil), `record 1, "": it has no ID`},
		{list(rec("", 1, 1)), `record 1, "": it has no ID`},
		{list(rec("a", 1, 1), rec("a", 1, 1)), `record 2: there are two with the ID "a"`},
		{list(rec("a", 1, 1, size(-1))), `record 1, "a": its Size or its UsageCount is negative`},
		{list(rec("a", 1, -1)), `record 1, "a": its Size or its UsageCount is negative`},
		{list(rec("a", 1, 1), rec("b", 1, 1, size(math.MaxInt64))), `record 2, "b": all sizes together are more`},
		{list(rec("a", 1, 1, invalid)), `record 1, "a": proto: timestamp`},
		{list(rec("a", 1, 1, oldParent)),
			`record 1, "a": its Parent is a deprecated field`},
		{list(rec("a", 1, 1, on("b"))), `record "a": there is no record "b", which it names as a parent`},
		{list(rec("a", 1, 1, on("a"))), `record "a" is its own ancestor`},
		{list(rec("a", 1, 1, on("b")), rec("b", 1, 1, on("a"))), "is its own ancestor"},
	} {
		_, err := cache.New(test.records, now)
		if err == nil {
			t.Errorf("no error, want %s", test.want)
		} else if !strings.Contains(strings.ReplaceAll(err.Error(), "\u00a0", " "), test.want) {
			t.Errorf("the error is %v\nwant %s", err, test.want)
		}
	}
}
