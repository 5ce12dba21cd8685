// Package protocgenskaffold is the root of a module of two plugins for buf and protoc and of the runtime that
// their output stands on; it holds no code. `go generate` here rewrites everything that buf.gen.yaml describes.
package protocgenskaffold

//go:generate go tool -modfile=tools/go.mod buf generate
