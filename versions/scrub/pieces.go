package scrub

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"math/bits"
)

const (
	WindowBytes = 24      // length of a window: too long to occur by chance
	maxWindows  = 1 << 18 // maximum number of windows: some 20 MB
	minDistinct = 5       // minimum number of different bytes in a window; blanks and rules are everywhere
	minWord     = 8       // length in bytes of the shortest text to search for
)

// Pieces are parts of erased texts to search for. Windows are taken every step bytes of a text and compared at every byte of what is
// searched, so any Run() consecutive bytes of an erased text contain one.
type Pieces struct {
	Damaged int // number of texts that the caller could not read, so their pieces are not searched for

	step   int
	bytes  []byte             // all windows, concatenated
	first  map[uint64]int32   // hash -> window
	next   []int32            // the next window with the same hash; -1 is none
	filter filter             // of these hashes
	words  [][]byte           // texts too short for windows
	byHead map[uint64][]int   // first 8 bytes -> words
	heads  filter             // of these
	named  *[2]int            // number of windows and words, which come first, of a text that a person named; nil if none was
	whole  map[wholeText]bool // texts that may be part of any text: only an exact match of a whole text counts
}

// wholeText identifies a text by size and hash.
type wholeText struct {
	size int64
	sum  [sha256.Size]byte
}

// NewPieces returns Pieces with room for the windows of total bytes.
func NewPieces(total int64) *Pieces {
	return &Pieces{
		step:   int(total/maxWindows) + 1,
		first:  map[uint64]int32{},
		filter: newFilter(total),
		byHead: map[uint64][]int{},
		heads:  newFilter(total / minWord),
		whole:  map[wholeText]bool{},
	}
}

// Run returns the number of consecutive bytes of an erased text that are certain to be found.
func (w *Pieces) Run() int { return WindowBytes + w.step - 1 }

// Count returns the number of pieces.
func (w *Pieces) Count() int { return len(w.next) + len(w.words) }

// Short returns the number of texts that are too short or too plain to have pieces: they are only searched for as a whole.
func (w *Pieces) Short() int { return len(w.whole) }

// Add adds the windows of a text, or the whole text if it is shorter than one.
func (w *Pieces) Add(b []byte) {
	switch {
	case len(b) == 0:
	case len(b) >= WindowBytes:
		w.addWindows(b)
	case len(b) < minWord || commonplace(b):
		w.whole[wholeText{int64(len(b)), sha256.Sum256(b)}] = true
	default:
		w.addWord(b)
	}
}

func (w *Pieces) addWord(b []byte) {
	head := binary.LittleEndian.Uint64(b)
	for _, i := range w.byHead[head] {
		if bytes.Equal(w.words[i], b) {
			return
		}
	}
	w.byHead[head] = append(w.byHead[head], len(w.words))
	w.words = append(w.words, bytes.Clone(b))
	w.heads.put(head)
}

// isWhole reports whether b is one of the texts that are only searched for as a whole.
func (w *Pieces) isWhole(b []byte) bool {
	return len(w.whole) > 0 && w.maybeWhole(int64(len(b))) && w.whole[wholeText{int64(len(b)), sha256.Sum256(b)}]
}

// maybeWhole reports whether one of these texts has a size.
func (w *Pieces) maybeWhole(size int64) bool {
	for t := range w.whole {
		if t.size == size {
			return true
		}
	}
	return false
}

// AddNamed adds the forms of a text that a person named. It must be called before Add.
func (w *Pieces) AddNamed(texts [][]byte) {
	for _, b := range texts {
		w.Add(b)
	}
	w.named = &[2]int{len(w.next), len(w.words)}
}

// CountNamed counts the pieces of h that belong to the named text: text around it in the erased contents may well occur elsewhere. If no text
// was named, it counts all.
func (w *Pieces) CountNamed(h Hits) (n int) {
	for i := range h {
		word := int(i) - len(w.next)
		if w.named == nil || word < 0 && int(i) < w.named[0] || word >= 0 && word < w.named[1] {
			n++
		}
	}
	return n
}

func (w *Pieces) addWindows(b []byte) {
	some := false
	for at := 0; at+WindowBytes <= len(b); at += w.step {
		some = w.addOne(b[at:at+WindowBytes]) || some
	}
	// The last window need not be aligned.
	if some = w.addOne(b[len(b)-WindowBytes:]) || some; !some {
		w.whole[wholeText{int64(len(b)), sha256.Sum256(b)}] = true
	}
}

func (w *Pieces) addOne(b []byte) bool {
	if commonplace(b) {
		return false
	}
	h := hashWindow(b)
	i, ok := w.first[h]
	if !ok {
		i = -1
	}
	for j := i; j >= 0; j = w.next[j] {
		if bytes.Equal(w.window(j), b) {
			return true
		}
	}
	w.first[h] = int32(len(w.next))
	w.next = append(w.next, i)
	w.bytes = append(w.bytes, b...)
	w.filter.put(h)
	return true
}

func (w *Pieces) window(i int32) []byte {
	return w.bytes[int(i)*WindowBytes : int(i+1)*WindowBytes]
}

// commonplace reports whether a window has too few different bytes to be specific.
func commonplace(b []byte) bool {
	var seen [256]bool
	n := 0
	for _, c := range b {
		if !seen[c] {
			seen[c] = true
			n++
		}
	}
	return n < minDistinct
}

// The hash of a window is a polynomial in base, so it can be rolled from one byte to the next.
const (
	base   = 0x100000001b3
	spread = 0x9e3779b97f4a7c15
)

// leaving is the contribution of each byte value to the hash when it leaves the window.
var leaving = func() (out [256]uint64) {
	p := uint64(1)
	for range WindowBytes {
		p *= base
	}
	for c := range out {
		out[c] = (uint64(c) + 1) * p
	}
	return out
}()

// filter rejects most numbers that were not added, at the cost of one access to cached memory.
type filter struct {
	bits  []uint64
	shift int
}

func newFilter(n int64) filter {
	size := bits.Len64(uint64(min(n, maxWindows))) + 4 // sixteen bits per number
	size = max(size, 12)
	return filter{make([]uint64, 1<<(size-6)), 64 - size}
}

func (f filter) put(h uint64) {
	bit := h * spread >> f.shift
	f.bits[bit/64] |= 1 << (bit % 64)
}

func (f filter) maybe(h uint64) bool {
	bit := h * spread >> f.shift
	return f.bits[bit/64]&(1<<(bit%64)) != 0
}

func hashWindow(b []byte) (h uint64) {
	for _, c := range b {
		h = h*base + uint64(c) + 1
	}
	return h
}

// Hits maps pieces to their number of occurrences.
type Hits map[int32]int

// Find counts the pieces in b.
func (w *Pieces) Find(b []byte, h Hits) { w.find(b, 0, h) }

// find counts the pieces in b. Its first old bytes, fewer than a window, were searched before.
func (w *Pieces) find(b []byte, old int, h Hits) {
	if len(w.words) > 0 {
		w.findWords(b, old, h)
	}
	if len(w.next) == 0 || len(b) < WindowBytes {
		return
	}
	roll, near := hashWindow(b[:WindowBytes]), w.filter
	for at, in := range b[WindowBytes:] {
		if near.maybe(roll) {
			w.hit(roll, b[at:at+WindowBytes], h)
		}
		roll = roll*base + uint64(in) + 1 - leaving[b[at]]
	}
	w.hit(roll, b[len(b)-WindowBytes:], h)
}

func (w *Pieces) hit(roll uint64, b []byte, h Hits) {
	i, ok := w.first[roll]
	if !ok {
		return
	}
	for ; i >= 0; i = w.next[i] {
		if bytes.Equal(w.window(i), b) {
			h[i]++
			return
		}
	}
}

func (w *Pieces) findWords(b []byte, old int, h Hits) {
	for at := 0; at+minWord <= len(b); at++ {
		head := binary.LittleEndian.Uint64(b[at:])
		if !w.heads.maybe(head) {
			continue
		}
		for _, i := range w.byHead[head] {
			if word := w.words[i]; at+len(word) > old && bytes.HasPrefix(b[at:], word) {
				h[int32(len(w.next)+i)]++ // numbered after the windows
			}
		}
	}
}
