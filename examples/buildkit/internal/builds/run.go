package builds

import (
	"context"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	control "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/buildkit/control"
)

// Run shows a recorded build again, under a ref: it starts now, reports what it
// reported at the same distances of time, and is stored. If the context ends
// first, the build is stored as cancelled, and Run returns the cause.
func (h *History) Run(ctx context.Context, r *Recording, ref string) error {
	start := time.Now()
	rec := proto.CloneOf(r.Record)
	rec.Ref, rec.CreatedAt, rec.CompletedAt, rec.Pinned = ref, timestamppb.New(start), nil, false
	rec.NumCachedSteps, rec.NumTotalSteps, rec.NumCompletedSteps = 0, int32(len(r.Steps)), 0
	expected := rec.GetError()
	rec.Error = nil
	b, err := h.start(rec)
	if err != nil {
		return err
	}
	frames := r.frames(start)
	reported, cause := b.play(ctx, frames, start)
	if cause != nil {
		last := frame{time.Since(start), interrupted(frames[:reported], cause)}
		if err := b.report(last.status); err != nil {
			return err
		}
		frames = append(frames[:reported:reported], last)
	} else {
		rec.Error = expected
	}
	if err := h.complete(b, r.result(rec, frames, time.Now(), cause)); err != nil {
		return err
	}
	return cause
}

// play reports frames when it is time for them. It returns how many it
// reported, and the cause if that is not all.
func (b *build) play(ctx context.Context, frames []frame, start time.Time) (reported int, cause error) {
	for i, f := range frames {
		select {
		case <-ctx.Done():
			return i, context.Cause(ctx)
		case <-time.After(time.Until(start.Add(f.after))):
		}
		if err := b.report(f.status); err != nil {
			return i, err
		}
	}
	return len(frames), nil
}

// interrupted is the last that a build reports whose steps are ended early.
func interrupted(reported []frame, cause error) *control.StatusResponse {
	now := timestamppb.Now()
	running := map[string]*control.Vertex{}
	var order []string
	for _, f := range reported {
		for _, v := range f.status.GetVertexes() {
			if _, known := running[v.GetDigest()]; !known {
				order = append(order, v.GetDigest())
			}
			running[v.GetDigest()] = v
		}
	}
	status := &control.StatusResponse{}
	for _, digest := range order {
		if v := running[digest]; v.GetStarted() != nil && v.GetCompleted() == nil {
			v = proto.CloneOf(v)
			v.Completed, v.Error = now, cause.Error()
			status.Vertexes = append(status.Vertexes, v)
		}
	}
	return status
}
