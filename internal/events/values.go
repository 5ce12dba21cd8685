package events

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/api"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/config"
)

// Values are the documented values of a string field.
type Values struct {
	Field  *api.Field
	Values []string // each once, in the order of the comment and the config
	// Replaced tells that the config, and not the field's comment, has the values.
	Replaced bool
}

// Failing tells a value that says that something went wrong: failed, failure or
// error, whatever the case of its letters.
func Failing(value string) bool {
	switch strings.ToLower(value) {
	case "fail", "failed", "failure", "error", "errored":
		return true
	}
	return false
}

// setValues finds the documented values of the event's own string fields and of
// its payloads', and lets the config add to them or replace them.
func (e *Event) setValues(list []config.Values) error {
	used := make(map[string]bool)
	find := func(x *api.Field, comments ...api.Comments) *Values {
		if !isString(x) || x.IsMap() {
			return nil
		}
		if v := e.valuesOf(x); v != nil {
			return v
		}
		values := &Values{Field: x, Values: documented(x, comments)}
		for _, c := range list {
			if isNamed(c.Field, x.FullName(), x.FullName()) {
				used[c.Field] = true
				values.configure(c)
			}
		}
		if len(values.Values) == 0 {
			return nil
		}
		e.Values = append(e.Values, values)
		return values
	}
	for _, x := range e.Message.Fields {
		find(x)
	}
	for _, v := range e.Variants {
		if v.Payload() == nil {
			continue
		}
		for _, x := range v.Payload().Fields {
			values := find(x, v.Field.Comments)
			if values != nil && isSettable(x) && x == statusField(v.Payload()) {
				v.Status = values
			}
		}
	}
	var errs []error
	for i, c := range list {
		if !used[c.Field] {
			errs = append(errs, e.errorf(fmt.Sprintf(".values[%d]", i), "%s is no string field of %s or of its payloads", c.Field, e.Message.FullName))
		}
	}
	return errors.Join(errs...)
}

func (e *Event) valuesOf(x *api.Field) *Values {
	for _, v := range e.Values {
		if v.Field == x {
			return v
		}
	}
	return nil
}

func (v *Values) configure(c config.Values) {
	if len(c.Replace) > 0 {
		v.Values, v.Replaced = nil, true
	}
	for _, value := range slices.Concat(c.Replace, c.Add) {
		if !slices.Contains(v.Values, value) {
			v.Values = append(v.Values, value)
		}
	}
}

// statusField is the field that says how far a payload's subject has come: the
// string field status, or else state.
func statusField(m *api.Message) *api.Field {
	for _, name := range []string{"status", "state"} {
		for _, x := range m.Fields {
			if x.Name == name && isString(x) {
				return x
			}
		}
	}
	return nil
}

// documented reads the values of a field from its own comments; if these have
// none, from a comment about the payload that names the field.
func documented(x *api.Field, about []api.Comments) []string {
	for _, c := range []string{x.Comments.Trailing, x.Comments.Leading} {
		if values := Documented(c); values != nil {
			return values
		}
	}
	for _, c := range append(about, x.Parent.Comments) {
		for _, text := range []string{c.Trailing, c.Leading} {
			if values := documentedFor(x.Name, text); values != nil {
				return values
			}
		}
	}
	return nil
}

var (
	// oneOf begins a list of values: with a colon of any values, without one of
	// quoted values only.
	oneOf = regexp.MustCompile(`(?i)\b(?:one ?of|can be|may be|must be|possible values(?: are)?|allowed values(?: are)?|valid values(?: are)?)\s*(:|=)?\s*`)
	// bullet is one value of a list that has a line for each.
	bullet = regexp.MustCompile("^\\s*[-*]\\s*(?:`\"([^`\"]+)\"`|\"([^\"]+)\"|`([^`]+)`)")
	// quoted is a value in any sort of quotes.
	quoted = regexp.MustCompile("^(?:`\"([^`\"\n]+)\"`|\"([^\"\n]+)\"|`([^`\n]+)`|“([^”\n]+)”|'([^'\n]+)')")
	// bare is a value of up to three words without quotes.
	bare = regexp.MustCompile(`^[\pL\d][\pL\d_/+-]*(?: [\pL\d][\pL\d_/+-]*){0,2}`)
	// comma stands between two values.
	comma = regexp.MustCompile(`^\s*(?:,\s*(?:or|and)\s+|,\s*|\|\s*|\sor\s+|[ \t]and\s+)`)
	// end is what may stand after the last value.
	end = regexp.MustCompile(`^\s*(?:\.(?:\s|$)|[;)\]]|$|\n|<br>)`)
)

// Documented returns the values that a comment lists, such as
//
//	status oneof: InProgress, Completed, Failed
//	Status could be one of "InProgress", "Completed" or "Failed".
//	can be: <br> - `"Not started"`: not yet started <br> - `"Complete"`: …
//
// or nil. Values without quotes have to follow a colon, to be of three words at
// most, and to end with a full stop, a bracket or the line.
func Documented(comment string) []string {
	for _, at := range oneOf.FindAllStringSubmatchIndex(comment, -1) {
		rest, colon := comment[at[1]:], at[2] >= 0
		if values := bullets(rest); values != nil {
			return values
		}
		if values := inline(rest, colon); values != nil {
			return values
		}
	}
	return nil
}

// documentedFor reads the values of a field from a sentence that starts with its
// name, in a comment about something else.
func documentedFor(name, comment string) []string {
	if !strings.Contains(strings.ToLower(comment), strings.ToLower(name)) {
		return nil // as most comments do not; an expression takes long to compile
	}
	subject := regexp.MustCompile("(?i)(?:^|[.\n])\\s*(?:the )?`?" + regexp.QuoteMeta(name) + "`? (?:could|can|may|must|is|will)(?: be)? one ?of\\b")
	if at := subject.FindStringIndex(comment); at != nil {
		return Documented(comment[at[0]:])
	}
	return nil
}

// bullets reads a list with a line for each value. <br> at the end of a line is
// what Markdown needs to keep the lines apart.
func bullets(text string) []string {
	if values := described(text); values != nil {
		return values
	}
	var values []string
	for line := range strings.Lines(strings.TrimLeft(text, " \t")) {
		line = strings.TrimSpace(line)
		m := bullet.FindStringSubmatch(line)
		switch {
		case m != nil:
			values = appendValue(values, strings.Join(m[1:], ""))
		case len(values) > 0: // the list is over
			return atLeastTwo(values)
		case line != "" && line != "<br>":
			return nil
		}
	}
	return atLeastTwo(values)
}

// described reads a list with a line for each value without quotes, where each of
// them has a colon and a description after it.
func described(text string) []string {
	var values []string
	for line := range strings.Lines(strings.TrimLeft(text, " \t")) {
		line = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(line), "<br>"))
		item := strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "* ")
		switch {
		case line == "" && len(values) > 0:
			return atLeastTwo(values)
		case line == "", !item && len(values) > 0: // the latter goes on with a description
		case !item:
			return nil
		default:
			word := strings.TrimSpace(line[1:])
			value := bare.FindString(word)
			rest := word[len(value):]
			if value == "" || rest != ":" && !strings.HasPrefix(rest, ": ") {
				return nil
			}
			values = appendValue(values, value)
		}
	}
	return atLeastTwo(values)
}

// inline reads values that stand one after the other.
func inline(text string, bareToo bool) []string {
	text = strings.TrimPrefix(text, "[")
	var values []string
	for {
		rest := ""
		if m := quoted.FindStringSubmatch(text); m != nil {
			values = appendValue(values, strings.Join(m[1:], ""))
			rest = text[len(m[0]):]
		} else if word := bareValue(text); bareToo && word != "" {
			values = appendValue(values, word)
			rest = text[len(word):]
		} else {
			return nil
		}
		if at := comma.FindString(rest); at != "" {
			text = rest[len(at):]
			continue
		}
		if !end.MatchString(rest) {
			return nil
		}
		return atLeastTwo(values)
	}
}

// bareValue is the value without quotes that a text starts with, up to a
// conjunction.
func bareValue(text string) string {
	word := bare.FindString(text)
	for _, conjunction := range []string{" or", " and"} {
		if before, after, ok := strings.Cut(word, conjunction); ok && (after == "" || after[0] == ' ') {
			word = before
		}
	}
	return word
}

func appendValue(values []string, v string) []string {
	if slices.Contains(values, v) {
		return values
	}
	return append(values, v)
}

func atLeastTwo(values []string) []string {
	if len(values) < 2 {
		return nil
	}
	return values
}
