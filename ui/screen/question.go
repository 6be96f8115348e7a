package screen

import (
	"context"

	tea "charm.land/bubbletea/v2"
)

// Question gives each effect of one kind an id and cancels the one before: of
// two answers that cross, only the one to the last question counts.
type Question struct {
	id      int
	cancel  context.CancelFunc
	waiting bool           // for the answer
	after   func() tea.Cmd // asks something once the answer is there
}

// Begin starts a new question and cancels the last.
func (q *Question) Begin(parent context.Context) (context.Context, int) {
	q.Stop()
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
	q.id++
	q.waiting, q.after = false, nil
}

// ID is that of the question that was begun last.
func (q *Question) ID() int { return q.id }

// Current reports whether an answer with this id is still wanted.
func (q *Question) Current(id int) bool { return id == q.id }

// Waiting reports whether the answer to the last question is still awaited.
func (q *Question) Waiting() bool { return q.waiting }

// After reports whether an answer is awaited; ask is called once it is taken. Of several
// such calls the last one counts: it is for what is asked one at a time, and again when
// something changed meanwhile.
func (q *Question) After(ask func() tea.Cmd) bool {
	if q.waiting {
		q.after = ask
	}
	return q.waiting
}

// answered ends the wait and gives what was put off until then.
func (q *Question) answered() (after func() tea.Cmd) {
	after = q.after
	q.waiting, q.after = false, nil
	return after
}
