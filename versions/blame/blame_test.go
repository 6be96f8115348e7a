package blame

import (
	"errors"
	"fmt"
	"slices"
	"testing"
)

// texts are the texts of versions, by their ids from 1. An id beyond them can't be read.
func texts(all ...string) Texts {
	return func(id int64) ([]byte, bool, error) {
		if int(id) > len(all) {
			return nil, false, nil
		}
		return []byte(all[id-1]), true, nil
	}
}

func TestRuns(t *testing.T) {
	t.Parallel()
	all := []string{"a\nb\nc\n", "a\nB\nc\n", "a\nB\nc\nd\n"}
	for name, c := range map[string]struct {
		past []Version
		want []Run
	}{
		"each edit writes its lines": {
			[]Version{{1, 1, -1, -1, -1, false}, {2, 2, 0, -1, -1, false}, {3, 3, 1, -1, -1, false}},
			[]Run{{1, 1, 0, 1, 1, false}, {2, 1, 1, 2, 2, false}, {3, 1, 0, 3, 1, false}, {4, 1, 2, 4, 3, false}},
		},
		"a rename writes nothing": {
			[]Version{{1, 1, -1, -1, -1, false}, {2, 1, 0, -1, -1, false}},
			[]Run{{1, 3, 0, 1, 1, false}},
		},
		"a restore gives the lines back to their writers": {
			[]Version{{1, 1, -1, -1, -1, false}, {2, 2, 0, -1, -1, false}, {3, 1, 1, 0, -1, false}},
			[]Run{{1, 3, 0, 1, 1, false}},
		},
		"a merge leaves the lines of both sides to their writers": {
			[]Version{{1, 1, -1, -1, -1, false}, {1, 2, -1, -1, -1, false}, {2, 3, 0, -1, 1, false}},
			[]Run{{1, 1, 0, 1, 1, false}, {2, 1, 1, 2, 1, false}, {3, 1, 0, 3, 1, false}, {4, 1, 2, 4, 2, false}},
		},
		"an erased version may have written the lines": {
			[]Version{{1, 0, -1, -1, -1, true}, {2, 2, 0, -1, -1, false}},
			[]Run{{1, 3, 1, 1, 1, false}},
		},
		"an unreadable version is treated as erased": {
			[]Version{{1, 1, -1, -1, -1, false}, {2, 9, 0, -1, -1, false}, {3, 3, 1, -1, -1, false}},
			[]Run{{1, 1, 0, 1, 1, false}, {2, 1, 2, 2, 2, false}, {3, 1, 0, 3, 1, false}, {4, 1, 2, 4, 2, false}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			newest := all[c.past[len(c.past)-1].Text-1]
			got, err := Runs(c.past, []byte(newest), texts(all...))
			if err != nil || !slices.Equal(got, c.want) {
				t.Errorf("%v, %v, want %v", got, err, c.want)
			}
		})
	}
}

func TestRuns_FailsIfATextCantBeReadNow(t *testing.T) {
	t.Parallel()
	gone := errors.New("gone")
	_, err := Runs([]Version{{1, 1, -1, -1, -1, false}, {2, 2, 0, -1, -1, false}}, []byte("x\n"), func(id int64) ([]byte, bool, error) {
		return nil, false, fmt.Errorf("text %d: %w", id, gone)
	})
	if !errors.Is(err, gone) {
		t.Error(err)
	}
}
