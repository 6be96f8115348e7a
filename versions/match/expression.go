package match

import (
	"bytes"
	"io"
	"regexp"
	"unicode/utf8"
)

// expression is a regular expression that is looked for. It looks at one line at a
// time: what is found stands in one line, ^ and $ are its ends, and a carriage
// return before the line feed is no part of it. What is empty is not found.
type expression struct {
	re    *regexp.Regexp
	needs []Term          // one of them stands in each line that it finds; none: not known
	parts bool            // what its groups found is asked for too
	done  <-chan struct{} // closed when nobody waits any more; nil: somebody always does
}

func newExpression(pattern string, done <-chan struct{}) (*expression, error) {
	re, tree, err := readPattern(pattern)
	if err != nil {
		return nil, err
	}
	e := &expression{re: re, done: done}
	for _, n := range neededOf(tree) {
		e.needs = append(e.needs, NewTerm(n.text, !n.fold))
	}
	return e, nil
}

// expression is the regular expression that is looked for.
func (q Query) expression() string {
	if q.AnyCase {
		return "(?i)" + q.Text
	}
	return q.Text
}

// Terms reads the query. An empty query has none. A regular expression stops
// looking once done is closed; what it found until then may be incomplete.
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

// longLine is from how many bytes on a line is looked at in a way that can be
// stopped, before the faster one that can't.
const longLine = 64 << 10

// inLine is where it stands in a line.
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

// stoppable gives out a text until nobody waits for the answer any more.
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

// expressionFinder finds an expression in a text, from the left to the right.
type expressionFinder struct {
	e     *expression
	text  []byte
	at    int // the next line that is looked at begins here or after it
	start int // of the line in which matches stand
	found [][]int
	needs []Finder
	next  []Span // where each of needs stands next
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

// find is the next match: its place, and those of its groups, in bytes of the line
// that begins at start.
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

// line is the next line that may hold what is looked for, without its end.
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

// candidate is a place in the next line that may hold it; the text's end when
// there is none.
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
