// Package rkt is a client of rkt's API with stubs of its own: it shares no code
// with the server that its tests start, and knows it as a process and a port.
package rkt

//go:generate go tool -modfile=../../../tools/go.mod buf generate
