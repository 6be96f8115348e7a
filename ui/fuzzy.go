package ui

import (
	"slices"
	"strings"
)

// match is a path that holds all words of a query, in whatever distance between
// their letters.
type match struct {
	index int // of the path
	score int
}

// candidate is a path as it is searched.
type candidate struct {
	path  string
	lower string
	base  int // where the name begins
}

func newCandidate(path string) candidate {
	return candidate{path, strings.ToLower(path), strings.LastIndexByte(path, '/') + 1}
}

const (
	scoreLetter    = 16
	bonusStart     = 10 // the letter begins a word
	bonusName      = 6  // it stands in the name, not in a folder
	bonusRun       = 14 // it follows the one before
	bonusCase      = 3  // for each letter of a word with a capital in it
	penaltyGap     = 2
	maxPenalty     = 20
	wholeWordBonus = 24 // the word stands as it was typed
)

// fuzzy finds the candidates that hold every word of the query, best first. among
// limits the search to these indexes when it is not nil: what was found for the
// beginning of the same query.
func fuzzy(all []candidate, query string, among []match) []match {
	words := strings.Fields(query)
	lowered := make([]string, len(words))
	for i, w := range words {
		lowered[i] = strings.ToLower(w)
	}
	var out []match
	try := func(i int) {
		total := 0
		for k, w := range lowered {
			s, ok := score(&all[i], w, words[k])
			if !ok {
				return
			}
			total += s
		}
		out = append(out, match{i, total - len(all[i].path)/8})
	}
	if among != nil {
		for _, m := range among {
			try(m.index)
		}
	} else {
		for i := range all {
			try(i)
		}
	}
	slices.SortStableFunc(out, func(a, b match) int {
		if a.score != b.score {
			return b.score - a.score
		}
		return strings.Compare(all[a.index].path, all[b.index].path)
	})
	return out
}

// score rates how well word stands in c; ok is false when its letters do not
// follow each other there.
func score(c *candidate, word, typed string) (total int, ok bool) {
	s := c.lower
	// Forwards to the first place where all letters have come…
	end, k := 0, 0
	for end < len(s) && k < len(word) {
		if s[end] == word[k] {
			k++
		}
		end++
	}
	if k < len(word) {
		return 0, false
	}
	if i := strings.Index(s[c.base:], word); i >= 0 { // …the name itself is better
		return rate(c, word, typed, c.base+i, c.base+i+len(word)) + wholeWordBonus, true
	}
	if i := strings.Index(s, word); i >= 0 {
		return rate(c, word, typed, i, i+len(word)) + wholeWordBonus, true
	}
	// …and back, to where the shortest run that ends there begins.
	start := end
	for k = len(word); k > 0; {
		start--
		if s[start] == word[k-1] {
			k--
		}
	}
	return rate(c, word, typed, start, end), true
}

// rate adds up the letters of word as they come in [from, to) of the path.
func rate(c *candidate, word, typed string, from, to int) int {
	total, gap, k := 0, 0, 0
	for i := from; i < to && k < len(word); i++ {
		if c.lower[i] != word[k] {
			gap++
			continue
		}
		total += scoreLetter - min(gap*penaltyGap, maxPenalty)
		if gap == 0 && k > 0 {
			total += bonusRun
		}
		if i == 0 || !wordByte(c.lower[i-1]) {
			total += bonusStart
		}
		if i >= c.base {
			total += bonusName
		}
		if typed != word && len(c.path) == len(c.lower) && len(typed) == len(word) && c.path[i] == typed[k] {
			total += bonusCase
		}
		gap, k = 0, k+1
	}
	return total
}

func wordByte(c byte) bool { return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c >= 0x80 }

// letters are the bytes of the path that the query matched, for drawing.
func letters(dst []int, c *candidate, query string) []int {
	for _, w := range strings.Fields(strings.ToLower(query)) {
		if i := strings.Index(c.lower[c.base:], w); i >= 0 {
			for k := range len(w) {
				dst = append(dst, c.base+i+k)
			}
			continue
		}
		from := strings.Index(c.lower, w)
		if from < 0 {
			from = 0
		}
		for i, k := from, 0; i < len(c.lower) && k < len(w); i++ {
			if c.lower[i] == w[k] {
				dst = append(dst, i)
				k++
			}
		}
	}
	slices.Sort(dst)
	return slices.Compact(dst)
}

func sortMatches(m []match, by func(a, b match) int) { slices.SortStableFunc(m, by) }
