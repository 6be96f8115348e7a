package versions

import (
	"fmt"
	"testing"
)

func TestNear_TellsWhichWordsOccurAndWhatIsSpelledLikeTheOthers(t *testing.T) {
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
		near, err := w.store.Near(t.Context(), Query{Text: query})
		if got := fmt.Sprint(near); err != nil || got != want {
			t.Errorf("near %q: %s, want %s, %v", query, got, want, err)
		}
	}
	near, err := w.store.Near(t.Context(), Query{Text: "secret", In: mustPath("kubernetes.md")})
	if err != nil || near[0].Memories != 0 {
		t.Errorf("near in one memory: %v, %v", near, err)
	}
}

func TestNearly_CountsMistakes(t *testing.T) {
	for _, c := range []struct {
		a, b string
		near bool
	}{
		{"run", "run", true}, {"run", "rnu", true}, {"run", "ran", true}, {"run", "runs", true}, {"run", "un", true},
		{"run", "rains", false}, {"run", "", false}, {"search", "saerhc", true}, {"search", "xearhc", false}, {"search", "xearch", true},
		{"größe", "grösse", false}, {"größe", "große", true},
	} {
		if got := nearly([]rune(c.a), []rune(c.b)); got != c.near {
			t.Errorf("%s and %s: %v", c.a, c.b, got)
		}
	}
}

func BenchmarkNear_10000Memories(b *testing.B) {
	s := benchStore(b)
	benchFolder(b, s, 10_000)
	for b.Loop() {
		if _, err := s.Near(b.Context(), Query{Text: "refnud nowhere"}); err != nil {
			b.Fatal(err)
		}
	}
}
