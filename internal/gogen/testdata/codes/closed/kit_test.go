package CASE_test

import (
	"errors"
	"testing"

	grpccodes "google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/kits/CASE/CASEkit"
)

func TestClosed(t *testing.T) {
	for text, want := range map[string]string{"too late": "EXIT_CODE_LATE", "what?": "exit_code_early"} {
		code := CASEkit.ClassifyExitCode(errors.New(text))
		if info, ok := CASEkit.ExitCodeInfoOf(code); !ok || info.Name != want {
			t.Errorf("%q is %v", text, code)
		}
		// Both errors would have this name; the underscore goes to the second one.
		var _ *CASEkit.ExitCodeError_ = CASEkit.NewExitCodeError(code, nil)
		sent := CASEkit.ClassifyExitCodeError(errors.New(text))
		received, ok := CASEkit.ExitCodeErrorFrom(status.Convert(sent).Err())
		if !ok || received.Code() != code || received.Error() != text || !errors.Is(received, CASEkit.ExitCodeError(code)) {
			t.Errorf("received %v (%v)", received, ok)
		}
		if status.Code(sent) != grpccodes.Unknown {
			t.Errorf("gRPC code %v", status.Code(sent))
		}
	}
}
