package ui

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

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
