package builds

import (
	"errors"
	"iter"

	"google.golang.org/protobuf/proto"

	"github.com/skaffoldgen/protoc-gen-skaffold/eventlog"
	control "github.com/skaffoldgen/protoc-gen-skaffold/gen/go/buildkit/control"
)

// maxLogs bounds the output in one message of a status stream, in bytes.
const maxLogs = 1 << 20

func newStatus() *eventlog.Log[*control.StatusResponse] {
	return eventlog.New(eventlog.Proto[*control.StatusResponse]())
}

// report adds to what a build has reported.
func (b *build) report(status *control.StatusResponse) error {
	for part := range split(status, maxLogs) {
		_, err := b.status.Append(part)
		if errors.Is(err, eventlog.ErrClosed) {
			return ErrClosed
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// split yields a status as messages of which none has more than so many bytes
// of output. Longer pieces of output are cut. All else is in the first message,
// except for warnings, which are in the last.
func split(status *control.StatusResponse, limit int) iter.Seq[*control.StatusResponse] {
	return func(yield func(*control.StatusResponse) bool) {
		part := &control.StatusResponse{Vertexes: status.GetVertexes(), Statuses: status.GetStatuses()}
		room := limit
		for _, log := range status.GetLogs() {
			for len(log.GetMsg()) > room {
				piece, rest := proto.CloneOf(log), proto.CloneOf(log)
				piece.Msg, rest.Msg = log.GetMsg()[:room], log.GetMsg()[room:]
				if room > 0 {
					part.Logs = append(part.Logs, piece)
				}
				if !yield(part) {
					return
				}
				log, part, room = rest, &control.StatusResponse{}, limit
			}
			part.Logs = append(part.Logs, log)
			room -= len(log.GetMsg())
		}
		part.Warnings = status.GetWarnings()
		yield(part)
	}
}
