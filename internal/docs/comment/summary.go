package comment

import (
	"unicode"
	"unicode/utf8"
)

// firstSentence is the start of a list up to the end of the first sentence. A
// sentence ends with a full stop, a question mark or an exclamation mark before
// white space and no small letter: "e.g. this" goes on.
func firstSentence(list []inline) []inline {
	for i, n := range list {
		if n.kind == breakNode {
			return list[:i]
		}
		if n.kind != textNode {
			continue
		}
		if end := sentenceEnd(n.text); end > 0 {
			first := append([]inline(nil), list[:i+1]...)
			first[i].text = n.text[:end]
			return first
		}
	}
	return list
}

// sentenceEnd is the length of the first sentence in text, 0 if it does not end
// there. What only ends the text may be followed by code, a link or nothing.
func sentenceEnd(text string) int {
	for i := 1; i+1 < len(text); i++ {
		if c := text[i-1]; c != '.' && c != '?' && c != '!' || !isSpaceOrEnd(text[i]) {
			continue
		}
		if next, _ := utf8.DecodeRuneInString(text[i+1:]); !unicode.IsLower(next) {
			return i
		}
	}
	return 0
}
