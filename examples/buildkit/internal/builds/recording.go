package builds

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	control "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/buildkit/control"
)

// Recording is a build that can be shown again: its record, and what its steps
// did and when.
type Recording struct {
	Record *control.BuildHistoryRecord
	Steps  []Step
}

// Step is a step of a recorded build, which BuildKit calls a vertex. It starts
// when its inputs have ended.
type Step struct {
	Name     string    `json:"name"`     // unique in the build
	Inputs   []string  `json:"inputs"`   // names of earlier steps
	Took     Duration  `json:"took"`     // how long it ran
	Cached   bool      `json:"cached"`   // taken from the cache instead of run
	Progress []Task    `json:"progress"` // what it transfers
	Log      string    `json:"log"`      // its output; the lines are spread over the time that it took
	Warnings []Warning `json:"warnings"` // found when it ends
	Error    string    `json:"error"`    // why it failed; steps that need it are not run
}

// Task is a part of a step that is counted, such as the download of a layer.
type Task struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Total int64  `json:"total"` // bytes; 0 if there is nothing to count
}

// Warning is something that a step found wrong with the build.
type Warning struct {
	Level  int64    `json:"level"`
	Short  string   `json:"short"`
	Detail []string `json:"detail"`
	URL    string   `json:"url"`
}

// Duration is a time.Duration that JSON has as text, such as "1.5s".
type Duration time.Duration

// UnmarshalText reads what time.ParseDuration reads; negative ones are an error.
func (d *Duration) UnmarshalText(text []byte) error {
	parsed, err := time.ParseDuration(string(text))
	if err == nil && parsed < 0 {
		err = fmt.Errorf("the duration %s is negative", text)
	}
	*d = Duration(parsed)
	return err
}

// longest bounds the time that all steps of a build take together.
const longest = Duration(365 * 24 * time.Hour)

// Check returns an error for a recording that no build has.
func (r *Recording) Check() error {
	if r.Record.GetRef() == "" {
		return errors.New("its record has no Ref")
	}
	for _, t := range []*timestamppb.Timestamp{r.Record.GetCreatedAt(), r.Record.GetCompletedAt()} {
		if t != nil && !t.IsValid() {
			return t.CheckValid()
		}
	}
	names := make(map[string]bool, len(r.Steps))
	var total Duration
	for i, s := range r.Steps {
		switch {
		case s.Name == "":
			return fmt.Errorf("step %d has no name", i+1)
		case names[s.Name]:
			return fmt.Errorf("step %d: there are two with the name %q", i+1, s.Name)
		case s.Took < 0 || s.Took > longest-total:
			return fmt.Errorf("step %q: steps take between no time and, all together, a year", s.Name)
		case s.Cached && (s.Took > 0 || s.Error != ""):
			return fmt.Errorf("step %q is cached: it takes no time and does not fail", s.Name)
		}
		for _, in := range s.Inputs {
			if !names[in] {
				return fmt.Errorf("step %q: no step before it is named %q, which is one of its inputs", s.Name, in)
			}
		}
		names[s.Name] = true
		total += s.Took
	}
	return nil
}

// frame is what a build reports at one time.
type frame struct {
	after  time.Duration // since the start of the build
	status *control.StatusResponse
}

// frames are what the build reports if it starts at a time, in order. The first
// names all steps.
func (r *Recording) frames(start time.Time) []frame {
	s := script{at: map[time.Duration]*control.StatusResponse{}, start: start}
	ran := make(map[string]*run, len(r.Steps))
	for i := range r.Steps {
		step := &r.Steps[i]
		v := newRun(step, ran)
		ran[step.Name] = v
		s.frame(0).Vertexes = append(s.frame(0).Vertexes, v.vertex())
	}
	for i := range r.Steps {
		if v := ran[r.Steps[i].Name]; !v.blocked {
			s.play(v)
		}
	}
	frames := make([]frame, 0, len(s.at))
	for after, status := range s.at {
		frames = append(frames, frame{after, status})
	}
	slices.SortFunc(frames, func(a, b frame) int { return cmp.Compare(a.after, b.after) })
	return frames
}

// run is a step with its place in the time of the build.
type run struct {
	*Step
	digest     string
	inputs     []string
	start, end time.Duration
	blocked    bool // an input failed, so that it never starts
}

func newRun(step *Step, ran map[string]*run) *run {
	v := &run{Step: step}
	for _, name := range step.Inputs {
		in := ran[name]
		v.inputs = append(v.inputs, in.digest)
		v.start = max(v.start, in.end)
		v.blocked = v.blocked || in.blocked || in.Error != ""
	}
	v.end = v.start + time.Duration(step.Took)
	sum := sha256.Sum256([]byte(step.Name + "\n" + strings.Join(v.inputs, "\n")))
	v.digest = "sha256:" + hex.EncodeToString(sum[:])
	return v
}

// vertex is the step before it has started.
func (v *run) vertex() *control.Vertex {
	return &control.Vertex{Digest: v.digest, Inputs: v.inputs, Name: v.Name, Cached: v.Cached}
}

// script collects frames.
type script struct {
	start time.Time
	at    map[time.Duration]*control.StatusResponse
}

func (s *script) frame(after time.Duration) *control.StatusResponse {
	if s.at[after] == nil {
		s.at[after] = &control.StatusResponse{}
	}
	return s.at[after]
}

func (s *script) time(after time.Duration) *timestamppb.Timestamp {
	return timestamppb.New(s.start.Add(after))
}

// play adds all that a step reports.
func (s *script) play(v *run) {
	started := v.vertex()
	started.Started = s.time(v.start)
	first := s.frame(v.start)
	if !v.Cached {
		first.Vertexes = append(first.Vertexes, started)
	}
	for _, t := range v.Progress {
		first.Statuses = append(first.Statuses, s.task(v, t, false))
	}
	s.log(v)

	ended := proto.CloneOf(started)
	ended.Completed = s.time(v.end)
	ended.Error = v.Error
	last := s.frame(v.end)
	for _, t := range v.Progress {
		if v.Error == "" {
			last.Statuses = append(last.Statuses, s.task(v, t, true))
		}
	}
	for _, w := range v.Warnings {
		last.Warnings = append(last.Warnings, w.message(v.digest))
	}
	last.Vertexes = append(last.Vertexes, ended)
}

func (s *script) task(v *run, t Task, done bool) *control.VertexStatus {
	m := &control.VertexStatus{
		ID: t.ID, Vertex: v.digest, Name: t.Name, Total: t.Total,
		Timestamp: s.time(v.start), Started: s.time(v.start),
	}
	if done {
		m.Current, m.Timestamp, m.Completed = t.Total, s.time(v.end), s.time(v.end)
	}
	return m
}

// log adds the lines of a step's output, at even distances.
func (s *script) log(v *run) {
	lines := slices.Collect(strings.Lines(v.Log))
	for i, line := range lines {
		after := v.start + time.Duration(float64(v.end-v.start)*float64(i+1)/float64(len(lines)+1))
		f := s.frame(after)
		f.Logs = append(f.Logs, &control.VertexLog{
			Vertex: v.digest, Stream: 1, Msg: []byte(line), Timestamp: s.time(after),
		})
	}
}

func (w Warning) message(digest string) *control.VertexWarning {
	m := &control.VertexWarning{Vertex: digest, Level: w.Level, Short: []byte(w.Short), Url: w.URL}
	for _, d := range w.Detail {
		m.Detail = append(m.Detail, []byte(d))
	}
	return m
}

// result is the record of a build that has reported some frames and then ended,
// for a reason or because it was done.
func (r *Recording) result(started *control.BuildHistoryRecord, reported []frame,
	end time.Time, cause error) *control.BuildHistoryRecord {
	rec := proto.CloneOf(started)
	rec.CompletedAt = timestamppb.New(end)
	rec.NumTotalSteps, rec.NumCachedSteps, rec.NumCompletedSteps = int32(len(r.Steps)), 0, 0
	for _, f := range reported {
		for _, v := range f.status.GetVertexes() {
			if v.GetCompleted() == nil {
				continue
			}
			rec.NumCompletedSteps++
			if v.GetCached() {
				rec.NumCachedSteps++
			}
			if v.GetError() != "" && rec.Error == nil {
				rec.Error = failure(codes.Unknown, v)
			}
		}
	}
	if cause != nil {
		rec.Error = &status.Status{Code: int32(codes.Canceled), Message: cause.Error()}
	}
	return rec
}

func failure(code codes.Code, v *control.Vertex) *status.Status {
	return &status.Status{Code: int32(code), Message: "failed to solve: " + v.GetName() + ": " + v.GetError()}
}
