package gogen_test

import (
	"iter"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/enums/skaffoldenumskit"
	"github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v1/skaffoldv1kit"
)

// codeFact is what is known of a code, in the words of the tables of facts.
type codeFact struct {
	Name, Number, Phase, Class, Section, Description string
	Deprecated                                       bool
}

// era is an edition of Skaffold: its tables of facts, and its kit.
type era struct {
	name                 string
	enums                string
	statuses, suggestion int // how many there are
	kitStatuses          func(yield func(codeFact) bool)
	kitSuggestions       func(yield func(codeFact) bool)
	// suggestionsOf are the suggestions of a code, and classify the code and the
	// suggestions of a text.
	suggestionsOf func(status string) []suggestionFact
	classify      func(phase, text string) (string, []suggestionFact)
}

type suggestionFact struct{ Code, Action string }

var eras = []era{
	{
		name: "v1", enums: "skaffold-v1-enums-seed002.tsv", statuses: 103, suggestion: 40,
		kitStatuses: mapSeq(skaffoldv1kit.StatusCodes(), func(i *skaffoldv1kit.StatusCodeInfo) codeFact {
			return codeFact{i.Name, number(i.Number), i.Phase.String(), i.Class.String(), i.Section, i.Description, i.Deprecated}
		}),
		kitSuggestions: mapSeq(skaffoldv1kit.SuggestionCodes(), func(i *skaffoldv1kit.SuggestionCodeInfo) codeFact {
			return codeFact{Name: i.Name, Number: number(i.Number), Section: i.Section, Description: i.Description, Deprecated: i.Deprecated}
		}),
		suggestionsOf: func(status string) []suggestionFact {
			code, _ := skaffoldv1kit.StatusCodeByName(status)
			return collect(skaffoldv1kit.StatusCodeSuggestions(code), suggestionV1)
		},
		classify: func(phase, text string) (string, []suggestionFact) {
			for i := range skaffoldv1kit.StatusCodePhase(50) {
				if i.String() == phase {
					code, suggestions := skaffoldv1kit.ClassifyStatusCode(i, textError(text))
					return code.String(), collect(suggestions, suggestionV1)
				}
			}
			return "", nil
		},
	},
	{
		name: "v2", enums: "skaffold-enums-v2.tsv", statuses: 201, suggestion: 73,
		kitStatuses: mapSeq(skaffoldenumskit.StatusCodes(), func(i *skaffoldenumskit.StatusCodeInfo) codeFact {
			return codeFact{i.Name, number(i.Number), i.Phase.String(), i.Class.String(), i.Section, i.Description, i.Deprecated}
		}),
		kitSuggestions: mapSeq(skaffoldenumskit.SuggestionCodes(), func(i *skaffoldenumskit.SuggestionCodeInfo) codeFact {
			return codeFact{Name: i.Name, Number: number(i.Number), Section: i.Section, Description: i.Description, Deprecated: i.Deprecated}
		}),
		suggestionsOf: func(status string) []suggestionFact {
			code, _ := skaffoldenumskit.StatusCodeByName(status)
			return collect(skaffoldenumskit.StatusCodeSuggestions(code), suggestionV2)
		},
		classify: func(phase, text string) (string, []suggestionFact) {
			for i := range skaffoldenumskit.StatusCodePhase(50) {
				if i.String() == phase {
					code, suggestions := skaffoldenumskit.ClassifyStatusCode(i, textError(text))
					return code.String(), collect(suggestions, suggestionV2)
				}
			}
			return "", nil
		},
	},
}

func suggestionV1(s skaffoldv1kit.StatusCodeSuggestion) suggestionFact {
	return suggestionFact{s.Code.String(), s.Action}
}

func suggestionV2(s skaffoldenumskit.StatusCodeSuggestion) suggestionFact {
	return suggestionFact{s.Code.String(), s.Action}
}

type textError string

func (e textError) Error() string { return string(e) }

func number(n int32) string { return strconv.Itoa(int(n)) }

func mapSeq[A, B any](seq iter.Seq[A], f func(A) B) iter.Seq[B] {
	return func(yield func(B) bool) {
		for a := range seq {
			if !yield(f(a)) {
				return
			}
		}
	}
}

func collect[A, B any](seq iter.Seq[A], f func(A) B) []B {
	var list []B
	for a := range seq {
		list = append(list, f(a))
	}
	return list
}

// readFacts reads a table of facts without its header.
func readFacts(t *testing.T, name string) [][]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../testdata/facts", name))
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]string
	for _, line := range strings.Split(strings.TrimRight(string(text), "\n"), "\n")[1:] {
		rows = append(rows, strings.Split(line, "\t"))
	}
	return rows
}

// headings are where a detached comment is no heading, or where the heading is
// elsewhere; skaffold-gen.yaml says so too.
var headings = map[string]string{
	"STATUSCHECK_KUBECTL_CLIENT_FETCH_ERR":     "K8 infra errors",
	"STATUSCHECK_CONFIG_CONNECTOR_IN_PROGRESS": "Config Connector resource states",
	"RENDER_KPTFILE_INIT_ERR":                  "Render errors",
}

func enumFacts(t *testing.T, file, enum string) []codeFact {
	t.Helper()
	var facts []codeFact
	section := ""
	for _, row := range readFacts(t, file) {
		if row[0] != enum || row[1] == "-" {
			continue
		}
		if row[4] != "" {
			section = unescape(row[4])
		}
		if heading, ok := headings[row[1]]; ok && enum == "StatusCode" {
			section = heading
		}
		fact := codeFact{Name: row[1], Number: row[2], Deprecated: row[3] == "deprecated", Section: section, Description: unescape(row[5])}
		if enum == "StatusCode" {
			fact.Phase, fact.Class = phaseFact(fact.Name), classFact(fact.Name, fact.Number)
		}
		facts = append(facts, fact)
	}
	return facts
}

func unescape(text string) string { return strings.ReplaceAll(text, `\n`, "\n") }

// phaseFact is the phase by the prefix of the name.
func phaseFact(name string) string {
	switch {
	case name == "OK", name == "UNKNOWN_ERROR":
		return "None"
	case strings.HasPrefix(name, "PORT_FORWARD_"):
		return "PortForward"
	case strings.HasPrefix(name, "LOG_STREAM_"):
		return "LogStream"
	}
	prefix, _, _ := strings.Cut(name, "_")
	return map[string]string{
		"INIT": "Init", "BUILD": "Build", "TEST": "Test", "RENDER": "Render", "DEPLOY": "Deploy", "STATUSCHECK": "StatusCheck",
		"SYNC": "Sync", "DEVINIT": "DevInit", "CLEANUP": "Cleanup", "CONFIG": "Config", "INSPECT": "Inspect",
	}[prefix]
}

// classFact is the class by the ranges that the comment of the enum names.
func classFact(name, number string) string {
	n, _ := strconv.Atoi(number)
	switch {
	case name == "OK", 200 <= n && n <= 250:
		return "Success"
	case 500 <= n && n <= 600:
		return "Unknown"
	case 800 <= n && n <= 850:
		return "Cancelled"
	}
	return "Error"
}

func TestCodesEqualFacts(t *testing.T) {
	for _, era := range eras {
		t.Run(era.name, func(t *testing.T) {
			statuses := enumFacts(t, era.enums, "StatusCode")
			suggestions := enumFacts(t, era.enums, "SuggestionCode")
			if len(statuses) != era.statuses || len(suggestions) != era.suggestion {
				t.Errorf("the facts have %d status codes and %d suggestion codes, want %d and %d", len(statuses), len(suggestions), era.statuses, era.suggestion)
			}
			if diff := cmp.Diff(statuses, collect(era.kitStatuses, same)); diff != "" {
				t.Errorf("status codes (-facts +kit):\n%s", diff)
			}
			if diff := cmp.Diff(suggestions, collect(era.kitSuggestions, same)); diff != "" {
				t.Errorf("suggestion codes (-facts +kit):\n%s", diff)
			}
		})
	}
}

func same(f codeFact) codeFact { return f }

// TestPhaseExceptions names the codes whose numbers lie among those of another
// phase.
func TestPhaseExceptions(t *testing.T) {
	want := map[string]string{
		"OK": "None", "UNKNOWN_ERROR": "None", "DEPLOY_KUBECTL_VERSION_ERR": "Deploy",
		"INIT_DOCKER_NETWORK_LISTING_CONTAINERS": "Init", "INIT_DOCKER_NETWORK_INVALID_CONTAINER_NAME": "Init",
		"INIT_DOCKER_NETWORK_CONTAINER_DOES_NOT_EXIST": "Init", "INIT_DOCKER_NETWORK_INVALID_MODE": "Init", "INIT_DOCKER_NETWORK_PARSE_ERR": "Init",
		"PORT_FORWARD_RUN_GCLOUD_NOT_FOUND": "PortForward", "PORT_FORWARD_RUN_PROXY_START_ERROR": "PortForward",
		"LOG_STREAM_RUN_GCLOUD_NOT_FOUND": "LogStream",
	}
	for name, phase := range want {
		code, ok := skaffoldenumskit.StatusCodeByName(name)
		info, known := skaffoldenumskit.StatusCodeInfoOf(code)
		if !ok || !known || info.Phase.String() != phase {
			t.Errorf("%s: phase %v (%v, %v), want %s", name, info.Phase, ok, known, phase)
		}
	}
}

// catalogue is the table of suggestions of an era: by status what a user can do,
// in the order of the table, without lines that are there twice.
func catalogue(t *testing.T, era string) (of map[string][]suggestionFact, patterns []patternFact) {
	t.Helper()
	of = make(map[string][]suggestionFact)
	for _, row := range readFacts(t, "skaffold-suggestions.tsv") {
		status, suggestion, action, condition := row[1], row[2], row[3], row[4]
		if row[0] != era || strings.HasPrefix(status, "(") {
			continue
		}
		if m := patternSyntax.FindStringSubmatch(condition); m != nil && !strings.Contains(condition, "`.*` after all") {
			if len(patterns) == 0 || patterns[len(patterns)-1].status != status {
				patterns = append(patterns, patternFact{status, m[1]})
			}
		}
		action = sicSyntax.ReplaceAllString(unescape(action), "")
		fact := suggestionFact{suggestion, action}
		if _, ok := of[status]; !ok {
			of[status] = nil
		}
		if suggestion == "(none)" || contains(of[status], fact) {
			continue
		}
		of[status] = append(of[status], fact)
	}
	return of, patterns
}

type patternFact struct{ status, pattern string }

var (
	patternSyntax = regexp.MustCompile("^(?:stderr matches |errdefs internal error and )?regexp `(.*?)`")
	sicSyntax     = regexp.MustCompile(` \(sic: .*\)$`)
)

func contains(list []suggestionFact, fact suggestionFact) bool {
	for _, other := range list {
		if other == fact {
			return true
		}
	}
	return false
}

func TestSuggestionsEqualFacts(t *testing.T) {
	for _, era := range eras {
		t.Run(era.name, func(t *testing.T) {
			of, _ := catalogue(t, era.name)
			for status := range era.kitStatuses {
				if diff := cmp.Diff(of[status.Name], era.suggestionsOf(status.Name)); diff != "" {
					t.Errorf("%s (-facts +kit):\n%s", status.Name, diff)
				}
				delete(of, status.Name)
			}
			for status := range of {
				t.Errorf("the kit has no code %s", status)
			}
		})
	}
}

// texts are errors that the patterns are written for, by the code that they
// shall get.
var texts = map[string]string{
	"DEVINIT_UNSUPPORTED_V1_MANIFEST":    `listing files: retrieving image "foo": unsupported MediaType: "application/vnd.docker.distribution.manifest.v1+prettyjws", see the list`,
	"BUILD_PUSH_ACCESS_DENIED":           `could not push image "gcr.io/x": denied: token exchange failed`,
	"BUILD_CANCELLED":                    "docker build: context canceled",
	"BUILD_PROJECT_NOT_FOUND":            "could not push image gcr.io/x: unknown: Project 'project:x' not found",
	"BUILD_DOCKER_DAEMON_NOT_RUNNING":    "Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?",
	"DEPLOY_CLUSTER_CONNECTION_ERR":      `exiting: Unable to connect to the server: Get "https://192.168.64.3:8443/api": dial tcp`,
	"DEPLOY_CLUSTER_INTERNAL_SYSTEM_ERR": "Error: (Internal Server Error): the server is unwell: Internal Server Error",
	"BUILD_DOCKER_NO_SPACE_ERR":          "write /var/lib/docker/tmp: no space left on device",
	"BUILD_CROSS_PLATFORM_ERR":           "standard_init_linux.go:228: exec user process caused: exec format error",
	"INIT_CREATE_TAGGER_ERROR":           "creating tagger: bad template",
	"INIT_MINIKUBE_NOT_RUNNING_ERROR":    `creating runner: The control plane node must be running for this command`,
	"INIT_CREATE_BUILDER_ERROR":          "creating runner: creating builder: bad",
	"INIT_CREATE_ARTIFACT_DEP_ERROR":     "unexpected artifact type: foo",
	"INIT_CREATE_TEST_DEP_ERROR":         "expanding test file paths: bad glob",
	"INIT_CREATE_DEPLOYER_ERROR":         "creating deployer: something went wrong",
	"INIT_CREATE_WATCH_TRIGGER_ERROR":    "creating watch trigger: unsupported",
	"INIT_CACHE_ERROR":                   "creating runner: initializing cache: denied",
}

func TestClassifyPatterns(t *testing.T) {
	for _, era := range eras {
		of, patterns := catalogue(t, era.name)
		for _, p := range patterns {
			t.Run(era.name+"/"+p.status, func(t *testing.T) {
				text, ok := texts[p.status]
				if !ok || !regexp.MustCompile(p.pattern).MatchString(text) {
					t.Fatalf("no text for the pattern %s", p.pattern)
				}
				code, suggestions := era.classify(phaseFact(p.status), text)
				if code != p.status {
					t.Errorf("code %s", code)
				}
				if diff := cmp.Diff(of[p.status], suggestions); diff != "" {
					t.Errorf("suggestions (-facts +kit):\n%s", diff)
				}
			})
		}
	}
}

func TestClassifyFallbacks(t *testing.T) {
	for _, era := range eras {
		of, _ := catalogue(t, era.name)
		phases := make(map[string]bool)
		for status := range era.kitStatuses {
			phases[status.Phase] = true
		}
		for phase := range phases {
			want := strings.ToUpper(phase) + "_UNKNOWN"
			if _, ok := of[want]; !ok {
				want = "UNKNOWN_ERROR"
			}
			code, suggestions := era.classify(phase, "nobody has seen this before")
			if code != want {
				t.Errorf("%s: %s is classified as %s, want %s", era.name, phase, code, want)
			}
			if diff := cmp.Diff(of[want], suggestions); diff != "" {
				t.Errorf("%s: %s (-facts +kit):\n%s", era.name, phase, diff)
			}
		}
	}
}
