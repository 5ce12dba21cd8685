package api

import "strings"

// Use is a place that refers to a type.
type Use struct {
	// Name is the full name of the field, extension or RPC.
	Name string
	// File is the file that declares it.
	File *File
}

// UsedBy lists where the files to generate refer to a type, in the order of the
// files and of their declarations. A map field counts as a use of its value's
// type; a type's use of itself does not count.
func (m *Model) UsedBy(t Type) []Use {
	m.users.once.Do(m.collectUses)
	return m.users.of[t]
}

func (m *Model) collectUses() {
	m.users.of = make(map[Type][]Use)
	for _, f := range m.Files {
		for _, s := range f.Services {
			for _, rpc := range s.Methods {
				m.use(rpc.Input, Use{rpc.FullName(), f})
				if rpc.Output != rpc.Input {
					m.use(rpc.Output, Use{rpc.FullName(), f})
				}
			}
		}
		for _, x := range f.Extensions {
			m.useField(x)
		}
		for msg := range f.AllMessages() {
			if msg.IsMapEntry() {
				continue
			}
			for _, x := range msg.Fields {
				m.useField(x)
			}
			for _, x := range msg.Extensions {
				m.useField(x)
			}
		}
	}
}

func (m *Model) useField(x *Field) {
	typ := x
	if value := x.MapValue(); value != nil {
		typ = value
	}
	use := Use{x.FullName(), x.File}
	switch {
	case typ.Enum != nil:
		m.use(typ.Enum, use)
	case typ.Message != nil && typ.Message != x.Parent:
		m.use(typ.Message, use)
	}
}

func (m *Model) use(t Type, use Use) { m.users.of[t] = append(m.users.of[t], use) }

// WellKnownURL is the official page of a type of google.protobuf, or "".
func WellKnownURL(fullName string) string {
	name, ok := strings.CutPrefix(fullName, "google.protobuf.")
	if !ok || !wellKnown[name] {
		return ""
	}
	return "https://protobuf.dev/reference/protobuf/google.protobuf/#" + wellKnownAnchor(name)
}

// wellKnownAnchor is the name in lower case, its words joined with dashes:
// field-mask, uint32-value.
func wellKnownAnchor(name string) string {
	var b strings.Builder
	upper := true // a run of capitals is one word
	for _, r := range name {
		capital := r >= 'A' && r <= 'Z'
		if capital && !upper {
			b.WriteByte('-')
		}
		upper = capital
		b.WriteString(strings.ToLower(string(r)))
	}
	return b.String()
}

// wellKnown are the types that protobuf.dev documents on one page.
var wellKnown = map[string]bool{
	"Any": true, "Api": true, "BoolValue": true, "BytesValue": true, "DoubleValue": true,
	"Duration": true, "Empty": true, "Enum": true, "EnumValue": true, "Field": true,
	"FieldMask": true, "FloatValue": true, "Int32Value": true, "Int64Value": true,
	"ListValue": true, "Method": true, "Mixin": true, "NullValue": true, "Option": true,
	"SourceContext": true, "StringValue": true, "Struct": true, "Syntax": true,
	"Timestamp": true, "Type": true, "UInt32Value": true, "UInt64Value": true, "Value": true,
}
