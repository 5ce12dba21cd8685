//go:build !linux

package scaffold

import "context"

// createUnnamed is for Linux alone: other systems have no files without a name.
func (w *writer) createUnnamed(context.Context, string, []byte) error { return errNoWay }
