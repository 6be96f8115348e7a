package diff

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

var partCases = flag.Int("part.cases", 1000, "random texts whose hunks are decided")

// changedLines returns a random text as lines, and what somebody made of it. Lines are unique unless alike. Each line has its end.
func changedLines(r *rand.Rand, alike bool) (old, new []string) {
	n, end := 0, []string{"\n", "\r\n"}[r.IntN(2)]
	line := func() string {
		n++
		if alike {
			return fmt.Sprint(r.IntN(3), end)
		}
		return fmt.Sprint(n, end)
	}
	for range r.IntN(12) {
		l := line()
		old, new = append(old, l), append(new, l)
	}
	for range r.IntN(5) {
		at := r.IntN(len(new) + 1)
		to := min(at+r.IntN(3), len(new))
		var in []string
		for range r.IntN(3) {
			in = append(in, line())
		}
		new = slices.Replace(slices.Clone(new), at, to, in...)
	}
	for _, side := range [][]string{old, new} { // some texts have no newline at their end
		if len(side) > 0 && r.IntN(3) == 0 {
			side[len(side)-1] = strings.TrimRight(side[len(side)-1], "\r\n")
		}
	}
	return old, new
}

func joined(lines []string) []byte { return []byte(strings.Join(lines, "")) }

// Hunks that are decided in any order, kept or undone, give the text in which the kept ones are as in the new text and the undone
// ones as in the old one, to the byte.
func TestParts_DecidedInAnyOrderGiveTheChosenText(t *testing.T) {
	t.Parallel()
	seed := testSeed(t)
	r := rand.New(rand.NewPCG(uint64(seed), 7))
	for i := range *partCases {
		a, b := changedLines(r, false)
		old, new := joined(a), joined(b)
		d := Lines(old, new)
		var want []string
		keep, at := map[int]bool{}, 0
		for _, e := range d.Edits() {
			want = append(want, b[at:e.New]...)
			at = e.NewEnd()
			if keep[e.New] = r.IntN(2) == 0; keep[e.New] {
				want = append(want, b[e.New:e.NewEnd()]...)
			} else {
				want = append(want, a[e.Old:e.OldEnd()]...)
			}
		}
		want = append(want, b[at:]...)
		// Which of the first edits one is, is known by its lines: they are unique.
		kept := func(e Edit, now *Diff) bool {
			for _, first := range d.Edits() {
				if bytes.Equal(d.old.between(first.Old, first.OldEnd()), now.old.between(e.Old, e.OldEnd())) && bytes.Equal(d.new.between(first.New, first.NewEnd()), now.new.between(e.New, e.NewEnd())) {
					return keep[first.New]
				}
			}
			t.Fatalf("seed %d, case %d: %q to %q: an edit that was none: %+v", seed, i, old, new, e)
			return false
		}
		was, is := old, new
		for {
			now := Lines(was, is)
			if now.Identical() {
				break
			}
			e := now.Edits()[r.IntN(len(now.Edits()))]
			if kept(e, now) {
				was = now.With(e.Whole())
			} else {
				is = now.Without(e.Whole())
			}
		}
		if !bytes.Equal(is, joined(want)) {
			t.Fatalf("seed %d, case %d: %q to %q: %q, want %q", seed, i, old, new, is, joined(want))
		}
	}
}

// Whatever lines are chosen, With and Without are the two halves of one difference, and deciding goes on until nothing is left.
func TestParts_AreHalvesOfADifference(t *testing.T) {
	t.Parallel()
	seed := testSeed(t)
	r := rand.New(rand.NewPCG(uint64(seed), 8))
	for i := range *partCases {
		a, b := changedLines(r, true)
		old, new := joined(a), joined(b)
		d := Lines(old, new)
		var all, some, others []Part
		for _, e := range d.Edits() {
			all = append(all, e.Whole())
			if r.IntN(2) == 0 {
				some = append(some, e.Whole())
			} else {
				others = append(others, e.Whole())
			}
		}
		for name, is := range map[string][2][]byte{
			"nothing kept": {d.With(), old}, "nothing undone": {d.Without(), new}, "all kept": {d.With(all...), new}, "all undone": {d.Without(all...), old},
			"some kept, the others undone": {d.With(some...), d.Without(others...)},
		} {
			if !bytes.Equal(is[0], is[1]) {
				t.Fatalf("seed %d, case %d: %q to %q: %s: %q, not %q", seed, i, old, new, name, is[0], is[1])
			}
		}
		was, is := old, new
		for left := 100; ; left-- {
			now := Lines(was, is)
			if now.Identical() {
				break
			}
			if left == 0 {
				t.Fatalf("seed %d, case %d: %q to %q: never decided: %q to %q", seed, i, old, new, was, is)
			}
			e := now.Edits()[r.IntN(len(now.Edits()))]
			p := e.Whole()
			p.OldFrom, p.NewFrom = r.IntN(e.OldLines+1), r.IntN(e.NewLines+1)
			if p.OldFrom == e.OldLines && p.NewFrom == e.NewLines {
				p = e.Whole()
			}
			if r.IntN(2) == 0 {
				was = now.With(p)
			} else {
				is = now.Without(p)
			}
		}
	}
}
