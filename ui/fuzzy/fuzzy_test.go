package fuzzy

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestFuzzy_RanksTheBestFirst(t *testing.T) {
	paths := []string{"notes/plan.md", "projects/plan/readme.md", "people/lana.md", "p/l/a/n.md", "explanation.md", "archive/old/plan-2024.md", "PLAN.md"}
	all := make([]Candidate, len(paths))
	for i, p := range paths {
		all[i] = New(p)
	}
	for query, want := range map[string]string{
		"plan":     "PLAN.md",
		"notes pl": "notes/plan.md",
		"readme":   "projects/plan/readme.md",
		"lana":     "people/lana.md",
		"pln24":    "archive/old/plan-2024.md",
	} {
		got := Find(all, query)
		if len(got) == 0 || paths[got[0].Index] != want {
			t.Errorf("%q finds %v first, want %s", query, got, want)
		}
	}
	if got := Find(all, "zzz"); len(got) != 0 {
		t.Errorf("zzz finds %v", got)
	}
	if got := Find(all, ""); len(got) != len(paths) {
		t.Errorf("nothing finds %d", len(got))
	}
}

func TestOperators_RestrictMatches(t *testing.T) {
	paths := []string{"notes/plan.md", "people/plain.md", "p/l/a/n.md", "plan-b.md"}
	all := make([]Candidate, len(paths))
	for i, p := range paths {
		all[i] = New(p)
	}
	for query, want := range map[string]string{
		"'plan": "[notes/plan.md plan-b.md]", "!plan": "[p/l/a/n.md people/plain.md]", "^notes": "[notes/plan.md]", "^plan": "[notes/plan.md plan-b.md]",
		"pln !notes ^p": "[p/l/a/n.md people/plain.md plan-b.md]", "!": "[notes/plan.md p/l/a/n.md people/plain.md plan-b.md]",
	} {
		var got []string
		for _, m := range Find(all, query) {
			got = append(got, paths[m.Index])
		}
		slices.Sort(got)
		if fmt.Sprint(got) != want {
			t.Errorf("%q finds %v, want %s", query, got, want)
		}
	}
}

func TestLetters_AreTheMatchedOnes(t *testing.T) {
	c := New("notes/plan.md")
	for query, want := range map[string]string{"plan": "[6 7 8 9]", "nts": "[0 2 4]", "!x 'md": "[11 12]"} {
		if got := fmt.Sprint(c.Letters(query)); got != want {
			t.Errorf("%q: %s, want %s", query, got, want)
		}
	}
}

func manyCandidates(n int) []Candidate {
	r := rand.New(rand.NewPCG(1, 2))
	words := []string{"notes", "people", "project", "release", "meeting", "api", "errors", "plan", "memory", "2026-03"}
	all := make([]Candidate, n)
	for i := range all {
		all[i] = New(fmt.Sprintf("%s/%s/%s-%d.md", words[r.IntN(10)], words[r.IntN(10)], words[r.IntN(10)], i))
	}
	return all
}

func BenchmarkFuzzy_100000(b *testing.B) {
	all := manyCandidates(100_000)
	for b.Loop() {
		Find(all, "relpl")
	}
}
