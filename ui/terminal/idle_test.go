package terminal

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestIdle_IsCalledAgainForWorkInTheBackground(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var calls atomic.Int32
		d := &driver{idle: func() { calls.Add(1) }, wake: make(chan struct{}), done: make(chan struct{})}
		d.held.Store(true) // nothing is drawn
		go d.drawAll()
		defer close(d.done)
		for _, c := range []struct {
			after time.Duration
			want  int32
		}{{2 * time.Second, 1}, {3 * time.Second, 2}, {30 * time.Second, 3}, {time.Hour, 3}} {
			time.Sleep(c.after)
			synctest.Wait()
			if got := calls.Load(); got != c.want {
				t.Fatalf("%d calls after another %v, want %d", got, c.after, c.want)
			}
		}
		d.wake <- struct{}{}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if got := calls.Load(); got != 4 {
			t.Errorf("%d calls after something happened", got)
		}
	})
}
