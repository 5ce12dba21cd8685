package jsondoc

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// schema is what the tests look at of docs/reference.schema.json.
type schema struct {
	ID          string `json:"$id"`
	Ref         string `json:"$ref"`
	Description string
	Type        string
	Const, Enum any
	Items       *schema
	Properties  map[string]*schema
	Required    []string
	// AdditionalProperties is nil where the schema does not say it.
	AdditionalProperties *bool
	Defs                 map[string]*schema `json:"$defs"`
}

func readSchema(t *testing.T) schema {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "reference.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	var s schema
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

// definitions are the types by their names in the schema.
var definitions = map[string]any{
	"Page": page{}, "Index": index{}, "IndexPage": indexPage{}, "Package": packageFiles{}, "Text": text{},
	"Rule": rule{},
	"Word": word{}, "Option": option{}, "Position": position{}, "Change": change{}, "ListedChange": listedChange{},
	"Detail": detail{}, "File": file{}, "Import": importFile{}, "Service": service{}, "Method": method{}, "Route": route{},
	"Message": message{}, "RangeOptions": rangeOptions{}, "Declaration": declaration{}, "Oneof": oneof{}, "Field": field{},
	"Enum": enum{}, "Codes": codes{}, "Section": section{}, "Value": value{}, "Suggestion": suggestion{}, "Events": events{},
	"EventKind": eventKind{}, "Type": typeRef{},
}

// The schema has the properties that the types have, requires those that are
// always written, and refers to the types that they have.
func TestSchemaIsThatOfTheTypes(t *testing.T) {
	s := readSchema(t)
	if s.ID != SchemaURL {
		t.Errorf("the schema is %s, the documents name %s", s.ID, SchemaURL)
	}
	for name, sample := range definitions {
		def := s.Defs[name]
		if def == nil {
			t.Errorf("the schema has no %s", name)
			continue
		}
		want := fieldsOf(reflect.TypeOf(sample))
		got := make(map[string]property)
		for name, p := range def.Properties {
			got[name] = property{Required: slices.Contains(def.Required, name), Type: typeIn(p)}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-type +schema)\n%s", name, diff)
		}
	}
	for name := range s.Defs {
		if _, ok := definitions[name]; !ok && name != "Link" {
			t.Errorf("the schema's %s is no type", name)
		}
	}
}

// property is a property as types and schema both tell it.
type property struct {
	Required bool
	Type     string
}

// fieldsOf are the properties of a type, with those of the types embedded in it.
func fieldsOf(t reflect.Type) map[string]property {
	out := make(map[string]property)
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			for name, p := range fieldsOf(f.Type) {
				out[name] = p
			}
			continue
		}
		name, flags, _ := strings.Cut(f.Tag.Get("json"), ",")
		out[name] = property{Required: flags == "", Type: typeName(f.Type)}
	}
	return out
}

func typeName(t reflect.Type) string {
	if t == reflect.TypeFor[json.RawMessage]() {
		return "any"
	}
	switch t.Kind() {
	case reflect.Pointer:
		return typeName(t.Elem())
	case reflect.Slice:
		return "list of " + typeName(t.Elem())
	case reflect.Struct:
		for name, sample := range definitions {
			if reflect.TypeOf(sample) == t {
				return name
			}
		}
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "boolean"
	case reflect.Int, reflect.Int32:
		return "integer"
	}
	return t.String()
}

func typeIn(s *schema) string {
	switch {
	case s.Ref == "#/$defs/Link", s.Enum != nil:
		return "string"
	case s.Ref != "":
		return strings.TrimPrefix(s.Ref, "#/$defs/")
	case s.Type == "array":
		return "list of " + typeIn(s.Items)
	case s.Const != nil:
		if _, ok := s.Const.(string); ok {
			return "string"
		}
		return "integer"
	case s.Type == "":
		return "any"
	}
	return s.Type
}

// Every property is described, and no object has others.
func TestSchemaSaysEverything(t *testing.T) {
	s := readSchema(t)
	for name, def := range s.Defs {
		if def.Description == "" {
			t.Errorf("%s has no description", name)
		}
		if def.Type == "object" && (def.AdditionalProperties == nil || *def.AdditionalProperties) {
			t.Errorf("%s allows other properties", name)
		}
		for property, p := range def.Properties {
			if p.Description == "" {
				t.Errorf("%s.%s has no description", name, property)
			}
		}
	}
}
