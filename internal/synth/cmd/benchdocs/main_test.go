package main

import (
	"bytes"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/pluginpb"
)

// plugin makes the test binary a plugin: it is the program under measurement.
const plugin = "BENCHDOCS_TEST_PLUGIN"

func TestMain(m *testing.M) {
	if os.Getenv(plugin) != "" {
		os.Exit(servePlugin(os.Getenv(plugin)))
	}
	os.Exit(m.Run())
}

// servePlugin answers a request as the mode says; "vary" never prints the same
// text twice.
func servePlugin(mode string) int {
	data, err := io.ReadAll(os.Stdin)
	if err != nil {
		return 1
	}
	req := &pluginpb.CodeGeneratorRequest{}
	if err := proto.Unmarshal(data, req); err != nil {
		return 1
	}
	response := &pluginpb.CodeGeneratorResponse{}
	switch mode {
	case "crash":
		os.Stderr.WriteString("out of paper")
		return 3
	case "refuse":
		response.Error = proto.String("no such template")
	default:
		text := req.GetParameter() + "\n" + strings.Join(req.FileToGenerate, "\n")
		if mode == "vary" {
			text += strconv.Itoa(os.Getpid())
		}
		response.File = []*pluginpb.CodeGeneratorResponse_File{{Name: proto.String("out.md"), Content: proto.String(text)}}
	}
	out, err := proto.Marshal(response)
	if err != nil {
		return 1
	}
	os.Stdout.Write(out)
	return 0
}

func TestRun(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct{ mode, want string }{
		{"same", ""},
		{"vary", "2 files, reference: the outputs differ at byte"},
		{"refuse", "ours, 2 files, reference: the plugin answers: no such template"},
		{"crash", "out of paper"},
	}
	for _, test := range tests {
		t.Run(test.mode, func(t *testing.T) {
			t.Setenv(plugin, test.mode)
			var out bytes.Buffer
			err := run([]string{"-ours", self, "-theirs", self, "-sizes", "2,5", "-runs", "1"}, &out)
			if test.want == "" {
				if err != nil {
					t.Fatal(err)
				}
				checkTable(t, out.String())
				return
			}
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %s", err, test.want)
			}
		})
	}
}

// checkTable wants a line for each size and template, all of one width.
func checkTable(t *testing.T, table string) {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(table, "\n"), "\n")
	if len(lines) != 2+2*2 {
		t.Fatalf("%d lines:\n%s", len(lines), table)
	}
	for i, want := range []string{"reference", "markdown", "reference", "markdown"} {
		if !strings.Contains(lines[2+i], want) {
			t.Errorf("line %q, want %s", lines[2+i], want)
		}
	}
}

func TestFlags(t *testing.T) {
	tests := []struct{ args, want string }{
		{"", "need -ours"},
		{"-ours a -theirs b -sizes 5,x", `"x" is not a number of files`},
		{"-ours a -theirs b -files 0", `"0" is not a number of files`},
		{"-ours a -theirs b -runs 0", "at least one run"},
	}
	for _, test := range tests {
		if _, err := parseFlags(strings.Fields(test.args)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: error %v, want %s", test.args, err, test.want)
		}
	}
	if c, err := parseFlags([]string{"-ours", "a"}); err != nil || c.programs[1].name != "read" || len(c.templates) != len(builtin) {
		t.Errorf("without -theirs: %+v %v", c, err)
	}
	c, err := parseFlags(strings.Fields("-ours a -theirs b"))
	if err != nil || len(c.sizes) != 1 || c.sizes[0] != 5000 || c.runs != 3 {
		t.Errorf("%+v %v", c, err)
	}
}

func TestReadRequest(t *testing.T) {
	var out bytes.Buffer
	if err := readRequest(strings.NewReader("\x0a\x07a.proto"), &out); err != nil || out.Len() == 0 {
		t.Errorf("%q %v", out.String(), err)
	}
	if err := readRequest(strings.NewReader("hello"), &out); err == nil {
		t.Error("what is no request is read")
	}
}

func TestFirstDifference(t *testing.T) {
	tests := []struct{ ours, theirs, want string }{
		{"same", "same", ""},
		{"a\nbc", "a\nbd", "at byte 3, line 2\n  ours   \"a\\nbc\"\n  theirs \"a\\nbd\""},
		{"abc", "ab", "at byte 2, line 1\n  ours   \"abc\"\n  theirs \"ab\""},
	}
	for _, test := range tests {
		if got := firstDifference([]byte(test.ours), []byte(test.theirs)); got != test.want {
			t.Errorf("%q, %q: %s", test.ours, test.theirs, got)
		}
	}
}
