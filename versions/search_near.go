package versions

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/memtrail/memtrail/memfs"
)

// NearWord is a word or a phrase of a query that found nothing: how far each is
// from finding something.
type NearWord struct {
	Text     string
	Memories int      // that hold it, in their text or their path, without the other words
	AnyCase  int      // the same without regard to case, when the query had capitals
	Similar  []string // when none does: words that do occur, the most frequent first
}

// maxSimilar is how many similar words are told.
const maxSimilar = 3

// Near tells of each word of a query by itself whether it occurs, and what
// occurs that is spelled nearly like it. It looks at every word of the store:
// call it when a search found nothing, not at each key.
func (s *Store) Near(ctx context.Context, q Query) ([]NearWord, error) {
	terms := parseTerms(q.Text)
	if len(terms) == 0 {
		return nil, nil
	}
	leave, err := s.texts.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	if err := s.refreshTexts(ctx); err != nil {
		return nil, err
	}
	shares := make([]nearShare, memfs.Readers())
	for i := range shares {
		shares[i].begin(terms)
	}
	if _, err := s.eachText(ctx, q.In, func(n int, d *searchDoc, _ bool) { shares[n].look(d) }); err != nil {
		return nil, err
	}
	for _, sh := range shares[1:] {
		shares[0].add(sh)
	}
	return shares[0].tell(), nil
}

// nearShare is what one goroutine saw.
type nearShare struct {
	terms, loose []term
	near         []NearWord
	similar      []map[string]int // by term: words spelled nearly like it, in lower case
	lowered      [][]rune
	f            finder
}

func (n *nearShare) begin(terms []term) {
	n.terms = terms
	n.near = make([]NearWord, len(terms))
	n.similar = make([]map[string]int, len(terms))
	for i, t := range terms {
		n.near[i].Text = string(t.text)
		n.loose = append(n.loose, newTerm(string(t.text), false))
		n.similar[i] = map[string]int{}
		lowered := []rune(strings.ToLower(string(t.text)))
		if slices.ContainsFunc(lowered, func(r rune) bool { return !inWord(r) }) { // nothing that is one word is like it
			lowered = nil
		}
		n.lowered = append(n.lowered, lowered)
	}
}

func (n *nearShare) look(d *searchDoc) {
	path := []byte(d.path.Rel())
	has := func(t *term) bool {
		for _, text := range [][]byte{d.text, path} {
			n.f.start(t, text)
			if _, ok := n.f.find(); ok {
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
	n.words(d.text)
}

// words looks at each word of a text for those spelled nearly like a term.
func (n *nearShare) words(text []byte) {
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		if !inWord(r) {
			text = text[size:]
			continue
		}
		end := 0
		for end < len(text) {
			r, size = utf8.DecodeRune(text[end:])
			if !inWord(r) {
				break
			}
			end += size
		}
		n.word(text[:end])
		text = text[end:]
	}
}

func (n *nearShare) word(word []byte) {
	for i, want := range n.lowered {
		if n.near[i].AnyCase > 0 || len(want) < 3 || len(word) < len(want)-2 || len(word) > 4*(len(want)+2) {
			continue
		}
		if count, known := n.similar[i][string(word)]; known { // 0: looked at, and not similar
			if count > 0 {
				n.similar[i][string(word)]++
			}
			continue
		}
		if len(n.similar[i]) > maxLookedAt {
			clear(n.similar[i])
		}
		n.similar[i][string(word)] = 0
		if nearly(want, []rune(strings.ToLower(string(word)))) {
			n.similar[i][string(word)] = 1
		}
	}
}

// maxLookedAt bounds how many different words are remembered.
const maxLookedAt = 200_000

func (n *nearShare) add(o nearShare) {
	for i := range n.near {
		n.near[i].Memories += o.near[i].Memories
		n.near[i].AnyCase += o.near[i].AnyCase
		for w, count := range o.similar[i] {
			n.similar[i][w] += count
		}
	}
}

func (n *nearShare) tell() []NearWord {
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

// nearly reports whether one word becomes the other by one mistake, in words of
// six letters and more by two: a letter too many, one missing, one wrong, or two
// that changed places. The first letter is seldom wrong: with it wrong too, one
// mistake is all.
func nearly(a, b []rune) bool {
	allowed := 1
	if len(a) >= 6 && len(b) > 0 && a[0] == b[0] {
		allowed = 2
	}
	if max(len(a)-len(b), len(b)-len(a)) > allowed {
		return false
	}
	// Rows of the table of distances between the beginnings of a and of b.
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
