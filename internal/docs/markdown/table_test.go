package markdown

import "testing"

// The widths are those that prettier counts.
func TestColumns(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, "plain": 5, "é": 1, "e\u0301": 1, "漢": 2, "한": 2, "ｱ": 1, "…": 1, "↳": 1, "©": 1, "a\u200bb": 3, "a\u200db": 3,
		"❤": 1, "❤\uFE0F": 2, "❤\u200D🔥": 2, "❤\uFE0F\u200D🔥": 2, "1\uFE0F\u20E3": 2, "1\u20E3": 2, "a\uFE0F": 1, "👩\u200D👩\u200D👧": 2,
		"👍🏽": 2, "👍🏽🏽": 4, "a🏽": 3, "🇩🇪": 2, "👩\u200Da": 4, "🔥🔥": 4, "का": 2, "あ\u3099": 2,
	} {
		if got := columns(text); got != want {
			t.Errorf("%q takes %d columns, want %d", text, got, want)
		}
	}
}

// A cell whose text is as wide as others is filled up like them.
func TestTableIsAligned(t *testing.T) {
	w := newWriter(0)
	rows := newTable(column{title: "A"}, column{title: "Number", right: true}, column{title: "Empty", optional: true})
	rows.add("漢字", "1", "")
	rows.add("abcde", "10", "")
	w.table(rows)
	const want = "\n| A     | Number |\n| ----- | -----: |\n| 漢字  |      1 |\n| abcde |     10 |\n"
	if got := w.out.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
