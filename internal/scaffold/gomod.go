package scaffold

import (
	"errors"
	"go/version"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
)

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
