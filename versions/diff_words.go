package versions

import (
	"unicode"
	"unicode/utf8"
)

// Span is a range of bytes inside one line.
type Span struct{ Start, End int }

const (
	// maxLineTokens: a line of more is shown as changed as a whole.
	maxLineTokens = 5000
	// wordBudget bounds the work of go-diff for one pair of lines; see lineBudget.
	wordBudget = 1_000_000
)

// Words says which bytes changed inside a removed or added line, against the
// line of the same edit that stands beside it in Split: first with first,
// second with second. Nothing for a line without one, and where so much
// changed (over 60 % of the words) that marks would say less than none. It is
// computed at each call: ask for the lines on the screen only.
func (d *Diff) Words(l Line) []Span {
	var e Edit
	var ok bool
	switch l.Kind {
	case Removed:
		e, ok = d.editOf(func(e Edit) int { return e.oldEnd() }, l.Old-1)
		if at := l.Old - 1 - e.Old; ok && at < e.NewLines {
			old, _ := changedWords(l.Text, d.new.line(e.New+at))
			return old
		}
	case Added:
		e, ok = d.editOf(func(e Edit) int { return e.newEnd() }, l.New-1)
		if at := l.New - 1 - e.New; ok && at < e.OldLines {
			_, added := changedWords(d.old.line(e.Old+at), l.Text)
			return added
		}
	}
	return nil
}

// editOf is the first edit whose end is beyond line i.
func (d *Diff) editOf(end func(Edit) int, i int) (Edit, bool) {
	lo, hi := 0, len(d.edits)
	for lo < hi {
		mid := (lo + hi) / 2
		if end(d.edits[mid]) > i {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	if lo == len(d.edits) {
		return Edit{}, false
	}
	return d.edits[lo], true
}

// changedWords compares two lines token by token.
func changedWords(old, new []byte) (o, n []Span) {
	if len(old) > maxLineTokens*64 || len(new) > maxLineTokens*64 {
		return nil, nil
	}
	ta, tb := tokens(old), tokens(new)
	if len(ta) > maxLineTokens || len(tb) > maxLineTokens {
		return nil, nil
	}
	ids := map[string]int32{}
	m := newMatcher(internTokens(old, ta, ids), internTokens(new, tb, ids), len(ids), wordBudget)
	m.match(0, len(m.a), 0, len(m.b), 0)
	oc, nc := 0, 0
	for _, e := range m.edits {
		o, oc = markTokens(old, ta, e.Old, e.oldEnd(), o, oc)
		n, nc = markTokens(new, tb, e.New, e.newEnd(), n, nc)
	}
	if total := solid(old, ta) + solid(new, tb); (oc+nc)*100 > total*60 {
		return nil, nil
	}
	return o, n
}

// markTokens adds the tokens from..to to the spans, joined to the span before
// when only blanks lie between, and counts those that are not blank.
func markTokens(line []byte, t []Span, from, to int, spans []Span, count int) ([]Span, int) {
	if from == to {
		return spans, count
	}
	s := Span{t[from].Start, t[to-1].End}
	if k := len(spans) - 1; k >= 0 && isBlank(line[spans[k].End:s.Start]) {
		spans[k].End = s.End
	} else {
		spans = append(spans, s)
	}
	return spans, count + solid(line, t[from:to])
}

// solid counts the tokens that are not blank.
func solid(line []byte, t []Span) int {
	n := 0
	for _, s := range t {
		if !isBlank(line[s.Start:s.End]) {
			n++
		}
	}
	return n
}

func internTokens(line []byte, t []Span, ids map[string]int32) []int32 {
	out := make([]int32, len(t))
	for i, s := range t {
		word := string(line[s.Start:s.End])
		id, ok := ids[word]
		if !ok {
			id = int32(len(ids))
			ids[word] = id
		}
		out[i] = id
	}
	return out
}

type tokenKind uint8

const (
	wordToken  tokenKind = iota // letters, digits, underscore and the marks on them
	blankToken                  // spaces and tabs
	otherToken                  // any other rune, an invalid byte, a character of a script without blanks: one each
)

// tokens cuts a line into words, blanks and single characters. Every byte is in
// exactly one token, whatever it is.
func tokens(line []byte) []Span {
	var out []Span
	last := otherToken
	for i := 0; i < len(line); {
		r, n := utf8.DecodeRune(line[i:])
		k := kindOf(r, n)
		if k != otherToken && k == last {
			out[len(out)-1].End += n
		} else {
			out = append(out, Span{i, i + n})
		}
		last = k
		i += n
	}
	return out
}

func kindOf(r rune, n int) tokenKind {
	switch {
	case r == utf8.RuneError && n == 1:
		return otherToken
	case r == ' ' || r == '\t':
		return blankToken
	case r == '_' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9':
		return wordToken
	case r < utf8.RuneSelf:
		return otherToken
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer):
		return otherToken
	case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
		return wordToken
	}
	return otherToken
}
