// Package reflection_test uses the servers of examples as grpcurl does: it knows
// nothing of their messages but what reflection tells.
package reflection_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fullstorydev/grpcurl"
	"github.com/golang/protobuf/proto"   //lint:ignore SA1019 what grpcurl's handlers take
	"github.com/jhump/protoreflect/desc" //lint:ignore SA1019 what grpcurl finds
	"github.com/jhump/protoreflect/grpcreflect"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	reflectionv1 "google.golang.org/grpc/reflection/grpc_reflection_v1"
	reflectionv1alpha "google.golang.org/grpc/reflection/grpc_reflection_v1alpha"
)

// server is one of the examples.
type server struct {
	name     string
	args     []string
	services []string
	describe []description
	calls    []call
}

// description is text that describing a symbol has to have.
type description struct {
	symbol string
	texts  []string
}

// call is a call in JSON. A stream is left after so many responses; 0 waits for
// its end.
type call struct {
	method, request string
	leaveAfter      int
	want            []string // pieces of the responses, in JSON without spaces
}

var servers = []server{
	{
		name:     "buildkit",
		args:     []string{"--addr", "tcp://127.0.0.1:0"},
		services: []string{"moby.buildkit.v1.Control"},
		describe: []description{
			{"moby.buildkit.v1.Control", []string{
				"rpc ListWorkers ( .moby.buildkit.v1.ListWorkersRequest ) returns ( .moby.buildkit.v1.ListWorkersResponse );",
				"rpc Session ( stream .moby.buildkit.v1.BytesMessage ) returns ( stream .moby.buildkit.v1.BytesMessage );",
			}},
			{"moby.buildkit.v1.Control.Prune", []string{"returns ( stream .moby.buildkit.v1.UsageRecord )"}},
			{"moby.buildkit.v1.UsageRecord", []string{
				"string ID = 1;", "string Parent = 5 [deprecated = true];", ".google.protobuf.Timestamp CreatedAt = 6",
			}},
			{"moby.buildkit.v1.BuildHistoryRecord", []string{".google.rpc.Status error = 5;", "Descriptor externalError = 18;"}},
			{"moby.buildkit.v1.types.WorkerRecord", []string{"repeated .pb.Platform platforms = 3"}},
			{"pb.Op", []string{"oneof op {"}},
			{"moby.buildkit.v1.sourcepolicy.Policy", []string{"repeated .moby.buildkit.v1.sourcepolicy.Rule rules = 2;"}},
			{"google.rpc.Status", []string{"repeated .google.protobuf.Any details = 3;"}},
		},
		calls: []call{
			{"moby.buildkit.v1.Control/ListWorkers",
				`{"filter": ["labels.\"org.mobyproject.buildkit.worker.executor\"==oci"]}`, 0,
				[]string{`"org.mobyproject.buildkit.worker.executor":"oci"`, `"OS":"linux"`, `"keepBytes":"512000000"`}},
			{"moby.buildkit.v1.Control/ListenBuildHistory", `{"EarlyExit": true}`, 0,
				[]string{`"type":"COMPLETE"`, `"message":"failedtosolve:`}},
			{"moby.buildkit.v1.Control/ListenBuildHistory", `{}`, 2, []string{`"type":"COMPLETE"`}},
			{"moby.buildkit.v1.Control/Prune", `{"all": true, "filter": ["type==frontend"]}`, 0,
				[]string{`"RecordType":"frontend"`}},
		},
	},
	{
		name:     "skaffold",
		args:     []string{"--rpc-port", "0", "--rpc-http-port", "0"},
		services: []string{"proto.SkaffoldService", "proto.v2.SkaffoldV2Service"},
		describe: []description{
			{"proto.SkaffoldService", []string{"rpc EventLog ( stream .proto.LogEntry ) returns ( stream .proto.LogEntry )"}},
			{"proto.v2.SkaffoldV2Service", []string{"rpc GetState ( .google.protobuf.Empty ) returns ( .proto.v2.State )"}},
			{"proto.v2.Event", []string{"oneof event_type {"}},
			{"proto.enums.StatusCode", []string{"OK = 0;"}},
		},
		calls: []call{
			{"proto.SkaffoldService/GetState", `{}`, 0, []string{`"buildState"`}},
			{"proto.v2.SkaffoldV2Service/GetState", `{}`, 0, []string{`"buildState"`}},
			{"proto.SkaffoldService/Events", `{}`, 1, []string{`"event"`}},
			{"proto.v2.SkaffoldV2Service/Events", `{}`, 1, []string{`"timestamp"`}},
		},
	},
	{
		name:     "rkt",
		args:     []string{"--listen", "127.0.0.1:0"},
		services: []string{"v1alpha.PublicAPI"},
		describe: []description{
			{"v1alpha.PublicAPI", []string{"rpc ListenEvents ( .v1alpha.ListenEventsRequest ) returns ( stream"}},
			{"v1alpha.Pod", []string{"repeated .v1alpha.KeyValue annotations = 7;", ".v1alpha.PodState state = 3;"}},
			{"v1alpha.EventType", []string{"EVENT_TYPE_UNDEFINED = 0;"}},
		},
		calls: []call{
			{"v1alpha.PublicAPI/GetInfo", `{}`, 0, []string{`"apiVersion"`}},
			{"v1alpha.PublicAPI/ListPods", `{"detail": true}`, 0, []string{`"pods"`, `"state"`}},
			{"v1alpha.PublicAPI/GetLogs", `{"podId": "6e5c9d40-2f2a-4c1f-9d53-0a6a3f7a1b01"}`, 0, []string{`"lines":`}},
			{"v1alpha.PublicAPI/GetLogs", `{"podId": "6e5c9d40-2f2a-4c1f-9d53-0a6a3f7a1b01", "follow": true}`, 1,
				[]string{`"lines":`}},
		},
	},
}

// clients are the two versions of reflection that clients ask for.
var clients = map[string]func(context.Context, *grpc.ClientConn) *grpcreflect.Client{
	"v1": func(ctx context.Context, c *grpc.ClientConn) *grpcreflect.Client {
		return grpcreflect.NewClientV1(ctx, reflectionv1.NewServerReflectionClient(c))
	},
	"v1alpha": func(ctx context.Context, c *grpc.ClientConn) *grpcreflect.Client {
		return grpcreflect.NewClientV1Alpha(ctx, reflectionv1alpha.NewServerReflectionClient(c))
	},
}

func Test(t *testing.T) {
	for _, s := range servers {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			conn := start(t, s)
			for version, newClient := range clients {
				t.Run(version, func(t *testing.T) {
					ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
					defer cancel()
					client := newClient(ctx, conn)
					defer client.Reset()
					source := grpcurl.DescriptorSourceFromServer(ctx, client)
					list(t, s, source)
					for _, d := range s.describe {
						describe(t, source, d)
					}
					resolveAll(t, s, source)
					for _, c := range s.calls {
						if version == "v1" {
							c.check(ctx, t, source, conn)
						}
					}
				})
			}
		})
	}
}

// start builds a server, runs it until the test ends, and connects to it.
func start(t *testing.T, s server) *grpc.ClientConn {
	t.Helper()
	binary := filepath.Join(t.TempDir(), s.name)
	build := exec.Command("go", "build", "-o", binary, ".")
	build.Dir = filepath.Join("..", "..", "..", "examples", s.name)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building the server: %v\n%s", err, out)
	}
	cmd := exec.Command(binary, s.args...)
	logs, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	address, ended := make(chan string, 1), make(chan struct{})
	go watch(logs, address, ended)
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		<-ended
		if err := cmd.Wait(); err != nil {
			t.Errorf("the server ends with %v", err)
		}
	})
	select {
	case <-ended:
		t.Fatal("the server ended before it listened")
	case <-time.After(time.Minute):
		t.Fatal("the server does not listen")
	case a := <-address:
		conn, err := grpc.NewClient(a, grpc.WithTransportCredentials(insecure.NewCredentials()))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		return conn
	}
	return nil
}

var listening = regexp.MustCompile(`msg=listening protocol=grpc address=(\S+)`)

// watch reads a server's log to its end, and tells the first address that the
// server listens on.
func watch(logs interface{ Read([]byte) (int, error) }, address chan<- string, ended chan<- struct{}) {
	defer close(ended)
	for lines := bufio.NewScanner(logs); lines.Scan(); {
		if m := listening.FindStringSubmatch(lines.Text()); m != nil {
			select {
			case address <- m[1]:
			default:
			}
		}
	}
}

// list checks that the server has the services, and health and reflection.
func list(t *testing.T, s server, source grpcurl.DescriptorSource) {
	t.Helper()
	got, err := grpcurl.ListServices(source)
	if err != nil {
		t.Fatal(err)
	}
	want := append([]string{
		"grpc.health.v1.Health", "grpc.reflection.v1.ServerReflection", "grpc.reflection.v1alpha.ServerReflection",
	}, s.services...)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("the services are %q, want %q", got, want)
	}
}

func describe(t *testing.T, source grpcurl.DescriptorSource, d description) {
	t.Helper()
	found, err := source.FindSymbol(d.symbol)
	if err != nil {
		t.Errorf("%s: %v", d.symbol, err)
		return
	}
	text, err := grpcurl.GetDescriptorText(found, source)
	if err != nil {
		t.Errorf("%s: %v", d.symbol, err)
	}
	for _, want := range d.texts {
		if !strings.Contains(text, want) {
			t.Errorf("the description of %s has no %q:\n%s", d.symbol, want, text)
		}
	}
}

// resolveAll describes every service, every method and every type that a
// message of one has.
func resolveAll(t *testing.T, s server, source grpcurl.DescriptorSource) {
	t.Helper()
	for _, name := range s.services {
		found, err := source.FindSymbol(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		seen := map[string]bool{}
		for _, m := range found.(*desc.ServiceDescriptor).GetMethods() {
			resolve(t, source, m.GetFullyQualifiedName(), seen)
			resolveFields(t, source, m.GetInputType(), seen)
			resolveFields(t, source, m.GetOutputType(), seen)
		}
		if len(seen) == 0 {
			t.Errorf("%s has no methods", name)
		}
	}
}

func resolve(t *testing.T, source grpcurl.DescriptorSource, name string, seen map[string]bool) {
	t.Helper()
	seen[name] = true
	found, err := source.FindSymbol(name)
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	if text, err := grpcurl.GetDescriptorText(found, source); err != nil || text == "" {
		t.Errorf("%s is described as %q, %v", name, text, err)
	}
}

func resolveFields(t *testing.T, source grpcurl.DescriptorSource, m *desc.MessageDescriptor, seen map[string]bool) {
	t.Helper()
	if seen[m.GetFullyQualifiedName()] {
		return
	}
	resolve(t, source, m.GetFullyQualifiedName(), seen)
	for _, f := range m.GetFields() {
		if e := f.GetEnumType(); e != nil {
			resolve(t, source, e.GetFullyQualifiedName(), seen)
		}
		if sub := f.GetMessageType(); sub != nil {
			resolveFields(t, source, sub, seen)
		}
	}
}

// leaver is a handler that leaves a stream after some responses.
type leaver struct {
	*grpcurl.DefaultEventHandler
	after int
	leave context.CancelFunc
}

func (l *leaver) OnReceiveResponse(m proto.Message) {
	l.DefaultEventHandler.OnReceiveResponse(m)
	if l.NumResponses == l.after {
		l.leave()
	}
}

// check makes a call with JSON, and compares what it answers in JSON.
func (c call) check(ctx context.Context, t *testing.T, source grpcurl.DescriptorSource, conn *grpc.ClientConn) {
	t.Helper()
	ctx, leave := context.WithCancel(ctx)
	defer leave()
	parser, formatter, err := grpcurl.RequestParserAndFormatter(
		grpcurl.FormatJSON, source, strings.NewReader(c.request), grpcurl.FormatOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	handler := &leaver{
		DefaultEventHandler: &grpcurl.DefaultEventHandler{Out: &out, Formatter: formatter},
		after:               c.leaveAfter,
		leave:               leave,
	}
	if err := grpcurl.InvokeRPC(ctx, source, conn, c.method, nil, handler, parser.Next); err != nil {
		t.Errorf("%s: %v", c.method, err)
		return
	}
	want := codes.OK
	if c.leaveAfter > 0 {
		want = codes.Canceled
	}
	if handler.Status.Code() != want {
		t.Errorf("%s ends with %v, want %v", c.method, handler.Status, want)
	}
	if handler.NumResponses < max(c.leaveAfter, 1) {
		t.Errorf("%s has %d responses", c.method, handler.NumResponses)
	}
	got, err := compact(out.Bytes())
	if err != nil {
		t.Errorf("%s: the responses are no JSON: %v\n%s", c.method, err, &out)
	}
	for _, want := range c.want {
		if !strings.Contains(got, want) {
			t.Errorf("%s: the responses have no %s:\n%s", c.method, want, got)
		}
	}
}

// compact is JSON without white space, not even in texts.
func compact(values []byte) (string, error) {
	var all strings.Builder
	for dec := json.NewDecoder(bytes.NewReader(values)); dec.More(); {
		var v json.RawMessage
		if err := dec.Decode(&v); err != nil {
			return "", err
		}
		fmt.Fprintln(&all, strings.Join(strings.Fields(string(v)), ""))
	}
	return all.String(), nil
}
