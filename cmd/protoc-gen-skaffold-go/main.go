// Protoc-gen-skaffold-go is a plugin for protoc and buf that generates kits:
// typed helpers for the events and the codes of an API, and its services ready
// to run. Its command scaffold writes the start of a service.
package main

import (
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/gogen"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/plugin"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/scaffold"
)

func main() {
	plugin.Plugin{
		Name:     scaffold.Program,
		Usage:    gogen.Usage,
		Generate: gogen.Generate,
		Commands: map[string]plugin.Command{"scaffold": {Synopsis: scaffold.Synopsis, Run: scaffold.Run}},
	}.Main()
}
