package nearest

import "testing"

func TestWord(t *testing.T) {
	known := []string{"Name", "Number", "FullName", "Options", "Option"}
	for wrong, want := range map[string]string{
		"Nam":     "Name",
		"name":    "Name",
		"Optoins": "Options",
		"Optio":   "Option",
		"Zebra":   "",
		"":        "",
		"N":       "",
	} {
		if got := Word(wrong, known); got != want {
			t.Errorf("%q: got %q, want %q", wrong, got, want)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"abc", "abc", 0},
		{"kitten", "sitting", 3}, {"flaw", "lawn", 2}, {"ab", "ba", 2},
	} {
		if got := distance(test.a, test.b); got != test.want {
			t.Errorf("%q and %q: got %d, want %d", test.a, test.b, got, test.want)
		}
	}
}
