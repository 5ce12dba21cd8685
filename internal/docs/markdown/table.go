package markdown

import (
	"slices"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"
)

// column is a column of a table.
type column struct {
	title    string
	right    bool // numbers stand below each other
	optional bool // it is left out where no row has anything in it
}

// table is a table of finished cells. It is written aligned, as prettier writes
// tables.
type table struct {
	columns []column
	rows    [][]string
}

func newTable(columns ...column) *table { return &table{columns: columns} }

// add adds a row, which has a cell for each column.
func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

// trim leaves out the optional columns that are empty.
func (t *table) trim() {
	for i := len(t.columns) - 1; i >= 0; i-- {
		if !t.columns[i].optional || slices.ContainsFunc(t.rows, func(row []string) bool { return row[i] != "" }) {
			continue
		}
		t.columns = slices.Delete(t.columns, i, i+1)
		for j, row := range t.rows {
			t.rows[j] = slices.Delete(row, i, i+1)
		}
	}
}

// minColumn is the width of the shortest line below a column's title.
const minColumn = 3

// table writes a table, unless it is empty.
func (w *writer) table(t *table) {
	if len(t.rows) == 0 {
		return
	}
	t.trim()
	widths := make([]int, len(t.columns))
	for i, c := range t.columns {
		widths[i] = max(minColumn, columns(c.title))
	}
	for _, row := range t.rows {
		for i, cell := range row {
			widths[i] = max(widths[i], columns(cell))
		}
	}
	w.p()
	w.row(t, widths, func(i int) string { return t.columns[i].title })
	w.out.WriteByte('|')
	for i, c := range t.columns {
		w.out.WriteByte(' ')
		if c.right {
			w.repeat('-', widths[i]-1)
			w.out.WriteByte(':')
		} else {
			w.repeat('-', widths[i])
		}
		w.out.WriteString(" |")
	}
	w.out.WriteByte('\n')
	for _, row := range t.rows {
		w.row(t, widths, func(i int) string { return row[i] })
	}
}

func (w *writer) row(t *table, widths []int, cell func(int) string) {
	w.out.WriteByte('|')
	for i, c := range t.columns {
		text := cell(i)
		space := widths[i] - columns(text)
		w.out.WriteByte(' ')
		if c.right {
			w.repeat(' ', space)
		}
		w.out.WriteString(text)
		if !c.right {
			w.repeat(' ', space)
		}
		w.out.WriteString(" |")
	}
	w.out.WriteByte('\n')
}

func (w *writer) repeat(c byte, n int) {
	for range n {
		w.out.WriteByte(c)
	}
}

// columns is how many columns of a terminal a text takes, as prettier counts them:
// a picture is two wide, however many characters it is made of.
func columns(text string) int {
	n := 0
	var last rune     // the last character that is not a mark
	picture := 0      // the columns of the picture that the text ends with; 0 for none
	coloured := false // that picture has a colour of skin
	for i := 0; i < len(text); {
		if c := text[i]; c < utf8.RuneSelf {
			n, i, last, picture = n+1, i+1, rune(c), 0
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		i += size
		next, nextSize := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == joiner && picture > 0 && unicode.Is(unicode.So, next):
			i += nextSize
			n, picture = n+2-picture, 2
		case r == asPicture && picture > 0, isSkin(r) && picture > 0 && !coloured:
			n, picture = n+2-picture, 2
			coloured = isSkin(r)
		case r == keycap && (last >= '0' && last <= '9' || last == '#' || last == '*'):
			n, last = n+1, r
		case unicode.In(r, unicode.Mn, unicode.Me):
		default:
			columns := 1
			if wide(r) {
				columns = 2
			}
			n, last, picture, coloured = n+columns, r, 0, false
			if unicode.Is(unicode.So, r) {
				picture = columns
			}
		}
	}
	return n
}

// Characters that make one picture of several.
const (
	joiner    = '\u200D'
	asPicture = '\uFE0F'
	keycap    = '\u20E3'
)

func isSkin(r rune) bool { return r >= 0x1F3FB && r <= 0x1F3FF }

func wide(r rune) bool {
	kind := width.LookupRune(r).Kind()
	return kind == width.EastAsianWide || kind == width.EastAsianFullwidth
}
