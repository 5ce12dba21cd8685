// Package rules says in words what well-known custom options demand of values:
// google.api.field_behavior, resource and resource_reference, and the rules of
// protovalidate (buf.validate) and protoc-gen-validate (validate).
package rules

import (
	"slices"
	"strings"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/api"
)

// Rule is one demand.
type Rule struct {
	// Words are a phrase without a capital and without a full stop, in pieces.
	Words []Word
	// Option is the full name of the option that it comes from.
	Option string
}

// Word is a piece of a phrase.
type Word struct {
	Text string
	Code bool // a name, a value or an expression
	// Resource is the type of resource that the word names; empty for none.
	Resource string
}

// String is the phrase as plain text, code in backticks.
func (r Rule) String() string {
	var out strings.Builder
	for _, w := range r.Words {
		if w.Code {
			out.WriteString("`" + w.Text + "`")
		} else {
			out.WriteString(w.Text)
		}
	}
	return out.String()
}

// Of returns what the options of a declaration demand, in the order of the
// options' names, and the custom options that the rules do not say completely,
// so that nothing is lost on a reader.
func Of(o api.Options) (list []Rule, rest []api.Option) {
	for _, option := range o.Custom() {
		say, known := options[option.Name]
		if !known {
			rest = append(rest, option)
			continue
		}
		phrases, whole := say(option.Value)
		for _, p := range phrases {
			list = append(list, Rule{Words: p, Option: option.Name})
		}
		if !whole {
			rest = append(rest, option)
		}
	}
	return list, rest
}

// Requires tells whether rules of a oneof demand that one of its fields be set.
func Requires(o api.Options) bool {
	for _, name := range []string{"validate.required", "buf.validate.oneof"} {
		value, _ := o.Value(name)
		if required, _ := value.(bool); required {
			return true
		}
		if fields, ok := value.(map[string]any); ok && fields["required"] == true {
			return true
		}
	}
	return false
}

// ResourceType is the type that google.api.resource gives a message; empty for
// none.
func ResourceType(o api.Options) string {
	value, _ := o.Value("google.api.resource")
	fields, _ := value.(map[string]any)
	kind, _ := fields["type"].(string)
	return kind
}

// HasBehavior tells whether a field has one of google.api.FieldBehavior.
func HasBehavior(o api.Options, behavior string) bool {
	value, _ := o.Value("google.api.field_behavior")
	list, _ := value.([]any)
	return slices.Contains(list, any(behavior))
}

// phrase is a Rule's words.
type phrase []Word

// options say what an option's value demands, and whether that is all of it.
var options = map[string]func(value any) (list []phrase, whole bool){
	"google.api.field_behavior":     behaviors,
	"google.api.resource":           resource,
	"google.api.resource_reference": reference,
	"buf.validate.field":            fieldRules,
	"buf.validate.oneof":            oneofRules,
	"buf.validate.message":          messageRules,
	"validate.rules":                fieldRules,
	"validate.required":             flag("one of them has to be set"),
	"validate.disabled":             flag("not validated"),
	"validate.ignored":              flag("not validated"),
}

func flag(text string) func(any) ([]phrase, bool) {
	return func(value any) ([]phrase, bool) {
		if value == true {
			return []phrase{{{Text: text}}}, true
		}
		return nil, false
	}
}

// behaviorWords are the values of google.api.FieldBehavior (AIP-203).
var behaviorWords = map[string]string{
	"OPTIONAL":          "optional",
	"REQUIRED":          "required",
	"OUTPUT_ONLY":       "output only: set by the server, ignored in requests",
	"INPUT_ONLY":        "input only: not in responses",
	"IMMUTABLE":         "immutable: not changed once it is set",
	"UNORDERED_LIST":    "in no particular order",
	"NON_EMPTY_DEFAULT": "if left empty, the server sets a value",
	"IDENTIFIER":        "identifies the resource: not set when it is created",
}

func behaviors(value any) (list []phrase, whole bool) {
	values, _ := value.([]any)
	whole = len(values) > 0
	for _, v := range values {
		name, _ := v.(string)
		words := behaviorWords[name]
		if words == "" {
			whole = false
			continue
		}
		list = append(list, phrase{{Text: words}})
	}
	return list, whole
}

// resource is google.api.resource (AIP-123).
func resource(value any) (list []phrase, whole bool) {
	fields := newTree(value)
	kind := fields.text("type")
	if kind == "" {
		return nil, false
	}
	p := phrase{{Text: "resource "}, code(kind)}
	for i, pattern := range fields.list("pattern") {
		p = append(p, Word{Text: joint(i, ", with names like ", " or ")}, code(pattern))
	}
	if name := fields.text("name_field"); name != "" {
		p = append(p, Word{Text: ", its name in "}, code(name))
	}
	singular, plural := fields.text("singular"), fields.text("plural")
	switch {
	case singular != "" && plural != "":
		p = append(p, Word{Text: "; one is a "}, code(singular), Word{Text: ", several are "}, code(plural))
	case singular != "":
		p = append(p, Word{Text: "; one is a "}, code(singular))
	case plural != "":
		p = append(p, Word{Text: "; several are "}, code(plural))
	}
	return []phrase{p}, fields.empty()
}

// reference is google.api.resource_reference (AIP-124).
func reference(value any) (list []phrase, whole bool) {
	fields := newTree(value)
	switch kind, child := fields.text("type"), fields.text("child_type"); {
	case kind == "*":
		list = append(list, phrase{{Text: "the name of a resource of any type"}})
	case kind != "":
		list = append(list, phrase{{Text: "the name of a "}, {Text: kind, Code: true, Resource: kind}})
	case child != "":
		list = append(list, phrase{{Text: "the name of a parent of "}, {Text: child, Code: true, Resource: child}})
	}
	return list, len(list) > 0 && fields.empty()
}

func joint(i int, first, next string) string {
	if i == 0 {
		return first
	}
	return next
}
