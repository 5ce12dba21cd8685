package gendoc

import (
	"errors"
	"reflect"
)

// A dictionary that contains itself cannot be printed: the attempt overflows the
// stack, which ends the process. So the functions that put something into a
// dictionary refuse to make one.
var errCycle = errors.New("the dictionary would contain itself")

// set is sprig's.
func set(dict map[string]any, key string, value any) (map[string]any, error) {
	s := newSearch()
	s.onPath[reflect.ValueOf(dict).Pointer()] = true
	if s.findsCycle(reflect.ValueOf(value)) {
		return nil, errCycle
	}
	return sprigSet(dict, key, value), nil
}

// merge is one of sprig's functions that merge dictionaries into the first one.
// Those without must in their name return an empty text where that fails.
func merge(function string) func(map[string]any, ...map[string]any) (any, error) {
	merge := reflect.ValueOf(sprigFunctions[function])
	return func(into map[string]any, from ...map[string]any) (any, error) {
		out := merge.CallSlice([]reflect.Value{reflect.ValueOf(into), reflect.ValueOf(from)})
		if len(out) == 2 && !out[1].IsNil() {
			return nil, out[1].Interface().(error)
		}
		if newSearch().findsCycle(reflect.ValueOf(into)) {
			return nil, errCycle
		}
		return out[0].Interface(), nil
	}
}

// search looks for a dictionary that contains itself. It does not follow
// pointers: nothing that they lead to can be changed to hold a dictionary.
type search struct {
	onPath map[uintptr]bool
	done   map[stretch]bool
}

// stretch is a map, or a part of an array.
type stretch struct {
	pointer uintptr
	len     int
}

func newSearch() search {
	return search{onPath: make(map[uintptr]bool), done: make(map[stretch]bool)}
}

func (s search) findsCycle(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Interface:
		return s.findsCycle(v.Elem())
	case reflect.Map:
		return s.onPath[v.Pointer()] || s.inside(v, func() bool {
			s.onPath[v.Pointer()] = true
			defer delete(s.onPath, v.Pointer())
			for entries := v.MapRange(); entries.Next(); {
				if s.findsCycle(entries.Value()) {
					return true
				}
			}
			return false
		})
	case reflect.Slice:
		return s.inside(v, func() bool {
			for i := range v.Len() {
				if s.findsCycle(v.Index(i)) {
					return true
				}
			}
			return false
		})
	}
	return false
}

// inside looks at each map and slice once, since many can share one.
func (s search) inside(v reflect.Value, look func() bool) bool {
	key := stretch{v.Pointer(), v.Len()}
	if s.done[key] {
		return false
	}
	s.done[key] = true
	return look()
}
