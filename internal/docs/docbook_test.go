package docs_test

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/plugin/plugintest"
)

// What template=docbook writes is well-formed; its ids are unique names, and what
// refers to them finds them, in other documents too.
func TestDocBookIsWellFormed(t *testing.T) {
	req := allProtos(t)
	for _, parameter := range []string{
		"template=docbook", "template=docbook,layout=package", "template=docbook,layout=file,order=source",
	} {
		t.Run(parameter, func(t *testing.T) {
			req.Parameter = proto.String(parameter)
			links := checkDocBook(t, plugintest.Files(t, plugintest.Run(t, docsPlugin, req)), allLinks)
			if links < 100 {
				t.Errorf("only %d links were found: the test does not see them", links)
			}
		})
	}
	for name, files := range goldens(t, ".xml") {
		t.Run(name, func(t *testing.T) { checkDocBook(t, files, inDocument) })
	}
}

// ncName is an NCName without the letters that no id needs.
var ncName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.·-]*$`)

// Which links of documents are ours to keep: addresses in hostile comments lead
// where they like.
const (
	allLinks   = true
	inDocument = false
)

// checkDocBook returns the number of links that lead to places of the files.
func checkDocBook(t *testing.T, files map[string]string, all bool) int {
	t.Helper()
	ids := make(map[string]bool)
	var links []string
	for name, text := range files {
		err := eachElement(text, func(e xml.StartElement) {
			for _, a := range e.Attr {
				switch {
				case a.Name.Local == "id":
					if !ncName.MatchString(a.Value) {
						t.Errorf("%s: %q cannot be an xml:id", name, a.Value)
					}
					if ids[name+"#"+a.Value] {
						t.Errorf("%s: id %s stands twice", name, a.Value)
					}
					ids[name+"#"+a.Value] = true
				case a.Name.Local == "linkend":
					links = append(links, name+"#"+a.Value)
				case all && a.Name.Local == "href" && !strings.Contains(a.Value, ":"):
					links = append(links, target(t, name, a.Value))
				}
			}
		})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		ids[name] = true
	}
	for _, link := range links {
		if !ids[link] {
			t.Errorf("%s leads nowhere", link)
		}
	}
	return len(links)
}

// target is where the relative address of another document leads.
func target(t *testing.T, page, link string) string {
	t.Helper()
	path, id, hasID := strings.Cut(link, "#")
	path, err := url.PathUnescape(path)
	if err != nil {
		t.Error(err)
	}
	if hasID {
		return beside(page, path) + "#" + id
	}
	return beside(page, path)
}

// eachElement visits the elements of a document of XML, and refuses one that is
// not well-formed.
func eachElement(text string, visit func(xml.StartElement)) error {
	depth, roots := 0, 0
	for d := xml.NewDecoder(strings.NewReader(text)); ; {
		token, err := d.Token()
		switch {
		case errors.Is(err, io.EOF) && roots == 1:
			return nil
		case errors.Is(err, io.EOF):
			return fmt.Errorf("%d elements at the top", roots)
		case err != nil:
			return err
		}
		switch token := token.(type) {
		case xml.StartElement:
			if depth == 0 {
				roots++
			}
			depth++
			visit(token)
		case xml.EndElement:
			depth--
		}
	}
}
