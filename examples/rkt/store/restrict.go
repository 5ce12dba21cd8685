package store

import (
	pb "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/rkt/v1alpha"
)

// describeImages adds what is known of an app's image to apps that have no more
// than its id.
func describeImages(d *Data) {
	images := map[string]*pb.Image{}
	for _, image := range d.Images {
		images[image.GetId()] = image
	}
	for _, pod := range d.Pods {
		for _, app := range pod.GetApps() {
			known := images[app.GetImage().GetId()]
			if known == nil {
				continue
			}
			if app.Image.Name == "" && app.Image.Version == "" {
				app.Image.Name, app.Image.Version = known.GetName(), known.GetVersion()
			}
			if app.Image.BaseFormat == nil {
				app.Image.BaseFormat = known.GetBaseFormat()
			}
		}
	}
}

// restrict leaves of a pod what the API shows of one in its state:
//
//   - before it is prepared, and when that failed: the id and the state,
//   - networks and cgroup only while it is running,
//   - a pid, and the states and exit codes of its apps, only after its start,
//   - when it was marked for garbage collection only after that.
func restrict(pod *pb.Pod) {
	state := pod.GetState()
	if state < pb.PodState_POD_STATE_PREPARED || state == pb.PodState_POD_STATE_ABORTED_PREPARE {
		id := pod.GetId()
		pod.Reset()
		pod.Id, pod.State, pod.Pid = id, state, -1
		return
	}
	if state != pb.PodState_POD_STATE_RUNNING {
		pod.Networks, pod.Cgroup = nil, ""
	}
	if state != pb.PodState_POD_STATE_DELETING && state != pb.PodState_POD_STATE_GARBAGE {
		pod.GcMarkedAt = 0
	}
	ran := hasRun(pod)
	if !ran {
		pod.Pid, pod.StartedAt = -1, 0
	}
	for _, app := range pod.GetApps() {
		switch {
		case !ran:
			app.State = pb.AppState_APP_STATE_UNDEFINED
		case state != pb.PodState_POD_STATE_RUNNING:
			app.State = pb.AppState_APP_STATE_EXITED
		case app.State == pb.AppState_APP_STATE_UNDEFINED:
			app.State = pb.AppState_APP_STATE_RUNNING
		}
		if app.State != pb.AppState_APP_STATE_EXITED {
			app.ExitCode = -1
		}
	}
}

// hasRun tells whether a pod is or was running. One that is being deleted, or
// is deleted, may have come there without.
func hasRun(pod *pb.Pod) bool {
	switch pod.GetState() {
	case pb.PodState_POD_STATE_RUNNING, pb.PodState_POD_STATE_EXITED:
		return true
	case pb.PodState_POD_STATE_DELETING, pb.PodState_POD_STATE_GARBAGE:
		return pod.GetStartedAt() != 0 || pod.GetPid() > 0
	}
	return false
}
