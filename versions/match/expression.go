package match

import (
	"bytes"
	"io"
	"regexp"
	"unicode/utf8"
)

// expression is a regular expression to search for. It is applied to one line at a time: a match lies within a line, ^
// and $ are its ends, and a carriage return before the line feed is not part of it. Empty matches don't count.
type expression struct {
	re    *regexp.Regexp
	needs []Term          // each matching line contains one of them; none: unknown
	parts bool            // the groups of the matches are needed too
	done  <-chan struct{} // closed when the search is cancelled; nil: never
}

func newExpression(pattern string, done <-chan struct{}) (*expression, error) {
	re, tree, err := readPattern(pattern)
	if err != nil {
		return nil, err
	}
	e := &expression{re: re, done: done}
	for _, n := range neededOf(tree) {
		e.needs = append(e.needs, newTerm(n.text, !n.fold))
	}
	return e, nil
}

// expression returns the regular expression of the query.
func (q Query) expression() string {
	if q.AnyCase {
		return "(?i)" + q.Text
	}
	return q.Text
}

// Terms parses the query. An empty query has no terms. A regular expression stops searching once done is closed; its
// matches may then be incomplete.
func (q Query) Terms(done <-chan struct{}) ([]Term, error) {
	if !q.Regexp {
		return q.Words(), nil
	}
	if q.Text == "" {
		return nil, nil
	}
	e, err := newExpression(q.expression(), done)
	if err != nil {
		return nil, err
	}
	return []Term{{expr: e}}, nil
}

func (e *expression) stopped() bool {
	select {
	case <-e.done:
		return true
	default:
		return false
	}
}

// longLine is the length in bytes above which a line is first matched in a way that can be cancelled; the faster way
// can't.
const longLine = 64 << 10

// inLine returns the matches in a line.
func (e *expression) inLine(line []byte) [][]int {
	if len(line) >= longLine && !e.re.MatchReader(&stoppable{e: e, text: line}) {
		return nil
	}
	find := e.re.FindAllIndex
	if e.parts {
		find = e.re.FindAllSubmatchIndex
	}
	all := find(line, -1)
	out := all[:0]
	for _, m := range all {
		if m[0] < m[1] {
			out = append(out, m)
		}
	}
	return out
}

// stoppable is a rune reader that ends when the search is cancelled.
type stoppable struct {
	e    *expression
	text []byte
	at   int
	read int // characters
}

func (s *stoppable) ReadRune() (rune, int, error) {
	if s.at >= len(s.text) || s.read&0xfff == 0 && s.e.stopped() {
		return 0, 0, io.EOF
	}
	s.read++
	if c := s.text[s.at]; c < utf8.RuneSelf {
		s.at++
		return rune(c), 1, nil
	}
	r, n := utf8.DecodeRune(s.text[s.at:])
	s.at += n
	return r, n, nil
}

// expressionFinder finds the matches of an expression in a text, from left to right.
type expressionFinder struct {
	e     *expression
	text  []byte
	at    int // the next line to examine begins here or later
	start int // offset of the line with the current matches
	found [][]int
	needs []Finder
	next  []Span // the next occurrence of each of needs
}

func (x *expressionFinder) begin(e *expression, text []byte) {
	x.e, x.text, x.at, x.found = e, text, 0, nil
	if len(x.needs) != len(e.needs) {
		x.needs, x.next = make([]Finder, len(e.needs)), make([]Span, len(e.needs))
	}
	for i := range e.needs {
		x.needs[i].Start(&e.needs[i], text)
		x.next[i] = Span{-1, -1}
	}
}

// find returns the next match: its position, and those of its groups as offsets in the line that begins at start.
func (x *expressionFinder) find() (sp Span, groups []int, ok bool) {
	for len(x.found) == 0 {
		start, end, more := x.line()
		if !more {
			return sp, nil, false
		}
		x.start, x.found = start, x.e.inLine(x.text[start:end])
	}
	groups, x.found = x.found[0], x.found[1:]
	return Span{x.start + groups[0], x.start + groups[1]}, groups, true
}

// line returns the next line that may match, without its end.
func (x *expressionFinder) line() (start, end int, ok bool) {
	at := x.candidate()
	if at >= len(x.text) || x.e.stopped() {
		return 0, 0, false
	}
	start = bytes.LastIndexByte(x.text[x.at:at], '\n') + 1 + x.at
	end = len(x.text)
	x.at = end
	if n := bytes.IndexByte(x.text[at:], '\n'); n >= 0 {
		end = at + n
		x.at = end + 1
		if end > start && x.text[end-1] == '\r' {
			end--
		}
	}
	return start, end, true
}

// candidate returns a position in the next line that may match, or the end of the text.
func (x *expressionFinder) candidate() int {
	if len(x.needs) == 0 {
		return x.at
	}
	first := len(x.text)
	for i := range x.needs {
		for x.next[i].Start < x.at {
			sp, ok := x.needs[i].Next()
			if !ok {
				sp = Span{len(x.text), len(x.text)}
			}
			x.next[i] = sp
			if !ok {
				break
			}
		}
		first = min(first, x.next[i].Start)
	}
	return first
}
