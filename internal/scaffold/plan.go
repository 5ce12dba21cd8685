package scaffold

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/gogen"
)

// plan is what one run creates, and what it leaves alone.
type plan struct {
	files []plannedFile
	kept  []string // lines
}

// plannedFile is a file to be created.
type plannedFile struct {
	name    string
	content []byte
}

// planner makes a plan.
type planner struct {
	*folder
	target *target
	plan   plan
	taken  map[string]bool // names of files, in small letters
}

// What the files that are written once declare: where the folder has that
// declaration, under whatever file name, the file is not missing.
const (
	mainFunc = "main"
	newFunc  = "NewServer"
	testFunc = "TestEveryRPC"
)

// newPlan compares what there has to be with what the folder holds. go.mod and
// go.sum come first, so that a folder never has Go files without a module, and
// the files of RPCs after those whose names are always the same.
func newPlan(t *target, f *folder) (*plan, error) {
	p := &planner{folder: f, target: t, taken: make(map[string]bool)}
	for name := range f.entries {
		p.taken[name] = true
	}
	for _, step := range []func() error{p.addModule, p.addServer, p.addMain, p.addTest, p.addHandlers, p.addReadme} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return &p.plan, nil
}

func (p *planner) addModule() error {
	if p.target.goMod == nil {
		return nil
	}
	if p.isTaken("go.mod", "the module "+p.target.importPath+" is") {
		return nil
	}
	if len(p.target.goSum) > 0 && !p.isTaken("go.sum", "sums of modules may be") {
		p.add("go.sum", p.target.goSum)
	}
	p.add("go.mod", p.target.goMod)
	return nil
}

func (p *planner) addServer() error {
	if p.hasServer() {
		p.keep(p.serverPos.String(), "type "+p.server)
		return nil
	}
	return p.addFile("server.go", serverTemplate, "type "+p.server+" is")
}

// addHandlers adds a file for each RPC that has no handler.
func (p *planner) addHandlers() error {
	for _, m := range p.service.Methods {
		if h := p.handlers[m.Name]; h != nil {
			p.keep(h.pos.String(), m.Name)
			continue
		}
		if p.opaque {
			p.keep(p.serverPos.String(), m.Name+", if what "+p.server+" embeds has it")
			continue
		}
		if err := p.addHandler(m); err != nil {
			return err
		}
	}
	return nil
}

func (p *planner) addMain() error {
	switch {
	case p.pkg != "main":
		return nil
	case p.declared[mainFunc]:
		p.keepDeclared(mainFunc)
		return nil
	}
	return p.addFile("main.go", mainTemplate, "func "+mainFunc+" is")
}

func (p *planner) addTest() error {
	if p.declared[testFunc] {
		p.keepDeclared(testFunc)
		return nil
	}
	return p.addFile("server_test.go", testTemplate, "func "+testFunc+" is")
}

func (p *planner) addReadme() error {
	for _, lower := range slices.Sorted(maps.Keys(p.entries)) {
		if lower == "readme" || strings.HasPrefix(lower, "readme.") {
			p.keep(displayPath(p.dir, p.entries[lower]), "")
			return nil
		}
	}
	text, err := p.render(readmeTemplate, p.data())
	p.add("README.md", text)
	return err
}

// addFile adds a Go file made of a template, unless its name is taken.
func (p *planner) addFile(name, template, missing string) error {
	if p.isTaken(name, missing) {
		return nil
	}
	text, err := p.renderGo(template, p.data())
	if err != nil {
		return err
	}
	p.add(name, text)
	return nil
}

// isTaken tells whether the folder has an entry of that name, whatever it is, and
// notes that it is left alone and what is missing therefore. Another name would
// not do: what is missing would be there twice once the user's own file, or where
// a link leads, has it.
func (p *planner) isTaken(name, missing string) bool {
	found, ok := p.entries[name]
	if !ok {
		return false
	}
	place := displayPath(p.dir, found)
	if _, err := os.Stat(place); errors.Is(err, fs.ErrNotExist) {
		place += " (a link to nowhere)"
	}
	p.keep(place, missing+" missing")
	return true
}

func (p *planner) addHandler(m gogen.KitMethod) error {
	text, err := p.renderGo(handlerTemplate, p.handlerData(m))
	if err != nil {
		return fmt.Errorf("%s: %w", m.API.FullName(), err)
	}
	p.add(freeName(snake(m.Name), p.taken), text)
	return nil
}

func (p *planner) add(name string, content []byte) {
	p.taken[strings.ToLower(name)] = true
	p.plan.files = append(p.plan.files, plannedFile{name, content})
}

// keep notes what is there already, by the place where it is.
func (p *planner) keep(place, what string) {
	line := "kept " + place
	if what != "" {
		line += ": " + what
	}
	p.plan.kept = append(p.plan.kept, line)
}

// keepDeclared notes a function that is there already.
func (p *planner) keepDeclared(name string) { p.keep(p.declaredAt[name].String(), name) }

// names of local variables, and of what the files declare, which no import may
// hide.
var localNames = []string{
	"ctx", "req", "reqs", "stream", "s",
	"config", "level",
	"cancel", "conn", "done", "err", "field", "fields", "i", "message", "method", "methods", "patience", "path",
	"request", "server", "service", "stop", "t",
	defaultServer, mainFunc, newFunc, testFunc, "about", "requests", "callRPC", "serveForTest", "fillRequired",
}

// reserved are the names that an import cannot have in the folder.
func (p *planner) reserved() []string {
	return slices.Concat(localNames, slices.Collect(maps.Keys(p.declared)))
}
