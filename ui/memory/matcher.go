package memory

import (
	"bytes"
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

// all appends the hits in complete lines; the first one has the number line. It may change
// b.
func (m *matcher) all(hits []hit, b []byte, line int) []hit {
	if m.expr != nil {
		return m.allLines(hits, b, line)
	}
	if m.fold {
		foldASCII(b)
	}
	start := 0 // of the current line
	for at := 0; ; {
		i := bytes.Index(b[at:], m.needle)
		if i < 0 {
			return hits
		}
		i += at
		if between := bytes.LastIndexByte(b[start:i], '\n'); between >= 0 {
			line += bytes.Count(b[start:start+between+1], []byte{'\n'})
			start += between + 1
		}
		hits = append(hits, hit{line, i - start})
		at = i + len(m.needle)
	}
}

// allLines searches line by line, so that ^ and $ match at lines.
func (m *matcher) allLines(hits []hit, b []byte, line int) []hit {
	for len(b) > 0 && len(hits) < maxHits {
		s, rest, _ := bytes.Cut(b, []byte{'\n'})
		s = bytes.TrimSuffix(s, []byte{'\r'})
		for _, at := range m.expr.FindAllIndex(s, -1) {
			if at[1] > at[0] {
				hits = append(hits, hit{line, at[0]})
			}
		}
		b = rest
		line++
	}
	return hits
}

// foldASCII lowers the ASCII letters of b in place. Other letters are compared exactly:
// lowering them could change the length, and so the offsets.
func foldASCII(b []byte) {
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
}

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
