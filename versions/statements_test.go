package versions

import (
	"context"
	"testing"
	"time"
)

// soon is a context in which nothing may wait for ever.
func soon(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func TestSnapshot_NeedsNoSecondConnection(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(alice, "a.md", "a\n")
	w.trail.r.SetMaxOpenConns(1)
	t.Cleanup(func() { w.trail.r.SetMaxOpenConns(4) }) // the checks at the end take several
	if _, err := w.store.Tree(soon(t)); err != nil {
		t.Errorf("the tree: %v", err)
	}
	if _, err := w.store.TreeAt(soon(t), 1); err != nil {
		t.Errorf("the tree of the past: %v", err)
	}
}

func TestStatement_ThatWaitsForAConnectionHoldsNoneUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.trail.r.SetMaxOpenConns(1)
	t.Cleanup(func() { w.trail.r.SetMaxOpenConns(4) }) // the checks at the end take several
	other := make(chan error, 1)
	err := w.trail.view(soon(t), func(q reader) error {
		waited := w.trail.r.Stats().WaitCount
		go func() {
			_, err := w.trail.stmt(q.ctx, `SELECT 1234`)
			other <- err
		}()
		for w.trail.r.Stats().WaitCount == waited {
			if q.ctx.Err() != nil {
				return q.ctx.Err()
			}
			time.Sleep(time.Millisecond)
		}
		done := make(chan struct{})
		go func() { w.trail.prepared(countHeads); close(done) }()
		select {
		case <-done:
		case <-q.ctx.Done():
			t.Error("who has the connection waits for who waits for it")
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	if err := <-other; err != nil {
		t.Errorf("the statement that waited: %v", err)
	}
}
