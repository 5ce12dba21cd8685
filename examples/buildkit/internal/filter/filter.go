// Package filter has the filter language of BuildKit's requests, which is
// containerd's.
//
//	filter   = selector *( "," selector )        all have to match
//	selector = path [ operator value ]           without an operator: the field is there
//	path     = field *( "." field )
//	field    = [A-Za-z0-9_]+ | quoted with "
//	operator = "==" | "!=" | "~="                ~= is an unanchored regular expression
//	value    = anything but white space and ","  | quoted with ", and for ~= with / or | too
//
// Quoted text has the escapes of Go's strings. White space may stand before a
// word, but not after a whole filter.
package filter

import (
	"fmt"
	"regexp"
	"strings"
)

// Fields are what a filter sees of an object: the value at a path of fields,
// and whether there is one. A field that is only there or not, such as a flag,
// has an empty value.
type Fields func(path []string) (value string, present bool)

// Filter decides which objects are wanted. The zero Filter wants all.
type Filter struct {
	any [][]selector // one of them has to match; each, in all of its selectors
}

// selector tests one field.
type selector struct {
	path  []string
	op    operator
	value string
	re    *regexp.Regexp // of opMatches
}

type operator string

const (
	opPresent  operator = ""
	opEqual    operator = "=="
	opNotEqual operator = "!="
	opMatches  operator = "~="
)

// Bounds of the texts of all filters of a request, and of the regular
// expressions in them, in bytes. In memory a filter takes up to a hundred times
// its length, and a regular expression up to ten thousand times.
const (
	maxLength       = 1 << 20
	maxRegexpLength = 4 << 10
)

// Parse returns the Filter that wants what one of the texts wants. None, or an
// empty one, wants everything. Errors show the place in the text. All texts
// together may have 1 MiB, and the regular expressions in them 4 KiB.
func Parse(texts ...string) (Filter, error) {
	var f Filter
	all := len(texts) == 0
	left := maxLength
	regexpLeft := maxRegexpLength
	for _, text := range texts {
		if left -= len(text); left < 0 {
			return Filter{}, fmt.Errorf("the filters have more than %d bytes together", maxLength)
		}
		if text == "" {
			all = true
			continue
		}
		p := parser{text: text, regexpLeft: &regexpLeft}
		selectors, err := p.selectors()
		if err != nil {
			return Filter{}, fmt.Errorf("filter %q, at byte %d: %w", excerpt(text), p.pos, err)
		}
		f.any = append(f.any, selectors)
	}
	if all {
		return Filter{}, nil
	}
	return f, nil
}

// excerpt is a text, or its beginning if it is long.
func excerpt(text string) string {
	const most = 100
	if len(text) <= most {
		return text
	}
	return text[:most] + "..."
}

// Match tells whether an object is wanted.
func (f Filter) Match(fields Fields) bool {
	if len(f.any) == 0 {
		return true
	}
	for _, selectors := range f.any {
		if matchAll(selectors, fields) {
			return true
		}
	}
	return false
}

func matchAll(selectors []selector, fields Fields) bool {
	for _, s := range selectors {
		if !s.match(fields) {
			return false
		}
	}
	return true
}

// match compares as containerd does: a field that is not there differs from
// every value, and is empty for a regular expression.
func (s selector) match(fields Fields) bool {
	value, present := fields(s.path)
	switch s.op {
	case opEqual:
		return present && value == s.value
	case opNotEqual:
		return value != s.value
	case opMatches:
		return s.re.MatchString(value)
	}
	return present
}

// Labels is the value of a label at a path: its name may have dots, quoted or
// not.
func Labels(labels map[string]string, path []string) (value string, present bool) {
	value, present = labels[strings.Join(path, ".")]
	return value, present
}
