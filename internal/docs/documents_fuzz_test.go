package docs_test

import (
	"encoding/xml"
	"math/rand/v2"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/docs"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/plugin"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/plugin/plugintest"
	"github.com/skaffoldgen/protoc-gen-skaffold/internal/synth"
)

// hostileComments are comments that try to get out of where they are put.
var hostileComments = []string{
	"plain words. More of them.",
	"</para></section> ]]> <!-- & &amp; \" ' ` \\",
	"<script>alert(1)</script> <b>bold</b> <b>never closed <br> a line",
	"- a list\n  - in a list\n\n    with a paragraph\n- [x] a task",
	"| a | b |\n| - | :-: |\n| `x|y` | [All][] |\n",
	"# Heading\n\n```json\n{\"a\": \"<b>\"}\n```\n\n> quote\n>\n> 1. one\n\n---\n\nAn end.",
	"See [All][hostile.v1.All], [All.text][], [Kind.ONE][], [nothing][no.such.Thing] and https://example.com/?a&b.",
	"\x00\x01\ufeff\u2028\u202e\U0001F600 \ufffe",
	"Deprecated: use [All][hostile.v1.All]<br>instead.\n\nMore | of | it.",
	"***\n\n---\n\n* * *",
	"[a](javascript:alert(1)) [b](#hostile.v1.All) [c](other.html#x) ![d](e.png \"f\")",
	"(-- internal --) shown\nbuf:lint:ignore X",
	"@exclude not for readers",
}

// hostileProto is a file that has all that can have a comment, each with one of
// the given comments in turn.
func hostileProto(comments []string) string {
	next := 0
	var out strings.Builder
	for line := range strings.SplitSeq(hostileSource, "\n") {
		indent, rest, found := strings.Cut(line, "//?")
		if !found {
			out.WriteString(line + "\n")
			continue
		}
		comment := comments[next%len(comments)]
		next++
		for text := range strings.SplitSeq(strings.NewReplacer("\r", " ", "\x00", " ").Replace(comment), "\n") {
			out.WriteString(indent + "//" + rest + " " + text + "\n")
		}
	}
	return out.String()
}

const hostileSource = `//?
edition = "2023";
//?
package hostile.v1;
//?
message All {
  //?
  string text = 1 [default = "<&\">", json_name = "t\"<"];
  //?
  oneof choice {
    //?
    All all = 2;
    //?
    Kind kind = 3 [deprecated = true];
  }
  //?
  map<string, All> map = 4;
  //?
  extend All {
    //?
    All inner = 1000;
  }
  extensions 1000 to max;
  reserved 9, 20 to 30;
  reserved gone;
}
//?
enum Kind {
  //?
  NONE = 0;

  //?

  //?
  ONE = 1;
  //?
  TWO = 2;
}
//?
service Service {
  //?
  rpc Call(All) returns (stream All);
  //?
  rpc Other(stream All) returns (All) { option deprecated = true; }
}
//?
extend All {
  //?
  repeated All outer = 1001;
}
`

// withComment puts a comment in the place of each that there is.
func withComment(req *pluginpb.CodeGeneratorRequest, comment string) *pluginpb.CodeGeneratorRequest {
	out := proto.CloneOf(req)
	for _, f := range out.ProtoFile {
		for _, l := range f.SourceCodeInfo.GetLocation() {
			for _, c := range []*string{l.LeadingComments, l.TrailingComments} {
				if c != nil {
					*c = comment
				}
			}
			for i := range l.LeadingDetachedComments {
				l.LeadingDetachedComments[i] = comment
			}
		}
	}
	return out
}

// withText puts a text where descriptors have texts that are no names.
func withText(req *pluginpb.CodeGeneratorRequest, text string) *pluginpb.CodeGeneratorRequest {
	for _, f := range req.ProtoFile {
		f.Options = &descriptorpb.FileOptions{JavaPackage: &text}
		field := f.MessageType[0].Field[0]
		field.JsonName, field.DefaultValue = &text, &text
	}
	return req
}

// fuzzDocuments runs a format on hostile comments and texts.
func fuzzDocuments(f *testing.F, parameters []string, check func(t *testing.T, files map[string]string)) {
	req := plugintest.Compile(f, map[string]string{"hostile.proto": hostileProto(hostileComments)})
	for _, c := range hostileComments {
		f.Add(c, c, uint(0))
		f.Add(c, "plain", uint(1))
	}
	f.Fuzz(func(t *testing.T, comment, text string, which uint) {
		if len(comment) > 1<<14 {
			t.Skip("longer than what finds anything new")
		}
		comment, text = strings.ToValidUTF8(comment, "?"), strings.ToValidUTF8(text, "?") // protobuf refuses others
		hostile := withText(withComment(req, comment), text)
		hostile.Parameter = proto.String(parameters[which%uint(len(parameters))])
		check(t, plugintest.Files(t, plugintest.Run(t, docsPlugin, hostile)))
	})
}

// FuzzJSON: whatever comments say, the JSON is valid against its schema, and its
// links lead somewhere.
func FuzzJSON(f *testing.F) {
	schema := referenceSchema(f)
	fuzzDocuments(f, []string{"template=json", "template=json,layout=file,order=source"},
		func(t *testing.T, files map[string]string) {
			checkJSON(t, schema, files)
			checkJSONLinks(t, files)
		})
}

// FuzzDocBook: whatever comments say, the DocBook is well-formed, and its links
// lead somewhere.
func FuzzDocBook(f *testing.F) {
	fuzzDocuments(f, []string{"template=docbook", "template=docbook,layout=package,order=source"},
		func(t *testing.T, files map[string]string) { checkDocBook(t, files, inDocument) })
}

// FuzzDocuments: whatever descriptors say, JSON is JSON and XML is well-formed.
func FuzzDocuments(f *testing.F) {
	req := plugintest.Compile(f, map[string]string{"hostile.proto": hostileProto(hostileComments)})
	f.Add(plugintest.Marshal(f, req))
	for seed := range uint64(4) {
		f.Add(plugintest.Marshal(f, synth.Random(rand.New(rand.NewPCG(seed, 0)))))
	}
	f.Fuzz(func(t *testing.T, request []byte) {
		for _, parameter := range []string{"template=json,order=source", "template=docbook,layout=file"} {
			p := plugin.Plugin{
				Name: "protoc-gen-fuzz",
				Generate: func(req *plugin.Request) ([]plugin.Output, error) {
					req.Parameter = parameter // one in the bytes could name any file
					return docs.Generate(req)
				},
			}
			got := plugintest.RunBytes(t, p, request)
			if strings.Contains(got.Response.GetError(), "internal error") {
				t.Error(got.Response.GetError())
			}
			for _, file := range got.Response.GetFile() {
				if strings.HasSuffix(file.GetName(), ".json") {
					parseJSON(t, file.GetContent())
				} else if err := eachElement(file.GetContent(), func(xml.StartElement) {}); err != nil {
					t.Error(err)
				}
			}
		}
	})
}
