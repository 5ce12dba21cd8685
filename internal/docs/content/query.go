package content

import (
	"regexp"
	"slices"
	"strings"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/api"
)

// queryDepth is how many names a query parameter has at most: sub.n has two. Deeper
// ones work as well, but a list of them all is too long to read, and has no end for
// a message that holds itself.
const queryDepth = 2

// pathVariable is a field in a path, with or without the pattern that it has to
// match (google/api/http.proto, "Path template syntax").
var pathVariable = regexp.MustCompile(`\{([^{}=]+)(?:=[^{}]*)?\}`)

// query lists the query parameters of a route: the fields that neither its path nor
// its body takes, in the order of the source.
func query(request *api.Message, r api.Route) []string {
	if r.Body == "*" {
		return nil
	}
	var taken []string
	if r.Body != "" {
		taken = append(taken, r.Body)
	}
	for _, v := range pathVariable.FindAllStringSubmatch(r.Path, -1) {
		taken = append(taken, strings.TrimSpace(v[1]))
	}
	return parameters(request, "", queryDepth, taken)
}

// parameters lists the fields of a message that a query can have, but for those that
// are taken, under the path that leads to the message.
func parameters(x *api.Message, prefix string, depth int, taken []string) []string {
	var out []string
	for _, f := range x.Fields {
		name := prefix + f.Name
		switch {
		case slices.Contains(taken, name):
		case f.Message == nil || !f.IsRepeated() && jsonScalars[f.Message.FullName]:
			out = append(out, name)
		case depth > 1 && !f.IsRepeated() && !jsonTrees[f.Message.FullName]:
			out = append(out, parameters(f.Message, name+".", depth-1, taken)...)
		}
	}
	return out
}

// jsonScalars are the messages that are one word in JSON, and so in a query.
var jsonScalars = map[string]bool{
	"google.protobuf.Timestamp": true, "google.protobuf.Duration": true, "google.protobuf.FieldMask": true,
	"google.protobuf.BoolValue": true, "google.protobuf.BytesValue": true, "google.protobuf.StringValue": true,
	"google.protobuf.DoubleValue": true, "google.protobuf.FloatValue": true,
	"google.protobuf.Int32Value": true, "google.protobuf.Int64Value": true,
	"google.protobuf.UInt32Value": true, "google.protobuf.UInt64Value": true,
}

// jsonTrees are the messages whose JSON is not made of their fields, nor one word:
// no query has them.
var jsonTrees = map[string]bool{
	"google.protobuf.Any": true, "google.protobuf.Struct": true,
	"google.protobuf.Value": true, "google.protobuf.ListValue": true,
}
