package scaffold

import (
	"errors"
	"fmt"
	"go/version"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
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
	return m.path() == modulePath || slices.ContainsFunc(m.file.Require, func(r *modfile.Require) bool { return r.Mod.Path == modulePath })
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
	case around != nil && (around.dir == abs || modulePath == "" || modulePath == around.path() || modulePath == around.importPath(abs)):
		t.importPath = around.importPath(abs)
		err = t.join(around, s)
	case modulePath == "":
		return nil, usageError("--dir: %s lies in no module: name the one to make, such as --module example.com/%s", dir, filepath.Base(abs))
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
		t.steps = append(t.steps, t.command(fmt.Sprintf("go mod edit -require=%[1]s@%[2]s -replace=%[1]s=%[3]s && go mod tidy",
			generated.path(), unpublished(generated.path()), t.relative(generated.dir))))
	case !m.requires(runtimeModule) || !m.requires(grpcModule) || !m.requires(protobufModule) || generated == nil && !m.has(s.Package.Path):
		t.steps = append(t.steps, t.command("go mod tidy"))
	}
	return nil
}

// make is for a new module.
func (t *target) make(modulePath string, s *service) error {
	generated, err := t.generatedModule(s.Package.Path)
	if err != nil {
		return err
	}
	f := new(modfile.File)
	f.AddComment("// Made once by " + Program + " scaffold; yours to change.")
	if err := f.AddModuleStmt(modulePath); err != nil {
		return err
	}
	t.checkKit(generated, s)
	if generated != nil {
		err = t.requireLocal(f, generated)
	} else {
		err = t.requirePublished(f)
	}
	if err != nil {
		return err
	}
	f.Cleanup()
	if t.goMod, err = f.Format(); err != nil {
		return err
	}
	if work := t.workspace(); work != "" {
		t.steps = append([]string{t.command("go work use .") + " (because of " + work + ")"}, t.steps...)
	}
	return nil
}

// checkKit notes that the kit is still to be generated, where that can be told.
func (t *target) checkKit(generated *goModule, s *service) {
	if generated == nil {
		return
	}
	dir := filepath.Join(generated.dir, filepath.FromSlash(strings.TrimPrefix(s.Package.Path, generated.path())))
	if !isFolder(dir) {
		t.steps = append(t.steps, "buf generate (the kit "+s.Package.Path+" is not there yet)")
	}
}

// requireLocal has the new module take the generated code from where it lies,
// with the very versions of other modules that it is built with there. So the new
// module builds at once, without a network.
func (t *target) requireLocal(f *modfile.File, generated *goModule) error {
	mod := generated.file
	goVersion := leastGo
	if mod.Go != nil && version.Compare("go"+mod.Go.Version, "go"+leastGo) > 0 {
		goVersion = mod.Go.Version
	}
	if err := f.AddGoStmt(goVersion); err != nil {
		return err
	}
	if mod.Toolchain != nil {
		if err := f.AddToolchainStmt(mod.Toolchain.Name); err != nil {
			return err
		}
	}
	list := []*modfile.Require{{Mod: module.Version{Path: generated.path(), Version: unpublished(generated.path())}}}
	for _, r := range mod.Require {
		list = append(list, &modfile.Require{Mod: r.Mod, Indirect: !isDirect(r.Mod.Path)})
	}
	if !generated.requires(runtimeModule) {
		if v := builtVersion(runtimeModule); v != "" {
			list = append(list, &modfile.Require{Mod: module.Version{Path: runtimeModule, Version: v}})
		}
	}
	if !generated.requires(runtimeModule) || !generated.requires(grpcModule) || !generated.requires(protobufModule) {
		t.steps = append(t.steps, t.command("go mod tidy"))
	}
	f.SetRequireSeparateIndirect(list)
	if err := t.replace(f, generated); err != nil {
		return err
	}
	sum, err := os.ReadFile(filepath.Join(generated.dir, "go.sum"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	t.goSum = sum
	return nil
}

// replace points to the generated module, and repeats its own replacements and
// exclusions, which are of no effect in a module that is not the main one.
func (t *target) replace(f *modfile.File, generated *goModule) error {
	if err := f.AddReplace(generated.path(), "", t.relative(generated.dir), ""); err != nil {
		return err
	}
	for _, r := range generated.file.Replace {
		to := r.New.Path
		if r.New.Version == "" && !filepath.IsAbs(to) {
			to = t.relative(filepath.Join(generated.dir, filepath.FromSlash(to)))
		}
		if err := f.AddReplace(r.Old.Path, r.Old.Version, to, r.New.Version); err != nil {
			return err
		}
	}
	for _, x := range generated.file.Exclude {
		if err := f.AddExclude(x.Mod.Path, x.Mod.Version); err != nil {
			return err
		}
	}
	return nil
}

// relative is how a go.mod in the folder writes the path of another one. Where a
// symbolic link makes it ambiguous which folder is above, it is absolute.
func (t *target) relative(dir string) string {
	rel, err := filepath.Rel(t.abs, dir)
	if err != nil || !leadsTo(t.abs, rel, dir) {
		return dir
	}
	switch rel = filepath.ToSlash(rel); {
	case rel == "..":
		return "../"
	case strings.HasPrefix(rel, "../"):
		return rel
	}
	return "./" + rel
}

// leadsTo tells whether a relative path means the same folder with all symbolic
// links resolved. The folder that it starts in may be still to be made.
func leadsTo(from, rel, want string) bool {
	missing := ""
	for {
		if real, err := filepath.EvalSymlinks(from); err == nil {
			from = real
			break
		}
		missing = filepath.Join(filepath.Base(from), missing)
		if from == filepath.Dir(from) {
			return false
		}
		from = filepath.Dir(from)
	}
	want, err := filepath.EvalSymlinks(want)
	if err != nil {
		return true // not there at all
	}
	got, err := filepath.EvalSymlinks(filepath.Join(from, missing, rel))
	return err == nil && got == want
}

// isDirect tells the modules whose packages the scaffold's own files import.
func isDirect(modulePath string) bool {
	return modulePath == runtimeModule || modulePath == grpcModule || modulePath == protobufModule
}

// unpublished is the version that the go command gives a module which is
// replaced, and of which there is no other one.
func unpublished(modulePath string) string {
	_, major, _ := module.SplitPathVersion(modulePath)
	return module.ZeroPseudoVersion(module.PathMajorPrefix(major))
}

// requirePublished is for generated code that is in no module of this machine.
// Which module has it, and in which version, is for the go command to find out.
func (t *target) requirePublished(f *modfile.File) error {
	if err := f.AddGoStmt(leastGo); err != nil {
		return err
	}
	var list []*modfile.Require
	for _, name := range []string{runtimeModule, grpcModule, protobufModule} {
		if v := builtVersion(name); v != "" {
			list = append(list, &modfile.Require{Mod: module.Version{Path: name, Version: v}})
		}
	}
	f.SetRequireSeparateIndirect(list)
	t.steps = append(t.steps, t.command("go mod tidy"))
	return nil
}

// builtVersion is the version of a module that this program is built with; "" if
// it is none that can be required.
func builtVersion(modulePath string) string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, m := range append(info.Deps, &info.Main) {
		if m.Path == modulePath && m.Replace == nil && semver.IsValid(m.Version) && semver.Build(m.Version) != "+dirty" {
			return m.Version
		}
	}
	return ""
}

// workspace is the go.work above the folder; "" if there is none.
func (t *target) workspace() string {
	for dir := t.abs; ; dir = filepath.Dir(dir) {
		name := filepath.Join(dir, "go.work")
		if _, err := os.Stat(name); err == nil {
			return name
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}

// checkInternal refuses a folder that may not import the generated code.
func (t *target) checkInternal(s *service) error {
	for _, importPath := range slices.Sorted(maps.Keys(s.packages)) {
		before, _, ok := strings.Cut("/"+importPath+"/", "/internal/")
		if root := strings.TrimPrefix(before, "/"); ok && root != "" && !isWithin(root, t.importPath) {
			return fmt.Errorf("%s is internal to %s, and %s cannot import it: let the module's path begin with %s/, or put the folder into that module",
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
