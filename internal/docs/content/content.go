// Package content is what the built-in formats show of an API: every link
// resolved, every comment parsed, every option in words. A format prints it and
// looks nothing up by itself.
package content

import (
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/api"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/changes"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/comment"
)

// Entry is what all declarations on a page have.
type Entry struct {
	Name     string
	FullName string // the path of a file; a value's is that of its enum and its name
	// Anchor is unique on a page and does not change with the words on it: the
	// full name, or that of a file with "file-" before it.
	Anchor      string
	Description *comment.Doc // without what Deprecation says
	Deprecated  bool
	// Deprecation is the reason and what to use instead; empty if it is not said.
	Deprecation *comment.Doc
	// Rules are what well-known options demand, in words.
	Rules []Rule
	// Options are the custom options that Rules do not say.
	Options []Property
	// Properties are the options of descriptor.proto that nothing else shows.
	Properties []Property
	Pos        api.Position    // where it is declared
	SourceURL  string          // the address of the source; empty if it is not known
	Change     *changes.Change // nil: as it was, or not compared
}

// Rule is a demand in words: a phrase without a capital and without a full stop.
type Rule struct {
	Words  []Word
	Option string // the full name of the option that it comes from
}

// Word is a piece of a Rule.
type Word struct {
	Text string
	Code bool   // a name, a value or an expression
	Link string // to the message of the resource that the word names; empty for none
}

// Property is an option and its value.
type Property struct {
	Name  string
	Value string // as readers see it: text as it is, anything else in JSON
	JSON  string // the value in JSON, text too
}

// File is a .proto file.
type File struct {
	Entry
	Package            string
	PackageDescription *comment.Doc
	Syntax             string // proto2, proto3 or edition 2023
	Imports            []Import
	Services           []*Service
	Events             []*Events
	Messages           []*Message
	Enums              []*Enum
	Extensions         []*Field
	// Removed are the declarations that stood in the file before.
	Removed []*changes.Change
}

// Import is a file that another one imports.
type Import struct {
	Path string
	Link string // empty where no page shows it
	Kind string // public, weak or option; empty for a plain import
}

// Service is a service.
type Service struct {
	Entry
	Methods []*Method
}

// Method is an RPC.
type Method struct {
	Entry
	// Signature is the RPC as a .proto file has it, with the names of types as
	// short as on the rest of the page.
	Signature                   string
	Request, Response           Type
	StreamsRequest, StreamsBack bool
	Routes                      []Route
	Idempotency                 string // NO_SIDE_EFFECTS or IDEMPOTENT; empty if it is not said
	Grpcurl                     string // a command that calls it; empty for none
}

// Streaming is the method's kind in words: unary, server streaming, client
// streaming or bidirectional streaming.
func (m *Method) Streaming() string {
	switch {
	case m.StreamsRequest && m.StreamsBack:
		return "bidirectional streaming"
	case m.StreamsRequest:
		return "client streaming"
	case m.StreamsBack:
		return "server streaming"
	}
	return "unary"
}

// Route is a binding of an RPC to HTTP.
type Route struct {
	Verb, Path string
	Body       string // the request field that is the body, or *; empty for none
	// ResponseBody is the response field that is the body of the answer; empty
	// for all of it.
	ResponseBody string
	// Query are the request fields that go into the query, those in messages by
	// their paths of at most two names; it is empty where the body takes them.
	Query []string
	Curl  string // a command that calls it; empty for none
}

// Message is a message. The hidden entries of map fields are not shown.
type Message struct {
	Entry
	LongName   string   // the name inside the package
	Fields     []*Field // those of a oneof follow each other, at the place of the first
	Oneofs     []*Oneof
	Extensions []*Field // declared inside the message
	Reserved   []string // numbers, ranges and quoted names
	// ExtensionRanges are the numbers that are left to extensions; Ranges are those
	// of which options say more.
	ExtensionRanges []string
	Ranges          []ExtensionRange
	UsedBy          []Type
	// Example is an instance in JSON, over several lines; empty for none.
	Example string
}

// ExtensionRange is a range of numbers for extensions, and what its options say.
type ExtensionRange struct {
	Numbers             string
	Declarations        []Declaration
	Options, Properties []Property // as those of an Entry
}

// Declaration is an extension that a range knows of: only this one may have the
// number.
type Declaration struct {
	Number   int32
	Name     string // the full name; empty for a number that is no longer used
	Type     Type
	Reserved bool // nothing may have the number
}

// Oneof is a real oneof.
type Oneof struct {
	Entry
	Required bool // exactly one field is set; else at most one
	Fields   []*Field
}

// Presence is how a reader tells a set field from an unset one.
type Presence string

// The presences. Repeated is for lists and maps, which are empty or not.
const (
	Implicit Presence = "implicit"
	Optional Presence = "optional"
	Required Presence = "required"
	Repeated Presence = "repeated"
)

// Field is a field or an extension.
type Field struct {
	Entry
	Number   int32
	Type     Type
	Presence Presence
	// IsMessage tells a field whose type is a message: it always has presence, so
	// that nobody needs to be told.
	IsMessage bool
	IsGroup   bool   // encoded as a group, whatever the file says it with
	Oneof     *Oneof // the real oneof that it belongs to; nil for none
	Default   string // as the .proto file writes it; empty if it is not said
	JSONName  string // empty where it is the one that the name leads to
	Extends   *Type  // the message that an extension extends
}

// Enum is an enum.
type Enum struct {
	Entry
	LongName string
	Closed   bool // a reader of the enum refuses numbers that it does not define
	// HasPhases, HasClasses and HasSuggestions tell what a table of codes says.
	HasPhases, HasClasses, HasSuggestions bool
	Sections                              []*Section
	Reserved                              []string
	UsedBy                                []Type
}

// Section is a part of an enum under one detached comment; the first may have no
// title.
type Section struct {
	Title  *comment.Doc
	Values []*Value
}

// Value is a value of an enum.
type Value struct {
	Entry
	Number int32
	// AliasOf is the value that has the number first; empty for itself.
	AliasOf string
	// Phase, Class and Suggestions are set for a value of a table of codes.
	Phase, Class string
	Suggestions  []Suggestion
}

// Suggestion is what a user can do about a code.
type Suggestion struct {
	Code   Type
	Action *comment.Doc
	When   *comment.Doc // the condition; empty for always
}

// Events is a message that tells kinds of events apart.
type Events struct {
	Entry // of the message
	Kinds []*EventKind
}

// EventKind is one kind.
type EventKind struct {
	Entry
	Link     string // to the field or the value; empty where no page shows it
	Number   int32  // of the oneof's field, or of the enum's value
	Payload  *Type  // nil where the message itself is the payload
	Statuses []string
}

// Type is a reference to a type, or to anything else that has a name and a place.
type Type struct {
	Name     string
	FullName string // empty for scalars and maps
	// Link leads to the type: an anchor of the page, another page, or an address;
	// empty for scalars and for types that no page shows.
	Link string
	// Key and Value are set for a map.
	Key, Value *Type
	Repeated   bool
}

// Capital makes the first letter of a phrase a capital, unless it is code.
func Capital(text string) string {
	if text == "" || text[0] < 'a' || text[0] > 'z' {
		return text
	}
	return string(text[0]-'a'+'A') + text[1:]
}
