package docbook

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/content"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/content/contenttest"
)

// Nothing of the content is left out, but for what readers see in another form.
func TestNothingIsLeftOut(t *testing.T) {
	unseen := contenttest.Unseen(func(f *content.File) string {
		var w writer
		w.contents(f)
		w.file(f)
		return w.out.String()
	})
	want := []string{
		"Change.File", "Change.In", // which the names say
		"Entry.FullName", // the title or the row, and the package
		"Entry.Pos",      // the link to the source
		"Enum.HasSuggestions",
		"Position.Column", "Position.Line", "Position.Path",
		"Property.JSON", // which is Property.Value, for programs
		"Rule.Option",   // which the rule says in words
		"Type.FullName", // where the link leads
	}
	if diff := cmp.Diff(want, unseen); diff != "" {
		t.Errorf("fields of the content that change nothing (-want +got)\n%s", diff)
	}
}
