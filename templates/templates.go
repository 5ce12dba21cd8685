// Package templates holds the templates of the built-in formats.
package templates

import _ "embed"

// HTML is the page in HTML.
//
//go:embed docs/html.tmpl
var HTML string

// DocBook is the page in DocBook 5.
//
//go:embed docs/docbook.xml.tmpl
var DocBook string
