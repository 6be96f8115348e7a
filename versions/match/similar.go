package match

import (
	"cmp"
	"maps"
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"
)

// NearWord is a term of a query that found nothing, with what it alone would find.
type NearWord struct {
	Text     string
	Memories int      // number of memories that contain it, in text or path
	AnyCase  int      // the same ignoring case, if the query had capitals
	Similar  []string // if it occurs nowhere: similar words that do, the most frequent first
}

// maxSimilar is the maximum number of similar words.
const maxSimilar = 3

// Nearness counts over many texts which terms occur and which words are spelled similarly. Each goroutine uses its own; Add combines
// them.
type Nearness struct {
	terms, loose []Term
	near         []NearWord
	similar      []map[string]int // by term: words spelled nearly like it, in lower case
	wanted       []nearWanted
	f            Finder
}

// Begin sets the terms. Call it first.
func (n *Nearness) Begin(terms []Term) {
	n.terms = terms
	n.near = make([]NearWord, len(terms))
	n.similar = make([]map[string]int, len(terms))
	for i, t := range terms {
		n.near[i].Text = string(t.text)
		n.loose = append(n.loose, newTerm(string(t.text), false))
		n.similar[i] = map[string]int{}
		n.wanted = append(n.wanted, newNearWanted(string(t.text)))
	}
}

// Look examines one more text with its path.
func (n *Nearness) Look(path, text []byte) {
	has := func(t *Term) bool {
		for _, in := range [][]byte{text, path} {
			if n.f.Start(t, in); n.f.more() {
				return true
			}
		}
		return false
	}
	for i := range n.terms {
		if has(&n.terms[i]) {
			n.near[i].Memories++
		}
		if has(&n.loose[i]) {
			n.near[i].AnyCase++
		}
	}
	n.words(path)
	n.words(text)
}

// words collects the words of a text that are spelled similarly to a term.
func (n *Nearness) words(text []byte) {
	if !slices.ContainsFunc(n.wanted, func(w nearWanted) bool { return w.word != nil }) {
		return
	}
	for i := 0; i < len(text); {
		size, in := wordRune(text[i:])
		if !in {
			i += size
			continue
		}
		start, letters := i, uint32(0)
		for in {
			letters |= 1 << (text[i] & 31)
			if i += size; i == len(text) {
				break
			}
			size, in = wordRune(text[i:])
		}
		n.word(text[start:i], letters)
	}
}

// wordRune returns the length in bytes of the first character of text, and whether it can be part of a word.
func wordRune(text []byte) (size int, in bool) {
	if c := text[0]; c < utf8.RuneSelf {
		return 1, c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '_'
	}
	r, size := utf8.DecodeRune(text)
	return size, inWord(r)
}

// nearWanted is a term for which similar words are collected.
type nearWanted struct {
	word    []rune // in lower case; nil if no words are collected for the term
	letters uint32 // the set of its letters, by their five lowest bits; 0 if not all are ASCII
}

func newNearWanted(term string) (w nearWanted) {
	word := []rune(strings.ToLower(term))
	if len(word) < 3 || slices.ContainsFunc(word, func(r rune) bool { return !inWord(r) }) { // no one word is like it
		return w
	}
	w.word = word
	for _, r := range word {
		if r >= utf8.RuneSelf {
			w.letters = 0
			break
		}
		w.letters |= 1 << (r & 31)
	}
	return w
}

// mayBe excludes most dissimilar words at little cost: two mistakes change at most four letters.
func (w nearWanted) mayBe(word []byte, letters uint32) bool {
	if w.word == nil || len(word) < len(w.word)-2 || len(word) > utf8.UTFMax*(len(w.word)+2) {
		return false
	}
	return w.letters == 0 || bits.OnesCount32(w.letters&^letters) <= 2
}

func (n *Nearness) word(word []byte, letters uint32) {
	for i, want := range n.wanted {
		if n.near[i].AnyCase > 0 || !want.mayBe(word, letters) {
			continue
		}
		if count, known := n.similar[i][string(word)]; known { // 0: known to be dissimilar
			if count > 0 {
				n.similar[i][string(word)]++
			}
			continue
		}
		if len(n.similar[i]) > maxLookedAt {
			clear(n.similar[i])
		}
		n.similar[i][string(word)] = 0
		if nearly(want.word, []rune(strings.ToLower(string(word)))) {
			n.similar[i][string(word)] = 1
		}
	}
}

// maxLookedAt limits the number of different words that are remembered.
const maxLookedAt = 200_000

// Add adds the counts of another Nearness for the same terms.
func (n *Nearness) Add(o Nearness) {
	for i := range n.near {
		n.near[i].Memories += o.near[i].Memories
		n.near[i].AnyCase += o.near[i].AnyCase
		for w, count := range o.similar[i] {
			n.similar[i][w] += count
		}
	}
}

// Words returns the result, one entry for each term.
func (n *Nearness) Words() []NearWord {
	for i := range n.near {
		if n.near[i].AnyCase > 0 {
			continue
		}
		counts := map[string]int{}
		for w, count := range n.similar[i] {
			counts[strings.ToLower(w)] += count
		}
		words := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
			return cmp.Or(counts[b]-counts[a], strings.Compare(a, b))
		})
		for _, w := range words[:min(maxSimilar, len(words))] {
			if counts[w] > 0 {
				n.near[i].Similar = append(n.near[i].Similar, w)
			}
		}
	}
	return n.near
}

// nearly reports whether one word becomes the other by one typing mistake, or by two if it has six letters or more: an extra letter, a
// missing one, a wrong one, or two swapped ones. The first letter is seldom wrong: if it is, only one mistake is allowed.
func nearly(a, b []rune) bool {
	allowed := 1
	if len(a) >= 6 && len(b) > 0 && a[0] == b[0] {
		allowed = 2
	}
	if max(len(a)-len(b), len(b)-len(a)) > allowed {
		return false
	}
	// Rows of the table of distances between the prefixes of a and of b.
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			wrong := 1
			if a[i-1] == b[j-1] {
				wrong = 0
			}
			row[j] = min(row[j-1]+1, last[j]+1, last[j-1]+wrong)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)] <= allowed
}
