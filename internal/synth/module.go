package synth

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"
)

// filesPerPackage is how many files of a module share a package.
const filesPerPackage = 25

// Field numbers of CodeGeneratorRequest.
const (
	requestFileToGenerate, requestCompilerVersion, requestProtoFile, requestSourceFile = 1, 3, 15, 17
)

// WriteModule writes the encoded request of a module of that many files, all
// of them to be generated: about 20 kB for each, as compilers send it, with
// full source info and both copies of every descriptor. It holds one file in
// memory at a time. The parameter is not set: append field 2 to set it.
func WriteModule(w io.Writer, files int) error {
	var head wire
	for i := range files {
		head = head.str(requestFileToGenerate, modulePath(i))
	}
	head = head.msg(requestCompilerVersion, wire(nil).varint(1, 5).varint(2, 29).varint(3, 3))
	for _, path := range []string{descriptorPath, httpPath, annotationsPath, timestampPath, durationPath} {
		head = appendFile(head, requestProtoFile, libraryFile(path))
	}
	if _, err := w.Write(head); err != nil {
		return err
	}
	for _, num := range []protowire.Number{requestProtoFile, requestSourceFile} {
		for i := range files {
			if _, err := w.Write(appendFile(nil, num, moduleFile(i))); err != nil {
				return err
			}
		}
	}
	return nil
}

func appendFile(w wire, num protowire.Number, f *descriptorpb.FileDescriptorProto) wire {
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(f)
	if err != nil {
		panic("synth: " + err.Error()) // a file that this package made
	}
	return w.msg(num, b)
}

// Module is the request that WriteModule writes.
func Module(files int) *pluginpb.CodeGeneratorRequest {
	var b bytes.Buffer
	if err := WriteModule(&b, files); err != nil {
		panic("synth: " + err.Error()) // a buffer does not fail
	}
	req := &pluginpb.CodeGeneratorRequest{}
	if err := proto.Unmarshal(b.Bytes(), req); err != nil {
		panic("synth: " + err.Error())
	}
	return req
}

// Words that names of a module are made of.
var (
	domains = []string{
		"billing", "catalog", "compute", "delivery", "events", "finance", "gateway", "identity", "inventory", "jobs",
		"logging", "messaging", "metrics", "network", "orders", "policy", "registry", "search", "storage", "workflow",
	}
	areas = []string{
		"admin", "audit", "batch", "cache", "config", "core", "edge", "export", "front", "history",
		"internal", "ledger", "mirror", "notify", "partner", "query", "report", "schedule", "sync", "usage",
	}
	nouns = [filesPerPackage]string{
		"Account", "Agent", "Bucket", "Campaign", "Cluster", "Contract", "Device", "Document", "Endpoint", "Folder", "Invoice", "Job",
		"License", "Member", "Node", "Order", "Pipeline", "Quota", "Release", "Secret", "Tenant", "Unit", "Volume", "Webhook", "Zone",
	}
)

func modulePackage(i int) string {
	p := i / filesPerPackage
	version := 1 + p/(len(domains)*len(areas))
	return fmt.Sprintf("acme.%s.%s.v%d", domains[p%len(domains)], areas[p/len(domains)%len(areas)], version)
}

func modulePath(i int) string {
	return strings.ReplaceAll(modulePackage(i), ".", "/") + "/" + strings.ToLower(nouns[i%filesPerPackage]) + ".proto"
}

// moduleField is a field that the messages of a module draw from. TYPE names:
// a scalar keyword, a message or enum with a leading dot, "map" for
// map<string, string>, and "@..." for what depends on the file.
type moduleField struct {
	name, typ, comment string
	repeated           bool
}

var (
	identityFields = []moduleField{
		{"name", "string", "Resource name of the {noun}, in the form\n`projects/{project}/{nouns}/{noun}`.", false},
		{"uid", "string", "Identifier that the server assigned. It never changes.", false},
		{"display_name", "string", "Name shown to people. At most 63 characters.", false},
	}
	commonFields = []moduleField{
		{"description", "string", "What this {noun} is for, in plain text.\n\nLonger texts are cut off after 4096 characters.", false},
		{"labels", "map", "Labels that the caller attached to the {noun}.", false},
		{"create_time", ".google.protobuf.Timestamp", "When the {noun} was created.", false},
		{"update_time", ".google.protobuf.Timestamp", "When the {noun} was last changed.", false},
		{"etag", "string", "Checksum that guards against lost updates.", false},
		{"state", "@state", "Where the {noun} is in its life.", false},
		{"priority", "@priority", "How urgent the {noun} is, compared to its siblings.", false},
		{"timeout", ".google.protobuf.Duration", "How long to wait before giving up; 30s if unset.", false},
		{"tags", "string", "Free-form tags, for example `env:prod`.", true},
		{"size_bytes", "int64", "Size of the stored content, in bytes.", false},
		{"replicas", "int32", "", false},
		{"ratio", "double", "Share of the traffic that goes here, from 0 to 1.", false},
		{"enabled", "bool", "Whether the {noun} takes part at all.", false},
		{"checksum", "bytes", "", false},
		{"revision", "uint64", "Revision of the {noun}, counted from 1.", false},
		{"previous", "@neighbour", "The {noun} depends on this one.", false},
		{"related", "@neighbour", "Others that this {noun} was derived from.\n - direct ancestors first,\n - then their own.", true},
		{"origin", "@foreign", "The resource in another service that this one mirrors.", false},
		{"region", "string", "Region that holds the data, such as `europe-west1`.", false},
		{"parts", "@part", "What the {noun} is made of, in order.", true},
	}
	requestFields = []moduleField{
		{"validate_only", "bool", "If set, the request is checked but not executed.", false},
		{"request_id", "string", "Makes a retried request safe: the server answers it once.", false},
		{"reason", "string", "Why the caller asks, for the audit log.", false},
		{"filter", "string", "Expression that selects what is returned,\nsuch as `state = ACTIVE AND labels.env:prod`.", false},
	}
	pageFields = []moduleField{
		{"page_size", "int32", "At most this many items; the server may return fewer.", false},
		{"page_token", "string", "Token of an earlier page.", false},
	}
)

// moduleFile is the i-th file of a module. It only imports files before it.
func moduleFile(i int) *descriptorpb.FileDescriptorProto {
	noun := nouns[i%filesPerPackage]
	w := newSourceWriter(i, noun)
	w.imports()
	w.service()
	w.entity()
	for _, verb := range []string{"Create", "Update"} {
		fields := append([]moduleField{{strings.ToLower(noun), "@self", "The {noun} to write.", false}}, w.draw(requestFields, 1+w.rng.IntN(2))...)
		w.message(verb+noun+"Request", "Request of "+verb+noun+".", fields)
	}
	for _, verb := range []string{"Get", "Delete"} {
		w.message(verb+noun+"Request", "Request of "+verb+noun+".", append(identityFields[:1:1], w.draw(requestFields, 1+w.rng.IntN(2))...))
	}
	w.message("List"+noun+"sRequest", "Request of List"+noun+"s.", append(w.draw(requestFields, 2), pageFields...))
	w.message("List"+noun+"sResponse", "Answer of List"+noun+"s.", []moduleField{
		{strings.ToLower(noun) + "s", "@self", "One page of what was asked for.", true},
		{"next_page_token", "string", "Token of the next page; empty on the last one.", false},
	})
	if w.rng.IntN(2) == 0 {
		w.message(noun+"Summary", "Figures about {a}.", w.draw(commonFields, 7))
	}
	w.enum(noun+"State", []string{"UNSPECIFIED", "PENDING", "ACTIVE", "SUSPENDED", "DELETED"})
	w.enum(noun+"Priority", []string{"UNSPECIFIED", "LOW", "HIGH"})
	return w.finish()
}

// draw picks n different fields, in their order.
func (w *sourceWriter) draw(pool []moduleField, n int) []moduleField {
	var fields []moduleField
	for i, f := range pool {
		if w.rng.IntN(len(pool)-i) < n-len(fields) {
			fields = append(fields, f)
		}
	}
	return fields
}

// newSourceWriter starts the i-th file.
func newSourceWriter(i int, noun string) *sourceWriter {
	pkg := modulePackage(i)
	w := &sourceWriter{
		rng: rand.New(rand.NewPCG(uint64(i), 2)), index: i, noun: noun,
		pb: &descriptorpb.FileDescriptorProto{
			Name: proto.String(modulePath(i)), Package: proto.String(pkg), Syntax: proto.String("proto3"),
			Options: &descriptorpb.FileOptions{
				GoPackage:   proto.String("example.com/gen/" + strings.ReplaceAll(pkg, ".", "/")),
				JavaPackage: proto.String("com." + pkg), JavaMultipleFiles: proto.Bool(true),
			},
		},
		info: &descriptorpb.SourceCodeInfo{},
	}
	w.open(nil, "")
	w.statement([]int32{fileSyntax}, "Copyright. The "+noun+" resource and the calls on it.")
	w.statement([]int32{filePackage}, "")
	for _, option := range []int32{11, 1, 10} { // go_package, java_package, java_multiple_files
		w.statement([]int32{fileOptions}, "")
		w.token([]int32{fileOptions, option}, 0, 48)
	}
	return w
}
