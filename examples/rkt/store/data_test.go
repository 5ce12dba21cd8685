package store

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"

	pb "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/rkt/v1alpha"
)

const (
	podA = "6e5c9d40-2f2a-4c1f-9d53-0a6a3f7a1b01"
	podB = "b3a0f0a7-94f5-4c0e-8a2d-5f5c3c1d2e02"
)

func mustParse(t *testing.T, text string) *Data {
	t.Helper()
	d, err := Parse([]byte(text))
	if err != nil {
		t.Fatalf("Parse: %v\n%s", err, text)
	}
	return d
}

func TestParseSample(t *testing.T) {
	text, err := os.ReadFile("../sample.json")
	if err != nil {
		t.Fatal(err)
	}
	d := mustParse(t, string(text))
	if len(d.Pods) != 4 || len(d.Images) != 3 || len(d.Logs) != 2 {
		t.Errorf("got %d pods, %d images, %d logs", len(d.Pods), len(d.Images), len(d.Logs))
	}
}

func TestParseEmpty(t *testing.T) {
	got := mustParse(t, `{}`)
	want := &pb.Info{
		RktVersion: "1.30.0", AppcVersion: "0.8.11", ApiVersion: "1.0.0-alpha",
		GlobalFlags: &pb.GlobalFlags{
			Dir: "/var/lib/rkt", SystemConfigDir: "/usr/lib/rkt", LocalConfigDir: "/etc/rkt", InsecureFlags: "none",
		},
	}
	if diff := cmp.Diff(want, got.Info, protocmp.Transform()); diff != "" {
		t.Errorf("info (-want +got):\n%s", diff)
	}
	if len(got.Pods)+len(got.Images)+len(got.Logs) != 0 {
		t.Errorf("got %+v of an empty description", got)
	}
}

func TestParseInfo(t *testing.T) {
	got := mustParse(t, `{"info": {
		"rktVersion": "1.29.0-rc1+git", "globalFlags": {"dir": "/tmp/rkt", "trustKeysFromHttps": true}}}`)
	want := &pb.Info{
		RktVersion: "1.29.0-rc1+git", AppcVersion: "0.8.11", ApiVersion: "1.0.0-alpha",
		GlobalFlags: &pb.GlobalFlags{Dir: "/tmp/rkt", TrustKeysFromHttps: true},
	}
	if diff := cmp.Diff(want, got.Info, protocmp.Transform()); diff != "" {
		t.Errorf("info (-want +got):\n%s", diff)
	}
}

// A manifest is written as an object or in base64, and both mean the same.
func TestParseManifests(t *testing.T) {
	got := mustParse(t, `{"images": [
		{"id": "a", "manifest": {"name": "x",  "labels": [1, 2]}},
		{"id": "b", "manifest": "eyJuYW1lIjoieCIsImxhYmVscyI6WzEsMl19"}]}`)
	for _, image := range got.Images {
		if want := `{"name":"x","labels":[1,2]}`; string(image.GetManifest()) != want {
			t.Errorf("manifest of %s = %s, want %s", image.GetId(), image.GetManifest(), want)
		}
		if f := image.GetBaseFormat(); f.GetType() != pb.ImageType_IMAGE_TYPE_APPC || f.GetVersion() != "0.8.11" {
			t.Errorf("base format of %s = %v, want appc's", image.GetId(), f)
		}
	}
}

func TestParseLogs(t *testing.T) {
	got := mustParse(t, fmt.Sprintf(`{
		"pods": [{"id": %q, "state": "POD_STATE_RUNNING", "apps": [
			{"name": "web", "image": {"id": "i"}}, {"name": "mute", "image": {"id": "i"}}]}],
		"logs": {%q: {"web": [{"time": "2016-04-01T12:00:00.5+02:00", "line": "hello"}], "mute": []}}}`,
		podA, strings.ToUpper(podA)))
	want := map[string]map[string][]Line{podA: {
		"web":  {{App: "web", Time: time.Date(2016, 4, 1, 10, 0, 0, 5e8, time.UTC), Text: "hello"}},
		"mute": {},
	}}
	if diff := cmp.Diff(want, got.Logs); diff != "" {
		t.Errorf("logs (-want +got):\n%s", diff)
	}
}

func TestParseErrors(t *testing.T) {
	app := `{"name": "web", "image": {"id": "i"}}`
	pod := func(fields string) string {
		return fmt.Sprintf(`{"pods": [{"id": %q, %s}]}`, podA, fields)
	}
	logs := func(id, byApp string) string {
		return fmt.Sprintf(`{"pods": [{"id": %q, "state": "POD_STATE_RUNNING", "apps": [%s]}], "logs": {%q: %s}}`,
			podA, app, id, byApp)
	}
	for name, test := range map[string]struct{ text, want string }{
		"no text":            {``, "line 1, column 1: the JSON text ends too early"},
		"cut off":            {`{"pods": [`, "line 1, column 11: the JSON text ends too early"},
		"not JSON":           {"{\n  pods}", "line 2, column 4: not valid JSON"},
		"array":              {`[]`, `line 1, column 2: "" is not what a description has there`},
		"more text":          {`{} {}`, "there is more text"},
		"unknown part":       {`{"pod": []}`, `unknown field "pod"`},
		"pods are an object": {`{"pods": {}}`, `"pods" is not what a description has there`},
		"version":            {`{"info": {"rktVersion": "new"}}`, `info: rktVersion: "new" is not a semantic version`},
		"appc version":       {`{"info": {"appcVersion": "1"}}`, `info: appcVersion: "1" is not a semantic version`},
		"API version": {
			`{"info": {"apiVersion": "2.0.0"}}`,
			"info: apiVersion: this server speaks 1.0.0-alpha alone",
		},
		"unknown field":     {`{"images": [{"id": "a"}, {"ident": "b"}]}`, `images[1]: unknown field "ident"`},
		"image is a string": {`{"images": ["a"]}`, "images[0]: not a JSON object"},
		"image without id":  {`{"images": [{"name": "a"}]}`, "images[0]: id: an image's id is missing"},
		"blank in image id": {`{"images": [{"id": "a b"}]}`, "blanks or unprintable"},
		"long image id": {
			`{"images": [{"id": "` + strings.Repeat("x", 257) + `"}]}`,
			"it has 257 bytes, more than 256",
		},
		"image twice":       {`{"images": [{"id": "a"}, {"id": "a"}]}`, `images[1]: id: another image has "a", too`},
		"image type":        {`{"images": [{"id": "a", "baseFormat": {"type": 9}}]}`, "there is no image type 9"},
		"image type's name": {`{"images": [{"id": "a", "baseFormat": {"type": "ZIP"}}]}`, "ZIP"},
		"size":              {`{"images": [{"id": "a", "size": -1}]}`, "size: -1 bytes"},
		"manifest": {
			`{"images": [{"id": "a", "manifest": "eA=="}]}`,
			"manifest: the base64 text does not stand for JSON",
		},
		"pod without id": {`{"pods": [{"state": 4}]}`, "pods[0]: id: a pod's id is missing"},
		"pod id": {
			`{"pods": [{"id": "web", "state": 4}]}`,
			`pods[0]: id: "web" is not a pod's id, which is a UUID`,
		},
		"pod twice": {
			`{"pods": [{"id": "` + podA + `", "state": 4}, {"id": "` + strings.ToUpper(podA) + `", "state": 4}]}`,
			"pods[1]: id: another pod has",
		},
		"no state":         {pod(`"pid": 1`), "pods[0]: state: POD_STATE_UNDEFINED is not a state"},
		"unknown state":    {pod(`"state": 99`), "pods[0]: state: 99 is not a state"},
		"pid":              {pod(`"state": 4, "pid": 99999999999`), "pods[0]: invalid value for sint32"},
		"app without name": {pod(`"state": 4, "apps": [{"image": {"id": "i"}}]`), "apps[0].name: an app needs one"},
		"app without image": {
			pod(`"state": 4, "apps": [{"name": "web"}]`),
			"apps[0].image.id: an app needs an image",
		},
		"null app": {pod(`"state": 4, "apps": [null]`), "pods[0]:"},
		"app twice": {
			pod(`"state": 4, "apps": [` + app + "," + app + `]`),
			`apps[1].name: another app of the pod is "web", too`,
		},
		"app state": {
			pod(`"state": 4, "apps": [{"name": "web", "image": {"id": "i"}, "state": 7}]`),
			"apps[0].state: there is no app state 7",
		},
		"network": {
			pod(`"state": 4, "networks": [{"ipv4": "10.0.0.1"}]`),
			"networks[0].name: a network needs one",
		},
		"log of what":       {logs("web", `{}`), "logs: \"web\" is not a pod's id"},
		"log of no pod":     {logs(podB, `{}`), "there has to be one pod with this id"},
		"log of no app":     {logs(podA, `{"db": []}`), `["db"]: the pod has no app of this name`},
		"line without time": {logs(podA, `{"web": [{"line": "x"}]}`), `["web"][0]: a line needs a time`},
		"time":              {logs(podA, `{"web": [{"time": "noon", "line": "x"}]}`), "noon"},
		"line out of order": {
			logs(podA, `{"web": [{"time": "2016-01-01T00:00:02Z"}, {"time": "2016-01-01T00:00:01Z"}]}`),
			"[1]: the line is older",
		},
		"line break": {
			logs(podA, `{"web": [{"time": "2016-01-01T00:00:02Z", "line": "a\nb"}]}`),
			"has a line break",
		},
		"unknown log field": {logs(podA, `{"web": [{"at": 1}]}`), `unknown field "at"`},
		"deeply nested": {
			`{"images": [{"manifest": ` + strings.Repeat(`{"a":`, 20_000) + "1" + strings.Repeat("}", 20_000) + `}]}`,
			"depth",
		},
		"too large": {strings.Repeat(" ", MaxDataSize+1), "at most"},
		"manifest, bad field": {
			`{"images": [{"id": "a", "manifest": {}, "sise": 1}]}`,
			`images[0]: unknown field "sise"`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse([]byte(test.text))
			if err == nil || !strings.Contains(plain(err), test.want) {
				t.Errorf("error %v, want one with %q", err, test.want)
			}
		})
	}
}

// plain is the text of an error without the different blanks that the protobuf
// library puts into some builds.
func plain(err error) string { return strings.ReplaceAll(err.Error(), "\u00a0", " ") }

func TestParsePodID(t *testing.T) {
	for _, id := range []string{podA, strings.ToUpper(podA), strings.ReplaceAll(podA, "-", "")} {
		if got, err := ParsePodID(id); err != nil || got != podA {
			t.Errorf("ParsePodID(%q) = %q, %v; want %q", id, got, err, podA)
		}
	}
	for _, id := range []string{
		"", "x", podA[:35], podA + "0", "\xff\xfe" + podA[2:], strings.Repeat("a", 1<<20),
		strings.Replace(podA, "6", "g", 1), strings.Replace(podA, "-", "0", 1),
		"6e5c9d402-f2a-4c1f-9d53-0a6a3f7a1b01", "../../../../../../etc/passwd/../../aa",
	} {
		got, err := ParsePodID(id)
		if err == nil {
			t.Errorf("ParsePodID(%.50q) = %q, want an error", id, got)
		} else if len(err.Error()) > 500 {
			t.Errorf("ParsePodID(%.50q): the error has %d bytes", id, len(err.Error()))
		}
	}
}

func FuzzParse(f *testing.F) {
	if text, err := os.ReadFile("../sample.json"); err != nil {
		f.Fatal(err)
	} else {
		f.Add(text)
	}
	f.Add([]byte(`{"pods":[{"id":"` + podA + `","state":7,"apps":[{"name":"a","image":{"id":"i"},"exit_code":3}]}],
		"logs":{"` + podA + `":{"a":[]}}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		d, err := Parse(text)
		if err != nil {
			return
		}
		if !json.Valid(text) {
			t.Error("Parse took what is not JSON")
		}
		s, err := New(d, time.Now)
		if err != nil {
			t.Fatalf("New: %v", err)
		}
		if n, err := s.Load(t.Context(), mustParse(t, string(text))); n != 0 || err != nil {
			t.Errorf("the same description again: %d events, error %v", n, err)
		}
		if _, err := s.Load(t.Context(), &Data{}); err != nil {
			t.Errorf("no description: %v", err)
		}
	})
}
