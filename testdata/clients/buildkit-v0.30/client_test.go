// Package buildkit_test has the client of a BuildKit that is newer than the
// API talk to the server of examples/buildkit: one whose messages are generated
// by protoc-gen-go, and have fields that the server does not know. The tests
// next door, with the client of the API's own version, have the details.
package buildkit_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	controlapi "github.com/moby/buildkit/api/services/control"
	"github.com/moby/buildkit/client"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// start runs a server with its sample, on a socket and on tcp, until the test
// ends. It returns both addresses.
func start(t *testing.T) []string {
	t.Helper()
	dir, err := os.MkdirTemp("", "bk") // t.TempDir may be too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	build := exec.Command("go", "build", "-o", filepath.Join(dir, "server"), ".")
	build.Dir = filepath.Join("..", "..", "..", "examples", "buildkit")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building the server: %v\n%s", err, out)
	}
	socket := "unix://" + filepath.Join(dir, "b.sock")
	cmd := exec.Command(filepath.Join(dir, "server"), "--addr", "tcp://127.0.0.1:0", "--addr", socket,
		"--log-format", "json", "--status-wait", "0s")
	logs, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	addresses, ended := make(chan string, 2), make(chan struct{})
	go func() {
		defer close(ended)
		for lines := bufio.NewScanner(logs); lines.Scan(); {
			var line struct{ Msg, Address string }
			if json.Unmarshal(lines.Bytes(), &line) == nil && line.Msg == "listening" {
				addresses <- line.Address
			}
		}
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		<-ended
		if err := cmd.Wait(); err != nil {
			t.Errorf("the server ends with %v", err)
		}
	})
	for range cap(addresses) {
		select {
		case a := <-addresses:
			if !strings.HasPrefix(a, "/") {
				return []string{socket, "tcp://" + a}
			}
		case <-ended:
			t.Fatal("the server ended before it listened")
		case <-time.After(time.Minute):
			t.Fatal("the server does not listen")
		}
	}
	t.Fatal("the server has no port")
	return nil
}

func Test(t *testing.T) {
	for _, address := range start(t) {
		network, _, _ := strings.Cut(address, ":")
		t.Run(network, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			c, err := client.New(ctx, address)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			if err := c.Wait(ctx); err != nil {
				t.Fatal(err)
			}
			checkWorkers(ctx, t, c)
			checkCache(ctx, t, c, map[string]string{"unix": "source.local", "tcp": "source.git.checkout"}[network])
			checkHistory(ctx, t, c)
			checkStatus(ctx, t, c)
			if _, err := c.ControlClient().Solve(ctx, &controlapi.SolveRequest{}); status.Code(err) != codes.Unimplemented {
				t.Errorf("Solve: %v, want UNIMPLEMENTED", err)
			}
		})
	}
}

func checkWorkers(ctx context.Context, t *testing.T, c *client.Client) {
	t.Helper()
	info, err := c.Info(ctx)
	if err != nil || info.BuildkitVersion.Version != "v0.15.2" {
		t.Errorf("the info is %v, %v", info, err)
	}
	all, err := c.ListWorkers(ctx)
	if err != nil || len(all) != 2 || len(all[0].Platforms) != 2 || len(all[0].GCPolicy) != 4 ||
		all[0].GCPolicy[0].ReservedSpace != 512_000_000 {
		t.Errorf("the workers are %v, %v", all, err)
	}
	some, err := c.ListWorkers(ctx, client.WithFilter([]string{`labels."org.mobyproject.buildkit.worker.executor"==oci`}))
	if err != nil || len(some) != 1 {
		t.Errorf("the workers of a filter are %v, %v", some, err)
	}
}

// checkCache prunes the record of a type.
func checkCache(ctx context.Context, t *testing.T, c *client.Client, kind string) {
	t.Helper()
	filter := client.WithFilter([]string{"type==" + kind})
	before, err := c.DiskUsage(ctx, filter)
	if err != nil || len(before) != 1 || before[0].CreatedAt.Year() != 2026 || before[0].Size == 0 {
		t.Fatalf("the usage is %v, %v", before, err)
	}
	removed := make(chan client.UsageInfo, 10)
	if err := c.Prune(ctx, removed, filter); err != nil {
		t.Error(err)
	}
	close(removed)
	for r := range removed {
		if r.ID != before[0].ID || string(r.RecordType) != kind {
			t.Errorf("removed was %+v", r)
		}
	}
	if after, err := c.DiskUsage(ctx, filter); err != nil || len(after) != 0 {
		t.Errorf("left is %v, %v", after, err)
	}
}

func checkHistory(ctx context.Context, t *testing.T, c *client.Client) {
	t.Helper()
	stream, err := c.ControlClient().ListenBuildHistory(ctx, &controlapi.BuildHistoryRequest{EarlyExit: true})
	if err != nil {
		t.Fatal(err)
	}
	var refs []string
	for {
		e, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		refs = append(refs, e.Record.Ref)
		if e.Type != controlapi.BuildHistoryEventType_COMPLETE || e.Record.CompletedAt.AsTime().Year() != 2026 ||
			(e.Record.Error != nil) != e.Record.Pinned {
			t.Errorf("the event is %v", e)
		}
	}
	if len(refs) != 2 {
		t.Errorf("the builds are %q", refs)
	}
	live, err := c.ControlClient().ListenBuildHistory(ctx, &controlapi.BuildHistoryRequest{Ref: refs[0]})
	if err != nil {
		t.Fatal(err)
	}
	first, err := live.Recv()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.ControlClient().UpdateBuildHistory(ctx,
		&controlapi.UpdateBuildHistoryRequest{Ref: refs[0], Pinned: first.Record.Pinned}); err != nil {
		t.Error(err)
	}
	next, err := live.Recv()
	if err != nil || next.Record.Generation != first.Record.Generation+1 {
		t.Errorf("the event of a change is %v, %v", next, err)
	}
}

func checkStatus(ctx context.Context, t *testing.T, c *client.Client) {
	t.Helper()
	receive := func(ref string) (vertexes, logs int, err error) {
		stream, err := c.ControlClient().Status(ctx, &controlapi.StatusRequest{Ref: ref})
		for err == nil {
			var res *controlapi.StatusResponse
			if res, err = stream.Recv(); err == nil {
				s := client.NewSolveStatus(res)
				vertexes, logs = vertexes+len(s.Vertexes), logs+len(s.Logs)
			}
		}
		return vertexes, logs, err
	}
	if v, l, err := receive("q1w2e3r4t5y6u7i8o9p0a1s2d"); !errors.Is(err, io.EOF) || v != 17 || l != 4 {
		t.Errorf("a stored build reports %d vertexes and %d logs, %v", v, l, err)
	}
	if _, _, err := receive("nothing"); status.Code(err) != codes.NotFound {
		t.Errorf("an unknown build: %v, want NOT_FOUND", err)
	}
}
