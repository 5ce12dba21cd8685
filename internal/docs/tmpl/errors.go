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

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/nearest"
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
	message = strings.TrimPrefix(message, "template: ")
	e.Line, e.Column, e.Message = line, t.columnOf(line, quoted(message)), message
	for _, h := range parserHints {
		if strings.HasPrefix(message, h.start) {
			e.Message += ": " + h.hint
		}
	}
	open, stray := t.blocks()
	switch {
	case strings.HasPrefix(message, "function "):
		name := strings.TrimSuffix(strings.TrimPrefix(message, "function "), " not defined")
		e.Message = fmt.Sprintf("there is no function %s%s", name, suggest(quoted(message), functionNames(functions)))
	case strings.Contains(message, "unexpected EOF") && len(open) > 0:
		last := open[len(open)-1]
		e.Line, e.Column = t.position(last.offset)
		e.Message = fmt.Sprintf("{{%s}} has no {{end}}", last.text)
	case strings.HasPrefix(message, "unexpected {{e") && stray >= 0: // {{end}} or {{else}}
		e.Line, e.Column = t.position(stray)
	case strings.HasPrefix(message, "unclosed action"): // nothing can follow it
		e.Line, e.Column = t.position(strings.LastIndex(t.text, "{{"))
		e.Message = "unclosed action: it needs }}"
	}
	return e
}

// parserHints say what to do about an error of the parser that starts so.
var parserHints = []struct{ start, hint string }{
	{"unclosed comment", "it needs */}}"},
	{"unterminated quoted string", "it needs another \""},
	{"unterminated raw quoted string", "it needs another `"},
	{"bad character U+007D", "an action ends with }}"},
	{"non executable command in pipeline", "only a function or a method can stand behind a |"},
	{"missing value for command", "the action, or a part of it, is empty"},
	{"undefined variable", "declare it with := before, in the same block or around it"},
	{"multiple definition of template", "give one of them another name"},
	{"unexpected {{end}}", "there is no if, range, with, define or block to end"},
	{"unexpected {{else}}", "there is no if, range or with that it belongs to"},
}

var quotedText = regexp.MustCompile("\"((?:[^\"\\\\]|\\\\.)*)\"|<([^>]*)>|'([^']+)'")

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
	return m[2] + m[3]
}

// columnOf is the one-based column on a line of the first place that part has in
// an action; without a part that of the line's only action. It is 0 where that
// does not tell.
func (t *Template) columnOf(line int, part string) int {
	lines := strings.Split(t.text, "\n")
	if line < 1 || line > len(lines) {
		return 0
	}
	text := lines[line-1]
	start := max(strings.Index(text, "{{"), 0)
	if part == "}" {
		if m := singleBrace.FindStringSubmatchIndex(text); m != nil {
			return m[2] + 1
		}
	}
	if strings.Count(text[start:], part) > 1 && part != "" {
		return 0 // one of several: better no place than a wrong one
	}
	if part != "" {
		if i := strings.Index(text[start:], part); i >= 0 {
			return start + i + 1
		}
		if i := strings.Index(text, part); i >= 0 { // an action that began on another line
			return i + 1
		}
	}
	if strings.Count(text, "{{") == 1 {
		return start + 1
	}
	return 0
}

var singleBrace = regexp.MustCompile(`(?:^|[^}])(})(?:[^}]|$)`)

// position is the one-based line and column of a place in the text.
func (t *Template) position(offset int) (line, column int) {
	before := t.text[:offset]
	return strings.Count(before, "\n") + 1, offset - strings.LastIndexByte(before, '\n')
}

var (
	actionText = regexp.MustCompile(`(?s)\{\{-?\s*(/\*.*?\*/|[a-z]+\b[^}]*|[^}]*?)\s*-?\}\}`)
	keyword    = regexp.MustCompile(`^[a-z]*`)
)

// block is an action that an {{end}} belongs to.
type block struct {
	offset int
	text   string
}

// blocks finds the blocks that are still open at the end of the text, and the
// place of the first {{end}} or {{else}} that belongs to none; -1 for no such.
func (t *Template) blocks() (open []block, stray int) {
	stray = -1
	for _, m := range actionText.FindAllStringSubmatchIndex(t.text, -1) {
		text := strings.TrimSpace(strings.TrimSuffix(t.text[m[2]:m[3]], "-"))
		switch word := keyword.FindString(text); word {
		case "if", "range", "with", "define", "block":
			open = append(open, block{m[0], text})
		case "end", "else":
			switch {
			case len(open) == 0 && stray < 0:
				stray = m[0]
			case len(open) > 0 && word == "end":
				open = open[:len(open)-1]
			}
		}
	}
	return open, stray
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
	e.Expression, e.Message = cutExpression(rest[len(place[0]):])
	t.explain(e)
	return e
}

var placeText = regexp.MustCompile(`^(\d+):(\d+): executing "(?:[^"\\]|\\.)*" at <`)

// cutExpression cuts "expression>: message" at the first >: that does not stand
// in a string.
func cutExpression(text string) (expression, message string) {
	const end = ">: "
	var quote byte
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quote == 0 && strings.HasPrefix(text[i:], end):
			return text[:i], text[i+len(end):]
		case quote == 0 && (c == '"' || c == '`' || c == '\''):
			quote = c
		case c == '\\' && quote != 0 && quote != '`':
			i++
		case c == quote:
			quote = 0
		}
	}
	return "", text
}

// explain says in words of a template's author what text/template says in words
// of Go.
func (t *Template) explain(e *Error) {
	e.Message = strings.TrimPrefix(e.Message, "error calling "+firstWord(e.Expression)+": ")
	if m := unknownField.FindStringSubmatch(e.Message); m != nil {
		e.Message = t.noField(m[1], m[2])
	} else if m := nilField.FindStringSubmatch(e.Message); m != nil {
		e.Message = fmt.Sprintf("%s cannot be read of a value that is nil here: put {{with}} around it", m[1])
	} else if m := undefinedTemplate.FindStringSubmatch(e.Message); m != nil {
		e.Message = fmt.Sprintf("there is no template %q%s", m[1], suggest(m[1], t.definitions()))
	} else if strings.HasPrefix(e.Message, "range can't iterate over ") {
		e.Message = "range needs a list or a map, and this is neither" // text/template prints the value, with addresses
	} else if strings.HasSuffix(e.Message, "on zero Value") {
		e.Message = "a value that it is given is nil"
	}
}

var (
	unknownField      = regexp.MustCompile(`^can't evaluate field (\S+) in type (.+)$`)
	nilField          = regexp.MustCompile(`^nil pointer evaluating .*\.(\w+)$`)
	undefinedTemplate = regexp.MustCompile(`(?s)^template "(.*)" not defined$`)
)

// noField says that a type, named as Go names it, does not have a field.
func (t *Template) noField(field, typeName string) string {
	if strings.HasPrefix(typeName, "[]") {
		return fmt.Sprintf("a list has no field %s: its elements may, so use {{range}} or index", field)
	}
	name := typeName[strings.LastIndexAny(typeName, "*.")+1:]
	article := "a"
	if strings.ContainsAny(name[:1], "AEIOUaeiou") {
		article = "an"
	}
	return fmt.Sprintf("%s %s has no field %s%s", article, name, field, suggest(field, t.fieldsOf(typeName)))
}

// definitions are the names of the templates that the text defines.
func (t *Template) definitions() []string {
	var names []string
	for _, defined := range t.root.Templates() {
		if defined.Name() != rootName {
			names = append(names, defined.Name())
		}
	}
	return names
}

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
			if name := typ.Method(i).Name; name != "String" && name != "MarshalJSON" { // for printing, not for templates
				names = append(names, name)
			}
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
	meant := nearest.Word(word, known)
	switch {
	case meant != "":
		return fmt.Sprintf("; did you mean %s?", meant)
	case len(known) > 0 && len(known) <= 60:
		return "; it has " + strings.Join(known, ", ")
	}
	return ""
}
