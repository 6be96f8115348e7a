package draw

import (
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/memend/memend/theme"
)

func cell(s string) func(*int, *int, int) (string, theme.Style) {
	return func(*int, *int, int) (string, theme.Style) { return s, theme.Style{} }
}

var table = Table[*int, *int]{
	{Title: "name", Share: 1, Least: 6, Cell: cell("a-long-name")},
	{Title: "path", Share: 2, From: 30, Path: true, Cell: cell("/a/long/path.md")},
	{Title: "old", W: 3, Below: 20, Cell: cell("3d")},
	{Title: "size", W: 5, Least: 4, From: 30, Right: true, Cell: cell("12K")},
	{Title: "n", W: 2, From: 25, Right: true, Put: func(_, _ *int, r Row) Row { r.Put("more than fits", theme.Style{}); return r }},
}

func TestTable_LeavesOutAndNarrowsColumns(t *testing.T) {
	for w, want := range map[int][2]string{
		40: {"name      path                  size  n ", "a-long-n… /a/long/path.md        12K m… "},
		30: {"name   path           size  n ", "a-lon… …long/path.md   12K m… "},
		26: {"name              size  n ", "a-long-name        12K m… "},
		22: {"name             size ", "a-long-name       12K "},
		16: {"name   old size ", "a-lon… 3d   12K "},
	} {
		for i, put := range []func(Row) Row{
			func(r Row) Row { return table.Titles(r, theme.Style{}) },
			func(r Row) Row { return table.Put(r, nil, nil) },
		} {
			r := put(NewRow(nil, w))
			if got := ansi.Strip(string(r.End())); got != want[i] {
				t.Errorf("%d columns: drawn as %q, want %q", w, got, want[i])
			}
		}
	}
}

func TestTable_AlwaysFits(t *testing.T) {
	for w := range 60 {
		for used := range w + 1 {
			r := NewRow(nil, w)
			r.Space(used)
			r = table.Put(r, nil, nil)
			if got := ansi.StringWidth(string(r.End())); got != w {
				t.Fatalf("a row of %d columns has %d", w, got)
			}
		}
	}
}

func TestTable_AllocatesNothingForARow(t *testing.T) {
	dst := make([]byte, 0, 1000)
	if n := testing.AllocsPerRun(100, func() {
		r := table.Put(StyledRow(dst, 50, theme.Style{On: "<"}), nil, nil)
		r.End()
	}); n > 0 {
		t.Errorf("a row makes %v allocations", n)
	}
}
