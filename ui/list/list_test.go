package list

import "testing"

func TestStep_SkipsHeadingsAndShowsThemWithTheirFirstRow(t *testing.T) {
	heading := func(i int) bool { return i == 0 || i == 4 }
	for _, c := range []struct {
		name string
		from List
		by   int
		want List
	}{
		{"down over a heading", List{3, 1}, 1, List{5, 3}},
		{"up over a heading", List{5, 5}, -1, List{3, 3}},
		{"up to the first row", List{3, 3}, -2, List{1, 0}},
		{"beyond the end", List{6, 5}, 1 << 30, List{7, 5}},
		{"before the beginning", List{6, 5}, -1 << 30, List{1, 0}},
	} {
		l := c.from
		if l.Step(c.by, 8, 3, heading); l != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, l, c.want)
		}
	}
}

func TestStep_StaysInEmptyAndTinyLists(t *testing.T) {
	for _, size := range [][2]int{{0, 5}, {5, 0}, {0, 0}, {1, 1}} {
		var l List
		if l.Step(3, size[0], size[1], nil); l.Cur < 0 || l.Cur > max(size[0]-1, 0) || l.Top < 0 {
			t.Errorf("%v: %+v", size, l)
		}
	}
}
