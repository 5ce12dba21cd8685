package markdown

import (
	"regexp"
	"strconv"
	"strings"

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
	if strings.Contains(text, `"`) && !strings.Contains(text, "'") && strings.Count(quoted, `\`) == strings.Count(text, `"`) {
		return "'" + text + "'"
	}
	return quoted
}

// indicator is what gives a plain text of YAML another meaning (YAML 1.2, section
// 7.3.3), or might give it one.
var indicator = regexp.MustCompile("^[^\\pL\\pN_./+(\\[{\"'-]|^-[^\\pN.]|^-$|: | #|:$|[^\\PC ]|^\\s|\\s$|[\\pZ]$|\uFEFF|[\u0085\u2028\u2029]")

// isValue tells whether YAML reads a value as what its author means.
func isValue(text string) bool {
	flow := text != "" && strings.ContainsRune("[{\"'", rune(text[0]))
	if text == "" || !flow && indicator.MatchString(text) || strings.ContainsAny(text, "\n\r\t\x00") {
		return false
	}
	var read map[string]any
	if err := yaml.Unmarshal([]byte("key: "+text), &read); err != nil || len(read) != 1 {
		return false
	}
	switch v := read["key"].(type) {
	case string:
		return flow || v == text
	case nil:
		return text == "null" || text == "~"
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
