package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/skaffoldgen/protoc-gen-skaffold/eventlog"
	"github.com/skaffoldgen/protoc-gen-skaffold/examples/skaffold/project"
)

// Change is one step of a session: an event, something that changes the state
// without one, or both at once.
type Change[E proto.Message] struct {
	Event   E // nil: there is none
	Control *Control
}

// Control is a change of the state that is no event. An API's clients see its
// effect in the state alone.
type Control struct {
	Loop  bool          `json:"loop,omitempty"` // a new iteration of the dev loop begins
	Reset Reset         `json:"reset,omitempty"`
	Stage project.Stage `json:"stage,omitempty"` // the stage whose trigger is switched to Auto
	Auto  bool          `json:"auto,omitempty"`
}

// Reset says how much of the state starts anew.
type Reset string

// The resets. Metadata and triggers survive all of them.
const (
	ResetAll    Reset = "all"    // everything, as when the session began
	ResetBuild  Reset = "build"  // everything but the names of the artifacts
	ResetDeploy Reset = "deploy" // deployment, status check, forwarded ports and debugging containers
)

// ControlKey is the field in which a line has its Control. Skaffold's messages have no such
// field, so that its own readers skip it.
const ControlKey = "control"

// Lines is how changes are written to files and read, one a line: the events as
// in Skaffold's own event log files, which can be read, too, and a control as
// one more field. A line without an event has that field alone. Fields of events
// that this program does not know are ignored.
func Lines[E proto.Message]() eventlog.Lines[*Change[E]] {
	return eventlog.Lines[*Change[E]]{Encode: marshal[E], Decode: unmarshal[E]}
}

func marshal[E proto.Message](c *Change[E]) ([]byte, error) {
	var control []byte
	if c.Control != nil {
		b, err := json.Marshal(c.Control)
		if err != nil {
			return nil, err
		}
		control = fmt.Appendf(nil, "%q:%s", ControlKey, b)
	}
	if !c.Event.ProtoReflect().IsValid() {
		return fmt.Appendf(nil, "{%s}", control), nil
	}
	event, err := protojson.Marshal(c.Event)
	if err != nil {
		return nil, err
	}
	line := bytes.NewBuffer(make([]byte, 0, len(event)+len(control)+2))
	if err := json.Compact(line, event); err != nil { // protojson's spaces differ from build to build
		return nil, err
	}
	if control != nil {
		line.Truncate(line.Len() - len("}"))
		if line.Len() > len("{") {
			line.WriteByte(',')
		}
		line.Write(control)
		line.WriteByte('}')
	}
	return line.Bytes(), nil
}

func unmarshal[E proto.Message](line []byte) (*Change[E], error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(line, &fields); err != nil {
		return nil, err
	}
	if fields == nil {
		return nil, errors.New("null is no event")
	}
	c := new(Change[E])
	if raw, ok := fields[ControlKey]; ok {
		if err := json.Unmarshal(raw, &c.Control); err != nil {
			return nil, fmt.Errorf("%s: %w", ControlKey, err)
		}
		if len(fields) == 1 {
			return c, nil
		}
	}
	event := c.Event.ProtoReflect().New().Interface()
	if err := (protojson.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(line, event); err != nil {
		return nil, err
	}
	c.Event = event.(E)
	return c, nil
}

// hasEvent tells whether there is an event, even an empty one.
func (c *Change[E]) hasEvent() bool { return c.Event.ProtoReflect().IsValid() }
