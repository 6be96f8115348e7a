package ui

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestSearch_FindsWhatAPlainLookFinds(t *testing.T) {
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
		for st := newSearch(needle); !st.done; {
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

func TestSearch_GoesOnOverItsSteps(t *testing.T) {
	s := strings.Repeat(strings.Repeat("x", 99)+"\n", searchBytes/100*2) + "needle\n"
	var got []hit
	steps := 0
	for st := newSearch("needle"); !st.done; steps++ {
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

func TestSearch_FindsWhatTheEndOfAStepWouldCut(t *testing.T) {
	line := strings.Repeat("x", 99) + "\n"
	s := strings.Repeat("y", (searchBytes-3)%100) + strings.Repeat(line, (searchBytes-3)/100)[1:] + "\nneedle\n"
	if at := strings.Index(s, "needle"); at >= searchBytes || at+6 <= searchBytes {
		t.Fatalf("the text is made wrongly: %d", at)
	}
	var got []hit
	for st := newSearch("needle"); !st.done; {
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

func TestFuzzy_PutsTheLikeliestFirst(t *testing.T) {
	paths := []string{"notes/plan.md", "projects/plan/readme.md", "people/lana.md", "p/l/a/n.md", "explanation.md", "archive/old/plan-2024.md", "PLAN.md"}
	all := make([]candidate, len(paths))
	for i, p := range paths {
		all[i] = newCandidate(p)
	}
	for query, want := range map[string]string{
		"plan":     "PLAN.md",
		"notes pl": "notes/plan.md",
		"readme":   "projects/plan/readme.md",
		"lana":     "people/lana.md",
		"pln24":    "archive/old/plan-2024.md",
	} {
		got := fuzzy(all, query, nil)
		if len(got) == 0 || paths[got[0].index] != want {
			t.Errorf("%q finds %v first, want %s", query, got, want)
		}
	}
	if got := fuzzy(all, "zzz", nil); len(got) != 0 {
		t.Errorf("zzz finds %v", got)
	}
	if got := fuzzy(all, "", nil); len(got) != len(paths) {
		t.Errorf("nothing finds %d", len(got))
	}
}

func TestFuzzy_NarrowsToWhatASearchFromScratchFinds(t *testing.T) {
	all := manyCandidates(2000)
	var among []match
	for _, q := range []string{"n", "no", "not", "note", "note 7", "note 71"} {
		among = fuzzy(all, q, among)
		if whole := fuzzy(all, q, nil); fmt.Sprint(whole) != fmt.Sprint(among) {
			t.Fatalf("%q: %d matches, from scratch %d", q, len(among), len(whole))
		}
	}
}

func manyCandidates(n int) []candidate {
	r := rand.New(rand.NewPCG(1, 2))
	words := []string{"notes", "people", "project", "release", "meeting", "api", "errors", "plan", "memory", "2026-03"}
	all := make([]candidate, n)
	for i := range all {
		all[i] = newCandidate(fmt.Sprintf("%s/%s/%s-%d.md", words[r.IntN(10)], words[r.IntN(10)], words[r.IntN(10)], i))
	}
	return all
}

func BenchmarkFuzzy_100000(b *testing.B) {
	all := manyCandidates(100_000)
	for b.Loop() {
		fuzzy(all, "relpl", nil)
	}
}
