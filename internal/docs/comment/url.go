package comment

import "strings"

// schemes are those of the addresses that a page may lead to. They cannot run
// anything in it.
var schemes = map[string]bool{"http": true, "https": true, "mailto": true}

// safeURL makes an address one that can stand in any attribute or Markdown, with
// everything else than the characters of addresses percent-encoded. It is not ok
// if its scheme is not one of schemes.
func safeURL(url string) (safe string, ok bool) {
	url = strings.TrimFunc(url, func(r rune) bool { return r <= ' ' || r == 0x7F })
	if !hasSafeScheme(url) {
		return "", false
	}
	clean := true
	for i := range len(url) {
		clean = clean && isURLByte(url[i])
	}
	if clean {
		return url, true
	}
	var out strings.Builder
	for i := range len(url) {
		c := url[i]
		if isURLByte(c) {
			out.WriteByte(c)
			continue
		}
		const digits = "0123456789ABCDEF"
		out.WriteByte('%')
		out.WriteByte(digits[c>>4])
		out.WriteByte(digits[c&15])
	}
	return out.String(), true
}

// hasSafeScheme tells whether an address is relative or has one of schemes, letter
// by letter: "java script:" is neither.
func hasSafeScheme(url string) bool {
	i := strings.IndexAny(url, ":/?#")
	return i < 0 || url[i] != ':' || schemes[strings.ToLower(url[:i])]
}

// isURLByte tells the characters of addresses, but for those that mean something
// to Markdown, to MDX or to a table.
func isURLByte(c byte) bool {
	return isNameByte(c) || strings.IndexByte("-.~!#$%&'()*+,/:;=?@[]", c) >= 0 && c != 0
}

// isAutolink tells whether an address can stand in angle brackets.
func isAutolink(url string) bool {
	return strings.HasPrefix(url, "http://") || strings.HasPrefix(url, "https://")
}
