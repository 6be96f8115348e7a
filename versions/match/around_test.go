package match

import (
	"flag"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

var aroundSeed = flag.Uint64("around.seed", 1, "seed of the texts in which lines around others are looked for")

// The lines around those found are what a list of all lines says, each line once.
func TestLinesAroundAreThoseOfTheText(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(*aroundSeed, 0))
	for range 500 {
		var b strings.Builder
		for range r.IntN(12) {
			b.WriteString([]string{"x", "needle", "", "two needle needle"}[r.IntN(4)] + []string{"\n", "\r\n"}[r.IntN(2)])
		}
		b.WriteString([]string{"", "needle", "end"}[r.IntN(3)])
		text, n := b.String(), r.IntN(4)
		lines := strings.SplitAfter(text, "\n")
		var want []Line
		offset := 0
		for i, line := range lines {
			near := false
			for k := max(0, i-n); k <= min(len(lines)-1, i+n); k++ {
				near = near || strings.Contains(lines[k], "needle")
			}
			if near && (line != "" || i < len(lines)-1) {
				bare := strings.TrimSuffix(line, "\n")
				if strings.HasSuffix(line, "\n") {
					bare = strings.TrimSuffix(bare, "\r")
				}
				want = append(want, Line{Number: i + 1, Offset: offset, Text: bare})
			}
			offset += len(line)
		}
		terms := ParseTerms("needle")
		got := Excerpt{Around: n}.Of(terms, []byte(text), All(terms, []byte(text)))
		for i := range got {
			if strings.Contains(got[i].Text, "needle") != (len(got[i].Spans) > 0) {
				t.Fatalf("seed %d: %q: spans of line %+v", *aroundSeed, text, got[i])
			}
			got[i].Spans = nil
		}
		if len(got) == 0 {
			got = nil
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d: %d around in %q:\n%+v\nwant\n%+v", *aroundSeed, n, text, got, want)
		}
	}
}
