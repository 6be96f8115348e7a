package versions

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

func TestListing_IsTheSameInBlocksOfAnySize(t *testing.T) {
	w := newWorld(t)
	for i := range 13 {
		by, text := robot, fmt.Sprint(i, strings.Repeat("\u202e", i%3*300))
		if i%4 == 0 {
			by, text = alice, fmt.Sprint("\xff", i)
		}
		if _, err := w.store.Write(t.Context(), by, mustPath(fmt.Sprintf("f %d/ä %%, %d.md", i%4, i)), []byte(text), Pre{}); err != nil {
			t.Fatal(err)
		}
	}
	for _, rows := range []int{1, 3, 12, 13, 14} {
		err := w.trail.view(t.Context(), func(q reader) error {
			actors, err := actorsOf(q)
			if err != nil {
				return err
			}
			blocks, err := w.store.headBlocks(q, math.MaxInt64, rows)
			if err != nil {
				return err
			}
			var es []Entry
			for _, b := range blocks {
				if es, err = b.append(es, actors); err != nil {
					return err
				}
			}
			if len(es) != 13 {
				t.Fatalf("in blocks of %d: %d entries", rows, len(es))
			}
			for i, e := range es {
				alone, err := w.store.Entry(t.Context(), e.Path)
				if err != nil || alone != e {
					t.Errorf("in blocks of %d: %+v, alone %+v, %v", rows, e, alone, err)
				}
				if i > 0 && comparePaths(es[i-1].Path, e.Path) >= 0 {
					t.Errorf("in blocks of %d: %s stands after %s", rows, e.Path, es[i-1].Path)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestListing_RefusesAnIDOfAnotherLength(t *testing.T) {
	b := headBlock{rows: 2, paths: "a\nb", ids: strings.Repeat("x", 2*idBytes-1)}
	if _, err := b.append(nil, nil); err == nil {
		t.Error("it is taken")
	}
}
