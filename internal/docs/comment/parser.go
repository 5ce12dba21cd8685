package comment

import (
	"bytes"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// markdownParser is goldmark without blocks of HTML, whose tags are text here and
// must not keep the Markdown around them from being read; with tables, task
// lists and strikethrough; and with the inline parsers below. One serves all
// goroutines.
var markdownParser = sync.OnceValue(func() parser.Parser {
	p := parser.NewParser(
		parser.WithBlockParsers(
			util.Prioritized(parser.NewSetextHeadingParser(), 100),
			util.Prioritized(parser.NewThematicBreakParser(), 200),
			util.Prioritized(parser.NewListParser(), 300),
			util.Prioritized(parser.NewListItemParser(), 400),
			util.Prioritized(parser.NewCodeBlockParser(), 500),
			util.Prioritized(parser.NewATXHeadingParser(), 600),
			util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
			util.Prioritized(parser.NewBlockquoteParser(), 800),
			util.Prioritized(parser.NewParagraphParser(), 1000),
		),
		parser.WithInlineParsers(
			util.Prioritized(parser.NewCodeSpanParser(), 100),
			util.Prioritized(newReferenceParser(), 200),
			util.Prioritized(parser.NewAutoLinkParser(), 300),
			util.Prioritized(parser.NewRawHTMLParser(), 400),
			util.Prioritized(pathParser{}, 450),
			util.Prioritized(parser.NewEmphasisParser(), 500),
			util.Prioritized(addressParser{}, 600),
		),
		parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
	)
	return goldmark.New(
		goldmark.WithParser(p),
		goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.TaskList),
	).Parser()
})

// parseMarkdown reads a text that is not too complex. Without references, only
// what the text itself defines is a reference.
func parseMarkdown(source []byte, refs *references) ast.Node {
	pc := &parseContext{Context: parser.NewContext(), refs: refs}
	return markdownParser().Parse(text.NewReader(source), parser.WithContext(pc))
}

// parseContext answers goldmark's look-ups of reference definitions: with those
// of the text, and with AIP-192 references.
type parseContext struct {
	parser.Context
	refs *references
	// full says that the brackets in hand are followed by others.
	full bool
}

// Reference finds the definition of a label in goldmark's canonical form.
func (c *parseContext) Reference(label string) (parser.Reference, bool) {
	if ref, ok := c.Context.Reference(label); ok || c.refs == nil {
		return ref, ok
	}
	if c.refs.accepts(label, c.full) {
		return parser.NewReference([]byte(label), unresolved, nil), true
	}
	return nil, false
}

// unresolved is the address of the links that are AIP-192 references. No address
// in a text is one, because texts have no control characters.
var unresolved = []byte("\x00")

// referenceParser is goldmark's parser of links. It tells the context which form
// of reference is read.
type referenceParser struct {
	parser.InlineParser
	parser.CloseBlocker
}

func newReferenceParser() parser.InlineParser {
	links := parser.NewLinkParser()
	return referenceParser{links, links.(parser.CloseBlocker)}
}

// Parse reads what a bracket starts or ends.
func (p referenceParser) Parse(parent ast.Node, block text.Reader, pc parser.Context) ast.Node {
	if c, ok := pc.(*parseContext); ok {
		line, _ := block.PeekLine()
		c.full = len(line) > 1 && line[0] == ']' && line[1] == '['
	}
	return p.InlineParser.Parse(parent, block, pc)
}

// references are the texts in brackets of a comment, by goldmark's canonical form,
// which has no case. They are candidates only: goldmark says which are references.
type references struct {
	resolve func(string) (Link, bool)
	written map[string][]string
}

func findReferences(source string, resolve func(string) (Link, bool)) *references {
	refs := &references{resolve: resolve, written: map[string][]string{}}
	open := -1
	for i := range len(source) {
		switch source[i] {
		case '[':
			open = i + 1
		case ']':
			if open >= 0 && i-open < 1000 {
				refs.add(source[open:i])
			}
			open = -1
		}
	}
	return refs
}

func (r *references) add(raw string) {
	target := targetOf(raw)
	if !isName(target) {
		return
	}
	// Lines of a block quote start with its mark.
	var joined strings.Builder
	for i, line := range strings.Split(raw, "\n") {
		if i > 0 {
			joined.WriteByte('\n')
			line = strings.TrimLeft(line, " \t>")
		}
		joined.WriteString(line)
	}
	label := util.ToLinkReference([]byte(joined.String()))
	for _, t := range r.written[label] {
		if t == target {
			return
		}
	}
	r.written[label] = append(r.written[label], target)
}

// accepts tells whether a label is an AIP-192 reference. In the full form it is
// one if it leads somewhere or looks as if it should; in the short form both have
// to be so, because brackets have many other uses.
func (r *references) accepts(label string, full bool) bool {
	for _, target := range r.written[label] {
		_, found := r.link(target)
		if looks := looksQualified(target); found && looks || full && (found || looks) {
			return true
		}
	}
	return false
}

// link resolves a target.
func (r *references) link(target string) (Link, bool) {
	if r.resolve == nil {
		return Link{}, false
	}
	link, ok := r.resolve(target)
	if !ok {
		return Link{}, false
	}
	link.URL, ok = safeURL(link.URL)
	return link, ok && link.URL != ""
}

// targetOf is the text in brackets as a name: without backticks, without escapes
// and on one line.
func targetOf(raw string) string {
	name := strings.Trim(strings.TrimSpace(unescape([]byte(raw))), "`")
	if !strings.ContainsAny(name, "\n") {
		return name
	}
	var joined strings.Builder
	for i, line := range strings.Split(name, "\n") {
		if i > 0 {
			line = strings.TrimLeft(line, " \t>")
		}
		joined.WriteString(strings.TrimRight(line, " \t"))
	}
	return joined.String()
}

// isName tells whether a text in brackets is a name, with or without a scope.
func isName(target string) bool {
	for part := range strings.SplitSeq(strings.TrimPrefix(target, "."), ".") {
		if part == "" || part[0] >= '0' && part[0] <= '9' {
			return false
		}
		for i := range len(part) {
			if !isNameByte(part[i]) {
				return false
			}
		}
	}
	return true
}

// looksQualified tells the names that are nothing but names of an API: with a dot
// or with a capital. So [i] and [optional] are none.
func looksQualified(name string) bool {
	return strings.Contains(name, ".") || name != "" && name[0] >= 'A' && name[0] <= 'Z'
}

// pathParser reads stars that are a whole segment of a path as text.
type pathParser struct{}

// Trigger is the star.
func (pathParser) Trigger() []byte { return []byte{'*'} }

// maxPathLook bounds how far back the start of a path is looked for.
const maxPathLook = 256

// Parse takes a run of stars between a slash and the segment's end.
func (pathParser) Parse(_ ast.Node, block text.Reader, _ parser.Context) ast.Node {
	line, segment := block.PeekLine()
	source, at := block.Source(), segment.Start
	if at == 0 || source[at-1] != '/' || segment.Padding > 0 {
		return nil
	}
	n := 0
	for n < len(line) && line[n] == '*' {
		n++
	}
	if n < len(line) && !util.IsSpace(line[n]) && strings.IndexByte("/.,;:!?)]}\"'", line[n]) < 0 {
		return nil
	}
	start := at
	for start > 0 && at-start < maxPathLook && !util.IsSpace(source[start-1]) {
		start--
	}
	if !isPath(source[start:at]) {
		return nil
	}
	block.Advance(n)
	return ast.NewTextSegment(segment.WithStop(at + n))
}

// isPath tells whether the start of a word up to a slash is only that of a path:
// nothing in it may start an emphasis, which the star could end.
func isPath(word []byte) bool {
	for i := 0; i < len(word); i++ {
		switch c := word[i]; c {
		case '\\', '`', '[', '<', '~':
			return false
		case '_':
			if i == 0 || !isNameByte(word[i-1]) {
				return false
			}
		case '*':
			if i == 0 || word[i-1] != '/' {
				return false
			}
			for word[i] == '*' { // a slash ends the word
				i++
			}
			if word[i] != '/' {
				return false
			}
		}
	}
	return true
}

// addressParser reads bare addresses: http://, https:// and www.
type addressParser struct{}

// Trigger is what follows the letters that an address starts with.
func (addressParser) Trigger() []byte { return []byte{':', '.'} }

// Parse takes the letters back from the text before.
func (addressParser) Parse(parent ast.Node, block text.Reader, _ parser.Context) ast.Node {
	line, segment := block.PeekLine()
	before, ok := parent.LastChild().(*ast.Text)
	if !ok || before.Segment.Stop != segment.Start || before.SoftLineBreak() || before.HardLineBreak() {
		return nil
	}
	written := before.Segment.Value(block.Source())
	letters := 0
	for letters < len(written) && letters <= len("https") && isLetter(written[len(written)-1-letters]) {
		letters++
	}
	start := len(written) - letters
	if start > 0 && isNameByte(written[start-1]) {
		return nil
	}
	n, protocol := 0, []byte(nil)
	switch scheme := strings.ToLower(string(written[start:])); {
	case scheme == "www" && line[0] == '.':
		n, protocol = hostAndPath(line, 1), []byte("http")
	case (scheme == "http" || scheme == "https") && bytes.HasPrefix(line, []byte("://")):
		n = hostAndPath(line, len("://"))
	}
	if n == 0 {
		return nil
	}
	from := segment.Start - letters
	if start == 0 {
		parent.RemoveChild(parent, before)
	} else {
		before.Segment = before.Segment.WithStop(from)
	}
	block.Advance(n)
	link := ast.NewAutoLink(ast.AutoLinkURL, ast.NewTextSegment(text.NewSegment(from, segment.Start+n)))
	link.Protocol = protocol
	return link
}

func isWideSpace(text []byte) bool {
	r, _ := utf8.DecodeRune(text)
	return unicode.IsSpace(r)
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// hostAndPath is the length of the address that a line starts with, given that of
// what precedes its host; 0 if there is no host. Brackets belong to an address if
// they are closed in it, and punctuation does if something follows it.
func hostAndPath(line []byte, prefix int) int {
	if prefix >= len(line) || !isNameByte(line[prefix]) && line[prefix] != '[' && line[prefix] < 0x80 {
		return 0
	}
	var open []byte
	end := prefix
scan:
	for i := prefix; i < len(line); i++ {
		switch c := line[i]; c {
		case '(':
			open = append(open, ')')
			continue
		case '[', '{':
			open = append(open, c+2) // its counterpart
			continue
		case ')', ']', '}':
			if len(open) == 0 || open[len(open)-1] != c {
				break scan
			}
			open = open[:len(open)-1]
		case '<', '>', '"', '`', '|', '\\', '^':
			break scan
		case '?', '!', '.', ',', ':', ';', '*', '_', '~', '\'':
			continue
		case '&':
			if value, n := entity(line[i:]); value == "&" {
				i += n - 1
			} else if n > 0 {
				break scan
			}
			continue
		default:
			if c <= ' ' || c == 0x7F || c >= utf8.RuneSelf && isWideSpace(line[i:]) {
				break scan
			}
		}
		if len(open) == 0 {
			end = i + 1
		}
	}
	if end == prefix {
		return 0
	}
	return end
}
