package storesapi

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memend/memend/memfs"
	"golang.org/x/text/unicode/norm"
)

const (
	maxSegments  = 20
	maxPathBytes = 1024
)

// parsePath parses the path for a memory.
func parsePath(s string) (memfs.Path, error) {
	if why := wrongPath(s); why != "" {
		return memfs.Path{}, invalid("path: %s", why)
	}
	p, err := memfs.ParsePath(s)
	if err != nil {
		return p, invalid("path: %v", err)
	}
	if p.String() != s { // parsing cleaned it, so it was another path
		return p, invalid("path: is not in canonical form")
	}
	return p, nil
}

// wrongPath returns what is wrong with a path, or "". Paths are never corrected: the client would look for
// its memory at the path that it sent.
func wrongPath(s string) string {
	switch {
	case !strings.HasPrefix(s, "/"):
		return "must begin with a slash"
	case len(s) > maxPathBytes:
		return "is longer than 1,024 bytes"
	case !utf8.ValidString(s):
		return "is not valid UTF-8"
	}
	segments := strings.Split(s[1:], "/")
	if len(segments) > maxSegments {
		return "has more than 20 segments"
	}
	for _, seg := range segments {
		switch {
		case seg == "":
			return "has an empty segment"
		case seg == "." || seg == "..":
			return "has a segment that is . or .."
		case strings.HasPrefix(seg, ".memend-"):
			return "has a segment that begins with .memend-, which is reserved for memend's own files"
		}
	}
	if i := strings.IndexFunc(s, hidden); i >= 0 {
		return "contains a control or format character"
	}
	if !norm.NFC.IsNormalString(s) {
		return "is not in Unicode's normalization form C"
	}
	return ""
}

func hidden(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Cf) || r == '\u2028' || r == '\u2029'
}
