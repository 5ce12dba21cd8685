package config_test

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/config"
)

// schema is the part of a JSON Schema that this test reads.
type schema struct {
	Ref         string             `json:"$ref"`
	Type        any                `json:"type"`
	Const       any                `json:"const"`
	Enum        []string           `json:"enum"`
	Description string             `json:"description"`
	Properties  map[string]*schema `json:"properties"`
	Items       *schema            `json:"items"`
	Additional  any                `json:"additionalProperties"`
	Required    []string           `json:"required"`
	Defs        map[string]*schema `json:"$defs"`
}

// TestSchema holds the schema for editors against the types that the loader
// fills, both ways.
func TestSchema(t *testing.T) {
	text, err := os.ReadFile("../../skaffold-gen.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	root := new(schema)
	if err := json.Unmarshal(text, root); err != nil {
		t.Fatal(err)
	}
	c := &comparison{T: t, root: root, seen: make(map[string]bool)}
	c.object("(root)", root, reflect.TypeFor[config.Config]())
	for name := range root.Defs {
		if !c.seen[name] {
			t.Errorf("nothing refers to %s", name)
		}
	}
}

type comparison struct {
	*testing.T
	root *schema
	seen map[string]bool
}

func (c *comparison) object(path string, s *schema, t reflect.Type) {
	if s.Type != "object" || s.Additional != false || s.Description == "" {
		c.Errorf("%s: not a described object without other properties", path)
	}
	inSchema, inType := make(map[string]bool), make(map[string]bool)
	for name := range s.Properties {
		inSchema[name] = true
	}
	for i := range t.NumField() {
		name := strings.Split(t.Field(i).Tag.Get("yaml"), ",")[0]
		inType[name] = true
		if p := s.Properties[name]; p != nil {
			if p.Description == "" {
				c.Errorf("%s.%s has no description", path, name)
			}
			c.value(path+"."+name, p, t.Field(i).Type)
		}
	}
	if diff := cmp.Diff(inType, inSchema); diff != "" {
		c.Errorf("keys of %s (-loader +schema):\n%s", path, diff)
	}
}

func (c *comparison) value(path string, s *schema, t reflect.Type) {
	if name, ok := strings.CutPrefix(s.Ref, "#/$defs/"); ok {
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		if name != t.Name() {
			c.Errorf("%s refers to %s, want %s", path, name, t.Name())
		}
		if def := c.root.Defs[name]; def != nil && !c.seen[name] {
			c.seen[name] = true
			c.object(name, def, t)
		}
		return
	}
	switch kind := t.Kind(); {
	case kind == reflect.Slice && s.Type == "array":
		c.value(path+"[]", s.Items, t.Elem())
	case kind == reflect.Map && s.Type == "object", kind == reflect.Bool && s.Type == "boolean":
	case kind == reflect.String && (s.Type == "string" || s.Const != nil):
	case kind == reflect.String && cmp.Equal(s.Type, []any{"string", "integer"}):
	default:
		c.Errorf("%s is of type %v in the schema and %v in the loader", path, s.Type, t)
	}
}

// TestSchemaGRPC tries all gRPC codes that the schema offers.
func TestSchemaGRPC(t *testing.T) {
	text, err := os.ReadFile("../../skaffold-gen.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	root := new(schema)
	if err := json.Unmarshal(text, root); err != nil {
		t.Fatal(err)
	}
	names := root.Defs["Class"].Properties["grpc"].Enum
	if len(names) != 16 {
		t.Errorf("the schema has %d gRPC codes, want all 17 but OK", len(names))
	}
	m := model(t)
	for _, name := range names {
		if _, err := config.Parse("c.yaml", []byte(codes("enum: acme.Code", "default_class: {name: A, grpc: "+name+"}")), m); err != nil {
			t.Error(err)
		}
	}
}
