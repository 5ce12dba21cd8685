//go:build unix

package rkt

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/skaffoldgen/protoc-gen-skaffold/testdata/clients/rkt/api/v1alpha"
)

// filtered describes pods and images that each rule below tells apart.
const filtered = `{
	"pods": [
		{"id": "` + podWeb + `", "state": "POD_STATE_RUNNING", "cgroup": "/machine.slice/web",
			"apps": [{"name": "nginx", "image": {"id": "sha512-1"}}, {"name": "etcd", "image": {"id": "sha512-2"}}],
			"networks": [{"name": "default"}, {"name": "backend"}],
			"annotations": [{"Key": "owner", "value": "ops"}, {"Key": "tier", "value": "front"}]},
		{"id": "` + podJob + `", "state": "POD_STATE_RUNNING", "cgroup": "/system.slice/job",
			"apps": [{"name": "etcd", "image": {"id": "sha512-2"}}],
			"networks": [{"name": "default"}],
			"annotations": [{"Key": "owner", "value": "ops"}]},
		{"id": "` + podNext + `", "state": "POD_STATE_EXITED", "apps": [{"name": "job", "image": {"id": "sha512-3"}}]}],
	"images": [
		{"id": "sha512-1", "name": "coreos.com/etcd", "importTimestamp": "200",
			"labels": [{"Key": "os", "value": "linux"}, {"Key": "arch", "value": "amd64"}],
			"annotations": [{"Key": "license", "value": "Apache"}, {"Key": "homepage", "value": "x"}]},
		{"id": "sha512-2", "name": "k8s.io/etcd-backup", "importTimestamp": "100",
			"labels": [{"Key": "os", "value": "linux"}],
			"annotations": [{"Key": "license", "value": "Apache"}]},
		{"id": "sha512-3", "name": "nginx", "importTimestamp": "300"}]}`

func pairs(keysAndValues ...string) []*v1alpha.KeyValue {
	var kvs []*v1alpha.KeyValue
	for i := 0; i < len(keysAndValues); i += 2 {
		kvs = append(kvs, &v1alpha.KeyValue{Key: keysAndValues[i], Value: keysAndValues[i+1]})
	}
	return kvs
}

func TestPodFilter(t *testing.T) {
	s := start(t, filtered)
	names := map[string]string{podWeb: "web", podJob: "job", podNext: "next"}
	for name, test := range map[string]struct {
		filters []*v1alpha.PodFilter
		want    string
	}{
		"none":  {nil, "web job next"},
		"empty": {[]*v1alpha.PodFilter{{}}, "web job next"},
		"ids":   {[]*v1alpha.PodFilter{{Ids: []string{podWeb, podNext}}}, "web next"},
		"states": {
			[]*v1alpha.PodFilter{{States: []v1alpha.PodState{v1alpha.PodState_POD_STATE_EXITED}}},
			"next",
		},
		"app_names":       {[]*v1alpha.PodFilter{{AppNames: []string{"etcd", "nginx"}}}, "web"},
		"image_ids":       {[]*v1alpha.PodFilter{{ImageIds: []string{"sha512-1", "sha512-2"}}}, "web"},
		"network_names":   {[]*v1alpha.PodFilter{{NetworkNames: []string{"default", "backend"}}}, "web"},
		"annotations":     {[]*v1alpha.PodFilter{{Annotations: pairs("owner", "ops", "tier", "front")}}, "web"},
		"cgroups":         {[]*v1alpha.PodFilter{{Cgroups: []string{"/machine.slice/web", "/x"}}}, "web"},
		"pod_sub_cgroups": {[]*v1alpha.PodFilter{{PodSubCgroups: []string{"/machine.slice/web/nginx", "/x"}}}, "web"},
		"AND": {
			[]*v1alpha.PodFilter{{AppNames: []string{"etcd"}, Cgroups: []string{"/system.slice/job"}}},
			"job",
		},
		"OR": {[]*v1alpha.PodFilter{{Ids: []string{podNext}}, {AppNames: []string{"nginx"}}}, "web next"},
	} {
		t.Run(name, func(t *testing.T) {
			res, err := s.ListPods(limited(t), &v1alpha.ListPodsRequest{Filters: test.filters})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, pod := range res.GetPods() {
				got = append(got, names[pod.GetId()])
			}
			if strings.Join(got, " ") != test.want {
				t.Errorf("pods %v, want %v", got, test.want)
			}
		})
	}
}

func TestImageFilter(t *testing.T) {
	s := start(t, filtered)
	for name, test := range map[string]struct {
		filters []*v1alpha.ImageFilter
		want    string
	}{
		"none":            {nil, "1 2 3"},
		"empty":           {[]*v1alpha.ImageFilter{{}}, "1 2 3"},
		"ids":             {[]*v1alpha.ImageFilter{{Ids: []string{"sha512-2", "sha512-9"}}}, "2"},
		"prefixes":        {[]*v1alpha.ImageFilter{{Prefixes: []string{"coreos.com", "ng"}}}, "1 3"},
		"base_names":      {[]*v1alpha.ImageFilter{{BaseNames: []string{"etcd", "nginx"}}}, "1 3"},
		"keywords":        {[]*v1alpha.ImageFilter{{Keywords: []string{"etcd", "zzz"}}}, "1 2"},
		"labels":          {[]*v1alpha.ImageFilter{{Labels: pairs("os", "linux", "arch", "amd64")}}, "1"},
		"imported_after":  {[]*v1alpha.ImageFilter{{ImportedAfter: 200}}, "3"},
		"imported_before": {[]*v1alpha.ImageFilter{{ImportedBefore: 200}}, "2"},
		"annotations":     {[]*v1alpha.ImageFilter{{Annotations: pairs("license", "Apache", "homepage", "x")}}, "1"},
		"full_names":      {[]*v1alpha.ImageFilter{{FullNames: []string{"nginx", "etcd"}}}, "3"},
		"AND":             {[]*v1alpha.ImageFilter{{Keywords: []string{"etcd"}, ImportedBefore: 200}}, "2"},
		"OR":              {[]*v1alpha.ImageFilter{{Ids: []string{"sha512-3"}}, {Prefixes: []string{"k8s.io"}}}, "2 3"},
	} {
		t.Run(name, func(t *testing.T) {
			res, err := s.ListImages(limited(t), &v1alpha.ListImagesRequest{Filters: test.filters})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, image := range res.GetImages() {
				got = append(got, strings.TrimPrefix(image.GetId(), "sha512-"))
			}
			if strings.Join(got, " ") != test.want {
				t.Errorf("images %v, want %v", got, test.want)
			}
		})
	}
}

// listen returns when the server has accepted the request.
func (s *server) listen(f *v1alpha.EventFilter) grpc.ServerStreamingClient[v1alpha.ListenEventsResponse] {
	s.t.Helper()
	stream, err := s.ListenEvents(limited(s.t), &v1alpha.ListenEventsRequest{Filter: f})
	if err != nil {
		s.t.Fatal(err)
	}
	if _, err := stream.Header(); err != nil {
		s.t.Fatal(err)
	}
	return stream
}

// drain reads events in short, to the end of a stream.
func drain(stream grpc.ServerStreamingClient[v1alpha.ListenEventsResponse]) (string, error) {
	var events []string
	for {
		res, err := stream.Recv()
		if err != nil {
			return strings.Join(events, ", "), err
		}
		for _, e := range res.GetEvents() {
			events = append(events, strings.TrimPrefix(e.GetType().String(), "EVENT_TYPE_")+" "+e.GetFrom())
		}
	}
}

func TestEventFilter(t *testing.T) {
	pod := func(state string) string {
		return fmt.Sprintf(`{"images": [{"id": "sha512-1", "name": "coreos.com/etcd"}], "pods": [
			{"id": %q, "state": "POD_STATE_%s", "apps": [{"name": "etcd", "image": {"id": "sha512-1"}}]}]}`,
			podWeb, state)
	}
	const all = "IMAGE_IMPORTED coreos.com/etcd, POD_PREPARED " + podWeb + ", POD_STARTED " + podWeb +
		", APP_STARTED etcd, APP_EXITED etcd, POD_EXITED " + podWeb + ", POD_GARBAGE_COLLECTED " + podWeb +
		", IMAGE_REMOVED coreos.com/etcd"
	now := time.Now().Unix()
	tests := map[string]struct {
		filter *v1alpha.EventFilter
		want   string
	}{
		"none":  {nil, all},
		"empty": {&v1alpha.EventFilter{}, all},
		"types": {&v1alpha.EventFilter{Types: []v1alpha.EventType{
			v1alpha.EventType_EVENT_TYPE_APP_STARTED, v1alpha.EventType_EVENT_TYPE_IMAGE_REMOVED,
		}}, "APP_STARTED etcd, IMAGE_REMOVED coreos.com/etcd"},
		"ids": {
			&v1alpha.EventFilter{Ids: []string{"sha512-1", "x"}},
			"IMAGE_IMPORTED coreos.com/etcd, IMAGE_REMOVED coreos.com/etcd",
		},
		"names":             {&v1alpha.EventFilter{Names: []string{"etcd", "x"}}, "APP_STARTED etcd, APP_EXITED etcd"},
		"since_time":        {&v1alpha.EventFilter{SinceTime: now - 1}, all},
		"since_time, ahead": {&v1alpha.EventFilter{SinceTime: now + 3600}, ""},
		"until_time":        {&v1alpha.EventFilter{UntilTime: now + 3600}, all},
		"until_time, past":  {&v1alpha.EventFilter{UntilTime: now - 1}, ""},
		"AND": {&v1alpha.EventFilter{
			Types: []v1alpha.EventType{
				v1alpha.EventType_EVENT_TYPE_APP_EXITED, v1alpha.EventType_EVENT_TYPE_POD_EXITED,
			},
			Ids: []string{podWeb}, Names: []string{"etcd"}, SinceTime: now - 1, UntilTime: now + 3600,
		}, "APP_EXITED etcd"},
	}
	s := start(t, `{}`)
	streams := map[string]grpc.ServerStreamingClient[v1alpha.ListenEventsResponse]{}
	for name, test := range tests {
		streams[name] = s.listen(test.filter)
	}
	for _, state := range []string{"PREPARED", "RUNNING", "EXITED"} {
		s.load(pod(state))
	}
	s.load(`{}`)
	streams["late"] = s.listen(nil)
	tests["late"] = tests["none"]
	s.terminate()
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := drain(streams[name])
			if got != test.want {
				t.Errorf("events %q, want %q", got, test.want)
			}
			if test.filter.GetUntilTime() == now-1 {
				if !errors.Is(err, io.EOF) {
					t.Errorf("ended with %v, want the end", err)
				}
			} else if status.Code(err) != codes.Unavailable {
				t.Errorf("ended with %v, want that the server shuts down", err)
			}
		})
	}
}

// A stream until a moment that comes ends then, without anybody's doing.
func TestEventsUntilSoon(t *testing.T) {
	s := start(t, `{}`)
	stream := s.listen(&v1alpha.EventFilter{UntilTime: time.Now().Unix() + 2})
	if got, err := drain(stream); got != "" || !errors.Is(err, io.EOF) {
		t.Errorf("events %q, %v; want none, and the end", got, err)
	}
}
