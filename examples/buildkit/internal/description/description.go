// Package description reads what a server is to show: a JSON document with its
// version, workers, cache records and builds.
package description

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/skaffoldgen/protoc-gen-skaffold/examples/buildkit/internal/builds"
	"github.com/skaffoldgen/protoc-gen-skaffold/examples/buildkit/internal/cache"
	control "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/buildkit/control"
	types "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/buildkit/types"
)

//go:embed sample.json
var sample []byte

// Description is what a server shows when it starts.
type Description struct {
	Version *types.BuildkitVersion
	Workers []*types.WorkerRecord
	Cache   *cache.Cache
	Builds  []Build
}

// Build is a build that is stored, or that runs some time after the server has
// started.
type Build struct {
	builds.Recording
	// StartAfter is when it runs; nil: it has been completed already.
	StartAfter *builds.Duration
}

// document is a Description as JSON. Messages of the API are in its own JSON
// format.
type document struct {
	BuildkitVersion json.RawMessage   `json:"buildkitVersion"`
	Workers         []json.RawMessage `json:"workers"`
	Cache           []json.RawMessage `json:"cache"`
	Builds          []struct {
		Record     json.RawMessage  `json:"record"`
		Steps      []builds.Step    `json:"steps"`
		StartAfter *builds.Duration `json:"startAfter"`
	} `json:"builds"`
}

// Sample is the description that is built in.
func Sample() (*Description, error) { return Load(bytes.NewReader(sample)) }

// Load reads a description. Fields that are not known, and values that no
// server has, are errors.
func Load(r io.Reader) (*Description, error) {
	dec := json.NewDecoder(r)
	dec.DisallowUnknownFields()
	var doc document
	if err := dec.Decode(&doc); err != nil {
		return nil, fmt.Errorf("no description of a server: %w", err)
	}
	end := dec.InputOffset()
	if _, err := dec.Token(); err != io.EOF {
		return nil, fmt.Errorf("there is more behind the description, which ends at byte %d", end)
	}
	d := &Description{Version: &types.BuildkitVersion{}}
	err := errors.Join(d.readVersion(&doc), d.readWorkers(&doc), d.readCache(&doc), d.readBuilds(&doc))
	if err != nil {
		return nil, err
	}
	return d, nil
}

func (d *Description) readVersion(doc *document) error {
	if doc.BuildkitVersion == nil {
		return nil
	}
	if err := protojson.Unmarshal(doc.BuildkitVersion, d.Version); err != nil {
		return fmt.Errorf("buildkitVersion: %w", err)
	}
	return nil
}

func (d *Description) readWorkers(doc *document) error {
	workers, err := messages[types.WorkerRecord]("workers", doc.Workers)
	if err != nil {
		return err
	}
	ids := make(map[string]bool, len(workers))
	for i, w := range workers {
		if w.GetID() == "" {
			return fmt.Errorf("workers[%d] has no ID", i)
		}
		if ids[w.GetID()] {
			return fmt.Errorf("workers[%d]: there are two with the ID %q", i, w.GetID())
		}
		ids[w.GetID()] = true
		if w.GetBuildkitVersion() == nil {
			w.BuildkitVersion = d.Version
		}
	}
	d.Workers = workers
	return nil
}

func (d *Description) readCache(doc *document) error {
	records, err := messages[control.UsageRecord]("cache", doc.Cache)
	if err != nil {
		return err
	}
	if d.Cache, err = cache.New(records, time.Now()); err != nil {
		return fmt.Errorf("cache: %w", err)
	}
	return nil
}

func (d *Description) readBuilds(doc *document) error {
	refs := make(map[string]bool, len(doc.Builds))
	for i, b := range doc.Builds {
		rec := &control.BuildHistoryRecord{}
		if b.Record != nil {
			if err := protojson.Unmarshal(b.Record, rec); err != nil {
				return fmt.Errorf("builds[%d].record: %w", i, err)
			}
		}
		build := Build{builds.Recording{Record: rec, Steps: b.Steps}, b.StartAfter}
		if err := build.Check(); err != nil {
			return fmt.Errorf("builds[%d]: %w", i, err)
		}
		if refs[rec.GetRef()] {
			return fmt.Errorf("builds[%d]: there are two with the Ref %q", i, rec.GetRef())
		}
		refs[rec.GetRef()] = true
		d.Builds = append(d.Builds, build)
	}
	return nil
}

// messages reads a list of messages of the API.
func messages[T any, M interface {
	*T
	proto.Message
}](field string, raw []json.RawMessage) ([]M, error) {
	all := make([]M, len(raw))
	for i, r := range raw {
		all[i] = M(new(T))
		if err := protojson.Unmarshal(r, all[i]); err != nil {
			return nil, fmt.Errorf("%s[%d]: %w", field, i, err)
		}
	}
	return all, nil
}
