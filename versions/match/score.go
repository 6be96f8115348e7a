package match

import (
	"math/bits"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The score of a text is a sum over the terms of
//
//	12, 8 or 4   a whole word of its name; elsewhere in its name; in its path
//	6, 4 or 2    a whole word of its text; the beginning of one; elsewhere
//	0 to 4       number of occurrences in its text: 1, 2, 4, 8, 16 or more
//
// plus 6 or 3 if there are several terms and all occur within 80 or 400 bytes of each other. Equal scores are sorted by time of
// the last change, newest first, then by path. Only the first 16 occurrences of each term are examined.
const (
	scoreNameWord, scoreName, scorePath    = 12, 8, 4
	scoreWord, scoreWordStart, scoreInside = 6, 4, 2
	scoreClose, scoreNear                  = 6, 3
	closeBytes, nearBytes                  = 80, 400
	maxScored                              = 16
)

// Scorer rates how well texts match the terms of a query.
type Scorer struct {
	Terms []Term
	f     Finder
	spans []Span // of all terms in the text
	owner []int  // the term of each of spans
}

// Score returns the score of a text at a path, or 0 if some term occurs in neither.
func (j *Scorer) Score(path string, text []byte) int {
	total := 0
	j.spans, j.owner = j.spans[:0], j.owner[:0]
	inText := 0
	for i := range j.Terms {
		n := j.inText(i, text)
		if n > 0 {
			inText++
		}
		if n += j.inPath(i, path); n == 0 {
			return 0
		}
		total += n
	}
	if inText > 1 && inText == len(j.Terms) {
		total += j.closeness()
	}
	return total
}

func (j *Scorer) inText(i int, text []byte) int {
	j.f.Start(&j.Terms[i], text)
	best, n := 0, 0
	for ; n < maxScored; n++ {
		sp, ok := j.f.Next()
		if !ok {
			break
		}
		best = max(best, wordScore(text, sp))
		j.spans, j.owner = append(j.spans, sp), append(j.owner, i)
	}
	if n == 0 {
		return 0
	}
	return best + bits.Len(uint(n)) - 1
}

func (j *Scorer) inPath(i int, path string) (best int) {
	name := strings.LastIndexByte(path, '/') + 1
	text := []byte(path)
	j.f.Start(&j.Terms[i], text)
	for {
		sp, ok := j.f.Next()
		switch {
		case !ok:
			return best
		case sp.Start < name:
			best = max(best, scorePath)
		case wordScore(text, sp) == scoreWord:
			return scoreNameWord
		default:
			best = max(best, scoreName)
		}
	}
}

func wordScore(text []byte, sp Span) int {
	if r, _ := utf8.DecodeLastRune(text[:sp.Start]); inWord(r) && sp.Start > 0 {
		return scoreInside
	}
	if r, _ := utf8.DecodeRune(text[sp.End:]); inWord(r) && sp.End < len(text) {
		return scoreWordStart
	}
	return scoreWord
}

func inWord(r rune) bool {
	return r == '_' || r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r))
}

// closeness scores the length of the shortest part of the text that contains all terms.
func (j *Scorer) closeness() int {
	order := make([]int, len(j.spans))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return j.spans[a].Start - j.spans[b].Start })
	shortest := nearBytes + 1
	held, distinct, from := make([]int, len(j.Terms)), 0, 0
	for _, i := range order {
		if held[j.owner[i]]++; held[j.owner[i]] == 1 {
			distinct++
		}
		for ; distinct == len(j.Terms); from++ {
			first := order[from]
			shortest = min(shortest, j.spans[i].End-j.spans[first].Start)
			if held[j.owner[first]]--; held[j.owner[first]] == 0 {
				distinct--
			}
		}
	}
	switch {
	case shortest <= closeBytes:
		return scoreClose
	case shortest <= nearBytes:
		return scoreNear
	}
	return 0
}
