package versions

import (
	"bytes"
	"database/sql"
	"encoding/base64"
	"errors"
	"fmt"
	"regexp"
	"unicode/utf8"

	"github.com/memend/memend/versions/match"
)

// needle is a text that somebody named, as it is looked for: byte for byte, in any
// case, or as a regular expression. A nil needle is in no text.
type needle struct {
	text []byte
	re   *regexp.Regexp // nil: text is looked for byte for byte
}

// needle compiles what a target names; nil when it names versions.
func (t RedactTarget) needle() (*needle, error) {
	if t.Match == nil {
		return nil, nil
	}
	n := &needle{text: t.Match}
	if !t.IgnoreCase && !t.Regexp {
		return n, nil
	}
	if !utf8.Valid(t.Match) {
		return nil, fmt.Errorf("%w: a text that is not UTF-8 is looked for byte for byte only", ErrInvalid)
	}
	re, err := match.CompileText(string(t.Match), t.Regexp, t.IgnoreCase)
	if err != nil {
		return nil, err
	}
	if re.Match(nil) {
		return nil, fmt.Errorf("%w: the regular expression matches the empty text, which is everywhere", ErrInvalid)
	}
	n.re = re
	return n, nil
}

// in reports whether a text holds the needle.
func (n *needle) in(b []byte) bool {
	switch {
	case n == nil:
		return false
	case n.re != nil:
		return n.re.Match(b)
	}
	return bytes.Contains(b, n.text)
}

// count counts the occurrences that end behind the first old bytes of b.
func (n *needle) count(b []byte, old int) (count int) {
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

// inEscaped is in for a text that may be JSON, in which a text may be JSON again.
func (n *needle) inEscaped(b []byte) bool {
	if n == nil {
		return false
	}
	for level := 0; ; level++ {
		if n.in(b) {
			return true
		}
		if level == maxEscapes || bytes.IndexByte(b, '\\') < 0 {
			return false
		}
		b, _ = unescaped(b)
	}
}

func (n *needle) inString(s string) bool { return n.in([]byte(s)) }

// replace puts a text in the place of each occurrence.
func (n *needle) replace(b, with []byte) []byte {
	switch {
	case n == nil:
		return b
	case n.re != nil:
		return n.re.ReplaceAllLiteral(b, with)
	}
	return bytes.ReplaceAll(b, n.text, with)
}

// masked stands where an erased text stood.
const masked = "[redacted]"

// mask is what stands in the place of the needle; nothing when the needle is in the
// usual mask itself.
func (n *needle) mask() string {
	if n.inString(masked) {
		return ""
	}
	return masked
}

// masked is a text in which each occurrence is masked. Where taking one out makes
// another, nothing of the text stays.
func (n *needle) masked(s string) string {
	if !n.inString(s) {
		return s
	}
	if out := n.replace([]byte(s), []byte(n.mask())); !n.in(out) {
		return string(out)
	}
	return n.mask()
}

// erased is a text in which each occurrence is masked; all of it is where an escaped one
// remains.
func (n *needle) erased(s string) string {
	if out := n.masked(s); !n.inEscaped([]byte(out)) {
		return out
	}
	return n.mask()
}

// check refuses a text that is to stand in the place of the needle and holds it.
func (n *needle) check(with []byte) error {
	if n.in(with) {
		return errors.New("redact: the new text holds the one to be erased")
	}
	return nil
}

// rows lists the rows of which a text holds the needle. A query gives the row and two
// texts, which may be NULL.
func (n *needle) rows(q rower, query string, args ...any) (out []int64, err error) {
	rows, err := q.rows(query, args...)
	if err != nil {
		return nil, diskError(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var id int64
		var a, b sql.RawBytes
		if err := rows.Scan(&id, &a, &b); err != nil {
			return nil, err
		}
		if n.inEscaped(a) || n.inEscaped(b) {
			out = append(out, id)
		}
	}
	return out, diskError(rows.Err())
}

// pieces are those of the needle itself, as it stands in files: of a regular
// expression only what it matched tells any.
func (n *needle) pieces(occurrences ...[]byte) *pieces {
	w := newPieces(int64(len(n.text)))
	w.addNamed(n.forms(occurrences))
	return w
}

// forms are the texts by which the needle stands in files: its occurrences, and what
// becomes of them in base64, which is how exports write what is not UTF-8.
func (n *needle) forms(occurrences [][]byte) (out [][]byte) {
	if n.re == nil {
		occurrences = [][]byte{n.text}
	}
	for _, text := range occurrences {
		out = append(out, text)
		for shift := range 3 {
			if from, to := (shift*8+5)/6, (shift+len(text))*8/6; to-from >= windowBytes {
				coded := base64.StdEncoding.EncodeToString(append(make([]byte, shift), text...))
				out = append(out, []byte(coded[from:to]))
			}
		}
	}
	return out
}
