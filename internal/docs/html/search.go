package html

import (
	"encoding/json"
	"strconv"
	"unicode/utf8"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/content"
)

// The search reads an index in JSON, made of arrays to be small:
//
//	{"pages": [address, …], "files": [[page, …], …]}
//
// One of files stands for a .proto file: the position of its page in pages, its
// path, its anchor, its package, and then an array for each service, message, enum
// and extension:
//
//	[kind, name, flags, text, [member, …]]
//
// The name is that inside the package. A member is [name, number, flags, text]; an
// RPC has no number. What has zero or nothing at the end is left out. script.js
// reads it.

// Kinds of declarations.
const (
	kindService = iota
	kindMessage
	kindEnum
	kindExtension
)

// Flags of declarations.
const (
	flagDeprecated = 1 << iota
	flagOneof
	flagExtension
)

// jsonWriter appends JSON. Its text can stand in a script element.
type jsonWriter []byte

// searchEntry is the element of files for a file, but for the page and the
// brackets.
func searchEntry(f *content.File) []byte {
	var w jsonWriter
	w.text(f.Name)
	w = append(w, ',')
	w.text(f.Anchor)
	w = append(w, ',')
	w.text(f.Package)
	for _, s := range f.Services {
		w.begin(kindService, s.Name, s.Entry)
		for i, m := range s.Methods {
			w.member(i, m.Name, nil, flags(m.Entry), summaryOf(m.Entry))
		}
		w = append(w, "]]"...)
	}
	for _, m := range f.Messages {
		w.message(m)
	}
	for _, e := range f.Enums {
		w.begin(kindEnum, e.LongName, e.Entry)
		i := 0
		for _, s := range e.Sections {
			for _, v := range s.Values {
				w.member(i, v.Name, &v.Number, flags(v.Entry), summaryOf(v.Entry))
				i++
			}
		}
		w = append(w, "]]"...)
	}
	for _, x := range f.Extensions {
		w.begin(kindExtension, x.Name, x.Entry)
		w.member(0, x.Name, &x.Number, flags(x.Entry), "")
		w = append(w, "]]"...)
	}
	return w
}

func (w *jsonWriter) message(m *content.Message) {
	w.begin(kindMessage, m.LongName, m.Entry)
	i := 0
	for _, f := range m.Fields {
		w.member(i, f.Name, &f.Number, flags(f.Entry), "")
		i++
	}
	for _, o := range m.Oneofs {
		w.member(i, o.Name, nil, flags(o.Entry)|flagOneof, "")
		i++
	}
	for _, x := range m.Extensions {
		w.member(i, x.Name, &x.Number, flags(x.Entry)|flagExtension, "")
		i++
	}
	*w = append(*w, "]]"...)
}

func flags(e content.Entry) int {
	if e.Deprecated {
		return flagDeprecated
	}
	return 0
}

// begin begins a declaration, up to its members.
func (w *jsonWriter) begin(kind int, name string, e content.Entry) {
	*w = append(*w, ",\n["...)
	*w = strconv.AppendInt(*w, int64(kind), 10)
	*w = append(*w, ',')
	w.text(name)
	*w = append(*w, ',')
	*w = strconv.AppendInt(*w, int64(flags(e)), 10)
	*w = append(*w, ',')
	w.text(summaryOf(e))
	*w = append(*w, ",["...)
}

// member appends the i-th member.
func (w *jsonWriter) member(i int, name string, number *int32, flags int, text string) {
	if i > 0 {
		*w = append(*w, ',')
	}
	*w = append(*w, '[')
	w.text(name)
	switch {
	case number != nil:
		*w = append(*w, ',')
		*w = strconv.AppendInt(*w, int64(*number), 10)
	case flags != 0 || text != "":
		*w = append(*w, ",null"...)
	}
	if flags != 0 || text != "" {
		*w = append(*w, ',')
		*w = strconv.AppendInt(*w, int64(flags), 10)
	}
	if text != "" {
		*w = append(*w, ',')
		w.text(text)
	}
	*w = append(*w, ']')
}

// text appends a string of JSON.
func (w *jsonWriter) text(s string) {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= utf8.RuneSelf || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			b, _ := json.Marshal(s) // a string has no value that fails; it escapes <, > and &
			*w = append(*w, b...)
			return
		}
	}
	*w = append(*w, '"')
	*w = append(*w, s...)
	*w = append(*w, '"')
}

// maxText is how many characters of a description the search knows and shows.
const maxText = 100

func summaryOf(e content.Entry) string {
	text := summaryText(e)
	n := 0
	for i := range text {
		if n++; n > maxText {
			return text[:i] + "…"
		}
	}
	return text
}

// searchIndex is the index of pages with the given addresses.
func searchIndex(addresses []string, pages [][]part) [][]byte {
	names, _ := json.Marshal(addresses) // strings do not fail
	out := [][]byte{[]byte(`{"pages":`), names, []byte(`,"files":[`)}
	separator := "\n["
	for page, parts := range pages {
		for i := range parts {
			out = append(out, strconv.AppendInt([]byte(separator), int64(page), 10), []byte(","), parts[i].search, []byte("]"))
			parts[i].search = nil
			separator = ",\n["
		}
	}
	return append(out, []byte("\n]}"))
}

// searchFile is the script that gives the pages of a folder the index. A script
// can be loaded from disk, JSON cannot.
func searchFile(site *content.Site, index string, pages [][]part) [][]byte {
	addresses := make([]string, len(site.Pages))
	for i, p := range site.Pages {
		addresses[i] = content.Relative(index, p.Name)
	}
	out := [][]byte{[]byte("window.referenceIndex = ")}
	out = append(out, searchIndex(addresses, pages)...)
	return append(out, []byte(";\n"))
}
