package synth

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"
)

// wanted is everything that Random must draw now and then: what is missing
// from it, or no longer drawn, the differential test no longer compares.
var wanted = []string{
	// the request
	"1 file to generate", "4 files to generate", "imported file", "shuffled order", "source file descriptors", "no source file descriptors",
	"definition files", "options without definition files", "import to generate", "public import", "library import",
	// files
	"proto2", "proto2 explicit", "proto3", "no package", "package", "package within a package", "file in a directory", "empty file",
	"no source info", "reference across files", "reference across packages", "reference into an inner package", "reference without package",
	// types
	"message", "message depth 4", "enum", "nested enum", "nested enums only", "alias", "negative number", "empty message",
	"Entry that is a map", "Entry nested, repeated, no map", "Entry foreign, repeated, no map",
	"name with _", "name with leading _", "name with trailing _", "name with __", "name in lower case",
	// fields
	"optional", "required", "repeated", "proto3 singular", "proto3 optional", "oneof", "synthetic oneof", "both oneofs", "map", "group",
	"repeated group", "group in a oneof", "well-known type", "numbers out of order", "highest number", "custom json name",
	"field double", "field float", "field int32", "field int64", "field uint32", "field uint64", "field sint32", "field sint64",
	"field fixed32", "field fixed64", "field sfixed32", "field sfixed64", "field bool", "field string", "field bytes", "field enum", "field message",
	"default double", "default float", "default int32", "default int64", "default uint32", "default uint64", "default sint32", "default sint64",
	"default fixed32", "default fixed64", "default sfixed32", "default sfixed64", "default bool", "default string", "default bytes", "default enum",
	"default inf", "default -inf", "default nan", "default escaped", "default quoted", "default not ASCII", "default empty", "default negative",
	// extensions
	"extension", "nested extension", "extension of an own message", "extension of a foreign message", "proto3 extension", "extension with default",
	"extension group", "repeated extension", "extension of FileOptions", "extension of MessageOptions", "extension of FieldOptions",
	"extension of OneofOptions", "extension of EnumOptions", "extension of EnumValueOptions", "extension of ServiceOptions",
	"extension of MethodOptions",
	// services
	"service", "service without methods", "unary", "client stream", "server stream", "both streams", "own request", "foreign response",
	"well-known response",
	// options
	"deprecated file", "deprecated message", "deprecated field", "deprecated extension", "deprecated enum", "deprecated value",
	"deprecated service", "deprecated method", "deprecated false", "idempotency IDEMPOTENCY_UNKNOWN", "idempotency NO_SIDE_EFFECTS",
	"idempotency IDEMPOTENT", "empty options", "defined option", "undefined option", "undefined varint", "undefined fixed32",
	"undefined fixed64", "undefined bytes", "undefined group", "option in two pieces",
	"http", "http get", "http put", "http post", "http delete", "http patch", "http custom", "http without verb", "http body",
	"http response_body", "http additional", "http selector",
	"rules", "rules message", "rules float", "rules double", "rules int32", "rules int64", "rules uint32", "rules uint64", "rules sint32",
	"rules sint64", "rules fixed32", "rules fixed64", "rules sfixed32", "rules sfixed64", "rules bool", "rules string", "rules bytes",
	"rules enum", "rules repeated", "rules map", "rules any", "rules duration", "rules timestamp", "validate.disabled", "validate.required",
	"validator",
	// comments
	"comment on syntax", "comment on package", "comment on message", "comment on field", "comment on oneof", "comment on nested",
	"comment on enum", "comment on value", "comment on service", "comment on method", "comment on extension", "comment on nested extension",
	"leading", "trailing", "leading and trailing", "detached", "detached only", "two locations for a path",
	"text with leading space", "text with leading *", "text with leading /", "text @exclude", "text @excluded", "text /// a", "text bullets",
	"text blank line", "text CRLF", "text CR", "text tab", "text trailing space", "text pipe", "text brace", "text <tag>", "text {{template}}",
	"text not ASCII", "text quotes", "text backslash", "text long line", "text @exclude in the middle",
}

func TestRandomDrawsEverything(t *testing.T) {
	c := census{}
	const seeds = 2000
	for seed := range uint64(seeds) {
		c.request(Random(seeded(seed)))
	}
	for _, name := range wanted {
		t.Logf("%7d %s", c[name], name)
		if c[name] < 5 {
			t.Errorf("%s: drawn %d times in %d requests", name, c[name], seeds)
		}
	}
	for name := range c {
		if !slices.Contains(wanted, name) {
			t.Errorf("%q is counted but not wanted", name)
		}
	}
}

// census counts what requests hold.
type census map[string]int

func (c census) mark(name string, holds bool) {
	if holds {
		c[name]++
	}
}

func (c census) request(req *pluginpb.CodeGeneratorRequest) {
	libraries, definitions := 0, false
	for _, f := range req.ProtoFile {
		library := slices.ContainsFunc(libraryFiles(), func(l *descriptorpb.FileDescriptorProto) bool { return l.GetName() == f.GetName() })
		definitions = definitions || slices.Contains([]string{annotationsPath, validatePath, validatorPath}, f.GetName())
		if library {
			libraries++
			c.mark("import to generate", slices.Contains(req.FileToGenerate, f.GetName()))
			continue
		}
		c.mark("imported file", !slices.Contains(req.FileToGenerate, f.GetName()))
		c.file(req, f)
	}
	n := len(req.FileToGenerate)
	c.mark("1 file to generate", n == 1)
	c.mark("4 files to generate", n == 4)
	c.mark("library import", libraries > 0)
	c.mark("definition files", definitions)
	c.mark("source file descriptors", len(req.SourceFileDescriptors) == n)
	c.mark("no source file descriptors", len(req.SourceFileDescriptors) == 0)
	var order []string
	for _, f := range req.ProtoFile {
		if slices.Contains(req.FileToGenerate, f.GetName()) {
			order = append(order, f.GetName())
		}
	}
	c.mark("shuffled order", !slices.Equal(order, req.FileToGenerate))
}

// fileCensus counts within one file.
type fileCensus struct {
	census
	req *pluginpb.CodeGeneratorRequest
	f   *descriptorpb.FileDescriptorProto
}

func (c census) file(req *pluginpb.CodeGeneratorRequest, f *descriptorpb.FileDescriptorProto) {
	fc := &fileCensus{c, req, f}
	c.mark("proto3", f.GetSyntax() == "proto3")
	c.mark("proto2", f.GetSyntax() != "proto3")
	c.mark("proto2 explicit", f.GetSyntax() == "proto2")
	c.mark("no package", f.GetPackage() == "")
	c.mark("package", f.GetPackage() != "")
	c.mark("file in a directory", strings.Contains(f.GetName(), "/"))
	c.mark("empty file", len(f.MessageType)+len(f.EnumType)+len(f.Extension)+len(f.Service) == 0)
	c.mark("public import", len(f.PublicDependency) > 0)
	c.mark("no source info", f.SourceCodeInfo == nil)
	for _, other := range req.ProtoFile {
		c.mark("package within a package", f.GetPackage() != "" && strings.HasPrefix(other.GetPackage(), f.GetPackage()+"."))
	}
	fc.options("file", f.Options)
	nested := 0
	for _, m := range f.MessageType {
		nested += fc.message(m, "", 1)
	}
	c.mark("nested enums only", nested > 0 && len(f.EnumType) == 0)
	for _, e := range f.EnumType {
		fc.enum(e)
	}
	for _, x := range f.Extension {
		fc.extension(x)
	}
	for _, s := range f.Service {
		fc.service(s)
	}
	fc.source()
}

func (c *fileCensus) name(name string) {
	c.mark("name with _", strings.Contains(name, "_"))
	c.mark("name with leading _", strings.HasPrefix(name, "_"))
	c.mark("name with trailing _", strings.HasSuffix(name, "_"))
	c.mark("name with __", strings.Contains(name, "__"))
	c.mark("name in lower case", 'a' <= name[0] && name[0] <= 'z')
}

// message counts a message and what is in it; it returns the number of enums
// inside.
func (c *fileCensus) message(m *descriptorpb.DescriptorProto, scope string, depth int) int {
	full := join(scope, m.GetName())
	c.mark("message", true)
	c.mark("message depth 4", depth == 4)
	c.mark("empty message", len(m.Field) == 0)
	c.name(m.GetName())
	c.options("message", m.Options)
	synthetic := 0
	for i, f := range m.Field {
		c.field(m, f)
		c.mark("numbers out of order", i > 0 && f.GetNumber() < m.Field[i-1].GetNumber())
		c.mark("Entry nested, repeated, no map", f.GetLabel() == labelRepeated && strings.HasSuffix(f.GetTypeName(), "Entry") && !isMap(m, f) &&
			strings.HasPrefix(f.GetTypeName(), "."+join(c.f.GetPackage(), full)+"."))
		if f.GetProto3Optional() {
			synthetic++
		}
	}
	c.mark("oneof", len(m.OneofDecl) > synthetic)
	c.mark("synthetic oneof", synthetic > 0)
	c.mark("both oneofs", synthetic > 0 && len(m.OneofDecl) > synthetic)
	for _, o := range m.OneofDecl {
		c.options("oneof", o.Options)
	}
	enums := len(m.EnumType)
	for _, e := range m.EnumType {
		c.mark("nested enum", true)
		c.enum(e)
	}
	for _, x := range m.Extension {
		c.mark("nested extension", true)
		c.extension(x)
	}
	for _, n := range m.NestedType {
		enums += c.message(n, full, depth+1)
	}
	return enums
}

func isMap(m *descriptorpb.DescriptorProto, f *descriptorpb.FieldDescriptorProto) bool {
	return slices.ContainsFunc(m.NestedType, func(n *descriptorpb.DescriptorProto) bool {
		return n.GetOptions().GetMapEntry() && strings.HasSuffix(f.GetTypeName(), "."+m.GetName()+"."+n.GetName())
	})
}

func (c *fileCensus) field(m *descriptorpb.DescriptorProto, f *descriptorpb.FieldDescriptorProto) {
	proto3, label := c.f.GetSyntax() == "proto3", f.GetLabel()
	c.mark("proto3 singular", proto3 && label == labelOptional && !f.GetProto3Optional())
	c.mark("proto3 optional", f.GetProto3Optional())
	c.mark("optional", !proto3 && label == labelOptional)
	c.mark("required", label == labelRequired)
	c.mark("repeated", label == labelRepeated)
	c.mark("map", isMap(m, f))
	c.mark("Entry that is a map", isMap(m, f))
	group := f.GetType() == typeGroup
	c.mark("group", group)
	c.mark("repeated group", group && label == labelRepeated)
	c.mark("group in a oneof", group && f.OneofIndex != nil)
	c.mark("highest number", f.GetNumber() == maxFieldNumber)
	c.mark("custom json name", f.GetJsonName() != camelCase(f.GetName()))
	c.typed("field", f)
	c.options("field", f.Options)
	c.reference(f)
}

// typed counts the type of a field and its default.
func (c *fileCensus) typed(kind string, f *descriptorpb.FieldDescriptorProto) {
	keyword := strings.ToLower(strings.TrimPrefix(f.GetType().String(), "TYPE_"))
	if keyword != "group" {
		c.mark("field "+keyword, kind == "field")
	}
	if f.DefaultValue == nil || kind != "field" {
		return
	}
	v := f.GetDefaultValue()
	c.mark("default "+keyword, true)
	for _, word := range []string{"inf", "-inf", "nan"} {
		c.mark("default "+word, v == word)
	}
	c.mark("default escaped", keyword == "bytes" && strings.Contains(v, `\0`))
	c.mark("default quoted", keyword == "string" && strings.Contains(v, `"`))
	c.mark("default not ASCII", strings.Contains(v, "日"))
	c.mark("default empty", v == "")
	c.mark("default negative", keyword == "sint64" && strings.HasPrefix(v, "-"))
}

// reference counts where the type of a field is declared.
func (c *fileCensus) reference(f *descriptorpb.FieldDescriptorProto) {
	name := f.GetTypeName()
	if name == "" {
		return
	}
	if strings.HasPrefix(name, ".google.protobuf.") {
		c.mark("well-known type", true)
		return
	}
	home := c.home(name)
	c.mark("reference across files", home != c.f)
	c.mark("reference across packages", home.GetPackage() != c.f.GetPackage())
	c.mark("reference into an inner package", c.f.GetPackage() != "" && strings.HasPrefix(home.GetPackage(), c.f.GetPackage()+"."))
	c.mark("reference without package", home.GetPackage() == "")
	c.mark("Entry foreign, repeated, no map", home.GetPackage() != c.f.GetPackage() && f.GetLabel() == labelRepeated && strings.HasSuffix(name, "Entry"))
}

// home is the file that declares a type.
func (c *fileCensus) home(name string) *descriptorpb.FileDescriptorProto {
	for _, f := range c.req.ProtoFile {
		rest, ok := strings.CutPrefix(name, "."+join(f.GetPackage(), ""))
		rest = strings.TrimPrefix(rest, ".")
		first, _, _ := strings.Cut(rest, ".")
		if !ok {
			continue
		}
		for _, m := range f.MessageType {
			if m.GetName() == first {
				return f
			}
		}
		for _, e := range f.EnumType {
			if e.GetName() == first {
				return f
			}
		}
	}
	panic("no file declares " + name)
}

func (c *fileCensus) enum(e *descriptorpb.EnumDescriptorProto) {
	c.mark("enum", true)
	c.name(e.GetName())
	c.options("enum", e.Options)
	c.mark("alias", e.GetOptions().GetAllowAlias())
	for _, v := range e.Value {
		c.mark("negative number", v.GetNumber() < 0)
		c.name(v.GetName())
		c.options("value", v.Options)
	}
}

func (c *fileCensus) extension(x *descriptorpb.FieldDescriptorProto) {
	c.mark("extension", true)
	c.mark("proto3 extension", c.f.GetSyntax() == "proto3")
	c.mark("extension with default", x.DefaultValue != nil)
	c.mark("extension group", x.GetType() == typeGroup)
	c.mark("repeated extension", x.GetLabel() == labelRepeated)
	c.options("extension", x.Options)
	if option, ok := strings.CutPrefix(x.GetExtendee(), optionsPackage); ok {
		c.mark("extension of "+option, true)
		return
	}
	own := c.home(x.GetExtendee()) == c.f
	c.mark("extension of an own message", own)
	c.mark("extension of a foreign message", !own)
}

func (c *fileCensus) service(s *descriptorpb.ServiceDescriptorProto) {
	c.mark("service", true)
	c.mark("service without methods", len(s.Method) == 0)
	c.name(s.GetName())
	c.options("service", s.Options)
	for _, m := range s.Method {
		in, out := m.GetClientStreaming(), m.GetServerStreaming()
		c.mark("unary", !in && !out)
		c.mark("client stream", in && !out)
		c.mark("server stream", !in && out)
		c.mark("both streams", in && out)
		c.options("method", m.Options)
		if m.GetOptions() != nil && m.Options.IdempotencyLevel != nil {
			c.mark("idempotency "+m.Options.GetIdempotencyLevel().String(), true)
		}
		wellKnown := strings.HasPrefix(m.GetOutputType(), ".google.protobuf.")
		c.mark("well-known response", wellKnown)
		if !wellKnown {
			c.mark("foreign response", c.home(m.GetOutputType()).GetPackage() != c.f.GetPackage())
		}
		if !strings.HasPrefix(m.GetInputType(), ".google.protobuf.") {
			c.mark("own request", c.home(m.GetInputType()) == c.f)
		}
	}
}

// options counts what an options message holds, by the bytes of its unknown
// fields.
func (c *fileCensus) options(kind string, options proto.Message) {
	m := options.ProtoReflect()
	if !m.IsValid() {
		return
	}
	c.mark("empty options", proto.Size(options) == 0)
	if fd := m.Descriptor().Fields().ByName("deprecated"); fd != nil && m.Has(fd) {
		c.mark("deprecated "+kind, m.Get(fd).Bool())
		c.mark("deprecated false", !m.Get(fd).Bool())
	}
	pieces := map[protowire.Number]int{}
	eachField(m.GetUnknown(), func(num protowire.Number, typ protowire.Type, value []byte) {
		pieces[num]++
		switch {
		case num >= definedOptionsFrom && num < undefinedOptionsFrom:
			c.mark("defined option", true)
		case num >= undefinedOptionsFrom && num < undefinedOptionsFrom+100:
			c.mark("undefined option", true)
			c.mark("undefined "+[]string{"varint", "fixed64", "bytes", "group", "", "fixed32"}[typ], true)
		case num == httpOption:
			c.http(value)
			c.undefined(annotationsPath)
		case num == validateOption && kind == "message":
			c.mark("validate.disabled", true)
		case num == validateOption && kind == "oneof":
			c.mark("validate.required", true)
		case num == validateOption:
			c.rules(value)
			c.undefined(validatePath)
		case num == validatorOption:
			c.mark("validator", true)
		}
	})
	for _, num := range []protowire.Number{httpOption, validateOption, validatorOption} {
		c.mark("option in two pieces", pieces[num] == 2)
	}
}

// undefined counts an option whose definition the request does not carry.
func (c *fileCensus) undefined(path string) {
	c.mark("options without definition files", !slices.ContainsFunc(c.req.ProtoFile, func(f *descriptorpb.FileDescriptorProto) bool {
		return f.GetName() == path
	}))
}

func (c *fileCensus) http(rule []byte) {
	c.mark("http", true)
	verb := false
	eachField(rule, func(num protowire.Number, _ protowire.Type, value []byte) {
		name := map[protowire.Number]string{
			1: "selector", 2: "get", 3: "put", 4: "post", 5: "delete", 6: "patch", 7: "body", 8: "custom", 11: "additional", 12: "response_body",
		}[num]
		c.mark("http "+name, true)
		verb = verb || num >= 2 && num <= 6 || num == 8
	})
	c.mark("http without verb", !verb)
}

func (c *fileCensus) rules(rules []byte) {
	c.mark("rules", true)
	eachField(rules, func(num protowire.Number, _ protowire.Type, _ []byte) {
		c.mark("rules message", num == 17)
		for _, r := range ruleMessages {
			c.mark("rules "+r.field, r.number == int(num))
		}
	})
}

// eachField calls visit for every field of an encoded message; value is what a
// length-delimited field holds.
func eachField(b []byte, visit func(num protowire.Number, typ protowire.Type, value []byte)) {
	for len(b) > 0 {
		num, typ, n := protowire.ConsumeTag(b)
		size := protowire.ConsumeFieldValue(num, typ, b[n:])
		if n < 0 || size < 0 {
			panic("synth: malformed option")
		}
		var value []byte
		if typ == protowire.BytesType {
			value, _ = protowire.ConsumeBytes(b[n:])
		}
		visit(num, typ, value)
		b = b[n+size:]
	}
}

// source counts comments by the element they stand on and by their text.
func (c *fileCensus) source() {
	paths := map[string]int{}
	for _, loc := range c.f.GetSourceCodeInfo().GetLocation() {
		leading, trailing, detached := loc.GetLeadingComments(), loc.GetTrailingComments(), loc.GetLeadingDetachedComments()
		paths[fmt.Sprint(loc.Path)]++
		c.mark("two locations for a path", paths[fmt.Sprint(loc.Path)] == 2)
		c.mark("leading", leading != "")
		c.mark("trailing", trailing != "")
		c.mark("leading and trailing", leading != "" && trailing != "")
		c.mark("detached", len(detached) > 0)
		c.mark("detached only", len(detached) > 0 && leading+trailing == "")
		if leading+trailing != "" {
			c.mark("comment on "+element(loc.Path), element(loc.Path) != "")
		}
		c.text(leading)
		c.text(trailing)
	}
}

// element names what a source path leads to, "" for a part of an element.
func element(path []int32) string {
	names := map[string]string{
		"12": "syntax", "2": "package", "4": "message", "5": "enum", "6": "service", "7": "extension", "4 2": "field", "4 3": "nested",
		"4 6": "nested extension", "4 8": "oneof", "5 2": "value", "6 2": "method",
	}
	if len(path) == 1 {
		return names[fmt.Sprint(path[0])]
	}
	var steps []string
	for i := 0; i < len(path) && len(path)%2 == 0; i += 2 {
		steps = append(steps, fmt.Sprint(path[i]))
	}
	return names[strings.Join(steps, " ")]
}

func (c *fileCensus) text(s string) {
	for name, piece := range map[string]string{
		"blank line": "\n\n", "CRLF": "\r\n", "tab": "\t", "pipe": "|", "brace": "{", "<tag>": "<b>", "{{template}}": "{{.Name}}",
		"not ASCII": "日", "quotes": `"`, "backslash": `\`, "bullets": "\n - ", "/// a": "/ a", "@exclude in the middle": " x @exclude",
		"trailing space": " \n",
	} {
		c.mark("text "+name, strings.Contains(s, piece))
	}
	c.mark("text CR", strings.Contains(strings.ReplaceAll(s, "\r\n", ""), "\r"))
	trimmed := strings.TrimLeft(s, " \t\n*/")
	c.mark("text with leading space", strings.HasPrefix(s, " "))
	c.mark("text with leading *", strings.HasPrefix(strings.TrimSpace(s), "*"))
	c.mark("text with leading /", strings.HasPrefix(strings.TrimSpace(s), "/"))
	c.mark("text @exclude", strings.HasPrefix(trimmed, "@exclude"))
	c.mark("text @excluded", strings.HasPrefix(trimmed, "@excluded"))
	c.mark("text long line", slices.ContainsFunc(strings.Split(s, "\n"), func(line string) bool { return len(line) > 1000 }))
}
