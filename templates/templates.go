// Package templates holds the templates of the built-in formats, and those of the
// files that a scaffolded service begins with.
package templates

import "embed"

// HTML is the page in HTML.
//
//go:embed docs/html.tmpl
var HTML string

// DocBook is the page in DocBook 5.
//
//go:embed docs/docbook.xml.tmpl
var DocBook string

// Scaffold has the files that a service begins with, in the folder scaffold.
//
//go:embed scaffold/*.tmpl
var Scaffold embed.FS
