package gogen

import (
	"strconv"
	"strings"

	"google.golang.org/protobuf/compiler/protogen"

	"github.com/skaffoldgen/protoc-gen-skaffold/internal/api"
)

// serviceWriter writes what a kit has for one service.
type serviceWriter struct {
	*protogen.GeneratedFile
	*service
	local serviceLocals
}

// serviceLocals are the names of variables, chosen so that none hides a package
// that the file imports.
type serviceLocals struct{ ctx, req, reqs, stream, impl, f string }

// newServiceLocals imports all packages that the file is going to refer to, and
// chooses the variables.
func newServiceLocals(g *protogen.GeneratedFile, list []*service) serviceLocals {
	taken := newNames()
	for _, path := range serviceImports(list) {
		name, _, _ := strings.Cut(g.QualifiedGoIdent(path.Ident("X")), ".")
		taken.taken[name] = true
	}
	var l serviceLocals
	for _, v := range []struct {
		name *string
		wish string
	}{{&l.ctx, "ctx"}, {&l.req, "req"}, {&l.reqs, "reqs"}, {&l.stream, "stream"}, {&l.impl, "impl"}, {&l.f, "f"}} {
		*v.name = taken.claim(v.wish)
	}
	return l
}

// use is a name of another package.
func (w *serviceWriter) use(from protogen.GoImportPath, name string) string {
	return w.QualifiedGoIdent(from.Ident(name))
}

func (w *serviceWriter) doc(paragraphs ...string) { writeDoc(w.GeneratedFile, paragraphs...) }

// write writes the declarations in the order in which a reader wants them.
func (w *serviceWriter) write() {
	w.writeServer()
	w.writeCreate()
	w.writeFuncs()
}

// deprecation is the paragraph by which tools know that something is deprecated,
// if the options say so and the comment does not.
func (w *serviceWriter) deprecation(name string, options api.Options, comments api.Comments) string {
	if !options.Deprecated() || strings.Contains(strings.Join(paragraphs(comments), "\n"), "Deprecated:") {
		return ""
	}
	return "Deprecated: " + name + " is marked as deprecated in " + w.file.Desc.Path() + "."
}

// deprecated is the paragraph for what stands for something deprecated, but does
// not have its comment.
func (w *serviceWriter) deprecated(name string, d interface {
	Options() api.Options
	Declaration() *api.Decl
}) string {
	if !saysDeprecated(d) {
		return ""
	}
	return "Deprecated: " + name + " is deprecated in " + w.file.Desc.Path() + "."
}

// writeServer writes the interface.
func (w *serviceWriter) writeServer() {
	calls := ""
	if len(w.methods) > 0 {
		calls = "Calls run at the same time, each in a goroutine of its own, and " + w.local.ctx + " ends with the call. " +
			"An error reaches the client as the gRPC status that it carries, or else as UNKNOWN with its text. " +
			"A message that is returned or sent must not be changed any more."
	}
	w.doc(append(described(w.server+" is an implementation of the service "+w.api.FullName, w.api.Comments),
		calls, w.streams(), w.deprecation(w.api.Name, w.api.Options(), w.api.Comments))...)
	w.P("type ", w.server, " interface {")
	for _, m := range w.methods {
		w.doc(append(describedMethod(m), w.deprecation(m.api.Name, m.api.Options(), m.api.Comments))...)
		w.P(m.name, w.signature(m))
	}
	w.P("}")
	w.P()
}

// describedMethod are the paragraphs about a method. A comment that begins with the
// method's name is a doc comment as it is.
func describedMethod(m *serviceMethod) []string {
	if said := descriptions(m.api.Comments); len(said) > 0 && strings.HasPrefix(said[0], m.name+" ") {
		said[0] = endSentence(said[0])
		return said
	}
	return described(m.name+" handles "+m.api.FullName(), m.api.Comments)
}

// streams is what an implementation has to know about streams, if there are any.
func (w *serviceWriter) streams() string {
	var receives, sends bool
	for _, m := range w.methods {
		receives = receives || m.Desc.IsStreamingClient()
		sends = sends || m.Desc.IsStreamingServer()
	}
	var text []string
	if receives {
		text = append(text, w.local.reqs+" are the client's messages: "+
			"the sequence ends after the last one, or with an error, and can be ranged over once.")
	}
	if sends {
		text = append(text, w.local.stream+" takes the messages for the client, one at a time, "+
			"and waits for a slow client; an error of it means that the call is over.")
	}
	return strings.Join(text, " ")
}

// signature are the parameters and results of a method.
func (w *serviceWriter) signature(m *serviceMethod) string {
	in, out := "*"+w.QualifiedGoIdent(m.Input.GoIdent), "*"+w.QualifiedGoIdent(m.Output.GoIdent)
	parameters := w.local.ctx + " " + w.use(contextPackage, "Context") + ", "
	if m.Desc.IsStreamingClient() {
		parameters += w.local.reqs + " " + w.use(iterPackage, "Seq2") + "[" + in + ", error]"
	} else {
		parameters += w.local.req + " " + in
	}
	if m.Desc.IsStreamingServer() {
		return "(" + parameters + ", " + w.local.stream + " " + w.use(servePackage, "Sender") + "[" + out + "]) error"
	}
	return "(" + parameters + ") (" + out + ", error)"
}

// arguments are the parameters of a method as it passes them on.
func (w *serviceWriter) arguments(m *serviceMethod) string {
	arguments := w.local.ctx + ", " + w.local.req
	if m.Desc.IsStreamingClient() {
		arguments = w.local.ctx + ", " + w.local.reqs
	}
	if m.Desc.IsStreamingServer() {
		arguments += ", " + w.local.stream
	}
	return arguments
}

// writeCreate writes the function that makes a serve.Service of an implementation.
func (w *serviceWriter) writeCreate() {
	impl := w.local.impl
	routes := ""
	if w.routes {
		routes = "Its HTTP routes are those of the google.api.http options, in protoc-gen-grpc-gateway's code."
	}
	w.doc(w.create+" makes "+w.api.FullName+" of an implementation, for package serve to run. It panics if "+impl+" is nil.",
		routes, w.deprecated(w.api.Name, w.api))
	w.P("func ", w.create, "(", impl, " ", w.server, ") ", w.use(servePackage, "Service"), " {")
	w.P("if ", impl, " == nil {")
	w.P("panic(", strconv.Quote(string(w.kit.name)+"."+w.create+": the implementation is nil"), ")")
	w.P("}")
	w.P("return ", w.use(servePackage, "Service"), "{")
	w.P("Desc: &", w.use(grpcPackage, "ServiceDesc"), "{")
	w.P("ServiceName: ", strconv.Quote(w.api.FullName), ",")
	w.P("HandlerType: (*", w.server, ")(nil),")
	w.writeMethods("Methods", "MethodDesc", false)
	w.writeMethods("Streams", "StreamDesc", true)
	w.P("Metadata: ", strconv.Quote(w.file.Desc.Path()), ",")
	w.P("},")
	w.P("File: ", w.file.GoDescriptorIdent, ",")
	if w.routes {
		w.P("HTTP: ", w.file.GoImportPath.Ident("Register"+w.GoName+"Handler"), ",")
	}
	w.P("}")
	w.P("}")
	w.P()
}

// writeMethods writes the field of a grpc.ServiceDesc for the unary methods, or
// that for the others.
func (w *serviceWriter) writeMethods(field, typ string, streams bool) {
	var list []*serviceMethod
	for _, m := range w.methods {
		if streams == (m.Desc.IsStreamingClient() || m.Desc.IsStreamingServer()) {
			list = append(list, m)
		}
	}
	if len(list) == 0 {
		return
	}
	w.P(field, ": []", w.use(grpcPackage, typ), "{")
	for _, m := range list {
		path := "/" + w.api.FullName + "/" + m.api.Name
		w.P(w.use(servePackage, constructor(m)), "(", strconv.Quote(path), ", ", w.local.impl, ".", m.name, "),")
	}
	w.P("},")
}

// constructor is the function of package serve that describes a method.
func constructor(m *serviceMethod) string {
	switch {
	case m.Desc.IsStreamingClient() && m.Desc.IsStreamingServer():
		return "BidiStream"
	case m.Desc.IsStreamingClient():
		return "ClientStream"
	case m.Desc.IsStreamingServer():
		return "ServerStream"
	}
	return "Unary"
}

// writeFuncs writes the struct of functions.
func (w *serviceWriter) writeFuncs() {
	server := article(w.server) + " " + w.server
	w.doc(w.funcs+" is "+server+" made of functions. A method whose function is nil answers UNIMPLEMENTED, with its name.",
		"A type that embeds "+w.funcs+" is "+server+" too: it needs to have only the methods that it implements, "+
			"also when the service gets more of them.",
		w.deprecated(w.api.Name, w.api))
	w.P("type ", w.funcs, " struct {")
	for _, m := range w.methods {
		w.doc(m.field+" is what "+m.name+" calls.", w.deprecated(m.api.Name, m.api))
		w.P(m.field, " func", w.signature(m))
	}
	w.P("}")
	w.P()
	for _, m := range w.methods {
		w.writeFunc(m)
	}
}

// article is the indefinite article before a word.
func article(word string) string {
	if strings.ContainsAny(word[:1], "AEIOaeio") {
		return "an"
	}
	return "a"
}

func (w *serviceWriter) writeFunc(m *serviceMethod) {
	f := w.local.f
	unimplemented := w.use(grpcStatusPackage, "Error") + "(" + w.use(grpcCodesPackage, "Unimplemented") + ", " +
		strconv.Quote(m.api.FullName()+" is not implemented") + ")"
	if !m.Desc.IsStreamingServer() {
		unimplemented = "nil, " + unimplemented
	}
	w.doc(m.name+" calls "+m.field+".", w.deprecated(m.api.Name, m.api))
	w.P("func (", f, " ", w.funcs, ") ", m.name, w.signature(m), " {")
	w.P("if ", f, ".", m.field, " == nil {")
	w.P("return ", unimplemented)
	w.P("}")
	w.P("return ", f, ".", m.field, "(", w.arguments(m), ")")
	w.P("}")
	w.P()
}
