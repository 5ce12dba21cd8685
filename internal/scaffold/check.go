package scaffold

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"io"
	"slices"
	"strings"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/gogen"
)

// finding is one difference between the folder and the API.
type finding struct {
	pos  token.Position
	text string
}

// findings are what Check has found, as an error.
type findings []finding

func (f findings) Error() string { return fmt.Sprintf("%d findings", len(f)) }

// runCheck reports the findings, a line each.
func (o *options) runCheck(s *service, out io.Writer) error {
	f, err := readFolder(o.dir, s)
	if err != nil {
		return err
	}
	if !f.hasServer() {
		return fmt.Errorf("%s: there is no type %s with the handlers of %s: run the command without --check",
			o.dir, f.server, s.Service.FullName)
	}
	found := f.check()
	for _, x := range found {
		fmt.Fprintf(out, "%s: %s\n", x.pos, x.text)
	}
	if len(found) > 0 {
		return found
	}
	fmt.Fprintf(out, "%s: each of the %d RPCs of %s has its handler\n", o.dir, len(s.Methods), s.Service.FullName)
	return nil
}

// check compares the handlers with the API.
func (f *folder) check() findings {
	var found findings
	for _, m := range f.service.Methods {
		found = append(found, f.checkMethod(m)...)
	}
	for _, h := range f.orphans() {
		found = append(found, finding{h.pos, f.orphaned(h)})
	}
	slices.SortStableFunc(found, func(a, b finding) int {
		return cmp.Or(strings.Compare(a.pos.Filename, b.pos.Filename), cmp.Compare(a.pos.Offset, b.pos.Offset))
	})
	return found
}

// checkMethod reports a handler that is missing, or has other types than the RPC.
func (f *folder) checkMethod(m gogen.KitMethod) []finding {
	h := f.handlers[m.Name]
	if h == nil {
		if f.opaque {
			return nil // the compiler knows better
		}
		return []finding{{f.serverPos, fmt.Sprintf(
			"%s has no method %s for the RPC %s (%s): run the command without --check to add one",
			f.server, m.Name, m.API.FullName(), m.API.Pos())}}
	}
	want := signatureOf(m)
	got, known := f.goSignature(h)
	if !known || got.equal(want) {
		return nil
	}
	return []finding{{h.pos, fmt.Sprintf("%s has the type %s, but the RPC %s (%s) needs %s: change it",
		h.name, f.service.show(got), m.API.FullName(), m.API.Pos(), f.service.show(want))}}
}

// orphans are methods that look like handlers, but of no RPC that there is.
func (f *folder) orphans() []*handler {
	var list []*handler
	for _, h := range f.handlers {
		if !ast.IsExported(h.name) || f.hasMethod(h.name) {
			continue
		}
		if s, known := f.goSignature(h); known && f.isHandler(s) {
			list = append(list, h)
		}
	}
	slices.SortFunc(list, func(a, b *handler) int { return strings.Compare(a.name, b.name) })
	return list
}

func (f *folder) hasMethod(name string) bool {
	return slices.ContainsFunc(f.service.Methods, func(m gogen.KitMethod) bool { return m.Name == name })
}

// orphaned says what to do with an orphan. If there is one new RPC of its type,
// that is probably what its own has been renamed to.
func (f *folder) orphaned(h *handler) string {
	text := fmt.Sprintf("%s is the handler of no RPC of %s: ", h.name, f.service.Service.FullName)
	s, _ := f.goSignature(h)
	var renamed []string
	for _, m := range f.service.Methods {
		if f.handlers[m.Name] == nil && signatureOf(m).equal(s) {
			renamed = append(renamed, m.Name)
		}
	}
	if len(renamed) == 1 {
		return text + "if the RPC was renamed to " + renamed[0] + ", rename it, else delete it"
	}
	return text + "delete it, or let its name begin with a small letter if you use it yourself"
}

// isHandler tells the types that handlers can have: those of the four kinds of
// RPCs, with messages from the API's packages.
func (f *folder) isHandler(s signature) bool {
	if len(s.params) < 2 || s.params[0] != contextPackage+".Context" {
		return false
	}
	in := s.params[1]
	if rest, ok := strings.CutPrefix(in, iterPackage+".Seq2["); ok {
		in = strings.TrimSuffix(rest, ", error]")
	}
	switch {
	case !f.isMessage(in):
		return false
	case len(s.params) == 2:
		return len(s.results) == 2 && f.isMessage(s.results[0]) && s.results[1] == "error"
	case len(s.params) == 3:
		out, ok := strings.CutPrefix(s.params[2], servePackage+".Sender[")
		return ok && f.isMessage(strings.TrimSuffix(out, "]")) && len(s.results) == 1 && s.results[0] == "error"
	}
	return false
}

// isMessage tells pointers to types of the API's packages.
func (f *folder) isMessage(typ string) bool {
	name, ok := strings.CutPrefix(typ, "*")
	i := strings.LastIndexByte(name, '.')
	return ok && i >= 0 && f.service.messages[name[:i]]
}
