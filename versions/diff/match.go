package diff

import (
	"bytes"
	"math"
	"sort"
	"unicode/utf8"

	"github.com/sergi/go-diff/diffmatchpatch"
)

// Matching lines (and words). Both sides are converted to numbers, equal ones for equal bytes. Then a
// range of both sides is matched as follows:
//
//  1. The common beginning and end match.
//  2. Elements that occur exactly once on each side are anchors. The longest run of them that rises on
//     both sides is kept, and the gaps between are matched recursively.
//  3. From a gap without anchors, elements that the other side lacks are removed (they can't match). If
//     the rest is small, go-diff finds the shortest edit.
//  4. Otherwise elements that occur equally often on both sides are anchors too.
//  5. Otherwise the gap is one replacement.
//
// go-diff alone would take time quadratic in the size of the difference, and with its timeout the result
// would depend on the machine's speed. So it gets only small gaps, and its work is limited by a budget
// rather than by time.

// lineBudget limits the work of go-diff for one pair of texts, in steps of about 2 ns; a gap of n elements
// may take n*n.
const lineBudget = 60_000_000

// maxMatchDepth limits the recursion into gaps: a malicious text can yield one anchor at a time.
const maxMatchDepth = 200

type matcher struct {
	a, b   []int32
	count  [2][]int32 // per side and element: number of occurrences in the range; 0 between calls
	pos    [2][]int32 // per side and element: its last position
	budget int
	late   func() bool // reports whether the time has run out
	over   bool        // the time ran out, and gaps were not matched further
	edits  []Edit
}

// matchLines returns the edits that turn a into b, and whether the time ran out before they were minimal.
// The texts must differ.
func matchLines(a, b side, late func() bool) ([]Edit, bool) {
	pre := commonPrefix(a, b)
	suf := commonSuffix(a, b, pre)
	ids := map[string]int32{}
	old, ok := intern(a, pre, a.lines()-suf, ids, late)
	new, ok2 := intern(b, pre, b.lines()-suf, ids, late)
	if !ok || !ok2 {
		return []Edit{{Old: pre, OldLines: a.lines() - suf - pre, New: pre, NewLines: b.lines() - suf - pre}}, true
	}
	m := newMatcher(old, new, len(ids), lineBudget)
	m.late = late
	m.match(0, len(m.a), 0, len(m.b), 0)
	for i := range m.edits {
		m.edits[i].Old += pre
		m.edits[i].New += pre
	}
	edits := m.edits
	slide(a, b, edits)
	return joinTouching(edits), m.over
}

// internStep is the number of lines after which intern checks the time.
const internStep = 4096

// intern numbers the lines from..to of s; ok is false if the time ran out.
func intern(s side, from, to int, ids map[string]int32, late func() bool) (_ []int32, ok bool) {
	base := s.start[from]
	text := string(s.text[base:s.start[to]]) // one copy, which all keys share
	out := make([]int32, to-from)
	for i := range out {
		if i%internStep == 0 && late() {
			return nil, false
		}
		line := text[s.start[from+i]-base : s.start[from+i+1]-base]
		id, ok := ids[line]
		if !ok {
			id = int32(len(ids))
			ids[line] = id
		}
		out[i] = id
	}
	return out, true
}

func newMatcher(a, b []int32, distinct, budget int) *matcher {
	m := &matcher{a: a, b: b, budget: budget, late: never}
	for s := range m.count {
		m.count[s] = make([]int32, distinct)
		m.pos[s] = make([]int32, distinct)
	}
	return m
}

func (m *matcher) emit(a0, a1, b0, b1 int) {
	if a0 == a1 && b0 == b1 {
		return
	}
	if n := len(m.edits); n > 0 {
		if e := &m.edits[n-1]; e.OldEnd() == a0 && e.NewEnd() == b0 {
			e.OldLines += a1 - a0
			e.NewLines += b1 - b0
			return
		}
	}
	m.edits = append(m.edits, Edit{Old: a0, OldLines: a1 - a0, New: b0, NewLines: b1 - b0})
}

func (m *matcher) match(a0, a1, b0, b1, depth int) {
	for a0 < a1 && b0 < b1 && m.a[a0] == m.b[b0] {
		a0, b0 = a0+1, b0+1
	}
	for a0 < a1 && b0 < b1 && m.a[a1-1] == m.b[b1-1] {
		a1, b1 = a1-1, b1-1
	}
	if a0 == a1 || b0 == b1 || depth > maxMatchDepth || m.isLate() {
		m.emit(a0, a1, b0, b1)
		return
	}
	anchors := m.anchors(a0, a1, b0, b1, 1)
	if len(anchors) == 0 {
		if m.small(a0, a1, b0, b1) {
			return
		}
		anchors = m.anchors(a0, a1, b0, b1, math.MaxInt32)
	}
	if len(anchors) == 0 {
		m.emit(a0, a1, b0, b1)
		return
	}
	for _, p := range anchors {
		m.match(a0, p.a, b0, p.b, depth+1)
		a0, b0 = p.a+1, p.b+1
	}
	m.match(a0, a1, b0, b1, depth+1)
}

// isLate reports whether the time has run out, and remembers it.
func (m *matcher) isLate() bool {
	m.over = m.over || m.late()
	return m.over
}

type pair struct{ a, b int }

// anchors pairs the elements that occur equally often, and at most most times, on both sides of the range:
// first with first, second with second. It returns the longest run of pairs that rises on both sides.
func (m *matcher) anchors(a0, a1, b0, b1 int, most int32) []pair {
	m.tally(a0, a1, b0, b1)
	defer m.untally(a0, a1, b0, b1)
	var pairs []pair
	if most == 1 {
		for i := b0; i < b1; i++ {
			m.pos[1][m.b[i]] = int32(i)
		}
		for i := a0; i < a1; i++ {
			if id := m.a[i]; m.count[0][id] == 1 && m.count[1][id] == 1 {
				pairs = append(pairs, pair{i, int(m.pos[1][id])})
			}
		}
		return rising(pairs)
	}
	at := map[int32][]int{}
	for i := b0; i < b1; i++ {
		if id := m.b[i]; m.count[0][id] == m.count[1][id] && m.count[0][id] <= most {
			at[id] = append(at[id], i)
		}
	}
	for i := a0; i < a1; i++ {
		if rest := at[m.a[i]]; len(rest) > 0 {
			pairs = append(pairs, pair{i, rest[0]})
			at[m.a[i]] = rest[1:]
		}
	}
	return rising(pairs)
}

func (m *matcher) tally(a0, a1, b0, b1 int) {
	for _, id := range m.a[a0:a1] {
		m.count[0][id]++
	}
	for _, id := range m.b[b0:b1] {
		m.count[1][id]++
	}
}

func (m *matcher) untally(a0, a1, b0, b1 int) {
	for _, id := range m.a[a0:a1] {
		m.count[0][id] = 0
	}
	for _, id := range m.b[b0:b1] {
		m.count[1][id] = 0
	}
}

// rising returns the longest run of pairs that rises in b; pairs are sorted by a.
func rising(pairs []pair) []pair {
	if len(pairs) < 2 {
		return pairs
	}
	var tops []int // by length of run: the pair that ends the run of that length with the lowest b
	before := make([]int, len(pairs))
	for i, p := range pairs {
		n := sort.Search(len(tops), func(k int) bool { return pairs[tops[k]].b >= p.b })
		before[i] = -1
		if n > 0 {
			before[i] = tops[n-1]
		}
		if n == len(tops) {
			tops = append(tops, i)
		} else {
			tops[n] = i
		}
	}
	run := make([]pair, len(tops))
	for i, k := tops[len(tops)-1], len(run)-1; k >= 0; i, k = before[i], k-1 {
		run[k] = pairs[i]
	}
	return run
}

// small matches the range with go-diff, ignoring elements that occur on one side only. It reports false if
// that exceeds the budget.
func (m *matcher) small(a0, a1, b0, b1 int) bool {
	m.tally(a0, a1, b0, b1)
	ia := shared(m.a, a0, a1, m.count[1])
	ib := shared(m.b, b0, b1, m.count[0])
	m.untally(a0, a1, b0, b1)
	cost := (len(ia) + len(ib)) * (len(ia) + len(ib))
	if cost > m.budget {
		return false
	}
	m.budget -= cost
	for _, p := range m.shortest(ia, ib) {
		m.emit(a0, p.a, b0, p.b)
		a0, b0 = p.a+1, p.b+1
	}
	m.emit(a0, a1, b0, b1)
	return true
}

// shared returns the positions in the range whose elements the other side has too.
func shared(ids []int32, from, to int, other []int32) []int {
	var at []int
	for i := from; i < to; i++ {
		if other[ids[i]] > 0 {
			at = append(at, i)
		}
	}
	return at
}

// shortest returns the pairs that go-diff matches between the elements at ia and at ib.
func (m *matcher) shortest(ia, ib []int) []pair {
	if len(ia) == 0 || len(ib) == 0 {
		return nil
	}
	runes := map[int32]rune{}
	dmp := diffmatchpatch.New()
	dmp.DiffTimeout = 0
	var pairs []pair
	i, j := 0, 0
	for _, d := range dmp.DiffMainRunes(asRunes(m.a, ia, runes), asRunes(m.b, ib, runes), false) {
		n := utf8.RuneCountInString(d.Text)
		switch d.Type {
		case diffmatchpatch.DiffDelete:
			i += n
		case diffmatchpatch.DiffInsert:
			j += n
		case diffmatchpatch.DiffEqual:
			for range n {
				pairs = append(pairs, pair{ia[i], ib[j]})
				i, j = i+1, j+1
			}
		}
	}
	return pairs
}

// asRunes converts elements to runes for go-diff. The budget keeps their number far below the number of
// runes. Surrogates are skipped because go-diff stores its results in strings, where each would become
// U+FFFD.
func asRunes(ids []int32, at []int, runes map[int32]rune) []rune {
	out := make([]rune, len(at))
	for k, i := range at {
		r, ok := runes[ids[i]]
		if !ok {
			r = rune(len(runes) + 1)
			if r >= 0xd800 {
				r += 0x800
			}
			runes[ids[i]] = r
		}
		out[k] = r
	}
	return out
}

// maxSlide limits how far an edit is moved for readability.
const maxSlide = 100

// slide moves edits that only add or only remove to where a reader expects them. Among equal lines an added
// block can often start a few lines earlier or later with the same result; people expect a whole paragraph
// or function, not the end of one and the start of the next.
func slide(a, b side, edits []Edit) {
	for i := range edits {
		e := &edits[i]
		if (e.OldLines == 0) == (e.NewLines == 0) {
			continue
		}
		floor, ceil := 0, b.lines()
		if i > 0 {
			floor = edits[i-1].NewEnd()
		}
		if i+1 < len(edits) {
			ceil = edits[i+1].New
		}
		s, from, n := b, e.New, e.NewLines
		if n == 0 {
			s, from, n = a, e.Old, e.OldLines
		}
		by := bestSlide(s, from, n, min(maxSlide, e.New-floor), min(maxSlide, ceil-e.NewEnd()))
		e.Old += by
		e.New += by
	}
}

// bestSlide returns by how many lines to move the block of n lines at from: at most up lines upwards
// (negative) or down lines downwards.
func bestSlide(s side, from, n, up, down int) int {
	lo, hi := 0, 0
	for lo > -up && bytes.Equal(s.line(from+lo-1), s.line(from+n+lo-1)) {
		lo--
	}
	for hi < down && bytes.Equal(s.line(from+hi), s.line(from+n+hi)) {
		hi++
	}
	best, bestCost := 0, math.MaxInt
	for by := lo; by <= hi; by++ {
		if c := cutCost(s, from+by) + cutCost(s, from+n+by); c <= bestCost {
			best, bestCost = by, c
		}
	}
	return best
}

// cutCost returns how unsuitable line i is for a block to begin or end before it: the ends of the text are
// best, a line after a blank one is good, and deeper indentation is worse.
func cutCost(s side, i int) int {
	if i == 0 || i == s.lines() {
		return 0
	}
	cost := 10
	if isBlank(s.line(i - 1)) {
		cost = 1
	} else if isHeading(s.line(i)) {
		cost = 4
	}
	for k := i; k < s.lines() && k < i+20; k++ {
		if line := s.line(k); !isBlank(line) {
			if k > i {
				cost += 5 // the blank line would belong to the wrong block
			}
			return cost + 4*min(indent(line), 40)
		}
	}
	return cost
}

func isBlank(line []byte) bool   { return len(bytes.TrimSpace(line)) == 0 }
func isHeading(line []byte) bool { return bytes.HasPrefix(line, []byte("#")) }

func indent(line []byte) int {
	n := 0
	for _, c := range line {
		switch c {
		case ' ':
			n++
		case '\t':
			n += 8 - n%8
		default:
			return n
		}
	}
	return n
}

// joinTouching joins edits that have no line between them.
func joinTouching(edits []Edit) []Edit {
	out := edits[:1]
	for _, e := range edits[1:] {
		last := &out[len(out)-1]
		if last.NewEnd() == e.New && last.OldEnd() == e.Old {
			last.OldLines += e.OldLines
			last.NewLines += e.NewLines
		} else {
			out = append(out, e)
		}
	}
	return out
}
