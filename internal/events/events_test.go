package events_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/api"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/config"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/events"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/plugin"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/plugin/plugintest"
)

// build makes a model of a file whose first lines are given.
func build(t *testing.T, body string) *api.Model {
	t.Helper()
	source := "syntax = \"proto3\";\npackage t;\nimport \"google/protobuf/timestamp.proto\";\n" + body
	encoded := plugintest.Marshal(t, plugintest.Compile(t, map[string]string{"t.proto": source}))
	req, err := plugin.ReadRequest(bytes.NewReader(encoded))
	if err != nil {
		t.Fatal(err)
	}
	model, err := api.Build(req)
	if err != nil {
		t.Fatal(err)
	}
	return model
}

const payloads = `
message A {
  string id = 1;
  string status = 2; // oneof: Up, Failed
  MyErr err = 3;
  string only = 4;
  map<string, A> m = 5;
  repeated string list = 6;
}
message B { string id = 1; int32 status = 2; MyErr err = 3; map<string, A> m = 5; string list = 6; }
message MyErr { string message = 1; }
enum Kind { X = 0; Y = 1; }
enum One { Z = 0; }
enum EventType { V = 0; W = 1; }
`

// describe says what is found, in one line for each event.
func describe(list []*events.Event) string {
	var b strings.Builder
	for _, e := range list {
		b.WriteString(e.Message.Name)
		if e.Oneof != nil {
			fmt.Fprintf(&b, " oneof %s", e.Oneof.Name)
		}
		if e.Type != nil {
			fmt.Fprintf(&b, " enum %s", e.Type.Name)
		}
		if e.Time != nil {
			fmt.Fprintf(&b, " time %s", e.Time.Name)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestFind(t *testing.T) {
	for _, c := range []struct {
		name, body string
		config     []config.Event
		want       string
	}{
		{name: "oneof", body: `message Event { oneof what { A a = 1; B b = 2; } }`, want: "Event oneof what\n"},
		{name: "name ends in Event", body: `message JobEvent { oneof what { A a = 1; B b = 2; string s = 3; } }`, want: "JobEvent oneof what\n"},
		{name: "nested", body: `message O { message Event { oneof what { A a = 1; A b = 2; } } }`, want: "Event oneof what\n"},
		{name: "other name", body: `message Events { oneof what { A a = 1; B b = 2; } }`},
		{name: "one message", body: `message Event { oneof what { A a = 1; string b = 2; } }`},
		{name: "no messages", body: `message Event { oneof what { int32 a = 1; string b = 2; } }`},
		{name: "two oneofs", body: `message Event { oneof x { A a = 1; B b = 2; } oneof y { A c = 3; B d = 4; } }`},
		{name: "another oneof of scalars", body: `message Event { oneof x { A a = 1; B b = 2; } oneof y { int32 c = 3; string d = 4; } }`, want: "Event oneof x\n"},
		{name: "oneof before enum", body: `message Event { oneof x { A a = 1; B b = 2; } Kind kind = 3; }`, want: "Event oneof x\n"},

		{name: "type", body: `message Event { Kind type = 1; }`, want: "Event enum type\n"},
		{name: "kind", body: `message Event { Kind kind = 1; }`, want: "Event enum kind\n"},
		{name: "event_type", body: `message Event { Kind event_type = 1; }`, want: "Event enum event_type\n"},
		{name: "eventKind", body: `message Event { Kind eventKind = 1; }`, want: "Event enum eventKind\n"},
		{name: "enum named as the message", body: `message Event { EventType what = 1; }`, want: "Event enum what\n"},
		{name: "another enum", body: `message Event { Kind kind = 1; One level = 2; }`, want: "Event enum kind\n"},
		{name: "two types", body: `message Event { Kind kind = 1; EventType type = 2; }`},
		{name: "level", body: `message Event { Kind level = 1; }`},
		{name: "prototype", body: `message Event { Kind prototype = 1; }`},
		{name: "one value", body: `message Event { One type = 1; }`},
		{name: "repeated", body: `message Event { repeated Kind type = 1; }`},
		{name: "in a oneof", body: `message Event { oneof x { Kind type = 1; } }`},
		{name: "optional", body: `message Event { optional Kind type = 1; }`, want: "Event enum type\n"},

		{name: "Timestamp", body: `message Event { Kind type = 1; google.protobuf.Timestamp at = 2; int64 time = 3; }`, want: "Event enum type time at\n"},
		{name: "two Timestamps", body: `message Event { Kind type = 1; google.protobuf.Timestamp a = 2; google.protobuf.Timestamp b = 3; }`, want: "Event enum type\n"},
		{name: "repeated Timestamps", body: `message Event { Kind type = 1; repeated google.protobuf.Timestamp a = 2; }`, want: "Event enum type\n"},
		{name: "seconds", body: "message Event { Kind type = 1; \n// In seconds since the epoch.\nint64 time = 2; }", want: "Event enum type time time\n"},
		{name: "milliseconds", body: `message Event { Kind type = 1; int64 timestamp_ms = 2; }`, want: "Event enum type time timestamp_ms\n"},
		{name: "no unit", body: `message Event { Kind type = 1; int64 time = 2; }`, want: "Event enum type\n"},
		{name: "timeout", body: "message Event { Kind type = 1; \n// In seconds.\nint64 timeout = 2; }", want: "Event enum type\n"},
		{name: "time zone", body: "message Event { Kind type = 1; \n// In seconds.\nint64 time_zone = 2; }", want: "Event enum type\n"},
		{name: "camel case", body: "message Event { Kind type = 1; int64 timestampNanos = 2; }", want: "Event enum type time timestampNanos\n"},
		{name: "not the time", body: `message Event { Kind type = 1; int64 uptime_ms = 2; }`, want: "Event enum type\n"},

		{name: "config names it", body: `message Log { oneof x { A a = 1; B b = 2; } }`, config: []config.Event{{Message: "t.Log"}}, want: "Log oneof x\n"},
		{name: "config ignores it", body: `message Event { Kind type = 1; }`, config: []config.Event{{Message: "t.Event", Ignore: true}}},
		{name: "config chooses the oneof", body: `message Event { oneof x { A a = 1; B b = 2; } oneof y { A c = 3; } }`,
			config: []config.Event{{Message: "t.Event", Discriminator: "y"}}, want: "Event oneof y\n"},
		{name: "config chooses the enum", body: `message Event { oneof x { A a = 1; B b = 2; } Kind level = 3; }`,
			config: []config.Event{{Message: "t.Event", Discriminator: "t.Event.level"}}, want: "Event enum level\n"},
		{name: "config chooses the time", body: `message Event { Kind type = 1; google.protobuf.Timestamp at = 2; int64 when = 3; }`,
			config: []config.Event{{Message: "t.Event", Time: "when"}}, want: "Event enum type time when\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			found, err := events.Find(build(t, c.body+payloads), &config.Config{Events: c.config})
			if err != nil {
				t.Fatal(err)
			}
			if got := describe(found); got != c.want {
				t.Errorf("found %q, want %q", got, c.want)
			}
		})
	}
}

func TestFindErrors(t *testing.T) {
	for _, c := range []struct {
		body   string
		config config.Event
		want   string
	}{
		{`message E { string s = 1; }`, config.Event{Message: "t.E"},
			"config events[0]: t.E has no discriminator: neither a oneof of two or more messages nor one enum field named type, kind, …_type or …_kind; name one in the config (t.proto:4:1)"},
		{`message E { oneof x { A a = 1; B b = 2; } oneof y { A c = 3; B d = 4; } }`, config.Event{Message: "t.E"},
			"config events[0]: t.E has 2 oneofs of messages: name one as the discriminator in the config (t.proto:4:1)"},
		{`message E { oneof x { A a = 1; B b = 2; } }`, config.Event{Message: "t.E", Discriminator: "y"},
			`config events[0].discriminator: t.E has neither a oneof nor a singular enum field "y", which the config names as its discriminator (t.proto:4:1)`},
		{`message E { optional Kind x = 1; }`, config.Event{Message: "t.E", Discriminator: "_x"},
			`config events[0].discriminator: t.E has neither a oneof nor a singular enum field "_x", which the config names as its discriminator (t.proto:4:1)`},
		{`message E { Kind kind = 1; string t = 2; }`, config.Event{Message: "t.E", Time: "t"},
			`config events[0].time: t.E has no field "t" of type google.protobuf.Timestamp or int64, which the config names as its time (t.proto:4:1)`},
		{`message E { Kind kind = 1; }`, config.Event{Message: "t.E", Values: []config.Values{{Field: "t.E.kind", Add: []string{"x"}}}},
			"config events[0].values[0]: t.E.kind is no string field of t.E or of its payloads (t.proto:4:1)"},
		{``, config.Event{Message: "t.E"},
			`config events[0]: message t.E is not declared in any .proto file of the request`},
	} {
		_, err := events.Find(build(t, c.body+payloads), &config.Config{Events: []config.Event{c.config}})
		if err == nil || err.Error() != c.want {
			t.Errorf("%s: the error is\n%v, want\n%s", c.body, err, c.want)
		}
	}
}

// TestFindErrorsOnce covers that each entry of the config that fits nothing is
// reported, by its own place.
func TestFindErrorsOnce(t *testing.T) {
	_, err := events.Find(build(t, `message E { Kind kind = 1; }`+payloads), &config.Config{Events: []config.Event{
		{Message: "t.None"},
		{Message: "t.E", Values: []config.Values{{Field: "t.x"}, {Field: "t.y"}}},
	}})
	const want = `config events[0]: message t.None is not declared in any .proto file of the request
config events[1].values[0]: t.x is no string field of t.E or of its payloads (t.proto:4:1)
config events[1].values[1]: t.y is no string field of t.E or of its payloads (t.proto:4:1)`
	if err == nil || err.Error() != want {
		t.Errorf("the error is\n%v, want\n%s", err, want)
	}
}

func TestTimeWithoutUnit(t *testing.T) {
	for body, want := range map[string]string{
		`message Event { Kind type = 1; int64 time = 2; }`:     "time",
		`message Event { Kind type = 1; int64 time_ms = 2; }`:  "",
		`message Event { Kind type = 1; int64 duration = 2; }`: "",
	} {
		found, err := events.Find(build(t, body+payloads), new(config.Config))
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if x := found[0].TimeWithoutUnit(); x != nil {
			got = x.Name
		}
		if got != want {
			t.Errorf("%s: the time without a unit is %q", body, got)
		}
	}
}

func TestShared(t *testing.T) {
	found, err := events.Find(build(t, `message Event { oneof what { A a = 1; B b = 2; string c = 3; } }`+payloads), new(config.Config))
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[string]bool)
	for _, s := range found[0].Shared {
		got[s.Name] = s.SameType
	}
	want := map[string]bool{"id": true, "status": false, "err": true, "m": true, "list": false}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("shared are %v, want %v", got, want)
	}
	a, b := found[0].Variants[0], found[0].Variants[1]
	if a.Status == nil || b.Status != nil || a.Err == nil || b.Err == nil || found[0].Error.Text.Name != "message" {
		t.Errorf("the variants are %+v and %+v", a, b)
	}
}

func TestValues(t *testing.T) {
	const body = `
// The state can be one of "Own", "Comment".
message A {
  string state = 1;
  string b = 2; // oneof: x, y
  string c = 3;
  repeated string d = 4; // one of: p, q
}
message B {
  string status = 1;
  string other = 2;
}
message Event {
  string own = 1; // oneof: me, you
  oneof what {
    A a = 2;
    B b = 3; // Status could be one of "Far" or "Near".
    A again = 4;
  }
}
`
	cfg := &config.Config{Events: []config.Event{{Message: "t.Event", Values: []config.Values{
		{Field: "t.A.b", Add: []string{"z", "x"}},
		{Field: "t.A.c", Add: []string{"new"}},
		{Field: "t.B.status", Replace: []string{"Up", "Up", "Down"}},
	}}}}
	found, err := events.Find(build(t, body), cfg)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, v := range found[0].Values {
		got = append(got, fmt.Sprintf("%s%q", v.Field.FullName(), v.Values))
	}
	want := []string{
		`t.Event.own["me" "you"]`, `t.A.state["Own" "Comment"]`, `t.A.b["x" "y" "z"]`, `t.A.c["new"]`, `t.A.d["p" "q"]`, `t.B.status["Up" "Down"]`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("the values are\n%q, want\n%q", got, want)
	}
	for _, v := range found[0].Variants {
		if v.Status == nil {
			t.Errorf("%s has no status", v.Field.Name)
		}
	}
}
