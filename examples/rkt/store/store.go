package store

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/skaffoldgen/protoc-gen-skaffold/eventlog"
	pb "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/rkt/v1alpha"
	kit "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/rkt/v1alpha/rktv1alphakit"
)

// Occurrence is an event and the moment at which the store learnt of it. The
// event itself has room for the second alone.
type Occurrence struct {
	At    time.Time
	Event *pb.Event
}

// Store has the current description, and what happened since it was made. Its
// methods may be called by any number of goroutines at a time. The messages
// that it returns are shared: nobody may change them.
type Store struct {
	now     func() time.Time
	loading sync.Mutex // held by Load; readers need no lock
	current atomic.Pointer[state]
	events  *eventlog.Log[Occurrence]
}

// state is never changed, only replaced.
type state struct {
	data   *Data
	pods   []Pod
	byID   map[string]Pod
	images []Image
	image  map[string]*pb.Image
}

// Pod is a pod as the API shows it.
type Pod struct {
	// Full has all that the pod's state permits; Brief is without its manifest.
	Full, Brief *pb.Pod
	// Log is nil if the pod never ran.
	Log *PodLog
}

// Image is an image as the API shows it.
type Image struct {
	// Full has all fields; Brief is without the manifest.
	Full, Brief *pb.Image
}

// New makes a store of a description. That what it describes is there is no
// event. The store asks now, from then on, when events happen.
func New(d *Data, now func() time.Time) (*Store, error) {
	s := &Store{now: now}
	s.events = eventlog.New(eventlog.Config[Occurrence]{Size: func(o Occurrence) int { return proto.Size(o.Event) }})
	s.current.Store(&state{data: &Data{}})
	next, err := s.next(d)
	if err != nil {
		return nil, err
	}
	s.current.Store(next)
	return s, nil
}

// Load replaces the description. Pods and images that came, changed and went
// are appended to the events, after the new description can be seen; new lines
// to the logs of their pods. It returns the number of events. If a pod cannot
// have become what the description says, nothing changes. The store keeps d.
func (s *Store) Load(ctx context.Context, d *Data) (int, error) {
	s.loading.Lock()
	defer s.loading.Unlock()
	before := s.current.Load()
	changes, err := diff(before.data, d)
	if err != nil {
		return 0, err
	}
	next, err := s.next(d)
	if err != nil {
		return 0, err
	}
	s.current.Store(next)
	for id, pod := range before.byID {
		if pod.Log == nil {
			continue
		}
		now, lines := next.byID[id], d.Logs[id]
		if now.Log == nil {
			lines = pod.Log.state.byApp // for those who still read them
		}
		if err := pod.Log.update(now.Full, lines); err != nil {
			return 0, fmt.Errorf("log of pod %s: %w", id, err)
		}
	}
	return len(changes), s.emit(ctx, changes)
}

// emit appends events. Those of one description have one time.
func (s *Store) emit(ctx context.Context, changes []change) error {
	at := s.now()
	em := kit.NewEventEmitter(func(_ context.Context, e *pb.Event) error {
		_, err := s.events.Append(Occurrence{At: at, Event: e})
		return err
	}, kit.WithEventClock(func() time.Time { return at }))
	for _, c := range changes {
		if err := em.Emit(ctx, c.kind, c.event); err != nil {
			return fmt.Errorf("event %v of %s: %w", c.kind, c.event.GetId(), err)
		}
	}
	return nil
}

// next makes a state of a description. The logs that are new are complete; what
// came to the others is not in them yet.
func (s *Store) next(d *Data) (*state, error) {
	before := s.current.Load()
	next := &state{data: d, byID: map[string]Pod{}, image: imagesByID(d)}
	for _, full := range d.Pods {
		pod := Pod{Full: full, Brief: proto.CloneOf(full)}
		pod.Brief.Manifest = nil
		if hasRun(full) {
			pod.Log = before.byID[full.GetId()].Log
		}
		if pod.Log == nil && hasRun(full) {
			pod.Log = newPodLog()
			if err := pod.Log.update(full, d.Logs[full.GetId()]); err != nil {
				return nil, fmt.Errorf("log of pod %s: %w", full.GetId(), err)
			}
		}
		next.pods = append(next.pods, pod)
		next.byID[full.GetId()] = pod
	}
	for _, full := range d.Images {
		brief := proto.CloneOf(full)
		brief.Manifest = nil
		next.images = append(next.images, Image{Full: full, Brief: brief})
	}
	return next, nil
}

// Info is what rkt says of itself.
func (s *Store) Info() *pb.Info { return s.current.Load().data.Info }

// Pods are all pods, in the order of the description.
func (s *Store) Pods() []Pod { return s.current.Load().pods }

// Pod finds a pod by the usual form of its id, see ParsePodID.
func (s *Store) Pod(id string) (Pod, bool) {
	pod, ok := s.current.Load().byID[id]
	return pod, ok
}

// Images are all images, in the order of the description.
func (s *Store) Images() []Image { return s.current.Load().images }

// Image finds an image by its id.
func (s *Store) Image(id string) (*pb.Image, bool) {
	image, ok := s.current.Load().image[id]
	return image, ok
}

// Events has what happened since the store was made, as far as it is kept.
func (s *Store) Events() *eventlog.Log[Occurrence] { return s.events }

// Close ends the events and the logs of pods: who follows them gets what is
// there, and then the end.
func (s *Store) Close() error {
	s.loading.Lock()
	defer s.loading.Unlock()
	errs := []error{s.events.Close()}
	for _, pod := range s.Pods() {
		if pod.Log != nil {
			errs = append(errs, pod.Log.log.Close())
		}
	}
	return errors.Join(errs...)
}
