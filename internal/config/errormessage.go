package config

import (
	"fmt"

	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/api"
)

// ErrorMessage is an Error with its fields found.
type ErrorMessage struct {
	Message    *api.Message
	Code, Text *api.Field
	// Suggestions is nil where the message has none; the other two are fields of
	// its type.
	Suggestions                    *api.Field
	SuggestionCode, SuggestionText *api.Field
	Domain                         string
}

// fault is what is wrong with a key.
type fault struct{ key, text string }

func faultf(key, format string, args ...any) *fault {
	return &fault{key: key, text: fmt.Sprintf(format, args...)}
}

// ResolveError finds the fields of the API's own error message for a table of
// codes; suggestions is their enum, or nil.
func ResolveError(model *api.Model, codes, suggestions *api.Enum, cfg *Error) (*ErrorMessage, *fault) {
	m := model.Message(cfg.Message)
	if m == nil {
		names := (&checker{model: model}).messageNames()
		if cfg.Message == "" {
			return nil, faultf("message", `there is no "message", or it is empty`)
		}
		return nil, faultf("message", "no file of the request has a message %q%s", cfg.Message, didYouMean(cfg.Message, names))
	}
	e := &ErrorMessage{Message: m, Domain: cfg.Domain}
	if e.Domain == "" {
		e.Domain = m.File.Package
	}
	var f *fault
	if e.Code, f = only(m, "code", cfg.Code, codes.FullName, isEnum(codes)); f != nil {
		return nil, f
	}
	if e.Text, f = only(m, "text", cfg.Text, "string", isString); f != nil {
		return nil, f
	}
	if suggestions == nil {
		if cfg.Suggestions != "" {
			return nil, faultf("suggestions", `the table has no "suggestions" that names the enum of the field %q`, cfg.Suggestions)
		}
		return e, nil
	}
	return e, e.resolveSuggestions(suggestions, cfg.Suggestions)
}

// resolveSuggestions finds the repeated field of suggestions. A message need not
// have one, unless the config names it.
func (e *ErrorMessage) resolveSuggestions(enum *api.Enum, name string) *fault {
	fits := func(f *api.Field) bool {
		return f.IsRepeated() && !f.IsMap() && f.Message != nil && len(matching(f.Message, isEnum(enum))) > 0
	}
	if name == "" && len(matching(e.Message, fits)) == 0 {
		return nil
	}
	var f *fault
	if e.Suggestions, f = only(e.Message, "suggestions", name, "repeated message with a field of "+enum.FullName, fits); f != nil {
		return f
	}
	of := e.Suggestions.Message
	if e.SuggestionCode, f = only(of, "suggestions", "", enum.FullName, isEnum(enum)); f != nil {
		return f
	}
	e.SuggestionText, f = only(of, "suggestions", "", "string", isString)
	return f
}

func isEnum(e *api.Enum) func(*api.Field) bool {
	return func(f *api.Field) bool { return f.Enum == e && !f.IsRepeated() }
}

func isString(f *api.Field) bool {
	return f.Desc.GetType() == descriptorpb.FieldDescriptorProto_TYPE_STRING && !f.IsRepeated()
}

func matching(m *api.Message, fits func(*api.Field) bool) []string {
	var names []string
	for _, f := range m.Fields {
		if fits(f) {
			names = append(names, f.Name)
		}
	}
	return names
}

// only returns the field with a name, or without one the only field that fits.
func only(m *api.Message, key, name, kind string, fits func(*api.Field) bool) (*api.Field, *fault) {
	known := matching(m, fits)
	switch {
	case len(known) == 0:
		return nil, faultf(key, "%s has no field of type %s", m.FullName, kind)
	case name == "" && len(known) > 1:
		return nil, faultf(key, "%s has several fields of type %s: say which one is meant: %s", m.FullName, kind, quoted(known))
	case name == "":
		name = known[0]
	}
	for _, f := range m.Fields {
		if f.Name == name && fits(f) {
			return f, nil
		}
	}
	return nil, faultf(key, "%s has no field %q of type %s%s", m.FullName, name, kind, didYouMean(name, known))
}

// quoted lists names as "a", "b" or "c".
func quoted(names []string) string {
	text := ""
	for i, name := range names {
		switch {
		case i == 0:
		case i == len(names)-1:
			text += " or "
		default:
			text += ", "
		}
		text += fmt.Sprintf("%q", name)
	}
	return text
}
