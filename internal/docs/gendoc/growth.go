package gendoc

import (
	"fmt"
	"reflect"
	"text/template"
)

// A template that puts a text together with itself doubles it: forty rounds are
// more than any machine has memory for. So no function returns more than this.
const (
	maxText = 256 << 20 // bytes
	maxList = 16 << 20  // elements
)

// builtins are the functions of text/template itself that make a text out of
// their arguments.
var builtins = template.FuncMap{
	"print":    fmt.Sprint,
	"printf":   fmt.Sprintf,
	"println":  fmt.Sprintln,
	"html":     template.HTMLEscaper,
	"js":       template.JSEscaper,
	"urlquery": template.URLQueryEscaper,
}

var errorType = reflect.TypeFor[error]()

// limited is a function with a bound on its result, if that is a text or a list;
// concat is the one whose list is not in its type.
func limited(name string, function any) any {
	switch f := function.(type) { // most functions, without the cost of reflection
	case func(string) string:
		return func(a string) (string, error) { return short(f(a)) }
	case func(string, string) string:
		return func(a, b string) (string, error) { return short(f(a, b)) }
	case func(string, string, string) string:
		return func(a, b, c string) (string, error) { return short(f(a, b, c)) }
	case func(...any) string:
		return func(args ...any) (string, error) { return short(f(args...)) }
	case func(string, ...any) string:
		return func(format string, args ...any) (string, error) { return short(f(format, args...)) }
	}
	f := reflect.ValueOf(function)
	t := f.Type()
	if kind := t.Out(0).Kind(); kind != reflect.String && kind != reflect.Slice && name != "concat" {
		return function
	}
	in := make([]reflect.Type, t.NumIn())
	for i := range in {
		in[i] = t.In(i)
	}
	call := f.Call
	if t.IsVariadic() {
		call = f.CallSlice
	}
	signature := reflect.FuncOf(in, []reflect.Type{t.Out(0), errorType}, t.IsVariadic())
	return reflect.MakeFunc(signature, func(args []reflect.Value) []reflect.Value {
		out := call(args)
		if len(out) == 1 {
			out = append(out, reflect.Zero(errorType))
		}
		if err := checkSize(out[0]); err != nil {
			return []reflect.Value{reflect.Zero(t.Out(0)), reflect.ValueOf(&err).Elem()}
		}
		return out
	}).Interface()
}

func short(text string) (string, error) {
	if len(text) > maxText {
		return "", errLongText
	}
	return text, nil
}

var errLongText = fmt.Errorf("the text has become longer than %d MiB", maxText>>20)

func checkSize(v reflect.Value) error {
	if v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	switch v.Kind() {
	case reflect.String:
		if v.Len() > maxText {
			return errLongText
		}
	case reflect.Slice:
		if v.Len() > maxList {
			return fmt.Errorf("the list has become longer than %d elements", maxList)
		}
	}
	return nil
}
