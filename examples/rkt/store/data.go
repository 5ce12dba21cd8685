// Package store keeps the pods and images that a rkt API service shows, and
// turns each change of them into events and log lines.
//
// What it shows comes from a JSON description, see Parse. A Store takes one
// after the other; the differences between two are the events.
package store

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	pb "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/rkt/v1alpha"
)

// MaxDataSize is the largest description that Parse takes, in bytes.
const MaxDataSize = 64 << 20

// APIVersion is the version of the API that this server speaks.
const APIVersion = "1.0.0-alpha"

// Data is a description of a machine: what rkt's API tells of it at one moment.
type Data struct {
	// Info is what GetInfo returns.
	Info *pb.Info
	// Pods and Images are in the order of the description.
	Pods   []*pb.Pod
	Images []*pb.Image
	// Logs has the lines of each app that has a log, by pod and app.
	Logs map[string]map[string][]Line
}

// Line is a line of an app's log.
type Line struct {
	App  string
	Time time.Time
	Text string
}

// file is the layout of a description. The messages are left as they are for
// protojson.
type file struct {
	Info   json.RawMessage                  `json:"info"`
	Pods   []json.RawMessage                `json:"pods"`
	Images []json.RawMessage                `json:"images"`
	Logs   map[string]map[string][]fileLine `json:"logs"`
}

type fileLine struct {
	Time time.Time `json:"time"`
	Line string    `json:"line"`
}

// Parse reads a description: a JSON object with
//
//   - "info": an Info message,
//   - "pods" and "images": arrays of Pod and Image messages,
//   - "logs": by pod id and name of the app, arrays of {"time", "line"}, where
//     the time is RFC 3339 and no line is older than the one before it.
//
// The messages are in protobuf's JSON format, but a manifest may be written as
// the JSON object that it is instead of in base64. All parts may be missing. A
// pid and an exit code that are missing are unknown: -1.
//
// What the state of a pod forbids to show is left out of the result: see the
// comments of the message Pod.
func Parse(text []byte) (*Data, error) {
	if len(text) > MaxDataSize {
		return nil, fmt.Errorf("the description has %d bytes; at most %d are read", len(text), MaxDataSize)
	}
	var f file
	if err := decode(text, &f); err != nil {
		return nil, err
	}
	d := &Data{}
	var err error
	if d.Info, err = parseInfo(f.Info); err != nil {
		return nil, fmt.Errorf("info: %w", err)
	}
	if d.Images, err = parseImages(f.Images, d.Info.GetAppcVersion()); err != nil {
		return nil, err
	}
	if d.Pods, err = parsePods(f.Pods); err != nil {
		return nil, err
	}
	if d.Logs, err = parseLogs(f.Logs, d.Pods); err != nil {
		return nil, err
	}
	describeImages(d)
	for _, pod := range d.Pods {
		restrict(pod)
	}
	return d, nil
}

// decode is json.Unmarshal that knows all fields, and tells where in the text
// an error is.
func decode(text []byte, f *file) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	err := dec.Decode(f)
	if err == nil {
		if _, err = dec.Token(); errors.Is(err, io.EOF) {
			return nil
		}
		return fmt.Errorf("%s: there is more text after the description's closing brace",
			position(text, dec.InputOffset()))
	}
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return fmt.Errorf("%s: not valid JSON: %w", position(text, syntax.Offset), err)
	case errors.As(err, &kind):
		return fmt.Errorf("%s: %q is not what a description has there: %w",
			position(text, kind.Offset), kind.Field, err)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%s: the JSON text ends too early", position(text, int64(len(text))))
	}
	return fmt.Errorf("%s: %w", position(text, dec.InputOffset()), err)
}

// position is the line and column, from 1, of a byte.
func position(text []byte, offset int64) string {
	before := text[:min(max(offset, 0), int64(len(text)))]
	return fmt.Sprintf("line %d, column %d",
		bytes.Count(before, []byte("\n"))+1, len(before)-bytes.LastIndexByte(before, '\n'))
}

var semver = regexp.MustCompile(`^(0|[1-9]\d*)(\.(0|[1-9]\d*)){2}(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$`)

// defaultInfo is that of the last rkt with the flags that it has by default.
func defaultInfo() *pb.Info {
	return &pb.Info{
		RktVersion:  "1.30.0",
		AppcVersion: "0.8.11",
		ApiVersion:  APIVersion,
		GlobalFlags: &pb.GlobalFlags{
			Dir:             "/var/lib/rkt",
			SystemConfigDir: "/usr/lib/rkt",
			LocalConfigDir:  "/etc/rkt",
			InsecureFlags:   "none",
		},
	}
}

func parseInfo(text json.RawMessage) (*pb.Info, error) {
	given := &pb.Info{}
	if err := message(text, given); err != nil {
		return nil, err
	}
	info := defaultInfo()
	if given.GetGlobalFlags() != nil {
		info.GlobalFlags = nil
	}
	proto.Merge(info, given)
	if v := info.GetRktVersion(); !semver.MatchString(v) {
		return nil, fmt.Errorf("rktVersion: %q is not a semantic version such as 1.30.0", v)
	}
	if v := info.GetAppcVersion(); !semver.MatchString(v) {
		return nil, fmt.Errorf("appcVersion: %q is not a semantic version such as 0.8.11", v)
	}
	if info.GetApiVersion() != APIVersion {
		return nil, fmt.Errorf("apiVersion: this server speaks %s alone, not %q; leave it out",
			APIVersion, info.GetApiVersion())
	}
	return info, nil
}

func parseImages(texts []json.RawMessage, appc string) ([]*pb.Image, error) {
	images := make([]*pb.Image, 0, len(texts))
	seen := map[string]bool{}
	for i, text := range texts {
		image := &pb.Image{}
		err := message(text, image)
		if err == nil {
			err = checkImage(image)
		}
		if err == nil && seen[image.GetId()] {
			err = fmt.Errorf("id: another image has %q, too", image.GetId())
		}
		if err != nil {
			return nil, fmt.Errorf("images[%d]: %w", i, err)
		}
		seen[image.GetId()] = true
		if image.BaseFormat == nil {
			image.BaseFormat = &pb.ImageFormat{Type: pb.ImageType_IMAGE_TYPE_APPC, Version: appc}
		}
		images = append(images, image)
	}
	return images, nil
}

func checkImage(image *pb.Image) error {
	if err := CheckImageID(image.GetId()); err != nil {
		return fmt.Errorf("id: %w", err)
	}
	if format := image.GetBaseFormat(); format != nil {
		if _, ok := pb.ImageType_name[int32(format.GetType())]; !ok {
			return fmt.Errorf("baseFormat.type: there is no image type %d", format.GetType())
		}
	}
	if image.GetSize() < 0 {
		return fmt.Errorf("size: %d bytes are fewer than none", image.GetSize())
	}
	return nil
}

func parsePods(texts []json.RawMessage) ([]*pb.Pod, error) {
	pods := make([]*pb.Pod, 0, len(texts))
	seen := map[string]bool{}
	for i, text := range texts {
		pod, err := parsePod(text)
		if err == nil && seen[pod.GetId()] {
			err = fmt.Errorf("id: another pod has %q, too", pod.GetId())
		}
		if err != nil {
			return nil, fmt.Errorf("pods[%d]: %w", i, err)
		}
		seen[pod.GetId()] = true
		pods = append(pods, pod)
	}
	return pods, nil
}

func parsePod(text json.RawMessage) (*pb.Pod, error) {
	pod := &pb.Pod{}
	if err := message(text, pod); err != nil {
		return nil, err
	}
	// The fields have no presence in the message, but in JSON they have.
	var given struct {
		Pid  *json.RawMessage `json:"pid"`
		Apps []struct {
			Camel *json.RawMessage `json:"exitCode"`
			Snake *json.RawMessage `json:"exit_code"`
		} `json:"apps"`
	}
	if err := json.Unmarshal(text, &given); err != nil {
		return nil, err
	}
	if given.Pid == nil {
		pod.Pid = -1
	}
	for i, app := range given.Apps {
		if app.Camel == nil && app.Snake == nil {
			pod.Apps[i].ExitCode = -1
		}
	}
	return pod, checkPod(pod)
}

func checkPod(pod *pb.Pod) error {
	id, err := ParsePodID(pod.GetId())
	if err != nil {
		return fmt.Errorf("id: %w", err)
	}
	pod.Id = id
	if _, ok := pb.PodState_name[int32(pod.GetState())]; !ok || pod.GetState() == pb.PodState_POD_STATE_UNDEFINED {
		return fmt.Errorf("state: %v is not a state that a pod can be in", pod.GetState())
	}
	seen := map[string]bool{}
	for i, app := range pod.GetApps() {
		switch _, known := pb.AppState_name[int32(app.GetState())]; {
		case app.GetName() == "":
			return fmt.Errorf("apps[%d].name: an app needs one", i)
		case seen[app.GetName()]:
			return fmt.Errorf("apps[%d].name: another app of the pod is %q, too", i, app.GetName())
		case app.GetImage().GetId() == "":
			return fmt.Errorf("apps[%d].image.id: an app needs an image", i)
		case !known:
			return fmt.Errorf("apps[%d].state: there is no app state %d", i, app.GetState())
		}
		seen[app.GetName()] = true
	}
	for i, network := range pod.GetNetworks() {
		if network.GetName() == "" {
			return fmt.Errorf("networks[%d].name: a network needs one", i)
		}
	}
	return nil
}

func parseLogs(logs map[string]map[string][]fileLine, pods []*pb.Pod) (map[string]map[string][]Line, error) {
	apps := map[string]map[string]bool{}
	for _, pod := range pods {
		apps[pod.GetId()] = map[string]bool{}
		for _, app := range pod.GetApps() {
			apps[pod.GetId()][app.GetName()] = true
		}
	}
	parsed := map[string]map[string][]Line{}
	for _, key := range slices.Sorted(maps.Keys(logs)) {
		byApp := logs[key]
		id, err := ParsePodID(key)
		if err != nil {
			return nil, fmt.Errorf("logs: %w", err)
		}
		if apps[id] == nil || parsed[id] != nil {
			return nil, fmt.Errorf(
				"logs[%q]: there has to be one pod with this id, and its logs have to be in one place", key)
		}
		parsed[id] = map[string][]Line{}
		for _, app := range slices.Sorted(maps.Keys(byApp)) {
			if !apps[id][app] {
				return nil, fmt.Errorf("logs[%q][%q]: the pod has no app of this name", key, app)
			}
			if parsed[id][app], err = parseLines(app, byApp[app]); err != nil {
				return nil, fmt.Errorf("logs[%q][%q]%w", key, app, err)
			}
		}
	}
	return parsed, nil
}

func parseLines(app string, lines []fileLine) ([]Line, error) {
	parsed := make([]Line, len(lines))
	for i, l := range lines {
		switch {
		case l.Time.IsZero():
			return nil, fmt.Errorf("[%d]: a line needs a time, such as \"2016-04-01T10:00:00Z\"", i)
		case i > 0 && l.Time.Before(lines[i-1].Time):
			return nil, fmt.Errorf("[%d]: the line is older than the one before it; sort them by time", i)
		case strings.ContainsAny(l.Line, "\r\n"):
			return nil, fmt.Errorf("[%d]: the line has a line break in it; make it two", i)
		}
		parsed[i] = Line{App: app, Time: l.Time.UTC(), Text: l.Line}
	}
	return parsed, nil
}

// place is how protojson's errors begin. It counts from the start of the
// message, which is of no use to who has the whole description before them. The
// blanks differ from build to build.
var place = regexp.MustCompile(`^proto:[\s\x{a0}]*(\(line \d+:\d+\):[\s\x{a0}]*)?`)

// message unmarshals a message whose manifest may be a JSON object.
func message(text json.RawMessage, m proto.Message) error {
	if len(text) == 0 {
		return nil
	}
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(text, &fields); err != nil {
		return fmt.Errorf("not a JSON object: %w", err)
	}
	if manifest, ok := fields["manifest"]; ok && manifest[0] == '{' {
		var compact bytes.Buffer
		if err := json.Compact(&compact, manifest); err != nil {
			return fmt.Errorf("manifest: %w", err)
		}
		quoted, err := json.Marshal(base64.StdEncoding.EncodeToString(compact.Bytes()))
		if err != nil {
			return fmt.Errorf("manifest: %w", err)
		}
		fields["manifest"] = quoted
		if text, err = json.Marshal(fields); err != nil {
			return err
		}
	}
	if err := protojson.Unmarshal(text, m); err != nil {
		return errors.New(place.ReplaceAllString(err.Error(), ""))
	}
	if m, ok := m.(interface{ GetManifest() []byte }); ok && len(m.GetManifest()) > 0 && !json.Valid(m.GetManifest()) {
		return errors.New("manifest: the base64 text does not stand for JSON")
	}
	return nil
}
