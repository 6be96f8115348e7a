package editor

import (
	"iter"
	"unicode"
	"unicode/utf8"

	"github.com/memend/memend/ui/text"
)

// charKind is the class of a character for finding words.
type charKind uint8

const (
	blankChar charKind = iota
	wordChar
	otherChar
)

func kindOf(s string) charKind {
	r, _ := utf8.DecodeRuneInString(s)
	switch {
	case unicode.IsSpace(r):
		return blankChar
	case r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
		return wordChar
	}
	return otherChar
}

// runs splits s into words, blanks and runs of other characters.
func runs(s string) iter.Seq2[[2]int, charKind] {
	return func(yield func([2]int, charKind) bool) {
		for from := 0; from < len(s); {
			k := kindOf(s[from:])
			to := text.Next(s, from)
			for to < len(s) && kindOf(s[to:]) == k {
				to = text.Next(s, to)
			}
			if !yield([2]int{from, to}, k) {
				return
			}
			from = to
		}
	}
}

// wordRight returns the end of the word at byte i or after it, in the same line; from the
// end of a line, the beginning of the next. At most longLine bytes are examined.
func (b *buffer) wordRight(i int) int {
	k, line, at := b.at(i)
	if at >= len(line) {
		return b.lineStart(k + 1)
	}
	rest := line[at:min(len(line), at+longLine)]
	for r, k := range runs(rest) {
		if k != blankChar {
			return i + r[1]
		}
	}
	return i + len(rest)
}

// wordLeft returns where the word before byte i begins.
func (b *buffer) wordLeft(i int) int {
	_, line, at := b.at(i)
	if at == 0 || at > len(line) {
		return b.prev(i)
	}
	from := before(line, at)
	to := from
	for r, k := range runs(line[from:at]) {
		if k != blankChar {
			to = from + r[0]
		}
	}
	return i - at + to
}

// before returns a place up to longLine bytes before byte at of a line, where a character can
// begin.
func before(line string, at int) int {
	from := max(0, at-longLine)
	for from > 0 && from < at && !utf8.RuneStart(line[from]) {
		from++
	}
	return from
}

// wordAt returns the word, the blanks or the run of other characters around byte i.
func (b *buffer) wordAt(i int) (from, to int) {
	_, line, at := b.at(i)
	at = min(at, len(line))
	base := before(line, at)
	from, to = at, at
	for r := range runs(line[base:min(len(line), at+longLine)]) {
		if from, to = base+r[0], base+r[1]; to > at {
			break
		}
	}
	start := b.lineStart(b.lineOf(i))
	return start + from, start + to
}
