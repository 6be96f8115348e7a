package versions

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
)

// maskConversations masks what a redaction is about in the conversations of the
// home: each string of an object that holds a piece of it, as it reads or as the
// memory tool showed it with line numbers. Masks are as long as what they stand for
// and are written in its place, so that who adds to the conversation need not be
// asked. It gives how many strings were masked, and what could not be seen to.
func (t *Trail) maskConversations(ctx context.Context, look *pieces, p RedactPlan) (masked int, unknown []string) {
	c := t.Conversations()
	list, err := c.List()
	if err != nil {
		return 0, []string{fmt.Sprintf("conversations: %v", bare(err))}
	}
	holds := func(s []byte) bool {
		return look.in(s) || p.Target.Match != nil && bytes.Contains(s, p.Target.Match)
	}
	for _, info := range list {
		if ctx.Err() != nil {
			return masked, append(unknown, "the search of conversations was stopped")
		}
		name := filepath.Join(c.dir, string(info.Session)+conversationEnd)
		n, err := maskFile(name, holds)
		masked += n
		if err != nil {
			unknown = append(unknown, fmt.Sprintf("%s: %v", name, bare(err)))
		}
	}
	return masked, unknown
}

// in reports whether a text holds a piece of what somebody named, or of all when
// nothing was named.
func (w *pieces) in(b []byte) bool {
	h := hits{}
	w.find(b, 0, h)
	return w.ofNamed(h) > 0
}

func maskFile(name string, holds func([]byte) bool) (masked int, err error) {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
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
		if len(b) == 0 { // the end, or half of a line, which a killed program left
			if b, err = rest(f, from, fi.Size()); err != nil || len(b) == 0 {
				break
			}
		}
		for _, at := range stringsThat(b, holds) {
			if _, err := f.WriteAt(maskOf(at[1]-at[0]), from+int64(at[0])); err != nil {
				return masked, err
			}
			masked++
		}
		from += int64(len(b))
	}
	if masked == 0 {
		return 0, nil
	}
	return masked, f.Sync()
}

func rest(f *os.File, from, size int64) ([]byte, error) {
	b := make([]byte, max(size-from, 0))
	_, err := f.ReadAt(b, from)
	return b, err
}

// stringsThat finds the JSON strings in b, with their quotes, that hold something.
func stringsThat(b []byte, holds func([]byte) bool) (out [][2]int) {
	for at := 0; at < len(b); {
		start := bytes.IndexByte(b[at:], '"')
		if start < 0 {
			break
		}
		start += at
		end := endOfString(b, start+1)
		text := unquoted(b[start:end])
		if holds(text) || holds(lineNumber.ReplaceAll(text, nil)) {
			out = append(out, [2]int{start, end})
		}
		at = end
	}
	return out
}

// lineNumber is what the memory tool writes before each line of a file.
var lineNumber = regexp.MustCompile(`(?m)^ *\d+\t`)

// endOfString is the place after the quote that ends a string which begins at at,
// or the end of the line or of b, of one that was torn.
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

// unquoted is what a JSON string says; of one that was torn, as it stands.
func unquoted(b []byte) []byte {
	var s string
	if json.Unmarshal(b, &s) != nil {
		return bytes.ReplaceAll(b, []byte(`\n`), []byte("\n"))
	}
	return []byte(s)
}

// maskOf is a JSON string of so many bytes.
func maskOf(n int) []byte {
	mask := bytes.Repeat([]byte(" "), n)
	mask[0], mask[n-1] = '"', '"'
	if n >= len(`"[redacted]"`) {
		copy(mask, `"[redacted]`)
	}
	return mask
}
