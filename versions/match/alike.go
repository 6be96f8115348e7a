package match

import (
	"bytes"
	"cmp"
	"hash/maphash"
	"slices"
)

const (
	MinAlike        = 0.5 // of the larger text: from here on, two texts are one that was edited, as for git
	minSimilarLines = 4   // in shorter texts, equal lines say little
)

// Lines is what is compared of a text to find out how much of it is in another: its lines, whatever their order.
type Lines struct {
	all   []line // by hash
	bytes int
}

type line struct {
	hash  uint64
	bytes int
}

var lineSeed = maphash.MakeSeed()

// LinesOf splits a text.
func LinesOf(b []byte) Lines {
	l := Lines{bytes: len(b)}
	for text := range bytes.Lines(b) {
		l.all = append(l.all, line{maphash.Bytes(lineSeed, text), len(text)})
	}
	slices.SortFunc(l.all, func(a, b line) int { return cmp.Compare(a.hash, b.hash) })
	return l
}

// Enough reports whether a text is long enough to be recognized after it was edited.
func (l Lines) Enough() bool { return len(l.all) >= minSimilarLines && l.bytes >= MinPaired }

// Alike returns which part of the larger of two texts is lines that both have; 0 if one is too short.
func (l Lines) Alike(o Lines) float64 {
	larger := max(l.bytes, o.bytes)
	if !l.Enough() || !o.Enough() || float64(min(l.bytes, o.bytes)) < MinAlike*float64(larger) {
		return 0
	}
	common := 0
	for i, j := 0, 0; i < len(l.all) && j < len(o.all); {
		switch a, b := l.all[i], o.all[j]; {
		case a.hash < b.hash:
			i++
		case a.hash > b.hash:
			j++
		default:
			common += a.bytes
			i, j = i+1, j+1
		}
	}
	return float64(common) / float64(larger)
}

// MinPaired is the size from which an equal content says that a file was renamed. Two files that are shorter,
// or empty, may be equal by chance: they must be the same file, by inode and, as inodes are used again, by time.
const MinPaired = 32
