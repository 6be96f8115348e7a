package scrub

import (
	"bytes"
	"encoding/base64"
	"errors"
	"regexp"
	"unicode/utf8"

	"github.com/memend/memend/versions/match"
)

// Needle is a text that somebody named, as it is searched for: byte for byte, in any
// case, or as a regular expression. A nil needle is in no text.
type Needle struct {
	text []byte
	re   *regexp.Regexp // nil: text is searched for byte for byte
}

// Compile makes a needle of a text. An error says why it can't be searched for in this way.
func Compile(text []byte, isRegexp, ignoreCase bool) (*Needle, error) {
	if !isRegexp && !ignoreCase {
		return &Needle{text: text}, nil
	}
	if !utf8.Valid(text) {
		return nil, errors.New("text that is not UTF-8 can only be searched for byte for byte")
	}
	re, err := match.CompileText(string(text), isRegexp, ignoreCase)
	if err != nil {
		return nil, err
	}
	if re.Match(nil) {
		return nil, errors.New("the regular expression matches the empty text, which is everywhere")
	}
	return &Needle{text: text, re: re}, nil
}

// Varies reports whether a needle matches other texts than the one that was named.
func (n *Needle) Varies() bool { return n.re != nil }

// Matches lists at most limit texts in b that a needle matches which varies.
func (n *Needle) Matches(b []byte, limit int) [][]byte { return n.re.FindAll(b, limit) }

// In reports whether a text holds the needle.
func (n *Needle) In(b []byte) bool {
	switch {
	case n == nil:
		return false
	case n.re != nil:
		return n.re.Match(b)
	}
	return bytes.Contains(b, n.text)
}

// count counts the occurrences that end after the first old bytes of b.
func (n *Needle) count(b []byte, old int) (count int) {
	switch {
	case n == nil:
	case n.re != nil:
		for _, m := range n.re.FindAllIndex(b, -1) {
			if m[1] > old {
				count++
			}
		}
	default:
		count = bytes.Count(b[max(old-len(n.text)+1, 0):], n.text)
	}
	return count
}

// InEscaped is In for a text that may be JSON, in which a text may be JSON again.
func (n *Needle) InEscaped(b []byte) bool {
	if n == nil {
		return false
	}
	for level := 0; ; level++ {
		if n.In(b) {
			return true
		}
		if level == maxEscapes || bytes.IndexByte(b, '\\') < 0 {
			return false
		}
		b, _ = unescaped(b)
	}
}

// InString is In for a string.
func (n *Needle) InString(s string) bool { return n.In([]byte(s)) }

// Replace puts a text in the place of each occurrence.
func (n *Needle) Replace(b, with []byte) []byte {
	switch {
	case n == nil:
		return b
	case n.re != nil:
		return n.re.ReplaceAllLiteral(b, with)
	}
	return bytes.ReplaceAll(b, n.text, with)
}

// masked stands where an erased text was.
const masked = "[redacted]"

// Mask is the text that stands where the needle was; it is empty when the usual one
// holds the needle itself.
func (n *Needle) Mask() string {
	if n.InString(masked) {
		return ""
	}
	return masked
}

// Masked replaces each occurrence in s by the mask. Where this makes a new occurrence,
// all of s is replaced.
func (n *Needle) Masked(s string) string {
	if !n.InString(s) {
		return s
	}
	if out := n.Replace([]byte(s), []byte(n.Mask())); !n.In(out) {
		return string(out)
	}
	return n.Mask()
}

// Erased is Masked for a text that may hold escaped occurrences: where one is left, all
// of s is replaced.
func (n *Needle) Erased(s string) string {
	if out := n.Masked(s); !n.InEscaped([]byte(out)) {
		return out
	}
	return n.Mask()
}

// Pieces are those of the needle itself, as files hold it. A needle that varies has
// only those of its known occurrences.
func (n *Needle) Pieces(occurrences ...[]byte) *Pieces {
	w := NewPieces(int64(len(n.text)))
	w.AddNamed(n.Forms(occurrences))
	return w
}

// Forms are the texts that files hold for a needle: its occurrences, and these in base64,
// in which exports write what is not UTF-8.
func (n *Needle) Forms(occurrences [][]byte) (out [][]byte) {
	if n.re == nil {
		occurrences = [][]byte{n.text}
	}
	for _, text := range occurrences {
		out = append(out, text)
		for shift := range 3 {
			if from, to := (shift*8+5)/6, (shift+len(text))*8/6; to-from >= WindowBytes {
				coded := base64.StdEncoding.EncodeToString(append(make([]byte, shift), text...))
				out = append(out, []byte(coded[from:to]))
			}
		}
	}
	return out
}
