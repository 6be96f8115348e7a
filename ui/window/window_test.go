package window

import (
	"testing"

	"pgregory.net/rapid"
)

func TestRows_TellItemsAndRowsApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		heights := rapid.SliceOfN(rapid.IntRange(0, 3), 0, 20).Draw(t, "heights")
		r := Measure(Rows{7, 7}, len(heights), func(i int) int { return heights[i] })
		row := 0
		for i, h := range heights {
			if r.First(i) != row {
				t.Fatalf("item %d begins in row %d, want %d", i, r.First(i), row)
			}
			for range h {
				if r.Item(row) != i {
					t.Fatalf("row %d is of item %d, want %d", row, r.Item(row), i)
				}
				row++
			}
		}
		if r.Len() != row || r.First(len(heights)+1) != row {
			t.Fatalf("%d rows, want %d", r.Len(), row)
		}
	})
}

func TestWindow_StaysFullAndShowsWhatItReveals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := Window{H: rapid.IntRange(1, 9).Draw(t, "height")}
		n := rapid.IntRange(1, 30).Draw(t, "rows")
		for range rapid.IntRange(1, 20).Draw(t, "steps") {
			was := w.Top
			first := rapid.IntRange(0, n-1).Draw(t, "first")
			last := min(first+rapid.IntRange(0, 12).Draw(t, "more"), n-1)
			switch rapid.IntRange(0, 2).Draw(t, "act") {
			case 0:
				if d := rapid.IntRange(-40, 40).Draw(t, "by"); w.Scroll(d, n) != (w.Top != was) {
					t.Fatalf("scroll %d does not tell whether it moved", d)
				}
			case 1:
				visible := w.Holds(first) && w.Holds(last)
				w.Reveal(first, last, n)
				if !w.Holds(first) || last-first < w.H && !w.Holds(last) {
					t.Fatalf("rows %d to %d are not all in %+v of %d", first, last, w, n)
				}
				if visible && w.Top != was {
					t.Fatalf("it scrolled from %d to %+v, though rows %d to %d were visible", was, w, first, last)
				}
			case 2:
				if w.Near(first, n); !w.Holds(first) {
					t.Fatalf("row %d is not in %+v", first, w)
				}
			}
			if w.Top < 0 || w.Top > 0 && w.Top+w.H > n {
				t.Fatalf("%+v is not full of %d rows", w, n)
			}
		}
	})
}
