package synth

import (
	"strconv"
	"strings"
)

// Names that look alike, that sort differently by byte and by letter, or that
// a name heuristic mistakes for something else (a map entry, a synthetic
// oneof). None is a segment of a package of [packageSets].
var (
	messageNames = []string{
		"Zed", "alpha", "Foo", "FooBar", "Foo_Bar", "foo_bar", "Fo", "Entry", "FakeEntry", "LogEntry", "MapEntry",
		"_Lead", "Trail_", "Dou__ble", "HTTPServer2", "URL2Thing", "X", "x9", "Request", "Response", "Event",
		"string_value", "Message", "Any", "AVeryLongMessageNameThatMakesTablesWideAndAnchorsHardToRead",
	}
	groupNames = []string{"Group", "LegacyGroup", "Old_Style", "ResultEntry", "G"}
	enumNames  = []string{"Color", "zone", "Kind_", "_State", "ERROR_CODE", "Level", "StatusEntry", "E"}
	valueNames = []string{
		"UNKNOWN", "UNSPECIFIED", "RED", "lower_case", "_LEAD", "TRAIL_", "A__B", "V1", "OK", "Mixed_Case", "NOT_FOUND",
	}
	fieldNames = []string{
		"id", "name", "foo_bar", "fooBar", "_lead", "trail_", "a__b", "Upper", "HTTPPort", "x", "type", "message", "option",
		"entries", "labels", "log_entry", "data2", "v1_beta_2", "string", "repeated", "__private__",
		"a_very_long_field_name_that_makes_a_table_row_wide",
	}
	oneofNames     = []string{"kind", "choice", "_value", "Result", "one_of", "payload_"}
	extensionNames = []string{"my_opt", "ext", "_hidden", "Upper_Ext", "note", "ext_entry", "proto_v1"}
	serviceNames   = []string{"Zeta", "alphaService", "Foo_Service", "API", "_Internal", "LogEntryService", "S"}
	methodNames    = []string{"Get", "list", "Do_It", "Watch", "_Debug", "CreateEntry", "HTTPCheck", "M2"}
	fileNames      = []string{
		"%s.proto", "dir/%s.proto", "deep/er/v1/%s.proto", "with-dash/%s.x.proto", "spa ce/%s.proto", "pä/%s.proto",
		"google/ext/%s.proto", "UP_per/%s_v1.proto",
	}
)

// packageSets are the packages of one request. A set mixes packages that stand
// inside each other, that are textual prefixes of each other, or that are a
// substring of a foreign name: the cases where cutting a prefix off a name and
// resolving it differ.
var packageSets = [][]string{
	{""},
	{"acme.v1"},
	{"", "acme.v1"},
	{"a", "a.b", "a.b.c"},
	{"edge.v1", "edge.v1.sub", "edge", "edge.v10"},
	{"o", "oo", "proto"},
	{"google.example", "google"},
	{"_under.score_", "Upper.Case", ""},
	{"acme.inventory.v1", "acme.inventory.v1.internal_types", "acme"},
	{"", "a", "b.a"},
}

// scope hands out names that are unique in one name space.
type scope struct {
	exact  map[string]bool
	folded map[string]bool
}

func newScope() *scope {
	return &scope{exact: map[string]bool{}, folded: map[string]bool{}}
}

// unique returns name, or name with the first number that makes it new.
func (s *scope) unique(name string) string {
	return s.firstFree(name, func(n string) bool { return !s.exact[n] })
}

// uniqueField is unique also without regard to case and underscores: two
// fields of a message may not share a JSON name.
func (s *scope) uniqueField(name string) string {
	name = s.firstFree(name, func(n string) bool { return !s.exact[n] && !s.folded[fold(n)] })
	s.folded[fold(name)] = true
	return name
}

func (s *scope) firstFree(name string, free func(string) bool) string {
	candidate := name
	for i := 2; !free(candidate); i++ {
		candidate = name + strconv.Itoa(i)
	}
	s.exact[candidate] = true
	return candidate
}

// fold maps names that differ only in case and underscores to one.
func fold(name string) string {
	return strings.ToLower(strings.ReplaceAll(name, "_", ""))
}

// foldValue is fold for the value of an enum, whose name is compared without
// the enum's own name in front.
func foldValue(enum, value string) string {
	if rest := strings.TrimPrefix(fold(value), fold(enum)); rest != "" {
		return rest
	}
	return fold(value)
}
