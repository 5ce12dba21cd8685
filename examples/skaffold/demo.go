package main

import (
	"context"
	"time"

	"github.com/skaffoldgen/protoc-gen-skaffold/examples/skaffold/devloop"
	"github.com/skaffoldgen/protoc-gen-skaffold/examples/skaffold/project"
)

// demoProject is what the simulated dev loop builds and deploys.
func demoProject() project.Project {
	return project.Project{
		RunID:       "demo",
		KubeContext: "minikube",
		Namespace:   "default",
		Artifacts: []project.Artifact{{
			Image:      "example.com/web",
			Context:    "web",
			Dockerfile: "Dockerfile",
			Deployment: "web",
			LocalPort:  9000,
			Port:       8080,
		}, {
			Image:      "example.com/api",
			Context:    "api",
			Dockerfile: "Dockerfile",
			Deployment: "api",
			LocalPort:  9001,
			Port:       8081,
		}},
	}
}

// work is what a step of the simulated dev loop does: it takes its time.
func (a *app) work(ctx context.Context, _ devloop.Step) error { return sleep(ctx, a.stepTime) }

// start begins the first iteration.
func (a *app) start(ctx context.Context) error {
	return a.runner.Start(ctx, "{Version:example ConfigVersion:skaffold/v4beta13}")
}

// changes has a file change from time to time: sources of one artifact after the
// other, and in between a file that is only synced.
func (a *app) changes(ctx context.Context) error {
	if a.changeEvery == 0 {
		return nil
	}
	ticker := time.NewTicker(a.changeEvery)
	defer ticker.Stop()
	images := a.project.Images()
	for n := 0; ; n++ {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		if next := n % (len(images) + 1); next < len(images) {
			a.runner.SourcesChanged(images[next])
		} else {
			a.runner.FilesChanged()
		}
	}
}
