package scaffold

import (
	"go/ast"
	"go/types"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/gogen"
)

// Packages that handlers refer to.
const (
	contextPackage = "context"
	iterPackage    = "iter"
	servePackage   = "github.com/skaffoldgen/protoc-gen-skaffold/serve"
)

// signature is the type of a handler, its types written with full import paths:
// *example.com/api.Request.
type signature struct{ params, results []string }

// signatureOf is the type that the handler of a method has.
func signatureOf(m gogen.KitMethod) signature {
	in, out := "*"+fullType(m.Input), "*"+fullType(m.Output)
	if m.API.Desc.GetClientStreaming() {
		in = iterPackage + ".Seq2[" + in + ", error]"
	}
	s := signature{params: []string{contextPackage + ".Context", in}, results: []string{out, "error"}}
	if m.API.Desc.GetServerStreaming() {
		s.params = append(s.params, servePackage+".Sender["+out+"]")
		s.results = []string{"error"}
	}
	return s
}

func fullType(t gogen.GoType) string { return t.Package.Path + "." + t.Name }

func (s signature) equal(t signature) bool {
	return slices.Equal(s.params, t.params) && slices.Equal(s.results, t.results)
}

// show writes a signature as Go code, with the packages' names in place of paths.
func (s *service) show(sig signature) string {
	results := strings.Join(sig.results, ", ")
	if len(sig.results) > 1 {
		results = "(" + results + ")"
	}
	text := strings.TrimRight("("+strings.Join(sig.params, ", ")+") "+results, " ")
	text = local.ReplaceAllString(text, "$1")
	return qualified.ReplaceAllStringFunc(text, func(name string) string {
		importPath := strings.TrimSuffix(name, ".")
		if known := s.packages[importPath]; known != "" {
			return known + "."
		}
		return packageName(importPath) + "."
	})
}

// local is the path "." in front of a name.
var local = regexp.MustCompile(`(^|[^\w])\.`)

// qualified is an import path in front of a name.
var qualified = regexp.MustCompile(`[\w.~-]+(?:/[\w.~-]+)*\.`)

// goSignature is the type of a method as the folder has it. It is not known if a
// part of it cannot be told without the packages that the file imports.
func (f *folder) goSignature(h *handler) (s signature, known bool) {
	params, ok := f.goTypes(h.file, h.typ.Params)
	results, ok2 := f.goTypes(h.file, h.typ.Results)
	return signature{params, results}, ok && ok2
}

func (f *folder) goTypes(file *goFile, list *ast.FieldList) (all []string, known bool) {
	known = true
	if list == nil {
		return nil, known
	}
	for _, field := range list.List {
		typ, ok := f.goType(file, field.Type)
		known = known && ok
		for range max(1, len(field.Names)) {
			all = append(all, typ)
		}
	}
	return all, known
}

// goType writes a type with full import paths. Types of the folder itself have
// the path "."; the path of a package that is imported with a dot is guessed.
func (f *folder) goType(file *goFile, e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.Ident:
		return f.identType(file, e.Name)
	case *ast.SelectorExpr:
		name, ok := e.X.(*ast.Ident)
		if !ok {
			return types.ExprString(e), false
		}
		importPath, ok := f.importOf(file, name.Name)
		return importPath + "." + e.Sel.Name, ok
	case *ast.StarExpr:
		typ, ok := f.goType(file, e.X)
		return "*" + typ, ok
	case *ast.ParenExpr:
		return f.goType(file, e.X)
	case *ast.IndexExpr:
		return f.instance(file, e.X, e.Index)
	case *ast.IndexListExpr:
		return f.instance(file, e.X, e.Indices...)
	}
	return types.ExprString(e), true // a literal type, which is not one of ours
}

func (f *folder) instance(file *goFile, generic ast.Expr, args ...ast.Expr) (string, bool) {
	text, known := f.goType(file, generic)
	var list []string
	for _, arg := range args {
		typ, ok := f.goType(file, arg)
		known = known && ok
		list = append(list, typ)
	}
	return text + "[" + strings.Join(list, ", ") + "]", known
}

func (f *folder) identType(file *goFile, name string) (string, bool) {
	if decl := f.types[name]; decl.spec != nil {
		if decl.spec.Assign.IsValid() && decl.spec.TypeParams == nil && localName(decl.spec.Type) != name {
			return f.goType(decl.file, decl.spec.Type)
		}
		return "." + name, true
	}
	if types.Universe.Lookup(name) != nil {
		return name, true
	}
	for _, spec := range file.Imports {
		if spec.Name != nil && spec.Name.Name == "." {
			importPath, err := strconv.Unquote(spec.Path.Value)
			return importPath + "." + name, err == nil && f.service.packages[importPath] != ""
		}
	}
	return "." + name, false
}

// importOf is the path of the package that a file calls by a name.
func (f *folder) importOf(file *goFile, name string) (string, bool) {
	for _, spec := range file.Imports {
		importPath, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		if spec.Name != nil {
			if spec.Name.Name == name {
				return importPath, true
			}
			continue
		}
		if known := f.service.packages[importPath]; known == name || known == "" && packageName(importPath) == name {
			return importPath, true
		}
	}
	return name, false
}

// versionElement is the last element of an import path that does not name the
// package.
var versionElement = regexp.MustCompile(`^v\d+$`)

// packageName is how the package of an import path is usually called.
func packageName(importPath string) string {
	base := path.Base(importPath)
	if versionElement.MatchString(base) {
		base = path.Base(path.Dir(importPath))
	}
	return base
}
