// Package codes finds the tables of codes of an API: enums whose values are
// looked up, grouped and explained, rather than only compared.
package codes

import (
	"fmt"
	"strings"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/api"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/config"
)

// Table is an enum of codes with all that is known about them.
type Table struct {
	Enum  *api.Enum
	Codes []*Code // in the order of their declaration, without aliases
	// Phases and Classes are in the order of the config; the default class is the
	// last. Both are empty where the config names none.
	Phases  []*Phase
	Classes []*Class
	// Problems are those with a pattern or suggestions, in the order of the config;
	// those of the fallbacks come last.
	Problems []*Problem
	// Suggestions is the enum of what a user can do; nil if there is none.
	Suggestions *api.Enum
	// Fallback is the problem of an error that nothing else is known about; nil
	// where errors are not classified.
	Fallback *Problem
	Error    *config.ErrorMessage // nil if there is none
}

// Code is a number of the enum.
type Code struct {
	Value   *api.EnumValue   // the first one that is declared with the number
	Aliases []*api.EnumValue // the others (allow_alias)
	Phase   *Phase           // nil if it has none
	Class   *Class           // nil if the table has none
	Section string
}

// Number is the number of the code.
func (c *Code) Number() int32 { return c.Value.Desc.GetNumber() }

// Description is the comment of the value: the leading one, else the trailing one.
func (c *Code) Description() string {
	if text := plain(c.Value.Comments.Leading); text != "" {
		return text
	}
	return plain(c.Value.Comments.Trailing)
}

// plain is the text of a comment, whose lines begin with the space that follows
// the comment marker.
func plain(comment string) string {
	lines := strings.Split(comment, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(strings.TrimPrefix(line, " "), " \t\r")
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// Deprecated tells whether the value is marked as deprecated.
func (c *Code) Deprecated() bool { return c.Value.Desc.GetOptions().GetDeprecated() }

// Phase is a part of the work that codes come from.
type Phase struct {
	Name string
	// Fallback is the problem of an error of the phase that no pattern matches;
	// nil where the table's own is meant.
	Fallback *Problem
}

// Class is what kind of outcome a code is.
type Class struct {
	Name string
	GRPC string // a name of google.rpc.Code; "" for UNKNOWN
}

// Problem is a code with what a user can do about it.
type Problem struct {
	Code    *Code
	Pattern string   // "" for none
	Phases  []*Phase // in which the pattern is tried; empty in a table without phases
	// Suggestions are in the order of the config.
	Suggestions []Suggestion
}

// Suggestion is what a user can do.
type Suggestion struct {
	Value        *api.EnumValue
	Action, When string
}

// Find returns the tables of a request: those of the config, in its order, and
// the other enums of the files to generate whose name ends in Code.
func Find(model *api.Model, cfg *config.Config) ([]*Table, error) {
	var tables []*Table
	configured := make(map[*api.Enum]bool)
	for i := range cfg.Codes {
		c := &cfg.Codes[i]
		enum := model.Enum(c.Enum)
		if enum == nil {
			return nil, fmt.Errorf("no file of the request has an enum %q", c.Enum)
		}
		configured[enum] = true
		if !c.Ignore {
			tables = append(tables, newTable(model, enum, c))
		}
	}
	for _, f := range model.All {
		if !f.Generated() {
			continue
		}
		for enum := range f.AllEnums() {
			if strings.HasSuffix(enum.Name, "Code") && !configured[enum] {
				tables = append(tables, newTable(model, enum, new(config.Codes)))
			}
		}
	}
	return tables, nil
}

func newTable(model *api.Model, enum *api.Enum, cfg *config.Codes) *Table {
	b := &builder{
		Table:   &Table{Enum: enum, Suggestions: model.Enum(cfg.Suggestions)},
		cfg:     cfg,
		codes:   make(map[string]*Code),
		phases:  make(map[string]*Phase),
		classes: make(map[string]*Class),
	}
	b.addGroups()
	b.addCodes()
	b.addProblems()
	if cfg.Error != nil {
		// Its faults are the config's, which is checked when it is loaded.
		b.Error, _ = config.ResolveError(model, enum, b.Suggestions, cfg.Error)
	}
	return b.Table
}

// builder makes a table; the config is right.
type builder struct {
	*Table
	cfg *config.Codes

	codes   map[string]*Code // by the names of values, aliases included
	phases  map[string]*Phase
	classes map[string]*Class
}

func (b *builder) addGroups() {
	for _, p := range b.cfg.Phases {
		phase := &Phase{Name: p.Name}
		b.phases[p.Name] = phase
		b.Phases = append(b.Phases, phase)
	}
	classes := b.cfg.Classes
	if b.cfg.DefaultClass != nil {
		classes = append(classes[:len(classes):len(classes)], *b.cfg.DefaultClass)
	}
	for _, c := range classes {
		class := &Class{Name: c.Name, GRPC: c.GRPC}
		b.classes[c.Name] = class
		b.Classes = append(b.Classes, class)
	}
}

func (b *builder) addCodes() {
	byNumber := make(map[int32]*Code)
	section := ""
	for _, v := range b.Enum.Values {
		section = b.section(v, section)
		if code := byNumber[v.Desc.GetNumber()]; code != nil {
			code.Aliases = append(code.Aliases, v)
			b.codes[v.Name] = code
			continue
		}
		code := &Code{Value: v, Section: section}
		if p := b.cfg.PhaseOf(v.Name); p != nil {
			code.Phase = b.phases[p.Name]
		}
		if c := b.cfg.ClassOf(v.Name, v.Desc.GetNumber()); c != nil {
			code.Class = b.classes[c.Name]
		}
		byNumber[code.Number()] = code
		b.codes[v.Name] = code
		b.Codes = append(b.Codes, code)
	}
}

// section is the one that a value stands in, given that of the value before it.
func (b *builder) section(v *api.EnumValue, before string) string {
	title, ok := b.cfg.Sections[v.Name]
	switch {
	case ok && title != "":
		return title
	case ok, len(v.Comments.Detached) == 0:
		return before
	}
	return plain(v.Section)
}

func (b *builder) addProblems() {
	for _, p := range b.cfg.Problems {
		problem := &Problem{Code: b.codes[p.Code], Pattern: p.Pattern, Suggestions: b.suggestions(p.Suggestions)}
		for _, name := range p.Phases {
			problem.Phases = append(problem.Phases, b.phases[name])
		}
		if p.Pattern != "" && len(p.Phases) == 0 && problem.Code.Phase != nil {
			problem.Phases = []*Phase{problem.Code.Phase}
		}
		b.Problems = append(b.Problems, problem)
	}
	for i, p := range b.cfg.Phases {
		b.Phases[i].Fallback = b.fallback(p.Fallback, p.FallbackSuggestions)
	}
	b.Fallback = b.fallback(b.cfg.Fallback, b.cfg.FallbackSuggestions)
}

func (b *builder) fallback(code string, suggestions []config.Suggestion) *Problem {
	if code == "" {
		return nil
	}
	problem := &Problem{Code: b.codes[code], Suggestions: b.suggestions(suggestions)}
	b.Problems = append(b.Problems, problem)
	return problem
}

func (b *builder) suggestions(list []config.Suggestion) []Suggestion {
	var resolved []Suggestion
	for _, s := range list {
		resolved = append(resolved, Suggestion{Value: valueOf(b.Suggestions, s.Code), Action: s.Action, When: s.When})
	}
	return resolved
}

func valueOf(e *api.Enum, name string) *api.EnumValue {
	for _, v := range e.Values {
		if v.Name == name {
			return v
		}
	}
	return nil
}
