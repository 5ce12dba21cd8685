package markdown

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"github.com/goccy/go-yaml"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/comment"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/content"
)

// Entry is an entry of front matter. The value is YAML in one line.
type Entry struct{ Key, Value string }

// NewEntry makes an entry of a value that a user has written: as YAML reads it
// where that is text, a number, true, false, null, or a list or a map in brackets,
// and otherwise as text in quotes.
func NewEntry(key, value string) Entry {
	if !isValue(value) {
		value = quote(value)
	}
	return Entry{key, value}
}

// quote makes text of YAML in the quotes that need no escapes, if there are such.
func quote(text string) string {
	quoted := strconv.Quote(text)
	escapes := strings.Count(quoted, `\`) - strings.Count(text, `"`)
	if strings.Contains(text, `"`) && !strings.Contains(text, "'") && escapes == 0 {
		return "'" + text + "'"
	}
	return quoted
}

// plain is text that YAML can read without quotes: it begins with none of the
// characters that mean something there (YAML 1.2, section 7.3.3).
var plain = regexp.MustCompile(`^([\pL\pN_./+(]|-[\pN.])`)

// closing are what lists, maps and text in quotes end in.
var closing = map[byte]string{'[': "]", '{': "}", '"': `"`, '\'': "'"}

// isUnseen tells characters that cannot be seen, but for the space.
func isUnseen(r rune) bool {
	return r != ' ' && (!unicode.IsGraphic(r) || unicode.IsSpace(r) || unicode.Is(unicode.Z, r))
}

// isValue tells whether YAML reads a value as what its author means.
func isValue(text string) bool {
	bracketed := text != "" && strings.ContainsRune("[{\"'", rune(text[0]))
	switch {
	case strings.ContainsFunc(text, isUnseen):
		return false
	case bracketed && !strings.HasSuffix(text, closing[text[0]]):
		return false
	case !bracketed && !plain.MatchString(text), strings.HasSuffix(text, ":"):
		return false
	case !bracketed && (strings.Contains(text, ": ") || strings.Contains(text, " #")):
		return false
	}
	var read map[string]any
	if err := yaml.Unmarshal([]byte("key: "+text+"\nnext: 1\n"), &read); err != nil || len(read) != 2 {
		return false
	}
	switch v := read["key"].(type) {
	case string:
		return bracketed || v == text
	case nil:
		return text == "null"
	}
	return true
}

// textEntry is an entry whose value is text for every reader of YAML.
func textEntry(key, text string) Entry {
	if !plainText.MatchString(text) || otherType.MatchString(text) {
		text = quote(text)
	}
	return Entry{key, text}
}

var (
	plainText = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9 ._/()-]*[A-Za-z0-9)]$`)
	// otherType are the words that YAML 1.1 takes for something else than text.
	otherType = regexp.MustCompile(`(?i)^(true|false|yes|no|on|off|null)$`)
)

// head writes the front matter and the page's title. Hugo shows a title of the
// front matter itself, so that there it is always one.
func (w *writer) head(p *content.Page, o Options) {
	entries := o.FrontMatter
	titled := false
	for _, e := range entries {
		titled = titled || e.Key == "title"
	}
	if o.Flavor == comment.Hugo && !titled {
		entries = append([]Entry{textEntry("title", p.Title)}, entries...)
	}
	if len(entries) > 0 {
		w.p("---")
		for _, e := range entries {
			w.p(e.Key, ": ", e.Value)
		}
		w.p("---")
		if o.Flavor != comment.Hugo {
			w.p()
		}
	}
	if o.Flavor != comment.Hugo {
		w.p("# ", comment.Text(p.Title).MarkdownHeading(o.Flavor))
	}
}
