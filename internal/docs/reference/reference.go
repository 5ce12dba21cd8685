// Package reference is what the built-in formats show of an API, with every link
// resolved and every comment cleaned, and the formats themselves.
package reference

import "github.com/skaffoldgen/protoc-gen-skaffold/internal/api"

// Page is one output file.
type Page struct {
	// Name is the page's path below the output folder.
	Name  string
	Title string
	Files []*api.File
}

// Entry is what all declarations on a page have.
type Entry struct {
	Name string
	// Anchor is the full name; it is unique on a page.
	Anchor      string
	Description Text
	Deprecated  bool
	Options     []Option
	// SourceURL is the address of the source; empty if it is not known.
	SourceURL string
}

// Option is a custom option and its value in JSON.
type Option struct{ Name, Value string }

// String is the option as a .proto file writes it, but for the value.
func (o Option) String() string { return "(" + o.Name + ") = " + o.Value }

// File is a .proto file.
type File struct {
	Entry
	Package            string
	PackageDescription Text
	Syntax             string // proto2, proto3 or edition 2023
	Services           []*Service
	Messages           []*Message
	Enums              []*Enum
	Extensions         []*Field
}

// Service is a service.
type Service struct {
	Entry
	Methods []*Method
}

// Method is an RPC.
type Method struct {
	Entry
	Request, Response           Type
	StreamsRequest, StreamsBack bool
	Routes                      []api.Route
	Idempotency                 string // NO_SIDE_EFFECTS or IDEMPOTENT; empty if not said
}

// Message is a message. The hidden entries of map fields are not shown.
type Message struct {
	Entry
	LongName   string
	Fields     []*Field
	Oneofs     []*Oneof
	Extensions []*Field
	Reserved   []string // numbers, ranges and quoted names
	// ExtensionRanges are the numbers that are left to extensions.
	ExtensionRanges []string
	UsedBy          []Type
}

// Oneof is a real oneof.
type Oneof struct{ Entry }

// Field is a field or an extension.
type Field struct {
	Entry
	Number   int32
	Type     Type
	Presence api.Presence
	// IsMessage tells a field whose type is a message: it always has presence, so
	// that nobody needs to be told.
	IsMessage bool
	IsGroup   bool   // encoded as a group, whatever the file says it with
	Oneof     string // name of the real oneof that it belongs to
	Default   string // as the .proto file writes it; empty if it is not said
	JSONName  string // empty where it is the one that the name leads to
	Extends   *Type  // the message that an extension extends
}

// Enum is an enum.
type Enum struct {
	Entry
	LongName string
	// HasPhases and HasClasses tell which columns a table of codes has.
	HasPhases, HasClasses bool
	Sections              []*Section
	Reserved              []string
	UsedBy                []Type
}

// Section is a part of an enum under one detached comment; the first may have no
// title.
type Section struct {
	Title  Text
	Values []*Value
}

// Value is a value of an enum.
type Value struct {
	Entry
	Number int32
	// Phase, Class and Suggestions are set for a value of a table of codes.
	Phase, Class string
	Suggestions  []Suggestion
}

// Suggestion is what a user can do about a code.
type Suggestion struct {
	Code   Type
	Action string
	When   string // the condition, in words; empty for always
}

// Type is a reference to a type, or to anything else that has a name and a place.
type Type struct {
	Name string
	// Link leads to the type: an anchor of the page, another page, or an address;
	// empty for scalars and for types that no page shows.
	Link string
	// Key and Value are set for a map.
	Key, Value *Type
	Repeated   bool
}
