package skaffold

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"
)

// curl runs curl against the server, and returns its standard output: the
// response as it came over the wire.
func (s *server) curl(t *testing.T, r request) *exec.Cmd {
	t.Helper()
	curl, err := exec.LookPath("curl")
	if err != nil {
		t.Skip("curl is not installed, so nothing shows what it gets: install it to run this test")
	}
	args := []string{
		"--silent", "--show-error", "--http1.1", "--include", "--raw", "--no-buffer", "--noproxy", "*",
		"--max-time", fmt.Sprint(int(patience / time.Second)),
		"--request", r.method,
	}
	for _, h := range r.header {
		args = append(args, "--header", h)
	}
	if r.body != noBody {
		args = append(args, "--data-raw", r.body)
		if !strings.Contains(strings.ToLower(strings.Join(r.header, "\n")), "content-type:") {
			args = append(args, "--header", "Content-Type: application/json")
		}
	}
	return exec.CommandContext(limited(t), curl, append(args, "http://"+s.http+r.path)...)
}

// request is what curl sends.
type request struct {
	method, path string
	body         string // noBody: none is sent
	header       []string
}

const noBody = "\x00"

func get(path string) request        { return request{"GET", path, noBody, nil} }
func post(path, body string) request { return request{"POST", path, body, nil} }
func put(path, body string) request  { return request{"PUT", path, body, nil} }

// do sends a request that is answered with one message.
func (s *server) do(t *testing.T, r request) (*http.Response, []byte) {
	t.Helper()
	out, err := s.curl(t, r).Output()
	if err != nil {
		t.Fatalf("%s %s: %v", r.method, r.path, err)
	}
	res, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(out)), &http.Request{Method: r.method})
	must(t, err)
	body, err := io.ReadAll(res.Body)
	must(t, err)
	return res, body
}

// follow sends a request that is answered with a stream, which ends with the
// test.
func (s *server) follow(t *testing.T, r request) (*http.Response, *bufio.Reader) {
	t.Helper()
	cmd := s.curl(t, r)
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // which says that it was killed
	})
	res, err := http.ReadResponse(bufio.NewReader(out), &http.Request{Method: r.method})
	must(t, err)
	return res, bufio.NewReader(res.Body)
}

// match compares what was parsed from JSON. A string "~x" is the regular
// expression x, for strings.
func match(t *testing.T, at string, want, got any) {
	t.Helper()
	if pattern, ok := want.(string); ok && strings.HasPrefix(pattern, "~") {
		if text, ok := got.(string); !ok || !regexp.MustCompile(`^(?:`+pattern[1:]+`)$`).MatchString(text) {
			t.Errorf("%s is %#v, want a string like %s", at, got, pattern[1:])
		}
		return
	}
	w, ok1 := want.(map[string]any)
	g, ok2 := got.(map[string]any)
	if !ok1 || !ok2 {
		if !reflect.DeepEqual(want, got) {
			t.Errorf("%s is %#v, want %#v", at, got, want)
		}
		return
	}
	for k := range w {
		if _, ok := g[k]; !ok {
			t.Errorf("%s has no %q", at, k)
			continue
		}
		match(t, at+"."+k, w[k], g[k])
	}
	for k := range g {
		if _, ok := w[k]; !ok {
			t.Errorf("%s has %q, which is %#v", at, k, g[k])
		}
	}
}

func parse(t *testing.T, text string) (v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return v
}

func failure(code int, message string) string {
	return fmt.Sprintf(`{"code":%d,"message":%q,"details":[]}`, code, message)
}

const (
	state1 = `{
		"buildState": {
			"artifacts": {"example.com/web": "Not Started", "example.com/api": "Not Started"},
			"autoTrigger": true, "statusCode": "OK"},
		"deployState": {"status": "Not Started", "autoTrigger": true, "statusCode": "OK"},
		"forwardedPorts": {},
		"statusCheckState": {"status": "Not Started", "resources": {}, "statusCode": "OK"},
		"fileSyncState": {"status": "Not Started", "autoTrigger": true},
		"debuggingContainers": [],
		"metadata": {
			"build": {"numberOfArtifacts": 2, "builders": [{"type": "DOCKER", "count": 2}], "type": "LOCAL", "additional": {}},
			"deploy": {"deployers": [{"type": "KUBECTL", "count": 1}], "cluster": "MINIKUBE"},
			"additional": {}}}`
	state2 = `{
		"buildState": {
			"artifacts": {"example.com/web": "NotStarted", "example.com/api": "NotStarted"},
			"autoTrigger": true, "statusCode": "OK"},
		"deployState": {"status": "NotStarted", "autoTrigger": true, "statusCode": "OK"},
		"forwardedPorts": {},
		"statusCheckState": {"status": "NotStarted", "resources": {}, "statusCode": "OK"},
		"fileSyncState": {"status": "NotStarted", "autoTrigger": true},
		"debuggingContainers": [],
		"metadata": {
			"build": {
				"artifacts": [
					{"type": "DOCKER", "name": "example.com/web", "context": "web", "dockerfile": "Dockerfile"},
					{"type": "DOCKER", "name": "example.com/api", "context": "api", "dockerfile": "Dockerfile"}],
				"type": "LOCAL", "additional": {}},
			"deploy": {"deployers": [{"type": "KUBECTL", "count": 1}], "cluster": "MINIKUBE"},
			"test": null,
			"runID": "demo",
			"render": {"Renderers": []},
			"additional": {}},
		"testState": {"status": "NotStarted", "statusCode": "OK"},
		"renderState": {"status": "NotStarted", "statusCode": "OK"},
		"verifyState": {"status": "NotStarted", "statusCode": "OK"},
		"execState": {"status": "NotStarted", "statusCode": "OK"}}`
)

// The texts of errors that several rows have.
const (
	missing    = "missing required boolean parameter 'enabled'"
	notFound   = "Not Found"
	notAllowed = "Method Not Allowed"
	syntax     = "~.*(syntax error|invalid character|unexpected end|unexpected EOF).*"
)

func TestUnaryRoutes(t *testing.T) {
	form := "Content-Type: application/x-www-form-urlencoded"
	override := "X-HTTP-Method-Override: PUT"
	set1 := func(stage string) string { return "/v1/" + stage + "/auto_execute" }
	set2 := func(stage string) string { return "/v2/" + stage + "/auto_execute" }
	tests := []struct {
		name   string
		req    request
		status int
		body   string // as JSON
	}{
		// One row per route.
		{"v1 GetState", get("/v1/state"), 200, state1},
		{"v1 Execute", post("/v1/execute", `{"sync":true}`), 200, `{}`},
		{"v1 AutoBuild", put(set1("build"), `{"enabled":false}`), 200, `{}`},
		{"v1 AutoSync", put(set1("sync"), `{"enabled":false}`), 200, `{}`},
		{"v1 AutoDeploy", put(set1("deploy"), `{"enabled":false}`), 200, `{}`},
		{"v1 Handle", post("/v1/events/handle", `{"metaEvent":{"entry":"x"}}`), 200, `{}`},
		{"v2 GetState", get("/v2/state"), 200, state2},
		{"v2 Execute", post("/v2/execute", `{"devloop":true}`), 200, `{}`},
		{"v2 AutoBuild", put(set2("build"), `{"enabled":false}`), 200, `{}`},
		{"v2 AutoSync", put(set2("sync"), `{"enabled":false}`), 200, `{}`},
		{"v2 AutoDeploy", put(set2("deploy"), `{"enabled":false}`), 200, `{}`},
		{"v2 Handle", post("/v2/events/handle", `{"metaEvent":{"entry":"x"}}`), 200, `{}`},

		// A trigger that is set already.
		{"v1 build twice", put(set1("build"), `{"enabled":true}`), 409, failure(6, "auto build is already set to true")},
		{"v1 sync twice", put(set1("sync"), `{"enabled":true}`), 409, failure(6, "auto sync is already set to true")},
		{"v1 deploy twice", put(set1("deploy"), `{"enabled":true}`), 409, failure(6, "auto deploy is already set to true")},
		{"v2 build twice", put(set2("build"), `{"enabled":true}`), 409, failure(6, "auto Build is already set to true")},
		{"v2 sync twice", put(set2("sync"), `{"enabled":true}`), 409, failure(6, "auto Sync is already set to true")},
		{"v2 deploy twice", put(set2("deploy"), `{"enabled":true}`), 409, failure(6, "auto Deploy is already set to true")},

		// Without "enabled": an error in v1, false in v2.
		{"v1 build without a value", put(set1("build"), `{}`), 400, failure(3, missing)},
		{"v1 sync without a value", put(set1("sync"), `{}`), 400, failure(3, missing)},
		{"v1 deploy without a value", put(set1("deploy"), `{}`), 400, failure(3, missing)},
		{"v1 null", put(set1("build"), `{"enabled":null}`), 400, failure(3, missing)},
		{"v1 wrapped in state", put(set1("build"), `{"state":{"enabled":false}}`), 400, failure(3, missing)},
		{"v2 build without a value", put(set2("build"), `{}`), 200, `{}`},
		{"v2 sync without a value", put(set2("sync"), `{}`), 200, `{}`},
		{"v2 deploy without a value", put(set2("deploy"), `{}`), 200, `{}`},
		{"v2 wrapped in state", put(set2("build"), `{"state":{"enabled":true}}`), 200, `{}`},

		// Without a body.
		{"v1 execute without a body", post("/v1/execute", noBody), 200, `{}`},
		{"v2 execute without a body", post("/v2/execute", noBody), 200, `{}`},
		{"v1 execute with an empty body", post("/v1/execute", ""), 200, `{}`},
		{"v1 build without a body", put(set1("build"), noBody), 400, failure(3, missing)},
		{"v2 build without a body", put(set2("build"), noBody), 200, `{}`},
		{"v1 handle without a body", post("/v1/events/handle", noBody), 200, `{}`},
		{"v2 handle without a body", post("/v2/events/handle", noBody), 200, `{}`},

		// What is in a body.
		{"v1 execute nothing", post("/v1/execute", `{}`), 200, `{}`},
		{"v2 execute nothing", post("/v2/execute", `{}`), 200, `{}`},
		{"v1 unknown field", post("/v1/execute", `{"news":[1,{}]}`), 200, `{}`},
		{"v2 unknown field", post("/v2/events/handle", `{"news":1,"taskEvent":{"more":{}}}`), 200, `{}`},
		{"v2 names of the .proto file", post("/v2/events/handle", `{"buildSubtaskEvent":{"task_id":"x"}}`), 200, `{}`},
		{"v2 names in camel case", post("/v2/events/handle", `{"buildSubtaskEvent":{"taskId":"x"}}`), 200, `{}`},
		{"v2 both names at once", post("/v2/events/handle", `{"buildSubtaskEvent":{"taskId":"x","task_id":"y"}}`),
			400, failure(3, "~.*duplicate field.*")},
		{"v2 two kinds at once", post("/v2/events/handle", `{"metaEvent":{},"taskEvent":{}}`),
			400, failure(3, "~.*oneof.*already set.*")},
		{"v1 wrong type", put(set1("build"), `{"enabled":"yes"}`), 400, failure(3, "~.*invalid value for bool.*")},
		{"v2 wrong type", put(set2("build"), `{"enabled":1}`), 400, failure(3, "~.*invalid value for bool.*")},
		{"v1 number too large", post("/v1/events/handle", `{"portEvent":{"localPort":2147483648}}`),
			400, failure(3, "~.*invalid value for int32.*")},
		{"v1 unknown enum", post("/v1/events/handle", `{"deployEvent":{"errCode":7777777}}`), 200, `{}`},
		{"v1 bad JSON for execute", post("/v1/execute", `{`), 400, failure(3, syntax)},
		{"v1 bad JSON for build", put(set1("build"), `enabled`), 400, failure(3, syntax)},
		{"v1 bad JSON for handle", post("/v1/events/handle", `{"metaEvent":}`), 400, failure(3, syntax)},
		{"v2 bad JSON for execute", post("/v2/execute", `{`), 400, failure(3, syntax)},
		{"v2 bad JSON for deploy", put(set2("deploy"), `enabled`), 400, failure(3, syntax)},
		{"v2 bad JSON for handle", post("/v2/events/handle", `[]`), 400, failure(3, "~.*unexpected token.*")},
		{"JSON under another type", request{"PUT", set1("build"), `{"enabled":false}`, []string{"Content-Type: text/plain"}},
			200, `{}`},

		// Paths and verbs.
		{"unknown path", get("/v1/nonsense"), 404, failure(5, notFound)},
		{"unknown version", get("/v3/state"), 404, failure(5, notFound)},
		{"root", get("/"), 404, failure(5, notFound)},
		{"slash at the end", get("/v1/state/"), 404, failure(5, notFound)},
		{"v1 logs of applications", get("/v1/applicationLogs"), 404, failure(5, notFound)},
		{"v2 event log", get("/v2/event_log"), 404, failure(5, notFound)},
		{"v1 state by POST", post("/v1/state", `{}`), 501, failure(12, notAllowed)},
		{"v2 events by DELETE", request{"DELETE", "/v2/events", noBody, nil}, 501, failure(12, notAllowed)},
		{"v1 execute by GET", get("/v1/execute"), 501, failure(12, notAllowed)},
		{"v2 build by POST", post(set2("build"), `{}`), 501, failure(12, notAllowed)},
		{"v2 handle by PUT", put("/v2/events/handle", `{}`), 501, failure(12, notAllowed)},
		{"v1 OPTIONS", request{"OPTIONS", "/v1/state", noBody, []string{"Origin: http://example.com"}},
			501, failure(12, notAllowed)},
		{"v2 OPTIONS", request{"OPTIONS", "/v2/execute", noBody, nil}, 501, failure(12, notAllowed)},

		// Forms.
		{"form instead of GET", request{"POST", "/v1/state", "", []string{form}}, 200, state1},
		{"form instead of PUT", request{"POST", set2("build"), "", []string{form}}, 501, failure(12, notAllowed)},
		{"form that says PUT", request{"POST", set2("build"), "", []string{form, override}}, 200, `{}`},
		{"v1 form that says PUT", request{"POST", set1("build"), "enabled=true", []string{form, override}},
			400, failure(3, missing)},
		{"JSON that says PUT", request{"POST", set2("build"), `{}`, []string{override}}, 501, failure(12, notAllowed)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			res, body := start(t).do(t, test.req)
			if res.StatusCode != test.status {
				t.Errorf("status %d, want %d", res.StatusCode, test.status)
			}
			match(t, "body", parse(t, test.body), parse(t, string(body)))
			mustBeJSON(t, res)
			if got := res.Header.Get("Grpc-Metadata-Content-Type"); test.status == 200 && got != "application/grpc" {
				t.Errorf("Grpc-Metadata-Content-Type is %q", got)
			}
		})
	}
}

// mustBeJSON checks the headers that all answers have, and that they have no
// others that say something.
func mustBeJSON(t *testing.T, res *http.Response) {
	t.Helper()
	if got := res.Header.Get("Content-Type"); got != "application/json" {
		t.Errorf("Content-Type is %q", got)
	}
	for name := range res.Header {
		if strings.HasPrefix(name, "Access-Control-") || name == "Trailer" || name == "Grpc-Trailer" {
			t.Errorf("there is a header %s: %s", name, res.Header[name])
		}
	}
}

// What a control route has done shows in the state of its version.
func TestEffects(t *testing.T) {
	type change = func(state map[string]any)
	field := func(state map[string]any, path ...string) map[string]any {
		for _, name := range path {
			state = state[name].(map[string]any)
		}
		return state
	}
	off := func(part string) change {
		return func(s map[string]any) { field(s, part)["autoTrigger"] = false }
	}
	for _, test := range []struct {
		name  string
		req   request
		state string // path
		want  change
	}{
		{"v1 build", put("/v1/build/auto_execute", `{"enabled":false}`), "/v1/state", off("buildState")},
		{"v1 sync", put("/v1/sync/auto_execute", `{"enabled":false}`), "/v1/state", off("fileSyncState")},
		{"v1 deploy", put("/v1/deploy/auto_execute", `{"enabled":false}`), "/v1/state", off("deployState")},
		{"v2 build", put("/v2/build/auto_execute", `{}`), "/v2/state", off("buildState")},
		{"v2 sync", put("/v2/sync/auto_execute", `{}`), "/v2/state", off("fileSyncState")},
		{"v2 deploy", put("/v2/deploy/auto_execute", `{}`), "/v2/state", off("deployState")},
		{"v1 is not v2", put("/v1/build/auto_execute", `{"enabled":false}`), "/v2/state", func(map[string]any) {}},
		{"v2 is not v1", put("/v2/build/auto_execute", `{}`), "/v1/state", func(map[string]any) {}},
		{"form that says PUT",
			request{"POST", "/v2/build/auto_execute", "", []string{
				"Content-Type: application/x-www-form-urlencoded", "X-HTTP-Method-Override: PUT"}},
			"/v2/state", off("buildState")},
		{"v1 handle", post("/v1/events/handle", `{"portEvent":{"localPort":-7,"targetPort":{"strVal":"http"}}}`),
			"/v1/state", func(s map[string]any) {
				field(s, "forwardedPorts")["-7"] = map[string]any{
					"localPort": -7.0, "remotePort": 0.0, "podName": "", "containerName": "", "namespace": "", "portName": "",
					"resourceType": "", "resourceName": "", "address": "",
					"targetPort": map[string]any{"type": 0.0, "intVal": 0.0, "strVal": "http"},
				}
			}},
		{"v2 handle", post("/v2/events/handle", `{"testEvent":{"status":"Failed"}}`),
			"/v2/state", func(s map[string]any) { field(s, "testState")["status"] = "Failed" }},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := start(t)
			if res, body := s.do(t, test.req); res.StatusCode != 200 {
				t.Fatalf("status %d, body %s", res.StatusCode, body)
			}
			want := parse(t, map[string]string{"/v1/state": state1, "/v2/state": state2}[test.state])
			test.want(want.(map[string]any))
			res, body := s.do(t, get(test.state))
			match(t, "state", want, parse(t, string(body)))
			if got := res.Header.Get("Grpc-Metadata-Skaffold-Last-Event"); got == "" {
				t.Error("the state does not say up to which event it goes")
			}
		})
	}
}

const someTime = "~[0-9-]+T[0-9:.]+Z"

func TestStreamRoutes(t *testing.T) {
	const sse = "Accept: text/event-stream"
	build1 := post("/v1/events/handle", `{"buildEvent":{"artifact":"a<b>&\"c\"","status":"In Progress"}}`)
	line1 := `{"timestamp":"` + someTime + `","entry":"Build started for artifact a<b>&\"c\"","event":{"buildEvent":{
		"artifact":"a<b>&\"c\"","status":"In Progress","err":"","errCode":"OK","actionableErr":null}}}`
	build2 := post("/v2/events/handle", `{"buildSubtaskEvent":{"taskId":"<&>","status":"Failed",
		"actionableErr":{"errCode":"BUILD_UNKNOWN","message":"no\nluck"}}}`)
	line2 := `{"timestamp":"` + someTime + `","buildSubtaskEvent":{"id":"","task_id":"<&>","artifact":"","step":"",
		"status":"Failed","actionableErr":{"errCode":"BUILD_UNKNOWN","message":"no\nluck","suggestions":[]},
		"hostPlatform":"","targetPlatforms":""}}`
	empty2 := post("/v2/events/handle", noBody)
	cloud2 := post("/v2/events/handle", `{"cloudRunReadyEvent":{"readyRevision":"r"}}`)
	log2 := post("/v2/events/handle", `{"applicationLogEvent":{"message":"<hello>"}}`)
	timeout := []string{"Grpc-Timeout: 200m"} // milliseconds

	for _, test := range []struct {
		name   string
		before []request
		req    request
		status int
		lines  []string // what follows "result" or "error"
	}{
		{"v1 Events", []request{build1, build1}, get("/v1/events"), 200, []string{line1, line1}},
		{"v1 EventLog", []request{build1}, get("/v1/event_log"), 200, []string{line1}},
		{"v2 Events", []request{log2, build2, cloud2, empty2}, get("/v2/events"), 200, []string{
			line2,
			`{"timestamp":"` + someTime + `","cloudRunReadyEvent":{
				"id":"","task_id":"","resource":"","url":"","ready_revision":"r"}}`,
			`{"timestamp":"` + someTime + `"}`,
		}},
		{"v2 ApplicationLogs", []request{build2, log2}, get("/v2/applicationLogs"), 200, []string{
			`{"timestamp":"` + someTime + `","applicationLogEvent":{
				"containerName":"","podName":"","prefix":"","message":"<hello>","richFormattedMessage":""}}`,
		}},
		{"v1 after an event", []request{build1, build1},
			request{"GET", "/v1/events", noBody, []string{"Grpc-Metadata-Skaffold-After-Event: 1"}}, 200, []string{line1}},
		{"v2 form instead of GET", []request{build2},
			request{"POST", "/v2/events", "", []string{"Content-Type: application/x-www-form-urlencoded"}},
			200, []string{line2}},

		{"error before the first message", []request{build2},
			request{"GET", "/v2/events", noBody, []string{"Grpc-Metadata-Skaffold-After-Event: x"}},
			400, []string{failure(3, `~skaffold-after-event: "x" is no number of an event: .*`)}},
		{"error for what is beyond the log", nil,
			request{"GET", "/v1/events", noBody, []string{"Grpc-Metadata-Skaffold-After-Event: 7"}},
			400, []string{failure(11, `event 8 is ahead of the log: the last is 0`)}},
		{"deadline before the first message", nil,
			request{"GET", "/v2/applicationLogs", noBody, timeout}, 504, []string{failure(4, "~.+")}},
		{"deadline after a message", []request{build2},
			request{"GET", "/v2/events", noBody, timeout}, 200, []string{line2, failure(4, "~.+")}},

		{"v1 as server-sent events", []request{build1, build1},
			request{"GET", "/v1/events", noBody, []string{sse}}, 200, []string{line1, line1}},
		{"v2 as server-sent events", []request{build2},
			request{"GET", "/v2/events", noBody, []string{sse}}, 200, []string{line2}},
		{"error as server-sent event", nil,
			request{"GET", "/v2/events", noBody, []string{sse, "Grpc-Metadata-Skaffold-After-Event: x"}},
			400, []string{failure(3, `~skaffold-after-event: .*`)}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := start(t)
			for _, r := range test.before {
				if res, body := s.do(t, r); res.StatusCode != 200 {
					t.Fatalf("status %d, body %s", res.StatusCode, body)
				}
			}
			res, body := s.follow(t, test.req)
			if res.StatusCode != test.status {
				t.Errorf("status %d, want %d", res.StatusCode, test.status)
			}
			if res.StatusCode == 200 && fmt.Sprint(res.TransferEncoding) != "[chunked]" {
				t.Errorf("the stream is not chunked: %v", res.Header)
			}
			isSSE := strings.Contains(strings.Join(test.req.header, "\n"), sse)
			if !isSSE {
				mustBeJSON(t, res)
			} else if got := res.Header.Get("Content-Type"); got != "text/event-stream" {
				t.Errorf("Content-Type is %q", got)
			}
			for i, want := range test.lines {
				read := readLine
				if isSSE {
					read = readEvent
				}
				kind, got := read(t, body)
				wantKind := "result"
				if strings.HasPrefix(want, `{"code"`) {
					wantKind = "error"
				}
				if kind != wantKind {
					t.Errorf("message %d is a %s, want a %s: %s", i+1, kind, wantKind, got)
				}
				match(t, wantKind, parse(t, want), parse(t, got))
			}
		})
	}
}

// readLine reads a line of a stream, and checks its form.
func readLine(t *testing.T, r *bufio.Reader) (kind, message string) {
	t.Helper()
	line, err := r.ReadString('\n')
	must(t, err)
	mustBeCompact(t, strings.TrimSuffix(line, "\n"))
	var object map[string]json.RawMessage
	if err := json.Unmarshal([]byte(line), &object); err != nil || len(object) != 1 {
		t.Fatalf("line %s is not an object with one field: %v", line, err)
	}
	for kind, raw := range object {
		return kind, string(raw)
	}
	return "", ""
}

// readEvent reads a Server-Sent Event.
func readEvent(t *testing.T, r *bufio.Reader) (kind, message string) {
	t.Helper()
	kind = "result"
	for {
		line, err := r.ReadString('\n')
		must(t, err)
		line = strings.TrimSuffix(line, "\n")
		if name, ok := strings.CutPrefix(line, "event: "); ok {
			kind = name
		}
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			message = data
		}
		if line == "" && message != "" {
			return kind, message
		}
	}
}

// mustBeCompact checks that there is no space that JSON does not need, and that
// what HTML gives a meaning is escaped.
func mustBeCompact(t *testing.T, line string) {
	t.Helper()
	var compact bytes.Buffer
	must(t, json.Compact(&compact, []byte(line)))
	if compact.String() != line || strings.ContainsAny(line, "<>&") {
		t.Errorf("a line is not compact and escaped: %s", line)
	}
}
