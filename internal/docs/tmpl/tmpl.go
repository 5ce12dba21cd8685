// Package tmpl runs text templates that come from outside: it bounds what they
// can use up, and says where in which file an error stands and what was meant.
package tmpl

import (
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"text/template"
	"text/template/parse"
)

// Limits of one execution. A reference page of thousands of files stays far
// below them; a template that runs in circles reaches them in seconds.
const (
	// maxSteps bounds the rounds of all range actions and the calls of all
	// defined templates together.
	maxSteps = 50_000_000
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
type limits struct{ steps, output int64 }

// Parse parses the text of a template file. Path is what errors call it. Types
// are values of the types that the template can meet: their fields are what an
// unknown field is compared with.
func Parse(path, text string, functions template.FuncMap, types ...any) (*Template, error) {
	t := &Template{path: path, text: text, types: types, limit: limits{maxSteps, maxOutput}}
	own := maps.Clone(functions)
	for _, name := range []string{stepFunction, holeFunction, chunkFunction} {
		own[name] = func() (string, error) { return "", nil } // executions bring their own
	}
	root, err := template.New(rootName).Funcs(own).Parse(text)
	if err != nil {
		return nil, t.parseError(err, functions)
	}
	t.root = root
	for _, defined := range root.Templates() {
		if defined.Tree != nil && defined.Root != nil {
			countSteps(defined.Tree, defined.Root)
		}
	}
	if root.Tree != nil && root.Root != nil {
		t.loops = independentLoops(root)
	}
	return t, nil
}

// Execute renders data. What it returns is split where it was made in parallel.
func (t *Template) Execute(data any) (out [][]byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			out, err = nil, fmt.Errorf("%s: the template panics: %v\n%s", t.path, r, debug.Stack())
		}
	}()
	if len(t.loops) > 0 {
		if out, err = t.executeParallel(data); err == nil {
			return out, nil
		}
	}
	b := newBudget(t.limit)
	page := &page{budget: b}
	if err := t.bind(t.root, b).Execute(page, data); err != nil {
		return nil, t.executionError(err)
	}
	return page.pieces, nil
}

// bind gives a copy of a template the step counter of one execution.
func (t *Template) bind(root *template.Template, b *budget) *template.Template {
	clone := template.Must(root.Clone()) // fails only after execution, for html/template
	return clone.Funcs(template.FuncMap{stepFunction: b.step})
}

// stepFunction is the name of the function that countSteps has called.
const stepFunction = "__step"

var (
	errTooManySteps = errors.New("the template does not come to an end")
	errTooMuchText  = errors.New("the output is larger than the 2 GiB that a response can carry")
)

// countSteps makes the template call the step counter once for each round of a
// range action, and once for each call of a template.
func countSteps(tree *parse.Tree, list *parse.ListNode) {
	prependStep(tree, list, list.Pos)
	walk(list, func(n parse.Node) {
		if r, ok := n.(*parse.RangeNode); ok {
			prependStep(tree, r.List, r.Pos)
		}
	})
}

func prependStep(tree *parse.Tree, list *parse.ListNode, pos parse.Pos) {
	list.Nodes = append([]parse.Node{call(tree, pos, stepFunction)}, list.Nodes...)
}

// call is the action that calls a function without arguments.
func call(tree *parse.Tree, pos parse.Pos, function string) *parse.ActionNode {
	return &parse.ActionNode{NodeType: parse.NodeAction, Pos: pos, Pipe: callPipe(tree, pos, function)}
}

func callPipe(tree *parse.Tree, pos parse.Pos, function string) *parse.PipeNode {
	name := parse.NewIdentifier(function).SetPos(pos).SetTree(tree)
	command := &parse.CommandNode{NodeType: parse.NodeCommand, Pos: pos, Args: []parse.Node{name}}
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
