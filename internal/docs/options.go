package docs

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/content"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/gendoc"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/markdown"
)

// Format is how pages are made.
type Format string

// The built-in formats. FormatTemplate is the user's own template;
// FormatGendocJSON is the JSON of protoc-gen-doc.
const (
	FormatMarkdown   Format = "markdown"
	FormatHTML       Format = "html"
	FormatDocBook    Format = "docbook"
	FormatJSON       Format = "json"
	FormatGendocJSON Format = "json of protoc-gen-doc"
	FormatTemplate   Format = "template"
)

// Flavor is a dialect of Markdown.
type Flavor string

// The flavors.
const (
	FlavorGFM  Flavor = "gfm"
	FlavorMDX  Flavor = "mdx"
	FlavorHugo Flavor = "hugo"
)

// Warnings is what is done about problems in comments.
type Warnings string

// The choices: nothing, a line on standard error for each, or no output and an
// error for each.
const (
	WarningsOff   Warnings = "off"
	WarningsOn    Warnings = "on"
	WarningsError Warnings = "error"
)

// Layout is how files are spread over pages.
type Layout string

// The layouts. LayoutFolder is protoc-gen-doc's source_relative.
const (
	LayoutSingle  Layout = "single"
	LayoutPackage Layout = "package"
	LayoutFile    Layout = "file"
	LayoutFolder  Layout = "folder"
)

// Order is how a page orders what it shows.
type Order string

// The orders. OrderDefault is by name for the built-in formats; for a user's
// template it is protoc-gen-doc's: files as requested, the rest by name.
const (
	OrderDefault Order = ""
	OrderName    Order = "name"
	OrderSource  Order = "source"
)

// Options are what the parameter of a request says.
type Options struct {
	Format   Format
	Template string // path of the user's template
	Output   string // file name, with placeholders where the layout has them
	Layout   Layout
	Order    Order
	Title    string
	Flavor   Flavor
	// FrontMatter is that of each page in Markdown.
	FrontMatter []markdown.Entry
	Warnings    Warnings
	WarnAbout   []content.ProblemKind // empty for all
	// Against is the path of an image of an earlier release; empty for none.
	Against string
	// HTTPAddress and GRPCAddress are what examples of commands call.
	HTTPAddress, GRPCAddress string
	// Internal shows the parts of comments in (-- --).
	Internal bool
	Config   string // path of skaffold-gen.yaml; empty for none
	Model    gendoc.Settings
	Allow    []gendoc.Source

	named            bool             // in this project's style, not protoc-gen-doc's
	include, exclude []string         // doublestar patterns
	excludeExpr      []*regexp.Regexp // protoc-gen-doc's
}

// wants tells whether a page is to show the file.
func (o *Options) wants(file string) bool {
	matches := func(pattern string) bool { return doublestar.MatchUnvalidated(pattern, file) }
	if len(o.include) > 0 && !slices.ContainsFunc(o.include, matches) {
		return false
	}
	if slices.ContainsFunc(o.exclude, matches) {
		return false
	}
	return !slices.ContainsFunc(o.excludeExpr, func(expr *regexp.Regexp) bool { return expr.MatchString(file) })
}

// ParseOptions reads the parameter of a request, in either of two styles:
// named options (template=markdown,output=api.md), or protoc-gen-doc's own
// (markdown,api.md:excluded/.*). The first option tells which.
func ParseOptions(parameter string) (*Options, error) {
	if first, _, _ := strings.Cut(strings.TrimLeft(parameter, ","), ","); namedOption.MatchString(first) {
		return parseNamed(parameter)
	}
	return parseGendoc(parameter)
}

var namedOption = regexp.MustCompile(`^[a-z][a-z0-9_]*=`)

// option is a named option.
type option struct {
	name     string
	repeated bool
	set      func(*Options, string) error
}

// options are the named options, as the README lists them.
var options = []option{
	{"template", false, func(o *Options, v string) error { return o.setTemplate(v) }},
	{"output", false, func(o *Options, v string) error { o.Output = v; return nil }},
	{"include", true, func(o *Options, v string) error { return addPattern(&o.include, v) }},
	{"exclude", true, func(o *Options, v string) error { return addPattern(&o.exclude, v) }},
	{"layout", false, func(o *Options, v string) error {
		return choose(&o.Layout, v, LayoutSingle, LayoutPackage, LayoutFile)
	}},
	{"order", false, func(o *Options, v string) error { return choose(&o.Order, v, OrderName, OrderSource) }},
	{"source_url", false, func(o *Options, v string) error { o.Model.SourceURL = v; return checkSourceURL(v) }},
	{"title", false, func(o *Options, v string) error { o.Title = v; return nil }},
	{"flavor", false, func(o *Options, v string) error {
		return choose(&o.Flavor, v, FlavorGFM, FlavorMDX, FlavorHugo)
	}},
	{"front_matter", true, func(o *Options, v string) error { return o.addFrontMatter(v) }},
	{"against", false, func(o *Options, v string) error { o.Against = v; return nil }},
	{"http_address", false, func(o *Options, v string) error { o.HTTPAddress = v; return checkHTTPAddress(v) }},
	{"grpc_address", false, func(o *Options, v string) error { o.GRPCAddress = v; return nil }},
	{"internal_comments", false, func(o *Options, v string) error { return parseBool(&o.Internal, v) }},
	{"warnings", false, func(o *Options, v string) error {
		return choose(&o.Warnings, v, WarningsOff, WarningsOn, WarningsError)
	}},
	{"warn_about", true, func(o *Options, v string) error {
		var kind content.ProblemKind
		err := choose(&kind, v, content.ProblemKinds...)
		o.WarnAbout = append(o.WarnAbout, kind)
		return err
	}},
	{"config", false, func(o *Options, v string) error { o.Config = v; return nil }},
	{"allow", true, func(o *Options, v string) error { return o.allow(v) }},
	{"camel_case_fields", false, func(o *Options, v string) error { return parseBool(&o.Model.CamelCaseFields, v) }},
}

func optionNames() string {
	names := make([]string, len(options))
	for i, o := range options {
		names[i] = o.name
	}
	return strings.Join(names, ", ")
}

func parseNamed(parameter string) (*Options, error) {
	o := &Options{Layout: LayoutSingle, named: true}
	seen := make(map[string]bool)
	for _, item := range strings.Split(parameter, ",") {
		name, value, ok := strings.Cut(item, "=")
		i := slices.IndexFunc(options, func(o option) bool { return o.name == name })
		switch {
		case item == "":
			continue // as in opt: "a=b," or two commas
		case !ok:
			return nil, fmt.Errorf("option %q has no value: write name=value, without a comma in the value; the options are %s", item, optionNames())
		case i < 0:
			return nil, fmt.Errorf("unknown option %q: the options are %s", name, optionNames())
		case seen[name] && !options[i].repeated:
			return nil, fmt.Errorf("option %q is given twice: it takes one value", name)
		case value == "":
			return nil, fmt.Errorf("option %q is empty: give it a value or leave it out", name)
		}
		seen[name] = true
		if err := options[i].set(o, value); err != nil {
			return nil, fmt.Errorf("option %q: %w", name+"="+value, err)
		}
	}
	return o, o.complete()
}

// setTemplate takes a built-in format by its name, anything else as a path.
func (o *Options) setTemplate(v string) error {
	switch f := Format(v); f {
	case FormatMarkdown, FormatHTML, FormatJSON, FormatDocBook:
		o.Format = f
	default:
		o.Format, o.Template = FormatTemplate, v
	}
	return nil
}

// complete fills in what was not given, and checks what depends on another
// option.
func (o *Options) complete() error {
	if o.Format == "" {
		return fmt.Errorf("option \"template\" is missing: give it markdown, html, json, docbook or the path of a template")
	}
	if o.Config != "" && o.Format == FormatTemplate {
		return fmt.Errorf("option \"config\" is for the built-in formats: a template of your own does not see what it says")
	}
	if o.Output == "" {
		if o.Format == FormatTemplate {
			return fmt.Errorf("option \"output\" is missing: a template of your own needs the name of the file that it writes")
		}
		o.Output = o.defaultOutput()
	}
	if o.Format != FormatMarkdown && (o.Flavor != "" || len(o.FrontMatter) > 0) {
		return fmt.Errorf("options \"flavor\" and \"front_matter\" are for template=markdown")
	}
	o.Flavor = cmp.Or(o.Flavor, FlavorGFM)
	if err := o.checkContentOptions(); err != nil {
		return err
	}
	return checkPlaceholders(o.Output, o.Layout)
}

// checkContentOptions looks at the options that only the built-in formats know.
func (o *Options) checkContentOptions() error {
	if len(o.WarnAbout) > 0 && (o.Warnings == "" || o.Warnings == WarningsOff) {
		return fmt.Errorf("option \"warn_about\" does nothing without warnings=on or warnings=error")
	}
	given := map[string]bool{
		"against": o.Against != "", "http_address": o.HTTPAddress != "", "grpc_address": o.GRPCAddress != "",
		"internal_comments": o.Internal, "warnings": o.Warnings != "",
	}
	if o.Format == FormatTemplate {
		for _, name := range slices.Sorted(maps.Keys(given)) {
			if given[name] {
				return fmt.Errorf("option %q is for the built-in formats: a template of your own does not see what it says", name)
			}
		}
	}
	o.HTTPAddress = cmp.Or(o.HTTPAddress, "http://localhost:8080")
	o.GRPCAddress = cmp.Or(o.GRPCAddress, "localhost:50051")
	return nil
}

func checkHTTPAddress(address string) error {
	if !strings.HasPrefix(address, "http://") && !strings.HasPrefix(address, "https://") {
		return fmt.Errorf("the address has to begin with http:// or https://")
	}
	return nil
}

// frontMatterKey is a key of YAML that needs no quotes.
var frontMatterKey = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.-]*$`)

// addFrontMatter takes an entry, key:value.
func (o *Options) addFrontMatter(v string) error {
	key, value, ok := strings.Cut(v, ":")
	if !ok || !frontMatterKey.MatchString(key) {
		return fmt.Errorf("write it as key:value, with a key of letters, digits, _, . and -")
	}
	if slices.ContainsFunc(o.FrontMatter, func(e markdown.Entry) bool { return e.Key == key }) {
		return fmt.Errorf("%s is given twice", key)
	}
	o.FrontMatter = append(o.FrontMatter, markdown.NewEntry(key, strings.TrimSpace(value)))
	return nil
}

func (o *Options) defaultOutput() string {
	f, l := o.Format, o.Layout
	extension := map[Format]string{FormatMarkdown: ".md", FormatHTML: ".html", FormatJSON: ".json", FormatDocBook: ".xml"}[f]
	if o.Flavor == FlavorMDX {
		extension = ".mdx"
	}
	switch {
	case l == LayoutPackage:
		return "{package}" + extension
	case l == LayoutFile:
		return "{dir}/{file}" + extension
	case f == FormatHTML:
		return "index.html"
	}
	return "reference" + extension
}

// placeholders are what an output name can have in each layout.
var placeholders = map[Layout][]string{
	LayoutPackage: {"{package}"},
	LayoutFile:    {"{package}", "{dir}", "{file}"},
}

var placeholder = regexp.MustCompile(`\{[^{}]*\}`)

func checkPlaceholders(output string, l Layout) error {
	for _, p := range placeholder.FindAllString(output, -1) {
		if slices.Contains(placeholders[l], p) {
			continue
		}
		if len(placeholders[l]) == 0 {
			return fmt.Errorf("option %q: %s has no meaning with layout=%s; use layout=package or layout=file", "output="+output, p, l)
		}
		return fmt.Errorf("option %q: %s is not known with layout=%s; use %s", "output="+output, p, l, strings.Join(placeholders[l], ", "))
	}
	if l != LayoutSingle && !placeholder.MatchString(output) {
		return fmt.Errorf("option %q: all pages of layout=%s would have this name; use %s in it", "output="+output, l, strings.Join(placeholders[l], ", "))
	}
	return nil
}

func addPattern(list *[]string, pattern string) error {
	if !doublestar.ValidatePattern(pattern) {
		return fmt.Errorf("%q is not a pattern: use *, **, ?, [a-z] or a plain path", pattern)
	}
	*list = append(*list, pattern)
	return nil
}

func choose[T ~string](to *T, value string, valid ...T) error {
	if slices.Contains(valid, T(value)) {
		*to = T(value)
		return nil
	}
	words := make([]string, len(valid))
	for i, v := range valid {
		words[i] = string(v)
	}
	return fmt.Errorf("the value has to be %s", strings.Join(words, " or "))
}

func parseBool(to *bool, value string) error {
	if value != "true" && value != "false" {
		return fmt.Errorf("the value has to be true or false")
	}
	*to = value == "true"
	return nil
}

func checkSourceURL(url string) error {
	for _, p := range placeholder.FindAllString(url, -1) {
		if p != "{path}" && p != "{line}" && p != "{end}" {
			return fmt.Errorf("%s is not known; use {path}, {line}, {end}", p)
		}
	}
	if scheme, _, ok := strings.Cut(url, ":"); ok && scheme != "http" && scheme != "https" && !strings.ContainsAny(scheme, "/{") {
		return fmt.Errorf("%s: is not the start of a page's address; use http or https", scheme)
	}
	if !strings.Contains(url, "{path}") {
		return fmt.Errorf("the address has no {path}, so all links would be the same")
	}
	return nil
}

// allow takes sources joined with +, since a comma ends an option.
func (o *Options) allow(value string) error {
	for _, name := range strings.Split(value, "+") {
		if !slices.Contains(gendoc.Sources, gendoc.Source(name)) {
			return fmt.Errorf("%q cannot be allowed; use clock, environment, network or random, joined with +", name)
		}
		o.Allow = append(o.Allow, gendoc.Source(name))
	}
	return nil
}

// windowsPath is the drive of a path, whose colon does not end the file part.
var windowsPath = regexp.MustCompile(`^[A-Za-z]:[\\/]`)

// parseGendoc reads protoc-gen-doc's own options,
//
//	[TYPE|TEMPLATE,OUTPUT[,default|source_relative]][:REGEXP[,REGEXP...]][:camel_case_fields=BOOL]
//
// with the meaning that they have there. Where v1.5.1 does something that nobody
// can want, docs/protoc-gen-doc.md says what happens instead.
func parseGendoc(parameter string) (*Options, error) {
	o := &Options{Format: FormatHTML, Output: "index.html", Layout: LayoutSingle}
	drive := windowsPath.FindString(parameter)
	parts := strings.Split(parameter[len(drive):], ":")
	parts[0] = drive + parts[0]
	if parts[0] != "" {
		if err := o.setGendocFile(parts[0]); err != nil {
			return nil, err
		}
	}
	if len(parts) > 1 && parts[1] != "" {
		for _, pattern := range strings.Split(parts[1], ",") {
			if pattern == "" {
				continue // it would leave out every file
			}
			expr, err := regexp.Compile(pattern)
			if err != nil {
				return nil, fmt.Errorf("exclude pattern %q is not a regular expression: %w (patterns such as google/** are for the named option exclude)", pattern, err)
			}
			o.excludeExpr = append(o.excludeExpr, expr)
		}
	}
	if len(parts) == 3 && parts[2] != "" {
		return o, o.setGendocExtra(parts[2])
	}
	return o, nil
}

// How protoc-gen-doc's errors about its parameter start: scripts look for it.
const (
	invalidParameter  = "Invalid parameter: "
	invalidAdditional = "Invalid additional options after second colon separator: "
)

// gendocError is protoc-gen-doc's error about a part of the parameter, and why.
func gendocError(start, part, why string, args ...any) error {
	return fmt.Errorf("%s%s (%w)", start, part, fmt.Errorf(why, args...))
}

func (o *Options) setGendocFile(part string) error {
	fields := strings.Split(part, ",")
	if len(fields) < 2 || len(fields) > 3 {
		return gendocError(invalidParameter, part, "want TYPE,OUTPUT or TEMPLATE,OUTPUT, and after them at most default or source_relative; or named options such as template=markdown")
	}
	for _, f := range fields {
		name, _, ok := strings.Cut(f, "=")
		if ok && slices.ContainsFunc(options, func(o option) bool { return o.name == name }) {
			return gendocError(invalidParameter, part, "%s is a named option, the first one is protoc-gen-doc's: write template=%s", f, fields[0])
		}
	}
	switch f := Format(fields[0]); f {
	case FormatMarkdown, FormatHTML, FormatDocBook:
		o.Format = f
	case FormatJSON:
		o.Format = FormatGendocJSON
	case "":
		return gendocError(invalidParameter, part, "it names neither a type nor a template")
	default:
		o.Format, o.Template = FormatTemplate, fields[0]
	}
	if fields[1] == "" {
		return gendocError(invalidParameter, part, "it does not name the file to write")
	}
	o.Output = path.Base(fields[1])
	if len(fields) == 2 {
		return nil
	}
	switch fields[2] {
	case "default":
	case "source_relative":
		o.Layout = LayoutFolder
	default:
		return gendocError(invalidParameter, part, "%q is neither default nor source_relative", fields[2])
	}
	return nil
}

// setGendocExtra reads the part that protoc-gen-doc has after a second colon,
// and the option that permits functions which read more than the request.
func (o *Options) setGendocExtra(part string) error {
	part, _, _ = strings.Cut(part, "\n")
	for _, item := range strings.Split(part, ",") {
		name, value, _ := strings.Cut(item, "=")
		var err error
		switch name {
		case "camel_case_fields":
			err = parseBool(&o.Model.CamelCaseFields, value)
		case "allow":
			err = o.allow(value)
		default:
			err = fmt.Errorf("only camel_case_fields and allow can stand here")
		}
		if err != nil {
			return gendocError(invalidAdditional, part, "%w", err)
		}
	}
	return nil
}
