package merge

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/memend/memend/versions/diff"
)

// The result consists of what was decided for each part, for any texts and decisions.
func TestResult_FollowsTheDecisions(t *testing.T) {
	n := *seed
	if n == 0 {
		n = rand.Uint64()
	}
	t.Logf("-seed %d", n)
	r := rand.New(rand.NewPCG(n, 1))
	for range 2000 {
		b := randomText(r, 1+r.IntN(12))
		th, mi := edited(r, b), edited(r, b)
		m := compare(b, th, mi)
		reference := diff.Merge(b, mi, th)
		if got, want := resolved(m, takeMine), reference.Favor(diff.MergeOurs); !bytes.Equal(got, want) {
			t.Fatalf("mine for every conflict of %q, %q, %q is %q, want %q", b, th, mi, got, want)
		}
		if got, want := resolved(m, takeTheirs), reference.Favor(diff.MergeTheirs); !bytes.Equal(got, want) {
			t.Fatalf("theirs for every conflict is %q, want %q", got, want)
		}
		for k, want := range map[pick][]byte{takeTheirs: th, takeMine: mi, takeBase: b} {
			for i := range m.parts {
				if m.parts[i].kind != diff.MergeKept {
					m.parts[i].decision = decision{pick: k}
				}
			}
			if got := m.bytes(); !bytes.Equal(got, want) {
				t.Fatalf("%s everywhere is %q, want %q", pickNames[k], got, want)
			}
		}
		checkRandomDecisions(t, r, m, reference)
	}
}

func resolved(m *merged, k pick) []byte {
	for i := range m.parts {
		if m.parts[i].kind == diff.MergeConflict {
			m.parts[i].decision = decision{pick: k}
		}
	}
	return m.bytes()
}

func checkRandomDecisions(t *testing.T, r *rand.Rand, m *merged, reference *diff.Merged) {
	t.Helper()
	want := []byte{}
	for i, region := range reference.Regions {
		x := &m.parts[i]
		text := [][]byte{region.Theirs}
		if x.kind != diff.MergeKept {
			switch x.pick = pick(1 + r.IntN(int(ownText))); x.pick {
			case takeMine:
				text = [][]byte{region.Ours}
			case takeBase:
				text = [][]byte{region.Base}
			case theirsFirst:
				text = [][]byte{region.Theirs, region.Ours}
			case mineFirst:
				text = [][]byte{region.Ours, region.Theirs}
			case ownText:
				x.typed = newLines(randomText(r, r.IntN(3)))
				text = [][]byte{x.typed.text}
			}
		}
		for _, b := range text {
			if len(want) > 0 && len(b) > 0 && want[len(want)-1] != '\n' {
				want = append(want, m.eol()...)
			}
			want = append(want, b...)
		}
	}
	if got := m.bytes(); !bytes.Equal(got, want) {
		t.Fatalf("the result is %q, want %q", got, want)
	}
}

func randomText(r *rand.Rand, lines int) []byte {
	var b []byte
	for range lines {
		b = append(b, "abc"[r.IntN(3)])
		b = append(b, []string{"\n", "\n", "\r\n", " d\n"}[r.IntN(4)]...)
	}
	if r.IntN(3) == 0 {
		b = append(b, "end"...)
	}
	return append([]byte{}, b...)
}

func edited(r *rand.Rand, text []byte) []byte {
	lines := bytes.SplitAfter(text, []byte("\n"))
	out := []byte{}
	for _, l := range lines {
		switch r.IntN(6) {
		case 0:
		case 1:
			out = append(append(out, l...), randomText(r, 1)...)
		case 2:
			out = append(out, randomText(r, 1)...)
		default:
			out = append(out, l...)
		}
	}
	return out
}
