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
	httpOption      = "google.api.http"
	validateOption  = "validate.rules"
	validatorOption = "validator.field"

	httpNumber      protowire.Number = 72295728 // MethodOptions
	validateNumber  protowire.Number = 1071     // FieldOptions
	validatorNumber protowire.Number = 65020    // FieldOptions
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
	switch desc := o.Message().(type) {
	case *descriptorpb.MethodOptions:
		if desc.IdempotencyLevel != nil {
			set("idempotency_level", desc.GetIdempotencyLevel().String())
		}
		rule, ok, err := decodeHTTP(o.Unknown())
		if err != nil {
			fail(httpOption, err)
		} else if ok {
			set(httpOption, rule)
		}
	case *descriptorpb.FieldOptions:
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

// Field numbers of google.api.HttpRule and google.api.CustomHttpPattern.
const (
	httpGet                protowire.Number = 2
	httpPut                protowire.Number = 3
	httpPost               protowire.Number = 4
	httpDelete             protowire.Number = 5
	httpPatch              protowire.Number = 6
	httpBody               protowire.Number = 7
	httpCustom             protowire.Number = 8
	httpAdditionalBindings protowire.Number = 11

	customKind protowire.Number = 1
	customPath protowire.Number = 2
)

var httpVerbs = map[protowire.Number]string{
	httpGet: "GET", httpPut: "PUT", httpPost: "POST", httpDelete: "DELETE", httpPatch: "PATCH",
}

// decodeHTTP finds google.api.http in encoded options.
func decodeHTTP(unknown []byte) (HTTPExtension, bool, error) {
	b, ok, err := extension(unknown, httpNumber)
	if err != nil || !ok {
		return HTTPExtension{}, false, err
	}
	rule, additional, err := decodeHTTPRule(b)
	if err != nil {
		return HTTPExtension{}, false, err
	}
	rules := []HTTPRule{rule}
	for _, b := range additional {
		rule, _, err := decodeHTTPRule(b) // bindings nest one level only (http.proto)
		if err != nil {
			return HTTPExtension{}, false, err
		}
		rules = append(rules, rule)
	}
	return HTTPExtension{rules}, true, nil
}

func decodeHTTPRule(b []byte) (rule HTTPRule, additional [][]byte, err error) {
	var custom []byte
	err = eachField(b, func(num protowire.Number, typ protowire.Type, value []byte) error {
		if typ != protowire.BytesType {
			return nil
		}
		switch num {
		case httpGet, httpPut, httpPost, httpDelete, httpPatch:
			rule.Method, rule.Pattern = httpVerbs[num], string(value)
			custom = nil
		case httpCustom:
			custom = append(custom, value...)
			rule.Method, rule.Pattern, err = decodeCustomPattern(custom)
			return err
		case httpBody:
			rule.Body = string(value)
		case httpAdditionalBindings:
			additional = append(additional, value)
		}
		return nil
	})
	return rule, additional, err
}

func decodeCustomPattern(b []byte) (kind, path string, err error) {
	err = eachField(b, func(num protowire.Number, typ protowire.Type, value []byte) error {
		switch {
		case typ == protowire.BytesType && num == customKind:
			kind = string(value)
		case typ == protowire.BytesType && num == customPath:
			path = string(value)
		}
		return nil
	})
	return kind, path, err
}

// extension collects a message-typed extension from encoded options. Parts of
// it that stand apart are merged, as protobuf says.
func extension(unknown []byte, number protowire.Number) (value []byte, found bool, err error) {
	err = eachField(unknown, func(num protowire.Number, typ protowire.Type, b []byte) error {
		if num == number && typ == protowire.BytesType {
			found = true
			value = append(value, b...)
		}
		return nil
	})
	return value, found, err
}

// eachField calls do for each field of an encoded message. A length-delimited
// value comes without its length, any other one encoded.
func eachField(b []byte, do func(protowire.Number, protowire.Type, []byte) error) error {
	for len(b) > 0 {
		num, typ, n := protowire.ConsumeTag(b)
		if n < 0 {
			return protowire.ParseError(n)
		}
		b = b[n:]
		if n = protowire.ConsumeFieldValue(num, typ, b); n < 0 {
			return protowire.ParseError(n)
		}
		value := b[:n]
		if typ == protowire.BytesType {
			value, _ = protowire.ConsumeBytes(value)
		}
		if err := do(num, typ, value); err != nil {
			return err
		}
		b = b[n:]
	}
	return nil
}
