package gogen

import "go/token"

// names are the identifiers of one kit. The rule, which the README states too:
// identifiers are claimed in the order of the files' paths, of the features
// events, codes and services, and of the declarations in a file; one that is
// taken, or that Go does not allow, gets underscores at its end until it is free.
type names struct{ taken map[string]bool }

func newNames() *names { return &names{taken: make(map[string]bool)} }

// claim returns the identifier for a wished one.
func (n *names) claim(wish string) string {
	for n.taken[wish] || !token.IsIdentifier(wish) {
		wish += "_"
	}
	n.taken[wish] = true
	return wish
}
