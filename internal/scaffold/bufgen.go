package scaffold

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
)

// bufGen is the part of a buf.gen.yaml that decides on Go packages and on the
// options of our own plugin. Everything else in it is ignored.
type bufGen struct {
	Version string `yaml:"version"`
	Managed struct {
		Enabled  bool          `yaml:"enabled"`
		Disable  []managedRule `yaml:"disable"`
		Override []managedRule `yaml:"override"`
	} `yaml:"managed"`
	Plugins []bufPlugin `yaml:"plugins"`
}

type managedRule struct {
	FileOption  string `yaml:"file_option"`
	FieldOption string `yaml:"field_option"`
	Path        string `yaml:"path"`
	Module      string `yaml:"module"`
	Value       any    `yaml:"value"`
}

type bufPlugin struct {
	Local any `yaml:"local"` // a program, or a list of it and its arguments
	Opt   any `yaml:"opt"`   // one string, or a list
}

// defaultBufGen is what buf generate itself reads where it is not told.
const defaultBufGen = "buf.gen.yaml"

// readBufGen reads a buf.gen.yaml. Without a name it is the one in the current
// folder, if there is one.
func readBufGen(name string) (*bufGen, error) {
	named := name != ""
	if !named {
		name = defaultBufGen
	}
	text, err := readNamedFile("--buf-gen", name)
	if errors.Is(err, fs.ErrNotExist) && !named {
		return new(bufGen), nil
	}
	if err != nil {
		return nil, err
	}
	gen := new(bufGen)
	if err := yaml.Unmarshal(text, gen); err != nil {
		return nil, fmt.Errorf("%s: %s", name, yaml.FormatError(err, false, true))
	}
	if gen.Version != "v2" {
		return nil, fmt.Errorf("%s: version %q is not understood: migrate the file with `buf config migrate`, "+
			"or name another one with --buf-gen and give Go packages as --opt Mfile.proto=import/path", name, gen.Version)
	}
	return gen, nil
}

// readNamedFile reads a file that a flag names.
func readNamedFile(flag, name string) ([]byte, error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	return b, nil
}

// options are those that the file gives our own plugin, in its order.
func (g *bufGen) options(program string) []string {
	var list []string
	for _, p := range g.Plugins {
		if slices.ContainsFunc(stringList(p.Local), func(arg string) bool { return isProgram(arg, program) }) {
			list = append(list, stringList(p.Opt)...)
		}
	}
	return list
}

// isProgram tells the program's path, and its package with or without a version,
// as in `go run example.com/cmd/program@v1`.
func isProgram(arg, program string) bool {
	arg, _, _ = strings.Cut(arg, "@")
	return strings.TrimSuffix(path.Base(filepath.ToSlash(arg)), ".exe") == program
}

func stringList(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		var list []string
		for _, item := range v {
			if s, ok := item.(string); ok {
				list = append(list, s)
			}
		}
		return list
	}
	return nil
}

const (
	optionGoPackage       = "go_package"
	optionGoPackagePrefix = "go_package_prefix"
)

// goPackage is the go_package that managed mode gives a file: that of the last
// rule which matches, or else the file's own.
func (g *bufGen) goPackage(f *imageFile) string {
	own := f.desc.GetOptions().GetGoPackage()
	if !g.Managed.Enabled || strings.HasPrefix(f.path(), "google/protobuf/") || g.disables(optionGoPackage, f) {
		return own
	}
	noPrefix := g.disables(optionGoPackagePrefix, f)
	for _, rule := range g.Managed.Override {
		value, ok := rule.Value.(string)
		switch {
		case !ok || !rule.matches(f):
		case rule.FileOption == optionGoPackage:
			own = value
		case rule.FileOption == optionGoPackagePrefix && !noPrefix:
			own = prefixed(value, f)
		}
	}
	return own
}

func (g *bufGen) disables(option string, f *imageFile) bool {
	return slices.ContainsFunc(g.Managed.Disable, func(rule managedRule) bool {
		return rule.FieldOption == "" && (rule.FileOption == "" || rule.FileOption == option) && rule.matches(f)
	})
}

// matches tells the files that a rule is about: those at or below its path, and
// of its module.
func (r *managedRule) matches(f *imageFile) bool {
	if p := path.Clean(r.Path); r.Path != "" && p != "." && f.path() != p && !strings.HasPrefix(f.path(), p+"/") {
		return false
	}
	return r.Module == "" || r.Module == f.module
}

// versionSuffix is the last part of a package name that buf takes for a version.
var versionSuffix = regexp.MustCompile(`^v[1-9]\d*(test\w*|(p[1-9]\d*)?(alpha|beta)\d*)?$`)

// prefixed is the go_package below a prefix. In a package with a version, buf
// names the Go package by its last two parts.
func prefixed(prefix string, f *imageFile) string {
	pkg := path.Join(prefix, path.Dir(f.path()))
	parts := strings.Split(f.desc.GetPackage(), ".")
	if n := len(parts); n >= 2 && versionSuffix.MatchString(parts[n-1]) {
		pkg += ";" + parts[n-2] + parts[n-1]
	}
	return pkg
}
