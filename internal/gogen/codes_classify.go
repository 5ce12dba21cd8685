package gogen

import (
	"strings"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/codes"
)

// sentinel writes the error that is nothing but a code.
func (f *codesFile) sentinel(t *codeTable) {
	example := t.Codes[len(t.Codes)-1]
	if t.Fallback != nil {
		example = t.Fallback.Code
	}
	f.doc(t.errorType + " is an error that is a code and nothing else. It is what to compare an error with to find out its code:")
	f.P("//")
	f.P("//\terrors.Is(err, ", t.errorType, "(", f.value(t.enum, example.Value), "))")
	f.P("type ", t.errorType, " ", t.enum.GoIdent)
	f.P()
	f.doc("Error returns the name of the code and its description.")
	f.Pv("func ($e ", t.errorType, ") Error() string {")
	f.Pv("$info, _ := ", t.infoOf, "($e.Code())")
	f.Pv(`if $info.Description == "" {`)
	f.Pv("return $info.Name")
	f.P("}")
	f.Pv(`return $info.Name + ": " + $info.Description`)
	f.P("}")
	f.P()
	f.doc("Code returns the code.")
	f.Pv("func ($e ", t.errorType, ") Code() ", t.enum.GoIdent, " { return ", t.enum.GoIdent, "($e) }")
	f.P()
}

func (f *codesFile) suggestions(t *codeTable) {
	f.doc(t.suggestionType + " is what a user can do about a code.")
	f.P("type ", t.suggestionType, " struct {")
	f.P("Code ", t.suggestions.GoIdent)
	f.P("Action string // in words")
	f.P("When string // under what condition; empty for always")
	f.P("}")
	f.P()
	f.doc(t.suggestionsOf + " goes through what a user can do about a code.")
	f.P("func ", t.suggestionsOf, "(code ", t.enum.GoIdent, ") ", iterPackage.Ident("Seq"), "[", t.suggestionType, "] {")
	f.P("return func(yield func(", t.suggestionType, ") bool) {")
	if len(t.Problems) > 0 {
		f.P("for i := range ", t.problems, " {")
		f.P("if ", t.problems, "[i].code != code {")
		f.P("continue")
		f.P("}")
		f.P("for _, suggestion := range ", t.problems, "[i].suggestions {")
		f.P("if !yield(suggestion) {")
		f.P("return")
		f.P("}")
		f.P("}")
		f.P("}")
	}
	f.P("}")
	f.P("}")
	f.P()
}

// classify writes the way from an error to its code.
func (f *codesFile) classify(t *codeTable) {
	phase, inPhase, arg := "", "", ""
	rules := "that of the first pattern that its text matches; else " + t.Fallback.Code.Value.Name + "."
	if len(t.Phases) > 0 {
		phase, inPhase, arg = "$phase "+t.phaseType+", ", " that came up in a phase", "$phase, "
		rules = "that of the first pattern of the phase that its text matches; else the phase's code of last resort, which is " +
			t.Fallback.Code.Value.Name + " for a phase that has none of its own."
	}
	result := []any{f.QualifiedGoIdent(t.enum.GoIdent)}
	if t.Suggestions != nil {
		result = []any{"(", t.enum.GoIdent, ", ", iterPackage.Ident("Seq"), "[", t.suggestionType, "])"}
	}
	returns := func(code, suggestions string) {
		if t.Suggestions == nil {
			f.Pv("return ", code)
		} else {
			f.Pv("return ", code, ", ", suggestions)
		}
	}
	suggested := ""
	if t.Suggestions != nil {
		suggested = ", and what a user can do about it"
	}
	f.doc(t.classify + " returns the code of an error" + inPhase + suggested + ". " +
		"The code is the one that err, or an error that it wraps, has itself in a method Code; else " + rules + " A nil error has the code 0.")
	f.Pv(append([]any{"func ", t.classify, "(", phase, "$err error) "}, append(result, " {")...)...)
	f.Pv("if $err == nil {")
	returns("0", t.suggestionsOf+"(0)")
	f.P("}")
	f.Pv("var $coded interface{ Code() ", t.enum.GoIdent, " }")
	f.Pv("if ", errorsPackage.Ident("As"), "($err, &$coded) {")
	returns("$coded.Code()", t.suggestionsOf+"($coded.Code())")
	f.P("}")
	f.Pv("$problem := ", t.problemOf, "(", arg, "$err.Error())")
	if t.Suggestions == nil {
		f.Pv("return $problem.code")
	} else {
		f.Pv("return $problem.code, ", slicesPackage.Ident("Values"), "($problem.suggestions)")
	}
	f.P("}")
	f.P()
	f.problemOf(t, phase)
}

func (f *codesFile) problemOf(t *codeTable, phase string) {
	f.doc(t.problemOf + " returns the problem that a text is about; the last one is about all others.")
	f.Pv("func ", t.problemOf, "(", phase, "text string) *", t.problemType, " {")
	if len(t.Phases) > 0 || t.hasPatterns() {
		f.searchProblems(t)
	}
	f.P("return &", t.problems, "[len(", t.problems, ")-1]")
	f.P("}")
	f.P()
}

// searchProblems writes the loop over all problems that can be told apart.
func (f *codesFile) searchProblems(t *codeTable) {
	f.P("for i := range ", t.problems, " {")
	f.P("problem := &", t.problems, "[i]")
	switch {
	case len(t.Phases) > 0 && t.hasPatterns():
		f.Pv("if ", slicesPackage.Ident("Contains"), "(problem.phases, $phase) && (problem.pattern == nil || problem.pattern().MatchString(text)) {")
	case len(t.Phases) > 0:
		f.Pv("if ", slicesPackage.Ident("Contains"), "(problem.phases, $phase) {")
	default:
		f.P("if problem.pattern != nil && problem.pattern().MatchString(text) {")
	}
	f.P("return problem")
	f.P("}")
	f.P("}")
}

// problems writes the catalogue. Those with phases are found by Classify, in
// their order; the one that ends a phase has no pattern.
func (f *codesFile) problems(t *codeTable) {
	f.doc(t.problemType + " is what is known about errors with a code.")
	f.P("type ", t.problemType, " struct {")
	f.P("code ", t.enum.GoIdent)
	if t.Fallback != nil && len(t.Phases) > 0 {
		f.P("phases []", t.phaseType, " // in which an error can be about it")
	}
	if t.hasPatterns() {
		f.P("pattern func() *", regexpPackage.Ident("Regexp"), " // of the text of the error; nil for any text")
	}
	if t.Suggestions != nil {
		f.P("suggestions []", t.suggestionType)
	}
	f.P("}")
	f.P()
	if t.hasPatterns() {
		f.doc(t.pattern + " compiles an expression when it is needed for the first time.")
		f.P("func ", t.pattern, "(expr string) func() *", regexpPackage.Ident("Regexp"), " {")
		f.P("return ", syncPackage.Ident("OnceValue"), "(func() *", regexpPackage.Ident("Regexp"), " { return ", regexpPackage.Ident("MustCompile"), "(expr) })")
		f.P("}")
		f.P()
	}
	f.P("var ", t.problems, " = [...]", t.problemType, "{")
	for _, p := range t.Problems {
		f.problem(t, p)
	}
	f.P("}")
	f.P()
}

func (f *codesFile) problem(t *codeTable, p *codes.Problem) {
	f.P("{")
	f.P("code: ", f.value(t.enum, p.Code.Value), ",")
	if phases := t.phasesOf(p); t.Fallback != nil && len(phases) > 0 {
		f.P("phases: []", t.phaseType, "{", strings.Join(phases, ", "), "},")
	}
	if p.Pattern != "" {
		f.P("pattern: ", t.pattern, "(", literal(p.Pattern), "),")
	}
	if len(p.Suggestions) > 0 {
		f.P("suggestions: []", t.suggestionType, "{")
		for _, s := range p.Suggestions {
			f.suggestion(t, s)
		}
		f.P("},")
	}
	f.P("},")
}

func (f *codesFile) suggestion(t *codeTable, s codes.Suggestion) {
	f.P("{")
	f.P("Code: ", f.value(t.suggestions, s.Value), ",")
	f.optional("Action", s.Action)
	f.optional("When", s.When)
	f.P("},")
}

// phasesOf are the phases in which a problem is looked for.
func (t *codeTable) phasesOf(p *codes.Problem) []string {
	var idents []string
	for _, phase := range p.Phases {
		idents = append(idents, t.phases[phase])
	}
	for _, phase := range t.Phases {
		if phase.Fallback == p {
			idents = append(idents, t.phases[phase])
		}
	}
	return idents
}
