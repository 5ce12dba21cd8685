// Package skaffold is a client of Skaffold's event API, made as Skaffold's own
// clients are: with stubs that protoc-gen-go and protoc-gen-go-grpc generate, and
// with curl. It has nothing but tests.
package skaffold

//go:generate go tool -modfile=../../../tools/go.mod buf generate
