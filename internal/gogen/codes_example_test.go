package gogen_test

import (
	"errors"
	"fmt"

	"google.golang.org/grpc/status"

	skaffoldenums "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/enums"
	"github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/enums/skaffoldenumskit"
	"github.com/skaffoldgen/protoc-gen-skaffold/gen/go/skaffold/v2/skaffoldv2kit"
)

// A code, and what is known about it.
func Example_codes() {
	info, ok := skaffoldenumskit.StatusCodeInfoOf(skaffoldenums.StatusCode_DEPLOY_KUBECTL_VERSION_ERR)
	fmt.Println(ok, info.Number, info.Phase, info.Class)
	fmt.Println(info.Section+":", info.Description)
	for s := range skaffoldenumskit.StatusCodeSuggestions(info.Code) {
		fmt.Println(s.Code, s.Action)
	}
	// Output:
	// true 1109 Deploy Error
	// Deploy errors: Unable to retrieve kubectl version
	// INSTALL_KUBECTL Please install kubectl via https://kubernetes.io/docs/tasks/tools/install-kubectl
}

// All codes of a class.
func Example_codesOfClass() {
	for info := range skaffoldenumskit.StatusCodeClassCancelled.Codes() {
		fmt.Println(info.Number, info.Name)
	}
	// Output:
	// 800 STATUSCHECK_USER_CANCELLED
	// 801 STATUSCHECK_DEADLINE_EXCEEDED
	// 802 BUILD_CANCELLED
	// 803 DEPLOY_CANCELLED
	// 804 BUILD_DOCKER_CANCELLED
	// 805 BUILD_DOCKER_DEADLINE
	// 806 BUILD_GCB_BUILD_CANCELLED
}

// An error on its way: made of another one where it came up, sent as a gRPC
// status, received, and printed with its suggestions.
func Example_actionableError() {
	cause := errors.New("could not push image \"gcr.io/k8s-skaffold/app\": unknown: Project 'project:k8s-skaffold' not found")
	sent := skaffoldv2kit.ClassifyActionableError(skaffoldenumskit.StatusCodePhaseBuild, cause)

	// What a server returns to gRPC, a client gets as a status.
	received := status.ErrorProto(status.Convert(sent).Proto())

	e, ok := skaffoldv2kit.ActionableErrorFrom(received)
	fmt.Println(ok, e.Code())
	fmt.Println(e)
	for _, action := range e.Suggestions() {
		fmt.Println("-", action)
	}
	fmt.Println(errors.Is(e, skaffoldenumskit.StatusCodeError(skaffoldenums.StatusCode_BUILD_PROJECT_NOT_FOUND)))
	// Output:
	// true BUILD_PROJECT_NOT_FOUND
	// could not push image "gcr.io/k8s-skaffold/app": unknown: Project 'project:k8s-skaffold' not found
	// - Check your GCR project
	// true
}
