package guard

// words finds any of many words in one pass over a text (Aho and Corasick, 1975), without regard to the case of ASCII letters. Each
// state is a prefix of a word, and has the next state for each class of bytes.
type words struct {
	class [256]uint8 // of a byte; 0 is a byte of no word
	width int        // number of classes
	next  []uint16   // state*width + class
	ends  [][]uint16 // by state: the words that end here
	lens  []int      // by word
}

// newWords takes lower-case words.
func newWords(list []string) *words {
	w := &words{width: 1}
	for _, word := range list {
		for i := range len(word) {
			if c := word[i]; w.class[c] == 0 {
				w.class[c] = uint8(w.width)
				w.width++
			}
		}
	}
	for c := byte('A'); c <= 'Z'; c++ {
		w.class[c] = w.class[c-'A'+'a']
	}
	w.grow()
	for n, word := range list {
		at := 0
		for i := range len(word) {
			to := &w.next[at*w.width+int(w.class[word[i]])]
			if *to == 0 {
				*to = uint16(len(w.ends))
				at = len(w.ends)
				w.grow()
			} else {
				at = int(*to)
			}
		}
		w.ends[at] = append(w.ends[at], uint16(n))
		w.lens = append(w.lens, len(word))
	}
	w.link()
	return w
}

// grow adds a state.
func (w *words) grow() {
	w.next = append(w.next, make([]uint16, w.width)...)
	w.ends = append(w.ends, nil)
}

// link fills the transitions that the words don't have: those of the longest proper suffix that is a state too. It visits states in the
// order of their length, so the shorter suffix is always complete.
func (w *words) link() {
	suffix := make([]uint16, len(w.ends))
	queue := []uint16{0}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		for c := range w.width {
			to := &w.next[int(at)*w.width+c]
			fallback := w.next[int(suffix[at])*w.width+c]
			switch {
			case at == 0 && *to != 0:
				queue = append(queue, *to)
			case *to != 0:
				suffix[*to] = fallback
				w.ends[*to] = append(w.ends[*to], w.ends[fallback]...)
				queue = append(queue, *to)
			case at != 0:
				*to = fallback
			}
		}
	}
}

// positions returns for each word the offsets at which it begins, ascending.
func (w *words) positions(text []byte) [][]int {
	out := make([][]int, len(w.lens))
	at := 0
	for i, c := range text {
		at = int(w.next[at*w.width+int(w.class[c])])
		for _, word := range w.ends[at] {
			out[word] = append(out[word], i+1-w.lens[word])
		}
	}
	return out
}

// in reports whether text has any of the words.
func (w *words) in(text []byte) bool {
	at := 0
	for _, c := range text {
		if at = int(w.next[at*w.width+int(w.class[c])]); len(w.ends[at]) > 0 {
			return true
		}
	}
	return false
}
