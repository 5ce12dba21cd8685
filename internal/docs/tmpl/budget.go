package tmpl

import (
	"slices"
	"sync/atomic"
)

// budget is what one execution may use up, all its goroutines together.
type budget struct {
	steps, output atomic.Int64 // what is left
}

func newBudget(l limits) *budget {
	b := new(budget)
	b.steps.Store(l.steps)
	b.output.Store(l.output)
	return b
}

// step is called by the template itself.
func (b *budget) step() (string, error) {
	if b.steps.Add(-1) < 0 {
		return "", errTooManySteps
	}
	return "", nil
}

// pieceSize keeps a page in pieces of this size, so that it grows without being
// copied.
const pieceSize = 256 << 10

// page collects the output of an execution.
type page struct {
	budget *budget
	pieces [][]byte
	holes  []int // before which pieces something is to be put in
}

// hole marks the place that the page has come to.
func (p *page) hole() {
	if last := len(p.pieces) - 1; last >= 0 {
		p.pieces[last] = slices.Clip(p.pieces[last]) // what follows is another piece
	}
	p.holes = append(p.holes, len(p.pieces))
}

// Write takes the text of one action.
func (p *page) Write(b []byte) (int, error) {
	if p.budget.output.Add(-int64(len(b))) < 0 {
		return 0, errTooMuchText
	}
	written := len(b)
	for len(b) > 0 {
		last := len(p.pieces) - 1
		if last < 0 || len(p.pieces[last]) == cap(p.pieces[last]) {
			p.pieces = append(p.pieces, make([]byte, 0, p.nextSize()))
			last++
		}
		n := min(len(b), cap(p.pieces[last])-len(p.pieces[last]))
		p.pieces[last] = append(p.pieces[last], b[:n]...)
		b = b[n:]
	}
	return written, nil
}

// nextSize starts small, since most pages are, and doubles up to pieceSize.
func (p *page) nextSize() int {
	return min(pieceSize, 4<<10<<min(len(p.pieces), 6))
}
