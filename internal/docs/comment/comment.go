// Package comment reads the comments of .proto files as Markdown and renders them
// in the formats of the reference.
//
// A comment is a CommonMark document with GitHub's tables, task lists,
// strikethrough and bare addresses, read by goldmark. It is turned into a small
// tree of its own in which entities are resolved, addresses are checked and
// tags are matched, and each rendering writes that tree. So a rendering decides
// only how a thing looks, never whether it is safe.
//
// What differs from CommonMark:
//
//   - AIP-192 references such as [Book][google.example.v1.Book] are links to what
//     Options.Resolve says.
//   - HTML is text, but for <br> and for <b>, <strong>, <i>, <em>, <del>, <s>,
//     <code>, <kbd>, <sub> and <sup>, which need to be closed in the same block
//     and to have no attributes. HTML comments are dropped.
//   - An image is a link to the image, so that no page loads anything.
//   - A link keeps its address only if that is relative or starts with http,
//     https or mailto.
//   - A star that is a whole segment of a path, as in projects/*/books/*, is text.
//   - Characters that cannot be printed are dropped; those that change the
//     direction of text are shown by their numbers.
package comment

import "strings"

// Options say how a comment is read. The zero value resolves nothing and removes
// nothing.
type Options struct {
	// Resolve finds what a reference names. It gets the reference as written, on
	// one line and without backticks: the target of [label][target] or the text
	// of [target][]. Of a mere [target] it is asked too if that has a dot or
	// starts with a capital. Scopes are the caller's business. A nil function
	// resolves nothing. What is not resolved is a problem if it has a dot or a
	// capital; its label is shown. Otherwise, as in [i][j], nothing is changed.
	Resolve func(target string) (Link, bool)
	// RemoveInternal drops (-- internal parts --), to the comment's end if nothing
	// closes them. What is in code stays.
	RemoveInternal bool
	// RemoveDirectives drops the lines that start with buf:lint:, protolint: or
	// @exclude, unless they are in code.
	RemoveDirectives bool
}

// Link is where a reference leads.
type Link struct {
	// URL is relative, a fragment such as #google.example.v1.Book, or an http,
	// https or mailto address. A reference with any other is not resolved.
	URL string
	// Title is shown when the reader points at the link; empty for none.
	Title string
}

// Problem is a mistake in a comment.
type Problem struct {
	// Text is the index of the text of Parse that has it.
	Text int
	// Line and Column start at 0 and count in the text as given to Parse; Column
	// is in bytes.
	Line, Column int
	// Message says what is wrong and what to do. It has no position.
	Message string
}

// Doc is a comment that has been read. It never changes: several goroutines may
// use it. The methods of a nil *Doc are those of an empty comment.
type Doc struct {
	blocks   []block
	problems []Problem
	// literal says that the text was too large or too deep to be read as Markdown.
	literal bool
}

// Parse reads the texts of one declaration's comments, usually the leading and
// the trailing one, as descriptors have them: with the space before each line
// and with the line ends of the source. Each is a document of its own; they
// follow each other.
//
// A comment that starts with @exclude is empty, as for protoc-gen-doc. One that
// is too large or too deeply nested to be read in linear time is shown as it is
// written, by paragraphs.
func Parse(o Options, texts ...string) *Doc {
	d := new(Doc)
	for i, text := range texts {
		clean := cleanText(text)
		if len(d.blocks) == 0 && strings.HasPrefix(strings.TrimSpace(clean), excludeMark) {
			return new(Doc)
		}
		d.read(o, i, text, clean)
	}
	return d
}

// excludeMark starts the comments that are not shown.
const excludeMark = "@exclude"

func (d *Doc) read(o Options, index int, text, clean string) {
	if isPlain(clean, o) {
		d.blocks = append(d.blocks, plainBlocks(clean)...)
		return
	}
	// Positions are worth their price only here, where there may be problems.
	r := reader{options: o, text: index, original: text, source: trackedClean(text)}
	r.remove()
	blocks, ok := r.parse()
	if !ok {
		d.literal = true
		blocks = literalBlocks(r.source.text)
	}
	d.blocks = append(d.blocks, blocks...)
	d.problems = append(d.problems, r.problems()...)
}

// Empty tells whether there is nothing to show.
func (d *Doc) Empty() bool { return d == nil || len(d.blocks) == 0 }

// HasBlocks tells whether the comment is more than one paragraph, so that it
// reads better outside of a table.
func (d *Doc) HasBlocks() bool {
	return d != nil && (len(d.blocks) > 1 || len(d.blocks) == 1 && d.blocks[0].kind != paragraph)
}

// Problems are the mistakes in the comment, in the order of its text.
func (d *Doc) Problems() []Problem {
	if d == nil {
		return nil
	}
	return d.problems
}

// Summary is the first sentence of the comment's first paragraph or heading; it
// is empty if there is none. It has no problems.
func (d *Doc) Summary() *Doc {
	if d == nil {
		return nil
	}
	for _, b := range d.blocks {
		if b.kind == paragraph || b.kind == heading {
			return &Doc{blocks: []block{{kind: paragraph, inlines: firstSentence(b.inlines)}}}
		}
	}
	return new(Doc)
}
