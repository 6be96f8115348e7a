// Package fuzzy finds paths by some of their letters, as fzf does.
package fuzzy

import (
	"slices"
	"strings"
)

// Match is a path that contains all words of a query, with any distance between their
// letters.
type Match struct {
	Index int // of the path
	Score int
}

// Candidate is a path prepared for searching.
type Candidate struct {
	path  string
	lower string
	base  int // where the name begins
}

// New returns a candidate for a path.
func New(path string) Candidate {
	return Candidate{path, strings.ToLower(path), strings.LastIndexByte(path, '/') + 1}
}

const (
	scoreLetter    = 16
	bonusStart     = 10 // the letter begins a word
	bonusName      = 6  // it is in the name, not in a folder
	bonusRun       = 14 // it follows the previous match
	bonusCase      = 3  // for each letter of a word that has a capital
	penaltyGap     = 2
	maxPenalty     = 20
	wholeWordBonus = 24 // the word occurs as typed
)

// term is a word of a query. 'word must occur as it is, ^word must begin the path or its
// name, !word must not occur.
type term struct {
	typed, lower  string
	exact, prefix bool
	not           bool
}

func terms(query string) []term {
	var out []term
	for _, w := range strings.Fields(query) {
		t := term{typed: w}
		if rest, ok := strings.CutPrefix(t.typed, "!"); ok {
			t.not, t.exact, t.typed = true, true, rest
		}
		if rest, ok := strings.CutPrefix(t.typed, "^"); ok {
			t.prefix, t.typed = true, rest
		} else if rest, ok := strings.CutPrefix(t.typed, "'"); ok {
			t.exact, t.typed = true, rest
		}
		if t.lower = strings.ToLower(t.typed); t.lower != "" {
			out = append(out, t)
		}
	}
	return out
}

// rate returns how well a term matches c.
func (t *term) rate(c *Candidate) (int, bool) {
	switch {
	case t.prefix:
		there := strings.HasPrefix(c.lower, t.lower) || strings.HasPrefix(c.lower[c.base:], t.lower)
		return wholeWordBonus, there != t.not
	case t.exact && !strings.Contains(c.lower, t.lower):
		return 0, t.not
	case t.not:
		return 0, false
	}
	return score(c, t.lower, t.typed)
}

// Find returns the candidates that contain every word of the query, best first.
func Find(all []Candidate, query string) []Match {
	words := terms(query)
	var out []Match
	for i := range all {
		if total, ok := rateAll(words, &all[i]); ok {
			out = append(out, Match{i, total - len(all[i].path)/8})
		}
	}
	slices.SortStableFunc(out, func(a, b Match) int {
		if a.Score != b.Score {
			return b.Score - a.Score
		}
		return strings.Compare(all[a.Index].path, all[b.Index].path)
	})
	return out
}

func rateAll(words []term, c *Candidate) (total int, ok bool) {
	for k := range words {
		s, ok := words[k].rate(c)
		if !ok {
			return 0, false
		}
		total += s
	}
	return total, true
}

// score returns how well word matches c; ok is false if c does not contain its letters in
// order.
func score(c *Candidate, word, typed string) (total int, ok bool) {
	s := c.lower
	// Forwards to the first place where all letters have occurred…
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
	// …and back to the beginning of the shortest match that ends there.
	start := end
	for k = len(word); k > 0; {
		start--
		if s[start] == word[k-1] {
			k--
		}
	}
	return rate(c, word, typed, start, end), true
}

// rate adds up the scores of the letters of word in [from, to) of the path.
func rate(c *Candidate, word, typed string, from, to int) int {
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

// Letters returns the bytes of the path that match the query, for highlighting, or none if
// lower case changes the length of the path.
func (c *Candidate) Letters(query string) []int {
	if len(c.lower) != len(c.path) {
		return nil
	}
	var dst []int
	for _, t := range terms(query) {
		if !t.not {
			dst = t.letters(dst, c)
		}
	}
	slices.Sort(dst)
	return slices.Compact(dst)
}

func (t *term) letters(dst []int, c *Candidate) []int {
	w := t.lower
	at := strings.Index(c.lower[c.base:], w)
	switch {
	case at >= 0:
		at += c.base
	default:
		at = strings.Index(c.lower, w)
	}
	if at >= 0 {
		for k := range len(w) {
			dst = append(dst, at+k)
		}
		return dst
	}
	for i, k := 0, 0; i < len(c.lower) && k < len(w); i++ {
		if c.lower[i] == w[k] {
			dst = append(dst, i)
			k++
		}
	}
	return dst
}
