package gendoc

// What a template prints where it prints a declaration as a whole: its full
// name. protoc-gen-doc prints Go structs, with the addresses of their parts,
// which differ from run to run.

func (f *File) String() string             { return f.Name }
func (m *Message) String() string          { return m.FullName }
func (f *MessageField) String() string     { return f.x.FullName() }
func (e *FileExtension) String() string    { return e.x.FullName() }
func (e *MessageExtension) String() string { return e.x.FullName() }
func (e *Enum) String() string             { return e.FullName }
func (v *EnumValue) String() string        { return v.x.FullName() }
func (s *Service) String() string          { return s.FullName }
func (m *ServiceMethod) String() string    { return m.x.FullName() }
func (s *ScalarValue) String() string      { return s.ProtoType }
func (o *Oneof) String() string            { return o.x.FullName() }
func (m *MapField) String() string         { return m.FullType }
func (s *Section) String() string          { return s.Title }
