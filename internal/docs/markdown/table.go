package markdown

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"
)

// column is a column of a table.
type column struct {
	title string
	right bool // numbers stand below each other
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

// minColumn is the width of the shortest line below a column's title.
const minColumn = 3

// table writes a table, unless it is empty.
func (w *writer) table(t *table) {
	if len(t.rows) == 0 {
		return
	}
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

// columns is how many columns of a terminal a text takes.
func columns(text string) int {
	n := 0
	for i := 0; i < len(text); {
		if text[i] < utf8.RuneSelf {
			n, i = n+1, i+1
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		i += size
		switch {
		case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		case wide(r):
			n += 2
		default:
			n++
		}
	}
	return n
}

func wide(r rune) bool {
	kind := width.LookupRune(r).Kind()
	return kind == width.EastAsianWide || kind == width.EastAsianFullwidth
}
