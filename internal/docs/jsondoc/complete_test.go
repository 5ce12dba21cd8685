package jsondoc

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/content"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/content/contenttest"
)

// Nothing of the content is left out, but for what the JSON has in another form.
func TestNothingIsLeftOut(t *testing.T) {
	unseen := contenttest.Unseen(func(f *content.File) string {
		text, err := encode(fileOf(f), "")
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	})
	want := []string{
		"Property.Value", // which is that of Property.JSON, for people
	}
	if diff := cmp.Diff(want, unseen); diff != "" {
		t.Errorf("fields of the content that change nothing (-want +got)\n%s", diff)
	}
}
