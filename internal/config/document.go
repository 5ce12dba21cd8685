package config

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// document is a YAML file with the place of everything in it, so that what is
// found wrong after decoding can still be shown where it stands.
type document struct {
	path   string
	root   ast.Node
	places map[string]*token.Token // by path in the document: codes[0].phases[1].name
	// anchors are the nodes that aliases stand for.
	anchors  map[string]ast.Node
	problems []problem
}

// problem is something wrong at a place.
type problem struct {
	line, column int
	text         string
}

// open parses a file and compares its keys with those of a Config.
func open(path string, text []byte) (*document, error) {
	d := &document{path: path, places: make(map[string]*token.Token), anchors: make(map[string]ast.Node)}
	file, err := parser.ParseBytes(text, 0)
	if err != nil {
		return nil, d.foreign(err)
	}
	switch len(file.Docs) {
	case 0:
		return d, nil
	case 1:
		d.root = file.Docs[0].Body
	default:
		d.place("second document", file.Docs[1].Start)
		d.add("second document", "there is a second document: put everything into the first one")
		return nil, d.err()
	}
	if d.root != nil {
		d.walk(d.root, "", reflect.TypeFor[Config]())
	}
	return d, d.err()
}

// decode fills a Config. The keys are checked already; what is left to fail is a
// value of a wrong type.
func (d *document) decode() (*Config, error) {
	cfg := new(Config)
	if d.root == nil {
		return cfg, nil
	}
	if err := yaml.NodeToValue(d.root, cfg); err != nil {
		return nil, d.foreign(err)
	}
	return cfg, nil
}

// foreign gives an error of the YAML library the form of our own.
func (d *document) foreign(err error) error {
	var placed yaml.Error
	if !errors.As(err, &placed) || placed.GetToken() == nil {
		return fmt.Errorf("%s: %w", d.path, err)
	}
	d.place("", placed.GetToken())
	message := placed.GetMessage()
	var kind *yaml.TypeError
	if errors.As(err, &kind) {
		message = fmt.Sprintf("%q is not %s", kind.Token.Value, describe(kind.DstType))
	}
	d.add("", "%s", message)
	return d.err()
}

// describe says in YAML's words what a Go type is read from.
func describe(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Slice:
		return "a list"
	case reflect.Struct, reflect.Map, reflect.Pointer:
		return "a mapping"
	case reflect.Bool:
		return "true or false"
	}
	return "a " + t.Kind().String()
}

// walk notes the places of a node and of all in it, and reports keys that the
// type has no field for.
func (d *document) walk(node ast.Node, path string, t reflect.Type) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	d.place(path, start(node))
	switch node := node.(type) {
	case *ast.AnchorNode:
		d.anchors[node.Name.GetToken().Value] = node.Value
		d.walk(node.Value, path, t)
	case *ast.AliasNode:
		if value := d.anchors[node.Value.GetToken().Value]; value != nil {
			d.walk(value, path, t)
		}
	case *ast.MappingNode:
		for _, value := range node.Values {
			d.walkKey(value, path, t)
		}
	case *ast.MappingValueNode:
		d.walkKey(node, path, t)
	case *ast.SequenceNode:
		if t.Kind() != reflect.Slice {
			d.add(path, "there is a list where %s should be", describe(t))
			return
		}
		for i, value := range node.Values {
			d.walk(value, at(path, i), t.Elem())
		}
	case ast.ScalarNode:
		_, null := node.(*ast.NullNode)
		if kind := t.Kind(); !null && (kind == reflect.Slice || kind == reflect.Struct || kind == reflect.Map) {
			d.add(path, "%q is not %s", node.GetToken().Value, describe(t))
		}
	}
}

// start is where a node begins. That of a mapping in block style is its first
// key, and not the colon after it.
func start(node ast.Node) *token.Token {
	switch node := node.(type) {
	case *ast.MappingNode:
		if !node.IsFlowStyle && len(node.Values) > 0 {
			return node.Values[0].Key.GetToken()
		}
	case *ast.MappingValueNode:
		return node.Key.GetToken()
	}
	return node.GetToken()
}

func (d *document) walkKey(node *ast.MappingValueNode, path string, t reflect.Type) {
	if node.Key.IsMergeKey() {
		d.walk(node.Value, path, t)
		return
	}
	key := node.Key.GetToken().Value
	child := join(path, key)
	d.place(child, node.Key.GetToken())
	d.place(keyOf(child), node.Key.GetToken())
	switch t.Kind() {
	case reflect.Map:
		d.walk(node.Value, child, t.Elem())
	case reflect.Struct:
		fields := fieldsOf(t)
		field, ok := fields[key]
		if !ok {
			known := make([]string, 0, len(fields))
			for name := range fields {
				known = append(known, name)
			}
			d.add(child, "unknown key %q%s", key, didYouMean(key, known))
			return
		}
		d.walk(node.Value, child, field)
	default:
		d.add(child, "there is a mapping where %s should be", describe(t))
	}
}

// fieldsOf are the types of a struct's fields by their keys.
func fieldsOf(t reflect.Type) map[string]reflect.Type {
	fields := make(map[string]reflect.Type)
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("yaml"), ",")
		fields[name] = t.Field(i).Type
	}
	return fields
}

// Paths in the document. They are only ever compared, so that a key with a dot
// in it does no harm.

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

func at(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

func keyOf(path string) string { return path + " (key)" }

func (d *document) place(path string, t *token.Token) {
	if t != nil && t.Position != nil {
		d.places[path] = t
	}
}

// add notes a problem at a path, or at the closest place around it.
func (d *document) add(path, format string, args ...any) {
	p := problem{line: 1, column: 1, text: fmt.Sprintf(format, args...)}
	for {
		if t := d.places[path]; t != nil {
			p.line, p.column = t.Position.Line, t.Position.Column
			break
		}
		cut := strings.LastIndexAny(path, ".[")
		if cut < 0 {
			break
		}
		path = path[:cut]
	}
	d.problems = append(d.problems, p)
}

// err joins the problems in the order of their places; nil if there are none.
func (d *document) err() error {
	slices.SortStableFunc(d.problems, func(a, b problem) int {
		return cmp.Or(cmp.Compare(a.line, b.line), cmp.Compare(a.column, b.column))
	})
	var errs []error
	for _, p := range d.problems {
		errs = append(errs, fmt.Errorf("%s:%d:%d: %s", d.path, p.line, p.column, p.text))
	}
	return errors.Join(errs...)
}
