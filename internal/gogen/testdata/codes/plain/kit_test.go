package plain_test

import (
	"errors"
	"testing"

	"example.com/kits/CASE/code"
	"example.com/kits/CASE/code/codekit"
	"example.com/kits/CASE/message/messagekit"
)

func TestPlain(t *testing.T) {
	one, ok := codekit.CodeByName("ONE")
	info, known := codekit.CodeInfoOf(one)
	if !ok || !known || info.Description != "The text has\n\n- a list\n- \"quotes\" and `backquotes`, \\backslashes and % signs" {
		t.Errorf("%+v (%v, %v)", info, ok, known)
	}
	if got := messagekit.ClassifyError(errors.New("x")).Code(); got != code.Code_ONE {
		t.Errorf("classified as %v", got)
	}
	// Both enums would have this name; the underscore goes to the second one.
	first, isFirst := codekit.ErrInfoCodeByName("A")
	second, isSecond := codekit.ErrInfoCodeByName_("B")
	if !isFirst || !isSecond || string(first.Descriptor().Name()) != "infoCode" || string(second.Descriptor().Name()) != "InfoCode" {
		t.Errorf("%v (%v) and %v (%v)", first, isFirst, second, isSecond)
	}
	if _, ok := codekit.OldCodeByName("OLD_ZERO"); !ok {
		t.Error("the deprecated enum is not there")
	}
}
