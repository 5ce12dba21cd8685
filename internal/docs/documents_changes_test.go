package docs_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/plugin/plugintest"
)

const (
	earlier = `syntax = "proto3"; package shop;
		message Order { string id = 1; int32 count = 2; string note = 3; Gone gone = 4; }
		message Gone {}
		enum State { OPEN = 0; PAID = 1; }`
	later = `syntax = "proto3"; package shop;
		message Order { string id = 1; int64 count = 2; string note = 3 [deprecated = true]; Fresh fresh = 5; }
		message Fresh {}
		enum State { OPEN = 0; }`
)

// against runs the plugin on the later release, compared with the earlier one.
func against(t *testing.T, before, now, parameter string) map[string]string {
	t.Helper()
	old := plugintest.Compile(t, map[string]string{"shop.proto": before})
	image, err := proto.Marshal(&descriptorpb.FileDescriptorSet{File: old.ProtoFile})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "old.binpb")
	if err := os.WriteFile(path, image, 0o644); err != nil {
		t.Fatal(err)
	}
	req := plugintest.Compile(t, map[string]string{"shop.proto": now})
	req.Parameter = proto.String(parameter + ",against=" + path)
	return plugintest.Files(t, plugintest.Run(t, docsPlugin, req))
}

// What has changed stands where it changed, and in the lists of a page and a file.
func TestJSONChanges(t *testing.T) {
	files := against(t, earlier, later, "template=json")
	checkJSON(t, referenceSchema(t), files)
	checkJSONLinks(t, files)
	inPlace, listed, removed := map[string]string{}, map[string]string{}, map[string]string{}
	eachObject(parseJSON(t, files["reference.json"]), "", func(in string, o map[string]any) {
		switch in {
		case "change":
			inPlace[o["name"].(string)] = o["kind"].(string)
		case "changes":
			listed[o["name"].(string)] = o["kind"].(string)
		case "removed":
			removed[o["name"].(string)] = o["kind"].(string)
		}
	})
	gone := map[string]string{"shop.Gone": "removed", "shop.Order.gone": "removed", "shop.State.PAID": "removed"}
	stay := map[string]string{
		"shop.Fresh": "added", "shop.Order.fresh": "added", "shop.Order.count": "changed", "shop.Order.note": "deprecated",
	}
	all := map[string]string{}
	for _, list := range []map[string]string{gone, stay} {
		for name, kind := range list {
			all[name] = kind
		}
	}
	for what, diff := range map[string]string{
		"in place": cmp.Diff(stay, inPlace), "listed": cmp.Diff(all, listed), "removed": cmp.Diff(gone, removed),
	} {
		if diff != "" {
			t.Errorf("%s (-want +got)\n%s", what, diff)
		}
	}
}

// A list without changes is there if something was compared, and only then.
func TestJSONWithoutChanges(t *testing.T) {
	const empty = `"changes": []`
	if text := against(t, later, later, "template=json")["reference.json"]; !strings.Contains(text, empty) {
		t.Errorf("there is no %s in\n%s", empty, text)
	}
	req := plugintest.Compile(t, map[string]string{"shop.proto": later})
	req.Parameter = proto.String("template=json")
	text := plugintest.Files(t, plugintest.Run(t, docsPlugin, req))["reference.json"]
	if strings.Contains(text, "changes") {
		t.Errorf("nothing was compared, but there are changes in\n%s", text)
	}
}

func TestDocBookChanges(t *testing.T) {
	files := against(t, earlier, later, "template=docbook")
	if checkDocBook(t, files, allLinks) == 0 {
		t.Error("there are no links")
	}
	text := files["reference.xml"]
	for _, want := range []string{
		"<title>Changes</title>",
		`<para><emphasis role="strong">Removed</emphasis></para>`,
		"<para>Removed from this file:</para>",
		"Message <code>shop.Gone</code>",
		`<para><emphasis role="strong">Changed</emphasis>: type was <code>int32</code>.</para>`,
		`<para><emphasis role="strong">Added</emphasis>.</para>`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %s in\n%s", want, text)
		}
	}
	none := against(t, later, later, "template=docbook")["reference.xml"]
	if want := "<title>Changes</title>\n<para>None.</para>"; !strings.Contains(none, want) {
		t.Errorf("there is no %s in\n%s", want, none)
	}
}

// What changed and was deprecated at once says both, and stands in both lists.
func TestChangedAndDeprecated(t *testing.T) {
	const (
		before = `syntax = "proto3"; package shop; message M { int32 y = 2; string z = 3; }`
		now    = `syntax = "proto3"; package shop; message Fresh {} message M {
			// Count.
			//
			// Deprecated: use z.
			int64 y = 2 [deprecated = true];
			oneof o { string z = 3 [deprecated = true]; }
		}`
	)
	tests := []struct{ template, page, lists, cell, bare string }{
		{"markdown", "reference.md",
			"### Added\n\n- Message [`Fresh`](#shop.Fresh)\n- Oneof [`M.o`](#shop.M.o)\n\n" +
				"### Changed\n\n- Field [`M.y`](#shop.M.y): type was `int32`\n" +
				"- Field [`M.z`](#shop.M.z): presence was `implicit`, was not in a oneof\n\n" +
				"### Deprecated\n\n- Field [`M.y`](#shop.M.y)\n- Field [`M.z`](#shop.M.z)\n",
			"| **Changed:** type was `int32`. **Newly deprecated:** use z. Count. ",
			"| **Changed:** presence was `implicit`, was not in a oneof. **Newly deprecated.** "},
		{"html", "index.html",
			`<h3>Added</h3>`,
			`<span class="badge deprecated">deprecated</span> <span class="badge changed">changed</span>`,
			`<strong>Changed:</strong> type was <code>int32</code>.`},
		{"docbook", "reference.xml",
			`<emphasis role="strong">Deprecated</emphasis>`,
			`<emphasis role="strong">Changed</emphasis>: type was <code>int32</code>. ` +
				`<emphasis role="strong">Newly deprecated</emphasis>.`,
			`was not in a oneof`},
	}
	for _, test := range tests {
		t.Run(test.template, func(t *testing.T) {
			text := against(t, before, now, "template="+test.template)[test.page]
			for _, want := range []string{test.lists, test.cell, test.bare} {
				if !strings.Contains(text, want) {
					t.Errorf("there is no %s in\n%s", want, text)
				}
			}
		})
	}
}
