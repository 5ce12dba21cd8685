package config

import (
	"slices"
	"strings"

	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/api"
)

// checker compares a config with the descriptors. Each of its methods checks the
// part at a path of the document and notes what is wrong with it.
type checker struct {
	*document
	model *api.Model
}

func (c *checker) config(cfg *Config) {
	if cfg.Version != "v1" {
		if c.places["version"] == nil {
			c.add("version", `there is no version: begin the file with "version: v1"`)
		} else {
			c.add("version", "version %q is not known: this plugin reads v1", cfg.Version)
		}
	}
	messages := make(map[string]bool)
	for i := range cfg.Events {
		c.event(at("events", i), &cfg.Events[i])
		c.once(join(at("events", i), "message"), "the event", cfg.Events[i].Message, messages)
	}
	enums, errors := make(map[string]bool), make(map[string]bool)
	for i := range cfg.Codes {
		newCodesChecker(c, at("codes", i), &cfg.Codes[i]).check()
		c.once(join(at("codes", i), "enum"), "the enum", cfg.Codes[i].Enum, enums)
		if e := cfg.Codes[i].Error; e != nil && errors[e.Message] && e.Message != "" {
			c.add(join(at("codes", i), "error.message"), "%q is the error of another table, too: a message can be that of one", e.Message)
		} else if e != nil {
			errors[e.Message] = true
		}
	}
}

// once notes a name that is there for the second time.
func (c *checker) once(path, what, name string, seen map[string]bool) {
	if seen[name] && name != "" {
		c.add(path, "%s %q is here a second time: put both entries into one", what, name)
	}
	seen[name] = true
}

// required notes a key that is missing or empty.
func (c *checker) required(path, key, value string) bool {
	if value == "" {
		c.add(join(path, key), "there is no %q, or it is empty", key)
	}
	return value != ""
}

func (c *checker) message(path, name string) *api.Message {
	m := c.model.Message(name)
	if m == nil {
		c.add(path, "no file of the request has a message %q%s", name, didYouMean(name, c.messageNames()))
	}
	return m
}

func (c *checker) enum(path, name string) *api.Enum {
	e := c.model.Enum(name)
	if e == nil {
		c.add(path, "no file of the request has an enum %q%s", name, didYouMean(name, c.enumNames()))
	}
	return e
}

func (c *checker) messageNames() []string {
	var names []string
	for _, f := range c.model.All {
		for m := range f.AllMessages() {
			if !m.IsMapEntry() {
				names = append(names, m.FullName)
			}
		}
	}
	return names
}

func (c *checker) enumNames() []string {
	var names []string
	for _, f := range c.model.All {
		for e := range f.AllEnums() {
			names = append(names, e.FullName)
		}
	}
	return names
}

func (c *checker) event(path string, e *Event) {
	if !c.required(path, "message", e.Message) {
		return
	}
	m := c.message(join(path, "message"), e.Message)
	if m == nil {
		return
	}
	if e.Ignore && (e.Discriminator != "" || e.Time != "" || len(e.Values) > 0) {
		c.add(join(path, "ignore"), "%q is ignored, so the other keys of this entry say nothing: remove them, or ignore", e.Message)
		return
	}
	c.discriminator(join(path, "discriminator"), m, e.Discriminator)
	c.time(join(path, "time"), m, e.Time)
	fields := make(map[string]bool)
	for i, v := range e.Values {
		c.values(at(join(path, "values"), i), v)
		c.once(join(at(join(path, "values"), i), "field"), "the field", v.Field, fields)
	}
}

func (c *checker) discriminator(path string, m *api.Message, name string) {
	if name == "" {
		return
	}
	var known []string
	for _, o := range m.Oneofs {
		if !o.IsSynthetic() {
			known = append(known, o.Name)
		}
	}
	for _, f := range m.Fields {
		if f.Enum != nil && !f.IsRepeated() {
			known = append(known, f.Name)
		}
	}
	if !slices.Contains(known, name) {
		c.add(path, "%s has no oneof and no singular enum field %q%s", m.FullName, name, didYouMean(name, known))
	}
}

func (c *checker) time(path string, m *api.Message, name string) {
	if name == "" {
		return
	}
	var known []string
	for _, f := range m.Fields {
		if !f.IsRepeated() && (f.TypeName() == "google.protobuf.Timestamp" || f.TypeName() == "int64") {
			known = append(known, f.Name)
		}
	}
	if !slices.Contains(known, name) {
		c.add(path, "%s has no field %q of type google.protobuf.Timestamp or int64%s", m.FullName, name, didYouMean(name, known))
	}
}

func (c *checker) values(path string, v Values) {
	if !c.required(path, "field", v.Field) {
		return
	}
	c.stringField(join(path, "field"), v.Field)
	replace, add := c.has(path, "replace"), c.has(path, "add")
	switch {
	case replace && add:
		c.add(join(path, "add"), `%q has both "replace" and "add": replace alone holds all values`, v.Field)
	case replace && len(v.Replace) == 0:
		c.add(join(path, "replace"), `%q has an empty "replace": name at least one value`, v.Field)
	case add && len(v.Add) == 0:
		c.add(join(path, "add"), `%q has an empty "add": name at least one value`, v.Field)
	case !replace && !add:
		c.add(path, `%q has neither "replace" nor "add": name at least one value`, v.Field)
	}
	c.valueList(join(path, "replace"), v.Replace)
	c.valueList(join(path, "add"), v.Add)
}

// has tells whether a mapping has a key, whatever its value.
func (c *checker) has(path, key string) bool { return c.places[keyOf(join(path, key))] != nil }

func (c *checker) valueList(path string, list []string) {
	c.distinct(path, list)
	if i := slices.Index(list, ""); i >= 0 {
		c.add(at(path, i), "a documented value cannot be empty: leave it out")
	}
}

// distinct notes what a list has twice.
func (c *checker) distinct(path string, list []string) {
	for i, item := range list {
		if slices.Contains(list[:i], item) {
			c.add(at(path, i), "%q is in this list twice", item)
		}
	}
}

// stringField checks the full name of a field: package.Message.field.
func (c *checker) stringField(path, name string) {
	dot := strings.LastIndexByte(name, '.')
	if dot < 0 {
		c.add(path, "%q is no full name of a field: write package.Message.field", name)
		return
	}
	m := c.message(path, name[:dot])
	if m == nil {
		return
	}
	var known []string
	for _, f := range m.Fields {
		if f.Name == name[dot+1:] && f.Desc.GetType() != descriptorpb.FieldDescriptorProto_TYPE_STRING {
			c.add(path, "the field %q is of type %s: only strings have documented values", name, f.TypeName())
			return
		}
		if f.Name == name[dot+1:] {
			return
		}
		known = append(known, f.Name)
	}
	c.add(path, "%s has no field %q%s", m.FullName, name[dot+1:], didYouMean(name[dot+1:], known))
}
