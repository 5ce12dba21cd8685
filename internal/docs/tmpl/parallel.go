package tmpl

import (
	"errors"
	"iter"
	"reflect"
	"runtime"
	"slices"
	"sync"
	"text/template"
	"text/template/parse"
)

// Most templates are a {{range .Files}} or two at the top level, with the page
// of one file inside, which needs nothing of the other files. Such a range is
// run for several files at once; everything else is run as text/template does.

// loopField is the field whose elements are independent of each other.
const loopField = "Files"

const (
	chunkFunction = "__chunk"
	holeFunction  = "__hole"
)

// mutating are sprig's functions that change one of their arguments: what one
// round leaves there, another could read.
var mutating = []string{"set", "unset", "merge", "mergeOverwrite", "mustMerge", "mustMergeOverwrite"}

// independentLoops are the ranges of the top level whose rounds can be run in
// any order.
func independentLoops(root *template.Template) []*parse.RangeNode {
	for _, t := range root.Templates() {
		if t.Tree != nil && (usesAny(t.Root, mutating) || callsRoot(t.Root)) {
			return nil
		}
	}
	var loops []*parse.RangeNode
	for _, n := range root.Root.Nodes {
		if r, ok := n.(*parse.RangeNode); ok && rangesOver(r.Pipe, loopField) && isIndependent(r) {
			loops = append(loops, r)
		}
	}
	return loops
}

// rangesOver tells the pipelines .Field and $.Field.
func rangesOver(p *parse.PipeNode, field string) bool {
	if p.IsAssign || len(p.Cmds) != 1 || len(p.Cmds[0].Args) != 1 {
		return false
	}
	switch n := p.Cmds[0].Args[0].(type) {
	case *parse.FieldNode:
		return slices.Equal(n.Ident, []string{field})
	case *parse.VariableNode:
		return slices.Equal(n.Ident, []string{"$", field})
	}
	return false
}

// isIndependent tells a range that is not left early, and that names no variable
// but $ and its own.
func isIndependent(r *parse.RangeNode) bool {
	own := []string{"$"}
	for _, v := range r.Pipe.Decl {
		own = append(own, v.Ident[0])
	}
	independent := true
	walkAll(r.List, func(n parse.Node) {
		switch n := n.(type) {
		case *parse.BreakNode:
			independent = false
		case *parse.PipeNode:
			if !n.IsAssign {
				for _, v := range n.Decl {
					own = append(own, v.Ident[0])
				}
			}
		case *parse.VariableNode:
			// A name that is declared below its use is one of the outer scope.
			independent = independent && slices.Contains(own, n.Ident[0])
		}
	})
	return independent
}

func usesAny(list *parse.ListNode, functions []string) bool {
	found := false
	walkAll(list, func(n parse.Node) {
		if name, ok := n.(*parse.IdentifierNode); ok && slices.Contains(functions, name.Ident) {
			found = true
		}
	})
	return found
}

// callsRoot tells a list that calls the template as a whole, which does not exist
// while parts of it are run.
func callsRoot(list *parse.ListNode) bool {
	found := false
	walk(list, func(n parse.Node) {
		if t, ok := n.(*parse.TemplateNode); ok && t.Name == rootName {
			found = true
		}
	})
	return found
}

// walkAll visits all nodes of a list, those of pipelines too, in the order of
// the text.
func walkAll(list *parse.ListNode, visit func(parse.Node)) {
	walk(list, func(n parse.Node) {
		visit(n)
		switch n := n.(type) {
		case *parse.ActionNode:
			walkPipe(n.Pipe, visit)
		case *parse.IfNode:
			walkPipe(n.Pipe, visit)
		case *parse.RangeNode:
			walkPipe(n.Pipe, visit)
		case *parse.WithNode:
			walkPipe(n.Pipe, visit)
		case *parse.TemplateNode:
			walkPipe(n.Pipe, visit)
		}
	})
}

func walkPipe(p *parse.PipeNode, visit func(parse.Node)) {
	if p == nil {
		return
	}
	visit(p)
	for _, v := range p.Decl {
		visit(v)
	}
	for _, c := range p.Cmds {
		for _, arg := range c.Args {
			visit(arg)
			switch arg := arg.(type) {
			case *parse.PipeNode:
				walkPipe(arg, visit)
			case *parse.ChainNode:
				if inner, ok := arg.Node.(*parse.PipeNode); ok {
					walkPipe(inner, visit)
				} else {
					visit(arg.Node)
				}
			}
		}
	}
}

// executeParallel renders data with the independent loops cut into chunks. Any
// error of it only means that the template has to be run as a whole.
func (t *Template) executeParallel(data any) ([][]byte, error) {
	b := newBudget(t.limit)
	files := reflect.Indirect(reflect.ValueOf(data)).FieldByName(loopField)
	if files.Len() == 0 {
		return nil, errNothingToCut
	}
	chunks := cut(files.Len(), 4*runtime.GOMAXPROCS(0))

	rest := &page{budget: b}
	if err := t.renderRest(rest, data, b); err != nil {
		return nil, err
	}
	made := make([]page, len(t.loops)*len(chunks))
	if err := each(len(made), func(i int) error {
		made[i].budget = b
		loop, c := t.loops[i/len(chunks)], chunks[i%len(chunks)]
		return t.renderChunk(&made[i], loop, data, files, c, b)
	}); err != nil {
		return nil, err
	}
	var out [][]byte
	start := 0
	for i, hole := range rest.holes {
		out = append(out, rest.pieces[start:hole]...)
		for _, p := range made[i*len(chunks) : (i+1)*len(chunks)] {
			out = append(out, p.pieces...)
		}
		start = hole
	}
	return append(out, rest.pieces[start:]...), nil
}

// chunk is a part of the files, by their numbers.
type chunk struct{ start, end int }

func cut(n, parts int) []chunk {
	parts = min(parts, n)
	var out []chunk
	for i := range parts {
		out = append(out, chunk{n * i / parts, n * (i + 1) / parts})
	}
	return out
}

// renderRest renders all but the loops, each of which leaves a hole.
func (t *Template) renderRest(out *page, data any, b *budget) error {
	root := t.bind(t.root, b).Funcs(template.FuncMap{
		holeFunction: func() string { out.hole(); return "" },
	})
	list := root.Root.CopyList()
	for i, n := range t.root.Root.Nodes {
		if r, ok := n.(*parse.RangeNode); ok && slices.Contains(t.loops, r) {
			list.Nodes[i] = call(root.Tree, r.Pos, holeFunction)
		}
	}
	return t.executeList(root, list, out, data)
}

// renderChunk renders some rounds of a loop.
func (t *Template) renderChunk(out *page, loop *parse.RangeNode, data any, files reflect.Value, c chunk, b *budget) error {
	var part any = files.Slice(c.start, c.end).Interface()
	if len(loop.Pipe.Decl) == 2 { // the numbers go on from chunk to chunk
		part = iter.Seq2[int, any](func(yield func(int, any) bool) {
			for i := c.start; i < c.end && yield(i, files.Index(i).Interface()); i++ {
			}
		})
	}
	root := t.bind(t.root, b).Funcs(template.FuncMap{chunkFunction: func() any { return part }})
	rounds := loop.Copy().(*parse.RangeNode)
	rounds.Pipe.Cmds = callPipe(root.Tree, loop.Pos, chunkFunction).Cmds
	rounds.ElseList = nil
	return t.executeList(root, &parse.ListNode{NodeType: parse.NodeList, Nodes: []parse.Node{rounds}}, out, data)
}

func (t *Template) executeList(root *template.Template, list *parse.ListNode, out *page, data any) error {
	tree := root.Tree.Copy()
	tree.Root = list
	root, err := root.AddParseTree(root.Name(), tree)
	if err != nil {
		return err
	}
	return t.run(root, out, data)
}

// each calls do for 0 to n-1 on all processors. It returns some error if there
// is any, and takes a panic for one.
func each(n int, do func(int) error) error {
	var wg sync.WaitGroup
	errs := make([]error, n)
	next := make(chan int, n)
	for i := range n {
		next <- i
	}
	close(next)
	for range min(n, runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for i := range next {
				errs[i] = errPanicked
				func() {
					defer func() { _ = recover() }()
					errs[i] = do(i)
				}()
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

var (
	errPanicked     = errors.New("panicked")
	errNothingToCut = errors.New("no files")
)
