// Package contenttest finds what a format leaves out of the content.
package contenttest

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/api"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/changes"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/comment"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/content"
)

// Unseen returns the exported fields of the content, as Type.Field in the order of
// their names, that nothing in the output of render depends on. It renders files
// in which everything is set, and the same with one field changed.
func Unseen(render func(*content.File) string) []string {
	s := search{render: render, seen: make(map[string]bool)}
	for variant := range variants {
		f := filler{variant: variant}
		file := new(content.File)
		f.fill(reflect.ValueOf(file).Elem(), "")
		s.file, s.before = file, render(file)
		s.visit(reflect.ValueOf(file).Elem())
	}
	var unseen []string
	for _, name := range slices.Sorted(maps.Keys(s.seen)) {
		if !s.seen[name] {
			unseen = append(unseen, name)
		}
	}
	return unseen
}

// variants is the number of files: what one value hides, another one shows. The
// variants differ in their booleans, presences and kinds of changes and types.
const variants = 8

var presences = []content.Presence{content.Implicit, content.Optional, content.Required, content.Repeated}

// filler sets every field to a value of its own.
type filler struct {
	variant int
	count   int
	inField bool // inside of a field, whose oneof does not list fields again
	inType  bool // inside of a type, whose key and value are no maps
}

// jsonFields hold JSON.
var jsonFields = map[string]bool{"JSON": true, "Example": true}

func (f *filler) fill(v reflect.Value, name string) {
	f.count++
	switch x := v.Addr().Interface().(type) {
	case **comment.Doc:
		*x = comment.Text(f.word())
		return
	case **api.File:
		*x = &api.File{Path: f.word()}
		return
	case *content.Presence:
		*x = presences[f.variant%len(presences)]
		return
	case *changes.Kind:
		*x = changes.Kind(f.variant % 4)
		return
	}
	switch v.Kind() {
	case reflect.String:
		if text := f.word(); jsonFields[name] {
			v.SetString(`"` + text + `"`)
		} else {
			v.SetString(text)
		}
	case reflect.Bool:
		v.SetBool(f.variant%2 == 1)
	case reflect.Int, reflect.Int32:
		v.SetInt(int64(f.count))
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range v.Len() {
			f.fill(v.Index(i), "")
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(v.Elem(), "")
	case reflect.Struct:
		f.fillStruct(v)
	default:
		panic(fmt.Sprintf("%s has a kind that nobody has thought of", v.Type()))
	}
}

func (f *filler) fillStruct(v reflect.Value) {
	around := *f
	switch v.Interface().(type) {
	case content.Type:
		f.inType = true
	case content.Field:
		f.inField = true
	}
	for i := range v.NumField() {
		field := v.Type().Field(i)
		if f.leftOut(v.Type(), field, around.inType) {
			continue
		}
		f.fill(v.Field(i), field.Name)
	}
	f.inType, f.inField = around.inType, around.inField
}

// leftOut tells fields that would never end, and those that half of the variants
// do not have.
func (f *filler) leftOut(t reflect.Type, field reflect.StructField, inType bool) bool {
	switch t {
	case reflect.TypeFor[content.Type]():
		return (field.Name == "Key" || field.Name == "Value") && (inType || f.variant < variants/2)
	case reflect.TypeFor[content.Oneof]():
		return field.Name == "Fields" && f.inField
	case reflect.TypeFor[content.Field]():
		return (field.Name == "Oneof" || field.Name == "Extends") && f.variant >= variants/2
	}
	return !field.IsExported()
}

func (f *filler) word() string { return fmt.Sprintf("w%d", f.count) }

// search changes one field after the other.
type search struct {
	render func(*content.File) string
	file   *content.File
	before string
	seen   map[string]bool // by field
}

func (s *search) visit(v reflect.Value) {
	switch v.Interface().(type) {
	case *comment.Doc, *api.File:
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			s.visit(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			s.visit(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			s.visitField(v, i)
		}
	}
}

func (s *search) visitField(v reflect.Value, i int) {
	field := v.Type().Field(i)
	if !field.IsExported() {
		return
	}
	name := v.Type().Name() + "." + field.Name
	if !s.seen[name] {
		s.seen[name] = slices.ContainsFunc(others(v.Field(i), field.Name), func(other reflect.Value) bool {
			return s.shows(v.Field(i), other)
		})
	}
	s.visit(v.Field(i))
}

// shows tells whether the output is another one with another value. A format that
// cannot do without a value does use it.
func (s *search) shows(v, other reflect.Value) (shows bool) {
	before := reflect.New(v.Type()).Elem()
	before.Set(v)
	defer func() {
		v.Set(before)
		shows = shows || recover() != nil
	}()
	v.Set(other)
	return s.render(s.file) != s.before
}

// others are values that v could have instead.
func others(v reflect.Value, name string) []reflect.Value {
	switch x := v.Interface().(type) {
	case *comment.Doc:
		return []reflect.Value{reflect.ValueOf(comment.Text("another"))}
	case *api.File:
		return []reflect.Value{reflect.ValueOf(&api.File{Path: "another"})}
	case content.Presence:
		return []reflect.Value{reflect.ValueOf(content.Implicit), reflect.ValueOf(content.Required)}
	case changes.Kind:
		return []reflect.Value{reflect.ValueOf((x + 1) % 4)}
	}
	switch v.Kind() {
	case reflect.String:
		text := "another"
		if jsonFields[name] {
			text = `"another"`
		}
		return []reflect.Value{reflect.ValueOf(text).Convert(v.Type())}
	case reflect.Bool:
		return []reflect.Value{reflect.ValueOf(!v.Bool())}
	case reflect.Int, reflect.Int32:
		return []reflect.Value{reflect.ValueOf(v.Int() + 1).Convert(v.Type())}
	}
	return []reflect.Value{reflect.Zero(v.Type())}
}
