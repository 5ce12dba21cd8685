package devloop

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/skaffoldgen/protoc-gen-skaffold/examples/skaffold/project"
	enums "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/enums"
	pbv1 "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v1"
	kitv1 "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v1/skaffoldv1kit"
	pbv2 "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v2"
	kitv2 "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v2/skaffoldv2kit"
)

// firstSubtask is the id of the subtask where a task has one alone.
const firstSubtask = "0"

// sync copies files into the containers of all artifacts.
func (it *iteration) sync(ctx context.Context) error {
	for i, a := range it.project.Artifacts {
		e1 := func() *pbv1.FileSyncEvent { return &pbv1.FileSyncEvent{FileCount: 1, Image: a.Image} }
		e2 := func() *pbv2.FileSyncEvent {
			return &pbv2.FileSyncEvent{Id: strconv.Itoa(i), TaskId: it.id(string(Sync)), FileCount: 1, Image: a.Image}
		}
		if err := it.step(ctx, Step{Sync, a.Image}, told{
			begin: func() error {
				return errors.Join(it.emit1.FileSyncEventInProgress(ctx, e1()), it.emit2.FileSyncEventInProgress(ctx, e2()))
			},
			done: func() error {
				return errors.Join(it.emit1.FileSyncEventSucceeded(ctx, e1()), it.emit2.FileSyncEventSucceeded(ctx, e2()))
			},
			fail: func(f *failure) error {
				bad := e1()
				bad.Err, bad.ErrCode = f.Error(), f.v1().Code()
				return errors.Join(
					it.emit1.FileSyncEventFailed(ctx, bad, f.v1()),
					it.emit2.FileSyncEventFailed(ctx, e2(), f.v2()),
				)
			},
		}); err != nil {
			return err
		}
	}
	return nil
}

// build builds the artifacts whose files have changed; the others are in the
// cache.
func (it *iteration) build(ctx context.Context) error {
	dirty := it.takeDirty()
	err := it.inTask(ctx, kitv2.TaskEventTaskBuild, "Build containers", func() error {
		for _, a := range it.project.Artifacts {
			if err := it.buildArtifact(ctx, a, dirty[a.Image]); err != nil {
				return err
			}
			delete(dirty, a.Image)
		}
		return nil
	})
	it.mu.Lock()
	for image := range dirty { // they were not built
		it.todo.dirty[image] = true
	}
	it.mu.Unlock()
	return err
}

func (it *iteration) buildArtifact(ctx context.Context, a project.Artifact, dirty bool) error {
	e2 := func(step string) *pbv2.BuildSubtaskEvent {
		return &pbv2.BuildSubtaskEvent{
			Id:       a.Image,
			TaskId:   it.id(kitv2.TaskEventTaskBuild),
			Artifact: a.Image,
			Step:     step,
		}
	}
	const cache, build = kitv2.BuildSubtaskEventStepCache, kitv2.BuildSubtaskEventStepBuild
	if err := it.emit2.BuildSubtaskEventInProgress(ctx, e2(cache)); err != nil {
		return err
	}
	if !dirty {
		return it.emit2.BuildSubtaskEventSucceeded(ctx, e2(cache))
	}
	return it.step(ctx, Step{Build, a.Image}, told{
		begin: func() error {
			miss := e2(cache)
			miss.Status = kitv2.BuildSubtaskEventStatusFailed // which is no error, and has none
			return errors.Join(
				it.emit2.BuildSubtaskEvent(ctx, miss),
				it.emit1.BuildEventInProgress(ctx, &pbv1.BuildEvent{Artifact: a.Image}),
				it.emit2.BuildSubtaskEventInProgress(ctx, e2(build)),
				it.log(ctx, kitv2.TaskEventTaskBuild, "Building [%s]...", a.Image),
			)
		},
		done: func() error {
			return errors.Join(
				it.emit1.BuildEventComplete(ctx, &pbv1.BuildEvent{Artifact: a.Image}),
				it.emit2.BuildSubtaskEventSucceeded(ctx, e2(build)),
			)
		},
		fail: func(f *failure) error {
			bad := &pbv1.BuildEvent{Artifact: a.Image, Err: f.Error(), ErrCode: f.v1().Code()}
			return errors.Join(
				it.emit1.BuildEventFailed(ctx, bad, f.v1()),
				it.emit2.BuildSubtaskEventFailed(ctx, e2(build), f.v2()),
			)
		},
	})
}

// test runs the tests, of which v1 tells nothing.
func (it *iteration) test(ctx context.Context) error {
	return it.inTask(ctx, kitv2.TaskEventTaskTest, "Test", func() error {
		e := func() *pbv2.TestSubtaskEvent {
			return &pbv2.TestSubtaskEvent{Id: firstSubtask, TaskId: it.id(kitv2.TaskEventTaskTest)}
		}
		return it.step(ctx, Step{Phase: Test}, told{
			begin: func() error { return it.emit2.TestEventInProgress(ctx, e()) },
			done:  func() error { return it.emit2.TestEventSucceeded(ctx, e()) },
			fail:  func(f *failure) error { return it.emit2.TestEventFailed(ctx, e(), f.v2()) },
		})
	})
}

// render makes the manifests, of which v1 tells nothing either.
func (it *iteration) render(ctx context.Context) error {
	return it.inTask(ctx, kitv2.TaskEventTaskRender, "Render Manifests", func() error {
		e := func() *pbv2.RenderSubtaskEvent {
			return &pbv2.RenderSubtaskEvent{Id: firstSubtask, TaskId: it.id(kitv2.TaskEventTaskRender)}
		}
		return it.step(ctx, Step{Phase: Render}, told{
			begin: func() error { return it.emit2.RenderEventInProgress(ctx, e()) },
			done:  func() error { return it.emit2.RenderEventSucceeded(ctx, e()) },
			fail:  func(f *failure) error { return it.emit2.RenderEventFailed(ctx, e(), f.v2()) },
		})
	})
}

// deploy applies the manifests. It is complete before anything is checked.
func (it *iteration) deploy(ctx context.Context) error {
	return it.inTask(ctx, kitv2.TaskEventTaskDeploy, "Deploy to cluster", func() error {
		e := func() *pbv2.DeploySubtaskEvent {
			return &pbv2.DeploySubtaskEvent{Id: firstSubtask, TaskId: it.id(kitv2.TaskEventTaskDeploy)}
		}
		return it.step(ctx, Step{Phase: Deploy}, told{
			begin: func() error {
				return errors.Join(
					it.emit1.DeployEventInProgress(ctx, &pbv1.DeployEvent{}),
					it.emit2.DeploySubtaskEventInProgress(ctx, e()),
					it.log(ctx, kitv2.TaskEventTaskDeploy, "Starting deploy..."),
				)
			},
			done: func() error {
				return errors.Join(
					it.emit1.DeployEventComplete(ctx, &pbv1.DeployEvent{}),
					it.emit2.DeploySubtaskEventSucceeded(ctx, e()),
				)
			},
			fail: func(f *failure) error {
				bad := &pbv1.DeployEvent{Err: f.Error(), ErrCode: f.v1().Code()}
				return errors.Join(
					it.emit1.DeployEventFailed(ctx, bad, f.v1()),
					it.emit2.DeploySubtaskEventFailed(ctx, e(), f.v2()),
				)
			},
		})
	})
}

// statusCheck waits for the deployments to become ready.
func (it *iteration) statusCheck(ctx context.Context) error {
	return it.inTask(ctx, kitv2.TaskEventTaskStatusCheck, "Status Checking Deployed Artifacts", func() error {
		if err := it.emit1.StatusCheckEventStarted(ctx, &pbv1.StatusCheckEvent{}); err != nil {
			return err
		}
		for _, a := range it.project.Artifacts {
			err := it.checkDeployment(ctx, "deployment/"+a.Deployment)
			var failed *failure
			switch {
			case errors.As(err, &failed):
				e := &pbv1.StatusCheckEvent{Err: failed.Error(), ErrCode: failed.v1().Code()}
				e.Status = kitv1.StatusCheckEventStatusFailed
				e.ActionableErr = &pbv1.ActionableErr{ErrCode: e.ErrCode, Message: e.Err} // never with suggestions
				return errors.Join(err, it.emit1.StatusCheckEvent(ctx, e))
			case err != nil:
				return err
			}
		}
		return it.emit1.StatusCheckEventSucceeded(ctx, &pbv1.StatusCheckEvent{})
	})
}

func (it *iteration) checkDeployment(ctx context.Context, resource string) error {
	e1 := func() *pbv1.ResourceStatusCheckEvent { return &pbv1.ResourceStatusCheckEvent{Resource: resource} }
	e2 := func() *pbv2.StatusCheckSubtaskEvent {
		// The task is Deploy, although there is one of the name StatusCheck.
		return &pbv2.StatusCheckSubtaskEvent{
			Id:       resource,
			TaskId:   it.id(kitv2.TaskEventTaskDeploy),
			Resource: resource,
		}
	}
	return it.step(ctx, Step{StatusCheck, resource}, told{
		begin: func() error { return it.tellPending(ctx, e1(), e2()) },
		done: func() error {
			const message = "Succeeded"
			done1, done2 := e1(), e2()
			done1.Message, done1.StatusCode = message, pbv1.StatusCode_STATUSCHECK_SUCCESS
			done2.Message, done2.StatusCode = message, enums.StatusCode_STATUSCHECK_SUCCESS
			return errors.Join(
				it.emit1.ResourceStatusCheckEventSucceeded(ctx, done1),
				it.emit2.StatusCheckSubtaskEventSucceeded(ctx, done2),
			)
		},
		fail: func(f *failure) error {
			bad1, bad2 := e1(), e2()
			bad1.Err, bad1.StatusCode = f.Error(), f.v1().Code()
			bad2.StatusCode = f.v2().Code()
			return errors.Join(
				it.emit1.ResourceStatusCheckEventFailed(ctx, bad1, f.v1()),
				it.emit2.StatusCheckSubtaskEventFailed(ctx, bad2, f.v2()),
			)
		},
	})
}

// tellPending tells that a deployment is not ready yet. The events have an error
// message, although that is no error.
func (it *iteration) tellPending(
	ctx context.Context, e1 *pbv1.ResourceStatusCheckEvent, e2 *pbv2.StatusCheckSubtaskEvent,
) error {
	const message = "waiting for rollout to finish: 0 of 1 updated replicas are available..."
	const code1 = pbv1.StatusCode_STATUSCHECK_DEPLOYMENT_ROLLOUT_PENDING
	const code2 = enums.StatusCode_STATUSCHECK_DEPLOYMENT_ROLLOUT_PENDING
	e1.Message, e1.StatusCode = message, code1
	e1.ActionableErr = &pbv1.ActionableErr{ErrCode: code1, Message: message}
	e2.Message, e2.StatusCode = message, code2
	e2.ActionableErr = &pbv2.ActionableErr{ErrCode: code2, Message: message}
	return errors.Join(
		it.emit1.ResourceStatusCheckEventInProgress(ctx, e1),
		it.emit2.StatusCheckSubtaskEventInProgress(ctx, e2),
	)
}

// portForward forwards the ports of the artifacts that have one.
func (it *iteration) portForward(ctx context.Context) error {
	return it.inTask(ctx, kitv2.TaskEventTaskPortForward, "Port forward URLs", func() error {
		nothing := func() error { return nil }
		return it.step(ctx, Step{Phase: PortForward}, told{
			begin: nothing,
			done:  func() error { return it.ports(ctx) },
			fail:  func(*failure) error { return nil },
		})
	})
}

func (it *iteration) ports(ctx context.Context) error {
	for _, a := range it.project.Artifacts {
		if a.LocalPort == 0 {
			continue
		}
		if err := errors.Join(
			it.emit1.PortEvent(ctx, it.port1(a)),
			it.emit2.PortEvent(ctx, it.port2(a)),
		); err != nil {
			return err
		}
	}
	return nil
}

// What all forwarded ports have in common.
const (
	localAddress = "127.0.0.1"
	serviceType  = "service"
	portName     = "http"
)

func (it *iteration) port1(a project.Artifact) *pbv1.PortEvent {
	return &pbv1.PortEvent{
		LocalPort:     a.LocalPort,
		RemotePort:    a.Port,
		ContainerName: a.Deployment,
		Namespace:     it.project.Namespace,
		PortName:      portName,
		ResourceType:  serviceType,
		ResourceName:  a.Deployment,
		Address:       localAddress,
		TargetPort:    &pbv1.IntOrString{IntVal: a.Port},
	}
}

func (it *iteration) port2(a project.Artifact) *pbv2.PortForwardEvent {
	return &pbv2.PortForwardEvent{
		TaskId:        it.id(kitv2.TaskEventTaskPortForward),
		LocalPort:     a.LocalPort,
		ContainerName: a.Deployment,
		Namespace:     it.project.Namespace,
		PortName:      portName,
		ResourceType:  serviceType,
		ResourceName:  a.Deployment,
		Address:       localAddress,
		TargetPort:    &pbv2.IntOrString{IntVal: a.Port},
	}
}

// applicationLogs has each application say that it runs.
func (it *iteration) applicationLogs(ctx context.Context) error {
	for _, a := range it.project.Artifacts {
		prefix := fmt.Sprintf("[%s] ", a.Deployment)
		message := fmt.Sprintf("listening on port %d\n", a.Port)
		if err := it.emit2.ApplicationLogEvent(ctx, &pbv2.ApplicationLogEvent{
			ContainerName:        a.Deployment,
			PodName:              fmt.Sprintf("%s-%d", a.Deployment, it.n2),
			Prefix:               prefix,
			Message:              message,
			RichFormattedMessage: prefix + message,
		}); err != nil {
			return err
		}
	}
	return nil
}
