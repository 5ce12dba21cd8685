package proto_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
)

func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// table reads a tab-separated facts file: its rows below the heading, each cut or filled up to the columns wanted.
func table(t *testing.T, path string, columns ...string) [][]string {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(read(t, path), "\n"), "\n")
	if got := strings.Split(lines[0], "\t"); len(got) != len(columns) {
		t.Fatalf("%s has the columns %q, want %q", path, got, columns)
	}
	rows := make([][]string, 0, len(lines)-1)
	for i, line := range lines[1:] {
		row := strings.Split(line, "\t")
		if len(row) > len(columns) {
			t.Fatalf("%s:%d has %d columns, want %q", path, i+2, len(row), columns)
		}
		rows = append(rows, append(row, make([]string, len(columns)-len(row))...))
	}
	return rows
}

// elementFacts reads the elements of one edition of Skaffold's v1. That table says nothing of options; the only ones
// of the file are the HTTP routes, which every rpc has and TestRoutes compares.
func elementFacts(t *testing.T, path string) []element {
	t.Helper()
	var elements []element
	for _, row := range table(t, path, "kind", "full name", "number", "type", "oneof", "comment position") {
		e := element{Kind: row[0], Name: row[1], Number: row[2], Type: row[3], In: row[4], Comment: row[5]}
		if e.Kind == "rpc" {
			e.Options = "google.api.http"
		}
		elements = append(elements, e)
	}
	return elements
}

// enumFact is one enum, with no value, or one value of an enum.
type enumFact struct {
	Enum, Value, Number, Deprecated string
	Section                         string // the heading before the value: a detached comment
	Comment                         string
}

func (f enumFact) key() string { return f.Enum + "." + f.Value }

func enumFacts(t *testing.T, path string) []enumFact {
	t.Helper()
	newlines := strings.NewReplacer(`\n`, "\n")
	var facts []enumFact
	for _, row := range table(t, path, "enum", "value", "number", "deprecated", "section", "comment") {
		fact := enumFact{
			Enum: row[0], Value: row[1], Number: row[2], Deprecated: row[3],
			Section: newlines.Replace(row[4]), Comment: newlines.Replace(row[5]),
		}
		if fact.Value == "-" { // the row of the enum itself
			fact.Value, fact.Number, fact.Deprecated = "", "", ""
		}
		facts = append(facts, fact)
	}
	return facts
}

// describeEnums lists the enums of a file as enumFacts does. A trailing comment, which no enum has, is shown as such.
func describeEnums(file protoreflect.FileDescriptor) []enumFact {
	var facts []enumFact
	fact := func(desc protoreflect.Descriptor) enumFact {
		at := file.SourceLocations().ByDescriptor(desc)
		f := enumFact{Comment: text(at.LeadingComments)}
		if at.TrailingComments != "" {
			f.Comment += "\ntrailing: " + text(at.TrailingComments)
		}
		for i, section := range at.LeadingDetachedComments {
			if i > 0 {
				f.Section += "\nand then: "
			}
			f.Section += text(section)
		}
		return f
	}
	for i := range file.Enums().Len() {
		enum := file.Enums().Get(i)
		f := fact(enum)
		f.Enum = string(enum.Name())
		facts = append(facts, f)
		for i := range enum.Values().Len() {
			value := enum.Values().Get(i)
			f := fact(value)
			f.Enum, f.Value, f.Number = string(enum.Name()), string(value.Name()), fmt.Sprint(value.Number())
			if value.Options().(*descriptorpb.EnumValueOptions).GetDeprecated() {
				f.Deprecated = "deprecated"
			}
			facts = append(facts, f)
		}
	}
	return facts
}

// importFacts is one section of buildkit-imports.md: what is known of one .proto file.
type importFacts struct {
	Header   header
	Elements []element
}

// header is the part of a .proto file above its elements.
type header struct {
	Syntax, Package string
	Imports         []string
	Options         []string
}

var (
	section     = regexp.MustCompile("(?m)^## `([^`]+)`$")
	headline    = regexp.MustCompile("^package `([^`]+)`; syntax (proto[23]); imports:? (.*?); (.*)$")
	quoted      = regexp.MustCompile("`([^`]+)`")
	gogoFile    = regexp.MustCompile(`'(gogoproto\.\w+)': True`)
	goPackage   = regexp.MustCompile("^go_package `([^`]+)`")
	enumLine    = regexp.MustCompile(`^- enum \*\*(\w+)\*\* — (.*)$`)
	valueItem   = regexp.MustCompile("^`(\\w+)`=(-?\\d+)$")
	messageLine = regexp.MustCompile(`^- \*\*(\w+)\*\* — (.*)$`)
	fieldItem   = regexp.MustCompile("^`(\\w+)`=(\\d+) ([^\\[(]*[^\\[( ])(?: \\[(.*)\\])?(?: \\(oneof (\\w+)\\))?$")
	extendLine  = regexp.MustCompile(`^- extend (\w+) — (.*)$`)
	extendItem  = regexp.MustCompile(`^(\w+)=(\d+)(?: \((\w+)\))?$`)
)

// buildkitImports reads testdata/facts/buildkit-imports.md, by import path. Of the options of a file only those count
// that concern us: gogo's, and the go_package of gogo's own file.
func buildkitImports(t *testing.T, path string) map[string]importFacts {
	t.Helper()
	page := read(t, path)
	starts := section.FindAllStringSubmatchIndex(page, -1)
	all := make(map[string]importFacts)
	for i, at := range starts {
		end := len(page)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		all[page[at[2]:at[3]]] = importSection(t, page[at[1]:end])
	}
	return all
}

func importSection(t *testing.T, lines string) importFacts {
	t.Helper()
	match := func(re *regexp.Regexp, s string) []string {
		m := re.FindStringSubmatch(s)
		if m == nil {
			t.Fatalf("cannot read %q", s)
		}
		return m
	}
	var facts importFacts
	var messages []element // the page lists the enums first, as describe lists them last
	for line := range strings.Lines(lines) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "package "):
			m := match(headline, line)
			facts.Header = header{Package: m[1], Syntax: m[2]}
			for _, m := range quoted.FindAllStringSubmatch(m[3], -1) {
				facts.Header.Imports = append(facts.Header.Imports, m[1])
			}
			for _, m := range gogoFile.FindAllStringSubmatch(m[4], -1) {
				facts.Header.Options = append(facts.Header.Options, m[1]+"=true")
			}
			if m := goPackage.FindStringSubmatch(m[4]); m != nil {
				facts.Header.Options = append(facts.Header.Options, `go_package="`+m[1]+`"`)
			}
		case strings.HasPrefix(line, "- enum "):
			m := match(enumLine, line)
			scope := facts.Header.Package + "."
			facts.Elements = append(facts.Elements, element{Kind: "enum", Name: scope + m[1]})
			for _, item := range strings.Split(m[2], ", ") {
				v := match(valueItem, item)
				facts.Elements = append(facts.Elements, element{Kind: "value", Name: scope + v[1], Number: v[2]})
			}
		case strings.HasPrefix(line, "- extend "):
			m := match(extendLine, strings.ReplaceAll(line, "**", ""))
			for _, item := range strings.Split(m[2], ", ") {
				x := match(extendItem, item)
				if x[3] == "" {
					x[3] = "bool"
				}
				facts.Elements = append(facts.Elements, element{
					Kind: "extension", Name: facts.Header.Package + "." + x[1], Number: x[2], Type: x[3],
					In: "google.protobuf." + m[1],
				})
			}
		case strings.HasPrefix(line, "- "):
			m := match(messageLine, line)
			name := facts.Header.Package + "." + m[1]
			messages = append(messages, element{Kind: "message", Name: name})
			for _, item := range strings.Split(m[2], "; ") {
				f := match(fieldItem, item)
				messages = append(messages, element{
					Kind: "field", Name: name + "." + f[1], Number: f[2], Type: f[3], In: f[5],
					Options: strings.ReplaceAll(f[4], "gogo.", "gogoproto."),
				})
			}
		}
	}
	facts.Elements = append(messages, facts.Elements...)
	return facts
}
