package jsondoc

import "encoding/json"

// The types of this file are the schema in docs/reference.schema.json, which says
// what each property means; a test compares the two. A property without omitempty
// or omitzero is required there.

type document struct {
	Schema        string `json:"$schema"`
	SchemaVersion int    `json:"schemaVersion"`
	Kind          string `json:"kind"`
	Title         string `json:"title"`
}

type page struct {
	document
	Packages []packageFiles `json:"packages"`
	// Changes is nil where nothing was compared.
	Changes []listedChange `json:"changes,omitzero"`
	// Files come last, so that they can be written one by one.
	Files []*file `json:"files"`
}

type index struct {
	document
	Pages []indexPage `json:"pages"`
}

type indexPage struct {
	Path     string         `json:"path"`
	Title    string         `json:"title"`
	Packages []packageFiles `json:"packages"`
}

type packageFiles struct {
	Name  string   `json:"name"`
	Files []string `json:"files"`
}

type entry struct {
	Name        string    `json:"name"`
	FullName    string    `json:"fullName"`
	Anchor      string    `json:"anchor"`
	Description *text     `json:"description,omitempty"`
	Deprecated  bool      `json:"deprecated,omitempty"`
	Deprecation *text     `json:"deprecation,omitempty"`
	Rules       []rule    `json:"rules,omitempty"`
	Options     []option  `json:"options,omitempty"`
	Properties  []option  `json:"properties,omitempty"`
	Position    *position `json:"position,omitempty"`
	SourceURL   string    `json:"sourceUrl,omitempty"`
	Change      *change   `json:"change,omitempty"`
}

type text struct {
	Markdown string `json:"markdown"`
	Text     string `json:"text"`
	Summary  string `json:"summary"`
}

type rule struct {
	Text   string `json:"text"`
	Words  []word `json:"words"`
	Option string `json:"option"`
}

type word struct {
	Text string `json:"text"`
	Code bool   `json:"code,omitempty"`
	Link string `json:"link,omitempty"`
}

type option struct {
	Name  string          `json:"name"`
	Value json.RawMessage `json:"value"`
}

type position struct {
	Path   string `json:"path"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
}

type change struct {
	Kind    string   `json:"kind"`
	What    string   `json:"what"`
	Name    string   `json:"name"`
	File    string   `json:"file"`
	In      string   `json:"in,omitempty"`
	Details []detail `json:"details,omitempty"`
}

type listedChange struct {
	change
	ShortName string `json:"shortName"`
	Link      string `json:"link,omitempty"`
}

type detail struct {
	Property string `json:"property"`
	Before   string `json:"before,omitempty"`
	Text     string `json:"text"`
}

type file struct {
	entry
	Package            string       `json:"package"`
	PackageDescription *text        `json:"packageDescription,omitempty"`
	Syntax             string       `json:"syntax"`
	Imports            []importFile `json:"imports,omitempty"`
	Services           []service    `json:"services"`
	Events             []events     `json:"events"`
	Messages           []message    `json:"messages"`
	Enums              []enum       `json:"enums"`
	Extensions         []field      `json:"extensions"`
	Removed            []change     `json:"removed,omitempty"`
}

type importFile struct {
	Path string `json:"path"`
	Link string `json:"link,omitempty"`
	Kind string `json:"kind,omitempty"`
}

type service struct {
	entry
	Methods []method `json:"methods"`
}

type method struct {
	entry
	Signature       string  `json:"signature"`
	Request         typeRef `json:"request"`
	Response        typeRef `json:"response"`
	ClientStreaming bool    `json:"clientStreaming"`
	ServerStreaming bool    `json:"serverStreaming"`
	Streaming       string  `json:"streaming"`
	Idempotency     string  `json:"idempotency,omitempty"`
	Routes          []route `json:"routes,omitempty"`
	Grpcurl         string  `json:"grpcurl,omitempty"`
}

type route struct {
	Verb         string   `json:"verb"`
	Path         string   `json:"path"`
	Body         string   `json:"body,omitempty"`
	ResponseBody string   `json:"responseBody,omitempty"`
	Query        []string `json:"query,omitempty"`
	Curl         string   `json:"curl,omitempty"`
}

type message struct {
	entry
	LongName        string          `json:"longName"`
	Fields          []field         `json:"fields"`
	Oneofs          []oneof         `json:"oneofs"`
	Extensions      []field         `json:"extensions"`
	Reserved        []string        `json:"reserved,omitempty"`
	ExtensionRanges []string        `json:"extensionRanges,omitempty"`
	RangeOptions    []rangeOptions  `json:"extensionRangeOptions,omitempty"`
	UsedBy          []typeRef       `json:"usedBy,omitempty"`
	Example         json.RawMessage `json:"example,omitempty"`
}

type rangeOptions struct {
	Numbers      string        `json:"numbers"`
	Declarations []declaration `json:"declarations,omitempty"`
	Options      []option      `json:"options,omitempty"`
	Properties   []option      `json:"properties,omitempty"`
}

type declaration struct {
	Number   int32    `json:"number"`
	Name     string   `json:"name,omitempty"`
	Type     *typeRef `json:"type,omitempty"`
	Reserved bool     `json:"reserved,omitempty"`
}

type oneof struct {
	entry
	Required bool     `json:"required"`
	Fields   []string `json:"fields"`
}

type field struct {
	entry
	Number    int32    `json:"number"`
	Type      typeRef  `json:"type"`
	Presence  string   `json:"presence"`
	IsMessage bool     `json:"isMessage,omitempty"`
	IsGroup   bool     `json:"isGroup,omitempty"`
	Oneof     string   `json:"oneof,omitempty"`
	Default   string   `json:"default,omitempty"`
	JSONName  string   `json:"jsonName,omitempty"`
	Extends   *typeRef `json:"extends,omitempty"`
}

type enum struct {
	entry
	LongName string    `json:"longName"`
	Closed   bool      `json:"closed"`
	Codes    *codes    `json:"codes,omitempty"`
	Sections []section `json:"sections"`
	Reserved []string  `json:"reserved,omitempty"`
	UsedBy   []typeRef `json:"usedBy,omitempty"`
}

type codes struct {
	Phases      bool `json:"phases"`
	Classes     bool `json:"classes"`
	Suggestions bool `json:"suggestions"`
}

type section struct {
	Title  *text   `json:"title,omitempty"`
	Values []value `json:"values"`
}

type value struct {
	entry
	Number      int32        `json:"number"`
	AliasOf     string       `json:"aliasOf,omitempty"`
	Phase       string       `json:"phase,omitempty"`
	Class       string       `json:"class,omitempty"`
	Suggestions []suggestion `json:"suggestions,omitempty"`
}

type suggestion struct {
	Code   typeRef `json:"code"`
	Action *text   `json:"action,omitempty"`
	When   *text   `json:"when,omitempty"`
}

type events struct {
	entry
	Kinds []eventKind `json:"kinds"`
}

type eventKind struct {
	entry
	Link     string   `json:"link,omitempty"`
	Number   int32    `json:"number"`
	Payload  *typeRef `json:"payload,omitempty"`
	Statuses []string `json:"statuses,omitempty"`
}

type typeRef struct {
	Name     string   `json:"name"`
	FullName string   `json:"fullName,omitempty"`
	Link     string   `json:"link,omitempty"`
	Repeated bool     `json:"repeated,omitempty"`
	Key      *typeRef `json:"key,omitempty"`
	Value    *typeRef `json:"value,omitempty"`
}
