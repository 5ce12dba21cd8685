package gogen

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/compiler/protogen"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/api"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/codes"
)

// codeTables are the tables of a request. An error message can lie in another
// kit than its codes, so identifiers are claimed for all files before anything
// is written.
type codeTables struct {
	found    []*codes.Table
	byTable  map[*codes.Table]*codeTable
	enums    map[string]*protogen.Enum
	messages map[string]*protogen.Message
	files    map[string]*protogen.File // by path
	plans    []codePlan
}

// codePlan is what the feature makes of one file.
type codePlan struct {
	kit    *kit
	file   *file
	tables []*codeTable
	errors []*codeError
}

// codeTable is a table with its Go names.
type codeTable struct {
	*codes.Table
	kit         *kit
	enum        *protogen.Enum
	suggestions *protogen.Enum // nil if there is none

	infoType, infoOf, byName, all string
	phaseType, noPhase            string
	phases                        map[*codes.Phase]string
	classType, noClass            string
	classes                       map[*codes.Class]string
	suggestionType, suggestionsOf string
	classify, errorType           string

	infos, places, find, unknown, phaseNames, classNames, problemType, problems, problemOf, pattern string
}

// planCodes claims the identifiers of what a file has of codes.
func planCodes(k *kit, f *file) error {
	tables, err := k.codeTables()
	if err != nil {
		return err
	}
	plan := codePlan{kit: k, file: f}
	k.reserveImports(k.codesImports(tables.found, f))
	for _, t := range tables.found {
		if err := tables.check(t, f); err != nil {
			return err
		}
		if t.Enum.File == f.api {
			plan.tables = append(plan.tables, k.codeTable(t))
		}
	}
	for _, t := range tables.found {
		if t.Error != nil && t.Error.Message.File == f.api {
			plan.errors = append(plan.errors, newCodeError(k, t))
		}
	}
	if len(plan.tables)+len(plan.errors) > 0 {
		tables.plans = append(tables.plans, plan)
	}
	return nil
}

// check reports a table that refers to a file whose Go package is not known.
func (t *codeTables) check(table *codes.Table, f *file) error {
	uses := []*api.Enum{table.Enum}
	if table.Suggestions != nil {
		uses = append(uses, table.Suggestions)
	}
	if table.Enum.File != f.api && (table.Error == nil || table.Error.Message.File != f.api) {
		return nil
	}
	for _, e := range uses {
		if t.files[e.File.Path] == nil {
			return fmt.Errorf("%s: the config has codes of %s here that refer to %s in %s, which this call does not need otherwise: generate both files with one call (buf: strategy: all)",
				f.Desc.Path(), table.Enum.FullName, e.FullName, e.File.Path)
		}
	}
	return nil
}

// codesImports are all packages that the code of a file may import.
func (k *kit) codesImports(found []*codes.Table, f *file) []protogen.GoImportPath {
	list := []protogen.GoImportPath{
		errorsPackage, iterPackage, regexpPackage, slicesPackage, strconvPackage, stringsPackage, syncPackage,
		protoPackage, protoadaptPackage, grpcCodesPackage, grpcStatusPackage, errdetailsPackage,
	}
	add := func(of *api.File) {
		imported := k.tables.files[of.Path]
		if imported == nil {
			return // protogen leaves out what no file to generate needs
		}
		list = append(list, imported.GoImportPath, k.kit(imported).importPath)
	}
	for _, t := range found {
		if t.Enum.File != f.api && (t.Error == nil || t.Error.Message.File != f.api) {
			continue
		}
		add(t.Enum.File)
		if t.Suggestions != nil {
			add(t.Suggestions.File)
		}
		if t.Error != nil {
			add(t.Error.Message.File)
		}
		if t.Error != nil && t.Error.Suggestions != nil {
			add(t.Error.Suggestions.Message.File)
		}
	}
	return list
}

// reserveImports keeps the names of imports from being declared: Go does not
// allow both. Of several packages of one name, protogen numbers all but the first.
func (k *kit) reserveImports(list []protogen.GoImportPath) {
	seen := make(map[protogen.GoImportPath]bool)
	count := make(map[string]int)
	for _, p := range list {
		if seen[p] {
			continue
		}
		seen[p] = true
		name := importName(p)
		k.names.taken[name] = true
		if count[name]++; count[name] > 1 {
			k.names.taken[name+strconv.Itoa(count[name]-1)] = true
		}
	}
}

// writeCodes writes what is planned.
func writeCodes(g *generator) error {
	if g.tables == nil {
		return nil
	}
	for _, plan := range g.tables.plans {
		out := &codesFile{GeneratedFile: plan.kit.newFile(plan.file, "codes", plan.about()...), kit: plan.kit, imports: make(map[string]bool)}
		for _, p := range plan.kit.codesImports(g.tables.found, plan.file) {
			out.imports[importName(p)] = true
		}
		if plan.deprecated() {
			out.P("//lint:file-ignore SA1019 What is deprecated is still part of the API.")
			out.P()
		}
		for _, t := range plan.tables {
			out.table(t)
		}
		for _, e := range plan.errors {
			out.error(e)
		}
	}
	return nil
}

// about is the plan's part of the package comment: how to use its tables.
func (p *codePlan) about() []string {
	var lines []string
	pkg := string(p.kit.name) + "."
	section := func(title, text string) {
		lines = append(lines, "", "# "+title, "")
		lines = append(lines, wrapDoc(text)...)
		lines = append(lines, "")
	}
	for _, t := range p.tables {
		section(t.enum.GoIdent.GoName, "What is known about a code, by its number and by its name:")
		lines = append(lines,
			"\tinfo, ok := "+pkg+t.infoOf+"(code)",
			"\tcode, ok := "+pkg+t.byName+"(name)")
		if t.Suggestions != nil {
			lines = append(lines, "\tfor suggestion := range "+pkg+t.suggestionsOf+"(code) {}")
		}
		switch {
		case t.Fallback == nil:
		case t.Suggestions == nil:
			lines = append(lines, "", "The code of any error:", "", "\tcode := "+pkg+t.classify+"("+t.phaseArgument()+"err)")
		default:
			lines = append(lines, "", "The code of any error:", "", "\tcode, suggestions := "+pkg+t.classify+"("+t.phaseArgument()+"err)")
		}
	}
	for _, e := range p.errors {
		section(e.typ, "Where something fails, on the way through gRPC, and where it is received:")
		lines = append(lines,
			"\treturn "+pkg+e.create+"(code, err)",
			"\tif e, ok := "+pkg+e.from+"(err); ok {}")
	}
	return lines
}

// phaseArgument is what a call of classify begins with.
func (t *codeTable) phaseArgument() string {
	if len(t.Phases) == 0 {
		return ""
	}
	return "phase, "
}

// codeTables finds the tables once.
func (g *generator) codeTables() (*codeTables, error) {
	if g.tables != nil {
		return g.tables, nil
	}
	found, err := codes.Find(g.model, g.config)
	if err != nil {
		return nil, err
	}
	g.tables = &codeTables{
		found:    found,
		byTable:  make(map[*codes.Table]*codeTable),
		enums:    make(map[string]*protogen.Enum),
		messages: make(map[string]*protogen.Message),
		files:    make(map[string]*protogen.File),
	}
	for _, f := range g.gen.Files {
		g.tables.files[f.Desc.Path()] = f
		g.tables.index(f.Enums, f.Messages)
	}
	// Identifiers are claimed in the order of the declarations, and not in that of
	// the config.
	slices.SortStableFunc(found, func(a, b *codes.Table) int {
		return cmp.Or(cmp.Compare(a.Enum.File.Path, b.Enum.File.Path), cmp.Compare(position(a.Enum), position(b.Enum)))
	})
	return g.tables, nil
}

// position is the place of an enum among those of its file.
func position(e *api.Enum) int {
	i := 0
	for other := range e.File.AllEnums() {
		if other == e {
			break
		}
		i++
	}
	return i
}

func (t *codeTables) index(enums []*protogen.Enum, messages []*protogen.Message) {
	for _, e := range enums {
		t.enums[string(e.Desc.FullName())] = e
	}
	for _, m := range messages {
		t.messages[string(m.Desc.FullName())] = m
		t.index(m.Enums, m.Messages)
	}
}

// codeTable claims the identifiers of a table, the first time that it is asked
// for it. The table can be that of an import, whose kit is made by another call.
func (g *generator) codeTable(t *codes.Table) *codeTable {
	if known := g.tables.byTable[t]; known != nil {
		return known
	}
	table := &codeTable{Table: t, kit: g.kit(g.tables.files[t.Enum.File.Path]), enum: g.tables.enums[t.Enum.FullName]}
	if t.Suggestions != nil {
		table.suggestions = g.tables.enums[t.Suggestions.FullName]
	}
	g.tables.byTable[t] = table
	table.claim(table.kit.names)
	return table
}

func (t *codeTable) claim(n *names) {
	base := nameOf(t.enum.GoIdent)
	private := lowerFirst(base)
	t.infoType, t.infoOf = n.claim(base+"Info"), n.claim(base+"InfoOf")
	t.byName, t.all = n.claim(base+"ByName"), n.claim(plural(base))
	t.infos, t.places, t.find = n.claim(private+"Infos"), n.claim(private+"Places"), n.claim("find"+base)
	t.unknown = n.claim("unknown" + base)
	t.phases, t.classes = make(map[*codes.Phase]string), make(map[*codes.Class]string)
	if len(t.Phases) > 0 {
		t.phaseType, t.noPhase, t.phaseNames = n.claim(base+"Phase"), n.claim(base+"PhaseNone"), n.claim(private+"PhaseNames")
		for _, p := range t.Phases {
			t.phases[p] = n.claim(base + "Phase" + camel(p.Name, false))
		}
	}
	if len(t.Classes) > 0 {
		t.classType, t.noClass, t.classNames = n.claim(base+"Class"), n.claim(base+"ClassNone"), n.claim(private+"ClassNames")
		for _, c := range t.Classes {
			t.classes[c] = n.claim(base + "Class" + camel(c.Name, false))
		}
	}
	if len(t.Problems) > 0 {
		t.problemType, t.problems = n.claim(private+"Problem"), n.claim(plural(private+"Problem"))
	}
	if t.Suggestions != nil {
		t.suggestionType, t.suggestionsOf = n.claim(base+"Suggestion"), n.claim(base+"Suggestions")
	}
	if t.Fallback != nil {
		t.classify, t.problemOf = n.claim("Classify"+base), n.claim(private+"ProblemOf")
	}
	if t.hasPatterns() {
		t.pattern = n.claim(private + "Pattern")
	}
	if t.hasErrors() {
		t.errorType = n.claim(base + "Error")
	}
}

// hasErrors tells whether the codes are those of errors, as far as the config
// says so.
func (t *codeTable) hasErrors() bool { return t.Fallback != nil || t.Error != nil }

func (t *codeTable) hasPatterns() bool {
	return slices.ContainsFunc(t.Problems, func(p *codes.Problem) bool { return p.Pattern != "" })
}

// deprecated tells whether the plan's code names something that is deprecated.
func (p *codePlan) deprecated() bool {
	of := func(t *codes.Table) bool {
		return enumDeprecated(t.Enum) || t.Suggestions != nil && enumDeprecated(t.Suggestions)
	}
	return slices.ContainsFunc(p.tables, func(t *codeTable) bool { return of(t.Table) }) ||
		slices.ContainsFunc(p.errors, func(e *codeError) bool { return e.deprecated() || of(e.table) })
}

func enumDeprecated(e *api.Enum) bool {
	return e.Desc.GetOptions().GetDeprecated() || e.File.Desc.GetOptions().GetDeprecated() ||
		slices.ContainsFunc(e.Values, func(v *api.EnumValue) bool { return v.Desc.GetOptions().GetDeprecated() })
}

// plural is for names of things that are codes, for the most part.
func plural(name string) string {
	if strings.HasSuffix(name, "s") || strings.HasSuffix(name, "x") {
		return name + "es"
	}
	return name + "s"
}
