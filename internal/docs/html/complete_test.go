package html

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/content"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/content/contenttest"
)

// Nothing of the content is left out, but for what a page says in another way.
func TestNothingIsLeftOut(t *testing.T) {
	unseen := contenttest.Unseen(func(f *content.File) string {
		var w writer
		w.nav(f, true)
		w.file(f)
		return w.out.String() + string(searchEntry(f))
	})
	want := []string{
		"Change.File", // where the change shows
		"Change.In",
		"Entry.Pos",           // in an address of the source, if one is given
		"Enum.HasSuggestions", // the suggestions themselves are there
		"Method.Idempotency",  // of its values only two mean something
		"Method.Signature",    // written with links
		"Oneof.Fields",        // each has its oneof
		"Position.Column",
		"Position.Line",
		"Position.Path",
		"Property.JSON",
		"Type.FullName", // the link leads there
	}
	if diff := cmp.Diff(want, unseen); diff != "" {
		t.Errorf("fields of the content that change nothing (-want +got)\n%s", diff)
	}
}
