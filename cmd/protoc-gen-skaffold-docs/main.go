// Protoc-gen-skaffold-docs is a plugin for protoc and buf that makes API
// reference pages from .proto files.
package main

import (
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/plugin"
)

func main() {
	plugin.Plugin{
		Name:     "protoc-gen-skaffold-docs",
		Usage:    docs.Usage,
		Generate: docs.Generate,
	}.Main()
}
