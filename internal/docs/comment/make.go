package comment

// Text is a comment of one paragraph that is the text itself, without Markdown in
// it: for names and other words that formats show beside comments.
func Text(text string) *Doc {
	var b inlineBuilder
	b.write(text)
	return inlineDoc(trimSpace(b.done()))
}

// Code is a comment of one code span, which leads to an address unless that is
// empty. The address is taken as it is: it has to be safe.
func Code(text, url string) *Doc {
	if text == "" {
		return new(Doc)
	}
	n := inline{kind: codeNode, text: text}
	if url != "" {
		n = inline{kind: linkNode, known: true, url: url, children: []inline{n}}
	}
	return inlineDoc([]inline{n})
}

func inlineDoc(inlines []inline) *Doc {
	if len(inlines) == 0 {
		return new(Doc)
	}
	return &Doc{blocks: []block{{kind: paragraph, inlines: inlines}}}
}

// MarkdownHeading renders the comment's first paragraph as the text of a heading.
func (d *Doc) MarkdownHeading(f Flavor) string {
	if d.Empty() {
		return ""
	}
	return inlineMarkdown(d.blocks[0].inlines, f, inHeading)
}

// CodeBlock is a comment of one block of code. The language is a word, or empty.
func CodeBlock(language, text string) *Doc {
	return &Doc{blocks: []block{{kind: codeBlock, language: language, text: text}}}
}
