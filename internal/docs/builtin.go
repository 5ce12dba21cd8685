package docs

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/api"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/codes"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/config"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/changes"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/comment"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/content"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/html"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/markdown"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/events"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/plugin"
)

// formats are the built-in formats: each makes all files of a site.
var formats = map[Format]func(*Options, *content.Site) ([]plugin.Output, error){
	FormatMarkdown: renderMarkdown,
	FormatJSON:     renderJSON,
	FormatDocBook:  renderDocBook,
	FormatHTML:     renderHTML,
}

// builtin renders the pages in a format of our own.
func (o *Options) builtin(format func(*Options, *content.Site) ([]plugin.Output, error)) renderer {
	return func(req *plugin.Request, model *api.Model, pages []page) ([]plugin.Output, error) {
		var found problems
		site, err := o.site(model, pages, &found)
		if err != nil {
			return nil, err
		}
		out, err := format(o, site)
		site.ReportLinks()
		return out, errors.Join(err, found.tell(o, req))
	}
}

// problems are those that the content has, found by several goroutines.
type problems struct {
	mu   sync.Mutex
	list []content.Problem
}

func (p *problems) report(found content.Problem) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.list = append(p.list, found)
}

// tell warns of the problems, or returns them as errors, in the order of their
// places.
func (p *problems) tell(o *Options, req *plugin.Request) error {
	slices.SortFunc(p.list, func(a, b content.Problem) int {
		return cmp.Or(a.Pos.Compare(b.Pos), cmp.Compare(a.Message, b.Message))
	})
	var errs []error
	for _, found := range slices.Compact(p.list) {
		text := fmt.Sprintf("%s (%s)", found.Message, found.Kind)
		if found.Pos.Path != "" {
			text = fmt.Sprintf("%s: %s", found.Pos, text)
		}
		if o.Warnings == WarningsError {
			errs = append(errs, errors.New(text))
		} else if req.Warn != nil {
			req.Warn(text)
		}
	}
	return errors.Join(errs...)
}

const noSource = "the request has no source info, so that no comments show: make the image with `buf build` " +
	"without --exclude-source-info, or with `protoc --include_source_info`"

// lacksSource tells whether files that declare something have no place of any
// declaration: what there is to say of comments cannot be found then.
func lacksSource(model *api.Model) bool {
	declares := false
	for _, f := range model.Files {
		list := topLevel(f)
		if slices.ContainsFunc(list, func(d *api.Decl) bool { return d.Pos().Line > 0 }) {
			return false
		}
		// A file of proto2 may say nothing at all; any other one says its syntax.
		declares = declares || len(list) > 1 || f.Syntax() != "proto2"
	}
	return declares
}

// topLevel are a file's declaration and those at its top level.
func topLevel(f *api.File) []*api.Decl {
	list := []*api.Decl{f.Declaration()}
	for _, x := range f.Messages {
		list = append(list, x.Declaration())
	}
	for _, x := range f.Enums {
		list = append(list, x.Declaration())
	}
	for _, x := range f.Services {
		list = append(list, x.Declaration())
	}
	for _, x := range f.Extensions {
		list = append(list, x.Declaration())
	}
	return list
}

// site is the content of the pages.
func (o *Options) site(model *api.Model, pages []page, found *problems) (*content.Site, error) {
	cfg := new(config.Config)
	var err error
	if o.Config != "" {
		if cfg, err = config.Load(o.Config, model); err != nil {
			return nil, err
		}
	}
	tables, err := codes.Find(model, cfg)
	if err != nil {
		return nil, err
	}
	kinds, err := events.Find(model, cfg)
	if err != nil && o.Config != "" {
		return nil, err // without a config a page only lacks a table of events
	}
	list, err := o.changes(model)
	if err != nil {
		return nil, err
	}
	settings := content.Settings{
		Title:        o.Title,
		SourceOrder:  o.Order == OrderSource,
		SourceURL:    o.Model.SourceOf,
		Tables:       tables,
		Events:       kinds,
		Changes:      list,
		HTTP:         o.HTTPAddress,
		GRPC:         o.GRPCAddress,
		Internal:     o.Internal,
		HeadingsOnly: o.Flavor == FlavorHugo,
	}
	settings.Slugs = o.Format == FormatMarkdown
	if o.Flavor == FlavorHugo {
		settings.Address = hugoAddress
		for _, p := range pages {
			if err := checkHugoName(p.name); err != nil {
				return nil, err
			}
		}
	}
	if o.Warnings == WarningsOn || o.Warnings == WarningsError {
		settings.Report = func(p content.Problem) {
			if len(o.WarnAbout) == 0 || slices.Contains(o.WarnAbout, p.Kind) {
				found.report(p)
			}
		}
		if lacksSource(model) {
			settings.Report(content.Problem{Kind: content.Uncommented, Message: noSource})
		}
	}
	site := content.NewSite(model, settings)
	for _, p := range pages {
		site.Add(p.name, p.files...)
	}
	return site, nil
}

// changes compares the model with the image of an earlier release; nil if there
// is none.
func (o *Options) changes(model *api.Model) (*changes.List, error) {
	if o.Against == "" {
		return nil, nil
	}
	before, err := readModel(o.Against)
	if err != nil {
		return nil, fmt.Errorf("option %q: %w", "against="+o.Against, err)
	}
	return changes.Compare(before, model, o.wants), nil
}

func readModel(name string) (*api.Model, error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	req, err := plugin.ReadImage(b)
	if err != nil {
		return nil, err
	}
	return api.Build(req)
}

// flavors are the Markdown flavors by their names in the options.
var flavors = map[Flavor]comment.Flavor{FlavorGFM: comment.GFM, FlavorMDX: comment.MDX, FlavorHugo: comment.Hugo}

// hugoAddress is where Hugo serves a page by its defaults: a folder of its own,
// in small letters.
func hugoAddress(name string) string {
	name = strings.ReplaceAll(strings.ToLower(strings.TrimSuffix(name, path.Ext(name))), " ", "-")
	if path.Base(name) == "_index" {
		return strings.TrimSuffix(name, "_index")
	}
	return name + "/"
}

// hugoName is a name whose address is known: Hugo leaves other characters out.
var hugoName = regexp.MustCompile(`^[A-Za-z0-9._/ -]+$`)

func checkHugoName(name string) error {
	base := strings.TrimSuffix(path.Base(name), path.Ext(name))
	switch {
	case !hugoName.MatchString(name):
		return fmt.Errorf("%s: Hugo changes the address of a page with other characters in its name than A-Z, 0-9, _, -, dots and spaces, so that links to it would be dead: give it another one with the option output, or leave its files out", name)
	case base == "index" || base == "_index":
		return fmt.Errorf("%s: a page of this name takes the place of its folder in Hugo: give it another one with the option output", name)
	}
	return nil
}

// indexNames are the names under which tools look for the page of a folder.
var indexNames = map[Flavor]string{FlavorGFM: "index.md", FlavorMDX: "index.mdx", FlavorHugo: "_index.md"}

func renderMarkdown(o *Options, site *content.Site) ([]plugin.Output, error) {
	options := markdown.Options{Flavor: flavors[o.Flavor], FrontMatter: o.FrontMatter}
	out := make([]plugin.Output, len(site.Pages))
	summaries := make([]markdown.Summary, len(out))
	err := api.Parallel(len(out), func(i int) error {
		text, summary, err := markdown.Page(site, site.Pages[i], options)
		out[i], summaries[i] = plugin.Output{Name: site.Pages[i].Name, Content: text}, summary
		return err
	})
	if o.Layout == LayoutPackage || o.Layout == LayoutFile {
		name := o.beside(indexNames[o.Flavor])
		out = append(out, plugin.Output{Name: name, Content: [][]byte{markdown.Index(site, name, summaries, options)}})
	}
	return out, err
}

// renderHTML renders a folder of pages that share files, or pages that need no
// other file.
func renderHTML(o *Options, site *content.Site) ([]plugin.Output, error) {
	if o.Layout == LayoutPackage || o.Layout == LayoutFile {
		return html.Folder(site, o.beside("index.html"))
	}
	return html.Pages(site)
}

// beside is the path of a file in the folder that all pages are in.
func (o *Options) beside(name string) string {
	fixed, _, _ := strings.Cut(o.Output, "{")
	return path.Join(path.Dir(fixed+"x"), name)
}
