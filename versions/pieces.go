package versions

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

const (
	windowBytes = 24      // long enough to be found by chance nowhere
	maxWindows  = 1 << 18 // that are looked for at once: some 20 MB
	minDistinct = 5       // values of bytes in a window; blanks and rules are everywhere
	minWord     = 8       // bytes of the shortest text that is worth looking for
)

// pieces are parts of erased bytes, to be looked for wherever they might have
// stayed. They are taken every step bytes and looked for at every byte, so that
// any run of run() erased bytes holds one.
type pieces struct {
	step    int
	bytes   []byte             // of all windows, one after another
	first   map[uint64]int32   // hash -> window
	next    []int32            // the next window with the same hash; -1 is none
	filter  filter             // of these hashes
	words   [][]byte           // texts too short for windows
	byHead  map[uint64][]int   // first 8 bytes -> words
	heads   filter             // of these
	named   *[2]int            // how many of the windows and words, the first, are of a text that somebody named; nil when none was
	damaged int                // texts that could not be read
	whole   map[wholeText]bool // texts that could be a part of anything: only a text that is one of them and nothing else says something
}

// wholeText tells one text from all others.
type wholeText struct {
	size int64
	sum  Hash
}

// newPieces makes room for windows of so many bytes in total.
func newPieces(total int64) *pieces {
	return &pieces{
		step:   int(total/maxWindows) + 1,
		first:  map[uint64]int32{},
		filter: newFilter(total),
		byHead: map[uint64][]int{},
		heads:  newFilter(total / minWord),
		whole:  map[wholeText]bool{},
	}
}

// run is the length from which on a surviving piece is found for certain.
func (w *pieces) run() int { return windowBytes + w.step - 1 }

// count is how many pieces are looked for.
func (w *pieces) count() int { return len(w.next) + len(w.words) }

// add takes a text: its windows, or all of it when it is shorter than one.
func (w *pieces) add(b []byte) {
	switch {
	case len(b) == 0:
	case len(b) >= windowBytes:
		w.addWindows(b)
	case len(b) < minWord || commonplace(b):
		w.whole[wholeText{int64(len(b)), sum(b)}] = true
	default:
		w.addWord(b)
	}
}

func (w *pieces) addWord(b []byte) {
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

// isWhole reports whether b is one of the texts that are only looked for as a whole.
func (w *pieces) isWhole(b []byte) bool {
	return len(w.whole) > 0 && w.maybeWhole(int64(len(b))) && w.whole[wholeText{int64(len(b)), sum(b)}]
}

// maybeWhole reports whether one of these texts has a size.
func (w *pieces) maybeWhole(size int64) bool {
	for t := range w.whole {
		if t.size == size {
			return true
		}
	}
	return false
}

// addNamed takes what somebody named, in all the ways in which it stands in texts; it
// comes before all others.
func (w *pieces) addNamed(texts [][]byte) {
	for _, b := range texts {
		w.add(b)
	}
	w.named = &[2]int{len(w.next), len(w.words)}
}

// ofNamed counts the windows of h that say something about the text that was
// named: what stood around it in the erased contents may well stand elsewhere.
// When none was named that is all of them.
func (w *pieces) ofNamed(h hits) (n int) {
	for i := range h {
		word := int(i) - len(w.next)
		if w.named == nil || word < 0 && int(i) < w.named[0] || word >= 0 && word < w.named[1] {
			n++
		}
	}
	return n
}

func (w *pieces) addWindows(b []byte) {
	some := false
	for at := 0; at+windowBytes <= len(b); at += w.step {
		some = w.addOne(b[at:at+windowBytes]) || some
	}
	// The end is as good as the rest.
	if some = w.addOne(b[len(b)-windowBytes:]) || some; !some {
		w.whole[wholeText{int64(len(b)), sum(b)}] = true
	}
}

func (w *pieces) addOne(b []byte) bool {
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

func (w *pieces) window(i int32) []byte {
	return w.bytes[int(i)*windowBytes : int(i+1)*windowBytes]
}

// commonplace reports whether a window has too few values to be anybody's.
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

// The hash of a window is a polynomial in base, so that it rolls from one byte to
// the next.
const (
	base   = 0x100000001b3
	spread = 0x9e3779b97f4a7c15
)

// leaving is what each byte counts when it leaves the window.
var leaving = func() (out [256]uint64) {
	p := uint64(1)
	for range windowBytes {
		p *= base
	}
	for c := range out {
		out[c] = (uint64(c) + 1) * p
	}
	return out
}()

// filter tells most numbers that were not put in from those that were, at the
// cost of one look into memory that is near.
type filter struct {
	bits  []uint64
	shift int
}

func newFilter(n int64) filter {
	size := bits.Len64(uint64(min(n, maxWindows))) + 4 // sixteen bits each
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

// hits are how often each window was seen.
type hits map[int32]int

// find counts the windows that occur in b. The first old bytes of it were searched
// before; they are fewer than a window.
func (w *pieces) find(b []byte, old int, h hits) {
	if len(w.words) > 0 {
		w.findWords(b, old, h)
	}
	if len(w.next) == 0 || len(b) < windowBytes {
		return
	}
	roll, near := hashWindow(b[:windowBytes]), w.filter
	for at, in := range b[windowBytes:] {
		if near.maybe(roll) {
			w.hit(roll, b[at:at+windowBytes], h)
		}
		roll = roll*base + uint64(in) + 1 - leaving[b[at]]
	}
	w.hit(roll, b[len(b)-windowBytes:], h)
}

func (w *pieces) hit(roll uint64, b []byte, h hits) {
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

func (w *pieces) findWords(b []byte, old int, h hits) {
	for at := 0; at+minWord <= len(b); at++ {
		head := binary.LittleEndian.Uint64(b[at:])
		if !w.heads.maybe(head) {
			continue
		}
		for _, i := range w.byHead[head] {
			if word := w.words[i]; at+len(word) > old && bytes.HasPrefix(b[at:], word) {
				h[int32(len(w.next)+i)]++ // behind the windows
			}
		}
	}
}
