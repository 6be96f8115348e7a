package memory

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestSearch_AgreesWithAPlainScan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.SampledFrom([]string{"ab", "AB", "a", "b", "\n", "é", "xx", " "})
		s := strings.Join(rapid.SliceOfN(piece, 0, 200).Draw(t, "text"), "")
		needle := rapid.SampledFrom([]string{"ab", "Ab", "AB", "a", "é", "xx", "b a"}).Draw(t, "needle")
		var want []hit
		for i, line := range strings.Split(s, "\n") {
			if strings.ToLower(needle) == needle {
				line = strings.ToLower(line)
			}
			for at := 0; ; {
				k := strings.Index(line[at:], needle)
				if k < 0 {
					break
				}
				want = append(want, hit{i, at + k})
				at += k + len(needle)
			}
		}
		var got []hit
		for st := begin(needle); !st.done; {
			hits, next, err := searchStep(strings.NewReader(s), st)
			if err != nil {
				t.Fatal(err)
			}
			got, st = append(got, hits...), next
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("%q in %q: %v, want %v", needle, s, got, want)
		}
	})
}

func TestSearch_ContinuesAcrossItsSteps(t *testing.T) {
	s := strings.Repeat(strings.Repeat("x", 99)+"\n", searchBytes/100*2) + "needle\n"
	var got []hit
	steps := 0
	for st := begin("needle"); !st.done; steps++ {
		hits, next, err := searchStep(strings.NewReader(s), st)
		if err != nil {
			t.Fatal(err)
		}
		got, st = append(got, hits...), next
	}
	if len(got) != 1 || got[0] != (hit{searchBytes / 100 * 2, 0}) || steps < 2 {
		t.Errorf("%v in %d steps", got, steps)
	}
}

func TestSearch_FindsHitsAcrossSteps(t *testing.T) {
	line := strings.Repeat("x", 99) + "\n"
	s := strings.Repeat("y", (searchBytes-3)%100) + strings.Repeat(line, (searchBytes-3)/100)[1:] + "\nneedle\n"
	if at := strings.Index(s, "needle"); at >= searchBytes || at+6 <= searchBytes {
		t.Fatalf("the text is made wrongly: %d", at)
	}
	var got []hit
	for st := begin("needle"); !st.done; {
		hits, next, err := searchStep(strings.NewReader(s), st)
		if err != nil {
			t.Fatal(err)
		}
		got, st = append(got, hits...), next
	}
	if want := (hit{strings.Count(s, "\n") - 1, 0}); len(got) != 1 || got[0] != want {
		t.Errorf("%v, want %v", got, want)
	}
}

func begin(s string) searchState {
	match, err := newMatcher(s)
	if err != nil {
		panic(err)
	}
	return searchState{match: match}
}
