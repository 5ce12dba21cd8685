package api

import "fmt"

// Error is something wrong with a .proto file. It names the place and what to do.
type Error struct {
	Pos     Position
	Message string
}

func (e *Error) Error() string { return e.Pos.String() + ": " + e.Message }

func errorAt(pos Position, format string, args ...any) error {
	return &Error{Pos: pos, Message: fmt.Sprintf(format, args...)}
}
