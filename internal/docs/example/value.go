package example

import (
	"bytes"
	"encoding/json"
	"strings"
)

// value is a value of JSON whose members keep their order.
type value interface {
	// indented is the value over several lines; all but the first begin with
	// indent.
	indented(indent string) string
}

// literal is JSON as it stands.
type literal string

// list is a list; object an object.
type (
	list   []value
	object []member
	member struct {
		name  string
		value value
	}
)

func (l literal) indented(string) string { return string(l) }

func (l list) indented(indent string) string {
	return lines("[", "]", indent, len(l), func(i int, indent string) string { return l[i].indented(indent) })
}

func (o object) indented(indent string) string {
	return lines("{", "}", indent, len(o), func(i int, indent string) string {
		return string(quoted(o[i].name)) + ": " + o[i].value.indented(indent)
	})
}

// member returns the value of the given name; nil if there is none.
func (o object) member(name string) value {
	for _, m := range o {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

func lines(open, end, indent string, n int, element func(i int, indent string) string) string {
	if n == 0 {
		return open + end
	}
	out := make([]string, n)
	for i := range out {
		out[i] = "\n" + indent + "  " + element(i, indent+"  ")
	}
	return open + strings.Join(out, ",") + "\n" + indent + end
}

// quoted is text as JSON, with < > & as they are.
func quoted(text string) literal {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(text) // a string is never refused
	return literal(strings.TrimSuffix(out.String(), "\n"))
}
