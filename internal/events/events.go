// Package events finds the events of an API: what kinds a message of events
// tells apart, what their payloads have in common, and which values the
// comments document for strings.
//
// A message is an event if the config names it, or by convention if it is named
// Event or …Event and has one of two discriminators:
//
//   - a oneof with two or more members of message types. It has to be the only
//     such oneof of the message.
//   - without such a oneof, a singular enum field outside of any oneof that is
//     named type, kind, …_type or …_kind (or …Type, …Kind), or whose enum is
//     named as the message with Type or Kind at its end. It has to be the only
//     such field, and its enum has to have two or more values.
//
// The config can name a message that the convention misses, choose among
// several discriminators, and ignore a message that is no event.
package events

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/api"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/config"
)

// Event is a message that tells kinds of events apart. Either Oneof or Type is
// its discriminator.
type Event struct {
	Message *api.Message
	Oneof   *api.Oneof
	Type    *api.Field // the enum field
	Time    *api.Field // when it happened: a Timestamp or an int64; nil for none

	// Variants are the members of Oneof, in their order.
	Variants []*Variant
	// Shared are the fields that several payloads have, in the order in which the
	// variants bring them up.
	Shared []*Shared
	// Values are the documented values of string fields: those of the event, then
	// those of the payloads. A payload of two variants is there once.
	Values []*Values
	// Error is the message that carries errors; nil for none.
	Error *Error

	entry string // the place of what the config says about it; empty for nothing
}

// Variant is a member of the oneof.
type Variant struct {
	Field *api.Field
	// Status is the payload's documented field of that name; nil for none.
	Status *Values
	// Err is the payload's only field of the type Event.Error.
	Err *api.Field
}

// Payload is the type of the variant; nil for a scalar.
func (v *Variant) Payload() *api.Message { return v.Field.Message }

// Shared is a field name that the payloads of several variants have.
type Shared struct {
	Name     string
	Variants []*Variant   // those whose payloads have it
	Fields   []*api.Field // for each variant its own
	// SameType tells that all of them have one type: without it the name has more
	// than one meaning.
	SameType bool
}

// Error is a message that carries errors.
type Error struct {
	Message *api.Message
	Text    *api.Field // its string for people
	Code    *api.Field // its only field of an enum; nil for none
}

// Find returns the events of the files to generate, in the files' order.
func Find(model *api.Model, cfg *config.Config) ([]*Event, error) {
	f := &finder{model: model, config: cfg, byName: make(map[string]*entry)}
	var errs []error
	for i := range cfg.Events {
		c := &cfg.Events[i]
		f.byName[c.Message] = &entry{Event: c, path: fmt.Sprintf("events[%d]", i)}
		if model.Message(c.Message) == nil {
			errs = append(errs, fmt.Errorf("config %s: message %s is not declared in any .proto file of the request", f.byName[c.Message].path, c.Message))
		}
	}
	var found []*Event
	for _, file := range model.Files {
		for m := range file.AllMessages() {
			e, err := f.event(m)
			errs = append(errs, err)
			if e != nil {
				found = append(found, e)
			}
		}
	}
	return found, errors.Join(errs...)
}

type finder struct {
	model  *api.Model
	config *config.Config
	byName map[string]*entry
}

// entry is what the config says about an event, and where.
type entry struct {
	*config.Event
	path string // in the config, such as events[0]
}

// event returns the event that a message is; nil if it is none.
func (f *finder) event(m *api.Message) (*Event, error) {
	c := f.byName[m.FullName]
	e := &Event{Message: m}
	if c != nil {
		e.entry = c.path
	}
	switch {
	case c == nil && !strings.HasSuffix(m.Name, "Event"), c != nil && c.Ignore:
		return nil, nil
	case c != nil && c.Discriminator != "":
		if err := e.discriminate(c.Discriminator); err != nil {
			return nil, err
		}
	default:
		if err := e.guess(); err != nil {
			if c == nil {
				return nil, nil // by convention, it is no event
			}
			return nil, err
		}
	}
	if c == nil {
		c = &entry{Event: new(config.Event)}
	}
	if err := e.setTime(c.Time); err != nil {
		return nil, err
	}
	e.setVariants()
	e.setShared()
	f.setError(e)
	return e, e.setValues(c.Values)
}

// guess finds the discriminator by convention. Its error matters only for a
// message that the config names.
func (e *Event) guess() error {
	oneofs := slices.DeleteFunc(slices.Clone(e.Message.Oneofs), func(o *api.Oneof) bool { return !isPayloads(o) })
	if len(oneofs) == 0 {
		fields := slices.DeleteFunc(slices.Clone(e.Message.Fields), func(x *api.Field) bool { return !isType(x) })
		if len(fields) == 1 {
			e.Type = fields[0]
			return nil
		}
		return e.errorf("", "%s has no discriminator: neither a oneof of two or more messages nor one enum field named type, kind, …_type or …_kind; name one in the config", e.Message.FullName)
	}
	if len(oneofs) > 1 {
		return e.errorf("", "%s has %d oneofs of messages: name one as the discriminator in the config", e.Message.FullName, len(oneofs))
	}
	e.Oneof = oneofs[0]
	return nil
}

// isPayloads tells a oneof of two or more messages.
func isPayloads(o *api.Oneof) bool {
	n := 0
	for _, x := range o.Fields {
		if x.Message != nil {
			n++
		}
	}
	return n >= 2
}

// isType tells an enum field that by its name discriminates.
func isType(x *api.Field) bool {
	if !isEnum(x) || len(x.Enum.Values) < 2 {
		return false
	}
	for _, word := range []string{"Type", "Kind"} {
		lower := strings.ToLower(word)
		if x.Name == lower || strings.HasSuffix(x.Name, "_"+lower) || strings.HasSuffix(x.Name, word) || x.Enum.Name == x.Parent.Name+word {
			return true
		}
	}
	return false
}

// isEnum tells a singular enum field outside of a oneof.
func isEnum(x *api.Field) bool { return x.Enum != nil && !x.IsRepeated() && !InOneof(x) }

// InOneof tells a member of a oneof that the file declares.
func InOneof(x *api.Field) bool { return x.Oneof != nil && !x.Oneof.IsSynthetic() }

// discriminate takes the oneof or the enum field that the config names.
func (e *Event) discriminate(name string) error {
	for _, o := range e.Message.Oneofs {
		if isNamed(name, o.Name, o.FullName()) && !o.IsSynthetic() {
			e.Oneof = o
			return nil
		}
	}
	if x := e.field(name); x != nil && isEnum(x) {
		e.Type = x
		return nil
	}
	return e.errorf(".discriminator", "%s has neither a oneof nor a singular enum field %q, which the config names as its discriminator", e.Message.FullName, name)
}

// field finds a field of the event by its name, the full one included.
func (e *Event) field(name string) *api.Field {
	for _, x := range e.Message.Fields {
		if isNamed(name, x.Name, x.FullName()) {
			return x
		}
	}
	return nil
}

func isNamed(wanted, name, fullName string) bool { return wanted == name || wanted == fullName }

const timestamp = "google.protobuf.Timestamp"

// IsTimestamp tells a singular google.protobuf.Timestamp.
func IsTimestamp(x *api.Field) bool { return !x.IsRepeated() && x.TypeName() == timestamp }

// setTime finds the field for the time: the one that the config names, or the
// only Timestamp, or the only int64 that is named time or timestamp and says its
// unit.
func (e *Event) setTime(name string) error {
	if name != "" {
		x := e.field(name)
		if x == nil || !isSettable(x) || !IsTimestamp(x) && !isInt64(x) {
			return e.errorf(".time", "%s has no field %q of type %s or int64, which the config names as its time", e.Message.FullName, name, timestamp)
		}
		e.Time = x
		return nil
	}
	e.Time = onlyField(e.Message, func(x *api.Field) bool { return IsTimestamp(x) && isSettable(x) })
	if e.Time == nil && !slices.ContainsFunc(e.Message.Fields, IsTimestamp) {
		e.Time = onlyField(e.Message, func(x *api.Field) bool {
			_, known := unit(x)
			return isInt64(x) && isSettable(x) && isTimeName(x.Name) && known
		})
	}
	return nil
}

func isInt64(x *api.Field) bool {
	return x.Desc.GetType() == descriptorpb.FieldDescriptorProto_TYPE_INT64
}

func (e *Event) setVariants() {
	if e.Oneof == nil {
		return
	}
	for _, x := range e.Oneof.Fields {
		e.Variants = append(e.Variants, &Variant{Field: x})
	}
}

// setShared collects the names that the payloads of several variants have.
func (e *Event) setShared() {
	byName := make(map[string]*Shared)
	var all []*Shared
	for _, v := range e.Variants {
		if v.Payload() == nil {
			continue
		}
		for _, x := range v.Payload().Fields {
			s := byName[x.Name]
			if s == nil {
				s = &Shared{Name: x.Name, SameType: true}
				byName[x.Name] = s
				all = append(all, s)
			}
			s.Variants = append(s.Variants, v)
			s.Fields = append(s.Fields, x)
			s.SameType = s.SameType && sameType(s.Fields[0], x)
		}
	}
	e.Shared = slices.DeleteFunc(all, func(s *Shared) bool { return len(s.Fields) < 2 })
}

// sameType tells fields that Go code can read alike.
func sameType(a, b *api.Field) bool {
	if a.IsMap() && b.IsMap() { // each has an entry type of its own
		return sameType(a.MapKey(), b.MapKey()) && sameType(a.MapValue(), b.MapValue())
	}
	return a.Desc.GetType() == b.Desc.GetType() && a.TypeName() == b.TypeName() && a.Presence() == b.Presence()
}

// setError finds the message that carries errors: one that the config names, or
// by convention one named …Err or …Error that has a string field message. The
// first variant that has one decides.
func (f *finder) setError(e *Event) {
	for _, v := range e.Variants {
		if v.Payload() == nil {
			continue
		}
		for _, x := range v.Payload().Fields {
			if e.Error == nil && isSettable(x) && x.Message != nil {
				e.Error = f.errorMessage(x.Message)
			}
		}
	}
	if e.Error == nil {
		return
	}
	for _, v := range e.Variants {
		v.Err = onlyField(v.Payload(), func(x *api.Field) bool { return isSettable(x) && x.Message == e.Error.Message })
	}
}

func (f *finder) errorMessage(m *api.Message) *Error {
	text := "message"
	named := false
	for _, c := range f.config.Codes {
		if c.Error != nil && c.Error.Message == m.FullName {
			named = true
			text = cmp.Or(c.Error.Text, text)
		}
	}
	if !named && !strings.HasSuffix(m.Name, "Err") && !strings.HasSuffix(m.Name, "Error") {
		return nil
	}
	x := onlyField(m, func(x *api.Field) bool { return isNamed(text, x.Name, x.FullName()) && isString(x) && isSettable(x) })
	if x == nil {
		return nil
	}
	return &Error{Message: m, Text: x, Code: onlyField(m, isEnum)}
}

// onlyField returns the only field of a message that fits; nil for none or for
// several.
func onlyField(m *api.Message, fits func(*api.Field) bool) *api.Field {
	if m == nil {
		return nil
	}
	var found *api.Field
	for _, x := range m.Fields {
		if !fits(x) {
			continue
		}
		if found != nil {
			return nil
		}
		found = x
	}
	return found
}

// isSettable tells a singular field that can be set without changing another.
func isSettable(x *api.Field) bool { return !x.IsRepeated() && !InOneof(x) }

func isString(x *api.Field) bool {
	return x.Desc.GetType() == descriptorpb.FieldDescriptorProto_TYPE_STRING
}

// errorf is an error about what the config says, at a place within its entry for
// the event.
func (e *Event) errorf(place, format string, args ...any) error {
	return fmt.Errorf("config %s%s: %s (%s)", e.entry, place, fmt.Sprintf(format, args...), e.Message.Pos())
}
