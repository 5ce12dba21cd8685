package api

import "strconv"

// Range is a range of field or enum numbers, both ends included.
type Range struct{ Start, End int }

// The largest numbers that descriptor.proto allows, which a .proto file calls max.
const (
	maxFieldNumber = 1<<29 - 1
	maxEnumNumber  = 1<<31 - 1
)

// String is the range as a .proto file writes it: 5, or 9 to 11, or 40 to max.
func (r Range) String() string {
	switch r.End {
	case r.Start:
		return strconv.Itoa(r.Start)
	case maxFieldNumber, maxEnumNumber:
		return strconv.Itoa(r.Start) + " to max"
	}
	return strconv.Itoa(r.Start) + " to " + strconv.Itoa(r.End)
}

// ReservedRanges are the field numbers that the message reserves.
func (m *Message) ReservedRanges() []Range {
	var out []Range
	for _, r := range m.Desc.GetReservedRange() {
		out = append(out, Range{int(r.GetStart()), int(r.GetEnd()) - 1})
	}
	return out
}

// ExtensionRanges are the field numbers that the message leaves to extensions.
func (m *Message) ExtensionRanges() []Range {
	var out []Range
	for _, r := range m.Desc.GetExtensionRange() {
		out = append(out, Range{int(r.GetStart()), int(r.GetEnd()) - 1})
	}
	return out
}

// ExtensionRangeOptions are the options of each of ExtensionRanges.
func (m *Message) ExtensionRangeOptions() []Options {
	out := make([]Options, len(m.Desc.GetExtensionRange()))
	for i, r := range m.Desc.GetExtensionRange() {
		out[i] = newOptions(m.File.model, r.GetOptions())
	}
	return out
}

// ReservedRanges are the numbers that the enum reserves.
func (e *Enum) ReservedRanges() []Range {
	var out []Range
	for _, r := range e.Desc.GetReservedRange() {
		out = append(out, Range{int(r.GetStart()), int(r.GetEnd())})
	}
	return out
}
