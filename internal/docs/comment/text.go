package comment

import "strings"

// Text renders the comment as one line of plain text, without any marks. Use it
// for indexes, titles and descriptions; it is not escaped.
func (d *Doc) Text() string {
	if d == nil {
		return ""
	}
	return strings.Join(strings.Fields(string(blockText(nil, d.blocks))), " ")
}

func blockText(out []byte, blocks []block) []byte {
	for _, b := range blocks {
		if b.kind == item {
			out = append(out, taskMark(b.level)...)
		}
		out = textOf(out, b.inlines)
		out = append(out, b.text...)
		out = blockText(append(out, ' '), b.blocks)
	}
	return out
}
