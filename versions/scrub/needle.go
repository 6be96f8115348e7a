package scrub

import (
	"bytes"
	"encoding/base64"
	"errors"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/memend/memend/versions/match"
)

// Needle is a text that a person named: literal, ignoring case, or a regular expression. A nil needle occurs in no text.
type Needle struct {
	text []byte
	re   *regexp.Regexp // nil: text is literal
	part []byte         // lower-case ASCII that every match contains, in either case; empty: not known
}

// Compile returns a needle for a text. The error says why it can't be searched for in this way.
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
		return nil, errors.New("the regular expression matches the empty text, which occurs everywhere")
	}
	n := &Needle{text: text, re: re}
	if !isRegexp {
		n.part = foldedPart(text)
	}
	return n, nil
}

// foldedPart returns the longest part of a literal whose letters have no other case than that of ASCII, in lower case.
func foldedPart(literal []byte) (longest []byte) {
	for part := range bytes.FieldsFuncSeq(literal, func(r rune) bool { return r >= utf8.RuneSelf || strings.ContainsRune("kKsS", r) }) {
		if len(part) > len(longest) {
			longest = part
		}
	}
	return bytes.ToLower(longest)
}

// maybeIn reports whether a text has what every match contains. Regular expressions take much longer to see that it has not.
func (n *Needle) maybeIn(b []byte) bool {
	if len(n.part) == 0 {
		return true
	}
	rest := n.part[1:]
	for _, first := range []byte{n.part[0], upper(n.part[0])} {
		for at := b; ; {
			i := bytes.IndexByte(at, first)
			if i < 0 {
				break
			}
			if at = at[i+1:]; len(at) >= len(rest) && bytes.EqualFold(at[:len(rest)], rest) {
				return true
			}
		}
	}
	return false
}

func upper(c byte) byte {
	if 'a' <= c && c <= 'z' {
		c -= 'a' - 'A'
	}
	return c
}

// Varies reports whether a needle matches other texts than the named one.
func (n *Needle) Varies() bool { return n.re != nil }

// Matches returns at most limit matches in b of a needle that varies.
func (n *Needle) Matches(b []byte, limit int) [][]byte { return n.re.FindAll(b, limit) }

// In reports whether a text contains the needle.
func (n *Needle) In(b []byte) bool {
	switch {
	case n == nil:
		return false
	case n.re != nil:
		return n.maybeIn(b) && n.re.Match(b)
	}
	return bytes.Contains(b, n.text)
}

// count returns the number of occurrences that end after the first old bytes of b.
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

// InEscaped is like In for a text that may be JSON, whose strings may be JSON again.
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

// InString is like In for a string.
func (n *Needle) InString(s string) bool { return n.In([]byte(s)) }

// InName reports whether a name contains the needle. A short one in an id or in a hash is there by chance.
func (n *Needle) InName(name string) bool {
	if !n.InString(name) {
		return false
	}
	if n.InString(byChance().ReplaceAllString(name, "/")) {
		return true
	}
	if n.re == nil {
		return len(n.text) >= minByChance
	}
	return slices.ContainsFunc(n.re.FindAllStringIndex(name, -1), func(at []int) bool { return at[1]-at[0] >= minByChance })
}

// minByChance is the length in bytes from which on a text does not occur in an id or in a hash by chance.
const minByChance = 8

// byChance matches the random ids of stores and sessions, and the hashes that git gives its objects as names.
var byChance = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(memstore|mem|memver|sesn)_[a-z2-7]{24}|[0-9a-f]{38,}`)
})

// Replace replaces each occurrence.
func (n *Needle) Replace(b, with []byte) []byte {
	switch {
	case n == nil:
		return b
	case n.re != nil:
		return n.re.ReplaceAllLiteral(b, with)
	}
	return bytes.ReplaceAll(b, n.text, with)
}

// masked replaces an erased text.
const masked = "[redacted]"

// IsMasked reports whether a text looks as if something of it was replaced by the usual mask.
func IsMasked(s string) bool { return strings.Contains(s, masked) }

// Mask returns the replacement for the needle; it is empty if the usual one contains the needle itself.
func (n *Needle) Mask() string {
	if n.InString(masked) {
		return ""
	}
	return masked
}

// Masked returns s with each occurrence replaced by the mask. If that creates a new occurrence, all of s is replaced.
func (n *Needle) Masked(s string) string {
	if !n.InString(s) {
		return s
	}
	if out := n.Replace([]byte(s), []byte(n.Mask())); !n.In(out) {
		return string(out)
	}
	return n.Mask()
}

// Erased is like Masked for a text that may contain escaped occurrences: if one is left, all of s is replaced.
func (n *Needle) Erased(s string) string {
	if out := n.Masked(s); !n.InEscaped([]byte(out)) {
		return out
	}
	return n.Mask()
}

// Pieces returns the pieces of the needle itself, as files contain it. A needle that varies has only those of its known occurrences.
func (n *Needle) Pieces(occurrences ...[]byte) *Pieces {
	w := NewPieces(int64(len(n.text)))
	w.AddNamed(n.Forms(occurrences))
	return w
}

// Forms returns the forms in which files contain a needle: its occurrences, and their base64, in which exports write binary content.
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
