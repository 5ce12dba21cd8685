// Package eventlog keeps an ordered, bounded log of events for any number of
// readers, in memory and, if wanted, in a journal on disk.
//
// A [Log] numbers its events from 1. Each [Reader] owns a cursor and pulls:
// what was there before it came and what comes in later are read by the same
// loop, in order, each event once. Nothing is sent to a reader, so appending
// never waits for one, a slow reader costs itself alone, and a reader that is
// dropped leaves nothing behind. A reader that falls behind the log's bounds is
// told which events it missed, with a [TrimmedError] or through [Gaps]. The bounds
// are a number of events and what they take in memory, which [Proto] estimates.
//
// # State
//
// State that follows from the events is kept by [Config.Apply] and copied in
// [Log.Snapshot], which tells the number of the event that the copy stands at.
// A reader from the next number on then sees each later change once, with
// neither loss nor doubles. [Log.Update] appends events by what the state is.
//
// # Who may change an event
//
// With [Config.Clone], as [Proto] sets it, a log keeps a copy of what it is
// given, made before Append returns: the caller may go on changing its own. The
// copy is shared by Apply and by all readers, none of which may change it.
//
// # Journal
//
// [Open] makes a log that writes each event to a journal before anybody sees
// it. An event that Append has returned a number for is in the file, whatever
// happens to the process then; whether it also survives a loss of power depends
// on the [Sync] policy. The next Open reads the journal, passes its events to
// Apply and goes on with their numbers. A journal is JSON Lines, one event a
// line, which [Lines.Read] reads too, wherever the lines come from.
package eventlog
