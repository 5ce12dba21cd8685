package main

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"

	pb "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/rkt/v1alpha"

	"github.com/skaffoldgen/protoc-gen-skaffold/examples/rkt/store"
)

// parse makes a message of its text format.
func parse[M proto.Message](t *testing.T, m M, text string) M {
	t.Helper()
	if err := prototext.Unmarshal([]byte(text), m); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return m
}

const (
	podWeb  = "6e5c9d40-2f2a-4c1f-9d53-0a6a3f7a1b01"
	podJob  = "b3a0f0a7-94f5-4c0e-8a2d-5f5c3c1d2e02"
	podNext = "0d9b6a52-7c18-4f57-8d0f-2f9f7f6a3c03"
)

// Web runs in two networks, job has exited, next is prepared.
func filteredPods(t *testing.T) []*pb.Pod {
	return parse(t, &pb.ListPodsResponse{}, `
		pods {
			id: "`+podWeb+`" state: POD_STATE_RUNNING cgroup: "/machine.slice/web.scope"
			apps { name: "nginx" image { id: "sha512-1" } }
			apps { name: "etcd" image { id: "sha512-2" } }
			networks { name: "default" } networks { name: "backend" }
			annotations { Key: "owner" value: "ops" } annotations { Key: "tier" value: "front" }
		}
		pods {
			id: "`+podJob+`" state: POD_STATE_EXITED
			apps { name: "etcd" image { id: "sha512-2" } }
			annotations { Key: "owner" value: "dev" }
		}
		pods {
			id: "`+podNext+`" state: POD_STATE_PREPARED
			apps { name: "nginx" image { id: "sha512-1" } }
			annotations { Key: "owner" value: "ops" }
		}`).GetPods()
}

// everyRule has all rules of a PodFilter, which web satisfies; the value of the
// last is missing.
const everyRule = `
	ids: "` + podWeb + `" states: POD_STATE_RUNNING app_names: "etcd" image_ids: "sha512-2"
	network_names: "default" annotations { Key: "tier" value: "front" }
	cgroups: "/machine.slice/web.scope" pod_sub_cgroups: `

func TestPodFilters(t *testing.T) {
	for name, test := range map[string]struct {
		filters string // of a ListPodsRequest
		want    string // of web, job and next
	}{
		"no filter":            {``, "web job next"},
		"filter without rules": {`filters {}`, "web job next"},
		"id":                   {`filters { ids: "` + podJob + `" }`, "job"},
		"any of the ids":       {`filters { ids: ["` + podWeb + `", "` + podNext + `"] }`, "web next"},
		"id in upper case":     {`filters { ids: "` + strings.ToUpper(podJob) + `" }`, "job"},
		"id without dashes":    {`filters { ids: "` + strings.ReplaceAll(podJob, "-", "") + `" }`, "job"},
		"unknown id":           {`filters { ids: "c71f7f0e-5b0b-4c57-9d36-8b1a5d4e4d04" }`, ""},
		"beginning of an id":   {`filters { ids: "6e5c9d40" }`, ""},
		"empty id":             {`filters { ids: "" }`, ""},
		"state":                {`filters { states: POD_STATE_RUNNING }`, "web"},
		"any of the states":    {`filters { states: [POD_STATE_EXITED, POD_STATE_PREPARED] }`, "job next"},
		"state of none":        {`filters { states: POD_STATE_GARBAGE }`, ""},
		"unknown state":        {`filters { states: 99 }`, ""},
		"app name":             {`filters { app_names: "etcd" }`, "web job"},
		"all of the app names": {`filters { app_names: ["etcd", "nginx"] }`, "web"},
		"app name of none":     {`filters { app_names: ["etcd", "redis"] }`, ""},
		"image id":             {`filters { image_ids: "sha512-1" }`, "web next"},
		"all of the image ids": {`filters { image_ids: ["sha512-1", "sha512-2"] }`, "web"},
		"image id of none":     {`filters { image_ids: "sha512" }`, ""},
		"network":              {`filters { network_names: "backend" }`, "web"},
		"all of the networks":  {`filters { network_names: ["backend", "default"] }`, "web"},
		"a network too many":   {`filters { network_names: ["backend", "frontend"] }`, ""},
		"annotation":           {`filters { annotations { Key: "owner" value: "ops" } }`, "web next"},
		"all of the annotations": {
			`filters { annotations { Key: "owner" value: "ops" } annotations { Key: "tier" value: "front" } }`,
			"web",
		},
		"other value":              {`filters { annotations { Key: "owner" value: "op" } }`, ""},
		"key alone":                {`filters { annotations { Key: "owner" } }`, ""},
		"cgroup":                   {`filters { cgroups: "/machine.slice/web.scope" }`, "web"},
		"any of the cgroups":       {`filters { cgroups: ["/system.slice", "/machine.slice/web.scope"] }`, "web"},
		"beginning of a cgroup":    {`filters { cgroups: "/machine.slice" }`, ""},
		"sub-cgroup":               {`filters { pod_sub_cgroups: "/machine.slice/web.scope/nginx.service" }`, "web"},
		"the cgroup as sub-cgroup": {`filters { pod_sub_cgroups: "/machine.slice/web.scope" }`, "web"},
		"any of the sub-cgroups":   {`filters { pod_sub_cgroups: ["/x", "/machine.slice/web.scope/a"] }`, "web"},
		"above the cgroup":         {`filters { pod_sub_cgroups: "/machine.slice" }`, ""},
		"beside the cgroup":        {`filters { pod_sub_cgroups: "/machine.slice/db.scope/a" }`, ""},
		"AND of rules":             {`filters { app_names: "nginx" states: POD_STATE_PREPARED }`, "next"},
		"AND of rules of others":   {`filters { app_names: "nginx" states: POD_STATE_EXITED }`, ""},
		"OR of filters": {
			`filters { states: POD_STATE_EXITED } filters { network_names: "default" }`,
			"web job",
		},
		"OR, one for all":  {`filters { states: POD_STATE_EXITED } filters {}`, "web job next"},
		"OR, one for none": {`filters { states: POD_STATE_EXITED } filters { app_names: "redis" }`, "job"},
		"all rules of one filter": {
			`filters { ` + everyRule + `"/machine.slice/web.scope/x" }`,
			"web",
		},
		"all rules but the last": {
			`filters { ` + everyRule + `"/x" }`,
			"",
		},
		"same annotation, twice": {
			`filters { annotations { Key: "owner" value: "ops" } annotations { Key: "owner" value: "dev" } }`,
			"",
		},
		"empty pair of annotations": {`filters { annotations {} }`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			names := map[string]string{podWeb: "web", podJob: "job", podNext: "next"}
			filters := parse(t, &pb.ListPodsRequest{}, test.filters).GetFilters()
			var got []string
			for _, pod := range filteredPods(t) {
				if matchPod(pod, filters) {
					got = append(got, names[pod.GetId()])
				}
			}
			if diff := cmp.Diff(test.want, strings.Join(got, " ")); diff != "" {
				t.Errorf("pods (-want +got):\n%s", diff)
			}
		})
	}
}

func filteredImages(t *testing.T) []*pb.Image {
	return parse(t, &pb.ListImagesResponse{}, `
		images {
			id: "a" name: "coreos.com/etcd" import_timestamp: 100
			labels { Key: "os" value: "linux" } labels { Key: "arch" value: "amd64" }
			annotations { Key: "homepage" value: "x" } annotations { Key: "license" value: "y" }
		}
		images { id: "b" name: "k8s.io/etcd" import_timestamp: 200 labels { Key: "os" value: "linux" } }
		images { id: "c" name: "k8s.io/etcd-backup" import_timestamp: 300 annotations { Key: "license" value: "y" } }
		images { id: "d" name: "nginx" import_timestamp: 400 }
		images { id: "e" }`).GetImages()
}

func TestImageFilters(t *testing.T) {
	for name, test := range map[string]struct{ filters, want string }{
		"no filter":            {``, "abcde"},
		"filter without rules": {`filters {}`, "abcde"},
		"id":                   {`filters { ids: "b" }`, "b"},
		"any of the ids":       {`filters { ids: ["b", "d"] }`, "bd"},
		"unknown id":           {`filters { ids: "z" }`, ""},
		"prefix":               {`filters { prefixes: "coreos.com" }`, "a"},
		"any of the prefixes":  {`filters { prefixes: ["coreos.com", "ngi"] }`, "ad"},
		"prefix of none":       {`filters { prefixes: "etcd" }`, ""},
		"base name":            {`filters { base_names: "etcd" }`, "ab"},
		"any base name":        {`filters { base_names: ["etcd-backup", "nginx"] }`, "cd"},
		"base name of none":    {`filters { base_names: "k8s.io/etcd" }`, ""},
		"keyword":              {`filters { keywords: "etcd" }`, "abc"},
		"any of the keywords":  {`filters { keywords: ["backup", "nginx"] }`, "cd"},
		"keyword of none":      {`filters { keywords: "redis" }`, ""},
		"label":                {`filters { labels { Key: "os" value: "linux" } }`, "ab"},
		"all of the labels": {
			`filters { labels { Key: "os" value: "linux" } labels { Key: "arch" value: "amd64" } }`,
			"a",
		},
		"other label":         {`filters { labels { Key: "os" value: "plan9" } }`, ""},
		"imported after":      {`filters { imported_after: 200 }`, "cd"},
		"imported after all":  {`filters { imported_after: 9223372036854775807 }`, ""},
		"imported before":     {`filters { imported_before: 200 }`, "ae"},
		"imported before all": {`filters { imported_before: -9223372036854775808 }`, ""},
		"imported between":    {`filters { imported_after: 100 imported_before: 400 }`, "bc"},
		"annotation":          {`filters { annotations { Key: "license" value: "y" } }`, "ac"},
		"all annotations": {
			`filters { annotations { Key: "license" value: "y" } annotations { Key: "homepage" value: "x" } }`,
			"a",
		},
		"other annotation":    {`filters { annotations { Key: "license" value: "z" } }`, ""},
		"full name":           {`filters { full_names: "k8s.io/etcd" }`, "b"},
		"any of full names":   {`filters { full_names: ["k8s.io/etcd", "nginx"] }`, "bd"},
		"part of a full name": {`filters { full_names: "etcd" }`, ""},
		"AND of rules":        {`filters { base_names: "etcd" imported_after: 100 }`, "b"},
		"AND of others":       {`filters { base_names: "nginx" prefixes: "coreos.com" }`, ""},
		"OR of filters":       {`filters { base_names: "nginx" } filters { prefixes: "coreos.com" }`, "ad"},
		"OR, one for none":    {`filters { base_names: "nginx" } filters { ids: "z" }`, "d"},
	} {
		t.Run(name, func(t *testing.T) {
			filters := parse(t, &pb.ListImagesRequest{}, test.filters).GetFilters()
			got := ""
			for _, image := range filteredImages(t) {
				if matchImage(image, filters) {
					got += image.GetId()
				}
			}
			if got != test.want {
				t.Errorf("images %q, want %q", got, test.want)
			}
		})
	}
}

func TestEventFilter(t *testing.T) {
	// The event happened half a second after 1000.
	o := store.Occurrence{
		At:    time.Unix(1000, 5e8),
		Event: parse(t, &pb.Event{}, `type: EVENT_TYPE_APP_STARTED id: "`+podWeb+`" from: "etcd" time: 1000`),
	}
	for name, test := range map[string]struct {
		filter string
		want   bool
	}{
		"no rules":         {``, true},
		"type":             {`types: EVENT_TYPE_APP_STARTED`, true},
		"any of the types": {`types: [EVENT_TYPE_POD_STARTED, EVENT_TYPE_APP_STARTED]`, true},
		"other type":       {`types: EVENT_TYPE_APP_EXITED`, false},
		"unknown type":     {`types: 99`, false},
		"id":               {`ids: "` + podWeb + `"`, true},
		"any of the ids":   {`ids: ["` + podJob + `", "` + podWeb + `"]`, true},
		"other id":         {`ids: "` + podJob + `"`, false},
		"name":             {`names: "etcd"`, true},
		"any of the names": {`names: ["nginx", "etcd"]`, true},
		"other name":       {`names: "etc"`, false},
		"since":            {`since_time: 999`, true},
		"since its second": {`since_time: 1000`, true},
		"since later":      {`since_time: 1001`, false},
		"since ever":       {`since_time: -9223372036854775808`, true},
		"since never":      {`since_time: 9223372036854775807`, false},
		"until":            {`until_time: 1001`, true},
		"until its second": {`until_time: 1000`, false},
		"until never":      {`until_time: -9223372036854775808`, false},
		"until ever":       {`until_time: 9223372036854775807`, true},
		"AND of rules": {
			`types: EVENT_TYPE_APP_STARTED ids: "` + podWeb + `" names: "etcd" since_time: 1 until_time: 2000`,
			true,
		},
		"AND, one fails": {
			`types: EVENT_TYPE_APP_STARTED ids: "` + podWeb + `" names: "nginx" since_time: 1 until_time: 2000`,
			false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := matchEvent(o, parse(t, &pb.EventFilter{}, test.filter)); got != test.want {
				t.Errorf("match = %v, want %v", got, test.want)
			}
		})
	}
	if exact := time.Unix(1000, 0); (window{since: 1000}).contains(exact) {
		t.Error("what happened at the very moment is after it")
	}
}
