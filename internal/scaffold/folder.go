package scaffold

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// defaultServer is how the type is called that the handlers are methods of, in a
// folder that has none yet.
const defaultServer = "Server"

// folder is what a user's folder holds. It is read as text: a folder that does
// not compile, because the API has changed, is read all the same.
type folder struct {
	dir     string
	service *service
	entries map[string]string // names of files, folders and links, by the same in small letters

	fset  *token.FileSet
	files []*goFile // of the package, tests included
	pkg   string    // "main" in a folder without Go files

	server    string // the type whose methods are the handlers
	serverPos token.Position
	handlers  map[string]*handler // methods of that type, and of what it embeds
	opaque    bool                // the type embeds one of another package, which may have handlers
	declared  map[string]bool     // functions, types, variables and constants
	types     map[string]typeDecl
	// declaredAt is where functions are declared.
	declaredAt map[string]token.Position
}

// goFile is a Go file of the folder.
type goFile struct {
	name string
	*ast.File
}

func (f *goFile) isTest() bool { return strings.HasSuffix(f.name, "_test.go") }

type typeDecl struct {
	file *goFile
	spec *ast.TypeSpec
}

// handler is a method.
type handler struct {
	name string
	file *goFile
	pos  token.Position
	typ  *ast.FuncType
}

// readFolder reads a folder, which need not exist.
func readFolder(dir string, s *service) (*folder, error) {
	f := &folder{
		dir: dir, service: s, pkg: "main", fset: token.NewFileSet(), server: defaultServer,
		entries: make(map[string]string), handlers: make(map[string]*handler),
		declared: make(map[string]bool), types: make(map[string]typeDecl), declaredAt: make(map[string]token.Position),
	}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	if err != nil {
		return nil, fmt.Errorf("--dir: %w", err)
	}
	for _, entry := range entries {
		f.entries[strings.ToLower(entry.Name())] = entry.Name()
		if err := f.parse(entry); err != nil {
			return nil, err
		}
	}
	f.keepPackage()
	f.index()
	if err := f.findServer(); err != nil {
		return nil, err
	}
	f.findHandlers(f.server, make(map[string]bool))
	return f, nil
}

// ignored tells the files that the go command never builds.
var ignored = regexp.MustCompile(`(?m)^//go:build ignore\s*$`)

// parse reads a Go file of any platform.
func (f *folder) parse(entry fs.DirEntry) error {
	name := entry.Name()
	if !strings.HasSuffix(name, ".go") || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") || entry.IsDir() {
		return nil
	}
	path := filepath.Join(f.dir, name)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // a link to nowhere
	}
	if err != nil {
		return err
	}
	file, err := parser.ParseFile(f.fset, path, text, parser.SkipObjectResolution)
	if err != nil {
		first := err
		if list := (scanner.ErrorList)(nil); errors.As(err, &list) {
			first = list[0]
		}
		return fmt.Errorf("%w: which handlers there are cannot be told before the file is right", first)
	}
	if !ignored.Match(text[:file.Package-file.FileStart]) {
		f.files = append(f.files, &goFile{name, file})
	}
	return nil
}

// keepPackage drops the files of other packages: of external tests, and what
// does not belong there.
func (f *folder) keepPackage() {
	for _, file := range f.files {
		if !file.isTest() {
			f.pkg = file.Name.Name
			break
		}
	}
	f.files = slices.DeleteFunc(f.files, func(file *goFile) bool {
		return file.Name.Name != f.pkg && !(file.isTest() && file.Name.Name == f.pkg+"_test")
	})
}

// index notes what the package declares. What tests declare counts, too: it
// cannot be declared a second time.
func (f *folder) index() {
	for _, file := range f.files {
		for _, decl := range file.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				if decl.Recv == nil {
					f.declared[decl.Name.Name] = true
					f.declaredAt[decl.Name.Name] = f.position(decl.Name)
				}
			case *ast.GenDecl:
				f.indexSpecs(file, decl.Specs)
			}
		}
	}
}

func (f *folder) indexSpecs(file *goFile, specs []ast.Spec) {
	for _, spec := range specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			f.declared[spec.Name.Name] = true
			if !file.isTest() {
				f.types[spec.Name.Name] = typeDecl{file, spec}
			}
		case *ast.ValueSpec:
			for _, name := range spec.Names {
				f.declared[name.Name] = true
			}
		}
	}
}

// hasServer tells whether the type of the handlers is there.
func (f *folder) hasServer() bool { return f.types[f.server].spec != nil }

// findServer finds the type that is asserted to be an implementation of the
// service, as in
//
//	var _ kit.AcmeServer = (*Server)(nil)
//
// and falls back on a type Server.
func (f *folder) findServer() error {
	var others []string
	for _, file := range f.files {
		if file.isTest() {
			continue
		}
		for typ, asserted := range assertions(file) {
			switch is, _ := f.goType(file, asserted); {
			case is == f.service.Package.Path+"."+f.service.Server:
				f.server = typ
				f.serverPos = f.position(asserted)
				return nil
			case typ == defaultServer && strings.HasSuffix(is, "Server"):
				others = append(others, fmt.Sprintf(
					"%s: the type %s serves %s and not %s: scaffold each service into a folder of its own",
					f.position(asserted), typ, is, f.service.Service.FullName))
			}
		}
	}
	if len(others) > 0 {
		return errors.New(others[0])
	}
	if f.hasServer() {
		f.serverPos = f.position(f.types[f.server].spec.Name)
	}
	return nil
}

// assertions are the types of a file that are said to have a type, by name:
// that of `var _ T = …`.
func assertions(file *goFile) map[string]ast.Expr {
	found := make(map[string]ast.Expr)
	for _, decl := range file.Decls {
		list, ok := decl.(*ast.GenDecl)
		if !ok || list.Tok != token.VAR {
			continue
		}
		for _, spec := range list.Specs {
			v := spec.(*ast.ValueSpec)
			if v.Type == nil || len(v.Values) != 1 || v.Names[0].Name != "_" {
				continue
			}
			if name := typeOfValue(v.Values[0]); name != "" {
				found[name] = v.Type
			}
		}
	}
	return found
}

// typeOfValue is the local type of (*T)(nil), &T{}, T{} and new(T).
func typeOfValue(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.CallExpr:
		if name, ok := e.Fun.(*ast.Ident); ok && name.Name == "new" && len(e.Args) == 1 {
			return localName(e.Args[0])
		}
		return localName(e.Fun)
	case *ast.UnaryExpr:
		return typeOfValue(e.X)
	case *ast.CompositeLit:
		return localName(e.Type)
	}
	return ""
}

// localName is T in T, *T and (*T).
func localName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.StarExpr:
		return localName(e.X)
	case *ast.ParenExpr:
		return localName(e.X)
	}
	return ""
}

// findHandlers collects the methods of a type and of the types that it embeds.
// A method of the outer type hides those of the embedded ones.
func (f *folder) findHandlers(typ string, seen map[string]bool) {
	if seen[typ] {
		return
	}
	seen[typ] = true
	for _, file := range f.files {
		for _, decl := range file.Decls {
			m, ok := decl.(*ast.FuncDecl)
			if !ok || file.isTest() || m.Recv == nil || len(m.Recv.List) != 1 || localName(m.Recv.List[0].Type) != typ {
				continue
			}
			if f.handlers[m.Name.Name] == nil {
				f.handlers[m.Name.Name] = &handler{m.Name.Name, file, f.position(m.Name), m.Type}
			}
		}
	}
	decl := f.types[typ]
	if decl.spec == nil {
		return
	}
	switch t := decl.spec.Type.(type) {
	case *ast.StructType:
		for _, field := range t.Fields.List {
			if len(field.Names) > 0 {
				continue
			}
			if name := localName(field.Type); f.types[name].spec != nil {
				f.findHandlers(name, seen)
			} else {
				f.opaque = true
			}
		}
	case *ast.Ident:
		if decl.spec.Assign.IsValid() {
			f.findHandlers(t.Name, seen)
		}
	case *ast.SelectorExpr:
		f.opaque = f.opaque || decl.spec.Assign.IsValid()
	}
}

func (f *folder) position(node ast.Node) token.Position { return f.fset.Position(node.Pos()) }
