package filter_test

import (
	"strings"
	"testing"

	"github.com/skaffoldgen/protoc-gen-skaffold/examples/buildkit/internal/filter"
)

// object is what the tests filter: names with dots are paths.
var object = map[string]string{
	"id":          "abc",
	"description": `pulled from docker.io/library/alpine:3.20, "latest"`,
	"mutable":     "",
	"n_1":         "x=y",
	"path":        "/usr/bin",
}

func fields(path []string) (string, bool) {
	if path[0] == "labels" {
		return filter.Labels(map[string]string{"os": "linux", "com.example/arch": "a.b"}, path[1:])
	}
	value, ok := object[strings.Join(path, ".")]
	return value, ok
}

func TestMatch(t *testing.T) {
	for _, test := range []struct {
		filters []string
		want    bool
	}{
		{nil, true},
		{[]string{""}, true},
		{[]string{"id==nothing", ""}, true},

		{[]string{"id"}, true},
		{[]string{"mutable"}, true},
		{[]string{"inuse"}, false},
		{[]string{"id,mutable"}, true},
		{[]string{"id,inuse"}, false},

		{[]string{"id==abc"}, true},
		{[]string{"id==ab"}, false},
		{[]string{" id == abc,  mutable"}, true},
		{[]string{`id=="abc"`}, true},
		{[]string{`"id"=="\x61\142\u0063"`}, true},
		{[]string{`mutable==""`}, true},
		{[]string{`mutable==true`}, false},
		{[]string{`inuse==""`}, false},
		{[]string{"n_1==x=y"}, true},
		{[]string{`path=="/usr/bin"`}, true},

		{[]string{"id!=abc"}, false},
		{[]string{"id!=x"}, true},
		{[]string{"nothing!=x"}, true},

		{[]string{"id~=b"}, true},
		{[]string{"id~=^b"}, false},
		{[]string{`id~=/^A|b/`}, true},
		{[]string{`id~=|^a\|z|`}, true},
		{[]string{`path~=/\/bin$/`}, true},
		{[]string{`description~=/3\\.20, \u0022/`}, true},
		{[]string{`description~="alpine:\\d"`}, true},
		{[]string{"nothing~=^$"}, true},
		{[]string{"nothing~=x"}, false},

		{[]string{"labels.os==linux"}, true},
		{[]string{"labels.os==windows"}, false},
		{[]string{"labels.nothing"}, false},
		{[]string{`labels."com.example/arch"==a.b`}, true},
		{[]string{`labels.com."example/arch"`}, true},

		{[]string{"id==x", "id==abc"}, true},
		{[]string{"id==x", "id==y"}, false},
		{[]string{"id==x,mutable", "id==abc,mutable"}, true},
		{[]string{"id==abc,inuse", "id==x"}, false},
	} {
		f, err := filter.Parse(test.filters...)
		if err != nil {
			t.Errorf("%q: %v", test.filters, err)
		} else if got := f.Match(fields); got != test.want {
			t.Errorf("%q matches: %t, want %t", test.filters, got, test.want)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, test := range []struct{ filter, want string }{
		{" ", "at byte 1: a field's name is missing"},
		{",id", "at byte 0: a field's name is missing"},
		{"id,", "at byte 3: a field's name is missing"},
		{"id.", "at byte 3: a field's name is missing"},
		{"/id/==x", "at byte 0: a field's name is missing"},
		{"id ", "at byte 3: an operator is missing"},
		{"id ,mutable", "at byte 3: an operator is missing"},
		{"id=abc", "at byte 2: an operator is missing"},
		{"id===abc", "at byte 2: an operator is missing"},
		{"id>abc", "at byte 2: an operator is missing"},
		{"id==", "at byte 4: a value is missing"},
		{"id==,mutable", "at byte 4: a value is missing"},
		{"id== =x", "at byte 5: a value is missing"},
		{"id==.x", "at byte 4: a value is missing"},
		{"id==/x/", "at byte 4: / quotes regular expressions"},
		{"id==abc ", "at byte 7: ' ' is unexpected"},
		{"id==a b", "at byte 5: ' ' is unexpected"},
		{`id=="a"b`, "at byte 7: 'b' is unexpected"},
		{`id=="abc`, "at byte 4: the quote is not closed"},
		{"id==\"a\nb\"", "at byte 4: the quote is not closed"},
		{`id=="\q"`, "at byte 5: an escape"},
		{`id=="\`, "at byte 5: an escape"},
		{`id~=/a\.b/`, "at byte 6: an escape"},
		{`id~=(`, "at byte 4: error parsing regexp: missing closing )"},
		{"id==a\x00", "at byte 5: text that is not UTF-8"},
		{"id==\xff", "text that is not UTF-8"},
		{"id==" + strings.Repeat("x", 1<<20), "the filters have more than 1048576 bytes together"},
		{"id~=" + strings.Repeat("x", 4<<10+1), "at byte 4: the regular expressions have more than 4096 bytes together"},
		{"id~=" + strings.Repeat("x", 2<<10) + ",id~=" + strings.Repeat("y", 2<<10+1),
			`xxx...", at byte 2057: the regular expressions have more than 4096 bytes together`},
	} {
		_, err := filter.Parse("id==x", test.filter)
		if err == nil {
			t.Errorf("%q: no error, want %q", test.filter, test.want)
		} else if !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: %v\nwant: %s", test.filter, err, test.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"", "id==abc,mutable", `labels."a.b"~=/x\/y/`, `a!="\u1234`, "a ~= |", "é==é"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		parsed, err := filter.Parse(text)
		if err == nil {
			parsed.Match(fields)
		}
	})
}
