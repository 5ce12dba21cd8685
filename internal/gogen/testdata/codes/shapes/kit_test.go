package shapes_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	grpccodes "google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/kits/CASE/codes"
	"example.com/kits/CASE/codes/codeskit"
	"example.com/kits/CASE/errs/errskit"
)

func TestLookup(t *testing.T) {
	for name, want := range map[string]codeskit.StatusCodeInfo{
		"STATUS_CODE_FINE": {Code: 0, Name: "STATUS_CODE_FINE", Phase: codeskit.StatusCodePhaseNothing, Class: codeskit.StatusCodeClassFine, Description: "all is well"},
		"STATUS_CODE_GOOD": {Code: 0, Name: "STATUS_CODE_FINE", Phase: codeskit.StatusCodePhaseNothing, Class: codeskit.StatusCodeClassFine, Description: "all is well"},
		"disk_full": {
			Code: 2000000000, Name: "disk_full", Number: 2000000000, Phase: codeskit.StatusCodePhaseDisk, Class: codeskit.StatusCodeClassFar,
			Section: "Files\nand folders", Description: "The disk is full.\n  Indented.",
		},
		"DISK_GONE":  {Code: -2147483648, Name: "DISK_GONE", Number: -2147483648, Phase: codeskit.StatusCodePhaseDisk, Class: codeskit.StatusCodeClassFar, Section: "Files\nand folders"},
		"DISK_ODD":   {Code: -1, Name: "DISK_ODD", Number: -1, Phase: codeskit.StatusCodePhaseDisk, Class: codeskit.StatusCodeClassNear, Section: "Files\nand folders", Deprecated: true},
		"DISK_ALIAS": {Code: -1, Name: "DISK_ODD", Number: -1, Phase: codeskit.StatusCodePhaseDisk, Class: codeskit.StatusCodeClassNear, Section: "Files\nand folders", Deprecated: true},
		"NET_DOWN":   {Code: 2147483647, Name: "NET_DOWN", Number: 2147483647, Phase: codeskit.StatusCodePhaseTheNet, Class: codeskit.StatusCodeClassFar, Section: "Network"},
	} {
		code, ok := codeskit.StatusCodeByName(name)
		info, known := codeskit.StatusCodeInfoOf(code)
		if !ok || !known || *info != want {
			t.Errorf("%s is %v (%v), %+v (%v)", name, code, ok, info, known)
		}
	}
	for _, code := range []codes.StatusCode{1, -2, 2147483646, -2147483647} {
		if info, ok := codeskit.StatusCodeInfoOf(code); ok || info.Name != fmt.Sprint(int32(code)) || info.Phase != codeskit.StatusCodePhaseNone || info.Class != codeskit.StatusCodeClassNone {
			t.Errorf("%d is %+v (%v)", code, info, ok)
		}
	}
	if code, ok := codeskit.StatusCodeByName("Disk_full"); ok || code != 0 {
		t.Errorf("a name that does not exist is %v (%v)", code, ok)
	}
	if _, ok := codeskit.OuterInnerDeepCodeByName("DEEP_CODE_ONE"); !ok {
		t.Error("the nested enum is not there")
	}
}

func TestOrder(t *testing.T) {
	var all, disk, near []string
	for info := range codeskit.StatusCodes() {
		all = append(all, info.Name)
	}
	for info := range codeskit.StatusCodePhaseDisk.Codes() {
		disk = append(disk, info.Name)
	}
	for info := range codeskit.StatusCodeClassNear.Codes() {
		near = append(near, info.Name)
		break
	}
	if len(all) != 7 || all[0] != "STATUS_CODE_FINE" || all[6] != "NET_A_NAME_THAT_IS_LONGER_THAN_ALL_THAT_A_REASON_OF_AIP_193_CAN_HOLD_TOO" {
		t.Errorf("all codes: %v", all)
	}
	if !slices.Equal(disk, []string{"disk_full", "DISK_GONE", "DISK_ODD"}) || !slices.Equal(near, []string{"DISK_ODD"}) {
		t.Errorf("disk %v, near %v", disk, near)
	}
	for phase, want := range map[codeskit.StatusCodePhase]string{0: "None", 1: "disk", 2: "the net", 3: "nothing", 4: "StatusCodePhase(4)"} {
		if phase.String() != want {
			t.Errorf("phase %d is %q", phase, phase)
		}
	}
}

func TestClassify(t *testing.T) {
	for _, test := range []struct {
		phase       codeskit.StatusCodePhase
		err         error
		want        string
		suggestions []string
	}{
		{codeskit.StatusCodePhaseDisk, errors.New("an odd\n disk"), "DISK_ODD", nil},
		{codeskit.StatusCodePhaseTheNet, errors.New("an odd\n disk"), "NET_DOWN", nil},
		{codeskit.StatusCodePhaseDisk, errors.New("no `space`"), "disk_full", []string{"Try again.\nOften.", "Buy one."}},
		{codeskit.StatusCodePhaseTheNet, errors.New("ENOSPC"), "disk_full", []string{"Try again.\nOften.", "Buy one."}},
		{codeskit.StatusCodePhaseDisk, errors.New("what?"), "disk_full", []string{"Buy `one` at https://disks.example/a?b=1."}},
		{codeskit.StatusCodePhaseNone, errors.New("what?"), "NET_DOWN", nil},
		{99, errors.New("what?"), "NET_DOWN", nil},
		{codeskit.StatusCodePhaseDisk, fmt.Errorf("x: %w", codeskit.StatusCodeError(-2147483648)), "DISK_GONE", nil},
		{codeskit.StatusCodePhaseDisk, nil, "STATUS_CODE_FINE", nil},
	} {
		code, suggestions := codeskit.ClassifyStatusCode(test.phase, test.err)
		var actions []string
		for s := range suggestions {
			actions = append(actions, s.Action)
		}
		if info, _ := codeskit.StatusCodeInfoOf(code); info.Name != test.want || !slices.Equal(actions, test.suggestions) {
			t.Errorf("%v %q: %v %q", test.phase, test.err, code, actions)
		}
	}
}

func TestError(t *testing.T) {
	cause := errors.New("no `space`")
	sent := errskit.ClassifyFailureError(codeskit.StatusCodePhaseDisk, cause)
	if sent.Error() != cause.Error() || !errors.Is(sent, cause) || sent.Code() != 2000000000 {
		t.Errorf("made %v (%v)", sent, sent.Code())
	}
	s := status.Convert(fmt.Errorf("wrapped: %w", sent))
	if s.Code() != grpccodes.DataLoss {
		t.Errorf("gRPC code %v", s.Code())
	}
	received, ok := errskit.FailureErrorFrom(status.ErrorProto(s.Proto()))
	if !ok || received.Code() != sent.Code() || received.Error() != sent.Error() || !errors.Is(received, codeskit.StatusCodeError(2000000000)) {
		t.Fatalf("received %v (%v)", received, ok)
	}
	var tips []string
	for hint, what := range received.Suggestions() {
		tips = append(tips, fmt.Sprint(hint, what))
	}
	if !slices.Equal(tips, []string{"HINT_RETRYTry again.\nOften.", "HINT_BUYBuy one."}) {
		t.Errorf("suggestions %q", tips)
	}
}

func TestReasons(t *testing.T) {
	for code, want := range map[codes.StatusCode]string{
		0: "STATUS_CODE_FINE", 2000000000: "DISK_FULL", -1: "DISK_ODD", 5: "CODE_5", -5: "CODE_MINUS_5",
		7: "NET_A_NAME_THAT_IS_LONGER_THAN_ALL_THAT_A_REASON_OF_AIP_193_CAN",
		8: "NET_A_NAME_THAT_IS_LONGER_THAN_ALL_THAT_A_REASON_OF_AIP_193_C_8",
	} {
		for _, detail := range errskit.NewFailureError(code, nil).GRPCStatus().Details() {
			if info, ok := detail.(*errdetails.ErrorInfo); ok && info.GetReason() != want {
				t.Errorf("%d has the reason %q", code, info.GetReason())
			}
		}
	}
}
