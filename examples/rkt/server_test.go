package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"
	"google.golang.org/protobuf/testing/protocmp"

	pb "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/rkt/v1alpha"
	kit "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/rkt/v1alpha/rktv1alphakit"

	"github.com/skaffoldgen/protoc-gen-skaffold/examples/rkt/store"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fakeClock is a clock that tests move.
type fakeClock struct {
	armed chan struct{} // gets a token for each timer

	mu     sync.Mutex
	now    time.Time
	timers []*fakeTimer
}

type fakeTimer struct {
	at time.Time
	f  func()
}

func newFakeClock(seconds int64) *fakeClock {
	return &fakeClock{now: time.Unix(seconds, 0), armed: make(chan struct{}, 100)}
}

func (c *fakeClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *fakeClock) AfterFunc(d time.Duration, f func()) func() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	timer := &fakeTimer{at: c.now.Add(d), f: f}
	c.timers = append(c.timers, timer)
	c.armed <- struct{}{}
	return func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		n := len(c.timers)
		c.timers = slices.DeleteFunc(c.timers, func(t *fakeTimer) bool { return t == timer })
		return len(c.timers) < n
	}
}

// set changes the time; timers are not called before ring.
func (c *fakeClock) set(seconds int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = time.Unix(seconds, 0)
}

// ring calls the timers that are due.
func (c *fakeClock) ring() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.timers = slices.DeleteFunc(c.timers, func(t *fakeTimer) bool {
		due := !t.at.After(c.now)
		if due {
			go t.f()
		}
		return due
	})
}

func (c *fakeClock) pending() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.timers)
}

// fixture is a server that listens in memory.
type fixture struct {
	pb.PublicAPIClient
	t      *testing.T
	server *Server
	store  *store.Store
	clock  *fakeClock
}

// start serves a description. The clock stands at second 1000.
func start(t *testing.T, description string) *fixture {
	t.Helper()
	clock := newFakeClock(1000)
	s, err := store.New(parseData(t, description), clock.Now)
	if err != nil {
		t.Fatal(err)
	}
	f := &fixture{t: t, server: NewServer(s, clock), store: s, clock: clock}
	g, lis := grpc.NewServer(), bufconn.Listen(1<<20)
	kit.NewPublicAPIService(f.server).Register(g)
	var served sync.WaitGroup
	served.Go(func() {
		if err := g.Serve(lis); err != nil {
			t.Error(err)
		}
	})
	conn, err := grpc.NewClient("passthrough:memory", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return lis.DialContext(ctx) }))
	if err != nil {
		t.Fatal(err)
	}
	f.PublicAPIClient = pb.NewPublicAPIClient(conn)
	t.Cleanup(func() {
		conn.Close()
		g.GracefulStop() // waits for handlers: those that stay make the test hang
		served.Wait()
		if n := clock.pending(); n > 0 {
			t.Errorf("%d timers are left", n)
		}
	})
	return f
}

func parseData(t *testing.T, description string) *store.Data {
	t.Helper()
	d, err := store.Parse([]byte(description))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// load replaces the description at a time.
func (f *fixture) load(at int64, description string) {
	f.t.Helper()
	f.clock.set(at)
	if _, err := f.store.Load(f.t.Context(), parseData(f.t, description)); err != nil {
		f.t.Fatal(err)
	}
}

// wantCode fails the test unless err is a status of a code, with a text.
func wantCode(t *testing.T, err error, code codes.Code, text string) {
	t.Helper()
	if st, _ := status.FromError(err); err == nil || st.Code() != code || !strings.Contains(st.Message(), text) {
		t.Errorf("error %v, want %v with %q", err, code, text)
	}
}

func sampleText(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("sample.json")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestGetInfo(t *testing.T) {
	f := start(t, `{"info": {"rktVersion": "1.29.0"}}`)
	res, err := f.GetInfo(t.Context(), &pb.GetInfoRequest{})
	if err != nil {
		t.Fatal(err)
	}
	want := parse(t, &pb.Info{}, `rkt_version: "1.29.0" appc_version: "0.8.11" api_version: "1.0.0-alpha" global_flags {
		dir: "/var/lib/rkt" system_config_dir: "/usr/lib/rkt" local_config_dir: "/etc/rkt" insecure_flags: "none" }`)
	if diff := cmp.Diff(want, res.GetInfo(), protocmp.Transform()); diff != "" {
		t.Errorf("info (-want +got):\n%s", diff)
	}
}

// Without detail exactly the manifests are missing.
func TestDetail(t *testing.T) {
	f := start(t, sampleText(t))
	detailed, err := f.ListPods(t.Context(), &pb.ListPodsRequest{Detail: true})
	if err != nil {
		t.Fatal(err)
	}
	brief, err := f.ListPods(t.Context(), &pb.ListPodsRequest{})
	if err != nil {
		t.Fatal(err)
	}
	manifests := 0
	for _, pod := range detailed.GetPods() {
		if len(pod.GetManifest()) > 0 {
			manifests++
		}
		pod.Manifest = nil
	}
	if len(detailed.GetPods()) != 4 || manifests != 3 {
		t.Errorf("%d pods, %d with manifests; want 4, 3", len(detailed.GetPods()), manifests)
	}
	if diff := cmp.Diff(detailed, brief, protocmp.Transform()); diff != "" {
		t.Errorf("pods without manifests (-with detail +without):\n%s", diff)
	}

	detailedImages, err := f.ListImages(t.Context(), &pb.ListImagesRequest{Detail: true})
	if err != nil {
		t.Fatal(err)
	}
	briefImages, err := f.ListImages(t.Context(), &pb.ListImagesRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if len(detailedImages.GetImages()[0].GetManifest()) == 0 {
		t.Error("no manifest with detail")
	}
	for _, image := range detailedImages.GetImages() {
		image.Manifest = nil
	}
	if diff := cmp.Diff(detailedImages, briefImages, protocmp.Transform()); diff != "" {
		t.Errorf("images without manifests (-with detail +without):\n%s", diff)
	}
}

func TestInspect(t *testing.T) {
	f := start(t, sampleText(t))
	for _, id := range []string{podWeb, strings.ToUpper(podWeb), strings.ReplaceAll(podWeb, "-", "")} {
		pod, err := f.InspectPod(t.Context(), &pb.InspectPodRequest{Id: id})
		if err != nil || pod.GetPod().GetPid() != 4321 || len(pod.GetPod().GetManifest()) == 0 {
			t.Errorf("InspectPod(%s) = %v, %v", id, pod, err)
		}
	}
	id := f.store.Images()[0].Full.GetId()
	image, err := f.InspectImage(t.Context(), &pb.InspectImageRequest{Id: id})
	if err != nil || image.GetImage().GetName() != "coreos.com/etcd" || len(image.GetImage().GetManifest()) == 0 {
		t.Errorf("InspectImage = %v, %v", image, err)
	}
}

func TestInspectErrors(t *testing.T) {
	f := start(t, sampleText(t))
	for _, test := range []struct {
		id   string
		code codes.Code
		text string
	}{
		{"", codes.InvalidArgument, "a pod's id is missing"},
		{"web", codes.InvalidArgument, `"web" is not a pod's id, which is a UUID such as`},
		{podWeb[:8], codes.InvalidArgument, "not a pod's id"},
		{strings.Repeat("x", 1<<20), codes.InvalidArgument, "not a pod's id"},
		{
			"00000000-0000-0000-0000-000000000000",
			codes.NotFound,
			"there is no pod 00000000-0000-0000-0000-000000000000",
		},
	} {
		_, err := f.InspectPod(t.Context(), &pb.InspectPodRequest{Id: test.id})
		wantCode(t, err, test.code, test.text)
		stream, err := f.GetLogs(t.Context(), &pb.GetLogsRequest{PodId: test.id})
		if err != nil {
			t.Fatal(err)
		}
		_, err = stream.Recv()
		wantCode(t, err, test.code, test.text)
	}
	for id, want := range map[string]struct {
		code codes.Code
		text string
	}{
		"":           {codes.InvalidArgument, "an image's id is missing"},
		"a\x00b":     {codes.InvalidArgument, "unprintable"},
		"sha512-91e": {codes.NotFound, "there is no image sha512-91e"},
	} {
		_, err := f.InspectImage(t.Context(), &pb.InspectImageRequest{Id: id})
		wantCode(t, err, want.code, want.text)
	}
}

// discard is a stream that nobody reads.
type discard[M any] struct{}

func (discard[M]) Send(M) error { return nil }

// What no client can send over the wire, and what only a bad one does.
func TestHostileRequests(t *testing.T) {
	f := start(t, sampleText(t))
	ctx := t.Context()
	podFilters := []*pb.PodFilter{nil}
	res, err := f.server.ListPods(ctx, &pb.ListPodsRequest{Filters: podFilters})
	if err != nil || len(res.GetPods()) != 4 {
		t.Errorf("nil filter of pods: %v, %v", res, err)
	}
	podFilters[0] = &pb.PodFilter{Annotations: []*pb.KeyValue{nil}, States: []pb.PodState{-1 << 31}}
	res, err = f.server.ListPods(ctx, &pb.ListPodsRequest{Filters: podFilters})
	if err != nil || len(res.GetPods()) != 0 {
		t.Errorf("nil annotation: %v, %v", res, err)
	}
	imageFilters := []*pb.ImageFilter{{Labels: []*pb.KeyValue{nil}}, nil}
	images, err := f.server.ListImages(ctx, &pb.ListImagesRequest{Filters: imageFilters})
	if err != nil || len(images.GetImages()) != 3 {
		t.Errorf("nil filter of images: %v, %v", images, err)
	}
	events, lines := discard[*pb.ListenEventsResponse]{}, discard[*pb.GetLogsResponse]{}
	for _, filter := range []*pb.EventFilter{
		{UntilTime: 1},
		{UntilTime: -1 << 63},
		{SinceTime: -1 << 63, UntilTime: -1<<63 + 1, Types: []pb.EventType{1<<31 - 1}, Ids: []string{"", "\xff"}},
	} {
		if err := f.server.ListenEvents(ctx, &pb.ListenEventsRequest{Filter: filter}, events); err != nil {
			t.Errorf("ListenEvents(%v): %v", filter, err)
		}
	}
	for _, req := range []*pb.GetLogsRequest{
		{PodId: podWeb, Lines: 1<<31 - 1},
		{PodId: podWeb, SinceTime: -1 << 63, UntilTime: 1<<63 - 1},
		{PodId: podWeb, SinceTime: 1<<63 - 1},
		{PodId: podWeb, UntilTime: -1 << 63, Follow: true},
	} {
		if err := f.server.GetLogs(ctx, req, lines); err != nil {
			t.Errorf("GetLogs(%v): %v", req, err)
		}
	}
	left, cancel := context.WithCancel(ctx)
	cancel()
	_, err = f.server.ListPods(left, &pb.ListPodsRequest{})
	wantCode(t, err, codes.Canceled, "")
	_, err = f.server.ListImages(left, &pb.ListImagesRequest{})
	wantCode(t, err, codes.Canceled, "")
	far := &pb.ListenEventsRequest{Filter: &pb.EventFilter{UntilTime: 1<<63 - 1}}
	err = f.server.ListenEvents(left, far, events)
	wantCode(t, err, codes.Canceled, "")
}

// images describes images with these ids.
func images(ids ...string) string {
	var s []string
	for _, id := range ids {
		s = append(s, fmt.Sprintf(`{"id": %q, "name": "name/%s"}`, id, id))
	}
	return fmt.Sprintf(`{"images": [%s]}`, strings.Join(s, ","))
}
