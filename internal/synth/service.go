package synth

import (
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
)

// service draws a service, which may have no methods at all.
func (g *generator) service(f *file) *descriptorpb.ServiceDescriptorProto {
	s := &descriptorpb.ServiceDescriptorProto{Name: proto.String(f.names.unique(pick(g.rng, serviceNames)))}
	names := newScope()
	for range g.rng.IntN(5) {
		m := &descriptorpb.MethodDescriptorProto{
			Name:       proto.String(names.unique(pick(g.rng, methodNames))),
			InputType:  proto.String(g.methodType(f)),
			OutputType: proto.String(g.methodType(f)),
		}
		// Compilers leave false out; an explicit one means the same.
		if chance(g.rng, 0.5) {
			m.ClientStreaming = proto.Bool(chance(g.rng, 0.7))
		}
		if chance(g.rng, 0.5) {
			m.ServerStreaming = proto.Bool(chance(g.rng, 0.7))
		}
		s.Method = append(s.Method, m)
	}
	return s
}

// methodType is a message of the request or a well-known one.
func (g *generator) methodType(f *file) string {
	if chance(g.rng, 0.8) {
		if m := g.visibleMessage(f); m != nil {
			return "." + m.full
		}
	}
	t := pick(g.rng, wellKnownTypes)
	g.use(f, libraryFile(t.file))
	return t.name
}
