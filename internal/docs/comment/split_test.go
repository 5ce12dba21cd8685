package comment_test

import (
	"testing"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/comment"
)

func TestSplitDeprecated(t *testing.T) {
	tests := []struct{ text, rest, reason string }{
		{"", "", ""},
		{" A book.\n", "A book.", ""},
		{" A book.\n\n Deprecated: use `Tome` instead.\n Soon.\n\n More.\n", "A book.\n\nMore.", "use `Tome` instead.\nSoon."},
		{" Deprecated: gone\n", "", "gone"},
		{" Deprecated:\n", "", ""},
		{" Deprecated: **all** of it\n", "", "**all** of it"},
		{" It says Deprecated: nothing\n", "It says Deprecated: nothing", ""},
		{" - Deprecated: an item\n", "- Deprecated: an item", ""},
	}
	for _, test := range tests {
		rest, reason := comment.Parse(comment.Options{}, test.text).SplitDeprecated()
		if got := rest.Markdown(comment.GFM, 3); got != test.rest {
			t.Errorf("%q: rest: got %q, want %q", test.text, got, test.rest)
		}
		if got := reason.Markdown(comment.GFM, 3); got != test.reason {
			t.Errorf("%q: reason: got %q, want %q", test.text, got, test.reason)
		}
	}
}

func TestSplitLead(t *testing.T) {
	tests := []struct{ text, lead, rest string }{
		{"", "", ""},
		{" One.\n Two.\n", "One.\nTwo.", ""},
		{" One.\n\n Two.\n\n - three\n", "One.", "Two.\n\n- three"},
		{" - one\n\n Two.\n", "", "- one\n\nTwo."},
	}
	for _, test := range tests {
		lead, rest := comment.Parse(comment.Options{}, test.text).SplitLead()
		if got := lead.Markdown(comment.GFM, 3); got != test.lead {
			t.Errorf("%q: lead: got %q, want %q", test.text, got, test.lead)
		}
		if got := rest.Markdown(comment.GFM, 3); got != test.rest {
			t.Errorf("%q: rest: got %q, want %q", test.text, got, test.rest)
		}
	}
}
