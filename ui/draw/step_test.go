package draw

import "testing"

func TestStep_SkipsHeadings(t *testing.T) {
	rows := "h..h.h"
	heading := func(i int) bool { return rows[i] == 'h' }
	for _, c := range []struct{ cur, d, want int }{
		{0, 0, 1}, {1, 1, 2}, {2, 1, 4}, {4, 1, 4}, {4, -1, 2}, {1, -1, 1}, {1, 100, 4}, {4, -100, 1},
	} {
		if got := Step(len(rows), c.cur, c.d, heading); got != c.want {
			t.Errorf("from %d by %d to %d, want %d", c.cur, c.d, got, c.want)
		}
	}
	if got := Step(0, 0, 1, func(int) bool { return false }); got != 0 {
		t.Errorf("in nothing to %d", got)
	}
	if got := Step(2, 0, 1, func(int) bool { return true }); got < 0 || got > 1 {
		t.Errorf("where all are headings to %d", got)
	}
}
