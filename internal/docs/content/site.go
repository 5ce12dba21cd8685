package content

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/api"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/codes"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/changes"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/comment"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/example"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/rules"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/events"
)

// Settings are what a user can say about the pages.
type Settings struct {
	Title       string
	SourceOrder bool // keep the order of the source instead of sorting by name
	// SourceURL makes the address of a declaration's source; nil for none.
	SourceURL func(*api.Decl) string
	// Tables are the enums of codes, Events the events, with what is known of
	// them.
	Tables []*codes.Table
	Events []*events.Event
	// Changes are those since an earlier release; nil if there is none.
	Changes *changes.List
	// HTTP and GRPC are the addresses that examples of commands call.
	HTTP, GRPC string
	// HeadingsOnly tells that links can lead to headings alone: files, services,
	// RPCs, messages and enums. A link to anything else leads to the heading above.
	HeadingsOnly bool
	// Address is where the program that shows the pages serves one, as a path; nil
	// for its name. The address of a folder ends in a slash.
	Address func(page string) string
	// Internal keeps the parts of comments that are in (-- --).
	Internal bool
	// Slugs tells that headings have anchors made of their words, too.
	Slugs bool
	// Report is told of what is wrong with comments; nil for no interest. It is
	// called by several goroutines at a time.
	Report func(Problem)
}

// Problem is something that the author of a .proto file would want to mend.
type Problem struct {
	Kind    ProblemKind
	Pos     api.Position
	Message string
}

// ProblemKind is a sort of Problem, so that a user can choose.
type ProblemKind string

// ProblemKinds are all kinds.
var ProblemKinds = []ProblemKind{Uncommented, BadComment, DeadLink, DuplicateAnchor}

// The kinds of problems.
const (
	Uncommented ProblemKind = "missing-comment" // a declaration without a comment
	BadComment  ProblemKind = "comment"         // a reference that leads nowhere, and the like
	// DeadLink is a link in a comment to an anchor or a file that no page has,
	// DuplicateAnchor two declarations of one page with one name.
	DeadLink        ProblemKind = "dead-link"
	DuplicateAnchor ProblemKind = "duplicate-anchor"
)

// Page is one output file.
type Page struct {
	// Name is the page's path below the output folder.
	Name  string
	Title string
	Files []*api.File
}

// Site knows which page shows what.
type Site struct {
	Settings
	Pages []*Page // in the order in which they were added

	model   *api.Model
	pageOf  map[*api.File]string
	tables  map[*api.Enum]*codes.Table
	events  map[*api.Message]*events.Event
	maker   example.Maker
	members members
	record  *record // nil where nobody wants to know
}

// NewSite returns a site without pages.
func NewSite(model *api.Model, settings Settings) *Site {
	s := &Site{
		Settings: settings,
		model:    model,
		pageOf:   make(map[*api.File]string),
		tables:   make(map[*api.Enum]*codes.Table),
		events:   make(map[*api.Message]*events.Event),
	}
	for _, t := range settings.Tables {
		s.tables[t.Enum] = t
	}
	for _, e := range settings.Events {
		s.events[e.Message] = e
	}
	if settings.Report != nil {
		s.record = newRecord()
	}
	s.maker.Skip, s.maker.Value = outputOnly, rules.Value
	return s
}

// Add adds a page that shows files. All pages have to be added before the
// content of one is made, because they link to each other.
func (s *Site) Add(name string, files ...*api.File) *Page {
	p := &Page{Name: name, Title: s.title(files), Files: files}
	s.Pages = append(s.Pages, p)
	for _, f := range files {
		s.pageOf[f] = name
	}
	return p
}

// title is the site's own, or the name of the package if there is only one.
func (s *Site) title(files []*api.File) string {
	switch {
	case s.Title != "":
		return s.Title
	case len(files) == 0 || files[0].Package == "":
		return "API reference"
	}
	for _, f := range files {
		if f.Package != files[0].Package {
			return "API reference"
		}
	}
	return files[0].Package + " API reference"
}

// File makes the content of a file. It may be called by several goroutines.
func (s *Site) File(p *Page, f *api.File) *File {
	b := builder{Site: s, page: p.Name}
	return b.file(f)
}

// Changed lists what has changed on a page since the earlier release, with links
// from the page; what was removed has none.
func (s *Site) Changed(p *Page) []Changed {
	if s.Changes == nil {
		return nil
	}
	shown := make(map[string]bool)
	for _, f := range p.Files {
		shown[f.Path] = true
	}
	var out []Changed
	for _, c := range s.Changes.All {
		gone := c.File != s.model.File(c.File.Path) && s.model.File(c.File.Path) == nil
		if !shown[c.File.Path] && !(gone && len(s.Pages) > 0 && s.Pages[0] == p) {
			continue
		}
		x := Changed{Change: c, Type: Type{Name: c.Name}}
		if c.Kind != changes.Removed {
			x.Type = Type{Name: strings.TrimPrefix(c.Name, c.File.Package+"."), FullName: c.Name, Link: s.linkOf(p, c)}
		}
		out = append(out, x)
	}
	return out
}

// Changed is a change with a link to where it shows.
type Changed struct {
	*changes.Change
	Type Type
}

func (s *Site) linkOf(p *Page, c *changes.Change) string {
	b := builder{Site: s, page: p.Name}
	if c.What == "file" {
		return b.link(c.File, fileAnchor(c.Name))
	}
	return b.link(c.File, c.Name)
}

// safeAnchor puts a dot before the few anchors that could be the slug of a
// heading's words, which have no capitals and no dots: the names of declarations
// in files without a package. So no heading in a comment can take the place of a
// declaration. Names that no compiler lets pass become plain ones.
func safeAnchor(anchor string) string {
	isSlug := true
	for i := range len(anchor) {
		switch c := anchor[i]; {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9', c == '_', c == '-':
		case 'A' <= c && c <= 'Z', c == '.', c == '/':
			isSlug = false
		default:
			return plain(anchor)
		}
	}
	if isSlug {
		return "." + anchor
	}
	return anchor
}

// plainPath is a path that can stand in a link and in an id as it is.
var (
	plainPath = regexp.MustCompile(`^[A-Za-z0-9._/-]*[./][A-Za-z0-9._/-]*$`)
	unusual   = regexp.MustCompile(`[^A-Za-z0-9._/-]+`)
)

// fileAnchor is the path of a file behind a prefix that no name of protobuf has.
// A path with other characters than those of almost all paths is told from
// others by a hash. A dot or a slash tells all from slugs of headings.
func fileAnchor(path string) string {
	if plainPath.MatchString(path) {
		return "file-" + path
	}
	return "file-" + plain(path)
}

// plain replaces the characters of a text that can not stand in a link and in an
// id; a hash tells it from others.
func plain(text string) string {
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(text)) // never fails (hash.Hash)
	return fmt.Sprintf("%s.%08x", unusual.ReplaceAllString(text, "-"), hash.Sum32())
}

// Way is the address of a page for a link on another one, by what Address says of
// the two.
func (s *Site) Way(from, to string) string {
	if s.Address != nil {
		from, to = s.Address(from), s.Address(to)
	}
	return Relative(from, to)
}

// Relative is the address of a page for a link on another one: the path from that
// one's folder, with escapes where it has characters that mean something else in
// an address.
func Relative(from, to string) string {
	a, b := strings.Split(from, "/"), strings.Split(to, "/")
	common := 0
	for common < len(a)-1 && common < len(b)-1 && a[common] == b[common] {
		common++
	}
	way := strings.Repeat("../", len(a)-1-common) + strings.Join(b[common:], "/")
	return inAddress.Replace((&url.URL{Path: way}).String())
}

// inAddress escapes what can stand in an address, and means something to Markdown
// and to HTML there.
var inAddress = strings.NewReplacer("(", "%28", ")", "%29", "&", "%26", "'", "%27")

// members finds what comments refer to and the model has no index of.
type members struct {
	once  sync.Once
	files map[string]*api.File // of services, RPCs, and values by the name that is their scope's
	// resources are the messages that google.api.resource gives a type.
	resources  map[string]*api.Message
	extensions map[string]*api.Field // of all messages, by full name
	names      map[string]string     // anchors of values by that name
}

func (m *members) index(model *api.Model) {
	m.files, m.names = make(map[string]*api.File), make(map[string]string)
	m.resources, m.extensions = make(map[string]*api.Message), make(map[string]*api.Field)
	for _, f := range model.All {
		for x := range f.AllMessages() {
			for _, e := range x.Extensions {
				m.extensions[e.FullName()] = e
			}
			if kind := rules.ResourceType(x.Options()); kind != "" {
				m.resources[kind] = x
			}
		}
		for _, s := range f.Services {
			m.files[s.FullName] = f
			for _, rpc := range s.Methods {
				m.files[rpc.FullName()] = f
			}
		}
		for e := range f.AllEnums() {
			for _, v := range e.Values {
				m.files[v.FullName()] = f
				m.names[v.FullName()] = e.FullName + "." + v.Name
			}
		}
		for _, x := range f.Extensions {
			m.files[x.FullName()] = f
			m.extensions[x.FullName()] = x
		}
	}
}

// resource links the message of a type of resources; empty if there is none.
func (b *builder) resource(kind string) string {
	b.members.once.Do(func() { b.members.index(b.model) })
	if x := b.members.resources[kind]; x != nil {
		return b.link(x.File, x.FullName)
	}
	return ""
}

// extension finds an extension by its full name; nil if there is none.
func (b *builder) extension(full string) *api.Field {
	b.members.once.Do(func() { b.members.index(b.model) })
	return b.members.extensions[full]
}

// resolve finds what a name in a comment means: a full name, or one relative to
// any scope around the declaration, the innermost first, as in a .proto file.
func (b *builder) resolve(scope, target string) (comment.Link, bool) {
	target = strings.TrimSuffix(target, "()")
	if rest, ok := strings.CutPrefix(target, "."); ok {
		return b.named(rest)
	}
	for {
		full := target
		if scope != "" {
			full = scope + "." + target
		}
		if link, ok := b.named(full); ok {
			return link, true
		}
		if scope == "" {
			return comment.Link{}, false
		}
		scope = scope[:max(0, strings.LastIndexByte(scope, '.'))]
	}
}

// named links a full name.
func (b *builder) named(full string) (comment.Link, bool) {
	f, anchor := b.find(full)
	if f == nil {
		return comment.Link{}, false
	}
	link := b.link(f, anchor)
	if link == "" {
		link = api.WellKnownURL(full)
	}
	return comment.Link{URL: link, Title: full}, true
}

// find returns the file and the anchor of a declaration; nil if there is none.
func (b *builder) find(full string) (f *api.File, anchor string) {
	if m := b.model.Message(full); m != nil {
		return m.File, full
	}
	if e := b.model.Enum(full); e != nil {
		return e.File, full
	}
	if i := strings.LastIndexByte(full, '.'); i >= 0 {
		parent, name := full[:i], full[i+1:]
		if m := b.model.Message(parent); m != nil && hasMember(m, name) {
			return m.File, full
		}
		if e := b.model.Enum(parent); e != nil && slices.ContainsFunc(e.Values, func(v *api.EnumValue) bool { return v.Name == name }) {
			return e.File, full
		}
	}
	b.members.once.Do(func() { b.members.index(b.model) })
	return b.members.files[full], cmp.Or(b.members.names[full], full)
}

func hasMember(m *api.Message, name string) bool {
	return slices.ContainsFunc(m.Fields, func(f *api.Field) bool { return f.Name == name }) ||
		slices.ContainsFunc(m.Extensions, func(f *api.Field) bool { return f.Name == name }) ||
		slices.ContainsFunc(m.Oneofs, func(o *api.Oneof) bool { return o.Name == name && !o.IsSynthetic() })
}

// link leads to an anchor of the page that shows a file; empty if none does.
func (b *builder) link(to *api.File, anchor string) string {
	page, ok := b.pageOf[to]
	if ok && b.HeadingsOnly {
		anchor = b.headingOf(to, anchor)
	}
	anchor = safeAnchor(anchor)
	switch {
	case !ok:
		return ""
	case page == b.page:
		return "#" + anchor
	}
	return b.Way(b.page, page) + "#" + anchor
}

// headingOf is the anchor of the heading that something stands under.
func (b *builder) headingOf(f *api.File, anchor string) string {
	for name := anchor; name != ""; name = name[:max(0, strings.LastIndexByte(name, '.'))] {
		if b.model.Message(name) != nil || b.model.Enum(name) != nil {
			return name
		}
	}
	if slices.ContainsFunc(f.Extensions, func(x *api.Field) bool { return x.FullName() == anchor }) {
		return ExtensionsAnchor(fileAnchor(f.Path))
	}
	return anchor
}

// ExtensionsAnchor is the anchor of a file's list of extensions.
func ExtensionsAnchor(fileAnchor string) string { return fileAnchor + "-extensions" }

// Render makes the content of each file of a page, several at a time, and
// returns what do makes of each, in the files' order. The content is forgotten
// when do returns, so that a page of any size needs little more memory than its
// text.
func Render[T any](s *Site, p *Page, do func(*File) (T, error)) ([]T, error) {
	out := make([]T, len(p.Files))
	err := api.Parallel(len(p.Files), func(i int) error {
		var err error
		out[i], err = do(s.File(p, p.Files[i]))
		return err
	})
	return out, err
}
