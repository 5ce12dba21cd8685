// Package gendoc is the model that templates written for protoc-gen-doc v1.5.1
// see, and the functions that they call. Both behave as that release was
// measured to behave, quirks included, so that such a template gives the same
// bytes. What is new is reached through methods with names of their own.
//
// The package and its types are named as protoc-gen-doc's are, because a
// template can print a type's name.
package gendoc

import "github.com/skaffoldgen/protoc-gen-skaffold/internal/api"

// Template is the dot that a template starts with.
type Template struct {
	Files   []*File        `json:"files"`
	Scalars []*ScalarValue `json:"scalarValueTypes"`
}

// File is a .proto file. Its lists are sorted by LongName, bytewise, and hold
// nested declarations too; the Has fields look at the top level only.
type File struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Package     string `json:"package"`

	HasEnums      bool `json:"hasEnums"`
	HasExtensions bool `json:"hasExtensions"`
	HasMessages   bool `json:"hasMessages"`
	HasServices   bool `json:"hasServices"`

	Enums      list[*Enum]          `json:"enums"`
	Extensions list[*FileExtension] `json:"extensions"`
	Messages   list[*Message]       `json:"messages"`
	Services   list[*Service]       `json:"services"`

	Options map[string]any `json:"options,omitempty"`

	x *api.File
	c *context
}

// list is a sorted list. A template can ask protoc-gen-doc's for its length in
// two ways.
type list[E any] []E

// Len is the number of elements.
func (l list[E]) Len() int { return len(l) }

// FileExtension is an extension declared at the top level of a file.
type FileExtension struct {
	Name               string `json:"name"`
	LongName           string `json:"longName"`
	FullName           string `json:"fullName"`
	Description        string `json:"description"`
	Label              string `json:"label"`
	Type               string `json:"type"`
	LongType           string `json:"longType"`
	FullType           string `json:"fullType"`
	Number             int    `json:"number"`
	DefaultValue       string `json:"defaultValue"`
	ContainingType     string `json:"containingType"`
	ContainingLongType string `json:"containingLongType"`
	ContainingFullType string `json:"containingFullType"`

	x *api.Field
	c *context
}

// Message is a message, at the top level or nested, or the entry of a map.
type Message struct {
	Name        string `json:"name"`
	LongName    string `json:"longName"`
	FullName    string `json:"fullName"`
	Description string `json:"description"`

	HasExtensions bool `json:"hasExtensions"`
	HasFields     bool `json:"hasFields"`
	HasOneofs     bool `json:"hasOneofs"`

	Extensions []*MessageExtension `json:"extensions"`
	Fields     []*MessageField     `json:"fields"`

	Options map[string]any `json:"options,omitempty"`

	x *api.Message
	c *context
}

// MessageField is a field of a message. IsMap goes by names, as protoc-gen-doc's
// does; MapKey and MapValue know better.
type MessageField struct {
	Name         string `json:"name"`
	Description  string `json:"description"`
	Label        string `json:"label"`
	Type         string `json:"type"`
	LongType     string `json:"longType"`
	FullType     string `json:"fullType"`
	IsMap        bool   `json:"ismap"`
	IsOneof      bool   `json:"isoneof"`
	OneofDecl    string `json:"oneofdecl"`
	DefaultValue string `json:"defaultValue"`

	Options map[string]any `json:"options,omitempty"`

	x *api.Field
	c *context
}

// MessageExtension is an extension declared inside a message.
type MessageExtension struct {
	FileExtension

	ScopeType     string `json:"scopeType"`
	ScopeLongType string `json:"scopeLongType"`
	ScopeFullType string `json:"scopeFullType"`
}

// Enum is an enum, at the top level or nested.
type Enum struct {
	Name        string       `json:"name"`
	LongName    string       `json:"longName"`
	FullName    string       `json:"fullName"`
	Description string       `json:"description"`
	Values      []*EnumValue `json:"values"`

	Options map[string]any `json:"options,omitempty"`

	x *api.Enum
	c *context
}

// EnumValue is a value of an enum. Its number is text, as it is in
// protoc-gen-doc.
type EnumValue struct {
	Name        string `json:"name"`
	Number      string `json:"number"`
	Description string `json:"description"`

	Options map[string]any `json:"options,omitempty"`

	x *api.EnumValue
	c *context
}

// Service is a service.
type Service struct {
	Name        string           `json:"name"`
	LongName    string           `json:"longName"`
	FullName    string           `json:"fullName"`
	Description string           `json:"description"`
	Methods     []*ServiceMethod `json:"methods"`

	Options map[string]any `json:"options,omitempty"`

	x *api.Service
	c *context
}

// ServiceMethod is an RPC.
type ServiceMethod struct {
	Name              string `json:"name"`
	Description       string `json:"description"`
	RequestType       string `json:"requestType"`
	RequestLongType   string `json:"requestLongType"`
	RequestFullType   string `json:"requestFullType"`
	RequestStreaming  bool   `json:"requestStreaming"`
	ResponseType      string `json:"responseType"`
	ResponseLongType  string `json:"responseLongType"`
	ResponseFullType  string `json:"responseFullType"`
	ResponseStreaming bool   `json:"responseStreaming"`

	Options map[string]any `json:"options,omitempty"`

	x *api.Method
	c *context
}

// ScalarValue says how languages spell a scalar type.
type ScalarValue struct {
	ProtoType  string `json:"protoType"`
	Notes      string `json:"notes"`
	CppType    string `json:"cppType"`
	CSharp     string `json:"csType"`
	GoType     string `json:"goType"`
	JavaType   string `json:"javaType"`
	PhpType    string `json:"phpType"`
	PythonType string `json:"pythonType"`
	RubyType   string `json:"rubyType"`
}

// Types are one value of each type that a template can meet.
var Types = []any{
	new(Template), new(File), new(FileExtension), new(Message), new(MessageField),
	new(MessageExtension), new(Enum), new(EnumValue), new(Service), new(ServiceMethod),
	new(ScalarValue), HTTPExtension{}, HTTPRule{}, ValidateExtension{}, ValidatorExtension{},
	Rule{}, Span{}, new(Oneof), Range{}, new(MapField), new(Section), CustomOption{},
}
