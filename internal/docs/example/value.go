package example

import (
	"bytes"
	"encoding/json"
	"strings"
	"sync"
)

// value is a value of JSON whose members keep their order.
type value interface {
	// append appends the value over several lines; all but the first begin with
	// two spaces for each level.
	append(out []byte, level int) []byte
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

func (l literal) append(out []byte, _ int) []byte { return append(out, l...) }

// A list of plain values, of which examples have one, is a line.
func (l list) append(out []byte, level int) []byte {
	if len(l) == 1 {
		if v, ok := l[0].(literal); ok {
			return append(append(append(out, '['), v...), ']')
		}
	}
	for i, v := range l {
		out = v.append(newElement(out, '[', i, level+1), level+1)
	}
	return end(out, "[]", len(l), level)
}

func (o object) append(out []byte, level int) []byte {
	for i, m := range o {
		out = appendQuoted(newElement(out, '{', i, level+1), m.name)
		out = m.value.append(append(out, ": "...), level+1)
	}
	return end(out, "{}", len(o), level)
}

// newElement begins an element, or the whole before the first.
func newElement(out []byte, open byte, i, level int) []byte {
	if i > 0 {
		open = ','
	}
	return newLine(append(out, open), level)
}

func newLine(out []byte, level int) []byte {
	out = append(out, '\n')
	for range level {
		out = append(out, "  "...)
	}
	return out
}

// end ends what has n elements.
func end(out []byte, brackets string, n, level int) []byte {
	if n == 0 {
		return append(out, brackets...)
	}
	return append(newLine(out, level), brackets[1])
}

// buffers are for texts of all sizes, which are made one after the other.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// textOf is a value over several lines.
func textOf(v value) string {
	buffer := buffers.Get().(*[]byte)
	defer buffers.Put(buffer)
	*buffer = v.append((*buffer)[:0], 0)
	return string(*buffer)
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

// quoted is text as JSON, with < > & as they are.
func quoted(text string) literal {
	switch text {
	case "string":
		return `"string"`
	case "1":
		return `"1"`
	}
	return literal(appendQuoted(nil, text))
}

// appendQuoted appends what quoted makes. Most texts need no escapes.
func appendQuoted(out []byte, text string) []byte {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return append(out, escaped(text)...)
		}
	}
	return append(append(append(out, '"'), text...), '"')
}

func escaped(text string) string {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(text) // a string is never refused
	return strings.TrimSuffix(out.String(), "\n")
}
