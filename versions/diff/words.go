package diff

import (
	"bytes"
	"slices"
	"unicode"
	"unicode/utf8"
)

// Span is a range of bytes inside one line.
type Span struct{ Start, End int }

const (
	// maxWordBytes is the maximum length of lines that are compared word by word. In longer ones, chunks are compared
	// first, and then the words of chunks that differ.
	maxWordBytes = 5000
	// wordBudget limits the work of go-diff for one pair of lines; see lineBudget.
	wordBudget = 1_000_000
)

// Words returns the bytes that changed in a removed or added line, compared with the line beside it in the
// side-by-side view. It returns nothing for a line without a counterpart, and if over 60 % of the words changed,
// because marks would not help then. Unless LinesWithin made the diff, the result is computed at each call: call it
// only for the lines on the screen.
func (d *Diff) Words(l Line) []Span {
	p, ok := d.compare(l)
	if !ok {
		return nil
	}
	return slices.DeleteFunc(spansOf(p, l.Kind), func(s Span) bool { return s.Start == s.End })
}

// Differences returns where a removed or added line differs from the line beside it. Unlike Words, it has an empty span where
// only the other line has text, and one span from the first to the last difference if over 60 % of the words changed or
// the time ran out. A line without a counterpart is one span.
func (d *Diff) Differences(l Line) []Span {
	if l.Kind == Same {
		return nil
	}
	p, _ := d.compare(l)
	if p == nil {
		return []Span{{0, len(l.Text)}}
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

// compare returns the pieces of a line and the one beside it, or nil without one. ok is false if they have too little in
// common, or if the time ran out before they were compared.
func (d *Diff) compare(l Line) (p []Piece, ok bool) {
	old, new, ok := d.pairOf(l)
	if !ok {
		return nil, false
	}
	if d.pieces != nil && long(old.Text, new.Text) {
		c := d.pieces[old.Old-1]
		return c.pieces, c.ok
	}
	return inPieces(old.Text, new.Text)
}

// spansOf returns the positions of the differences in the line of a kind.
func spansOf(p []Piece, k Kind) (out []Span) {
	at, same := 0, true
	for _, x := range p {
		switch {
		case x.Kind == Same:
			at += len(x.Text)
			same = true
			continue
		case same:
			out = append(out, Span{at, at})
			same = false
		}
		if x.Kind == k {
			at += len(x.Text)
			out[len(out)-1].End = at
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

// inPieces returns the pieces of two lines; ok is false if they have too little in common: then the pieces are their common
// beginning and end, and what is between.
func inPieces(old, new []byte) (out []Piece, ok bool) {
	if max(len(old), len(new)) > maxWordBytes {
		return inChunks(old, new)
	}
	c := compareTokens(old, new, tokens)
	if c.changed()*100 > (solid(old, c.old)+solid(new, c.new))*60 {
		return outer(old, new), false
	}
	n := 0 // bytes of the new line already in pieces
	for i := 0; i < len(c.edits); {
		e := c.edits[i]
		for i++; i < len(c.edits) && isBlank(part(new, c.new, e.NewEnd(), c.edits[i].New)); i++ {
			e.OldLines, e.NewLines = c.edits[i].OldEnd()-e.Old, c.edits[i].NewEnd()-e.New // one word after the other changed
		}
		removed, added := c.sides(e)
		from := start(new, c.new, e.New)
		out = appendPiece(out, Same, new[n:from])
		out = appendPiece(appendPiece(out, Removed, removed), Added, added)
		n = from + len(added)
	}
	return appendPiece(out, Same, new[n:]), true
}

// inChunks is inPieces for long lines. What it takes grows with their length alone: parts that are still long are not
// compared again.
func inChunks(old, new []byte) (out []Piece, ok bool) {
	pre, suf := ends(old, new)
	pre, suf = atBlank(old, pre), len(old)-atBlankAfter(old, len(old)-suf)
	a, b := old[pre:len(old)-suf], new[pre:len(new)-suf]
	c := compareTokens(a, b, chunks)
	out = appendPiece(nil, Same, old[:pre])
	n, changed := 0, 0
	for _, e := range c.edits {
		removed, added := c.sides(e)
		from := start(b, c.new, e.New)
		out = appendPiece(out, Same, b[n:from])
		n = from + len(added)
		inner := outer(removed, added)
		if max(len(removed), len(added)) <= maxWordBytes {
			inner, _ = inPieces(removed, added)
		}
		for _, p := range inner {
			out = appendPiece(out, p.Kind, p.Text)
			if p.Kind != Same {
				changed += len(p.Text)
			}
		}
	}
	if changed*100 > (len(old)+len(new))*60 {
		return outer(old, new), false
	}
	out = appendPiece(out, Same, b[n:])
	return appendPiece(out, Same, old[len(old)-suf:]), true
}

// outer returns the pieces of two lines of which all counts as changed between the common beginning and end.
func outer(old, new []byte) []Piece {
	pre, suf := ends(old, new)
	out := appendPiece(nil, Same, old[:pre])
	out = appendPiece(out, Removed, old[pre:len(old)-suf])
	out = appendPiece(out, Added, new[pre:len(new)-suf])
	return appendPiece(out, Same, old[len(old)-suf:])
}

// ends returns the lengths of the common beginning and end of two lines, in whole characters.
func ends(old, new []byte) (pre, suf int) {
	for pre < min(len(old), len(new)) && old[pre] == new[pre] {
		pre++
	}
	for pre > 0 && !(startsRune(old, pre) && startsRune(new, pre)) {
		pre--
	}
	for suf < min(len(old), len(new))-pre && old[len(old)-1-suf] == new[len(new)-1-suf] {
		suf++
	}
	for suf > 0 && !startsRune(old, len(old)-suf) {
		suf--
	}
	return pre, suf
}

// nearBlank is how far a word is searched for its ends.
const nearBlank = 64

// atBlank returns where the word before byte i of a line begins, and atBlankAfter where the one at i ends; without a blank
// nearby, both return i.
func atBlank(line []byte, i int) int {
	if k := bytes.LastIndexByte(line[max(0, i-nearBlank):i], ' '); k >= 0 {
		return max(0, i-nearBlank) + k + 1
	}
	return i
}

func atBlankAfter(line []byte, i int) int {
	if k := bytes.IndexByte(line[i:min(len(line), i+nearBlank)], ' '); k >= 0 {
		return i + k
	}
	return i
}

func startsRune(line []byte, i int) bool { return i == len(line) || utf8.RuneStart(line[i]) }

func appendPiece(out []Piece, k Kind, text []byte) []Piece {
	if len(text) == 0 {
		return out
	}
	return append(out, Piece{k, text})
}

// wordDiff is the token-by-token comparison of two lines.
type wordDiff struct {
	a, b     []byte // the lines
	old, new []Span // tokens
	edits    []Edit // of tokens
}

// start returns the offset of token i in a line.
func start(line []byte, tokens []Span, i int) int {
	if i == len(tokens) {
		return len(line)
	}
	return tokens[i].Start
}

// part returns the text of the tokens from..to.
func part(line []byte, tokens []Span, from, to int) []byte {
	return line[start(line, tokens, from):start(line, tokens, to)]
}

// sides returns the text of an edit in both lines.
func (c wordDiff) sides(e Edit) (removed, added []byte) {
	return part(c.a, c.old, e.Old, e.OldEnd()), part(c.b, c.new, e.New, e.NewEnd())
}

// changed counts the tokens of edits that are not blank.
func (c wordDiff) changed() (n int) {
	for _, e := range c.edits {
		n += solid(c.a, c.old[e.Old:e.OldEnd()]) + solid(c.b, c.new[e.New:e.NewEnd()])
	}
	return n
}

// compareTokens compares two lines by the parts that split returns.
func compareTokens(old, new []byte, split func([]byte) []Span) wordDiff {
	c := wordDiff{a: old, b: new, old: split(old), new: split(new)}
	ids := map[string]int32{}
	m := newMatcher(internTokens(old, c.old, ids), internTokens(new, c.new, ids), len(ids), wordBudget)
	m.match(0, len(m.a), 0, len(m.b), 0)
	c.edits = m.edits
	return c
}

// chunks splits a long line into parts of 64 bytes on average. The bytes before a boundary decide that it is one, so that
// an edit moves no boundaries but those beside it.
func chunks(line []byte) (out []Span) {
	hash, from := uint32(0), 0
	for i, b := range line {
		hash = hash<<1 + uint32(b)*2654435761 // of the last 32 bytes
		if end := i + 1; end == len(line) || hash>>26 == 0 && end-from >= 16 && utf8.RuneStart(line[end]) {
			out = append(out, Span{from, end})
			from = end
		}
	}
	return out
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
