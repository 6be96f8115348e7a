package match

import (
	"bytes"
	"cmp"
	"errors"
	"strings"
	"unicode/utf8"
)

// Replaced is one replacement.
type Replaced struct {
	Line        // with only this match
	With string // the new text, or its beginning
}

// Replacer finds and replaces.
type Replacer struct {
	terms []Term // exactly one
	with  string
	hits  Finder
}

// NewReplacer returns a Replacer for the matches of a query with one term. In the replacement for a regular expression $1 and ${name}
// are the groups' matches, $$ is a dollar sign, \n a line end as in the text, \t a tab and \\ a backslash.
func NewReplacer(q Query, with string, done <-chan struct{}) (*Replacer, error) {
	rep := &Replacer{with: with}
	if !utf8.ValidString(with) {
		return nil, errors.New("the replacement is not UTF-8")
	}
	if !q.Regexp {
		if rep.terms = q.Words(); len(rep.terms) != 1 {
			return nil, errors.New("look for one word, one \"phrase in quotes\" or a regular expression")
		}
		return rep, nil
	}
	e, err := newExpression(q.expression(), done)
	if err != nil {
		return nil, err
	}
	e.parts = true
	rep.terms = []Term{{expr: e}}
	return rep, nil
}

// each calls do for each match, in order, with its replacement, which is valid until do returns. Matches do not overlap.
func (r *Replacer) each(text []byte, do func(at Span, with []byte) bool) {
	t := &r.terms[0]
	r.hits.Start(t, text)
	if t.expr == nil {
		for at, ok := r.hits.Next(); ok && do(at, []byte(r.with)); at, ok = r.hits.Next() {
		}
		return
	}
	x := &r.hits.expr
	template := unescape(r.with, lineEnd(text))
	var made []byte
	for at, groups, ok := x.find(); ok; at, groups, ok = x.find() {
		made = t.expr.re.Expand(made[:0], template, text[x.start:], groups)
		if !do(at, made) {
			return
		}
	}
}

// Replace returns the text with its matches replaced except those in except, its size, and the number of replacements. If the size
// exceeds limit, the text itself is nil.
func (r *Replacer) Replace(text []byte, except []int, limit int64) (out []byte, size int64, done int) {
	stays := map[int]bool{}
	for _, n := range except {
		stays[n] = true
	}
	out = make([]byte, 0, len(text)+len(text)/16)
	size = int64(len(text))
	n, from := -1, 0
	r.each(text, func(at Span, with []byte) bool {
		if n++; stays[n] {
			return true
		}
		done++
		if size += int64(len(with) - (at.End - at.Start)); int64(len(out)) <= limit {
			out = append(append(out, text[from:at.Start]...), with...)
		}
		from = at.End
		return true
	})
	return append(out, text[from:]...), size, done
}

// Preview returns the first matches of a text, at most most. Lines are cut to width bytes; 0 means DefaultWidth.
func (r *Replacer) Preview(text []byte, width, most int) (hits []Replaced) {
	if most <= 0 {
		return nil
	}
	width = cmp.Or(width, DefaultWidth)
	number, counted := 1, 0
	r.each(text, func(at Span, with []byte) bool {
		start := bytes.LastIndexByte(text[:at.Start], '\n') + 1
		end := len(text)
		if n := bytes.IndexByte(text[at.Start:], '\n'); n >= 0 {
			end = at.Start + n
		}
		number += bytes.Count(text[counted:start], []byte("\n"))
		counted = start
		h := Replaced{cutLine(text, start, end, []Span{at}, width), string(with[:runeStart(with, min(len(with), width))])}
		h.Number = number
		hits = append(hits, h)
		return len(hits) < most
	})
	return hits
}

// unescape resolves the backslashes in the replacement for a regular expression.
func unescape(with, eol string) []byte {
	return []byte(strings.NewReplacer(`\\`, `\`, `\n`, eol, `\t`, "\t").Replace(with))
}

// lineEnd returns the line ending of a text.
func lineEnd(text []byte) string {
	if n := bytes.IndexByte(text, '\n'); n > 0 && text[n-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}
