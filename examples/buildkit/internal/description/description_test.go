package description_test

import (
	"strings"
	"testing"

	"github.com/skaffoldgen/protoc-gen-skaffold/examples/buildkit/internal/description"
	"github.com/skaffoldgen/protoc-gen-skaffold/examples/buildkit/internal/filter"
)

func TestSample(t *testing.T) {
	d, err := description.Sample()
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Workers) == 0 || len(d.Builds) == 0 || len(d.Cache.Usage(filter.Filter{})) == 0 {
		t.Errorf("the sample has %d workers and %d builds", len(d.Workers), len(d.Builds))
	}
	for _, w := range d.Workers {
		if w.GetBuildkitVersion().GetVersion() != d.Version.GetVersion() {
			t.Errorf("worker %s has the version %v", w.GetID(), w.GetBuildkitVersion())
		}
	}
}

func TestLoadNothing(t *testing.T) {
	d, err := description.Load(strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	if d.Version == nil || d.Cache == nil || len(d.Workers) > 0 || len(d.Builds) > 0 {
		t.Errorf("an empty description is %+v", d)
	}
}

func TestLoadRefuses(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{``, "no description of a server: EOF"},
		{`[]`, "cannot unmarshal array"},
		{`{} {}`, "there is more behind the description, which ends at byte 2"},
		{`{"workerz": []}`, `unknown field "workerz"`},
		{`{"buildkitVersion": {"version": 1}}`, "buildkitVersion: "},
		{`{"workers": [{"ID": "a"}, {}]}`, "workers[1] has no ID"},
		{`{"workers": [{"ID": "a"}, {"ID": "a"}]}`, `workers[1]: there are two with the ID "a"`},
		{`{"workers": [{"id": "a"}]}`, "workers[0]: "},
		{`{"workers": [null]}`, "workers[0]: "},
		{`{"cache": [{"ID": "a"}, {"ID": "b", "Size": "x"}]}`, "cache[1]: "},
		{`{"cache": [{"ID": "b", "Parents": ["a"]}]}`, `cache: record "b": there is no record "a"`},
		{`{"builds": [{}]}`, "builds[0]: its record has no Ref"},
		{`{"builds": [{"record": {"Ref": 1}}]}`, "builds[0].record: "},
		{`{"builds": [{"record": {"Ref": "a"}}, {"record": {"Ref": "a"}}]}`,
			`builds[1]: there are two with the Ref "a"`},
		{`{"builds": [{"record": {"Ref": "a"}, "steps": [{"name": ""}]}]}`, "builds[0]: step 1 has no name"},
		{`{"builds": [{"record": {"Ref": "a"}, "steps": [{"nam": ""}]}]}`, `unknown field "nam"`},
		{`{"builds": [{"record": {"Ref": "a"}, "startAfter": "-1s"}]}`, "the duration -1s is negative"},
		{`{"workers": [{}], "cache": [{}]}`, "workers[0] has no ID\ncache: record 1"},
	} {
		_, err := description.Load(strings.NewReader(test.text))
		if err == nil {
			t.Errorf("%s: no error, want %s", test.text, test.want)
		} else if !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v\nwant %s", test.text, err, test.want)
		}
	}
}

func FuzzLoad(f *testing.F) {
	f.Add(`{"workers": [{"ID": "a"}], "cache": [{"ID": "a", "Parents": ["a"]}], "builds": [{"record": {"Ref": "a"}}]}`)
	f.Add(`{"builds": [{"record": {"Ref": "a"}, "steps": [{"name": "x", "took": "1s", "log": "a\nb"}],
		"startAfter": "1s"}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		if d, err := description.Load(strings.NewReader(text)); err == nil && d.Cache == nil {
			t.Error("no cache")
		}
	})
}
