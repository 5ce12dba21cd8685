// Package buildkit_test has BuildKit's own client talk to the server of
// examples/buildkit, in another process: both have the same messages, which one
// process cannot register twice.
package buildkit_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/containerd/containerd/filters"
	controlapi "github.com/moby/buildkit/api/services/control"
	"github.com/moby/buildkit/client"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

var now = time.Now().UTC().Truncate(time.Millisecond)

// hoursAgo is a time as JSON.
func hoursAgo(hours int) string {
	return now.Add(-time.Duration(hours) * time.Hour).Format(time.RFC3339Nano)
}

var store = `{
	"buildkitVersion": {"package": "example.com/p", "version": "v1.2.3", "revision": "abc"},
	"workers": [
		{
			"ID": "w1", "Labels": {"executor": "oci", "com.example/os": "linux", "quoted": "a \"b\""},
			"platforms": [{"OS": "linux", "Architecture": "arm", "Variant": "v7"}],
			"GCPolicy": [{"keepDuration": "3600000000000", "keepBytes": "42", "filters": ["type==regular"]}, {"all": true}]
		},
		{"ID": "w2", "Labels": {"executor": "containerd"}},
		{"ID": "w3"}
	],
	"cache": [
		{"ID": "base", "Size": "100", "UsageCount": "1", "LastUsedAt": "` + hoursAgo(9) + `",
		 "CreatedAt": "` + hoursAgo(10) + `", "Description": "pulled from docker.io/library/alpine:3.20"},
		{"ID": "top", "Parents": ["base"], "Size": "50", "UsageCount": "2", "LastUsedAt": "` + hoursAgo(8) + `"},
		{"ID": "mount", "Mutable": true, "Size": "40", "RecordType": "exec.cachemount",
		 "UsageCount": "5", "LastUsedAt": "` + hoursAgo(1) + `"},
		{"ID": "used", "Size": "30", "InUse": true},
		{"ID": "shared", "Size": "20", "Shared": true},
		{"ID": "internal", "Size": "10", "RecordType": "internal"},
		{"ID": "frontend", "Size": "5", "RecordType": "frontend"}
	],
	"builds": [
		{
			"record": {"Ref": "good", "Frontend": "dockerfile.v0", "FrontendAttrs": {"target": "app"},
				"Exporters": [{"Type": "image", "Attrs": {"name": "x"}}], "CreatedAt": "` + hoursAgo(2) + `"},
			"steps": [
				{"name": "from", "cached": true},
				{"name": "run", "inputs": ["from"], "took": "2s", "log": "one\ntwo\n",
				 "progress": [{"id": "layers", "name": "extract", "total": 42}],
				 "warnings": [{"level": 1, "short": "careful", "detail": ["why"], "url": "https://example.com"}]}
			]
		},
		{
			"record": {"Ref": "bad", "CreatedAt": "` + hoursAgo(1) + `"},
			"steps": [{"name": "run", "took": "1s", "error": "exit code: 1"}]
		},
		{
			"record": {"Ref": "brief"}, "startAfter": "300ms",
			"steps": [{"name": "a", "took": "100ms", "log": "hello\n"}, {"name": "b", "inputs": ["a"], "took": "100ms"}]
		},
		{
			"record": {"Ref": "long"}, "startAfter": "0s",
			"steps": [{"name": "forever", "took": "24h"}]
		}
	]
}`

// TestWait has a client wait for a server that is started after it.
func TestWait(t *testing.T) {
	dir, err := os.MkdirTemp("", "bk")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	address := "unix://" + filepath.Join(dir, "b.sock")
	c := connect(t, address)
	if _, err := c.Info(t.Context()); err == nil {
		t.Fatal("there is a server before it was started")
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	waited := make(chan error, 1)
	go func() { waited <- c.Wait(ctx) }()
	run(t, "unix", "--addr", address, "--log-format", "json")
	if err := <-waited; err != nil {
		t.Error(err)
	}
}

func TestInfo(t *testing.T) {
	overBoth(t, store, func(t *testing.T, ctx context.Context, c *client.Client) {
		if err := c.Wait(ctx); err != nil {
			t.Error(err)
		}
		info, err := c.Info(ctx)
		want := client.BuildkitVersion{Package: "example.com/p", Version: "v1.2.3", Revision: "abc"}
		if err != nil || info.BuildkitVersion != want {
			t.Errorf("the info is %+v, %v", info, err)
		}
	})
}

func workers(ctx context.Context, c *client.Client, filter ...string) (string, error) {
	found, err := c.ListWorkers(ctx, client.WithFilter(filter))
	var ids []string
	for _, w := range found {
		ids = append(ids, w.ID)
	}
	return strings.Join(ids, " "), err
}

func TestListWorkers(t *testing.T) {
	overBoth(t, store, func(t *testing.T, ctx context.Context, c *client.Client) {
		all, err := c.ListWorkers(ctx)
		if err != nil || len(all) != 3 {
			t.Fatalf("the workers are %v, %v", all, err)
		}
		w := all[0]
		if w.Labels["executor"] != "oci" || len(w.Platforms) != 1 || w.Platforms[0].Variant != "v7" ||
			w.BuildkitVersion.Version != "v1.2.3" {
			t.Errorf("the first worker is %+v", w)
		}
		if p := w.GCPolicy; len(p) != 2 || p[0].KeepDuration != time.Hour || p[0].KeepBytes != 42 ||
			!slices.Equal(p[0].Filter, []string{"type==regular"}) || !p[1].All {
			t.Errorf("its policy is %+v", p)
		}
		for filter, want := range map[string]string{
			"id==w2": "w2", "labels.executor": "w1 w2", "labels.executor==oci": "w1",
			"id!=w1,labels.executor": "w2", "nothing": "",
		} {
			if got, err := workers(ctx, c, filter); got != want || err != nil {
				t.Errorf("the workers of %s are %q, %v; want %q", filter, got, err, want)
			}
		}
		if got, err := workers(ctx, c, "id==w1", "id==w3"); got != "w1 w3" || err != nil {
			t.Errorf("the workers of two filters are %q, %v", got, err)
		}
	})
}

// TestFilters compares the server's filters with containerd's, which BuildKit
// has.
func TestFilters(t *testing.T) {
	overBoth(t, store, func(t *testing.T, ctx context.Context, c *client.Client) {
		all, err := c.ListWorkers(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range filterTexts() {
			want := "an error"
			if f, err := filters.ParseAll(text); err == nil {
				want = matching(f, all)
			}
			got, err := workers(ctx, c, text)
			if err != nil {
				if status.Code(err) != codes.InvalidArgument {
					t.Errorf("%q: %v", text, err)
				}
				got = "an error"
			}
			if got != want {
				t.Errorf("%q matches %q, and with containerd's filters %q", text, got, want)
			}
		}
	})
}

func matching(f filters.Filter, workers []*client.WorkerInfo) string {
	var ids []string
	for _, w := range workers {
		if f.Match(filters.AdapterFunc(func(path []string) (string, bool) {
			switch path[0] {
			case "id":
				return w.ID, true
			case "labels":
				v, ok := w.Labels[strings.Join(path[1:], ".")]
				return v, ok
			}
			return "", false
		})) {
			ids = append(ids, w.ID)
		}
	}
	return strings.Join(ids, " ")
}

// filterTexts are filters, good and bad, of all paths, operators and values
// below, and of pieces that are put together in every way.
func filterTexts() []string {
	paths := []string{"id", "labels.executor", `labels."com.example/os"`, "labels.com", "labels", `"id"`, "x_1", " id",
		"id ", "id.", ".id", "", "/id/", "labels.\"executor\"", "labels. executor", "labels .executor"}
	operators := []string{"==", "!=", "~=", "=", "===", "~", " == ", "==!", ""}
	values := []string{"w1", "w", "oci", "^w[12]$", "/w(1|2)/", "|w|", `"w1"`, `"w\x31"`, `"w\061"`, `"\u0077\U00000031"`,
		`"a \"b\""`, `/a \\"b/`, `/\//`, `/\|/`, `"\'"`, `"\q"`, `"w1`, "/w1", "", ".", ".w", "a=b", "a.b", "w1 ", "w1,",
		`"w1"x`, "é", "w1,labels.executor", "w1,labels.executor==oci", ",id", "'w1'", "`w1`", `""`, "w1\t", "\nw1",
		"w\u00a01"}
	var all []string
	for _, p := range paths {
		all = append(all, p, p+",id", p+" , id", p+", id==w1")
		for _, o := range operators {
			for _, v := range values {
				all = append(all, p+o+v)
			}
		}
	}
	return all
}

func usage(ctx context.Context, c *client.Client, filter ...string) (string, error) {
	records, err := c.DiskUsage(ctx, client.WithFilter(filter))
	return ids(records), err
}

func ids(records []*client.UsageInfo) string {
	var all []string
	for _, r := range records {
		all = append(all, r.ID)
	}
	return strings.Join(all, " ")
}

func TestDiskUsage(t *testing.T) {
	overBoth(t, store, func(t *testing.T, ctx context.Context, c *client.Client) {
		records, err := c.DiskUsage(ctx)
		if err != nil || ids(records) != "base top mount used shared internal frontend" { // the client sorts by size
			t.Fatalf("the records are %s, %v", ids(records), err)
		}
		base, top := records[0], records[1]
		if !base.CreatedAt.Equal(now.Add(-10*time.Hour)) || !base.LastUsedAt.Equal(now.Add(-9*time.Hour)) ||
			base.Size != 100 || base.UsageCount != 1 || base.RecordType != client.UsageRecordTypeRegular ||
			base.Description == "" {
			t.Errorf("base is %+v", base)
		}
		if !slices.Equal(top.Parents, []string{"base"}) || top.CreatedAt.Year() < 2026 {
			t.Errorf("top is %+v", top)
		}
		if used := records[3]; !used.InUse || used.LastUsedAt != nil {
			t.Errorf("used is %+v", used)
		}
		for filter, want := range map[string]string{
			"id==top": "top", "type==exec.cachemount": "mount", "mutable": "mount", "inuse": "used", "shared": "shared",
			"description~=alpine:3": "base", "parents~=base": "top", "private,immutable,type==regular": "base top used",
		} {
			if got, err := usage(ctx, c, filter); got != want || err != nil {
				t.Errorf("the records of %s are %q, %v; want %q", filter, got, err, want)
			}
		}
		if _, err := usage(ctx, c, "id="); status.Code(errors.Unwrap(err)) != codes.InvalidArgument &&
			status.Code(err) != codes.InvalidArgument {
			t.Errorf("a bad filter: %v, want INVALID_ARGUMENT", err)
		}
	})
}

func prune(ctx context.Context, c *client.Client, opts ...client.PruneOption) (string, error) {
	removed := make(chan client.UsageInfo, 100)
	err := c.Prune(ctx, removed, opts...)
	close(removed)
	var all []string
	for r := range removed {
		all = append(all, r.ID)
	}
	return strings.Join(all, " "), err
}

func TestPrune(t *testing.T) {
	filter := func(texts ...string) client.PruneOption { return client.WithFilter(texts) }
	for name, test := range map[string]struct {
		opts          []client.PruneOption
		removed, left string // what is left is sorted by size
	}{
		"plain":   {nil, "top mount base", "used shared internal frontend"},
		"all":     {[]client.PruneOption{client.PruneAll}, "frontend internal shared top mount base", "used"},
		"filter":  {[]client.PruneOption{filter("type==regular")}, "top base", "mount used shared internal frontend"},
		"filters": {[]client.PruneOption{filter("mutable", "id==base")}, "mount", "base top used shared internal frontend"},
		"duration": {[]client.PruneOption{client.WithKeepOpt(2*time.Hour, 0)},
			"top base", "mount used shared internal frontend"},
		"bytes": {[]client.PruneOption{client.WithKeepOpt(0, 200)}, "top", "base mount used shared internal frontend"},
		"both": {[]client.PruneOption{client.WithKeepOpt(2*time.Hour, 1)},
			"top base", "mount used shared internal frontend"},
		"all bytes": {[]client.PruneOption{client.PruneAll, client.WithKeepOpt(0, 180)},
			"frontend internal shared top", "base mount used"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			overBoth(t, store, func(t *testing.T, ctx context.Context, c *client.Client) {
				removed, err := prune(ctx, c, test.opts...)
				if removed != test.removed || err != nil {
					t.Errorf("removed %q, %v; want %q", removed, err, test.removed)
				}
				if left, err := usage(ctx, c); left != test.left || err != nil {
					t.Errorf("left are %q, %v; want %q", left, err, test.left)
				}
			})
		})
	}
}

// checkTimestamp checks that a stream began with the server's time.
func checkTimestamp(t *testing.T, s grpc.ClientStream) {
	t.Helper()
	md, err := s.Header()
	if err != nil {
		t.Error(err)
		return
	}
	values := md.Get("buildkit-current-timestamp")
	if len(values) != 1 {
		t.Errorf("the header is %v", metadata.MD(md))
		return
	}
	if at, err := time.Parse(time.RFC3339Nano, values[0]); err != nil || at.Before(now) {
		t.Errorf("the server's time is %s, %v", values[0], err)
	}
}

// reports are all that a build reports, put together.
func reports(ctx context.Context, t *testing.T, c *client.Client, ref string) (*client.SolveStatus, error) {
	t.Helper()
	stream, err := c.ControlClient().Status(ctx, &controlapi.StatusRequest{Ref: ref})
	if err != nil {
		return nil, err
	}
	checkTimestamp(t, stream)
	all := &client.SolveStatus{}
	for {
		res, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return all, err
		}
		s := client.NewSolveStatus(res)
		all.Vertexes = append(all.Vertexes, s.Vertexes...)
		all.Statuses = append(all.Statuses, s.Statuses...)
		all.Logs = append(all.Logs, s.Logs...)
		all.Warnings = append(all.Warnings, s.Warnings...)
	}
}

func TestStatus(t *testing.T) {
	overBoth(t, store, func(t *testing.T, ctx context.Context, c *client.Client) {
		s, err := reports(ctx, t, c, "good")
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Vertexes) != 5 || len(s.Statuses) != 2 || len(s.Logs) != 2 || len(s.Warnings) != 1 {
			t.Fatalf("the status has %d vertexes, %d statuses, %d logs and %d warnings",
				len(s.Vertexes), len(s.Statuses), len(s.Logs), len(s.Warnings))
		}
		last, begin := s.Vertexes[4], now.Add(-2*time.Hour)
		if last.Name != "run" || len(last.Inputs) != 1 || last.Inputs[0] != s.Vertexes[0].Digest ||
			!last.Started.Equal(begin) || !last.Completed.Equal(begin.Add(2*time.Second)) || last.Digest.Validate() != nil {
			t.Errorf("the last vertex is %+v", last)
		}
		if l := s.Logs[1]; string(l.Data) != "two\n" || l.Stream != 1 || l.Vertex != last.Digest ||
			l.Timestamp.Before(begin) {
			t.Errorf("the last log is %+v", l)
		}
		if p := s.Statuses[1]; p.ID != "layers" || p.Current != 42 || p.Total != 42 || p.Completed == nil {
			t.Errorf("the last progress is %+v", p)
		}
		if w := s.Warnings[0]; string(w.Short) != "careful" || w.URL != "https://example.com" || len(w.Detail) != 1 {
			t.Errorf("the warning is %+v", w)
		}
		s, err = reports(ctx, t, c, "bad")
		if err != nil || s.Vertexes[len(s.Vertexes)-1].Error != "exit code: 1" {
			t.Errorf("the status of a failed build is %+v, %v", s, err)
		}
	})
}

// TestStatusLive follows a build that may not have started yet.
func TestStatusLive(t *testing.T) {
	overBoth(t, store, func(t *testing.T, ctx context.Context, c *client.Client) {
		s, err := reports(ctx, t, c, "brief")
		if err != nil || len(s.Vertexes) != 6 || s.Vertexes[5].Completed == nil || len(s.Logs) != 1 {
			t.Errorf("the status is %+v, %v", s, err)
		}
		long, err := c.ControlClient().Status(ctx, &controlapi.StatusRequest{Ref: "long"})
		if err != nil {
			t.Fatal(err)
		}
		if res, err := long.Recv(); err != nil || len(res.Vertexes) == 0 {
			t.Errorf("the first status is %v, %v", res, err)
		}
	})
}

func TestStatusUnknown(t *testing.T) {
	overBoth(t, store, func(t *testing.T, ctx context.Context, c *client.Client) {
		_, err := reports(ctx, t, c, "nothing")
		if status.Code(err) != codes.NotFound || !strings.Contains(err.Error(), "no such job nothing") {
			t.Errorf("the error is %v, want NOT_FOUND", err)
		}
	}, "--status-wait", "0s")
}

func listen(
	ctx context.Context, t *testing.T, c *client.Client, req *controlapi.BuildHistoryRequest,
) controlapi.Control_ListenBuildHistoryClient {
	t.Helper()
	stream, err := c.ControlClient().ListenBuildHistory(ctx, req)
	if err != nil {
		t.Fatal(err)
	}
	checkTimestamp(t, stream)
	return stream
}

func show(e *controlapi.BuildHistoryEvent) string { return e.Type.String() + " " + e.Record.Ref }

// known are the events of a request that exits early.
func known(ctx context.Context, t *testing.T, c *client.Client, req *controlapi.BuildHistoryRequest) []string {
	t.Helper()
	req.EarlyExit = true
	stream := listen(ctx, t, c, req)
	all := []string{}
	for {
		e, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, show(e))
	}
}

func expect(t *testing.T, stream controlapi.Control_ListenBuildHistoryClient, want ...string) {
	t.Helper()
	for _, want := range want {
		e, err := stream.Recv()
		if err != nil {
			t.Fatalf("%v, want %s", err, want)
		}
		if got := show(e); got != want {
			t.Errorf("the event is %s, want %s", got, want)
		}
	}
}

func TestListenBuildHistory(t *testing.T) {
	overBoth(t, store, func(t *testing.T, ctx context.Context, c *client.Client) {
		if _, err := reports(ctx, t, c, "brief"); err != nil { // wait for its end
			t.Fatal(err)
		}
		live := listen(ctx, t, c, &controlapi.BuildHistoryRequest{Ref: "brief"})
		e, err := live.Recv() // COMPLETE, and STARTED before if it came early
		if err == nil && e.Type == controlapi.BuildHistoryEventType_STARTED {
			e, err = live.Recv()
		}
		if err != nil || show(e) != "COMPLETE brief" || e.Record.CompletedAt == nil || e.Record.NumTotalSteps != 2 ||
			e.Record.NumCompletedSteps != 2 {
			t.Errorf("the event is %v, %v", e, err)
		}
		for _, test := range []struct {
			req  *controlapi.BuildHistoryRequest
			want []string
		}{
			{&controlapi.BuildHistoryRequest{}, []string{"STARTED long", "COMPLETE good", "COMPLETE bad", "COMPLETE brief"}},
			{&controlapi.BuildHistoryRequest{ActiveOnly: true}, []string{"STARTED long"}},
			{&controlapi.BuildHistoryRequest{Ref: "good"}, []string{"COMPLETE good"}},
			{&controlapi.BuildHistoryRequest{Ref: "long"}, []string{"STARTED long"}},
			{&controlapi.BuildHistoryRequest{Ref: "good", ActiveOnly: true}, []string{}},
			{&controlapi.BuildHistoryRequest{Ref: "nothing"}, []string{}},
		} {
			if got := known(ctx, t, c, test.req); !slices.Equal(got, test.want) {
				t.Errorf("%v: the events are %q, want %q", test.req, got, test.want)
			}
		}
		record := listen(ctx, t, c, &controlapi.BuildHistoryRequest{Ref: "good", EarlyExit: true})
		e, err = record.Recv()
		if err != nil || e.Record.FrontendAttrs["target"] != "app" || e.Record.NumCachedSteps != 1 ||
			len(e.Record.Exporters) != 1 || e.Record.CompletedAt.Sub(*e.Record.CreatedAt) != 2*time.Second {
			t.Errorf("the record is %v, %v", e, err)
		}
	})
}

// TestListenLive has clients come before, while and after a build runs. Whenever
// they come, they are told of it once.
func TestListenLive(t *testing.T) {
	overBoth(t, store, func(t *testing.T, ctx context.Context, c *client.Client) {
		var all []controlapi.Control_ListenBuildHistoryClient
		listenNow := func() { all = append(all, listen(ctx, t, c, &controlapi.BuildHistoryRequest{Ref: "brief"})) }
		listenNow()
		running, err := c.ControlClient().Status(ctx, &controlapi.StatusRequest{Ref: "brief"})
		if err != nil {
			t.Fatal(err)
		}
		for err == nil {
			_, err = running.Recv()
			listenNow()
		}
		for i, stream := range all {
			e, err := stream.Recv()
			if err == nil && e.Type == controlapi.BuildHistoryEventType_STARTED {
				e, err = stream.Recv()
			}
			if err != nil || show(e) != "COMPLETE brief" {
				t.Errorf("client %d is told of %v, %v", i, e, err)
			}
		}
		// What comes next is the same for all.
		if _, err := c.ControlClient().UpdateBuildHistory(ctx,
			&controlapi.UpdateBuildHistoryRequest{Ref: "brief", Delete: true}); err != nil {
			t.Fatal(err)
		}
		for _, stream := range all {
			expect(t, stream, "DELETED brief")
		}
	})
}

func TestUpdateBuildHistory(t *testing.T) {
	overBoth(t, store, func(t *testing.T, ctx context.Context, c *client.Client) {
		update := func(req *controlapi.UpdateBuildHistoryRequest) error {
			_, err := c.ControlClient().UpdateBuildHistory(ctx, req)
			return err
		}
		waitUntilRunning(ctx, t, c, "long")
		live := listen(ctx, t, c, &controlapi.BuildHistoryRequest{Ref: "good"})
		expect(t, live, "COMPLETE good")
		if err := update(&controlapi.UpdateBuildHistoryRequest{Ref: "good", Pinned: true}); err != nil {
			t.Error(err)
		}
		if e, err := live.Recv(); err != nil || show(e) != "COMPLETE good" || !e.Record.Pinned || e.Record.Generation != 1 {
			t.Errorf("the event of pinning is %v, %v", e, err)
		}
		if err := update(&controlapi.UpdateBuildHistoryRequest{Ref: "good", Finalize: true}); err != nil {
			t.Error(err)
		}
		if err := update(&controlapi.UpdateBuildHistoryRequest{Ref: "good", Delete: true}); err != nil {
			t.Error(err)
		}
		expect(t, live, "DELETED good")
		for _, req := range []*controlapi.UpdateBuildHistoryRequest{
			{Ref: "good", Pinned: true}, {Ref: "good", Delete: true}, {Ref: "nothing", Finalize: true},
		} {
			if err := update(req); status.Code(err) != codes.NotFound {
				t.Errorf("%v: %v, want NOT_FOUND", req, err)
			}
		}
		if err := update(&controlapi.UpdateBuildHistoryRequest{Ref: "long", Delete: true}); status.Code(err) !=
			codes.FailedPrecondition {
			t.Errorf("deleting a running build: %v, want FAILED_PRECONDITION", err)
		}
		got := known(ctx, t, c, &controlapi.BuildHistoryRequest{Ref: "good"})
		if len(got) > 0 {
			t.Errorf("the events of a deleted build are %q", got)
		}
	})
}

// TestPinnedSurvives has builds expire as soon as another one completes.
func TestPinnedSurvives(t *testing.T) {
	pinned := strings.Replace(store, `{"Ref": "bad",`, `{"Ref": "bad", "pinned": true,`, 1)
	overBoth(t, pinned, func(t *testing.T, ctx context.Context, c *client.Client) {
		waitUntilRunning(ctx, t, c, "long")
		live := listen(ctx, t, c, &controlapi.BuildHistoryRequest{})
		for gone := map[string]bool{}; !gone["good"]; { // unless brief completed before
			if !slices.Contains(known(ctx, t, c, &controlapi.BuildHistoryRequest{}), "COMPLETE good") {
				break
			}
			e, err := live.Recv()
			if err != nil {
				t.Fatal(err)
			}
			gone[e.Record.Ref] = e.Type == controlapi.BuildHistoryEventType_DELETED
		}
		got := known(ctx, t, c, &controlapi.BuildHistoryRequest{})
		slices.Sort(got)
		if want := []string{"COMPLETE bad", "COMPLETE brief", "STARTED long"}; !slices.Equal(got, want) {
			t.Errorf("the builds are %q, want %q", got, want)
		}
	}, "--history-max-entries", "1", "--history-max-age", "0s")
}

// waitUntilRunning returns when a build has reported something.
func waitUntilRunning(ctx context.Context, t *testing.T, c *client.Client, ref string) {
	t.Helper()
	running, err := c.ControlClient().Status(ctx, &controlapi.StatusRequest{Ref: ref})
	if err == nil {
		_, err = running.Recv()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestSolve shows what a client sees that wants to build.
func TestSolve(t *testing.T) {
	overBoth(t, store, func(t *testing.T, ctx context.Context, c *client.Client) {
		_, err := c.Solve(ctx, nil, client.SolveOpt{Frontend: "dockerfile.v0"}, nil)
		if !strings.Contains(fmt.Sprint(err), "is not implemented") || status.Code(rootCause(err)) != codes.Unimplemented {
			t.Errorf("Solve: %v, want UNIMPLEMENTED", err)
		}
		_, err = c.ControlClient().Solve(ctx, &controlapi.SolveRequest{Ref: "x"})
		if status.Code(err) != codes.Unimplemented || !strings.Contains(err.Error(), "Control.Solve is not implemented") {
			t.Errorf("a plain Solve: %v, want UNIMPLEMENTED", err)
		}
	})
}

// rootCause is the innermost error.
func rootCause(err error) error {
	for errors.Unwrap(err) != nil {
		err = errors.Unwrap(err)
	}
	return err
}

// TestMessageLimit sends more than fits a message of BuildKit.
func TestMessageLimit(t *testing.T) {
	overBoth(t, store, func(t *testing.T, ctx context.Context, c *client.Client) {
		filter := []string{"id==" + strings.Repeat("x", 17<<20)}
		_, err := c.ControlClient().DiskUsage(ctx, &controlapi.DiskUsageRequest{Filter: filter},
			grpc.MaxCallSendMsgSize(64<<20))
		if status.Code(err) != codes.ResourceExhausted {
			t.Errorf("17 MiB: %v, want RESOURCE_EXHAUSTED", err)
		}
		_, err = usage(ctx, c, "id=="+strings.Repeat("x", 15<<20)) // this gets through, to be refused by the filter
		if want := "the filters have more than"; !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("15 MiB: %v, want %s", err, want)
		}
	})
}
