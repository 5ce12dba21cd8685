// Package synth makes code generator requests for tests and benchmarks.
//
// [Random] draws small requests that hold every kind of element a .proto file
// can declare, with hostile comments and options: the input of a differential
// test, where two programs are given the same request and must print the same
// bytes. [WriteModule] writes a large, realistic one: the input of a
// benchmark, where the size and the shape of the request decide the figures.
//
// Both are deterministic, and both are valid: every type resolves, every
// dependency is listed and stands before its importer. Custom options are
// appended to the options messages as raw wire bytes, so that a program reads
// them whether or not it has the extensions linked in.
package synth
