package filter

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// parser reads one filter.
type parser struct {
	text       string
	pos        int  // the byte that it has come to, which errors are about
	regexpLeft *int // bytes that regular expressions may still have
}

func (p *parser) selectors() ([]selector, error) {
	if i := strings.IndexAny(p.text, "\x00\uFFFD"); i >= 0 || !utf8.ValidString(p.text) {
		p.pos = max(i, 0)
		return nil, errors.New("text that is not UTF-8, or a NUL or U+FFFD in it")
	}
	var all []selector
	for {
		s, err := p.selector()
		if err != nil {
			return nil, err
		}
		all = append(all, s)
		if p.rest() == "" {
			return all, nil
		}
		if !p.accept(',') {
			return nil, fmt.Errorf("%q is unexpected; selectors are separated by commas", p.peek())
		}
	}
}

func (p *parser) selector() (selector, error) {
	path, err := p.path()
	if err != nil {
		return selector{}, err
	}
	s := selector{path: path}
	if p.rest() == "" || p.peek() == ',' {
		return s, nil
	}
	if s.op, err = p.operator(); err != nil {
		return selector{}, err
	}
	start := p.pos
	if s.value, err = p.value(s.op); err != nil {
		return selector{}, err
	}
	if s.op == opMatches {
		if s.re, err = p.compile(s.value); err != nil {
			p.pos = start
			return selector{}, err
		}
	}
	return s, nil
}

func (p *parser) compile(expr string) (*regexp.Regexp, error) {
	if *p.regexpLeft -= len(expr); *p.regexpLeft < 0 {
		return nil, fmt.Errorf("the regular expressions have more than %d bytes together", maxRegexpLength)
	}
	return regexp.Compile(expr)
}

func (p *parser) path() ([]string, error) {
	var path []string
	for {
		field, err := p.field()
		if err != nil {
			return nil, err
		}
		path = append(path, field)
		if !p.accept('.') {
			return path, nil
		}
	}
}

func (p *parser) field() (string, error) {
	p.skipSpace()
	if p.peek() == '"' {
		return p.quoted()
	}
	field := p.takeWhile(isFieldRune)
	if field == "" {
		return "", errors.New("a field's name is missing: letters, digits and _, or quoted with \"")
	}
	return field, nil
}

func (p *parser) operator() (operator, error) {
	p.skipSpace()
	start := p.pos
	switch op := operator(p.takeWhile(isOperatorRune)); op {
	case opEqual, opNotEqual, opMatches:
		return op, nil
	}
	p.pos = start
	return "", errors.New("an operator is missing: ==, != or ~=")
}

func (p *parser) value(op operator) (string, error) {
	p.skipSpace()
	switch r := p.peek(); {
	case p.rest() == "", r == ',', r == '.', isOperatorRune(r):
		return "", errors.New("a value is missing; quote one that is empty or begins with , . = ! or ~")
	case r == '"', isRegexpQuote(r) && op == opMatches:
		return p.quoted()
	case isRegexpQuote(r):
		return "", fmt.Errorf("%c quotes regular expressions, behind ~=, alone; quote this with \"", r)
	}
	_, first := utf8.DecodeRuneInString(p.rest())
	start := p.pos
	p.pos += first
	p.takeWhile(isValueRune)
	return p.text[start:p.pos], nil
}

// quoted reads text in quotes, which may be other ones than Go's.
func (p *parser) quoted() (string, error) {
	quote := p.text[p.pos]
	start := p.pos
	p.pos++
	var value []byte
	for {
		rest := p.rest()
		switch {
		case rest == "" || rest[0] == '\n':
			p.pos = start
			return "", errors.New("the quote is not closed")
		case rest[0] == quote:
			p.pos++
			return string(value), nil
		case rest[0] == '\\' && len(rest) > 1 && rest[1] == quote:
			value = append(value, quote)
			p.pos += 2
			continue
		}
		r, multibyte, tail, err := strconv.UnquoteChar(rest, 0)
		if err != nil {
			return "", errors.New(`an escape that Go's strings do not have; a backslash is written \\`)
		}
		if multibyte {
			value = utf8.AppendRune(value, r)
		} else {
			value = append(value, byte(r))
		}
		p.pos += len(rest) - len(tail)
	}
}

func (p *parser) rest() string { return p.text[p.pos:] }

// peek is the next rune, and 0 at the end.
func (p *parser) peek() rune {
	if p.rest() == "" {
		return 0
	}
	r, _ := utf8.DecodeRuneInString(p.rest())
	return r
}

func (p *parser) accept(c rune) bool {
	if p.peek() != c {
		return false
	}
	p.pos += utf8.RuneLen(c)
	return true
}

func (p *parser) skipSpace() { p.takeWhile(unicode.IsSpace) }

func (p *parser) takeWhile(is func(rune) bool) string {
	start := p.pos
	rest := p.rest()
	if end := strings.IndexFunc(rest, func(r rune) bool { return !is(r) }); end >= 0 {
		p.pos += end
	} else {
		p.pos = len(p.text)
	}
	return p.text[start:p.pos]
}

func isFieldRune(r rune) bool {
	return r == '_' || '0' <= r && r <= '9' || 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z'
}

func isOperatorRune(r rune) bool { return r == '=' || r == '!' || r == '~' }

func isRegexpQuote(r rune) bool { return r == '/' || r == '|' }

func isValueRune(r rune) bool {
	return r != ',' && !unicode.IsSpace(r) && unicode.IsGraphic(r)
}
