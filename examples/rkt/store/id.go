package store

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"unicode"
)

// ParsePodID returns the usual form of a pod's id, a UUID: lower case, with
// dashes. As in rkt, the dashes may be missing and letters may be upper case.
func ParsePodID(id string) (string, error) {
	if id == "" {
		return "", errors.New("a pod's id is missing")
	}
	digits := strings.ToLower(id)
	if len(digits) == 36 && digits[8] == '-' && digits[13] == '-' && digits[18] == '-' && digits[23] == '-' {
		digits = digits[:8] + digits[9:13] + digits[14:18] + digits[19:23] + digits[24:]
	}
	if _, err := hex.DecodeString(digits); err != nil || len(digits) != 32 {
		return "", fmt.Errorf("%s is not a pod's id, which is a UUID such as 6e5c9d40-2f2a-4c1f-9d53-0a6a3f7a1b01",
			abbreviate(id))
	}
	return strings.Join([]string{digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]}, "-"), nil
}

// maxImageID is more than twice the length of an image id of rkt's, in bytes.
const maxImageID = 256

// CheckImageID returns an error for what cannot be the id of an image. The API
// promises no form: "sha512-" and a hash is usual.
func CheckImageID(id string) error {
	switch {
	case id == "":
		return errors.New("an image's id is missing")
	case len(id) > maxImageID:
		return fmt.Errorf("%s is not an image's id: it has %d bytes, more than %d", abbreviate(id), len(id), maxImageID)
	case strings.ContainsFunc(id, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }):
		return fmt.Errorf("%s is not an image's id: it has blanks or unprintable characters", abbreviate(id))
	}
	return nil
}

// abbreviate quotes what a client sent, as far as it is fit for an error.
func abbreviate(s string) string {
	if r := []rune(s); len(r) > 64 {
		return fmt.Sprintf("%q…", string(r[:64]))
	}
	return fmt.Sprintf("%q", s)
}
