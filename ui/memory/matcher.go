package memory

import (
	"bytes"
	"context"
	"regexp"
	"strings"

	"github.com/memend/memend/versions/match"
)

// matcher finds the typed query: a text, or a regular expression between slashes. It
// ignores case unless the query has a capital letter.
type matcher struct {
	needle []byte // lower case if fold is set
	fold   bool
	expr   *regexp.Regexp // instead of needle
}

func newMatcher(s string) (*matcher, error) {
	if len(s) > 2 && s[0] == '/' && s[len(s)-1] == '/' {
		return newExpression(s[1 : len(s)-1])
	}
	return &matcher{needle: []byte(s), fold: strings.ToLower(s) == s}, nil
}

func newExpression(s string) (*matcher, error) {
	expr, err := match.Compile(s)
	if err != nil {
		return nil, err
	}
	return &matcher{expr: expr}, nil
}

// in appends the matches in one line, as pairs of byte offsets.
func (m *matcher) in(dst []int, s string) []int {
	if m.expr != nil {
		for _, at := range m.expr.FindAllStringIndex(s, -1) {
			if at[1] > at[0] {
				dst = append(dst, at[0], at[1])
			}
		}
		return dst
	}
	for at := 0; len(m.needle) > 0; {
		i := indexFold(s[at:], m.needle, m.fold)
		if i < 0 {
			break
		}
		dst = append(dst, at+i, at+i+len(m.needle))
		at += i + len(m.needle)
	}
	return dst
}

// all returns the hits in a text; ^ and $ match at lines.
func (m *matcher) all(ctx context.Context, content []byte) []spot {
	var hits []spot
	var found []int
	line := 0
	for s := range bytes.Lines(content) {
		s = bytes.TrimSuffix(bytes.TrimSuffix(s, []byte("\n")), []byte("\r"))
		found = m.in(found[:0], string(s))
		for i := 0; i < len(found); i += 2 {
			hits = append(hits, spot{line, found[i]})
		}
		if line++; len(hits) >= maxHits || ctx.Err() != nil {
			break
		}
	}
	return hits
}

// indexFold is strings.Index that ignores the case of ASCII letters if fold is set. Other letters are
// compared exactly: lowering them could change the length, and so the offsets.
func indexFold(s string, needle []byte, fold bool) int {
	if !fold {
		return strings.Index(s, string(needle))
	}
	for i := 0; i+len(needle) <= len(s); i++ {
		j := 0
		for j < len(needle) {
			c := s[i+j]
			if c >= 'A' && c <= 'Z' {
				c += 'a' - 'A'
			}
			if c != needle[j] {
				break
			}
			j++
		}
		if j == len(needle) {
			return i
		}
	}
	return -1
}
