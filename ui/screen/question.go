package screen

import (
	"context"
	"sync/atomic"
)

// lastID makes the ids of all questions different: an answer goes to every pane,
// and two panes of one kind must not take each other's.
var lastID atomic.Int64

// Question gives each effect of one kind an id and cancels the one before: of
// two answers that cross, only the one to the last question counts.
type Question struct {
	id     int
	cancel context.CancelFunc
}

// Begin starts a new question and cancels the last.
func (q *Question) Begin(parent context.Context) (context.Context, int) {
	if q.cancel != nil {
		q.cancel()
	}
	q.id = int(lastID.Add(1))
	ctx, cancel := context.WithCancel(parent)
	q.cancel = cancel
	return ctx, q.id
}

// Stop cancels what is under way; its answer will be stale.
func (q *Question) Stop() {
	if q.cancel != nil {
		q.cancel()
		q.cancel = nil
	}
	q.id = int(lastID.Add(1))
}

// ID is that of the question that was begun last.
func (q *Question) ID() int { return q.id }

// Current reports whether an answer with this id is still wanted.
func (q *Question) Current(id int) bool { return id == q.id }
