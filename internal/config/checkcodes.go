package config

import (
	"regexp"
	"slices"
	"strings"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/api"
)

// codesChecker checks one entry of codes.
type codesChecker struct {
	*checker
	path  string
	codes *Codes

	enum        *api.Enum // of the codes
	suggestions *api.Enum // nil if there is none
	// unsure says that a prefix or a value of a phase is misspelt, so that it does
	// not tell much which values have no phase.
	unsure bool
}

func newCodesChecker(c *checker, path string, codes *Codes) *codesChecker {
	return &codesChecker{checker: c, path: path, codes: codes}
}

func (c *codesChecker) check() {
	if !c.required(c.path, "enum", c.codes.Enum) {
		return
	}
	if c.enum = c.checker.enum(join(c.path, "enum"), c.codes.Enum); c.enum == nil {
		return
	}
	if c.codes.Ignore {
		c.ignored()
		return
	}
	if c.codes.Suggestions != "" {
		c.suggestions = c.checker.enum(join(c.path, "suggestions"), c.codes.Suggestions)
	}
	c.phases()
	c.classes()
	for value := range c.codes.Sections {
		c.value(keyOf(join(join(c.path, "sections"), value)), value)
	}
	for i := range c.codes.Problems {
		c.problem(at(join(c.path, "problems"), i), &c.codes.Problems[i])
	}
	c.fallbacks()
	if c.codes.Error != nil {
		c.domain(join(join(c.path, "error"), "domain"), c.codes.Error.Domain)
		_, fault := ResolveError(c.model, c.enum, c.suggestions, c.codes.Error)
		if fault != nil {
			c.add(join(join(c.path, "error"), fault.key), "%s", fault.text)
		}
	}
}

func (c *codesChecker) ignored() {
	codes := *c.codes
	codes.Enum, codes.Ignore = "", false
	if len(codes.Phases) > 0 || len(codes.NoPhase) > 0 || len(codes.Classes) > 0 || codes.DefaultClass != nil ||
		len(codes.Sections) > 0 || codes.Suggestions != "" || len(codes.Problems) > 0 || codes.Error != nil ||
		codes.Fallback != "" || len(codes.FallbackSuggestions) > 0 {
		c.add(join(c.path, "ignore"), "%q is ignored, so the other keys of this entry say nothing: remove them, or ignore", c.codes.Enum)
	}
}

// hostName is what a domain looks like.
var hostName = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*$`)

func (c *codesChecker) domain(path, domain string) {
	if domain != "" && !hostName.MatchString(domain) {
		c.add(path, "the domain %q does not look like a host name: write it as example.com", domain)
	}
}

// groupName is how a phase or a class can be named: Go constants are made of it.
var groupName = regexp.MustCompile(`^\p{L}[\p{L}\p{Nd} _-]*$`)

// group checks the name of a phase or a class against those before it, which seen
// has by what is left of them without case, spaces and dashes.
func (c *codesChecker) group(path, what, name string, seen map[string]string) {
	folded := strings.ToLower(strings.NewReplacer(" ", "", "_", "", "-", "").Replace(name))
	switch other, ok := seen[folded]; {
	case !groupName.MatchString(name):
		c.add(path, "the %s %q cannot be a Go name: use letters, digits, spaces, _ and -, and begin with a letter", what, name)
	case folded == "none":
		c.add(path, "the %s %q has the name of the zero value, which is for codes without one: choose another", what, name)
	case ok && other == name:
		c.add(path, "the %s %q is here a second time: put both entries into one", what, name)
	case ok:
		c.add(path, "the %s %q differs from %q only in case, spaces, _ and -: their Go names can be the same", what, name, other)
	}
	seen[folded] = name
}

// value notes a name that the enum has no value for.
func (c *codesChecker) value(path, name string) bool { return c.valueOf(c.enum, path, name) }

// single notes a name that cannot be put into a phase or a class: only the first
// of several values with one number can.
func (c *codesChecker) single(path, name string) bool {
	ok := c.value(path, name)
	for _, v := range c.enum.Values {
		if v.Name == name && aliased(v) != nil {
			c.add(path, "%q is an alias of %q: name that one", name, aliased(v).Name)
		}
	}
	return ok
}

// aliased returns the value that another one is an alias of, or nil.
func aliased(v *api.EnumValue) *api.EnumValue {
	for _, other := range v.Parent.Values {
		if other == v {
			break
		}
		if other.Desc.GetNumber() == v.Desc.GetNumber() {
			return other
		}
	}
	return nil
}

func (c *codesChecker) valueOf(e *api.Enum, path, name string) bool {
	known := make([]string, len(e.Values))
	for i, v := range e.Values {
		known[i] = v.Name
	}
	ok := slices.Contains(known, name)
	if !ok {
		c.add(path, "the enum %s has no value %q%s", e.FullName, name, didYouMean(name, known))
	}
	return ok
}

// maxNames is how many phases or classes a table can have: they are numbered with
// a byte, and none of them is 0.
const maxNames = 255

func (c *codesChecker) phases() {
	taken := make(map[string]string) // values and prefixes, to the phase that has them
	names := make(map[string]string)
	for i := range c.codes.Phases {
		p, path := &c.codes.Phases[i], at(join(c.path, "phases"), i)
		if !c.required(path, "name", p.Name) {
			continue
		}
		c.group(join(path, "name"), "phase", p.Name, names)
		if len(p.Prefixes) == 0 && len(p.Values) == 0 && p.Fallback == "" {
			c.add(path, "the phase %q has neither prefixes nor values nor a fallback", p.Name)
		}
		for j, prefix := range p.Prefixes {
			c.prefix(at(join(path, "prefixes"), j), prefix)
			c.unshared(at(join(path, "prefixes"), j), "the prefix", prefix, "phase "+p.Name, taken)
		}
		for j, value := range p.Values {
			c.unsure = !c.single(at(join(path, "values"), j), value) || c.unsure
			c.unshared(at(join(path, "values"), j), "the value", value, "phase "+p.Name, taken)
		}
	}
	if len(c.codes.Phases) > maxNames {
		c.add(join(c.path, "phases"), "there are %d phases: a table can have %d", len(c.codes.Phases), maxNames)
	}
	c.noPhase(taken)
}

func (c *codesChecker) noPhase(taken map[string]string) {
	for i, value := range c.codes.NoPhase {
		path := at(join(c.path, "no_phase"), i)
		c.unsure = !c.single(path, value) || c.unsure
		c.unshared(path, "the value", value, "no_phase", taken)
	}
	if len(c.codes.Phases) == 0 || c.unsure {
		return
	}
	for _, v := range c.enum.Values {
		if aliased(v) == nil && c.codes.PhaseOf(v.Name) == nil && !slices.Contains(c.codes.NoPhase, v.Name) {
			c.add(keyOf(join(c.path, "phases")), "the value %q of %s has no phase: add a prefix or the value to one, or to no_phase", v.Name, c.enum.FullName)
		}
	}
}

func (c *codesChecker) prefix(path, prefix string) {
	if prefix == "" || !slices.ContainsFunc(c.enum.Values, func(v *api.EnumValue) bool { return strings.HasPrefix(v.Name, prefix) }) {
		c.unsure = true
		c.add(path, "no value of %s begins with the prefix %q", c.enum.FullName, prefix)
	}
}

// unshared notes what two groups claim.
func (c *codesChecker) unshared(path, what, name, group string, taken map[string]string) {
	if other, ok := taken[name]; ok {
		c.add(path, "%s %q is in %s and in %s: it can only be in one", what, name, other, group)
		return
	}
	taken[name] = group
}

func (c *codesChecker) classes() {
	names, taken := make(map[string]string), make(map[string]string)
	var spans []classSpan
	for i := range c.codes.Classes {
		class, path := &c.codes.Classes[i], at(join(c.path, "classes"), i)
		c.class(path, class, names)
		if len(class.Ranges) == 0 && len(class.Values) == 0 {
			c.add(path, "the class %q has neither ranges nor values", class.Name)
		}
		for j, text := range class.Ranges {
			spans = c.span(at(join(path, "ranges"), j), class.Name, text, spans)
		}
		for j, value := range class.Values {
			c.single(at(join(path, "values"), j), value)
			c.unshared(at(join(path, "values"), j), "the value", value, "class "+class.Name, taken)
		}
	}
	if class := c.codes.DefaultClass; class != nil {
		path := join(c.path, "default_class")
		c.class(path, class, names)
		if len(class.Ranges) > 0 || len(class.Values) > 0 {
			c.add(path, "the default class %q takes what no other class covers: it has no ranges and no values", class.Name)
		}
	}
	if len(names) > maxNames {
		c.add(join(c.path, "classes"), "there are %d classes: a table can have %d", len(names), maxNames)
	}
	c.classless()
}

func (c *codesChecker) class(path string, class *Class, names map[string]string) {
	if !c.required(path, "name", class.Name) {
		return
	}
	c.group(join(path, "name"), "class", class.Name, names)
	switch {
	case class.GRPC == "":
	case class.GRPC == "OK":
		c.add(join(path, "grpc"), `an error cannot have the gRPC code "OK": leave "grpc" out where no error is of the class`)
	case !slices.Contains(grpcCodes, class.GRPC):
		c.add(join(path, "grpc"), "%q is no gRPC code%s", class.GRPC, didYouMean(class.GRPC, grpcCodes[1:]))
	}
}

type classSpan struct {
	span
	class, text string
}

func (c *codesChecker) span(path, class, text string, before []classSpan) []classSpan {
	s, err := parseSpan(text)
	if err != nil {
		c.add(path, "%v", err)
		return before
	}
	for _, other := range before {
		if s.overlaps(other.span) {
			c.add(path, "the range %q of class %s overlaps %q of class %s", text, class, other.text, other.class)
			break
		}
	}
	return append(before, classSpan{s, class, text})
}

// classless notes values without a class, where there are classes.
func (c *codesChecker) classless() {
	if len(c.codes.Classes) == 0 {
		return
	}
	for _, v := range c.enum.Values {
		if aliased(v) == nil && c.codes.ClassOf(v.Name, v.Desc.GetNumber()) == nil {
			c.add(keyOf(join(c.path, "classes")), "the value %q = %d of %s has no class: add it to one, or a default_class", v.Name, v.Desc.GetNumber(), c.enum.FullName)
		}
	}
}

func (c *codesChecker) problem(path string, p *Problem) {
	if !c.required(path, "code", p.Code) {
		return
	}
	c.value(join(path, "code"), p.Code)
	if p.Pattern == "" && len(p.Suggestions) == 0 {
		c.add(path, "the problem %q has neither a pattern nor suggestions", p.Code)
	}
	if _, err := regexp.Compile(p.Pattern); err != nil {
		c.add(join(path, "pattern"), "the pattern %q of %s is no regular expression: %v", p.Pattern, p.Code, strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	for i, name := range p.Phases {
		c.phaseName(at(join(path, "phases"), i), name)
	}
	switch {
	case len(p.Phases) > 0 && p.Pattern == "":
		c.add(join(path, "phases"), "%s has no pattern, so there is nothing to try in these phases", p.Code)
	case len(p.Phases) == 0 && p.Pattern != "" && len(c.codes.Phases) > 0 && !c.unsure && c.codes.PhaseOf(p.Code) == nil:
		c.add(join(path, "pattern"), "%s has no phase of its own: say in which phases the pattern is tried", p.Code)
	}
	c.suggestionList(join(path, "suggestions"), p.Suggestions)
}

func (c *codesChecker) phaseName(path, name string) {
	known := make([]string, len(c.codes.Phases))
	for i, p := range c.codes.Phases {
		known[i] = p.Name
	}
	if !slices.Contains(known, name) {
		c.add(path, "there is no phase %q%s", name, didYouMean(name, known))
	}
}

func (c *codesChecker) suggestionList(path string, list []Suggestion) {
	if len(list) > 0 && c.codes.Suggestions == "" {
		c.add(path, `there are suggestions, but no "suggestions" of %q that names their enum`, c.codes.Enum)
		return
	}
	for i, s := range list {
		if c.required(at(path, i), "code", s.Code) && c.suggestions != nil {
			c.valueOf(c.suggestions, join(at(path, i), "code"), s.Code)
		}
	}
}

// fallbacks checks the codes of last resort. Where one thing is classified
// everything has to be.
func (c *codesChecker) fallbacks() {
	c.fallback(c.path, c.codes.Fallback, c.codes.FallbackSuggestions)
	classified := slices.ContainsFunc(c.codes.Problems, func(p Problem) bool { return p.Pattern != "" })
	for i := range c.codes.Phases {
		p := &c.codes.Phases[i]
		c.fallback(at(join(c.path, "phases"), i), p.Fallback, p.FallbackSuggestions)
		classified = classified || p.Fallback != ""
	}
	if classified && c.codes.Fallback == "" {
		c.add(join(c.path, "enum"), `%q has patterns or phases with a fallback, but no "fallback" of its own for all other errors`, c.codes.Enum)
	}
}

func (c *codesChecker) fallback(path, code string, suggestions []Suggestion) {
	if code != "" {
		c.value(join(path, "fallback"), code)
	} else if len(suggestions) > 0 {
		c.add(join(path, "fallback_suggestions"), `there are fallback_suggestions without a "fallback"`)
	}
	c.suggestionList(join(path, "fallback_suggestions"), suggestions)
}
