package tmpl

import (
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"
)

// budget is what one execution may use up, all its goroutines together.
type budget struct {
	steps, output atomic.Int64 // what is left
	stopped       atomic.Pointer[Error]
}

func newBudget(l limits) *budget {
	b := new(budget)
	b.steps.Store(l.steps)
	b.output.Store(l.output)
	return b
}

// counters are called by the template itself. They are of one goroutine.
type counters struct {
	template *Template
	budget   *budget
	depth    int64 // calls of templates that have not come back
}

// step counts a round of a range.
func (c *counters) step(offset int) string {
	if c.budget.steps.Add(-1) < 0 {
		c.stop(offset, fmt.Sprintf("the template does not come to an end: it was stopped after %d rounds of its range actions and calls of its templates; this is where it was", c.template.limit.steps))
	}
	return ""
}

// enter counts a call of a template, leave its return.
func (c *counters) enter(offset int) string {
	if c.depth++; c.depth > c.template.limit.depth {
		c.stop(offset, fmt.Sprintf("the template calls itself without end: it was stopped when %d calls were open; this is the last one", c.template.limit.depth))
	}
	return c.step(offset)
}

func (c *counters) leave() string {
	c.depth--
	return ""
}

// stop ends the goroutine. It does not return an error, because text/template
// takes time by the square of the depth of its range actions to hand one up.
func (c *counters) stop(offset int, message string) {
	e := &Error{Path: c.template.path, Message: message}
	e.Line, e.Column = c.template.position(offset)
	c.budget.stopped.CompareAndSwap(nil, e)
	runtime.Goexit()
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
