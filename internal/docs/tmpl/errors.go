package tmpl

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template"
)

// Error is something wrong with a template. Line and Column count from 1; a
// Column of 0 is not known.
type Error struct {
	Path         string
	Line, Column int
	// Expression is the part of the template that failed; empty if it does not
	// parse.
	Expression string
	Message    string
}

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Path)
	if e.Line > 0 {
		fmt.Fprintf(&b, ":%d", e.Line)
		if e.Column > 0 {
			fmt.Fprintf(&b, ":%d", e.Column)
		}
	}
	b.WriteString(": ")
	if e.Expression != "" {
		fmt.Fprintf(&b, "{{%s}}: ", strings.TrimSuffix(strings.TrimPrefix(e.Expression, "{{"), "}}"))
	}
	b.WriteString(e.Message)
	return b.String()
}

// errorPrefix is what all errors of text/template start with.
const errorPrefix = "template: " + rootName + ":"

// parseError rewrites an error of text/template's parser, which is
// "template: name:line: message".
func (t *Template) parseError(err error, functions template.FuncMap) error {
	e := &Error{Path: t.path, Message: err.Error()}
	rest, ok := strings.CutPrefix(e.Message, errorPrefix)
	if !ok {
		return e
	}
	number, message, ok := strings.Cut(rest, ": ")
	line, err := strconv.Atoi(number)
	if !ok || err != nil {
		return e
	}
	e.Line, e.Message = line, message
	e.Column = t.columnOf(line, quoted(message))
	if name, ok := strings.CutPrefix(message, "function "); ok {
		e.Message = fmt.Sprintf("there is no function %s%s", strings.TrimSuffix(name, " not defined"),
			suggest(quoted(message), functionNames(functions)))
	}
	if strings.Contains(message, "unexpected EOF") {
		if line, column, action := t.unclosed(); line > 0 {
			e.Line, e.Column = line, column
			e.Message = fmt.Sprintf("{{%s}} has no {{end}}", action)
		}
	}
	return e
}

var quotedText = regexp.MustCompile(`"((?:[^"\\]|\\.)*)"|<([^>]*)>`)

// quoted is the first quoted part of a message of the parser: what it stumbled
// over.
func quoted(message string) string {
	m := quotedText.FindStringSubmatch(message)
	if m == nil {
		return ""
	}
	if text, err := strconv.Unquote(`"` + m[1] + `"`); err == nil && text != "" {
		return text
	}
	return m[2]
}

// columnOf is the one-based column of part in an action on a line, or of the
// line's first action.
func (t *Template) columnOf(line int, part string) int {
	lines := strings.Split(t.text, "\n")
	if line < 1 || line > len(lines) {
		return 0
	}
	text := lines[line-1]
	start := max(strings.Index(text, "{{"), 0)
	if part != "" {
		if i := strings.Index(text[start:], part); i >= 0 {
			return start + i + 1
		}
	}
	return start + 1
}

var actionText = regexp.MustCompile(`(?s)\{\{-?\s*(/\*.*?\*/|[a-z]+\b[^}]*|[^}]*?)\s*-?\}\}`)

// unclosed finds the block that an {{end}} is missing for.
func (t *Template) unclosed() (line, column int, action string) {
	type block struct {
		offset int
		text   string
	}
	var open []block
	for _, m := range actionText.FindAllStringSubmatchIndex(t.text, -1) {
		text := strings.TrimSpace(strings.TrimSuffix(t.text[m[2]:m[3]], "-"))
		word, _, _ := strings.Cut(text, " ")
		switch word {
		case "if", "range", "with", "define", "block":
			open = append(open, block{m[0], text})
		case "end":
			if len(open) > 0 {
				open = open[:len(open)-1]
			}
		}
	}
	if len(open) == 0 {
		return 0, 0, ""
	}
	last := open[len(open)-1]
	before := t.text[:last.offset]
	return strings.Count(before, "\n") + 1, last.offset - strings.LastIndexByte(before, '\n'), last.text
}

// executionError rewrites an error of text/template's execution, which is
// `template: name:line:column: executing "name" at <expression>: message`.
func (t *Template) executionError(err error) error {
	e := &Error{Path: t.path, Message: err.Error()}
	var exec template.ExecError
	if !errors.As(err, &exec) {
		return e
	}
	rest, ok := strings.CutPrefix(exec.Err.Error(), errorPrefix)
	if !ok {
		return e
	}
	place := placeText.FindStringSubmatch(rest)
	if place == nil {
		return e
	}
	e.Line, _ = strconv.Atoi(place[1])
	e.Column, _ = strconv.Atoi(place[2])
	e.Column++ // text/template counts columns from 0
	e.Expression, e.Message = place[3], place[4]
	t.explain(e, err)
	return e
}

var placeText = regexp.MustCompile(`(?s)^(\d+):(\d+): executing .*? at <(.*?)>: (.*)$`)

// explain says in words of a template's author what text/template says in words
// of Go.
func (t *Template) explain(e *Error, cause error) {
	if errors.Is(cause, errTooManySteps) {
		e.Expression = ""
		e.Message = fmt.Sprintf("%v: it was stopped after %d rounds of its range actions and calls of its templates; this is where it was", errTooManySteps, t.limit.steps)
		return
	}
	if m := unknownField.FindStringSubmatch(e.Message); m != nil {
		e.Message = fmt.Sprintf("a %s has no field %s%s", m[2][strings.LastIndexAny(m[2], "*.")+1:], m[1], suggest(m[1], t.fieldsOf(m[2])))
		return
	}
	e.Message = strings.TrimPrefix(e.Message, "error calling "+firstWord(e.Expression)+": ")
	if strings.HasPrefix(e.Message, "exceeded maximum template depth") {
		e.Message = "the template calls itself without end: " + e.Message
	}
}

var unknownField = regexp.MustCompile(`^can't evaluate field (\S+) in type (\S+)$`)

func firstWord(s string) string {
	word, _, _ := strings.Cut(s, " ")
	return word
}

// fieldsOf lists the fields and methods of one of the template's types.
func (t *Template) fieldsOf(typeName string) []string {
	for _, v := range t.types {
		typ := reflect.TypeOf(v)
		if typ.String() != typeName && "*"+typ.String() != typeName && typ.String() != "*"+typeName {
			continue
		}
		var names []string
		for i := range typ.NumMethod() {
			names = append(names, typ.Method(i).Name)
		}
		if typ.Kind() == reflect.Pointer {
			typ = typ.Elem()
		}
		for _, f := range reflect.VisibleFields(typ) {
			if f.IsExported() && !f.Anonymous {
				names = append(names, f.Name)
			}
		}
		return names
	}
	return nil
}

func functionNames(functions template.FuncMap) []string {
	names := []string{"and", "call", "eq", "ge", "gt", "html", "index", "js", "le", "len", "lt", "ne", "not", "or", "print", "printf", "println", "slice", "urlquery"}
	for name := range functions {
		names = append(names, name)
	}
	return names
}

// suggest names what comes closest to a word that does not exist.
func suggest(word string, known []string) string {
	slices.Sort(known)
	best, distance := "", len(word)/2+2
	for _, k := range known {
		if d := editDistance(strings.ToLower(word), strings.ToLower(k)); d < distance {
			best, distance = k, d
		}
	}
	switch {
	case best != "":
		return fmt.Sprintf("; did you mean %s?", best)
	case len(known) > 0 && len(known) <= 60:
		return "; it has " + strings.Join(known, ", ")
	}
	return ""
}

// editDistance is the number of insertions, deletions and replacements of bytes
// that turn a into b (Levenshtein).
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
