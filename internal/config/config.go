// Package config reads skaffold-gen.yaml: what .proto files cannot say about the
// events and the codes of an API.
package config

// Config is a skaffold-gen.yaml. Names in it are full proto names.
type Config struct {
	Version string  `yaml:"version"` // v1
	Events  []Event `yaml:"events"`
	Codes   []Codes `yaml:"codes"`
}

// Event says that a message is an event, or how.
type Event struct {
	Message string `yaml:"message"`
	// Discriminator is the oneof or the enum field that tells the kinds apart;
	// empty for the only one that fits.
	Discriminator string `yaml:"discriminator"`
	// Time is the field that an emitter stamps, a google.protobuf.Timestamp or an
	// int64; empty for the one that fits by convention, or for none.
	Time string `yaml:"time"`
	// Ignore says that the message is no event, whatever it looks like.
	Ignore bool `yaml:"ignore"`
	// Values are the documented values of string fields of the event's payloads.
	Values []Values `yaml:"values"`
}

// Values are the documented values of a string field.
type Values struct {
	Field string `yaml:"field"`
	// Replace takes the place of the values in the field's comment; Add comes
	// after them. Only one of the two can be given.
	Replace []string `yaml:"replace"`
	Add     []string `yaml:"add"`
}

// Codes says that an enum is a table of codes, or more about it. An enum whose
// name ends in Code is one without an entry.
type Codes struct {
	Enum string `yaml:"enum"`
	// Ignore says that the enum is no table of codes, whatever its name.
	Ignore bool `yaml:"ignore"`
	// NoPhase are the values that have no phase. A value that neither it nor
	// Phases cover is an error, if there is any phase.
	Phases  []Phase  `yaml:"phases"`
	NoPhase []string `yaml:"no_phase"`
	// Fallback is the code of an error that no pattern matches, in a phase that
	// has no fallback of its own and where the phase is not known.
	Fallback            string       `yaml:"fallback"`
	FallbackSuggestions []Suggestion `yaml:"fallback_suggestions"`
	// A value that none of Classes covers is of DefaultClass.
	Classes      []Class `yaml:"classes"`
	DefaultClass *Class  `yaml:"default_class"`
	// Sections replace those of the enum's detached comments: title by value that
	// begins the section; an empty title drops one.
	Sections map[string]string `yaml:"sections"`
	// Suggestions is the enum of what a user can do.
	Suggestions string    `yaml:"suggestions"`
	Problems    []Problem `yaml:"problems"`
	Error       *Error    `yaml:"error"`
}

// Phase is a part of the work that codes come from.
type Phase struct {
	Name     string   `yaml:"name"`
	Prefixes []string `yaml:"prefixes"` // of value names; the longest that fits wins
	Values   []string `yaml:"values"`   // single values, whatever their prefix
	// Fallback is the code of an error of the phase that no pattern matches.
	Fallback string `yaml:"fallback"`
	// FallbackSuggestions go with the fallback code.
	FallbackSuggestions []Suggestion `yaml:"fallback_suggestions"`
}

// Class is what kind of outcome a code is.
type Class struct {
	Name   string   `yaml:"name"`
	Ranges []string `yaml:"ranges"` // such as 200-250, both ends included
	Values []string `yaml:"values"` // single values; go before ranges
	// GRPC is the gRPC code of an error of the class, by its name in
	// google.rpc.Code; UNKNOWN where it is empty.
	GRPC string `yaml:"grpc"`
}

// Problem is what is known about a code.
type Problem struct {
	Code string `yaml:"code"`
	// Pattern is a regular expression (RE2) for the texts of errors that have this
	// code; empty for none.
	Pattern string `yaml:"pattern"`
	// Phases are those in which Classify tries the pattern; the code's own where
	// there are none.
	Phases      []string     `yaml:"phases"`
	Suggestions []Suggestion `yaml:"suggestions"`
}

// Suggestion is what a user can do about a code.
type Suggestion struct {
	Code   string `yaml:"code"`
	Action string `yaml:"action"`
	When   string `yaml:"when"` // the condition, in words; empty for always
}

// Error is the API's own error message.
type Error struct {
	Message string `yaml:"message"`
	// Fields of Message, by their short names; empty for the only one whose type
	// fits: the enum of the codes, a string, and a repeated message that has a
	// field of the suggestions' enum and one string.
	Code        string `yaml:"code"`
	Text        string `yaml:"text"`
	Suggestions string `yaml:"suggestions"`
	// Domain is the domain of google.rpc.ErrorInfo (AIP-193); the proto package of
	// Message where it is empty.
	Domain string `yaml:"domain"`
}
