package engine_test

import (
	"testing"

	"github.com/memend/memend/versions"
	vhistory "github.com/memend/memend/versions/history"
)

func TestSizesSumUpEveryStoreAndNoOther(t *testing.T) {
	t.Parallel()
	c := newClock()
	w := newWorld(t, versions.Options{Now: c.now})
	empty := w.second()
	defer empty.Close()
	w.write(robot, "a", "four")
	w.write(robot, "b/c", "sixsix")
	c.pass(1e9)
	w.write(robot, "a", "fi")
	sizes, err := vhistory.Sizes(t.Context(), w.trail)
	if err != nil || len(sizes) != 2 {
		t.Fatalf("%+v, %v", sizes, err)
	}
	if z := sizes[w.store.Info().ID]; z.Memories != 2 || z.Bytes != 8 || z.Changes != 3 || !z.Changed.Equal(c.now()) {
		t.Errorf("%+v", z)
	}
	if z := sizes[empty.Info().ID]; z != (versions.StoreSize{}) {
		t.Errorf("the empty one: %+v", z)
	}
}
