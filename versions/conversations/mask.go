package conversations

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"sync"
)

// Mask replaces the strings in a conversation's file for which masks is true with a text, in place
// and with the same length. A dry run only counts them. A file that is missing has none.
func Mask(name string, masks func(text []byte) bool, text string, dry bool) (masked int, err error) {
	flag := os.O_RDWR
	if dry {
		flag = os.O_RDONLY
	}
	f, err := os.OpenFile(name, flag, 0)
	if os.IsNotExist(err) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer func() { _ = f.Close() }()
	for from := int64(0); ; {
		fi, err := f.Stat()
		if err != nil {
			return masked, err
		}
		b, err := wholeLines(f, from, fi.Size())
		if err != nil {
			return masked, err
		}
		if len(b) == 0 { // the end, or an incomplete line that a killed program left
			if b, err = rest(f, from, fi.Size()); err != nil || len(b) == 0 {
				break
			}
		}
		for _, at := range stringsThat(b, masks) {
			if masked++; dry {
				continue
			}
			if _, err := f.WriteAt(maskOf(at[1]-at[0], text), from+int64(at[0])); err != nil {
				return masked, err
			}
		}
		from += int64(len(b))
	}
	if masked == 0 || dry {
		return masked, nil
	}
	return masked, f.Sync()
}

// rest reads the rest of a file.
func rest(f *os.File, from, size int64) ([]byte, error) {
	b := make([]byte, max(size-from, 0))
	_, err := f.ReadAt(b, from)
	return b, err
}

// stringsThat returns the ranges of JSON strings in b, with their quotes, for which holds
// is true. It skips field names and the kind of each object, because masking those would
// change what the object is.
func stringsThat(b []byte, holds func([]byte) bool) (out [][2]int) {
	field := ""
	for at := 0; at < len(b); {
		start := bytes.IndexByte(b[at:], '"')
		if start < 0 {
			break
		}
		start += at
		end := endOfString(b, start+1)
		at = end
		if isField(b[start:end], b[end:]) {
			field = string(b[start+1 : end-1])
			continue
		}
		kind := (field == "type" || field == "role") && fieldName().Match(b[start:end])
		if field = ""; !kind && holds(unquoted(b[start:end])) {
			out = append(out, [2]int{start, end})
		}
	}
	return out
}

// isField reports whether a string is a field name, which a colon follows.
func isField(quoted, after []byte) bool {
	return len(quoted) < maxFieldName && fieldName().Match(quoted) && bytes.HasPrefix(bytes.TrimLeft(after, " "), []byte(":"))
}

var fieldName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^"[a-z_]+"$`)
})

// maxFieldName is more than the length of any field name of a conversation, with its quotes.
const maxFieldName = 24

// endOfString returns the index after the closing quote of the string that begins at at.
// For a truncated string it is the end of the line or of b.
func endOfString(b []byte, at int) int {
	for ; at < len(b); at++ {
		switch b[at] {
		case '\\':
			at++
		case '"':
			return at + 1
		case '\n':
			return at
		}
	}
	return min(at, len(b))
}

// unquoted returns the value of a JSON string, or the raw text of a truncated one.
func unquoted(b []byte) []byte {
	var s string
	if json.Unmarshal(b, &s) != nil {
		return bytes.ReplaceAll(b, []byte(`\n`), []byte("\n"))
	}
	return []byte(s)
}

// maskOf returns a masked JSON string of size bytes.
func maskOf(size int, text string) []byte {
	mask := bytes.Repeat([]byte(" "), size)
	mask[0], mask[size-1] = '"', '"'
	if size >= len(text)+2 {
		copy(mask[1:], text)
	}
	return mask
}
