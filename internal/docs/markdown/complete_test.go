package markdown

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/comment"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/content"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/content/contenttest"
)

// Nothing of the content is left out, but for what the page has in another form.
func TestNothingIsLeftOut(t *testing.T) {
	unseen := contenttest.Unseen(func(f *content.File) string {
		w := newWriter(comment.GFM)
		w.indexEntry(f)
		w.file(f)
		return w.out.String()
	})
	want := []string{
		"Change.File",                     // a page of its own, or the one it is on
		"Change.In",                       // by where it stands
		"Entry.FullName", "Type.FullName", // by the package and the name
		"Entry.Pos", "Position.Column", "Position.Line", "Position.Path", // as the address of the source
		"Enum.HasClasses", "Enum.HasPhases", "Enum.HasSuggestions", // by the values
		"Message.Oneofs", "Oneof.Fields", // by the fields
		"Property.JSON", // which is that of Property.Value, for programs
		"Rule.Option",   // whose words are those of the rule
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, unseen); diff != "" {
		t.Errorf("fields of the content that change nothing (-want +got)\n%s", diff)
	}
}
