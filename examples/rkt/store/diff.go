package store

import (
	"fmt"
	"slices"
	"strconv"

	pb "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/rkt/v1alpha"
	kit "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/rkt/v1alpha/rktv1alphakit"
)

// change is an event without its time.
type change struct {
	kind  kit.EventKind
	event *pb.Event
}

// diff is what happened between two descriptions, in an order in which it may
// have happened: images come before the pods that need them, and go after
// them. It refuses what cannot happen to a pod.
func diff(before, after *Data) ([]change, error) {
	var changes []change
	oldImages, newImages := imagesByID(before), imagesByID(after)
	for _, image := range after.Images {
		if oldImages[image.GetId()] == nil {
			changes = append(changes, imageChange(kit.EventKindImageImported, image))
		}
	}
	oldPods, newPods := podsByID(before), podsByID(after)
	for i, pod := range after.Pods {
		old := oldPods[pod.GetId()]
		if err := checkTransition(old, pod); err != nil {
			return nil, fmt.Errorf("pods[%d]: %w", i, err)
		}
		changes = append(changes, podChanges(old, pod)...)
	}
	for _, pod := range before.Pods {
		if newPods[pod.GetId()] == nil {
			changes = append(changes, podChanges(pod, gone(pod))...)
		}
	}
	for _, image := range before.Images {
		if newImages[image.GetId()] == nil {
			changes = append(changes, imageChange(kit.EventKindImageRemoved, image))
		}
	}
	return changes, nil
}

func podsByID(d *Data) map[string]*pb.Pod {
	pods := make(map[string]*pb.Pod, len(d.Pods))
	for _, pod := range d.Pods {
		pods[pod.GetId()] = pod
	}
	return pods
}

func imagesByID(d *Data) map[string]*pb.Image {
	images := make(map[string]*pb.Image, len(d.Images))
	for _, image := range d.Images {
		images[image.GetId()] = image
	}
	return images
}

func imageChange(kind kit.EventKind, image *pb.Image) change {
	event := &pb.Event{Id: image.GetId(), From: image.GetName()}
	if v := image.GetVersion(); v != "" {
		event.Data = []*pb.KeyValue{{Key: "version", Value: v}}
	}
	return change{kind, event}
}

// gone is what has become of a pod that is described no more.
func gone(pod *pb.Pod) *pb.Pod {
	g := &pb.Pod{Id: pod.GetId(), State: pb.PodState_POD_STATE_GARBAGE}
	if hasRun(pod) {
		g.Pid = 1 // not told to anybody; it says that the pod has run
	}
	return g
}

// checkTransition refuses to turn a pod's life back: states follow each other
// in the order of their numbers, and a failed preparation ends a life.
func checkTransition(old, pod *pb.Pod) error {
	if old == nil {
		return nil
	}
	from, to := old.GetState(), pod.GetState()
	aborted := pb.PodState_POD_STATE_ABORTED_PREPARE
	switch {
	case from == to:
		return nil
	case from == aborted && to >= pb.PodState_POD_STATE_DELETING:
		return nil
	case to == aborted && from < pb.PodState_POD_STATE_PREPARED:
		return nil
	case from != aborted && to != aborted && from < to:
		return nil
	}
	return fmt.Errorf("state: pod %s is in %v and cannot go to %v; describe a new pod, with another id",
		pod.GetId(), from, to)
}

// podMilestones are the kinds of pod events that a pod has seen.
func podMilestones(pod *pb.Pod) []kit.EventKind {
	var kinds []kit.EventKind
	switch state := pod.GetState(); {
	case state == pb.PodState_POD_STATE_ABORTED_PREPARE:
		return []kit.EventKind{kit.EventKindPodPrepareAborted}
	case state == pb.PodState_POD_STATE_PREPARED:
		return []kit.EventKind{kit.EventKindPodPrepared}
	case hasRun(pod):
		kinds = append(kinds, kit.EventKindPodPrepared, kit.EventKindPodStarted)
		if state > pb.PodState_POD_STATE_RUNNING {
			kinds = append(kinds, kit.EventKindPodExited)
		}
	}
	if pod.GetState() == pb.PodState_POD_STATE_GARBAGE {
		kinds = append(kinds, kit.EventKindPodGarbageCollected)
	}
	return kinds
}

// podChanges are the events of a pod and its apps. There may be no old pod.
func podChanges(old, pod *pb.Pod) []change {
	seen := podMilestones(old)
	var changes []change
	apps := appChanges(old, pod)
	for _, kind := range podMilestones(pod) {
		if kind == kit.EventKindPodExited || kind == kit.EventKindPodGarbageCollected {
			changes, apps = append(changes, apps...), nil // apps exit before their pod does
		}
		if !slices.Contains(seen, kind) {
			changes = append(changes, change{kind, &pb.Event{Id: pod.GetId(), From: pod.GetId()}})
		}
	}
	return append(changes, apps...)
}

// appChanges are the events of a pod's apps. An app that is no longer described
// has exited.
func appChanges(old, pod *pb.Pod) []change {
	before := map[string]*pb.App{}
	for _, app := range old.GetApps() {
		before[app.GetName()] = app
	}
	var changes []change
	for _, app := range pod.GetApps() {
		was := before[app.GetName()].GetState()
		delete(before, app.GetName())
		changes = append(changes, appChange(pod.GetId(), was, app)...)
	}
	for _, app := range old.GetApps() {
		if before[app.GetName()] != nil {
			left := &pb.App{Name: app.GetName(), State: pb.AppState_APP_STATE_EXITED, ExitCode: -1}
			changes = append(changes, appChange(pod.GetId(), started(app.GetState()), left)...)
		}
	}
	return changes
}

// started makes an app that never ran one that has nothing to exit from.
func started(state pb.AppState) pb.AppState {
	if state == pb.AppState_APP_STATE_UNDEFINED {
		return pb.AppState_APP_STATE_EXITED
	}
	return state
}

func appChange(pod string, was pb.AppState, app *pb.App) []change {
	now := app.GetState()
	if now == was || now == pb.AppState_APP_STATE_UNDEFINED {
		return nil
	}
	var changes []change
	if was != pb.AppState_APP_STATE_RUNNING {
		changes = append(changes, change{kit.EventKindAppStarted, &pb.Event{Id: pod, From: app.GetName()}})
	}
	if now == pb.AppState_APP_STATE_EXITED {
		exited := &pb.Event{Id: pod, From: app.GetName()}
		if code := app.GetExitCode(); code >= 0 {
			exited.Data = []*pb.KeyValue{{Key: "exit_code", Value: strconv.Itoa(int(code))}}
		}
		changes = append(changes, change{kit.EventKindAppExited, exited})
	}
	return changes
}
