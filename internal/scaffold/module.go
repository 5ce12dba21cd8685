package scaffold

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
)

const (
	runtimeModule  = "github.com/skaffoldgen/protoc-gen-skaffold"
	grpcModule     = "google.golang.org/grpc"
	protobufModule = "google.golang.org/protobuf"

	// leastGo is the Go version of the runtime module's go.mod: a module that
	// requires it cannot have an older one.
	leastGo = "1.26"
)

// target is the module that the folder belongs to, or is going to be.
type target struct {
	dir, abs     string
	importPath   string // of the folder's package
	goMod, goSum []byte // to be created; nil if the folder needs none
	steps        []string
}

// goModule is a go.mod and where it lies.
type goModule struct {
	dir  string
	file *modfile.File
}

func (m *goModule) path() string { return m.file.Module.Mod.Path }

// requires tells whether a module is this one, or one that it requires.
func (m *goModule) requires(modulePath string) bool {
	return m.path() == modulePath ||
		slices.ContainsFunc(m.file.Require, func(r *modfile.Require) bool { return r.Mod.Path == modulePath })
}

// has tells whether a package can be in one of the modules that this one requires.
func (m *goModule) has(importPath string) bool {
	return slices.ContainsFunc(m.file.Require, func(r *modfile.Require) bool { return isWithin(r.Mod.Path, importPath) })
}

// openTarget finds the module of a folder. A folder with a go.mod is a module. One
// without belongs to the module around it, unless --module asks for one of its
// own.
func openTarget(dir, modulePath string, s *service) (*target, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("--dir: %w", err)
	}
	if info, err := os.Stat(abs); err == nil && !info.IsDir() {
		return nil, usageError("--dir: %s is a file: name a folder", dir)
	}
	if modulePath != "" {
		if err := module.CheckImportPath(modulePath); err != nil {
			return nil, usageError("--module: %w", err)
		}
	}
	t := &target{dir: dir, abs: abs}
	around, err := moduleAround(abs)
	if err != nil {
		return nil, err
	}
	switch {
	case around != nil && around.dir == abs && modulePath != "" && modulePath != around.path():
		return nil, usageError("--module says %s, but %s says module %s: leave --module out",
			modulePath, filepath.Join(dir, "go.mod"), around.path())
	case around != nil && (around.dir == abs || around.isMeant(modulePath, abs)):
		t.importPath = around.importPath(abs)
		err = t.join(around, s)
	case modulePath == "":
		return nil, usageError("--dir: %s lies in no module: name the one to make, such as --module example.com/%s",
			dir, filepath.Base(abs))
	default:
		t.importPath = modulePath
		err = t.make(modulePath, s)
	}
	if err != nil {
		return nil, err
	}
	return t, t.checkInternal(s)
}

// importPath is that of a folder of the module.
func (m *goModule) importPath(dir string) string {
	rel, err := filepath.Rel(m.dir, dir)
	if err != nil {
		return m.path() // not on one volume, which a folder of the module is
	}
	return path.Join(m.path(), filepath.ToSlash(rel))
}

// isMeant tells whether --module leaves a folder in the module.
func (m *goModule) isMeant(modulePath, dir string) bool {
	return modulePath == "" || modulePath == m.path() || modulePath == m.importPath(dir)
}

// moduleAround is the module that a folder is in; nil if it is in none.
func moduleAround(dir string) (*goModule, error) {
	for {
		m, err := readModule(dir)
		if m != nil || err != nil {
			return m, err
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return nil, nil
		}
		dir = parent
	}
}

// readModule reads the go.mod of a folder; nil if it has none.
func readModule(dir string) (*goModule, error) {
	name := filepath.Join(dir, "go.mod")
	text, err := os.ReadFile(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil && isFolder(name):
		return nil, nil
	case err != nil && !isFolder(dir):
		return nil, nil // a file on the way
	case err != nil:
		return nil, err
	}
	file, err := modfile.ParseLax(name, text, nil)
	if err != nil {
		return nil, err
	}
	if file.Module == nil {
		return nil, fmt.Errorf("%s has no module line", name)
	}
	// ParseLax leaves out what only a main module's go.mod says.
	if strict, err := modfile.Parse(name, text, nil); err == nil {
		file = strict
	}
	return &goModule{dir, file}, nil
}

func isFolder(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// generatedModule is the module on this machine that the kit is in: one around
// the current folder or around the target. It is nil if there is none.
func (t *target) generatedModule(kit string) (*goModule, error) {
	cwd, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	for _, start := range []string{cwd, t.abs} {
		for dir := start; ; dir = filepath.Dir(dir) {
			m, err := readModule(dir)
			if err != nil {
				return nil, err
			}
			if m != nil && isWithin(m.path(), kit) {
				return m.innermost(kit)
			}
			if dir == filepath.Dir(dir) {
				break
			}
		}
	}
	return nil, nil
}

// isWithin tells whether an import path is that of a module, or below.
func isWithin(modulePath, importPath string) bool {
	return importPath == modulePath || strings.HasPrefix(importPath, modulePath+"/")
}

// innermost is the module of a package that lies in a folder of the module, but
// maybe in a module inside of it.
func (m *goModule) innermost(importPath string) (*goModule, error) {
	found, dir, at := m, m.dir, m.path()
	for element := range strings.SplitSeq(strings.TrimPrefix(importPath[len(m.path()):], "/"), "/") {
		dir, at = filepath.Join(dir, element), path.Join(at, element)
		inner, err := readModule(dir)
		if err != nil {
			return nil, err
		}
		if inner != nil && inner.path() == at {
			found = inner
		}
	}
	return found, nil
}

// join is for a folder of a module that exists: its go.mod is not touched.
func (t *target) join(m *goModule, s *service) error {
	generated, err := t.generatedModule(s.Package.Path)
	if err != nil {
		return err
	}
	t.checkKit(generated, s)
	if t.workspace() != "" {
		return nil // modules of a workspace need not require each other
	}
	switch {
	case generated != nil && !m.requires(generated.path()):
		t.steps = append(t.steps, t.command(fmt.Sprintf(
			"go mod edit -require=%[1]s@%[2]s -replace=%[1]s=%[3]s && go mod tidy",
			generated.path(), unpublished(generated.path()), t.relative(generated.dir))))
	case !m.requires(runtimeModule), !m.requires(grpcModule), !m.requires(protobufModule),
		generated == nil && !m.has(s.Package.Path):
		t.steps = append(t.steps, t.command("go mod tidy"))
	}
	return nil
}

// checkInternal refuses a folder that may not import the generated code.
func (t *target) checkInternal(s *service) error {
	for _, importPath := range slices.Sorted(maps.Keys(s.packages)) {
		before, _, ok := strings.Cut("/"+importPath+"/", "/internal/")
		if root := strings.TrimPrefix(before, "/"); ok && root != "" && !isWithin(root, t.importPath) {
			return fmt.Errorf("%s is internal to %s, and %s cannot import it: "+
				"let the module's path begin with %s/, or put the folder into that module",
				importPath, root, t.importPath, root)
		}
	}
	return nil
}

// command is a step to take in the folder, as a shell takes it.
func (t *target) command(line string) string {
	dir := t.dir
	if strings.ContainsAny(dir, " \t'\"$&;()") {
		dir = "'" + strings.ReplaceAll(dir, "'", `'\''`) + "'"
	}
	return "cd " + dir + " && " + line
}

// nextSteps are lines about what to do then.
func (t *target) nextSteps() []string {
	var lines []string
	for _, step := range append(t.steps, t.command("go run .")) {
		lines = append(lines, "next: "+step)
	}
	return lines
}
