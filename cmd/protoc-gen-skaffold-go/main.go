// Protoc-gen-skaffold-go is a plugin for protoc and buf that generates kits:
// typed helpers for the events and the codes of an API.
package main

import (
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/gogen"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/plugin"
)

func main() {
	plugin.Plugin{
		Name:     "protoc-gen-skaffold-go",
		Usage:    gogen.Usage,
		Generate: gogen.Generate,
	}.Main()
}
