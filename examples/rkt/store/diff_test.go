package store

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// onePod is a description of a pod with an app, web.
func onePod(state, fields, appFields string) string {
	return fmt.Sprintf(`{"pods": [{"id": %q, "state": "POD_STATE_%s" %s,
		"apps": [{"name": "web", "image": {"id": "i"} %s}]}]}`, podA, state, fields, appFields)
}

// withImage adds an image to what onePod makes.
func withImage(description, id string) string {
	return strings.Replace(description, "{", fmt.Sprintf(`{"images": [{"id": %q}], `, id), 1)
}

// summary is a change in one line, without the number of the pod.
func summary(c change) string {
	subject := strings.NewReplacer(podA, "A", podB, "B").Replace(c.event.GetId() + " " + c.event.GetFrom())
	s := strings.TrimPrefix(c.kind.String(), "EVENT_TYPE_") + " " + subject
	for _, kv := range c.event.GetData() {
		s += " " + kv.GetKey() + "=" + kv.GetValue()
	}
	return s
}

func TestDiff(t *testing.T) {
	const exited = `, "state": "APP_STATE_EXITED", "exitCode": 3`
	const none = `{}`
	prepared, started := "POD_PREPARED A A", "POD_STARTED A A"
	podExited, collected := "POD_EXITED A A", "POD_GARBAGE_COLLECTED A A"
	appStarted, appExited := "APP_STARTED A web", "APP_EXITED A web"
	for name, test := range map[string]struct {
		before, after string
		want          []string
	}{
		"nothing":      {none, none, nil},
		"same":         {onePod("RUNNING", "", ""), onePod("RUNNING", "", ""), nil},
		"embryo comes": {none, onePod("EMBRYO", "", ""), nil},
		"preparing":    {onePod("EMBRYO", "", ""), onePod("PREPARING", "", ""), nil},
		"prepared":     {onePod("PREPARING", "", ""), onePod("PREPARED", "", ""), []string{prepared}},
		"aborted": {
			onePod("PREPARING", "", ""),
			onePod("ABORTED_PREPARE", "", ""),
			[]string{"POD_PREPARE_ABORTED A A"},
		},
		"started":       {onePod("PREPARED", "", ""), onePod("RUNNING", "", ""), []string{started, appStarted}},
		"running comes": {none, onePod("RUNNING", "", ""), []string{prepared, started, appStarted}},
		"app exits": {
			onePod("RUNNING", "", ""),
			onePod("RUNNING", "", exited),
			[]string{appExited + " exit_code=3"},
		},
		"app starts again": {onePod("RUNNING", "", exited), onePod("RUNNING", "", ""), []string{appStarted}},
		"app goes": {
			onePod("RUNNING", "", ""),
			strings.Replace(onePod("RUNNING", "", ""), "web", "db", 1),
			[]string{"APP_STARTED A db", appExited},
		},
		"exited app goes": {
			onePod("RUNNING", "", exited),
			strings.Replace(onePod("RUNNING", "", ""), "web", "db", 1),
			[]string{"APP_STARTED A db"},
		},
		"pod exits": {
			onePod("RUNNING", "", ""),
			onePod("EXITED", "", `, "exitCode": 0`),
			[]string{appExited + " exit_code=0", podExited},
		},
		"pod exits after": {
			onePod("RUNNING", "", exited),
			onePod("EXITED", "", `, "exitCode": 3`),
			[]string{podExited},
		},
		"ran unseen": {
			onePod("PREPARED", "", ""),
			onePod("EXITED", "", ""),
			[]string{started, appStarted, appExited, podExited},
		},
		"exited comes": {
			none,
			onePod("EXITED", "", ""),
			[]string{prepared, started, appStarted, appExited, podExited},
		},
		"deleting": {onePod("EXITED", `, "pid": 5`, ""), onePod("DELETING", `, "pid": 5`, ""), nil},
		"garbage": {
			onePod("DELETING", `, "pid": 5`, ""),
			onePod("GARBAGE", `, "pid": 5`, ""),
			[]string{collected},
		},
		"garbage goes":      {onePod("GARBAGE", "", ""), none, nil},
		"exited goes":       {onePod("EXITED", "", ""), none, []string{collected}},
		"running goes":      {onePod("RUNNING", "", ""), none, []string{appExited, podExited, collected}},
		"prepared goes":     {onePod("PREPARED", "", ""), none, []string{collected}},
		"prepared, garbage": {onePod("PREPARED", "", ""), onePod("GARBAGE", "", ""), []string{collected}},
		"aborted goes":      {onePod("ABORTED_PREPARE", "", ""), none, []string{collected}},
		"aborted, deleting": {onePod("ABORTED_PREPARE", "", ""), onePod("DELETING", "", ""), nil},
		"image comes": {
			none,
			`{"images": [{"id": "i", "name": "coreos.com/etcd"}]}`,
			[]string{"IMAGE_IMPORTED i coreos.com/etcd"},
		},
		"image goes": {
			`{"images": [{"id": "i", "name": "x", "version": "2"}]}`,
			none,
			[]string{"IMAGE_REMOVED i x version=2"},
		},
		"images around pods": {
			withImage(onePod("RUNNING", "", exited), "old"),
			withImage(strings.Replace(onePod("PREPARED", "", ""), podA, podB, 1), "new"),
			[]string{"IMAGE_IMPORTED new ", "POD_PREPARED B B", podExited, collected, "IMAGE_REMOVED old "},
		},
	} {
		t.Run(name, func(t *testing.T) {
			changes, err := diff(mustParse(t, test.before), mustParse(t, test.after))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, c := range changes {
				got = append(got, summary(c))
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("changes (-want +got):\n%s", diff)
			}
		})
	}
}

// A pod's life goes one way: every other pair of states is refused.
func TestTransitions(t *testing.T) {
	states := []string{"EMBRYO", "PREPARING", "PREPARED", "RUNNING", "ABORTED_PREPARE", "EXITED", "DELETING", "GARBAGE"}
	follows := map[string]string{
		"EMBRYO":          "EMBRYO PREPARING PREPARED RUNNING ABORTED_PREPARE EXITED DELETING GARBAGE",
		"PREPARING":       "PREPARING PREPARED RUNNING ABORTED_PREPARE EXITED DELETING GARBAGE",
		"PREPARED":        "PREPARED RUNNING EXITED DELETING GARBAGE",
		"RUNNING":         "RUNNING EXITED DELETING GARBAGE",
		"ABORTED_PREPARE": "ABORTED_PREPARE DELETING GARBAGE",
		"EXITED":          "EXITED DELETING GARBAGE",
		"DELETING":        "DELETING GARBAGE",
		"GARBAGE":         "GARBAGE",
	}
	for _, from := range states {
		for _, to := range states {
			_, err := diff(mustParse(t, onePod(from, "", "")), mustParse(t, onePod(to, "", "")))
			legal := false
			for f := range strings.FieldsSeq(follows[from]) {
				legal = legal || f == to
			}
			switch {
			case legal && err != nil:
				t.Errorf("from %s to %s: %v", from, to, err)
			case !legal && err == nil:
				t.Errorf("from %s to %s: no error", from, to)
			case !legal && !strings.Contains(err.Error(), "pods[0]: state: pod "+podA+" is in POD_STATE_"+from):
				t.Errorf("from %s to %s: %v", from, to, err)
			}
		}
	}
}
