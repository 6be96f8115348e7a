package repair

import (
	"slices"
	"testing"

	"github.com/memend/memend/versions/db"
)

// The rows of a sequence have increasing ids and numbers, so a gap in the numbers shows how many
// rows are lost and between which ids they were.
func TestGaps_AreWhereNumbersAreMissing(t *testing.T) {
	t.Parallel()
	row := func(id, number int64) numbered { return numbered{id: id, number: number} }
	for name, c := range map[string]struct {
		rows      []numbered
		upTo, top int64
		known     []int64
		gaps      []gap
	}{
		"nothing is lost":                  {rows: []numbered{row(1, 1), row(4, 2), row(5, 3)}, upTo: 3, top: 5},
		"one in the middle":                {rows: []numbered{row(1, 1), row(5, 3)}, upTo: 3, top: 5, gaps: []gap{{7, 1, 5, 1}}},
		"the first two":                    {rows: []numbered{row(9, 3)}, upTo: 3, top: 9, gaps: []gap{{7, 0, 9, 2}}},
		"the last one":                     {rows: []numbered{row(1, 1)}, upTo: 2, top: 8, gaps: []gap{{7, 1, 9, 1}}},
		"its id is known":                  {rows: []numbered{row(1, 1), {id: 3, lost: true}, row(5, 3)}, upTo: 3, top: 5, known: []int64{3}},
		"a number that decreases":          {rows: []numbered{row(1, 1), row(2, 1), row(3, 3)}, upTo: 3, top: 3},
		"a number that grows too fast":     {rows: []numbered{row(1, 1), row(2, 900), row(3, 3)}, upTo: 3, top: 3},
		"a count that no row can have had": {rows: []numbered{row(1, 1)}, upTo: 900, top: 8},
	} {
		t.Run(name, func(t *testing.T) {
			known, open := gaps(7, c.rows, c.upTo, c.top)
			if !slices.Equal(known, c.known) || !slices.Equal(open, c.gaps) {
				t.Errorf("gaps = %v, %v; want %v, %v", known, open, c.known, c.gaps)
			}
		})
	}
}

// Two sequences share the row ids. The gap that ends first has the fewest ids to choose from.
func TestAssign_GivesFreeIDsToTheGapThatEndsFirst(t *testing.T) {
	t.Parallel()
	used := db.RowSet{}
	for _, id := range []int64{1, 3, 6, 9} {
		used.Add(id)
	}
	var got [][2]int64
	err := assign([]gap{{of: 1, after: 1, before: 9, need: 2}, {of: 2, after: 1, before: 6, need: 2}}, used, func(of, id int64) error {
		got = append(got, [2]int64{of, id})
		return nil
	})
	if want := [][2]int64{{2, 2}, {2, 4}, {1, 5}, {1, 7}}; err != nil || !slices.Equal(got, want) {
		t.Errorf("assign = %v, %v; want %v", got, err, want)
	}
}
