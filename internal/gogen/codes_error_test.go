package gogen_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	rpcstatus "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/emptypb"

	skaffoldenums "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/enums"
	"github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/enums/skaffoldenumskit"
	skaffoldv2 "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v2"
	"github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v2/skaffoldv2kit"
)

// failingServer answers with an error, and keeps the one that a client sends.
type failingServer struct {
	skaffoldv2.UnimplementedSkaffoldV2ServiceServer
	err      error
	received *skaffoldv2.ActionableErr
}

func (s *failingServer) Execute(context.Context, *skaffoldv2.UserIntentRequest) (*emptypb.Empty, error) {
	return nil, s.err
}

func (s *failingServer) Handle(_ context.Context, e *skaffoldv2.Event) (*emptypb.Empty, error) {
	s.received = e.GetTaskEvent().GetActionableErr()
	return new(emptypb.Empty), nil
}

// dial serves over a connection in memory.
func dial(t *testing.T, server *failingServer) *grpc.ClientConn {
	t.Helper()
	listener := bufconn.Listen(1 << 16)
	s := grpc.NewServer()
	skaffoldv2.RegisterSkaffoldV2ServiceServer(s, server)
	go s.Serve(listener)
	t.Cleanup(s.Stop)
	conn, err := grpc.NewClient("passthrough:///test",
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }),
		grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

var errDaemon = textError("Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?")

// actionable is an error as a server makes it.
func actionable() *skaffoldv2kit.ActionableError {
	return skaffoldv2kit.ClassifyActionableError(skaffoldenumskit.StatusCodePhaseBuild, fmt.Errorf("building x: %w", errDaemon))
}

func TestErrorThroughGRPC(t *testing.T) {
	sent := actionable()
	for name, err := range map[string]error{"plain": sent, "wrapped": fmt.Errorf("executing: %w", sent)} {
		t.Run(name, func(t *testing.T) {
			client := skaffoldv2.NewSkaffoldV2ServiceClient(dial(t, &failingServer{err: err}))
			_, err := client.Execute(t.Context(), new(skaffoldv2.UserIntentRequest))
			if got := status.Code(err); got != codes.FailedPrecondition {
				t.Errorf("gRPC code %v", got)
			}
			received, ok := skaffoldv2kit.ActionableErrorFrom(fmt.Errorf("calling: %w", err))
			if !ok {
				t.Fatalf("no ActionableError in %v", err)
			}
			if diff := cmp.Diff(sent.Proto(), received.Proto(), protocmp.Transform()); diff != "" {
				t.Errorf("(-sent +received):\n%s", diff)
			}
			if !errors.Is(received, skaffoldenumskit.StatusCodeError(skaffoldenums.StatusCode_BUILD_DOCKER_DAEMON_NOT_RUNNING)) {
				t.Error("it is not the StatusCodeError of its code")
			}
			if errors.Is(received, skaffoldenumskit.StatusCodeError(skaffoldenums.StatusCode_BUILD_CANCELLED)) {
				t.Error("it is the StatusCodeError of another code")
			}
			if status.Code(received.Unwrap()) != codes.FailedPrecondition {
				t.Error("it does not wrap what was received")
			}
		})
	}
}

// TestErrorFromClient sends an error the other way, as a part of an event.
func TestErrorFromClient(t *testing.T) {
	server := new(failingServer)
	client := skaffoldv2.NewSkaffoldV2ServiceClient(dial(t, server))
	sent := actionable()
	event := &skaffoldv2.Event{EventType: &skaffoldv2.Event_TaskEvent{TaskEvent: &skaffoldv2.TaskEvent{ActionableErr: sent.Proto()}}}
	if _, err := client.Handle(t.Context(), event); err != nil {
		t.Fatal(err)
	}
	received := skaffoldv2kit.ActionableErrorOf(server.received)
	if received.Code() != sent.Code() || received.Error() != sent.Error() || received.Unwrap() != nil {
		t.Errorf("received %v (%v), caused by %v", received.Code(), received, received.Unwrap())
	}
}

func TestErrorThroughGateway(t *testing.T) {
	sent := actionable()
	mux := runtime.NewServeMux()
	if err := skaffoldv2.RegisterSkaffoldV2ServiceHandler(t.Context(), mux, dial(t, &failingServer{err: sent})); err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(mux)
	defer web.Close()
	answer, err := http.Post(web.URL+"/v2/execute", "application/json", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	if answer.StatusCode != http.StatusBadRequest {
		t.Errorf("HTTP status %d, want that of FAILED_PRECONDITION", answer.StatusCode)
	}
	message := new(rpcstatus.Status)
	if err := protojson.Unmarshal(body, message); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	received, ok := skaffoldv2kit.ActionableErrorFrom(status.ErrorProto(message))
	if !ok {
		t.Fatalf("no ActionableError in %s", body)
	}
	if diff := cmp.Diff(sent.Proto(), received.Proto(), protocmp.Transform()); diff != "" {
		t.Errorf("(-sent +received):\n%s", diff)
	}
}

func TestErrorDetails(t *testing.T) {
	received := actionable().GRPCStatus()
	want := []proto.Message{
		&errdetails.ErrorInfo{Reason: "BUILD_DOCKER_DAEMON_NOT_RUNNING", Domain: "skaffold.dev", Metadata: map[string]string{"number": "103", "phase": "Build", "class": "Error"}},
		&errdetails.Help{Links: []*errdetails.Help_Link{{Description: "Check if docker is running"}}},
		actionable().Proto(),
	}
	var got []proto.Message
	for _, detail := range received.Details() {
		got = append(got, detail.(proto.Message))
	}
	if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
		t.Errorf("details (-want +got):\n%s", diff)
	}
}

// TestErrorReasons holds the reason of every code against AIP-193.
func TestErrorReasons(t *testing.T) {
	syntax := regexp.MustCompile(`^[A-Z][A-Z0-9_]+[A-Z0-9]$`)
	list := slices.Collect(mapSeq(skaffoldenumskit.StatusCodes(), func(i *skaffoldenumskit.StatusCodeInfo) skaffoldenums.StatusCode { return i.Code }))
	seen := make(map[string]skaffoldenums.StatusCode)
	for _, code := range append(list, -7, 1<<31-1, -1<<31) {
		var reason string
		for _, detail := range skaffoldv2kit.NewActionableError(code, nil).GRPCStatus().Details() {
			if info, ok := detail.(*errdetails.ErrorInfo); ok {
				reason = info.GetReason()
			}
		}
		if !syntax.MatchString(reason) || len(reason) > 63 {
			t.Errorf("%v has the reason %q", code, reason)
		}
		if other, ok := seen[reason]; ok {
			t.Errorf("%v and %v have the reason %q", code, other, reason)
		}
		seen[reason] = code
	}
}

func TestErrorEdges(t *testing.T) {
	t.Run("nothing", func(t *testing.T) {
		for _, err := range []error{nil, errDaemon, status.Error(codes.Internal, "x")} {
			if e, ok := skaffoldv2kit.ActionableErrorFrom(err); ok || e != nil {
				t.Errorf("found %v in %v", e, err)
			}
		}
	})
	t.Run("no message", func(t *testing.T) {
		e := skaffoldv2kit.ActionableErrorOf(nil)
		if e.Code() != 0 || e.Error() == "" || e.GRPCStatus().Code() != codes.Unknown {
			t.Errorf("%v %q %v", e.Code(), e, e.GRPCStatus())
		}
	})
	t.Run("info alone", func(t *testing.T) {
		s, err := status.New(codes.Aborted, "gone").WithDetails(&errdetails.ErrorInfo{Reason: "BUILD_CANCELLED", Domain: "skaffold.dev", Metadata: map[string]string{"number": "802"}})
		if err != nil {
			t.Fatal(err)
		}
		e, ok := skaffoldv2kit.ActionableErrorFrom(s.Err())
		if !ok || e.Code() != skaffoldenums.StatusCode_BUILD_CANCELLED || e.Error() != "gone" {
			t.Errorf("found %v, %v", e, ok)
		}
	})
	t.Run("no UTF-8", func(t *testing.T) {
		e := skaffoldv2kit.NewActionableError(skaffoldenums.StatusCode_BUILD_UNKNOWN, errors.New("bad \xff byte"))
		if e.Error() != "bad \uFFFD byte" || len(e.GRPCStatus().Details()) != 3 {
			t.Errorf("%q with %d details", e.Error(), len(e.GRPCStatus().Details()))
		}
	})
	t.Run("received without UTF-8", func(t *testing.T) {
		message := &skaffoldv2.ActionableErr{
			ErrCode: skaffoldenums.StatusCode_BUILD_CANCELLED, Message: "bad \xff byte",
			Suggestions: []*skaffoldv2.Suggestion{{SuggestionCode: skaffoldenums.SuggestionCode_INSTALL_HELM, Action: "\xffSee https://helm.sh/."}},
		}
		s := skaffoldv2kit.ActionableErrorOf(message).GRPCStatus()
		if s.Code() != codes.Canceled || len(s.Details()) != 3 || s.Message() != "bad \uFFFD byte" {
			t.Errorf("sent as %v", s)
		}
		e, ok := skaffoldv2kit.ActionableErrorFrom(s.Err())
		if !ok || e.Code() != message.GetErrCode() || e.Error() != "bad \uFFFD byte" {
			t.Errorf("received %v, %v", e, ok)
		}
		for _, action := range e.Suggestions() {
			if action != "\uFFFDSee https://helm.sh/." {
				t.Errorf("action %q", action)
			}
		}
		if message.GetMessage() != "bad \xff byte" {
			t.Error("the message itself was changed")
		}
	})
	t.Run("nil", func(t *testing.T) {
		e := skaffoldv2kit.ClassifyActionableError(skaffoldenumskit.StatusCodePhaseBuild, nil)
		if e != nil {
			t.Fatalf("no error was classified as %v", e)
		}
		if e.Error() != "<nil>" || e.Code() != 0 || e.Proto() != nil || e.Unwrap() != nil || e.GRPCStatus() != nil || e.Is(skaffoldenumskit.StatusCodeError(0)) {
			t.Error("a method of nil says something")
		}
		for range e.Suggestions() {
			t.Error("nil has suggestions")
		}
		if found, ok := skaffoldv2kit.ActionableErrorFrom(fmt.Errorf("wrapped: %w", e)); ok {
			t.Errorf("found %v in a nil error", found)
		}
	})
	t.Run("given suggestions", func(t *testing.T) {
		e := skaffoldv2kit.NewActionableError(skaffoldenums.StatusCode_BUILD_UNKNOWN, nil, skaffoldenumskit.StatusCodeSuggestion{
			Code: skaffoldenums.SuggestionCode_INSTALL_HELM, Action: "See https://helm.sh/docs.",
		})
		if e.Error() != "BUILD_UNKNOWN: Build failed due to unknown reason" {
			t.Errorf("text %q", e.Error())
		}
		for code, action := range e.Suggestions() {
			if code != skaffoldenums.SuggestionCode_INSTALL_HELM || action != "See https://helm.sh/docs." {
				t.Errorf("suggestion %v %q", code, action)
			}
		}
		help := e.GRPCStatus().Details()[1].(*errdetails.Help)
		if got := help.GetLinks()[0].GetUrl(); got != "https://helm.sh/docs" {
			t.Errorf("link %q", got)
		}
	})
	t.Run("classified", func(t *testing.T) {
		wrapped := fmt.Errorf("again: %w", actionable())
		if e := skaffoldv2kit.ClassifyActionableError(skaffoldenumskit.StatusCodePhaseDeploy, wrapped); e.Code() != skaffoldenums.StatusCode_BUILD_DOCKER_DAEMON_NOT_RUNNING {
			t.Errorf("an error with a code was classified as %v", e.Code())
		}
		code, _ := skaffoldenumskit.ClassifyStatusCode(skaffoldenumskit.StatusCodePhaseDeploy, wrapped)
		if code != skaffoldenums.StatusCode_BUILD_DOCKER_DAEMON_NOT_RUNNING {
			t.Errorf("an error with a code was classified as %v", code)
		}
		if code, _ := skaffoldenumskit.ClassifyStatusCode(skaffoldenumskit.StatusCodePhaseDeploy, nil); code != 0 {
			t.Errorf("no error was classified as %v", code)
		}
		var target *skaffoldv2kit.ActionableError
		if !errors.As(wrapped, &target) || !errors.Is(target, errDaemon) {
			t.Error("errors.As and errors.Is do not get through")
		}
	})
}

func TestUnknownCode(t *testing.T) {
	for _, code := range []skaffoldenums.StatusCode{-1, 1, 1604, 99999, 1<<31 - 1, -1 << 31} {
		info, ok := skaffoldenumskit.StatusCodeInfoOf(code)
		want := skaffoldenumskit.StatusCodeInfo{Code: code, Name: fmt.Sprint(int32(code)), Number: int32(code)}
		if ok || *info != want {
			t.Errorf("%d: %+v, %v", code, info, ok)
		}
	}
	if got := skaffoldenumskit.StatusCodePhase(200).String(); got != "StatusCodePhase(200)" {
		t.Errorf("unknown phase %q", got)
	}
}
