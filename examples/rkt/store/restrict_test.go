package store

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/testing/protocmp"

	pb "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/rkt/v1alpha"
)

// The same description in each state: what is shown of it is what the comments
// of the message Pod say.
func TestPodByState(t *testing.T) {
	const full = `"pid": 7, "cgroup": "/c", "createdAt": 1, "startedAt": 2, "gcMarkedAt": 3, "manifest": {"a": 1},
		"networks": [{"name": "n"}], "annotations": [{"Key": "k", "value": "v"}],
		"apps": [{"name": "web", "image": {"id": "i"}, "exitCode": 4}]`
	const neverRan = `"createdAt": 1, "manifest": {"a": 1},
		"apps": [{"name": "web", "image": {"id": "i"}, "exitCode": 4}]`
	apps := func(state string, code int) string {
		return fmt.Sprintf(`apps {name: "web" image {id: "i"} state: APP_STATE_%s exit_code: %d}`, state, code)
	}
	const common = ` created_at: 1 manifest: "{\"a\":1}" annotations {Key: "k" value: "v"} `
	for _, test := range []struct{ state, description, want string }{
		{"EMBRYO", full, `pid: -1`},
		{"PREPARING", full, `pid: -1`},
		{"ABORTED_PREPARE", full, `pid: -1`},
		{"PREPARED", full, `pid: -1` + common + apps("UNDEFINED", -1)},
		{"RUNNING", full, `pid: 7 started_at: 2 cgroup: "/c" networks {name: "n"}` + common + apps("RUNNING", -1)},
		{"EXITED", full, `pid: 7 started_at: 2` + common + apps("EXITED", 4)},
		{"DELETING", full, `pid: 7 started_at: 2 gc_marked_at: 3` + common + apps("EXITED", 4)},
		{"GARBAGE", full, `pid: 7 started_at: 2 gc_marked_at: 3` + common + apps("EXITED", 4)},
		{"GARBAGE", neverRan, `pid: -1 created_at: 1 manifest: "{\"a\":1}"` + apps("UNDEFINED", -1)},
		{"RUNNING", `"apps": [{"name": "web", "image": {"id": "i"}}]`, `pid: -1 ` + apps("RUNNING", -1)},
		{"EXITED", `"apps": [{"name": "web", "image": {"id": "i"}}]`, `pid: -1 ` + apps("EXITED", -1)},
		{"EXITED", `"apps": [{"name": "web", "image": {"id": "i"}, "exit_code": 0}]`, `pid: -1 ` + apps("EXITED", 0)},
		{"RUNNING", `"apps": [{"name": "web", "image": {"id": "i"}, "state": "APP_STATE_EXITED", "exitCode": 2}]`,
			`pid: -1 ` + apps("EXITED", 2)},
	} {
		t.Run(test.state, func(t *testing.T) {
			description := `{"pods": [{"id": %q, "state": "POD_STATE_%s", %s}]}`
			d := mustParse(t, fmt.Sprintf(description, podA, test.state, test.description))
			want := &pb.Pod{}
			text := fmt.Sprintf("id: %q state: POD_STATE_%s %s", podA, test.state, test.want)
			if err := prototext.Unmarshal([]byte(text), want); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, d.Pods[0], protocmp.Transform()); diff != "" {
				t.Errorf("pod (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAppImages(t *testing.T) {
	d := mustParse(t, fmt.Sprintf(`{
		"images": [{"id": "i", "name": "coreos.com/etcd", "version": "2.3", "baseFormat": {"type": 2, "version": "1"}}],
		"pods": [{"id": %q, "state": 4, "apps": [
			{"name": "a", "image": {"id": "i"}},
			{"name": "b", "image": {"id": "i", "name": "other"}},
			{"name": "c", "image": {"id": "unknown"}}]}]}`, podA))
	format := &pb.ImageFormat{Type: pb.ImageType_IMAGE_TYPE_DOCKER, Version: "1"}
	for i, want := range []*pb.Image{
		{Id: "i", Name: "coreos.com/etcd", Version: "2.3", BaseFormat: format},
		{Id: "i", Name: "other", BaseFormat: format},
		{Id: "unknown"},
	} {
		if diff := cmp.Diff(want, d.Pods[0].GetApps()[i].GetImage(), protocmp.Transform()); diff != "" {
			t.Errorf("image of app %d (-want +got):\n%s", i, diff)
		}
	}
}
