package eventlog

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/typepb"
)

func TestReadLines(t *testing.T) {
	lines := jsonLines[int]()
	lines.MaxLine = 8
	in := "1\n\n  \n2\r\n\"x\"\n3 4\n" + strings.Repeat("1", 100_000) + "\n12345678\n5"
	want := []string{
		"1", "2",
		"f:5:3: json: cannot unmarshal string into Go value of type int",
		"f:6:3: invalid character '4' after top-level value",
		"f:7:1: the line has 100000 bytes, and at most 8 are allowed",
		"12345678",
		"f:9:1: the last line is torn: it ends without a newline after 1 bytes",
	}
	var got []string
	for e, err := range lines.Read("f", strings.NewReader(in)) {
		if err != nil {
			got = append(got, err.Error())
		} else {
			got = append(got, fmt.Sprint(e))
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for range lines.Read("f", strings.NewReader(in)) {
		break // may be left
	}
}

func TestReadLinesThatCannotBeRead(t *testing.T) {
	broken := errors.New("broken")
	var got []string
	r := io.MultiReader(strings.NewReader("1\n2"), io.MultiReader(errReader{broken}))
	for e, err := range jsonLines[int]().Read("f", r) {
		got = append(got, fmt.Sprint(e, err))
		if err != nil && !errors.Is(err, broken) {
			t.Errorf("got %v, want %v", err, broken)
		}
	}
	wantEvents(t, got, "1 <nil>", "0 f:2:1: reading: broken")
}

type errReader struct{ err error }

func (r errReader) Read([]byte) (int, error) { return 0, r.err }

func TestReadLinesOfMessages(t *testing.T) {
	const in = `{"name":"one","number":1}
{"name":"two","new":1}
{"name":3}
{"name"
`
	read := func(o protojson.UnmarshalOptions) (got []string) {
		lines := ProtoLines[*typepb.Field](protojson.MarshalOptions{}, o)
		for m, err := range lines.Read("v1.log", strings.NewReader(in)) {
			var line *LineError
			if errors.As(err, &line) {
				// The texts are those of another module, and not stable.
				got = append(got, fmt.Sprintf("%d:%d", line.Line, line.Column))
				if strings.Contains(err.Error(), "line 1") || !strings.HasPrefix(err.Error(), "v1.log:") {
					t.Errorf("%q places itself in the line", err)
				}
				continue
			}
			got = append(got, m.GetName())
		}
		return got
	}
	wantEvents(t, read(protojson.UnmarshalOptions{}), "one", "2:15", "3:9", "4:8")
	wantEvents(t, read(protojson.UnmarshalOptions{DiscardUnknown: true}), "one", "two", "3:9", "4:8")
}
