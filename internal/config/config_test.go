package config_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/api"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/config"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/plugin"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/plugin/plugintest"
)

// protos are what the configs of this test are about.
const protos = `syntax = "proto3";
package acme;

import "google/protobuf/timestamp.proto";

enum Code {
  FINE = 0;
  DISK_FULL = 10;
  DISK_GONE = 11;
  NET_DOWN = 20;
  ODD = 30;
}

enum Twin {
  option allow_alias = true;
  ONE = 0;
  UNO = 0;
}

enum Advice { NOTHING = 0; BUY_DISK = 1; }

message Failure {
  Code code = 1;
  string text = 2;
  repeated Tip tips = 3;
}

message Tip { Advice advice = 1; string action = 2; }

message Both { Code code = 1; Twin twin = 2; string text = 3; }

message Report { Code first = 1; Code second = 2; string text = 3; }

message Event {
  google.protobuf.Timestamp at = 1;
  oneof kind { Failure failure = 2; Tip tip = 3; }
  int32 size = 4;
}
`

func model(t testing.TB) *api.Model {
	t.Helper()
	req, err := plugin.ReadRequest(bytes.NewReader(plugintest.Marshal(t, plugintest.Compile(t, map[string]string{"acme.proto": protos}))))
	if err != nil {
		t.Fatal(err)
	}
	m, err := api.Build(req)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestGoodConfig(t *testing.T) {
	cfg, err := config.Parse("skaffold-gen.yaml", []byte(`version: v1
events:
  - message: acme.Event
    discriminator: kind
    time: at
    values:
      - {field: acme.Tip.action, add: [buy]}
  - {message: acme.Report, ignore: true}
codes:
  - enum: acme.Code
    suggestions: acme.Advice
    phases:
      - name: Disk
        prefixes: [DISK_]
        values: [ODD]
        fallback: DISK_GONE
        fallback_suggestions: &advice [{code: BUY_DISK, action: Buy a disk.}]
      - {name: Net, prefixes: [NET_]}
    no_phase: [FINE]
    fallback: ODD
    classes:
      - {name: Good, values: [FINE]}
      - {name: Bad, ranges: [-5 - 9, 10-29], grpc: INTERNAL}
    default_class: {name: Other}
    sections: {DISK_FULL: Disks}
    problems:
      - {code: DISK_FULL, pattern: no space, phases: [Net], suggestions: *advice}
    error: {message: acme.Failure, domain: acme.com}
`), model(t))
	if err != nil {
		t.Fatal(err)
	}
	codes := cfg.Codes[0]
	for value, want := range map[string]string{"DISK_FULL": "Disk", "ODD": "Disk", "NET_DOWN": "Net", "FINE": ""} {
		got := ""
		if p := codes.PhaseOf(value); p != nil {
			got = p.Name
		}
		if got != want {
			t.Errorf("phase of %s is %q, want %q", value, got, want)
		}
	}
	for number, want := range map[int32]string{0: "Bad", -5: "Bad", 29: "Bad", -6: "Other", 30: "Other"} {
		if got := codes.ClassOf("X", number).Name; got != want {
			t.Errorf("class of %d is %q, want %q", number, got, want)
		}
	}
	if got := codes.Problems[0].Suggestions[0].Action; got != "Buy a disk." {
		t.Errorf("alias gave the action %q", got)
	}
}

// badConfigs have one mistake each, and want one line.
var badConfigs = []struct{ name, config, want string }{
	{"empty", "", `1:1: there is no version: begin the file with "version: v1"`},
	{"no YAML", "version: v1\ncodes: [", `2:8: sequence end token ']' not found`},
	{"tab", "version: v1\ncodes:\n\t- enum: acme.Code\n", `3:1: found character '	' that cannot start any token`},
	{"other version", "version: v2\n", `1:10: version "v2" is not known: this plugin reads v1`},
	{"two documents", "version: v1\n---\nversion: v1\n", `2:1: there is a second document: put everything into the first one`},
	{"duplicate key", "version: v1\nversion: v1\n", `2:1: mapping key "version" already defined at [1:1]`},
	{"unknown key", "version: v1\ncode: []\n", `2:1: unknown key "code"; did you mean "codes"?`},
	{"unknown key below", "version: v1\ncodes:\n  - enum: acme.Code\n    fases: []\n", `4:5: unknown key "fases"; did you mean "phases"?`},
	{"list for mapping", "version: v1\ncodes:\n  - [acme.Code]\n", `3:5: there is a list where a mapping should be`},
	{"mapping for text", "version: v1\ncodes:\n  - enum: {name: acme.Code}\n", `3:12: there is a mapping where a string should be`},
	{"text for list", "version: v1\ncodes:\n  - enum: acme.Code\n    no_phase: FINE\n", `4:15: "FINE" is not a list`},
	{"text for boolean", "version: v1\ncodes:\n  - enum: acme.Code\n    ignore: perhaps\n", `4:13: "perhaps" is not true or false`},

	{"event without message", "version: v1\nevents:\n  - time: at\n", `3:5: there is no "message", or it is empty`},
	{"no such message", "version: v1\nevents:\n  - message: Event\n", `3:14: no file of the request has a message "Event"; did you mean "acme.Event"?`},
	{"event twice", "version: v1\nevents:\n  - message: acme.Event\n  - message: acme.Event\n", `4:14: the event "acme.Event" is here a second time: put both entries into one`},
	{"no such oneof", "version: v1\nevents:\n  - message: acme.Event\n    discriminator: kinds\n", `4:20: acme.Event has no oneof and no singular enum field "kinds"; did you mean "kind"?`},
	{"no such time", "version: v1\nevents:\n  - message: acme.Event\n    time: size\n", `4:11: acme.Event has no field "size" of type google.protobuf.Timestamp or int64`},
	{"ignored event", "version: v1\nevents:\n  - message: acme.Event\n    ignore: true\n    time: at\n", `4:13: "acme.Event" is ignored, so the other keys of this entry say nothing: remove them, or ignore`},
	{"values of a short name", "version: v1\nevents:\n  - message: acme.Event\n    values: [{field: action, add: [x]}]\n", `4:22: "action" is no full name of a field: write package.Message.field`},
	{"values of no field", "version: v1\nevents:\n  - message: acme.Event\n    values: [{field: acme.Tip.act, add: [x]}]\n", `4:22: acme.Tip has no field "act"; did you mean "action"?`},
	{"values of a number", "version: v1\nevents:\n  - message: acme.Event\n    values: [{field: acme.Event.size, add: [x]}]\n", `4:22: the field "acme.Event.size" is of type int32: only strings have documented values`},
	{"add and replace", "version: v1\nevents:\n  - message: acme.Event\n    values: [{field: acme.Tip.action, add: [x], replace: [y]}]\n", `4:44: "acme.Tip.action" has both "replace" and "add": replace alone holds all values`},
	{"no values", "version: v1\nevents:\n  - message: acme.Event\n    values: [{field: acme.Tip.action}]\n", `4:14: "acme.Tip.action" has neither "replace" nor "add": name at least one value`},
	{"empty value", "version: v1\nevents:\n  - message: acme.Event\n    values: [{field: acme.Tip.action, add: [x, '']}]\n", `4:48: a documented value cannot be empty: leave it out`},
	{"empty replace", "version: v1\nevents:\n  - message: acme.Event\n    values: [{field: acme.Tip.action, replace: []}]\n", `4:48: "acme.Tip.action" has an empty "replace": name at least one value`},
	{"empty add", "version: v1\nevents:\n  - message: acme.Event\n    values: [{field: acme.Tip.action, add: []}]\n", `4:44: "acme.Tip.action" has an empty "add": name at least one value`},
	{"empty replace and add", "version: v1\nevents:\n  - message: acme.Event\n    values: [{field: acme.Tip.action, replace: [], add: [x]}]\n", `4:57: "acme.Tip.action" has both "replace" and "add": replace alone holds all values`},
	{"value twice", "version: v1\nevents:\n  - message: acme.Event\n    values: [{field: acme.Tip.action, add: [x, x]}]\n", `4:48: "x" is in this list twice`},

	{"no such enum", codes("enum: acme.Cod"), `3:11: no file of the request has an enum "acme.Cod"; did you mean "acme.Code"?`},
	{"enum twice", codes("enum: acme.Code") + "  - enum: acme.Code\n", `4:11: the enum "acme.Code" is here a second time: put both entries into one`},
	{"ignored enum", codes("enum: acme.Code", "ignore: true", "fallback: ODD"), `4:13: "acme.Code" is ignored, so the other keys of this entry say nothing: remove them, or ignore`},
	{"phase without name", codes("enum: acme.Code", "phases: [{prefixes: [DISK_, NET_]}]", "no_phase: [FINE, ODD]"), `4:14: there is no "name", or it is empty`},
	{"phase of nothing", codes("enum: acme.Code", "phases: [{name: Disk, prefixes: [DISK_, NET_]}, {name: X}]", "no_phase: [FINE, ODD]"), `4:53: the phase "X" has neither prefixes nor values nor a fallback`},
	{"phase twice", codes("enum: acme.Code", "phases: [{name: A, prefixes: [DISK_]}, {name: A, prefixes: [NET_]}]", "no_phase: [FINE, ODD]"), `4:51: the phase "A" is here a second time: put both entries into one`},
	{"phase named none", codes("enum: acme.Code", "phases: [{name: none, prefixes: [DISK_, NET_]}]", "no_phase: [FINE, ODD]"), `4:21: the phase "none" has the name of the zero value, which is for codes without one: choose another`},
	{"phase of signs", codes("enum: acme.Code", "phases: [{name: a/b, prefixes: [DISK_, NET_]}]", "no_phase: [FINE, ODD]"), `4:21: the phase "a/b" cannot be a Go name: use letters, digits, spaces, _ and -, and begin with a letter`},
	{"phase of a digit", codes("enum: acme.Code", "phases: [{name: 2nd, prefixes: [DISK_, NET_]}]", "no_phase: [FINE, ODD]"), `4:21: the phase "2nd" cannot be a Go name: use letters, digits, spaces, _ and -, and begin with a letter`},
	{"phases of one Go name", codes("enum: acme.Code", "phases: [{name: the net, prefixes: [DISK_]}, {name: TheNet, prefixes: [NET_]}]", "no_phase: [FINE, ODD]"), `4:57: the phase "TheNet" differs from "the net" only in case, spaces, _ and -: their Go names can be the same`},
	{"misspelt prefix", codes("enum: acme.Code", "phases: [{name: A, prefixes: [DSK_, NET_]}]", "no_phase: [FINE, ODD]", "fallback: ODD", "problems: [{code: DISK_FULL, pattern: x}]"), `4:35: no value of acme.Code begins with the prefix "DSK_"`},
	{"misspelt value", codes("enum: acme.Code", "phases: [{name: A, prefixes: [DISK_, NET_]}]", "no_phase: [FINE, OD]"), `5:22: the enum acme.Code has no value "OD"; did you mean "ODD"?`},
	{"prefix of nothing", codes("enum: acme.Code", "phases: [{name: A, prefixes: [DISK_, NET_, DSK_]}]", "no_phase: [FINE, ODD]"), `4:48: no value of acme.Code begins with the prefix "DSK_"`},
	{"prefix twice", codes("enum: acme.Code", "phases: [{name: A, prefixes: [DISK_]}, {name: B, prefixes: [DISK_, NET_]}]", "no_phase: [FINE, ODD]"), `4:65: the prefix "DISK_" is in phase A and in phase B: it can only be in one`},
	{"value in phase and none", codes("enum: acme.Code", "phases: [{name: A, prefixes: [DISK_, NET_], values: [ODD]}]", "no_phase: [FINE, ODD]"), `5:22: the value "ODD" is in phase A and in no_phase: it can only be in one`},
	{"value without phase", codes("enum: acme.Code", "phases: [{name: A, prefixes: [DISK_, NET_]}]", "no_phase: [FINE]"), `4:5: the value "ODD" of acme.Code has no phase: add a prefix or the value to one, or to no_phase`},
	{"no such value", codes("enum: acme.Code", "phases: [{name: A, prefixes: [DISK_, NET_]}]", "no_phase: [FINE, ODD, NET_DWN]"), `5:27: the enum acme.Code has no value "NET_DWN"; did you mean "NET_DOWN"?`},

	{"alias in a phase", codes("enum: acme.Twin", "phases: [{name: A, values: [UNO]}]", "no_phase: [ONE]"), `4:33: "UNO" is an alias of "ONE": name that one`},
	{"error of two tables", codes("enum: acme.Code", "error: {message: acme.Both}") + "  - enum: acme.Twin\n    error: {message: acme.Both}\n", `6:22: "acme.Both" is the error of another table, too: a message can be that of one`},

	{"no range", codes("enum: acme.Code", "classes: [{name: A, ranges: [ten]}]", "default_class: {name: B}"), `4:34: "ten" is no range of numbers: write it as 200-250`},
	{"backward range", codes("enum: acme.Code", "classes: [{name: A, ranges: [20-10]}]", "default_class: {name: B}"), `4:34: the range "20-10" ends before it begins: write 10-20`},
	{"long range", codes("enum: acme.Code", "classes: [{name: A, ranges: [0-9999999999]}]", "default_class: {name: B}"), `4:34: 9999999999 in "0-9999999999" is no number of an enum value: they have 32 bits`},
	{"overlapping ranges", codes("enum: acme.Code", "classes: [{name: A, ranges: [0-20]}, {name: B, ranges: [20-40]}]"), `4:61: the range "20-40" of class B overlaps "0-20" of class A`},
	{"class of nothing", codes("enum: acme.Code", "classes: [{name: A}]", "default_class: {name: B}"), `4:15: the class "A" has neither ranges nor values`},
	{"class named None", codes("enum: acme.Code", "default_class: {name: None}"), `4:27: the class "None" has the name of the zero value, which is for codes without one: choose another`},
	{"class twice", codes("enum: acme.Code", "classes: [{name: A, values: [ODD]}]", "default_class: {name: A}"), `5:27: the class "A" is here a second time: put both entries into one`},
	{"value without class", codes("enum: acme.Code", "classes: [{name: A, ranges: [0-29]}]"), `4:5: the value "ODD" = 30 of acme.Code has no class: add it to one, or a default_class`},
	{"default class with ranges", codes("enum: acme.Code", "default_class: {name: B, ranges: [0-29]}"), `4:20: the default class "B" takes what no other class covers: it has no ranges and no values`},
	{"no gRPC code", codes("enum: acme.Code", "default_class: {name: B, grpc: CANCELED}"), `4:36: "CANCELED" is no gRPC code; did you mean "CANCELLED"?`},
	{"OK as gRPC code", codes("enum: acme.Code", "default_class: {name: B, grpc: OK}"), `4:36: an error cannot have the gRPC code "OK": leave "grpc" out where no error is of the class`},
	{"section at no value", codes("enum: acme.Code", "sections: {DISK: Disks}"), `4:16: the enum acme.Code has no value "DISK"; did you mean "DISK_FULL"?`},

	{"problem without code", codes("enum: acme.Code", "fallback: ODD", "problems: [{pattern: x}]"), `5:16: there is no "code", or it is empty`},
	{"problem of nothing", codes("enum: acme.Code", "problems: [{code: ODD}]"), `4:16: the problem "ODD" has neither a pattern nor suggestions`},
	{"broken pattern", codes("enum: acme.Code", "fallback: ODD", "problems: [{code: ODD, pattern: 'a(b'}]"), "5:37: the pattern \"a(b\" of ODD is no regular expression: missing closing ): `a(b`"},
	{"look-ahead", codes("enum: acme.Code", "fallback: ODD", "problems: [{code: ODD, pattern: 'a(?=b)'}]"), "5:37: the pattern \"a(?=b)\" of ODD is no regular expression: invalid or unsupported Perl syntax: `(?=`"},
	{"no such phase", codes("enum: acme.Code", "phases: [{name: Disk, prefixes: [DISK_, NET_]}]", "no_phase: [FINE, ODD]", "fallback: ODD", "problems: [{code: ODD, pattern: x, phases: [Disc]}]"), `7:49: there is no phase "Disc"; did you mean "Disk"?`},
	{"pattern without phase", codes("enum: acme.Code", "phases: [{name: Disk, prefixes: [DISK_, NET_]}]", "no_phase: [FINE, ODD]", "fallback: ODD", "problems: [{code: ODD, pattern: x}]"), `7:37: ODD has no phase of its own: say in which phases the pattern is tried`},
	{"no fallback", codes("enum: acme.Code", "problems: [{code: ODD, pattern: x}]"), `3:11: "acme.Code" has patterns or phases with a fallback, but no "fallback" of its own for all other errors`},
	{"suggestions without enum", codes("enum: acme.Code", "problems: [{code: ODD, suggestions: [{code: BUY_DISK}]}]"), `4:41: there are suggestions, but no "suggestions" of "acme.Code" that names their enum`},
	{"no such suggestion", codes("enum: acme.Code", "suggestions: acme.Advice", "problems: [{code: ODD, suggestions: [{code: BUY_DISC}]}]"), `5:49: the enum acme.Advice has no value "BUY_DISC"; did you mean "BUY_DISK"?`},
	{"fallback suggestions alone", codes("enum: acme.Code", "suggestions: acme.Advice", "fallback_suggestions: [{code: BUY_DISK}]"), `5:27: there are fallback_suggestions without a "fallback"`},

	{"no such error", codes("enum: acme.Code", "error: {message: acme.Failed}"), `4:22: no file of the request has a message "acme.Failed"; did you mean "acme.Failure"?`},
	{"domain with a path", codes("enum: acme.Code", "error: {message: acme.Failure, domain: 'https://acme.com/'}"), `4:44: the domain "https://acme.com/" does not look like a host name: write it as example.com`},
	{"error without code", codes("enum: acme.Code", "error: {message: acme.Tip}"), `4:12: acme.Tip has no field of type acme.Code`},
	{"error with two codes", codes("enum: acme.Code", "error: {message: acme.Report}"), `4:12: acme.Report has several fields of type acme.Code: say which one is meant: "first" or "second"`},
	{"error with no such code", codes("enum: acme.Code", "error: {message: acme.Report, code: frist}"), `4:41: acme.Report has no field "frist" of type acme.Code; did you mean "first"?`},
}

// codes is a config with one table, with a line for each key.
func codes(keys ...string) string {
	return "version: v1\ncodes:\n  - " + strings.Join(keys, "\n    ") + "\n"
}

func TestBadConfigs(t *testing.T) {
	m := model(t)
	for _, test := range badConfigs {
		t.Run(test.name, func(t *testing.T) {
			_, err := config.Parse("skaffold-gen.yaml", []byte(test.config), m)
			if err == nil {
				t.Fatalf("no error, want %s", test.want)
			}
			if want := "skaffold-gen.yaml:" + test.want; err.Error() != want {
				t.Errorf("error\n%s\nwant\n%s", err, want)
			}
		})
	}
}

func TestNoConfig(t *testing.T) {
	_, err := config.Load("testdata/none.yaml", model(t))
	if want := "option config: open testdata/none.yaml: no such file or directory"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}
