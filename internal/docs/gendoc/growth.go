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

func checkSize(v reflect.Value) error {
	if v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	switch v.Kind() {
	case reflect.String:
		if v.Len() > maxText {
			return fmt.Errorf("the text has become longer than %d MiB", maxText>>20)
		}
	case reflect.Slice:
		if v.Len() > maxList {
			return fmt.Errorf("the list has become longer than %d elements", maxList)
		}
	}
	return nil
}
