package terminal

import (
	"testing"
	"time"
)

func TestPace_LetsTwoFramesFollowAPause(t *testing.T) {
	t.Parallel()
	var p pace
	start := time.Unix(1_000_000, 0)
	for _, c := range []struct{ drawn, next time.Duration }{
		{0, 0},
		{1, 4},
		{4, 8},
		{8, 12},
		{15, 16}, // not a whole pause
		{30, 30},
		{30, 34},
	} {
		if next := p.drawn(start.Add(c.drawn * time.Millisecond)).Sub(start); next != c.next*time.Millisecond {
			t.Errorf("after a frame at %d ms, the next is drawn at %v, want %d ms", c.drawn, next, c.next)
		}
	}
}
