package reference

import (
	"encoding/xml"
	"fmt"
	"strings"
	"sync"
	"text/template"
	"unicode"

	"github.com/skaffoldgen/protoc-gen-skaffold/templates"
)

// docbook is parsed when it is first used: a run needs one format only.
var docbook = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("docbook.xml.tmpl").Funcs(template.FuncMap{
		"x":     escapeXML,
		"id":    xmlID,
		"para":  docbookComment,
		"type":  docbookType,
		"link":  docbookLink,
		"comma": func(list []string) string { return strings.Join(list, ", ") },
		"notes": docbookNotes,
	}).Parse(templates.DocBook))
})

// DocBook is a page as a DocBook 5 article.
func DocBook() Format { return parts{docbook()} }

func escapeXML(text string) (string, error) {
	var out strings.Builder
	err := xml.EscapeText(&out, []byte(text))
	return out.String(), err
}

// xmlID makes an anchor an NCName, which an xml:id has to be. What an NCName
// cannot have is written by its number between middle dots, which no anchor has
// without being written so itself: two anchors never become one.
func xmlID(anchor string) string {
	var id strings.Builder
	for i, r := range anchor {
		letter := r == '_' || r != '·' && unicode.IsLetter(r)
		if letter || i > 0 && (r == '.' || r == '-' || r >= '0' && r <= '9') {
			id.WriteRune(r)
			continue
		}
		if i == 0 {
			id.WriteByte('_')
		}
		fmt.Fprintf(&id, "·%x·", r)
	}
	return id.String()
}

// docbookComment makes a paragraph of each paragraph of a comment. Its Markdown
// stays as it is written.
func docbookComment(t Text) (string, error) {
	var out strings.Builder
	for paragraph := range strings.SplitSeq(string(t), "\n\n") {
		if strings.TrimSpace(paragraph) == "" {
			continue
		}
		text, err := escapeXML(strings.ReplaceAll(strings.TrimSpace(paragraph), "\n", " "))
		if err != nil {
			return "", err
		}
		out.WriteString("<para>" + text + "</para>")
	}
	return out.String(), nil
}

func docbookLink(t Type) (string, error) {
	name, err := escapeXML(t.Name)
	if err != nil {
		return "", err
	}
	if anchor, ok := strings.CutPrefix(t.Link, "#"); ok {
		return `<link linkend="` + xmlID(anchor) + `">` + name + `</link>`, nil
	}
	if t.Link == "" {
		return "<type>" + name + "</type>", nil
	}
	page, anchor, _ := strings.Cut(t.Link, "#")
	if !strings.Contains(page, "://") {
		anchor = xmlID(anchor)
	}
	address, err := escapeXML(page + "#" + anchor)
	return `<link xlink:href="` + address + `">` + name + `</link>`, err
}

func docbookType(t Type) (string, error) {
	if t.Key != nil {
		key, err := docbookLink(*t.Key)
		if err != nil {
			return "", err
		}
		value, err := docbookLink(*t.Value)
		return "map&lt;" + key + ", " + value + "&gt;", err
	}
	link, err := docbookLink(t)
	if t.Repeated {
		return "repeated " + link, err
	}
	return link, err
}

// docbookNotes says what a field's description does not.
func docbookNotes(f *Field) (string, error) {
	var notes []string
	if p := presenceNote(f); p != "" {
		notes = append(notes, strings.ToUpper(p[:1])+p[1:]+".")
	}
	if f.Oneof != "" {
		notes = append(notes, "One of "+f.Oneof+".")
	}
	if f.Default != "" {
		notes = append(notes, "Default: "+f.Default+".")
	}
	if f.JSONName != "" {
		notes = append(notes, "In JSON: "+f.JSONName+".")
	}
	if f.IsGroup {
		notes = append(notes, "Encoded as a group.")
	}
	if len(notes) == 0 {
		return "", nil
	}
	text, err := escapeXML(strings.Join(notes, " "))
	return "<para>" + text + "</para>", err
}
