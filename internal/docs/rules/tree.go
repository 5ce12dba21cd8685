package rules

import (
	"cmp"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// tree is a message that an option has, of which is known what has been read:
// rules that nobody has words for must not get lost.
type tree struct {
	fields map[string]any
	left   map[string]bool // what has not been read
	// times tells that messages among the values are points in time, not durations.
	times bool
}

func newTree(value any) *tree {
	fields, _ := value.(map[string]any)
	left := make(map[string]bool, len(fields))
	for name := range fields {
		left[name] = true
	}
	return &tree{fields: fields, left: left}
}

// empty tells whether all has been read.
func (t *tree) empty() bool { return len(t.fields) > 0 && len(t.left) == 0 }

// names are those that have not been read, sorted.
func (t *tree) names() []string { return slices.Sorted(maps.Keys(t.left)) }

// unread takes back that a field has been read.
func (t *tree) unread(name string) {
	if _, ok := t.fields[name]; ok {
		t.left[name] = true
	}
}

// keep takes back that a message has been read, unless all of it has.
func (t *tree) keep(name string, inner *tree) {
	if len(inner.left) > 0 {
		t.unread(name)
	}
}

// raw is a field as it is, without reading it; nil if it is not set.
func (t *tree) raw(name string) any { return t.fields[name] }

// text reads a single value; empty if it is not set.
func (t *tree) text(name string) string {
	v, ok := t.fields[name]
	if !ok {
		return ""
	}
	switch v.(type) {
	case []any:
		return ""
	}
	delete(t.left, name)
	return valueText(v, t.times && name != "within")
}

// is reads a bool.
func (t *tree) is(name string) bool {
	if v, ok := t.fields[name].(bool); ok {
		delete(t.left, name)
		return v
	}
	return false
}

// list reads a list.
func (t *tree) list(name string) []string {
	values, ok := t.fields[name].([]any)
	if !ok {
		return nil
	}
	delete(t.left, name)
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = valueText(v, t.times)
	}
	return out
}

// tree reads a message; nil if it is not set.
func (t *tree) tree(name string) *tree {
	fields, ok := t.fields[name].(map[string]any)
	if !ok {
		return nil
	}
	delete(t.left, name)
	return newTree(fields)
}

// trees reads a list of messages.
func (t *tree) trees(name string) []*tree {
	values, ok := t.fields[name].([]any)
	if !ok {
		return nil
	}
	delete(t.left, name)
	var out []*tree
	for _, v := range values {
		if fields, ok := v.(map[string]any); ok {
			out = append(out, newTree(fields))
		}
	}
	return out
}

// valueText is a value as a reader writes it: durations and times as in
// protobuf's JSON, text in quotes only where it would not be seen otherwise.
func valueText(value any, isTime bool) string {
	switch v := value.(type) {
	case map[string]any:
		if isTime {
			seconds, nanos := parts(v)
			return time.Unix(seconds, int64(nanos)).UTC().Format(time.RFC3339Nano)
		}
		return durationText(parts(v))
	case []byte:
		return strconv.Quote(string(v))
	case string:
		if v == "" || strings.TrimSpace(v) != v || strings.ContainsFunc(v, unicode.IsControl) {
			return strconv.Quote(v)
		}
		return v
	}
	return fmt.Sprint(value)
}

// parts are those of a google.protobuf.Duration or Timestamp.
func parts(fields map[string]any) (seconds int64, nanos int32) {
	seconds, _ = fields["seconds"].(int64)
	nanos, _ = fields["nanos"].(int32)
	return seconds, nanos
}

func durationText(seconds int64, nanos int32) string {
	sum := new(big.Rat).Add(new(big.Rat).SetInt64(seconds), big.NewRat(int64(nanos), 1e9))
	return strings.TrimSuffix(strings.TrimRight(sum.FloatString(9), "0"), ".") + "s"
}

// compare compares two bounds of one type.
func compare(a, b any) int {
	switch x := a.(type) {
	case int32:
		return compareAs(x, b)
	case int64:
		return compareAs(x, b)
	case uint32:
		return compareAs(x, b)
	case uint64:
		return compareAs(x, b)
	case float32:
		return compareAs(x, b)
	case float64:
		return compareAs(x, b)
	case map[string]any:
		y, _ := b.(map[string]any)
		xs, xn := parts(x)
		ys, yn := parts(y)
		return cmp.Or(cmp.Compare(xs, ys), cmp.Compare(xn, yn))
	}
	return 0
}

func compareAs[T cmp.Ordered](a T, b any) int {
	other, _ := b.(T)
	return cmp.Compare(a, other)
}
