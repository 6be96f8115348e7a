package engine_test

import (
	"fmt"
	"testing"

	"github.com/memend/memend/versions"
	vhistory "github.com/memend/memend/versions/history"
)

func TestNear_TellsWhichWordsOccurAndWhatIsSpelledLikeTheOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(alice, "kubernetes.md", "Deployments run at nine, deployment windows too.\n")
	w.write(alice, "b", "deployments by Müller, secret\n")
	for query, want := range map[string]string{
		"deployment nine":      "[{deployment 2 2 []} {nine 1 1 []}]",
		"deplyoment secret":    "[{deplyoment 0 0 [deployments deployment]} {secret 1 1 []}]",
		"sevret":               "[{sevret 0 0 [secret]}]",
		"kubernets":            "[{kubernets 0 0 [kubernetes]}]",
		"muler":                "[{muler 0 0 []}]",
		"mülller":              "[{mülller 0 0 [müller]}]",
		"Secret":               "[{Secret 0 1 []}]",
		"x":                    "[{x 0 0 []}]",
		"rnu":                  "[{rnu 0 0 [run]}]",
		`"run at ten" widnows`: "[{run at ten 0 0 []} {widnows 0 0 [windows]}]",
		"":                     "[]",
	} {
		near, err := vhistory.Near(t.Context(), w.store, versions.Query{Text: query})
		if got := fmt.Sprint(near); err != nil || got != want {
			t.Errorf("near %q: %s, want %s, %v", query, got, want, err)
		}
	}
	near, err := vhistory.Near(t.Context(), w.store, versions.Query{Text: "secret", In: mustPath("kubernetes.md")})
	if err != nil || near[0].Memories != 0 {
		t.Errorf("near in one memory: %v, %v", near, err)
	}
}

func BenchmarkNear_10000Memories(b *testing.B) {
	s := benchStore(b)
	benchFolder(b, s, 10_000)
	for b.Loop() {
		if _, err := vhistory.Near(b.Context(), s, versions.Query{Text: "refnud nowhere"}); err != nil {
			b.Fatal(err)
		}
	}
}
