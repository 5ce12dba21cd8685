package gendoc

import (
	"encoding/json"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/api"
)

// The extensions that protoc-gen-doc knows, and the options message that each
// extends.
const (
	validateOption  = "validate.rules"
	validatorOption = "validator.field"

	validateNumber  protowire.Number = 1071  // FieldOptions
	validatorNumber protowire.Number = 65020 // FieldOptions
)

// HTTPExtension is the value of the option google.api.http.
type HTTPExtension struct {
	// Rules are the rule itself and its additional bindings.
	Rules []HTTPRule `json:"rules"`
}

// HTTPRule is one binding of an RPC to HTTP.
type HTTPRule struct {
	Method  string `json:"method"`
	Pattern string `json:"pattern"`
	Body    string `json:"body,omitempty"`
}

// httpExtension is the model of routes.
func httpExtension(routes []api.Route) HTTPExtension {
	e := HTTPExtension{Rules: make([]HTTPRule, len(routes))}
	for i, r := range routes {
		e.Rules[i] = HTTPRule{Method: r.Verb, Pattern: r.Path, Body: r.Body}
	}
	return e
}

// Rule is one rule of validate.rules or validator.field: its name, dotted where
// rules nest (string.min_len), and its value.
type Rule struct {
	Name  string `json:"name"`
	Value any    `json:"value"`
}

// ValidateExtension is the value of validate.rules (protoc-gen-validate).
type ValidateExtension struct{ rules []Rule }

// Rules lists the rules that are set, in the order in which validate.proto
// declares them.
func (v ValidateExtension) Rules() []Rule { return v.rules }

// MarshalJSON encodes the list of rules.
func (v ValidateExtension) MarshalJSON() ([]byte, error) { return json.Marshal(v.rules) }

// ValidatorExtension is the value of validator.field (go-proto-validators).
type ValidatorExtension struct{ rules []Rule }

// Rules lists the rules that are set, in the order in which validator.proto
// declares them.
func (v ValidatorExtension) Rules() []Rule { return v.rules }

// MarshalJSON encodes the list of rules.
func (v ValidatorExtension) MarshalJSON() ([]byte, error) { return json.Marshal(v.rules) }

// options are the options that protoc-gen-doc puts into its map; nil for none.
// All others are reached through the method Option.
func (b *builder) options(d *api.Decl, o api.Options) map[string]any {
	var out map[string]any
	set := func(name string, value any) {
		if out == nil {
			out = make(map[string]any)
		}
		out[name] = value
	}
	fail := func(name string, err error) {
		b.errs = append(b.errs, &api.Error{Pos: d.Pos(), Message: fmt.Sprintf("option (%s) of %s is broken: %v", name, d.Name, err)})
	}
	if o.Deprecated() {
		set("deprecated", true)
	}
	if _, ok := o.Message().(*descriptorpb.FieldOptions); ok {
		if rules, ok, err := decodeRules(o.Unknown(), validateNumber, fieldRules); err != nil {
			fail(validateOption, err)
		} else if ok {
			set(validateOption, ValidateExtension{rules})
		}
		if rules, ok, err := decodeRules(o.Unknown(), validatorNumber, fieldValidator); err != nil {
			fail(validatorOption, err)
		} else if ok {
			set(validatorOption, ValidatorExtension{rules})
		}
	}
	return out
}

// methodOptions are the options of an RPC.
func (b *builder) methodOptions(m *api.Method) map[string]any {
	out := b.options(&m.Decl, m.Options())
	set := func(name string, value any) {
		if out == nil {
			out = make(map[string]any)
		}
		out[name] = value
	}
	if desc := m.Desc.GetOptions(); desc != nil && desc.IdempotencyLevel != nil {
		set("idempotency_level", desc.GetIdempotencyLevel().String())
	}
	if len(m.Routes) > 0 {
		set(api.HTTPOption, httpExtension(m.Routes))
	}
	return out
}
