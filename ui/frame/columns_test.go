package frame

import "testing"

func TestCut_ClosesStylesAtTheEdge(t *testing.T) {
	row := "ab\x1b[4mcd\x1b[mef"
	for _, c := range []struct {
		from, to int
		want     string
	}{{4, 6, "ef"}, {2, 4, "\x1b[4mcd\x1b[m"}, {3, 6, "\x1b[4md\x1b[mef"}, {0, 2, "ab"}, {5, 8, "f  "}} {
		if got := string(cut(nil, row, c.from, c.to)); got != c.want {
			t.Errorf("columns %d to %d are %q, want %q", c.from, c.to, got, c.want)
		}
	}
}
