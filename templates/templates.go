// Package templates holds the templates of the built-in formats, and those of the
// files that a scaffolded service begins with.
package templates

import "embed"

// HTML has the frame, the style and the script of pages in HTML, in the folder
// docs/html.
//
//go:embed docs/html
var HTML embed.FS

// Scaffold has the files that a service begins with, in the folder scaffold.
//
//go:embed scaffold/*.tmpl
var Scaffold embed.FS
