// Package recording plays event logs that were saved by Skaffold
// (--event-log-file), and journals of this example.
package recording

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/skaffoldgen/protoc-gen-skaffold/eventlog"
	"github.com/skaffoldgen/protoc-gen-skaffold/examples/skaffold/session"
	pbv1 "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v1"
	pbv2 "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v2"
)

// V2Suffix is what Skaffold adds to the name of the file with the events of v1,
// for the one with those of v2.
const V2Suffix = ".v2"

// Recording is what was recorded of a run: its events in both versions of the
// API, or in one.
type Recording struct {
	V1 []*session.Change[*pbv1.LogEntry]
	V2 []*session.Change[*pbv2.Event]
	// Torn are the last lines that were not written to their end, as when Skaffold
	// was killed. They are left out.
	Torn []*eventlog.TornError
}

// Open reads a recording: the file of that name, whichever version of the API it
// is of, and the one with V2Suffix beside it, if there is one.
func Open(name string) (*Recording, error) {
	r := new(Recording)
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	if isV2(data) {
		r.V2, err = read[*pbv2.Event](r, name, data)
		return r, err
	}
	if r.V1, err = read[*pbv1.LogEntry](r, name, data); err != nil {
		return nil, err
	}
	name += V2Suffix
	data, err = os.ReadFile(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return r, nil
	case err != nil:
		return nil, err
	}
	r.V2, err = read[*pbv2.Event](r, name, data)
	return r, err
}

// isV2 tells whether the events of a file are of v2: in v1 they are inside of the
// field "event", beside their time and text. The first line that has more than a
// time decides.
func isV2(data []byte) bool {
	for line := range bytes.Lines(data) {
		var fields map[string]json.RawMessage
		if json.Unmarshal(line, &fields) != nil {
			return false // reading will tell what is wrong
		}
		for name := range fields {
			switch name {
			case "event", "entry":
				return false
			case "timestamp", session.ControlKey:
			default:
				return true
			}
		}
	}
	return false
}

func read[E proto.Message](r *Recording, name string, data []byte) ([]*session.Change[E], error) {
	var changes []*session.Change[E]
	for c, err := range session.Lines[E]().Read(name, bytes.NewReader(data)) {
		var torn *eventlog.TornError
		switch {
		case errors.As(err, &torn):
			r.Torn = append(r.Torn, torn)
		case err != nil:
			return nil, fmt.Errorf("%w; a recording has one event a line, as Skaffold saves it", err)
		default:
			changes = append(changes, c)
		}
	}
	return changes, nil
}

// Speed is how fast a recording is played: 1 is the pace at which it was
// recorded, 2 is twice as fast, and 0 is all at once. It is a flag.Value.
type Speed float64

const (
	atOnce   = "max" // how the flag says 0
	maxSpeed = 1e9
)

// String is how the flag says it.
func (s *Speed) String() string {
	if *s == 0 {
		return atOnce
	}
	return fmt.Sprintf("%gx", float64(*s))
}

// Set reads "1x", "0.5x", "10" or "max".
func (s *Speed) Set(text string) error {
	if text == atOnce {
		*s = 0
		return nil
	}
	f, err := strconv.ParseFloat(strings.TrimSuffix(text, "x"), 64)
	if err != nil || !(f > 0) || f > maxSpeed {
		return fmt.Errorf("want %q, or a number such as 1x, 0.5x or 10x", atOnce)
	}
	*s = Speed(f)
	return nil
}

// pause is how long to wait between events that were recorded at two times.
func (s Speed) pause(from, to time.Time) time.Duration {
	if s == 0 || from.IsZero() || !to.After(from) {
		return 0
	}
	return time.Duration(float64(to.Sub(from)) / float64(s))
}
