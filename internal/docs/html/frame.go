package html

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"html/template"
	"sync"

	"github.com/skaffoldgen/protoc-gen-skaffold/templates"
)

// The files that the pages of a folder share, beside its index.
const (
	styleName  = "style.css"
	scriptName = "script.js"
	searchName = "search.js"
)

// asset is a file of templates/docs/html. It is built in, so that reading it
// cannot fail.
func asset(name string) []byte {
	text, err := templates.HTML.ReadFile("docs/html/" + name)
	if err != nil {
		panic(err)
	}
	return text
}

// frame is parsed when it is first used: a run needs one format only.
var frame = sync.OnceValue(func() *template.Template {
	return template.Must(template.ParseFS(templates.HTML, "docs/html/page.html.tmpl"))
})

// The policies forbid a page all but its own style and script. A page opened
// from disk has no host that 'self' could name in every browser, so that the
// pages of a folder may also read files from where only such a page can.
var (
	onePolicy = sync.OnceValue(func() string {
		return "default-src 'none'; img-src data:; style-src '" + hash(asset(styleName)) + "'; script-src '" +
			hash(asset(scriptName)) + "'; base-uri 'none'; form-action 'none'"
	})
	folderPolicy = "default-src 'none'; img-src data:; style-src 'self' file:; script-src 'self' file:; " +
		"base-uri 'none'; form-action 'none'"
)

// hash names a text in a policy.
func hash(text []byte) string {
	sum := sha256.Sum256(text)
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// head is what the frame shows.
type head struct {
	Title string
	Brand string // what the header calls the site
	// Root is the way to the folder of the shared files; empty or with a slash at
	// its end.
	Root   string
	Home   string // the page that leads to all others; empty for none
	Policy string
	// Style and Script are the texts themselves in a page that needs no other
	// file; else empty.
	Style  template.CSS
	Script template.JS
}

// part executes a part of the frame.
func (h *head) part(name string) ([]byte, error) {
	var out bytes.Buffer
	err := frame().ExecuteTemplate(&out, name, h)
	return out.Bytes(), err
}
