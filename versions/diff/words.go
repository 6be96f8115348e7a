package diff

import (
	"unicode"
	"unicode/utf8"
)

// Span is a range of bytes inside one line.
type Span struct{ Start, End int }

const (
	// maxLineTokens is the maximum number of tokens of a line; a longer one counts as changed as a whole.
	maxLineTokens = 5000
	// wordBudget limits the work of go-diff for one pair of lines; see lineBudget.
	wordBudget = 1_000_000
)

// Words returns the bytes that changed in a removed or added line, compared with the line beside it in the
// side-by-side view. It returns nothing for a line without a counterpart, and if over 60 % of the words changed,
// because marks would not help then. Unless LinesWithin made the diff, the result is computed at each call: call it
// only for the lines on the screen.
func (d *Diff) Words(l Line) []Span {
	old, new, ok := d.pairOf(l)
	if !ok {
		return nil
	}
	p, ok := d.compare(old, new)
	if !ok {
		return nil
	}
	return spansOf(p, l.Kind)
}

// pairOf returns a removed or added line together with its counterpart in the same edit.
func (d *Diff) pairOf(l Line) (old, new Line, ok bool) {
	switch l.Kind {
	case Removed:
		e, in := d.editOf(func(e Edit) int { return e.OldEnd() }, l.Old-1)
		if at := l.Old - 1 - e.Old; in && at < e.NewLines {
			return l, d.added(e.New + at), true
		}
	case Added:
		e, in := d.editOf(func(e Edit) int { return e.NewEnd() }, l.New-1)
		if at := l.New - 1 - e.New; in && at < e.OldLines {
			return d.removed(e.Old + at), l, true
		}
	}
	return old, new, false
}

// compare returns the pieces of two lines beside each other. ok is false if they have too little in common, or if
// the time ran out before they were compared.
func (d *Diff) compare(old, new Line) (p []Piece, ok bool) {
	if d.pieces != nil && long(old.Text, new.Text) {
		p = d.pieces[old.Old-1]
		return p, p != nil
	}
	return inPieces(old.Text, new.Text)
}

// spansOf returns the positions of the pieces of a kind in their line.
func spansOf(p []Piece, k Kind) (out []Span) {
	at := 0
	for _, x := range p {
		switch x.Kind {
		case k:
			out = append(out, Span{at, at + len(x.Text)})
			at += len(x.Text)
		case Same:
			at += len(x.Text)
		}
	}
	return out
}

// editOf returns the first edit whose end is beyond line i.
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

// Piece is a run of bytes that two lines share, or that only one of them has.
type Piece struct {
	Kind Kind
	Text []byte
}

// inPieces returns the pieces of two lines; ok is false if they have too little in common.
func inPieces(old, new []byte) (out []Piece, ok bool) {
	c, ok := compareWords(old, new)
	if !ok {
		return nil, false
	}
	o, n := 0, 0 // bytes already in pieces
	for i := 0; i < len(c.edits); {
		first, last := c.edits[i], c.edits[i]
		for i++; i < len(c.edits) && isBlank(c.between(new, c.new, last.NewEnd(), c.edits[i].New)); i++ {
			last = c.edits[i] // one word after the other changed
		}
		out = appendPiece(out, Same, new[n:c.start(new, c.new, first.New)])
		o, n = c.start(old, c.old, last.OldEnd()), c.start(new, c.new, last.NewEnd())
		out = appendPiece(out, Removed, old[c.start(old, c.old, first.Old):o])
		out = appendPiece(out, Added, new[c.start(new, c.new, first.New):n])
	}
	return appendPiece(out, Same, new[n:]), true
}

func appendPiece(out []Piece, k Kind, text []byte) []Piece {
	if len(text) == 0 {
		return out
	}
	return append(out, Piece{k, text})
}

// wordDiff is the token-by-token comparison of two lines.
type wordDiff struct {
	old, new []Span // tokens
	edits    []Edit // of tokens
}

// start returns the offset of token i in a line.
func (wordDiff) start(line []byte, tokens []Span, i int) int {
	if i == len(tokens) {
		return len(line)
	}
	return tokens[i].Start
}

// between returns the text of the tokens from..to.
func (c wordDiff) between(line []byte, tokens []Span, from, to int) []byte {
	return line[c.start(line, tokens, from):c.start(line, tokens, to)]
}

// shortEnough reports whether two lines are short enough to have their words compared.
func shortEnough(old, new []byte) bool { return max(len(old), len(new)) <= maxLineTokens*64 }

// compareWords compares two lines by words; ok is false if a line is too long or over 60 % of the words changed.
func compareWords(old, new []byte) (c wordDiff, ok bool) {
	if !shortEnough(old, new) {
		return c, false
	}
	c.old, c.new = tokens(old), tokens(new)
	if len(c.old) > maxLineTokens || len(c.new) > maxLineTokens {
		return c, false
	}
	ids := map[string]int32{}
	m := newMatcher(internTokens(old, c.old, ids), internTokens(new, c.new, ids), len(ids), wordBudget)
	m.match(0, len(m.a), 0, len(m.b), 0)
	c.edits = m.edits
	changed := 0
	for _, e := range c.edits {
		changed += solid(old, c.old[e.Old:e.OldEnd()]) + solid(new, c.new[e.New:e.NewEnd()])
	}
	return c, changed*100 <= (solid(old, c.old)+solid(new, c.new))*60
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
	otherToken                  // any other rune, an invalid byte, a character of a script without blanks: one per token
)

// tokens splits a line into words, blanks and single characters. Every byte is in exactly one token.
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
