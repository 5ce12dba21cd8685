//go:build unix

package rkt

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/skaffoldgen/protoc-gen-skaffold/testdata/clients/rkt/api/v1alpha"
)

const (
	podWeb  = "6e5c9d40-2f2a-4c1f-9d53-0a6a3f7a1b01"
	podJob  = "b3a0f0a7-94f5-4c0e-8a2d-5f5c3c1d2e02"
	podNext = "0d9b6a52-7c18-4f57-8d0f-2f9f7f6a3c03"
)

// machine describes two running pods, and one that has exited; and images of
// two vendors. The app web has a log of so many lines, the first of them from
// long ago and the others from just now.
func machine(lines int, webState string) string {
	now := time.Now().Truncate(time.Second)
	var log []string
	for i := range lines {
		at := now
		if i == 0 {
			at = now.Add(-time.Hour)
		}
		log = append(log, fmt.Sprintf(`{"time": %q, "line": "line %d"}`, at.Format(time.RFC3339), i))
	}
	return fmt.Sprintf(`{
		"pods": [
			{"id": %q, "state": "POD_STATE_RUNNING", "pid": 42, "manifest": {"acKind": "PodManifest"}, "apps": [
				{"name": "web", "image": {"id": "sha512-1"}, "state": %q},
				{"name": "side", "image": {"id": "sha512-2"}}]},
			{"id": %q, "state": "POD_STATE_EXITED", "apps": [{"name": "job", "image": {"id": "sha512-1"}}]},
			{"id": %q, "state": "POD_STATE_RUNNING", "manifest": {"acKind": "PodManifest"}, "apps": [
				{"name": "next", "image": {"id": "sha512-2"}}]}],
		"images": [
			{"id": "sha512-1", "name": "coreos.com/etcd", "manifest": {"acKind": "ImageManifest"}},
			{"id": "sha512-2", "name": "quay.io/coreos.com"},
			{"id": "sha512-3", "name": "coreos.com/flannel", "manifest": {"acKind": "ImageManifest"}}],
		"logs": {%q: {"web": [%s]}, %q: {"next": []}}}`,
		podWeb, webState, podJob, podNext, podWeb, strings.Join(log, ","), podNext)
}

// runningPods is the first call of rkt's example client.
func runningPods(t *testing.T, s *server) []*v1alpha.Pod {
	t.Helper()
	res, err := s.ListPods(limited(t), &v1alpha.ListPodsRequest{
		Detail:  true,
		Filters: []*v1alpha.PodFilter{{States: []v1alpha.PodState{v1alpha.PodState_POD_STATE_RUNNING}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return res.GetPods()
}

func TestExampleListsRunningPods(t *testing.T) {
	s := start(t, machine(1, "APP_STATE_RUNNING"))
	var ids []string
	for _, pod := range runningPods(t, s) {
		ids = append(ids, pod.GetId())
		if string(pod.GetManifest()) != `{"acKind":"PodManifest"}` || len(pod.GetApps()) == 0 {
			t.Errorf("pod without its details: %v", pod)
		}
	}
	if !slices.Equal(ids, []string{podWeb, podNext}) {
		t.Errorf("pods %v", ids)
	}
}

// Without follow, the example asks for the last 10 lines of the last 5 seconds;
// here it is of the last minutes, because machines may be slow.
func TestExampleGetsLogs(t *testing.T) {
	s := start(t, machine(15, "APP_STATE_RUNNING"))
	want := map[string]string{
		"web":  "line 5,line 6,line 7,line 8,line 9,line 10,line 11,line 12,line 13,line 14",
		"next": "",
	}
	for _, pod := range runningPods(t, s) {
		app := pod.GetApps()[0].GetName()
		for _, sinceAndLines := range []bool{true, false} {
			req := &v1alpha.GetLogsRequest{PodId: pod.GetId(), AppName: app}
			lines := 15
			if sinceAndLines {
				req.SinceTime, req.Lines, lines = time.Now().Add(-10*time.Minute).Unix(), 10, 10
			}
			stream, err := s.GetLogs(limited(t), req)
			if err != nil {
				t.Fatal(err)
			}
			res, err := stream.Recv()
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(res.GetLines(), ","); sinceAndLines && got != want[app] {
				t.Errorf("logs of %s: %s", app, got)
			} else if app == "web" && len(res.GetLines()) != lines {
				t.Errorf("logs of %s: %d lines, want %d", app, len(res.GetLines()), lines)
			}
			if _, err := stream.Recv(); !errors.Is(err, io.EOF) {
				t.Errorf("after the one response: %v, want the end", err)
			}
		}
	}
}

// With follow, the example reads until the stream ends.
func TestExampleFollowsLogs(t *testing.T) {
	first := machine(2, "APP_STATE_RUNNING")
	s := start(t, first)
	apps := runningPods(t, s)[0].GetApps()
	req := &v1alpha.GetLogsRequest{PodId: podWeb, AppName: apps[0].GetName(), Follow: true}
	stream, err := s.GetLogs(limited(t), req)
	if err != nil {
		t.Fatal(err)
	}
	want := func(lines string) {
		t.Helper()
		res, err := stream.Recv()
		if got := strings.Join(res.GetLines(), ","); err != nil || got != lines {
			t.Fatalf("got %q, %v; want %q", got, err, lines)
		}
	}
	want("line 0,line 1")
	more := func(description, line string) string {
		at := time.Now().Add(time.Minute).Format(time.RFC3339)
		added := fmt.Sprintf(`"line 1"}, {"time": %q, "line": %q}`, at, line)
		return strings.Replace(description, `"line 1"}`, added, 1)
	}
	second := more(first, "more")
	s.load(second)
	want("more")
	s.load(strings.Replace(second, "APP_STATE_RUNNING", "APP_STATE_EXITED", 1))
	if _, err := stream.Recv(); !errors.Is(err, io.EOF) {
		t.Errorf("after the app's exit: %v, want the end", err)
	}
}

// A pod and an app without logs are told apart from empty logs.
func TestNoLogs(t *testing.T) {
	s := start(t, machine(1, "APP_STATE_RUNNING"))
	for _, req := range []*v1alpha.GetLogsRequest{{PodId: podJob}, {PodId: podWeb, AppName: "side"}} {
		stream, err := s.GetLogs(limited(t), req)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := stream.Recv(); status.Code(err) != codes.FailedPrecondition {
			t.Errorf("GetLogs(%v): %v", req, err)
		}
	}
}

func TestExampleListsImagesByPrefix(t *testing.T) {
	s := start(t, machine(1, "APP_STATE_RUNNING"))
	res, err := s.ListImages(limited(t), &v1alpha.ListImagesRequest{
		Detail:  true,
		Filters: []*v1alpha.ImageFilter{{Prefixes: []string{"coreos.com"}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, image := range res.GetImages() {
		names = append(names, image.GetName())
		if len(image.GetManifest()) == 0 {
			t.Errorf("image without its details: %v", image)
		}
	}
	if !slices.Equal(names, []string{"coreos.com/etcd", "coreos.com/flannel"}) {
		t.Errorf("images %v", names)
	}
}

func TestInspect(t *testing.T) {
	s := start(t, machine(1, "APP_STATE_RUNNING"))
	pod, err := s.InspectPod(limited(t), &v1alpha.InspectPodRequest{Id: podWeb})
	if err != nil {
		t.Fatal(err)
	}
	app := pod.GetPod().GetApps()[0]
	if pod.GetPod().GetPid() != 42 || app.GetState() != v1alpha.AppState_APP_STATE_RUNNING || app.GetExitCode() != -1 ||
		app.GetImage().GetName() != "coreos.com/etcd" {
		t.Errorf("pod %v", pod)
	}
	_, err = s.InspectPod(limited(t), &v1alpha.InspectPodRequest{Id: "x"})
	if status.Code(err) != codes.InvalidArgument {
		t.Errorf("malformed id: %v", err)
	}
	_, err = s.InspectImage(limited(t), &v1alpha.InspectImageRequest{Id: "sha512-9"})
	if status.Code(err) != codes.NotFound {
		t.Errorf("unknown image: %v", err)
	}
}
