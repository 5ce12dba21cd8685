package codes_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/api"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/codes"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/config"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/plugin"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/plugin/plugintest"
)

const protos = `syntax = "proto3";
package acme;

enum ExitCode {
  option allow_alias = true;
  EXIT_OK = 0;

  // Disk

  // The disk is full.
  DISK_FULL = 1;
  DISK_NO_SPACE = 1;
  DISK_GONE = 2 [deprecated = true]; // Gone.

  // A remark.

  NET_DOWN = 3;
}

enum Advice { NOTHING = 0; BUY = 1; }

message Outer { enum InnerCode { INNER = 0; } }

enum Colour { RED = 0; }
enum DressCode { BLACK_TIE = 0; }
`

func find(t *testing.T, yaml string) []*codes.Table {
	t.Helper()
	req, err := plugin.ReadRequest(bytes.NewReader(plugintest.Marshal(t, plugintest.Compile(t, map[string]string{"acme.proto": protos}))))
	if err != nil {
		t.Fatal(err)
	}
	model, err := api.Build(req)
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Parse("skaffold-gen.yaml", []byte(yaml), model)
	if err != nil {
		t.Fatal(err)
	}
	tables, err := codes.Find(model, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return tables
}

// describe writes a table down, a line for each code and problem.
func describe(t *codes.Table) string {
	var b strings.Builder
	name := func(p *codes.Phase) string {
		if p == nil {
			return "-"
		}
		return p.Name
	}
	for _, c := range t.Codes {
		class := "-"
		if c.Class != nil {
			class = c.Class.Name
		}
		fmt.Fprintf(&b, "%s %d %s %s %q %q %v %d\n", c.Value.Name, c.Number(), name(c.Phase), class, c.Section, c.Description(), c.Deprecated(), len(c.Aliases))
	}
	for _, p := range t.Problems {
		fmt.Fprintf(&b, "%s /%s/", p.Code.Value.Name, p.Pattern)
		for _, phase := range p.Phases {
			b.WriteString(" " + phase.Name)
		}
		for _, s := range p.Suggestions {
			fmt.Fprintf(&b, " %s %q %q", s.Value.Name, s.Action, s.When)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestByConvention(t *testing.T) {
	tables := find(t, "version: v1\ncodes:\n  - {enum: acme.DressCode, ignore: true}\n")
	var names []string
	for _, table := range tables {
		names = append(names, table.Enum.FullName)
	}
	if diff := cmp.Diff([]string{"acme.ExitCode", "acme.Outer.InnerCode"}, names); diff != "" {
		t.Fatalf("tables (-want +got):\n%s", diff)
	}
	want := `EXIT_OK 0 - - "" "" false 0
DISK_FULL 1 - - "Disk" "The disk is full." false 1
DISK_GONE 2 - - "Disk" "Gone." true 0
NET_DOWN 3 - - "A remark." "" false 0
`
	if diff := cmp.Diff(want, describe(tables[0])); diff != "" {
		t.Errorf("table (-want +got):\n%s", diff)
	}
}

func TestConfigured(t *testing.T) {
	tables := find(t, `version: v1
codes:
  - enum: acme.ExitCode
    suggestions: acme.Advice
    phases:
      - {name: Disk, prefixes: [DISK_], fallback: DISK_GONE, fallback_suggestions: [{code: BUY, action: Buy.}]}
      - {name: Net, prefixes: [NET_]}
    no_phase: [EXIT_OK]
    fallback: EXIT_OK
    classes: [{name: Good, ranges: [0]}]
    default_class: {name: Bad}
    sections: {NET_DOWN: ""}
    problems:
      - {code: NET_DOWN, pattern: down}
      - {code: DISK_NO_SPACE, pattern: full, phases: [Disk, Net]}
      - {code: DISK_GONE, suggestions: [{code: BUY, action: Buy two., when: urgent}]}
  - {enum: acme.Colour}
`)
	want := `EXIT_OK 0 - Good "" "" false 0
DISK_FULL 1 Disk Bad "Disk" "The disk is full." false 1
DISK_GONE 2 Disk Bad "Disk" "Gone." true 0
NET_DOWN 3 Net Bad "Disk" "" false 0
NET_DOWN /down/ Net
DISK_FULL /full/ Disk Net
DISK_GONE // BUY "Buy two." "urgent"
DISK_GONE // BUY "Buy." ""
EXIT_OK //
`
	if diff := cmp.Diff(want, describe(tables[0])); diff != "" {
		t.Errorf("table (-want +got):\n%s", diff)
	}
	if got := tables[0].Phases[0].Fallback.Code.Value.Name; got != "DISK_GONE" || tables[0].Phases[1].Fallback != nil || tables[0].Fallback.Code.Value.Name != "EXIT_OK" {
		t.Errorf("fallbacks: %s, %v, %v", got, tables[0].Phases[1].Fallback, tables[0].Fallback)
	}
	if tables[1].Enum.FullName != "acme.Colour" {
		t.Errorf("the second table is of %s", tables[1].Enum.FullName)
	}
}
