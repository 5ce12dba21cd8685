package scaffold

import (
	"bytes"
	"fmt"
	"go/format"
	"go/token"
	"go/types"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/api"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/gogen"
	"github.com/skaffoldgen/protoc-gen-skaffold/templates"
)

// Names of the templates.
const (
	mainTemplate    = "main.go.tmpl"
	serverTemplate  = "server.go.tmpl"
	handlerTemplate = "handler.go.tmpl"
	testTemplate    = "server_test.go.tmpl"
	readmeTemplate  = "README.md.tmpl"
)

var parsed = template.Must(template.New("").ParseFS(templates.Scaffold, "scaffold/*.tmpl"))

// data is what a template sees.
type data struct {
	*imports

	Package string // of the folder
	Program string // name of the program
	Service *api.Service
	Kit     gogen.GoPackage
	// Interface and Create are identifiers of the kit.
	Interface, Create string
	Server            string // the type of the handlers
	New               string // an expression that makes one
	Routes            bool   // the kit brings HTTP routes
	About             []string
	Call              *call // an example for the README; nil if there is none to give

	// The rest is for the file of an RPC.
	Name, FullName string
	Doc            []string
	In, Out        string // message types
	Receives       bool   // the client streams
	Sends          bool   // the server streams
}

func (p *planner) data() *data {
	d := &data{
		imports: &imports{reserved: p.reserved(), names: make(map[string]string)},
		Package: p.pkg, Program: programName(p.target.importPath),
		Service: p.service.Service, Kit: p.service.Package,
		Interface: p.service.Server, Create: p.service.Create,
		Server: p.server, New: newFunc + "()",
		Routes: p.service.Routes, About: p.service.Doc, Call: p.service.example(),
	}
	if p.hasServer() && !p.declared[newFunc] {
		d.New = "new(" + p.server + ")"
	}
	return d
}

func (p *planner) handlerData(m gogen.KitMethod) *data {
	d := p.data()
	d.Name, d.FullName, d.Doc = m.Name, m.API.FullName(), m.Doc
	d.Receives, d.Sends = m.API.Desc.GetClientStreaming(), m.API.Desc.GetServerStreaming()
	// The packages that the user will type more often get their own names first.
	for _, name := range []string{"context", "google.golang.org/grpc/codes", "google.golang.org/grpc/status"} {
		d.Use(name, path.Base(name))
	}
	if d.Receives {
		d.Use(iterPackage, "iter")
	}
	if d.Sends {
		d.Use(servePackage, "serve")
	}
	d.In = d.Use(m.Input.Package.Path, m.Input.Package.Name) + "." + m.Input.Name
	d.Out = d.Use(m.Output.Package.Path, m.Output.Package.Name) + "." + m.Output.Name
	return d
}

// programName is what go build calls the program of a package.
func programName(importPath string) string { return packageName(importPath) }

// AboutLiteral is what --help prints first, as a literal.
func (d *data) AboutLiteral() string {
	text := fmt.Sprintf("usage: %s [flags]\n\nServes %s", d.Program, d.Service.FullName)
	if len(d.About) > 0 {
		text += ":\n\n" + strings.Join(d.About, "\n") + "\n"
	} else {
		text += ".\n"
	}
	text += "\nFlags:\n"
	if strconv.CanBackquote(strings.ReplaceAll(text, "\n", "")) {
		return "`" + text + "`"
	}
	return strconv.Quote(text)
}

// call is a call that can be tried with curl.
type call struct{ Verb, Path string }

// example is the first call over HTTP that needs nothing but an empty request.
func (s *service) example() *call {
	for _, m := range s.Methods {
		if m.API.Desc.GetClientStreaming() {
			continue
		}
		if !s.Routes {
			return &call{"POST", "/" + s.Service.FullName + "/" + m.API.Name}
		}
		for _, r := range m.API.Routes {
			if !strings.ContainsAny(r.Path, "{*") {
				return &call{r.Verb, r.Path}
			}
		}
	}
	return nil
}

// imports are the packages that a file imports.
type imports struct {
	reserved []string
	names    map[string]string // by path
}

// Use is the name of a package in the file: its own, or one with pb and a number
// behind it where that is taken.
func (i *imports) Use(importPath, name string) string {
	if known, ok := i.names[importPath]; ok {
		return known
	}
	wish := name
	for n := 1; i.taken(wish); n++ {
		wish = name + "pb"
		if n > 1 {
			wish += strconv.Itoa(n)
		}
	}
	i.names[importPath] = wish
	return wish
}

func (i *imports) taken(name string) bool {
	return !token.IsIdentifier(name) || types.Universe.Lookup(name) != nil || slices.Contains(i.reserved, name) ||
		slices.Contains(slices.Collect(maps.Values(i.names)), name)
}

// decl is the import declaration: the standard library's packages, then the
// others.
func (i *imports) decl() string {
	var standard, others []string
	for _, importPath := range slices.Sorted(maps.Keys(i.names)) {
		line := strconv.Quote(importPath)
		if name := i.names[importPath]; name != path.Base(importPath) {
			line = name + " " + line
		}
		if first, _, _ := strings.Cut(importPath, "/"); strings.Contains(first, ".") {
			others = append(others, line)
		} else {
			standard = append(standard, line)
		}
	}
	return "import (\n" + strings.Join(standard, "\n") + "\n\n" + strings.Join(others, "\n") + "\n)\n"
}

// importMark is where the import declaration goes, which is known only after the
// rest of a file is.
const importMark = "//imports\n"

// renderGo renders a Go file and formats it.
func (p *planner) renderGo(name string, d *data) ([]byte, error) {
	text, err := p.render(name, d)
	if err != nil {
		return nil, err
	}
	text = bytes.Replace(text, []byte(importMark), []byte(d.decl()), 1)
	formatted, err := format.Source(text)
	if err != nil {
		return nil, fmt.Errorf("internal error: the file made of %s is no Go (this is a bug): %w\n%s", name, err, text)
	}
	return formatted, nil
}

func (p *planner) render(name string, d *data) ([]byte, error) {
	var b bytes.Buffer
	if err := parsed.ExecuteTemplate(&b, name, d); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
