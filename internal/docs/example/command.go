package example

import (
	"net/url"
	"regexp"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/api"
)

// Curl is a command that calls an RPC by one of its routes, at a server whose
// address begins with base, as "http://localhost:8080"; empty if the route's
// method is no single one of HTTP, or if the request can have no example.
func (m Maker) Curl(x *api.Method, r api.Route, base string) string {
	if !verb.MatchString(r.Verb) {
		return ""
	}
	path, bound := fillPath(x.Input, r.Path)
	words := []string{"curl"}
	if x.Desc.GetServerStreaming() {
		words = append(words, "--no-buffer")
	}
	switch {
	case r.Verb == "HEAD":
		words = append(words, "--head")
	case r.Verb != "GET":
		words = append(words, "--request", r.Verb)
	}
	words = append(words, quoteWord(strings.TrimSuffix(base, "/")+path))
	if r.Body == "" {
		return strings.Join(words, " ")
	}
	body := m.body(x.Input, r.Body, bound)
	if body == nil {
		return ""
	}
	command := strings.Join(words, " ") + " \\\n  --header 'Content-Type: application/json' \\\n  --data "
	return command + shellQuote(textOf(body))
}

// verb is a method of HTTP (RFC 9110, section 9.1).
var verb = regexp.MustCompile(`^[A-Z]+$`)

// body is what a route takes of the request as the body: all but what the path
// has, or a field.
func (m Maker) body(input *api.Message, body string, bound []string) value {
	v := m.message(input)
	request, ok := v.(object)
	if v == nil || !ok {
		return v // a message with a JSON of its own; its fields cannot be bound
	}
	if body != "*" {
		i := slices.IndexFunc(input.Fields, func(f *api.Field) bool { return f.Name == body })
		if i < 0 {
			return nil
		}
		if v := request.member(input.Fields[i].JSONName()); v != nil {
			return v
		}
		b := builder{Maker: m}
		return b.field(input.Fields[i])
	}
	for _, path := range bound {
		request = without(request, input, strings.Split(path, "."))
	}
	return request
}

// without is an object without the field at a path; a message that had nothing
// else goes with it.
func without(o object, x *api.Message, path []string) object {
	if x == nil {
		return o
	}
	f := findField(x, path[0])
	if f == nil {
		return o
	}
	out := object{}
	for _, m := range o {
		if m.name != f.JSONName() {
			out = append(out, m)
			continue
		}
		inner, ok := m.value.(object)
		if !ok || len(path) == 1 {
			continue
		}
		if inner = without(inner, f.Message, path[1:]); len(inner) > 0 {
			out = append(out, member{m.name, inner})
		}
	}
	return out
}

func findField(x *api.Message, name string) *api.Field {
	for _, f := range x.Fields {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// variable is a field in a path, with the pattern that it has to match
// (google/api/http.proto, "Path template syntax").
var variable = regexp.MustCompile(`\{([^{}=]+)(?:=([^{}]*))?\}`)

// fillPath puts values into a path and returns the fields that it has.
func fillPath(input *api.Message, path string) (filled string, bound []string) {
	filled = variable.ReplaceAllStringFunc(path, func(text string) string {
		parts := variable.FindStringSubmatch(text)
		name, pattern := strings.TrimSpace(parts[1]), parts[2]
		bound = append(bound, name)
		if pattern == "" || pattern == "*" || pattern == "**" {
			return pathValue(input, strings.Split(name, "."))
		}
		return fillPattern(pattern)
	})
	return fillPattern(filled), bound
}

// fillPattern puts names into the places of a pattern: projects/* is
// projects/project-1.
func fillPattern(pattern string) string {
	segments := strings.Split(pattern, "/")
	for i, s := range segments {
		if head, _, _ := strings.Cut(s, ":"); head == "*" || head == "**" {
			kind := "name"
			if i > 0 && segments[i-1] != "" {
				kind = singular(segments[i-1])
			}
			segments[i] = kind + "-1" + strings.TrimPrefix(s, head)
		}
	}
	return strings.Join(segments, "/")
}

// singular is a guess that no more than an example depends on.
func singular(plural string) string {
	switch {
	case strings.HasSuffix(plural, "ies"):
		return strings.TrimSuffix(plural, "ies") + "y"
	case strings.HasSuffix(plural, "ss"):
		return plural
	}
	return strings.TrimSuffix(plural, "s")
}

// pathValue is a value for the field at a path.
func pathValue(x *api.Message, path []string) string {
	f := findField(x, path[0])
	for _, name := range path[1:] {
		if f == nil || f.Message == nil {
			break
		}
		f = findField(f.Message, name)
	}
	last := path[len(path)-1]
	if f == nil || f.Message != nil {
		return last
	}
	switch f.Desc.GetType() {
	case descriptorpb.FieldDescriptorProto_TYPE_STRING, descriptorpb.FieldDescriptorProto_TYPE_BYTES:
		return url.PathEscape(last)
	}
	v := scalar(f.Desc)
	if f.Enum != nil {
		v = enumValue(f)
	}
	return url.PathEscape(strings.Trim(textOf(v), `"`))
}

// Grpcurl is a command that calls an RPC with grpcurl, at an address such as
// "localhost:50051" without TLS; empty if the request can have no example.
func (m Maker) Grpcurl(x *api.Method, address string) string {
	v := m.message(x.Input)
	if v == nil {
		return ""
	}
	target := quoteWord(address) + " " + x.Parent.FullName + "/" + x.Name
	if o, ok := v.(object); ok && len(o) == 0 {
		return "grpcurl -plaintext " + target
	}
	return "grpcurl -plaintext -d " + shellQuote(textOf(v)) + " \\\n  " + target
}

// plainWord is a word that a shell takes as it stands.
var plainWord = regexp.MustCompile(`^[A-Za-z0-9_./:@%+,=-]+$`)

func quoteWord(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return shellQuote(word)
}

// shellQuote makes one word of a text for a POSIX shell.
func shellQuote(text string) string {
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
