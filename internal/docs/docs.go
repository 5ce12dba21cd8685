// Package docs makes reference pages from the model of a request.
package docs

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/api"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/gendoc"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/tmpl"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/plugin"
)

// Generate makes the pages that a request asks for. A template is read relative
// to the current folder.
func Generate(req *plugin.Request) ([]plugin.Output, error) {
	o, err := ParseOptions(req.Parameter)
	if err != nil {
		return nil, err
	}
	render, err := o.renderer() // a broken template is found before the files are read
	if err != nil {
		return nil, err
	}
	model, err := api.Build(req)
	if err != nil {
		return nil, err
	}
	pages, err := o.pages(model)
	if err != nil {
		return nil, err
	}
	return render(req, model, pages)
}

// page is one output file and what it shows.
type page struct {
	name  string
	files []*api.File
}

// renderer makes the output of all pages.
type renderer func(*plugin.Request, *api.Model, []page) ([]plugin.Output, error)

func (o *Options) renderer() (renderer, error) {
	switch o.Format {
	case FormatGendocJSON:
		return o.gendoc(func(t *gendoc.Template) ([][]byte, error) {
			b, err := json.MarshalIndent(t, "", "  ")
			return [][]byte{b}, err
		}), nil
	case FormatTemplate:
		text, err := readTemplate(o.Template)
		if err != nil {
			return nil, fmt.Errorf("cannot read the template: %w (it is neither markdown, html, json nor docbook, so it is a path, relative to where buf or protoc runs)", err)
		}
		t, err := tmpl.Parse(o.Template, string(text), gendoc.Functions(o.Allow...), gendoc.Types...)
		if err != nil {
			return nil, err
		}
		return o.gendoc(func(data *gendoc.Template) ([][]byte, error) { return t.Execute(data) }), nil
	}
	return o.builtin(formats[o.Format]), nil
}

// maxTemplate bounds a template: a larger file is something else.
const maxTemplate = 16 << 20

func readTemplate(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxTemplate+1))
	if err == nil && len(text) > maxTemplate {
		return nil, fmt.Errorf("%s is larger than 16 MiB", path)
	}
	return text, err
}

// gendoc renders each page from protoc-gen-doc's model.
func (o *Options) gendoc(render func(*gendoc.Template) ([][]byte, error)) renderer {
	return func(_ *plugin.Request, model *api.Model, pages []page) ([]plugin.Output, error) {
		settings := o.Model
		settings.SourceOrder = o.Order == OrderSource
		out := make([]plugin.Output, len(pages))
		for i, p := range pages {
			data, err := gendoc.Build(model, p.files, settings)
			if err != nil {
				return nil, err
			}
			content, err := render(data)
			if err != nil {
				return nil, err
			}
			out[i] = plugin.Output{Name: p.name, Content: content}
		}
		return out, nil
	}
}

// pages spreads the wanted files over output files, sorted by name.
func (o *Options) pages(model *api.Model) ([]page, error) {
	var files []*api.File
	for _, f := range model.Files {
		if o.wants(f.Path) {
			files = append(files, f)
		}
	}
	if len(files) == 0 {
		if o.named {
			return nil, errors.New("no file is left to show: check the options include and exclude; under buf, set strategy: all, without which a plugin gets one folder at a time")
		}
		return nil, nil // protoc-gen-doc writes no file either
	}
	if o.Format != FormatTemplate && o.Format != FormatGendocJSON || o.Order == OrderName {
		slices.SortFunc(files, func(a, b *api.File) int { return cmp.Compare(a.Path, b.Path) })
	}
	byName := make(map[string]*page)
	folded := make(map[string]*page) // by the name in lower case
	var out []*page
	var errs []error
	for _, f := range files {
		name := o.outputName(f)
		p := byName[name]
		if p == nil {
			if err := plugin.CheckOutputName(name); err != nil {
				errs = append(errs, err)
			}
			p = &page{name: name}
			byName[name] = p
			if other := folded[strings.ToLower(name)]; other != nil {
				errs = append(errs, caseClash(o.Layout, other, name, f))
			} else {
				folded[strings.ToLower(name)] = p
			}
			out = append(out, p)
		} else if o.Layout == LayoutFile || o.Layout == LayoutPackage && p.files[0].Package != f.Package {
			errs = append(errs, fmt.Errorf("%s and %s would both be written to %s: tell them apart in the option output (%s), or leave one out",
				p.files[0].Path, f.Path, name, strings.Join(placeholders[o.Layout], ", ")))
		}
		p.files = append(p.files, f)
	}
	slices.SortFunc(out, func(a, b *page) int { return cmp.Compare(a.name, b.name) })
	pages := make([]page, len(out))
	for i, p := range out {
		pages[i] = *p
	}
	return pages, errors.Join(errs...)
}

// caseClash is the error for a page whose name differs from that of another one in
// case alone: where case does not count, one would overwrite the other.
func caseClash(l Layout, other *page, name string, f *api.File) error {
	differ := map[Layout]string{
		LayoutFolder:  "rename a folder",
		LayoutPackage: "rename a package, use layout=file",
		LayoutFile: "tell them apart in the option output (" + strings.Join(placeholders[LayoutFile], ", ") +
			"), rename a file",
	}[l]
	return fmt.Errorf("%s and %s would be written to %s and %s, which differ in case alone and are one page on Windows, "+
		"on macOS and in Hugo: %s, or leave one out with the option exclude",
		other.files[0].Path, f.Path, other.name, name, differ)
}

// outputName is the name of the page that shows a file.
func (o *Options) outputName(f *api.File) string {
	switch o.Layout {
	case LayoutFolder:
		return path.Join(path.Dir(f.Path), o.Output)
	case LayoutPackage, LayoutFile:
		return path.Clean(strings.NewReplacer(
			"{package}", cmp.Or(f.Package, "_"),
			"{dir}", path.Dir(f.Path),
			"{file}", strings.TrimSuffix(path.Base(f.Path), ".proto"),
		).Replace(o.Output))
	}
	return o.Output
}
