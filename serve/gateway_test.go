package serve

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"net"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/timestamppb"
	"google.golang.org/protobuf/types/known/wrapperspb"

	v1 "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v1"
	v2 "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v2"
)

// annotated is a service whose methods have google.api.http options. Requests
// with a build id fail with the code of that name.
func annotated() Service {
	trigger := func(_ context.Context, m *v2.TriggerRequest) (*emptypb.Empty, error) {
		if m.GetState().GetEnabled() {
			return nil, status.Error(codes.AlreadyExists, "auto build is already set to true")
		}
		return &emptypb.Empty{}, nil
	}
	return Service{
		File: v2.File_v2_skaffold_proto,
		HTTP: v2.RegisterSkaffoldV2ServiceHandler,
		Desc: &grpc.ServiceDesc{
			ServiceName: "proto.v2.SkaffoldV2Service",
			HandlerType: (*any)(nil),
			Methods: []grpc.MethodDesc{
				Unary(v2.SkaffoldV2Service_GetState_FullMethodName,
					func(context.Context, *emptypb.Empty) (*v2.State, error) {
						return &v2.State{BuildState: &v2.BuildState{Artifacts: map[string]string{"<a>": "b"}}}, nil
					}),
				Unary(v2.SkaffoldV2Service_AutoBuild_FullMethodName, trigger),
				Unary(v2.SkaffoldV2Service_Handle_FullMethodName,
					func(_ context.Context, e *v2.Event) (*emptypb.Empty, error) {
						if e.GetTaskEvent() == nil {
							return nil, status.Error(codes.InvalidArgument, "no task event")
						}
						return &emptypb.Empty{}, nil
					}),
			},
			Streams: []grpc.StreamDesc{
				ServerStream(v2.SkaffoldV2Service_Events_FullMethodName,
					func(_ context.Context, _ *emptypb.Empty, to Sender[*v2.Event]) error {
						to.Send(&v2.Event{
							Timestamp: &timestamppb.Timestamp{Seconds: 1},
							EventType: &v2.Event_TaskEvent{TaskEvent: &v2.TaskEvent{
								Id: "Build-0", Task: "Build", Status: "<InProgress>"}},
						})
						return status.Error(codes.Unavailable, "mid-stream")
					}),
				ServerStream(v2.SkaffoldV2Service_ApplicationLogs_FullMethodName,
					func(context.Context, *emptypb.Empty, Sender[*v2.Event]) error {
						return status.Error(codes.ResourceExhausted, "too many readers")
					}),
			},
		},
	}
}

// annotatedBidi has a stream from the client in a route.
func annotatedBidi() Service {
	return Service{
		File: v1.File_skaffold_proto,
		HTTP: v1.RegisterSkaffoldServiceHandler,
		Desc: &grpc.ServiceDesc{
			ServiceName: "proto.SkaffoldService",
			HandlerType: (*any)(nil),
			Streams: []grpc.StreamDesc{
				BidiStream(v1.SkaffoldService_EventLog_FullMethodName,
					func(_ context.Context, _ iter.Seq2[*v1.LogEntry, error], to Sender[*v1.LogEntry]) error {
						return to.Send(&v1.LogEntry{Entry: "one"})
					}),
			},
		},
	}
}

const entryLine = `{"result":{"timestamp":null,"event":null,"entry":"one"}}` + "\n"

const namedEvent = `{"timestamp":"1970-01-01T00:00:01Z","taskEvent":{"id":"Build-0","task":"Build",` +
	`"description":"","iteration":0,"status":"\u003cInProgress\u003e","actionableErr":null}}`

func TestGateway(t *testing.T) {
	r := start(t, Config{JSON: JSONProtoNames}, annotated(), annotatedBidi())
	statusJSON := func(code int, message string) string {
		b, _ := json.Marshal(map[string]any{"code": code, "message": message, "details": []any{}})
		return string(b)
	}
	const form = "application/x-www-form-urlencoded"
	for _, tt := range []struct {
		name, method, path, body string
		header                   []string
		status                   int
		want                     string // JSON; a part of it where it begins with "~"
	}{
		{"message", "GET", "/v2/state", "", nil, 200, `~"buildState"`},
		{"empty answer", "PUT", "/v2/build/auto_execute", `{"enabled": false}`, nil, 200, `{}`},
		{"empty body", "PUT", "/v2/build/auto_execute", "", nil, 200, `{}`},
		{"unknown field", "PUT", "/v2/build/auto_execute", `{"enabled": false, "x": 1}`, nil, 200, `{}`},
		{"error", "PUT", "/v2/build/auto_execute", `{"enabled": true}`, nil, 409,
			statusJSON(6, "auto build is already set to true")},
		{"malformed JSON", "PUT", "/v2/build/auto_execute", `{"enabled": tru`, nil, 400, `~"code":3`},
		{"wrong type", "PUT", "/v2/build/auto_execute", `{"enabled": "yes"}`, nil, 400, `~"code":3`},
		{"no object", "PUT", "/v2/build/auto_execute", `7`, nil, 400, `~"code":3`},
		{"names of both kinds", "POST", "/v2/events/handle", `{"buildSubtaskEvent": {"task_id": "x"}}`, nil, 400,
			statusJSON(3, "no task event")},
		{"a field twice", "POST", "/v2/events/handle", `{"buildSubtaskEvent": {"task_id": "x", "taskId": "y"}}`, nil, 400,
			`~duplicate field`},
		{"unknown path", "GET", "/v2/none", "", nil, 404, statusJSON(5, "Not Found")},
		{"wrong method", "DELETE", "/v2/state", "", nil, 501, statusJSON(12, "Method Not Allowed")},
		{"OPTIONS", "OPTIONS", "/v2/state", "", []string{"Origin", "http://x", "Access-Control-Request-Method", "GET"}, 501,
			statusJSON(12, "Method Not Allowed")},
		{"not implemented", "POST", "/v2/execute", `{}`, nil, 501,
			statusJSON(12, "unknown method Execute for service proto.v2.SkaffoldV2Service")},
		{"form falls back to GET", "POST", "/v2/state", "", []string{"Content-Type", form}, 200, `~"buildState"`},
		{"override in forms", "POST", "/v2/build/auto_execute", "",
			[]string{"Content-Type", form, "X-HTTP-Method-Override", "PUT"}, 200, `{}`},
		{"override elsewhere", "POST", "/v2/build/auto_execute", "",
			[]string{"X-HTTP-Method-Override", "PUT"}, 501, `~"code":12`},
		{"stream error first", "GET", "/v2/applicationLogs", "", nil, 429,
			`{"error":` + statusJSON(8, "too many readers") + `}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			res, body := r.do(tt.method, tt.path, tt.body, tt.header...)
			if res.StatusCode != tt.status {
				t.Errorf("status %s, want %d", res.Status, tt.status)
			}
			if ct := res.Header.Get("Content-Type"); ct != "application/json" {
				t.Errorf("content type %q", ct)
			}
			got := parsed(t, body)
			if part, ok := strings.CutPrefix(tt.want, "~"); ok {
				compact, _ := json.Marshal(got)
				if !strings.Contains(string(compact), part) {
					t.Errorf("body %s, want %s in it", body, part)
				}
			} else if !reflect.DeepEqual(got, parsed(t, tt.want)) {
				t.Errorf("body %s, want %s", body, tt.want)
			}
		})
	}
}

// What a stream looks like to the byte, because clients split it at line feeds.
func TestGatewayStream(t *testing.T) {
	r := start(t, Config{JSON: JSONProtoNames}, annotated(), annotatedBidi())
	res, body := r.do("GET", "/v2/events", "")
	want := `{"result":` + namedEvent + "}\n" +
		`{"error":{"code":14,"message":"mid-stream","details":[]}}` + "\n"
	if res.StatusCode != 200 || body != want {
		t.Errorf("%s\n got %s\nwant %s", res.Status, body, want)
	}
	if ct := res.Header.Get("Content-Type"); ct != "application/json" {
		t.Errorf("content type %q", ct)
	}
	if !slices.Equal(res.TransferEncoding, []string{"chunked"}) {
		t.Errorf("transfer encoding %q", res.TransferEncoding)
	}
	if md := res.Header.Get("Grpc-Metadata-Content-Type"); md != "application/grpc" {
		t.Errorf("Grpc-Metadata-Content-Type: %q", md)
	}
	if _, body := r.do("GET", "/v1/event_log", ""); body != entryLine {
		t.Errorf("bidi stream: %s", body)
	}
}

func TestGatewayJSONDefault(t *testing.T) {
	r := start(t, Config{}, annotatedBidi())
	if _, body := r.do("GET", "/v1/event_log", ""); body != entryLine {
		t.Errorf("stream: %s", body)
	}
	m := JSONDefault.marshaler()
	b, err := m.Marshal(&v2.BuildSubtaskEvent{TaskId: "x"})
	if err != nil || !strings.Contains(string(b), `"taskId"`) {
		t.Errorf("%s, %v", b, err)
	}
}

func TestDefaultRoutes(t *testing.T) {
	r := start(t, Config{DefaultRoutes: true, JSON: JSONProtoNames}, annotated(), echo{
		say: func(ctx context.Context, m *text) (*text, error) {
			if m.Value == "fail" {
				grpc.SetHeader(ctx, metadata.Pairs("why", "because"))
				return nil, status.Error(codes.AlreadyExists, "it is there")
			}
			return m, nil
		},
		watch: func(_ context.Context, m *text, to Sender[*text]) error {
			if m.Value == "fail" {
				return status.Error(codes.NotFound, "it is not there")
			}
			to.Send(m)
			to.Send(m)
			return nil
		},
	}.service())
	for _, tt := range []struct {
		path, body string
		status     int
		want       string
	}{
		{sayMethod, `"a"`, 200, `"a"`},
		{sayMethod, ``, 200, `""`},
		{sayMethod, `"fail"`, 409, `{"code":6,"message":"it is there","details":[]}`},
		{watchMethod, `"a"`, 200, `{"result":"a"}` + "\n" + `{"result":"a"}`},
		{watchMethod, `"fail"`, 404, `{"error":{"code":5,"message":"it is not there","details":[]}}`},
		{collectMethod, `"a"`, 501, `{"code":12,"message":"` + collectMethod +
			` takes a stream of messages, which its HTTP route cannot send: call it with gRPC","details":[]}`},
		{"/test.v1.Echo/None", ``, 404, `{"code":5,"message":"Not Found","details":[]}`},
		// A service with routes has only these.
		{v2.SkaffoldV2Service_GetState_FullMethodName, ``, 404, `{"code":5,"message":"Not Found","details":[]}`},
	} {
		res, body := r.do("POST", tt.path, tt.body)
		if res.StatusCode != tt.status {
			t.Errorf("%s %s: %s, want %d", tt.path, tt.body, res.Status, tt.status)
		}
		got, want := strings.Split(strings.TrimSpace(body), "\n"), strings.Split(tt.want, "\n")
		for i := range want {
			if i >= len(got) || !reflect.DeepEqual(parsed(t, got[i]), parsed(t, want[i])) {
				t.Errorf("%s %s: %s, want %s", tt.path, tt.body, body, tt.want)
			}
		}
		if want := "because"; tt.body == `"fail"` && tt.path == sayMethod && res.Header.Get("Grpc-Metadata-Why") != want {
			t.Errorf("header %q", res.Header)
		}
	}
	if res, _ := r.do("POST", "/readyz", ""); res.StatusCode != 501 {
		t.Errorf("POST /readyz: %s", res.Status)
	}
}

func TestNoDefaultRoutes(t *testing.T) {
	r := start(t, Config{}, echo{}.service())
	if res, _ := r.do("POST", sayMethod, `"a"`); res.StatusCode != 404 {
		t.Errorf("without DefaultRoutes: %s", res.Status)
	}
}

// A handler behind the gateway knows the HTTP client, and no client can be
// taken for another.
func TestGatewayPeer(t *testing.T) {
	type seen struct {
		addr string
		md   metadata.MD
	}
	calls := make(chan seen, 1)
	r := start(t, Config{DefaultRoutes: true}, echo{
		say: func(ctx context.Context, m *text) (*text, error) {
			p, _ := peer.FromContext(ctx)
			md, _ := metadata.FromIncomingContext(ctx)
			calls <- seen{p.Addr.String(), md}
			return m, nil
		},
	}.service())
	var local string
	r.http.Transport.(*http.Transport).DialContext = dialNoting(&local)
	r.do("POST", sayMethod, "", "Authorization", "Basic x", "X-Forwarded-For", "192.0.2.1",
		"Grpc-Metadata-Serve-Http-Call", "none", "User-Agent", "test")
	got := <-calls
	if got.addr != local {
		t.Errorf("peer %q, want %q", got.addr, local)
	}
	for key, want := range map[string]string{
		"authorization": "Basic x", "x-forwarded-for": "192.0.2.1, 127.0.0.1", "x-forwarded-host": r.url[len("http://"):],
		"grpcgateway-user-agent": "test",
	} {
		if v := got.md.Get(key); len(v) != 1 || v[0] != want {
			t.Errorf("metadata %s: %q, want %q", key, v, want)
		}
	}
	r.log.find(t, "call", "method", sayMethod, "peer", local, "protocol", "http", "code", "OK")
}

func TestSSE(t *testing.T) {
	r := start(t, Config{JSON: JSONProtoNames, SSEHeartbeat: -1}, annotated())
	for _, accept := range []string{"text/event-stream", "text/html, text/event-stream;q=0.5, */*"} {
		res, body := r.do("GET", "/v2/events", "", "Accept", accept)
		want := "data: " + strings.NewReplacer(`\u003c`, "<", `\u003e`, ">").Replace(namedEvent) + "\n\n" +
			"event: error\ndata: " + `{"code":14,"message":"mid-stream","details":[]}` + "\n\n"
		if res.StatusCode != 200 || body != want {
			t.Errorf("%s\n got %s\nwant %s", res.Status, body, want)
		}
		for key, want := range map[string]string{"Content-Type": "text/event-stream", "Cache-Control": "no-cache"} {
			if got := res.Header.Get(key); got != want {
				t.Errorf("%s: %q, want %q", key, got, want)
			}
		}
	}
	res, body := r.do("GET", "/v2/applicationLogs", "", "Accept", "text/event-stream")
	want := "event: error\ndata: " + `{"code":8,"message":"too many readers","details":[]}` + "\n\n"
	if body != want || res.StatusCode != 429 {
		t.Errorf("error at first: %s %s", res.Status, body)
	}
	res, body = r.do("GET", "/v2/state", "", "Accept", "text/event-stream")
	if res.Header.Get("Content-Type") != "application/json" || parsed(t, body) == nil {
		t.Errorf("no stream: %s %s", res.Header, body)
	}
	for _, accept := range []string{"*/*", "text/event-stream;q=0", "text/*", ""} {
		if res, _ := r.do("GET", "/v2/events", "", "Accept", accept); res.Header.Get("Content-Type") != "application/json" {
			t.Errorf("accept %q: %s", accept, res.Header.Get("Content-Type"))
		}
	}
}

func TestSSEHeartbeat(t *testing.T) {
	send := make(chan string)
	r := start(t, Config{DefaultRoutes: true, SSEHeartbeat: time.Millisecond}, echo{
		watch: func(ctx context.Context, _ *text, to Sender[*text]) error {
			for {
				select {
				case s, ok := <-send:
					if !ok {
						return errors.New("failed")
					}
					if err := to.Send(wrapperspb.String(s)); err != nil {
						return err
					}
				case <-ctx.Done():
					return ctx.Err()
				}
			}
		},
		say: func(ctx context.Context, m *text) (*text, error) {
			<-send
			return m, nil
		},
	}.service())
	// The header comes with the first comment, before any message.
	res := r.request(t.Context(), "POST", watchMethod, http.NoBody, "Accept", "text/event-stream")
	defer res.Body.Close()
	if res.Header.Get("Content-Type") != "text/event-stream" || res.Header.Get("Cache-Control") != "no-cache" {
		t.Errorf("header %v", res.Header)
	}
	lines := bufio.NewReader(res.Body)
	expect := func(want string) {
		t.Helper()
		for {
			line, err := lines.ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			if line != ":\n" && line != "\n" {
				if line != want+"\n" {
					t.Errorf("line %q, want %q", line, want)
				}
				return
			}
		}
	}
	if line, _ := lines.ReadString('\n'); line != ":\n" {
		t.Errorf("first line %q, want a comment", line)
	}
	for _, s := range []string{"a", "b"} {
		send <- s
		expect(`data: "` + s + `"`)
		if line, _ := lines.ReadString('\n'); line != "\n" {
			t.Errorf("an event ends with %q", line)
		}
		if line, _ := lines.ReadString('\n'); line != ":\n" {
			t.Errorf("after an event comes %q, want a comment", line)
		}
	}
	close(send)
	expect("event: error")
	expect(`data: {"code":2,"message":"failed","details":[]}`)
	if _, err := io.ReadAll(lines); err != nil {
		t.Error(err)
	}
	// Answers that are no stream get no comments.
	if _, body := r.do("POST", sayMethod, `"x"`, "Accept", "text/event-stream"); body != `"x"` {
		t.Errorf("no stream: %q", body)
	}
}

// A comment that comes when the handler has returned is not written.
func TestSSELateComment(t *testing.T) {
	rec := httptest.NewRecorder()
	call := &httpCall{}
	call.stream.Store(true)
	w := &sseWriter{w: rec, rc: http.NewResponseController(rec), header: http.Header{}, call: call}
	w.beat(time.Hour)
	w.comment()
	w.close()
	w.comment()
	if got := rec.Body.String(); got != ":\n\n" {
		t.Errorf("%q", got)
	}
}

func TestSSELines(t *testing.T) {
	m := &sseMarshaler{linesMarshaler{JSONDefault.marshaler()}}
	b, err := m.Marshal(map[string]any{"result": &text{}})
	if err != nil || string(b) != "data: a\ndata: b\ndata: \ndata: c\n" {
		t.Errorf("%q, %v", b, err)
	}
}

func TestCORS(t *testing.T) {
	r := start(t, Config{
		DefaultRoutes: true, CORSOrigins: []string{"http://page.example"}, Token: "secret",
		GRPC: []string{"127.0.0.1:0"}, HTTP: []string{"127.0.0.1:0"},
	}, echo{}.service())
	ask := []string{"Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "authorization"}
	res, _ := r.do("OPTIONS", sayMethod, "", append(ask, "Origin", "http://page.example")...)
	if res.StatusCode != 204 {
		t.Errorf("preflight: %s", res.Status)
	}
	for key, want := range map[string]string{
		"Access-Control-Allow-Origin": "http://page.example", "Access-Control-Allow-Methods": "POST",
		"Access-Control-Allow-Headers": "authorization", "Access-Control-Allow-Credentials": "",
	} {
		if got := res.Header.Get(key); got != want {
			t.Errorf("%s: %q, want %q", key, got, want)
		}
	}
	res, _ = r.do("OPTIONS", sayMethod, "",
		append(ask, "Origin", "http://other.example", "Authorization", "Bearer secret")...)
	if res.StatusCode != 501 || res.Header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("preflight of another origin: %s %v", res.Status, res.Header)
	}
	res, body := r.do("POST", sayMethod, `"x"`, "Origin", "http://page.example", "Sec-Fetch-Site", "cross-site",
		"Authorization", "Bearer secret")
	allowed := res.Header.Get("Access-Control-Allow-Origin")
	if res.StatusCode != 200 || body != `"x"` || allowed != "http://page.example" {
		t.Errorf("call: %s %s %v", res.Status, body, res.Header)
	}
	// Errors can be read by pages, too.
	res, _ = r.do("POST", sayMethod, `"x"`, "Origin", "http://page.example")
	if res.StatusCode != 401 || res.Header.Get("Access-Control-Allow-Origin") != "http://page.example" {
		t.Errorf("call without token: %s %v", res.Status, res.Header)
	}
}

func TestCrossSite(t *testing.T) {
	r := start(t, Config{DefaultRoutes: true}, echo{}.service())
	for _, tt := range []struct {
		header []string
		status int
	}{
		{nil, 200},
		{[]string{"Origin", r.url}, 200},
		{[]string{"Sec-Fetch-Site", "same-origin"}, 200},
		{[]string{"Origin", "http://evil.example"}, 403},
		{[]string{"Sec-Fetch-Site", "cross-site", "Content-Type", "text/plain"}, 403},
	} {
		if res, body := r.do("POST", sayMethod, `"x"`, tt.header...); res.StatusCode != tt.status {
			t.Errorf("%q: %s %s, want %d", tt.header, res.Status, body, tt.status)
		}
	}
	r.log.find(t, "request", "method", "POST "+sayMethod, "status", 403.0)
}

// A page that lets a name of its own stand for 127.0.0.1 gets nowhere.
func TestHosts(t *testing.T) {
	listen := []string{"127.0.0.1:0"}
	plain := start(t, Config{DefaultRoutes: true, HTTP: listen}, echo{}.service())
	named := start(t, Config{DefaultRoutes: true, HTTP: listen, Hosts: []string{"Proxy.example", "192.0.2.1"},
		CORSOrigins: []string{"http://page.example:8080"}}, echo{}.service())
	any := start(t, Config{DefaultRoutes: true, HTTP: listen, Hosts: []string{"*"}}, echo{}.service())
	all := start(t, Config{DefaultRoutes: true, HTTP: listen, CORSOrigins: []string{"*"}}, echo{}.service())
	open := start(t, Config{DefaultRoutes: true, HTTP: []string{"0.0.0.0:0"}, Insecure: true}, echo{}.service())
	for _, tt := range []struct {
		host string
		ok   []*running // which answer
	}{
		{"localhost", []*running{plain, named, any, all, open}},
		{"LOCALHOST:80", []*running{plain, named, any, all, open}},
		{"localhost.:80", []*running{plain, named, any, all, open}},
		{"shop.localhost:80", []*running{plain, named, any, all, open}},
		{"127.0.0.1:80", []*running{plain, named, any, all, open}},
		{"127.1.2.3", []*running{plain, named, any, all, open}},
		{"[::1]", []*running{plain, named, any, all, open}},
		{"[::1]:80", []*running{plain, named, any, all, open}},
		{"proxy.example:443", []*running{named, any, all, open}},
		{"192.0.2.1", []*running{named, any, all, open}},
		{"page.example", []*running{named, any, all, open}},
		{"evil.example", []*running{any, all, open}},
		{"localhost.evil.example", []*running{any, all, open}},
		{"127.0.0.1.evil.example:80", []*running{any, all, open}},
		{"notlocalhost", []*running{any, all, open}},
		{"192.0.2.2:80", []*running{any, all, open}},
		{"0.0.0.0", []*running{any, all, open}},
	} {
		for i, r := range []*running{plain, named, any, all, open} {
			req, _ := http.NewRequestWithContext(t.Context(), "POST", r.url+sayMethod, strings.NewReader(`"x"`))
			req.Host = tt.host
			req.Header.Set("Origin", "http://"+tt.host) // the same, for a browser
			res, err := r.http.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			b, _ := io.ReadAll(res.Body)
			res.Body.Close()
			want := 403
			if slices.Contains(tt.ok, r) {
				want = 200
			}
			if res.StatusCode != want {
				t.Errorf("server %d, host %s: %s %s, want %d", i, tt.host, res.Status, b, want)
			}
			if want == 403 && !strings.Contains(string(b), "Config.Hosts") {
				t.Errorf("host %s: %s", tt.host, b)
			}
		}
	}
	plain.log.find(t, "request", "method", "POST "+sayMethod, "status", 403.0)
}

// Socket files are for any host, and clients that name none are served.
func TestHostsElsewhere(t *testing.T) {
	r := start(t, Config{
		GRPC: []string{"127.0.0.1:0"}, HTTP: []string{"unix://" + socketPath(t), "127.0.0.1:0"},
	}, echo{}.service())
	for _, tt := range []struct{ request, want string }{
		{"GET /readyz HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n", "HTTP/1.1 200 OK"},
		{"GET /readyz HTTP/1.0\r\n\r\n", "HTTP/1.0 200 OK"},
	} {
		for _, a := range r.HTTPAddrs() {
			want := tt.want
			if !isUnix(a) && strings.Contains(tt.request, "evil") {
				want = "HTTP/1.1 403 Forbidden"
			}
			conn, err := net.Dial(a.Network(), a.String())
			if err != nil {
				t.Fatal(err)
			}
			conn.SetDeadline(time.Now().Add(patience))
			io.WriteString(conn, tt.request)
			answer, _ := io.ReadAll(conn)
			conn.Close()
			if !strings.HasPrefix(string(answer), want) {
				t.Errorf("%s, %q: %s, want %s", a, tt.request, answer, want)
			}
		}
	}
}
