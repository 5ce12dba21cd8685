//go:build external

package docs_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/plugin/plugintest"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/synth"
)

// DocBook's RELAX NG schema and what validates against it: Debian's packages
// docbook5-xml, and jing or libxml2-utils.
var (
	docbookSchema = flag.String("docbook-schema", "", "DocBook 5.0's RELAX NG schema, docbook.rng")
	jingPath      = flag.String("jing", "", "jing, an executable; empty to use xmllint")
	xmllintPath   = flag.String("xmllint", "", "xmllint, an executable; empty to use jing")
)

// TestDocBookIsValid validates what template=docbook writes, of the APIs and of
// the golden cases, against DocBook's own schema.
func TestDocBookIsValid(t *testing.T) {
	schema := executable(t, *docbookSchema)
	validators := make(map[string][]string)
	if *jingPath != "" {
		validators["jing"] = []string{executable(t, *jingPath), schema}
	}
	if *xmllintPath != "" {
		validators["xmllint"] = []string{executable(t, *xmllintPath), "--noout", "--nonet", "--relaxng", schema}
	}
	if len(validators) == 0 {
		t.Fatal("neither -jing nor -xmllint names a program: .ci/run shows how to get them")
	}
	documents := docbookDocuments(t)
	if len(documents) < 10 {
		t.Fatalf("only %d documents: the test does not see them", len(documents))
	}
	for name, command := range validators {
		t.Run(name, func(t *testing.T) {
			args := append(command[1:len(command):len(command)], documents...)
			if out, err := exec.Command(command[0], args...).CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// docbookDocuments are the paths of documents of all kinds.
func docbookDocuments(t *testing.T) []string {
	t.Helper()
	dir := t.TempDir()
	req := allProtos(t)
	for layout, parameter := range map[string]string{
		"single":  "template=docbook,source_url=https://example.com/{path}?a&b#L{line}",
		"package": "template=docbook,layout=package",
		"file":    "template=docbook,layout=file,order=source",
	} {
		req.Parameter = proto.String(parameter)
		writeTree(t, filepath.Join(dir, layout), plugintest.Files(t, plugintest.Run(t, docsPlugin, req)))
	}
	req = plugintest.Compile(t, map[string]string{"hostile.proto": hostileProto(hostileComments)})
	req.Parameter = proto.String("template=docbook")
	writeTree(t, filepath.Join(dir, "hostile"), plugintest.Files(t, plugintest.Run(t, docsPlugin, req)))
	for seed := range uint64(50) {
		req := synth.Random(rand.New(rand.NewPCG(seed, 0)))
		req.Parameter = proto.String("template=docbook")
		writeTree(t, filepath.Join(dir, fmt.Sprint(seed)), plugintest.Files(t, plugintest.Run(t, docsPlugin, req)))
	}
	var paths []string
	for _, folder := range []string{dir, filepath.Join(root, "testdata")} {
		err := filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
			if err == nil && filepath.Ext(path) == ".xml" {
				paths = append(paths, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return paths
}
