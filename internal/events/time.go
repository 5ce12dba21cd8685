package events

import (
	"regexp"
	"strings"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/api"
)

// Unit is what an integer that is a time counts since 1970.
type Unit int

// The units of time.
const (
	Seconds Unit = iota
	Milliseconds
	Microseconds
	Nanoseconds
)

// units are the words for units in names and in comments.
var units = []struct {
	unit          Unit
	name, comment *regexp.Regexp
}{
	{Milliseconds, regexp.MustCompile(`(?:_ms|_msecs?|_millis|_milliseconds|Ms|Millis)$`), regexp.MustCompile(`(?i)\bmilli-?seconds?\b`)},
	{Microseconds, regexp.MustCompile(`(?:_us|_usecs?|_micros|_microseconds|Us|Micros)$`), regexp.MustCompile(`(?i)\bmicro-?seconds?\b`)},
	{Nanoseconds, regexp.MustCompile(`(?:_ns|_nsecs?|_nanos|_nanoseconds|Ns|Nanos)$`), regexp.MustCompile(`(?i)\bnano-?seconds?\b`)},
	{Seconds, regexp.MustCompile(`(?:_s|_secs?|_seconds|_unix|Secs|Seconds)$`), regexp.MustCompile(`(?i)\bseconds?\b`)},
}

// unit reads the unit of an integer from its name, or else from its comment.
func unit(x *api.Field) (u Unit, known bool) {
	for _, u := range units {
		if u.name.MatchString(x.Name) {
			return u.unit, true
		}
	}
	comment := strings.Join([]string{x.Comments.Leading, x.Comments.Trailing}, "\n")
	for _, u := range units {
		if u.comment.MatchString(comment) {
			return u.unit, true
		}
	}
	return Seconds, false
}

// isTimeName tells an integer that is a time by its name: time or timestamp, maybe
// with the unit.
func isTimeName(name string) bool {
	for _, u := range units {
		name = u.name.ReplaceAllString(name, "")
	}
	return name == "time" || name == "timestamp"
}

// TimeUnit is the unit of Time, an int64: seconds unless the field says otherwise.
func (e *Event) TimeUnit() Unit {
	u, _ := unit(e.Time)
	return u
}

// TimeWithoutUnit is an int64 that by its name is the time, but does not say its
// unit, so that it is not taken as Time; nil for none.
func (e *Event) TimeWithoutUnit() *api.Field {
	if e.Time != nil {
		return nil
	}
	return onlyField(e.Message, func(x *api.Field) bool {
		_, known := unit(x)
		return isInt64(x) && isSettable(x) && isTimeName(x.Name) && !known
	})
}
