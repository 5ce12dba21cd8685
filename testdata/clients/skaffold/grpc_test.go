package skaffold

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	googleproto "google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/skaffoldgen/protoc-gen-skaffold/testdata/clients/skaffold/proto/enums"
	proto "github.com/skaffoldgen/protoc-gen-skaffold/testdata/clients/skaffold/proto/v1"
	v2 "github.com/skaffoldgen/protoc-gen-skaffold/testdata/clients/skaffold/proto/v2"
)

func mustFail(t *testing.T, what string, err error, code codes.Code, message string) {
	t.Helper()
	if st := status.Convert(err); st.Code() != code || st.Message() != message {
		t.Errorf("%s: error %v %q, want %v %q", what, st.Code(), st.Message(), code, message)
	}
}

func trigger1(on bool) *proto.TriggerRequest {
	return &proto.TriggerRequest{State: &proto.TriggerState{Val: &proto.TriggerState_Enabled{Enabled: on}}}
}

func trigger2(on bool) *v2.TriggerRequest {
	return &v2.TriggerRequest{State: &v2.TriggerState{Val: &v2.TriggerState_Enabled{Enabled: on}}}
}

// method1 and method2 are RPCs that switch a trigger.
type (
	method1 func(context.Context, *proto.TriggerRequest, ...grpc.CallOption) (*emptypb.Empty, error)
	method2 func(context.Context, *v2.TriggerRequest, ...grpc.CallOption) (*emptypb.Empty, error)
)

// collect receives messages until one is the last wanted.
func collect[M any](t *testing.T, stream grpc.ServerStreamingClient[M], last func(*M) bool) []*M {
	t.Helper()
	var all []*M
	for {
		m, err := stream.Recv()
		must(t, err)
		if all = append(all, m); last(m) {
			return all
		}
	}
}

func TestV1(t *testing.T) {
	s := start(t)
	ctx := limited(t)

	state, err := s.v1.GetState(ctx, &emptypb.Empty{})
	must(t, err)
	for image, status := range state.GetBuildState().GetArtifacts() {
		if status != "Not Started" {
			t.Errorf("%s is %q at the start", image, status)
		}
	}
	b := state.GetMetadata().GetBuild()
	if b.GetNumberOfArtifacts() != 2 || len(state.GetBuildState().GetArtifacts()) != 2 {
		t.Errorf("metadata %v for %v", b, state.GetBuildState())
	}

	for name, call := range map[string]method1{
		"build": s.v1.AutoBuild, "sync": s.v1.AutoSync, "deploy": s.v1.AutoDeploy,
	} {
		for _, req := range []*proto.TriggerRequest{{}, {State: &proto.TriggerState{}}} {
			_, err := call(ctx, req)
			mustFail(t, name, err, codes.InvalidArgument, "missing required boolean parameter 'enabled'")
		}
		_, err := call(ctx, trigger1(true))
		mustFail(t, name, err, codes.AlreadyExists, "auto "+name+" is already set to true")
		_, err = call(ctx, trigger1(false))
		must(t, err)
		_, err = call(ctx, trigger1(false))
		mustFail(t, name, err, codes.AlreadyExists, "auto "+name+" is already set to false")
	}
	state, err = s.v1.GetState(ctx, &emptypb.Empty{})
	must(t, err)
	if state.GetBuildState().GetAutoTrigger() || state.GetFileSyncState().GetAutoTrigger() ||
		state.GetDeployState().GetAutoTrigger() {
		t.Error("a trigger is still on")
	}

	_, err = s.v1.Execute(ctx, &proto.UserIntentRequest{})
	must(t, err)
	_, err = s.v1.Execute(ctx, &proto.UserIntentRequest{Intent: &proto.Intent{Build: true, Deploy: true}})
	must(t, err)
	events, err := s.v1.Events(ctx, &emptypb.Empty{})
	must(t, err)
	all := collect(t, events, func(e *proto.LogEntry) bool { return e.GetEntry() == "Update succeeded" })
	if all[0].GetEntry() != "Update initiated" || all[0].GetEvent().GetDevLoopEvent().GetIteration() != 0 {
		t.Errorf("the first entry is %v", all[0])
	}

	// EventLog sends the same, whatever it is sent.
	log, err := s.v1.EventLog(ctx)
	must(t, err)
	must(t, log.Send(&proto.LogEntry{Entry: "hello"}))
	for i, want := range all {
		got, err := log.Recv()
		must(t, err)
		if !googleproto.Equal(got, want) {
			t.Errorf("entry %d of EventLog is %v, of Events %v", i, got, want)
		}
	}

	_, err = s.v1.Handle(ctx, &proto.Event{EventType: &proto.Event_DeployEvent{
		DeployEvent: &proto.DeployEvent{Status: "Failed", ErrCode: proto.StatusCode_DEPLOY_HELM_VERSION_ERR},
	}})
	must(t, err)
	entry, err := events.Recv()
	must(t, err)
	if entry.GetEntry() != "Deploy failed" || !entry.GetTimestamp().IsValid() {
		t.Errorf("Handle's event is %v", entry)
	}
	state, err = s.v1.GetState(ctx, &emptypb.Empty{})
	must(t, err)
	d := state.GetDeployState()
	if d.GetStatus() != "Failed" || d.GetStatusCode() != proto.StatusCode_DEPLOY_HELM_VERSION_ERR {
		t.Errorf("state after Handle: %v", d)
	}
	if len(state.GetForwardedPorts()) != 2 {
		t.Errorf("%d forwarded ports", len(state.GetForwardedPorts()))
	}
}

func TestV2(t *testing.T) {
	s := start(t)
	ctx := limited(t)
	for name, call := range map[string]method2{
		"Build": s.v2.AutoBuild, "Sync": s.v2.AutoSync, "Deploy": s.v2.AutoDeploy,
	} {
		_, err := call(ctx, trigger2(true))
		mustFail(t, name, err, codes.AlreadyExists, "auto "+name+" is already set to true")
		_, err = call(ctx, &v2.TriggerRequest{}) // which means false
		must(t, err)
		_, err = call(ctx, trigger2(false))
		mustFail(t, name, err, codes.AlreadyExists, "auto "+name+" is already set to false")
	}
	state, err := s.v2.GetState(ctx, &emptypb.Empty{})
	must(t, err)
	if state.GetBuildState().GetAutoTrigger() || state.GetFileSyncState().GetAutoTrigger() ||
		state.GetDeployState().GetAutoTrigger() {
		t.Error("a trigger is still on")
	}
	state1, err := s.v1.GetState(ctx, &emptypb.Empty{})
	must(t, err)
	if !state1.GetBuildState().GetAutoTrigger() {
		t.Error("a trigger of v2 has switched that of v1")
	}

	_, err = s.v2.Execute(ctx, &v2.UserIntentRequest{Intent: &v2.Intent{Devloop: true}})
	must(t, err)
	events, err := s.v2.Events(ctx, &emptypb.Empty{})
	must(t, err)
	all := collect(t, events, func(e *v2.Event) bool {
		return e.GetTaskEvent().GetTask() == "DevLoop" && e.GetTaskEvent().GetStatus() == "Succeeded"
	})
	first := all[0].GetTaskEvent()
	if first.GetId() != "DevLoop-1" || first.GetIteration() != 1 || first.GetStatus() != "InProgress" {
		t.Errorf("the first event is %v", all[0])
	}
	var header metadata.MD
	state, err = s.v2.GetState(ctx, &emptypb.Empty{}, grpc.Header(&header))
	must(t, err)
	for image, status := range state.GetBuildState().GetArtifacts() {
		if status != "Succeeded" {
			t.Errorf("%s is %q", image, status)
		}
	}
	if b := state.GetMetadata().GetBuild(); b.GetType() != enums.BuildType_LOCAL || len(b.GetArtifacts()) != 2 {
		t.Errorf("metadata %v", b)
	}

	logs, err := s.v2.ApplicationLogs(ctx, &emptypb.Empty{})
	must(t, err)
	log, err := logs.Recv()
	must(t, err)
	if log.GetApplicationLogEvent().GetMessage() == "" {
		t.Errorf("the first application log is %v", log)
	}

	ready := &v2.CloudRunReadyEvent{Url: "http://x"}
	sent := &v2.Event{EventType: &v2.Event_CloudRunReadyEvent{CloudRunReadyEvent: ready}}
	_, err = s.v2.Handle(ctx, sent)
	must(t, err)
	// A client that has the state asks for what came after it.
	rest, err := s.v2.Events(metadata.AppendToOutgoingContext(ctx,
		"skaffold-after-event", header.Get("skaffold-last-event")[0]), &emptypb.Empty{})
	must(t, err)
	got, err := rest.Recv()
	must(t, err)
	if !got.GetTimestamp().IsValid() || !googleproto.Equal(got.GetCloudRunReadyEvent(), sent.GetCloudRunReadyEvent()) {
		t.Errorf("Handle's event is %v", got)
	}
}

// What was acknowledged is there after the process was killed.
func TestJournalSurvivesKill(t *testing.T) {
	journal := "--journal=" + filepath.Join(t.TempDir(), "events.json")
	s := start(t, journal)
	ctx := limited(t)
	for port := range int32(20) {
		e := &v2.Event_PortEvent{PortEvent: &v2.PortForwardEvent{LocalPort: port}}
		_, err := s.v2.Handle(ctx, &v2.Event{EventType: e})
		must(t, err)
	}
	_, err := s.v1.AutoSync(ctx, trigger1(false))
	must(t, err)
	want1, err := s.v1.GetState(ctx, &emptypb.Empty{})
	must(t, err)
	want2, err := s.v2.GetState(ctx, &emptypb.Empty{})
	must(t, err)
	s.kill()

	s = start(t, journal)
	got1, err := s.v1.GetState(ctx, &emptypb.Empty{})
	must(t, err)
	got2, err := s.v2.GetState(ctx, &emptypb.Empty{})
	must(t, err)
	if !googleproto.Equal(got1, want1) || !googleproto.Equal(got2, want2) || len(got2.GetForwardedPorts()) != 20 {
		t.Errorf("state of v1:\n%v\nwant:\n%v\nof v2:\n%v\nwant:\n%v", got1, want1, got2, want2)
	}
	events, err := s.v2.Events(ctx, &emptypb.Empty{})
	must(t, err)
	all := collect(t, events, func(e *v2.Event) bool { return e.GetPortEvent().GetLocalPort() == 19 })
	if len(all) != 20 {
		t.Errorf("%d events, want 20", len(all))
	}
}

// The program can be asked to end, and ends well though streams are open.
func TestEndsWell(t *testing.T) {
	s := start(t)
	events, err := s.v2.Events(limited(t), &emptypb.Empty{})
	must(t, err)
	_, err = s.v2.Handle(limited(t), &v2.Event{})
	must(t, err)
	_, err = events.Recv()
	must(t, err)
	if err := s.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Skipf("processes cannot be interrupted here: %v", err)
	}
	s.log.Wait()
	if err := s.cmd.Wait(); err != nil {
		t.Errorf("it has ended with %v", err)
	}
	s.killed = true
	s.conn.Close()
}
