package proto_test

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// A seed is a published page that holds a .proto file or the reference made from one, as testdata/seeds has it.

// fromSyntax is the source on a page that shows line numbers and the like before it, and maybe a bar after it.
func fromSyntax(t *testing.T, page string) string {
	t.Helper()
	const first = "syntax = \"proto3\";\n"
	at := strings.Index(page, "\n"+first)
	if at < 0 {
		t.Fatalf("the seed has no line %q", first)
	}
	return strings.TrimSuffix(strings.TrimSpace(page[at+1:]), "\n|")
}

// fromNumberedWords is the source on a page that became a single line, in which only the line numbers still tell where
// lines began: the words between the number n and the next n+1 are line n.
func fromNumberedWords(t *testing.T, page string) string {
	t.Helper()
	var lines []string
	for _, word := range strings.Fields(page) {
		switch {
		case word == strconv.Itoa(len(lines)+1):
			lines = append(lines, "")
		case len(lines) > 0: // before the first number there is the page's heading
			lines[len(lines)-1] += word + " "
		}
	}
	if want := 487; len(lines) != want {
		t.Fatalf("the seed has %d lines, want %d", len(lines), want)
	}
	return strings.Join(lines, "\n")
}

// token is a word of a .proto file, or of a comment in it.
type token struct {
	Text string
	Line int
}

// lexeme is a comment up to the end of its line, a string, an identifier or number, or any other single character.
var lexeme = regexp.MustCompile(`//[^\n]*|"(?:[^"\\\n]|\\.)*"|[\w]+|\S`)

// tokens cuts a .proto file into tokens. White space between them doesn't count, save that a comment after code on its
// line starts with a token of its own, so that it cannot pass for one above the next line.
func tokens(t *testing.T, source string) []token {
	t.Helper()
	var list []token
	for i, line := range strings.Split(source, "\n") {
		if strings.Contains(line, "/*") && !strings.Contains(line, "//") {
			t.Fatalf("line %d: block comments are not read here: %s", i+1, line)
		}
		for _, at := range lexeme.FindAllStringIndex(line, -1) {
			word := line[at[0]:at[1]]
			if !strings.HasPrefix(word, "//") {
				list = append(list, token{word, i + 1})
				continue
			}
			start := "//"
			if strings.TrimSpace(line[:at[0]]) != "" {
				start = "code, then //"
			}
			list = append(list, token{start, i + 1})
			for _, w := range strings.Fields(word[2:]) {
				list = append(list, token{w, i + 1})
			}
		}
	}
	return list
}

// compareTokens reports the first token in which two sources differ.
func compareTokens(t *testing.T, want, got []token) {
	t.Helper()
	around := func(list []token, i int) string {
		var words []string
		for _, tok := range list[max(0, i-8):min(len(list), i+8)] {
			words = append(words, tok.Text)
		}
		line := "the end"
		if i < len(list) {
			line = fmt.Sprintf("line %d", list[i].Line)
		}
		return line + ": … " + strings.Join(words, " ") + " …"
	}
	for i := range max(len(want), len(got)) {
		if i >= len(want) || i >= len(got) || want[i].Text != got[i].Text {
			t.Errorf("token %d differs\nwant, at the seed's %s\ngot, at the file's %s", i+1, around(want, i), around(got, i))
			return
		}
	}
}

// described is the comment that a reference page prints for an element.
type described struct {
	Element string // full name; that of an enum value is its enum's and then its own
	Text    string
}

func (d described) key() string { return d.Element }

var (
	anchor     = regexp.MustCompile(`^<a name="(proto\.[\w.]+)"></a>$`)
	markdown   = regexp.MustCompile(`^\| (\w+) \| (.*) \|$`)
	plainHead  = regexp.MustCompile(`^(Field Type Label|Name Number|Method Name Request Type Response Type) Description$`)
	plainField = regexp.MustCompile(`^(\w+) [\w.]+(?: repeated)?(?: (.*))?$`)
	plainValue = regexp.MustCompile(`^(\w+) \d+(?: (.*))?$`)
	plainRPC   = regexp.MustCompile(`^(\w+) [\w.]+(?: stream)? [\w.]+(?: stream)?(?: (.*))?$`)
)

// markdownPage reads the comments out of a reference page in Markdown: below the anchor of an element, its own up to
// an empty line, and then those of its members in the last column of a table. Map entries are left out.
func markdownPage(page string) []described {
	var all []described
	name := ""   // of the last anchor
	own := false // whether the line is in the text of that element, right below its heading
	for line := range strings.Lines(page) {
		line = strings.TrimSuffix(line, "\n")
		row := markdown.FindStringSubmatch(line)
		switch m := anchor.FindStringSubmatch(line); {
		case m != nil:
			name = m[1]
			all = append(all, described{Element: name})
		case name == "": // above the first element
		case strings.HasPrefix(line, "#"):
			own = true
		case line == "":
			own = false
		case own:
			last := &all[len(all)-1]
			last.Text = strings.TrimPrefix(last.Text+"\n"+line, "\n")
		case row != nil && !slices.Contains([]string{"Field", "Name", "Method Name"}, row[1]):
			cells := strings.SplitN(row[2], " | ", 3)
			all = append(all, described{name + "." + row[1], strings.TrimSpace(cells[len(cells)-1])})
		}
	}
	return withoutMapEntries(all)
}

// plainPage reads the comments out of the same page in plain text, where an element is known by its name alone on a
// line and a table ends with an empty line. Line breaks mean nothing there.
func plainPage(page string, elements []element) []described {
	known := map[string]string{}
	for _, e := range elements {
		if e.Kind == "message" || e.Kind == "enum" || e.Kind == "service" {
			known[strings.TrimPrefix(e.Name, "proto.")] = e.Name
		}
	}
	var all []described
	var row *regexp.Regexp // of the table that the line is in
	name, preamble := "", true
	for line := range strings.Lines(page) {
		line = strings.TrimSuffix(line, "\n")
		head := plainHead.FindStringSubmatch(line)
		switch {
		case head != nil:
			row = map[string]*regexp.Regexp{"F": plainField, "N": plainValue, "M": plainRPC}[head[1][:1]]
		case line == "":
			row = nil
		case row != nil:
			if m := row.FindStringSubmatch(line); m != nil {
				all = append(all, described{name + "." + m[1], m[2]})
			} else { // a list in the comment of the row above
				all[len(all)-1].Text += " " + line
			}
		case known[line] != "" || strings.HasSuffix(line, "Entry"):
			name, preamble = "proto."+line, false
			all = append(all, described{Element: name})
		case preamble || line == "Data types":
		default:
			last := &all[len(all)-1]
			last.Text = strings.TrimSpace(last.Text + " " + line)
		}
	}
	return withoutMapEntries(all)
}

func withoutMapEntries(all []described) []described {
	entry := regexp.MustCompile(`Entry(\.key|\.value)?$`)
	return slices.DeleteFunc(all, func(d described) bool {
		return entry.MatchString(d.Element) && d.Element != "proto.LogEntry"
	})
}

// comments lists the comments of a file as its reference page prints them: leading and trailing as one text, in which
// the line breaks of members are gone.
func comments(file protoreflect.FileDescriptor) []described {
	var all []described
	add := func(desc protoreflect.Descriptor, name string, member bool) {
		at := file.SourceLocations().ByDescriptor(desc)
		whole := strings.TrimSpace(text(at.LeadingComments) + "\n\n" + text(at.TrailingComments))
		if member {
			whole = strings.Join(strings.Fields(whole), " ")
		}
		all = append(all, described{name, whole})
	}
	for _, desc := range byPath(file) {
		name := string(desc.FullName())
		switch desc.(type) {
		case protoreflect.EnumValueDescriptor:
			add(desc, string(desc.Parent().FullName())+"."+string(desc.Name()), true)
		case protoreflect.FieldDescriptor, protoreflect.MethodDescriptor:
			add(desc, name, true)
		default:
			add(desc, name, false)
		}
	}
	return all
}

// sorted sorts comments by element: a page has another order than a file.
func sorted(all []described) []described {
	slices.SortFunc(all, func(a, b described) int { return strings.Compare(a.Element, b.Element) })
	return all
}
