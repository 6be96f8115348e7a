package memory

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestSearch_AgreesWithAPlainScan(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		piece := rapid.SampledFrom([]string{"ab", "AB", "a", "b", "\n", "\r\n", "é", "xx", " "})
		s := strings.Join(rapid.SliceOfN(piece, 0, 200).Draw(rt, "text"), "")
		needle := rapid.SampledFrom([]string{"ab", "Ab", "AB", "a", "é", "xx", "b a"}).Draw(rt, "needle")
		var want []spot
		for i, line := range strings.Split(s, "\n") {
			if strings.ToLower(needle) == needle {
				line = strings.ToLower(line)
			}
			for at := 0; ; {
				k := strings.Index(line[at:], needle)
				if k < 0 {
					break
				}
				want = append(want, spot{i, at + k})
				at += k + len(needle)
			}
		}
		match, err := newMatcher(needle)
		if err != nil {
			rt.Fatal(err)
		}
		if got := match.all(t.Context(), []byte(s)); fmt.Sprint(got) != fmt.Sprint(want) {
			rt.Fatalf("%q in %q: %v, want %v", needle, s, got, want)
		}
	})
}
