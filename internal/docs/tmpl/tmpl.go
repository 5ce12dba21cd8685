// Package tmpl runs text templates that come from outside: it bounds what they
// can use up, and says where in which file an error stands and what was meant.
package tmpl

import (
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"strconv"
	"text/template"
	"text/template/parse"
)

// Limits of one execution. A reference page of thousands of files stays far
// below them; a template that runs in circles reaches them in seconds.
const (
	// maxSteps bounds the rounds of all range actions and the calls of all
	// defined templates together.
	maxSteps = 50_000_000
	// maxDepth bounds how deep templates call each other. text/template's own bound
	// of 100000 can be too much for the stack, which nothing can catch.
	maxDepth = 10_000
	// maxOutput is the largest file that a plugin's response can carry.
	maxOutput = 1<<31 - 1
)

// rootName is what protoc-gen-doc calls the template that it is given, so that a
// template can call itself by it. Errors say the path instead: a name with a %
// in it would spoil text/template's own messages.
const rootName = "Text Template"

// Template is a parsed template.
type Template struct {
	path  string
	text  string
	root  *template.Template
	types []any
	loops []*parse.RangeNode // see parallel.go
	limit limits
}

// limits can be lowered by tests.
type limits struct{ steps, depth, output int64 }

// Parse parses the text of a template file. Path is what errors call it. Types
// are values of the types that the template can meet: their fields are what an
// unknown field is compared with.
func Parse(path, text string, functions template.FuncMap, types ...any) (*Template, error) {
	t := &Template{path: path, text: text, types: types, limit: limits{maxSteps, maxDepth, maxOutput}}
	own := maps.Clone(functions)
	for _, name := range []string{stepFunction, enterFunction, leaveFunction, holeFunction, chunkFunction} {
		own[name] = func() (string, error) { return "", nil } // executions bring their own
	}
	root, err := template.New(rootName).Funcs(own).Parse(text)
	if err != nil {
		return nil, t.parseError(err, functions)
	}
	t.root = root
	for _, defined := range root.Templates() {
		if defined.Tree != nil && defined.Root != nil {
			addCounters(defined.Tree, defined.Root)
		}
	}
	if root.Tree != nil && root.Root != nil {
		t.loops = independentLoops(root)
	}
	return t, nil
}

// Execute renders data. What it returns is split where it was made in parallel.
func (t *Template) Execute(data any) ([][]byte, error) {
	if len(t.loops) > 0 {
		if out, err := t.executeParallel(data); err == nil {
			return out, nil
		}
	}
	b := newBudget(t.limit)
	page := &page{budget: b}
	if err := t.run(t.bind(t.root, b), page, data); err != nil {
		return nil, err
	}
	return page.pieces, nil
}

// run executes a template in a goroutine of its own, which ends where a counter
// stops it.
func (t *Template) run(root *template.Template, out *page, data any) error {
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if r := recover(); r != nil {
				err = fmt.Errorf("%s: the template panics: %v\n%s", t.path, r, debug.Stack())
			}
		}()
		if err = root.Execute(out, data); err != nil {
			err = t.executionError(err)
		}
	}()
	<-done
	if stopped := out.budget.stopped.Load(); stopped != nil {
		return stopped
	}
	return err
}

// bind gives a copy of a template the counters of one execution.
func (t *Template) bind(root *template.Template, b *budget) *template.Template {
	clone := template.Must(root.Clone()) // fails only after execution, for html/template
	c := &counters{template: t, budget: b}
	return clone.Funcs(template.FuncMap{stepFunction: c.step, enterFunction: c.enter, leaveFunction: c.leave})
}

// The names of the functions that addCounters has called. The first two are given
// the place in the text where they stand.
const (
	stepFunction  = "__step"
	enterFunction = "__enter"
	leaveFunction = "__leave"
)

var errTooMuchText = errors.New("the output is larger than the 2 GiB that a response can carry")

// addCounters makes the template count the rounds of its range actions and its
// calls of templates.
func addCounters(tree *parse.Tree, list *parse.ListNode) {
	if list == nil {
		return
	}
	nodes := make([]parse.Node, 0, len(list.Nodes))
	for _, n := range list.Nodes {
		switch n := n.(type) {
		case *parse.IfNode:
			addCounters(tree, n.List)
			addCounters(tree, n.ElseList)
		case *parse.WithNode:
			addCounters(tree, n.List)
			addCounters(tree, n.ElseList)
		case *parse.RangeNode:
			addCounters(tree, n.List)
			addCounters(tree, n.ElseList)
			n.List.Nodes = append([]parse.Node{call(tree, n.Pos, stepFunction, place(n.Pos))}, n.List.Nodes...)
		case *parse.TemplateNode:
			nodes = append(nodes, call(tree, n.Pos, enterFunction, place(n.Pos)), n, call(tree, n.Pos, leaveFunction))
			continue
		}
		nodes = append(nodes, n)
	}
	list.Nodes = nodes
}

// place is a place in the text, as an argument.
func place(pos parse.Pos) parse.Node {
	return &parse.NumberNode{NodeType: parse.NodeNumber, Pos: pos, IsInt: true, Int64: int64(pos), Text: strconv.Itoa(int(pos))}
}

// call is the action that calls a function.
func call(tree *parse.Tree, pos parse.Pos, function string, args ...parse.Node) *parse.ActionNode {
	return &parse.ActionNode{NodeType: parse.NodeAction, Pos: pos, Pipe: callPipe(tree, pos, function, args...)}
}

func callPipe(tree *parse.Tree, pos parse.Pos, function string, args ...parse.Node) *parse.PipeNode {
	name := parse.NewIdentifier(function).SetPos(pos).SetTree(tree)
	command := &parse.CommandNode{NodeType: parse.NodeCommand, Pos: pos, Args: append([]parse.Node{name}, args...)}
	return &parse.PipeNode{NodeType: parse.NodePipe, Pos: pos, Cmds: []*parse.CommandNode{command}}
}

// walk visits the nodes of a list, and of the lists inside it, in order.
func walk(list *parse.ListNode, visit func(parse.Node)) {
	if list == nil {
		return
	}
	for _, n := range list.Nodes {
		visit(n)
		switch n := n.(type) {
		case *parse.IfNode:
			walk(n.List, visit)
			walk(n.ElseList, visit)
		case *parse.RangeNode:
			walk(n.List, visit)
			walk(n.ElseList, visit)
		case *parse.WithNode:
			walk(n.List, visit)
			walk(n.ElseList, visit)
		}
	}
}
