package diff

import (
	"bytes"
	"math"
	"sort"
	"unicode/utf8"

	"github.com/sergi/go-diff/diffmatchpatch"
)

// How lines (and words) are matched. Both sides become numbers first, the same
// number for the same bytes. Then a range of both sides is matched like this:
//
//  1. what both begin and end with is the same
//  2. elements that stand exactly once on each side are anchors; of these the
//     longest run that rises on both sides is kept, and the gaps between are
//     matched in turn
//  3. a gap without anchors loses the elements that the other side hasn't got
//     (they can match nothing), and if what is left is small, go-diff finds
//     the shortest edit
//  4. else elements that stand equally often on both sides are anchors too
//  5. else the gap is one replacement
//
// go-diff alone would take time by the square of what differs, and its timeout
// would let the result depend on the machine's speed: so it sees small gaps
// only, and its work is counted in a budget instead of in seconds.

// lineBudget bounds the work of go-diff for one pair of texts, in steps of
// about 2 ns; a gap of n elements may take n*n.
const lineBudget = 60_000_000

// maxMatchDepth bounds how often gaps are cut into gaps: a text made to hurt
// can give one anchor at a time.
const maxMatchDepth = 200

type matcher struct {
	a, b   []int32
	count  [2][]int32 // by element: how often it stands in the range, per side; 0 between calls
	pos    [2][]int32 // by element: where it was seen last, per side
	budget int
	late   func() bool // whether the time is over
	over   bool        // it was, and gaps were left as they were
	edits  []Edit
}

// matchLines is the edits that make b of a, and whether the time was over before
// they were as small as they can be. The texts must differ.
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

// internStep is after how many lines intern looks at the time.
const internStep = 4096

// intern numbers the lines from..to of s, unless the time is over.
func intern(s side, from, to int, ids map[string]int32, late func() bool) (_ []int32, ok bool) {
	base := s.start[from]
	text := string(s.text[base:s.start[to]]) // one copy, of which every key is a part
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

// isLate reports whether the time is over; once it is, it stays so.
func (m *matcher) isLate() bool {
	m.over = m.over || m.late()
	return m.over
}

type pair struct{ a, b int }

// anchors pairs the elements that stand equally often, and at most so often, on
// both sides of the range, first with first, second with second; and keeps the
// longest run of pairs that rises on both sides.
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

// rising is the longest run of pairs, which come sorted by a, that rises in b.
func rising(pairs []pair) []pair {
	if len(pairs) < 2 {
		return pairs
	}
	var tops []int // by length of run: the pair that ends the run with the lowest b
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

// small gives the range to go-diff, without the elements that stand on one side
// only. It reports false when that is more than the budget allows.
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

// shared is where in the range elements stand that the other side has too.
func shared(ids []int32, from, to int, other []int32) []int {
	var at []int
	for i := from; i < to; i++ {
		if other[ids[i]] > 0 {
			at = append(at, i)
		}
	}
	return at
}

// shortest is the pairs that go-diff matches between the elements at ia and at ib.
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

// asRunes writes elements as runes, for go-diff. The budget keeps their number
// far below what runes there are; the surrogates are left out because go-diff
// keeps its results in strings, where they would all become U+FFFD.
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

// maxSlide bounds how far an edit is moved for the reader's sake.
const maxSlide = 100

// slide moves edits that only add or only remove to where a reader expects
// them. An added block between equal lines can often stand a few lines higher
// or lower with the same result; people see a paragraph or a function as
// added, not the end of one and the start of the next.
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

// bestSlide is by how many lines the block of n lines from on moves: up to up
// lines upwards (negative) or down lines downwards.
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

// cutCost says how badly a block may begin or end before line i: best at the
// ends of the text, well after a blank line, worse the deeper the line below
// is indented.
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
				cost += 5 // a cut before a blank line leaves it to the wrong block
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

// joinTouching makes one of edits that have no line between them any more.
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
