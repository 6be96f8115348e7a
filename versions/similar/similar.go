// Package similar finds near-duplicates among texts.
//
// A text is compared by its sequences of three words, whatever their case and whatever is between them. Two
// texts are similar to the degree in which the sequences of the shorter one are in the longer one: a text
// that was copied into a longer one counts fully. Below [short] sequences, the shared ones are
// compared with all sequences of both instead, so that a heading alone makes no near-duplicate.
//
// The cost is linear in the length of the texts: an index leads from a sequence to the texts with it, and a
// text is compared only with the [partners] that share most with it. Of a sequence that many texts share, the
// index follows [followed] texts on either side, so that a form that everybody uses costs no more than other
// words. Among more than that many texts that are all alike, each is still found with some of the others.
package similar

import (
	"cmp"
	"hash/fnv"
	"slices"
	"sort"
	"unicode"
	"unicode/utf8"
)

const (
	length   = 3  // words in a sequence
	short    = 8  // sequences
	sampled  = 4  // of a long text, one in so many sequences is in the index
	long     = 64 // sequences from which on a text is long
	followed = 16
	partners = 4
)

// Text is a text in the form in which texts are compared: the hashes of its sequences, sorted.
type Text []uint64

// Of returns the form of a text.
func Of(text []byte) Text {
	var words []uint64
	var word []byte
	end := func() {
		if len(word) > 0 {
			h := fnv.New64a() // the same in every process, so that the same pairs are found
			_, _ = h.Write(word)
			words, word = append(words, h.Sum64()), word[:0]
		}
	}
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		text = text[n:]
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai): // no spaces between words
			end()
			word = utf8.AppendRune(word, r)
			end()
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r):
			word = utf8.AppendRune(word, unicode.ToLower(r))
		default:
			end()
		}
	}
	end()
	if len(words) == 0 {
		return nil
	}
	out := make(Text, 0, max(1, len(words)-length+1))
	for i := 0; i == 0 || i+length <= len(words); i++ {
		h := uint64(len(words[i:min(i+length, len(words))]))
		for _, w := range words[i:min(i+length, len(words))] {
			h = (h ^ w) * 0x9E3779B97F4A7C15
			h ^= h >> 29
		}
		out = append(out, h)
	}
	slices.Sort(out)
	return slices.Clip(slices.Compact(out))
}

// Similarity returns how similar two texts are, from 0 to 1. Texts without words are similar to none.
func Similarity(a, b Text) float64 {
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	shared := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch c := cmp.Compare(a[i], b[j]); {
		case c == 0:
			shared, i, j = shared+1, i+1, j+1
		case c < 0:
			i++
		default:
			j++
		}
	}
	of := min(len(a), len(b))
	if of < short {
		of = len(a) + len(b) - shared
	}
	return float64(shared) / float64(of)
}

// Pair is two similar texts, by their indexes.
type Pair struct {
	A, B       int
	Similarity float64
}

// To returns the pairs of one text with others that are at least so similar, the most similar first.
func To(texts []Text, one int, least float64) (out []Pair) {
	for i, t := range texts {
		if s := Similarity(texts[one], t); i != one && s >= least {
			out = append(out, Pair{one, i, s})
		}
	}
	sortPairs(out)
	return out
}

// Pairs returns pairs of texts that are at least so similar, the most similar first.
func Pairs(texts []Text, least float64) (out []Pair) {
	type entry struct {
		hash uint64
		text int32
	}
	var index []entry
	for i, t := range texts {
		for _, h := range t {
			if len(t) < long || h%sampled == 0 {
				index = append(index, entry{h, int32(i)})
			}
		}
	}
	slices.SortFunc(index, func(a, b entry) int { return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.text, b.text)) })
	shared := map[int32]int{}
	for i, t := range texts {
		clear(shared)
		for _, h := range t {
			at := sort.Search(len(index), func(k int) bool {
				return index[k].hash > h || index[k].hash == h && int(index[k].text) >= i
			})
			for k := at - 1; k >= max(0, at-followed) && index[k].hash == h; k-- {
				shared[index[k].text]++
			}
			for k := at; k < min(len(index), at+followed+1) && index[k].hash == h; k++ {
				if int(index[k].text) != i {
					shared[index[k].text]++
				}
			}
		}
		for _, j := range most(shared) {
			if s := Similarity(t, texts[j]); s >= least {
				out = append(out, Pair{min(i, int(j)), max(i, int(j)), s})
			}
		}
	}
	sortPairs(out)
	return slices.Compact(out)
}

// most returns the texts with the most shared sequences.
func most(shared map[int32]int) []int32 {
	out := make([]int32, 0, len(shared))
	for j := range shared {
		out = append(out, j)
	}
	slices.SortFunc(out, func(a, b int32) int { return cmp.Or(cmp.Compare(shared[b], shared[a]), cmp.Compare(a, b)) })
	return out[:min(partners, len(out))]
}

func sortPairs(ps []Pair) {
	slices.SortFunc(ps, func(a, b Pair) int {
		return cmp.Or(cmp.Compare(b.Similarity, a.Similarity), cmp.Compare(a.A, b.A), cmp.Compare(a.B, b.B))
	})
}
