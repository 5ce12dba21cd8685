package html_test

import (
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/api"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/content"
	docshtml "github.com/skaffoldgen/protoc-gen-skaffold/internal/docs/html"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/plugin"
)

// hostile are texts that try to be more than text: in an element, in an
// attribute, in an address, in the script with the search's index, in Markdown.
var hostile = []string{
	`<script>alert(1)</script>`,
	`</script><script>alert(1)</script>`,
	`</title><script>alert(1)</script>`,
	`</style><img src=x onerror=alert(1)>`,
	`"><img src=x onerror=alert(1)>`,
	`' onmouseover='alert(1)`,
	`" onfocus="alert(1)" autofocus="`,
	`<!--`,
	`--><svg onload=alert(1)>`,
	`]]><script>alert(1)</script>`,
	`javascript:alert(1)`,
	"java\nscript:alert(1)",
	"\x01javascript:alert(1)",
	"JaVaScRiPt:alert(1)//",
	`data:text/html,<script>alert(1)</script>`,
	`//evil.example/x`,
	`https://evil.example/"><script>alert(1)</script>`,
	`[x](javascript:alert(1))`,
	`[x](data:text/html;base64,PHNjcmlwdD4=)`,
	`![x](https://evil.example/x.png)`,
	`<https://evil.example/" onclick="alert(1)>`,
	"```\"><script>alert(1)</script>\ncode\n```",
	`<iframe src=https://evil.example></iframe><base href=//evil.example>`,
	`<br onclick=alert(1)><b onclick=alert(1)>b</b>`,
	`<a href="javascript:alert(1)">x</a>`,
	`{{.}} {{template "head"}} ${alert(1)}`,
	"\u2028\u2029</script>",
	"\x00<script>\x00alert(1)</script>",
	`&lt;script&gt; &#60;script&#62; &quot; onclick=1`,
	`\u003cscript\u003e \x3cscript\x3e \"`,
}

// No comment, option, name or address of a request, and nothing of the options,
// becomes an element, an attribute or an address that does anything.
func TestHostileTextStaysText(t *testing.T) {
	for _, text := range hostile {
		t.Run(text, func(t *testing.T) {
			checkHostile(t, text, text, text)
			checkHostile(t, "N", text, text)
			checkHostile(t, text, "x", "https://example.com/")
		})
	}
}

// checkHostile renders all layouts of a request that has the texts everywhere.
func checkHostile(t testing.TB, name, text, url string) {
	t.Helper()
	req := hostileRequest(name, text)
	settings := content.Settings{Title: text, SourceURL: func(*api.Decl) string { return url + text }}
	pageName := func(p string) string { return "p/" + strings.ReplaceAll(p, "/", "") + ".html" }
	for _, render := range []func() ([]plugin.Output, error){
		func() ([]plugin.Output, error) { return docshtml.Pages(site(t, req, settings, single)) },
		func() ([]plugin.Output, error) {
			return docshtml.Folder(site(t, req, settings, pageName), "p/index.html")
		},
	} {
		for file, text := range rendered(t, render) {
			if strings.HasSuffix(file, ".html") {
				parsePage(t, file, text)
			}
			script, ok := strings.CutPrefix(text, "window.referenceIndex = ")
			if ok && strings.ContainsAny(script, "<>\u2028\u2029") {
				t.Errorf("%s could end the script that it is in", file)
			}
		}
	}
}

// hostileRequest is a request whose every name is made of name, and every other
// text is text.
func hostileRequest(name, text string) *pluginpb.CodeGeneratorRequest {
	p := proto.String
	full := "." + name + "." + name
	options := &descriptorpb.FileDescriptorProto{
		Name: p("o.proto"), Package: p("o"), Dependency: []string{"google/protobuf/descriptor.proto"},
		Extension: extensions(),
	}
	type fieldType = descriptorpb.FieldDescriptorProto_Type
	field := func(n int32, kind fieldType, typeName string) *descriptorpb.FieldDescriptorProto {
		f := &descriptorpb.FieldDescriptorProto{
			Name: p(name + strings.Repeat("_", int(n))), Number: proto.Int32(n), Type: kind.Enum(), JsonName: p(text),
			Label: descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum(), DefaultValue: p(text),
			Options: custom(new(descriptorpb.FieldOptions), text),
		}
		if typeName != "" {
			f.TypeName, f.DefaultValue = p(typeName), nil
		}
		return f
	}
	inOneof := field(3, descriptorpb.FieldDescriptorProto_TYPE_MESSAGE, full)
	inOneof.OneofIndex = proto.Int32(0)
	extension := field(100, descriptorpb.FieldDescriptorProto_TYPE_STRING, "")
	extension.Extendee = p(full)
	file := &descriptorpb.FileDescriptorProto{
		Name: p(name + ".proto"), Package: p(name), Syntax: p("proto3"), Dependency: []string{"o.proto"},
		Options: &descriptorpb.FileOptions{JavaPackage: p(text), GoPackage: p(text)},
		MessageType: []*descriptorpb.DescriptorProto{{
			Name: p(name), ReservedName: []string{text},
			Field: []*descriptorpb.FieldDescriptorProto{
				field(1, descriptorpb.FieldDescriptorProto_TYPE_STRING, ""),
				field(2, descriptorpb.FieldDescriptorProto_TYPE_ENUM, full+"E"),
				inOneof,
			},
			OneofDecl: []*descriptorpb.OneofDescriptorProto{
				{Name: p(name), Options: custom(new(descriptorpb.OneofOptions), text)},
			},
			ExtensionRange: []*descriptorpb.DescriptorProto_ExtensionRange{{Start: proto.Int32(100), End: proto.Int32(200)}},
			Options:        custom(new(descriptorpb.MessageOptions), text),
		}},
		EnumType: []*descriptorpb.EnumDescriptorProto{{
			Name: p(name + "E"), Value: []*descriptorpb.EnumValueDescriptorProto{
				{Name: p(name + "V"), Number: proto.Int32(0), Options: custom(new(descriptorpb.EnumValueOptions), text)},
			},
		}},
		Service: []*descriptorpb.ServiceDescriptorProto{{
			Name: p(name + "S"), Method: []*descriptorpb.MethodDescriptorProto{{
				Name: p(name), InputType: p(full), OutputType: p(full),
				Options: httpRule(custom(new(descriptorpb.MethodOptions), text), text),
			}},
		}},
		Extension:      []*descriptorpb.FieldDescriptorProto{extension},
		SourceCodeInfo: commented(text),
	}
	return &pluginpb.CodeGeneratorRequest{
		FileToGenerate: []string{file.GetName()},
		ProtoFile:      []*descriptorpb.FileDescriptorProto{options, file},
	}
}

// customOption is the number of an option of every sort of declaration.
const customOption = 50000

func extensions() []*descriptorpb.FieldDescriptorProto {
	var out []*descriptorpb.FieldDescriptorProto
	for _, kind := range []string{"Message", "Field", "Oneof", "EnumValue", "Method"} {
		out = append(out, &descriptorpb.FieldDescriptorProto{
			Name: proto.String("on_" + strings.ToLower(kind)), Number: proto.Int32(customOption),
			Extendee: proto.String(".google.protobuf." + kind + "Options"),
			Type:     descriptorpb.FieldDescriptorProto_TYPE_STRING.Enum(),
			Label:    descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum(),
		})
	}
	return out
}

// custom sets the custom option.
func custom[M proto.Message](options M, text string) M {
	b := protowire.AppendString(protowire.AppendTag(nil, customOption, protowire.BytesType), text)
	options.ProtoReflect().SetUnknown(b)
	return options
}

// httpRule adds google.api.http with a path.
func httpRule(options *descriptorpb.MethodOptions, path string) *descriptorpb.MethodOptions {
	const httpOption, get, body = 72295728, 2, 7
	rule := protowire.AppendString(protowire.AppendTag(nil, get, protowire.BytesType), path)
	rule = protowire.AppendString(protowire.AppendTag(rule, body, protowire.BytesType), path)
	b := protowire.AppendBytes(protowire.AppendTag(nil, httpOption, protowire.BytesType), rule)
	options.ProtoReflect().SetUnknown(append(slices.Clone(options.ProtoReflect().GetUnknown()), b...))
	return options
}

// commented puts the text into the comments of all declarations.
func commented(text string) *descriptorpb.SourceCodeInfo {
	info := new(descriptorpb.SourceCodeInfo)
	for _, path := range [][]int32{
		{12}, {2}, {4, 0}, {4, 0, 2, 0}, {4, 0, 2, 1}, {4, 0, 2, 2}, {4, 0, 8, 0},
		{5, 0}, {5, 0, 2, 0}, {6, 0}, {6, 0, 2, 0}, {7, 0},
	} {
		info.Location = append(info.Location, &descriptorpb.SourceCodeInfo_Location{
			Path: path, Span: []int32{1, 1, 1},
			LeadingComments: proto.String(text), TrailingComments: proto.String("Deprecated: " + text),
			LeadingDetachedComments: []string{text},
		})
	}
	return info
}

func FuzzPage(f *testing.F) {
	for _, text := range hostile {
		f.Add(text, text, text)
		f.Add("N", text, "https://example.com/")
	}
	f.Fuzz(func(t *testing.T, name, text, url string) {
		if _, err := modelOf(t, hostileRequest(name, text)); err != nil {
			t.Skip(err) // refused as a whole
		}
		checkHostile(t, name, text, url)
	})
}
