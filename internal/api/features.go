package api

import (
	"google.golang.org/protobuf/types/descriptorpb"
)

// features are the editions features that decide what a reader of the API has
// to know. A zero value says "not set here" (descriptor.proto, FeatureSet).
type features struct {
	presence descriptorpb.FeatureSet_FieldPresence
	encoding descriptorpb.FeatureSet_MessageEncoding
	enumType descriptorpb.FeatureSet_EnumType
}

// editionDefaults are the defaults of descriptor.proto for each edition.
func editionDefaults(e descriptorpb.Edition) features {
	f := features{
		presence: descriptorpb.FeatureSet_EXPLICIT,
		encoding: descriptorpb.FeatureSet_LENGTH_PREFIXED,
		enumType: descriptorpb.FeatureSet_OPEN,
	}
	switch e {
	case descriptorpb.Edition_EDITION_PROTO2:
		f.enumType = descriptorpb.FeatureSet_CLOSED
	case descriptorpb.Edition_EDITION_PROTO3:
		f.presence = descriptorpb.FeatureSet_IMPLICIT
	}
	return f
}

// with returns f where set does not say otherwise.
func (f features) with(set *descriptorpb.FeatureSet) features {
	if v := set.GetFieldPresence(); v != 0 {
		f.presence = v
	}
	if v := set.GetMessageEncoding(); v != 0 {
		f.encoding = v
	}
	if v := set.GetEnumType(); v != 0 {
		f.enumType = v
	}
	return f
}

// Presence says how a reader can tell a set field from an unset one.
type Presence int

const (
	// PresenceImplicit: a field with its zero value is not sent, and reads as unset.
	PresenceImplicit Presence = iota
	// PresenceExplicit: set and unset differ, also for the zero value.
	PresenceExplicit
	// PresenceRequired: a message without the field does not parse.
	PresenceRequired
	// PresenceRepeated: the field is a list or a map; empty is unset.
	PresenceRepeated
)

var presenceNames = [...]string{"implicit", "optional", "required", "repeated"}

// String is the word for the presence: implicit, optional, required or repeated.
func (p Presence) String() string { return presenceNames[p] }

// Presence is the field's presence, whatever the syntax or edition
// (protobuf.dev, "Application Note: Field Presence").
func (f *Field) Presence() Presence {
	switch {
	case f.IsRepeated():
		return PresenceRepeated
	case f.Desc.GetLabel() == descriptorpb.FieldDescriptorProto_LABEL_REQUIRED,
		f.features.presence == descriptorpb.FeatureSet_LEGACY_REQUIRED:
		return PresenceRequired
	case f.Desc.GetProto3Optional(), f.Oneof != nil, f.Message != nil, f.Extendee != nil,
		f.features.presence == descriptorpb.FeatureSet_EXPLICIT:
		return PresenceExplicit
	}
	return PresenceImplicit
}

// IsDelimited tells a field that is encoded as a group.
func (f *Field) IsDelimited() bool {
	if f.Desc.GetType() == descriptorpb.FieldDescriptorProto_TYPE_GROUP {
		return true
	}
	if f.Message == nil || f.IsMap() || f.Parent != nil && f.Parent.IsMapEntry() {
		return false // maps are never delimited, whatever their file says
	}
	return f.features.encoding == descriptorpb.FeatureSet_DELIMITED
}

// IsClosed tells an enum whose readers refuse numbers that it does not define
// (protobuf.dev, "Enum Behavior").
func (e *Enum) IsClosed() bool { return e.features.enumType == descriptorpb.FeatureSet_CLOSED }
